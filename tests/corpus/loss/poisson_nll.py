"""Of the logarithm of a rate."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, a, b):
        return F.poisson_nll_loss(a, b)


def get_inputs():
    return [torch.randn(30, 44), torch.rand(30, 44) * 4]


def get_init_inputs():
    return []
