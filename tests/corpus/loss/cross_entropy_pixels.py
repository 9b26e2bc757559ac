"""A label for each pixel."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, a, b):
        return F.cross_entropy(a, b, reduction="sum")


def get_inputs():
    return [torch.randn(3, 7, 9, 21), torch.randint(0, 7, (3, 9, 21))]


def get_init_inputs():
    return []
