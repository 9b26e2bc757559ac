"""x times a 0-d tensor: a broadcast with no dimension of its own."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, scale):
        return x * scale


def get_inputs():
    return [torch.randn(3, 5, 7), torch.rand(())]


def get_init_inputs():
    return []
