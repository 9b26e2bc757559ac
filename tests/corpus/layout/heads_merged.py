"""Heads side by side again, with a bias: the reshape of a permuted tensor takes a copy, which workspace holds."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, bias):
        b, h, n, d = x.shape
        return torch.tanh(x).transpose(1, 2).reshape(b, n, h * d) * 2 + bias


def get_inputs():
    return [torch.randn(2, 3, 21, 16), torch.randn(48)]


def get_init_inputs():
    return []
