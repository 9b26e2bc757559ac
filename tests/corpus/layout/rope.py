"""Rotary embedding: halves swapped, one negated."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, c, s):
        h = x.shape[-1] // 2
        return x * c + torch.cat([-x[..., h:], x[..., :h]], -1) * s


def get_inputs():
    return [torch.randn(4, 33, 64), torch.randn(33, 64), torch.randn(33, 64)]


def get_init_inputs():
    return []
