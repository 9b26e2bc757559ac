"""An exponential below zero."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.elu(x, alpha=0.7)


def get_inputs():
    return [torch.randn(37, 411)]


def get_init_inputs():
    return []
