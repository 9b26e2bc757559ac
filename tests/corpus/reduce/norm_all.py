"""Frobenius norm."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.norm(x)


def get_inputs():
    return [torch.randn(45, 67)]


def get_init_inputs():
    return []
