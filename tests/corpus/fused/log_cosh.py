"""A loss written by hand."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, a, b):
        d = a - b
        return (d + F.softplus(-2.0 * d) - 0.6931471805599453).mean()


def get_inputs():
    return [torch.randn(30, 64), torch.randn(30, 64)]


def get_init_inputs():
    return []
