import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.adaptive_max_pool1d(x, 9)


def get_inputs():
    return [torch.randn(2, 3, 40)]


def get_init_inputs():
    return []
