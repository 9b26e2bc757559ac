"""A step scaled by two lengths."""
import torch


class Model(torch.nn.Module):
    def forward(self, p, g, m, v):
        m = 0.9 * m + 0.1 * g
        v = 0.999 * v + 0.001 * g * g
        u = m / (v.sqrt() + 1e-6) + 0.01 * p
        ratio = torch.norm(p) / (torch.norm(u) + 1e-6)
        return p - 0.01 * ratio * u, m, v


def get_inputs():
    return [torch.randn(33, 47), torch.randn(33, 47), torch.randn(33, 47), torch.rand(33, 47)]


def get_init_inputs():
    return []
