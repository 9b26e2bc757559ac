"""A number for each row."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, s):
        return x / (s.abs() + 1.0)


def get_inputs():
    return [torch.randn(45, 300), torch.randn(45, 1)]


def get_init_inputs():
    return []
