"""Of logits, stable."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, a, b):
        return F.binary_cross_entropy_with_logits(a, b)


def get_inputs():
    return [torch.randn(40, 33), torch.rand(40, 33)]


def get_init_inputs():
    return []
