import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.adaptive_avg_pool2d(x, (5, 7))


def get_inputs():
    return [torch.randn(2, 3, 19, 23)]


def get_init_inputs():
    return []
