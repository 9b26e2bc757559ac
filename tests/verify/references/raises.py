"""A reference whose forward fails."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        if x.numel() > 0:
            raise RuntimeError("the reference is out of order")
        return x + y


def get_inputs():
    return [torch.randn(8), torch.randn(8)]


def get_init_inputs():
    return []
