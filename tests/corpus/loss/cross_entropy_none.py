"""One number a row."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, a, b):
        return F.cross_entropy(a, b, reduction="none")


def get_inputs():
    return [torch.randn(44, 97), torch.randint(0, 97, (44,))]


def get_init_inputs():
    return []
