"""Squares that become lines."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, a, b):
        return F.huber_loss(a, b, delta=0.8)


def get_inputs():
    return [torch.randn(33, 101), torch.randn(33, 101)]


def get_init_inputs():
    return []
