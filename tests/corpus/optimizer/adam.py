"""A step with bias correction."""
import torch


class Model(torch.nn.Module):
    def forward(self, p, g, m, v):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        return p - 0.001 * (m / (1 - 0.9 ** 3)) / ((v / (1 - 0.999 ** 3)).sqrt() + 1e-8), m, v


def get_inputs():
    return [torch.randn(40, 51), torch.randn(40, 51), torch.randn(40, 51), torch.rand(40, 51)]


def get_init_inputs():
    return []
