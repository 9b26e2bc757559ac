"""A group norm and what follows it."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.GroupNorm(8, 16)

    def forward(self, x):
        return F.silu(self.norm(x))


def get_inputs():
    return [torch.randn(2, 16, 11, 13)]


def get_init_inputs():
    return []
