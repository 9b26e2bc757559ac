"""Neighbours swapped, one negated."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, c, s):
        even, odd = x[..., 0::2], x[..., 1::2]
        return torch.stack([even * c - odd * s, even * s + odd * c], -1).flatten(-2)


def get_inputs():
    return [torch.randn(3, 17, 32), torch.randn(17, 16), torch.randn(17, 16)]


def get_init_inputs():
    return []
