import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, n):
        return x + n


def get_inputs():
    return [torch.randint(-9, 9, (45, 37)), torch.tensor([4])]
