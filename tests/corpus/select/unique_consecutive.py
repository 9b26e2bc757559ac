"""Runs of equal elements."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.unique_consecutive(x, return_inverse=True, return_counts=True)


def get_inputs():
    return [torch.randint(0, 3, (1777,), dtype=torch.int32)]


def get_init_inputs():
    return []
