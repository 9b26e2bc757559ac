"""Variance with and without correction."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.var(-1), x.var(-1, correction=0)


def get_inputs():
    return [torch.randn(22, 129)]


def get_init_inputs():
    return []
