"""x * tanh(softplus(x)), seven elements a row."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def forward(self, x):
        return F.mish(x)


def get_inputs():
    return [torch.randn(31, 7)]


def get_init_inputs():
    return []
