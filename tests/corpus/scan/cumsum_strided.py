"""Every other column."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cumsum(x[:, ::2], 1) * 2.0


def get_inputs():
    return [torch.rand(18, 201)]


def get_init_inputs():
    return []
