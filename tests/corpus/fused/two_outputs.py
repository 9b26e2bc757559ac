"""Two results of one pass."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sin(x), torch.cos(x)


def get_inputs():
    return [torch.randn(24, 111)]


def get_init_inputs():
    return []
