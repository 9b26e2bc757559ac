"""Picks from x or y by a bool mask that all rows share."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, mask, x, y):
        return torch.where(mask, x, y)


def get_inputs():
    return [torch.rand(1, 777) < 0.5, torch.randn(48, 777), torch.randn(48, 777)]


def get_init_inputs():
    return []
