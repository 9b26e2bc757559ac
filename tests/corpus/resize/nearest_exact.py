import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.interpolate(x, size=(11, 5), mode='nearest-exact')


def get_inputs():
    return [torch.randn(2, 3, 8, 13)]


def get_init_inputs():
    return []
