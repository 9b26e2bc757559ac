"""Sums of exponentials that do not overflow."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.logcumsumexp(x * 40, 1)


def get_inputs():
    return [torch.randn(21, 150)]


def get_init_inputs():
    return []
