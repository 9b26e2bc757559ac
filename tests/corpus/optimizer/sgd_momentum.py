"""A step with momentum."""
import torch


class Model(torch.nn.Module):
    def forward(self, p, g, v):
        v = 0.9 * v + g
        return p - 0.01 * v, v


def get_inputs():
    return [torch.randn(33, 65), torch.randn(33, 65), torch.randn(33, 65)]


def get_init_inputs():
    return []
