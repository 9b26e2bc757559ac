"""Whole numbers."""
import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        return a * 3 + b


def get_inputs():
    return [torch.randint(-90, 90, (12, 67), dtype=torch.int32), torch.randint(-90, 90, (67,), dtype=torch.int32)]


def get_init_inputs():
    return []
