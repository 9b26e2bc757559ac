import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.max_pool1d(x, 4, 3, 2, dilation=2, return_indices=True, ceil_mode=True)


def get_inputs():
    return [torch.randn(2, 3, 75)]


def get_init_inputs():
    return []
