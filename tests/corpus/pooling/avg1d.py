import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.avg_pool1d(x, 8, 1, 4)


def get_inputs():
    return [torch.randn(2, 3, 100)]


def get_init_inputs():
    return []
