"""A value is computed and then selected."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, y):
        return torch.masked_select(x * 2, y > 0)


def get_inputs():
    return [torch.randn(37, 130), torch.randn(37, 130)]


def get_init_inputs():
    return []
