import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.lp_pool2d(x, 2, 3, 2)


def get_inputs():
    return [torch.randn(2, 3, 17, 22)]


def get_init_inputs():
    return []
