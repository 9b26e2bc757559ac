import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y, w):
        return torch.where(y == 3, x, w)


def get_inputs():
    return [torch.randn(37, 45), torch.randint(0, 5, (37, 1)), torch.randn(37, 45)]
