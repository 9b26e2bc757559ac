import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.lp_pool1d(x, 3.0, 4)


def get_inputs():
    return [torch.randn(2, 3, 50)]


def get_init_inputs():
    return []
