"""A transposed result."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cumsum(x, 1).transpose(0, 1)


def get_inputs():
    return [torch.rand(20, 75)]


def get_init_inputs():
    return []
