"""Sums of both signs: digits of results near 0 count."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cumsum(x, 1)


def get_inputs():
    return [torch.randn(100, 300)]


def get_init_inputs():
    return []
