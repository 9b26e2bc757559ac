import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, index):
        return x.gather(1, index) + 1


def get_inputs():
    return [torch.randint(-9, 9, (45, 37)), torch.randint(0, 37, (45, 20))]
