"""The running mean."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cumsum(x, 1) / torch.cumsum(torch.ones_like(x), 1)


def get_inputs():
    return [torch.rand(12, 345)]


def get_init_inputs():
    return []
