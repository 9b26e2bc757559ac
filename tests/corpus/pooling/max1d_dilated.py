import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.max_pool1d(x, 3, 2, 1, dilation=3)


def get_inputs():
    return [torch.randn(2, 5, 47)]


def get_init_inputs():
    return []
