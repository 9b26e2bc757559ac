"""Of probabilities."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, a, b):
        return F.binary_cross_entropy(a, b)


def get_inputs():
    return [torch.rand(40, 33) * 0.98 + 0.01, torch.rand(40, 33)]


def get_init_inputs():
    return []
