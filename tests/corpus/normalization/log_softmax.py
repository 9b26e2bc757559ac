"""Logarithms."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.log_softmax(x, -1)


def get_inputs():
    return [torch.randn(35, 311)]


def get_init_inputs():
    return []
