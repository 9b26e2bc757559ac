import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return x + y


def get_inputs():
    return [torch.randint(-9, 9, (6, 37, 45)), torch.randint(0, 5, (45,))]
