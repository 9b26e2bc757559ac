"""Dimensions repeated by turns."""
import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        return a - b


def get_inputs():
    return [torch.randn(6, 1, 40, 1), torch.randn(1, 5, 1, 17)]


def get_init_inputs():
    return []
