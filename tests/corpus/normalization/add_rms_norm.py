"""Residual, norm, and the sum itself."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, residual, weight):
        h = x + residual
        return h * torch.rsqrt(h.pow(2).mean(-1, keepdim=True) + 1e-6) * weight, h


def get_inputs():
    return [torch.randn(17, 192), torch.randn(17, 192), torch.rand(192)]


def get_init_inputs():
    return []
