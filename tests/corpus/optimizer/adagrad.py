"""By the root of all squares."""
import torch


class Model(torch.nn.Module):
    def forward(self, p, g, s):
        s = s + g * g
        return p - 0.1 * g / (s.sqrt() + 1e-10), s


def get_inputs():
    return [torch.randn(27, 70), torch.randn(27, 70), torch.rand(27, 70)]


def get_init_inputs():
    return []
