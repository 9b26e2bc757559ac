"""From the end of few rows, which are scanned in pieces."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.flip(torch.cumsum(torch.flip(x, [-1]), -1), [-1])


def get_inputs():
    return [torch.rand(3, 9001)]


def get_init_inputs():
    return []
