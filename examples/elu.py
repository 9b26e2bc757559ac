"""ELU with its slope as a constructor argument: alpha becomes an attribute of the operator, not a constant in it."""
import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    def __init__(self, alpha):
        super().__init__()
        self.alpha = alpha

    def forward(self, x):
        return F.elu(x, alpha=self.alpha)


def get_inputs():
    return [torch.randn(128, 1023)]


def get_init_inputs():
    return [0.7]
