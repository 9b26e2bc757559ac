import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.avg_pool3d(x, 3, 2, 1)


def get_inputs():
    return [torch.randn(2, 2, 7, 10, 15)]


def get_init_inputs():
    return []
