"""Rows longer than a core sorts at once: runs are merged."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sort(x, stable=True)


def get_inputs():
    return [torch.randn(2, 10007)]


def get_init_inputs():
    return []
