"""x * sigmoid(x) on 31 elements, less than one vector repeat."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x * torch.sigmoid(x)


def get_inputs():
    return [torch.randn(31)]


def get_init_inputs():
    return []
