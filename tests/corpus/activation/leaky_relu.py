"""A slope below zero."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.leaky_relu(x, 0.03)


def get_inputs():
    return [torch.randn(37, 411)]


def get_init_inputs():
    return []
