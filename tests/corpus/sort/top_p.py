"""Sorted probabilities and how much they come to."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cumsum(torch.sort(torch.softmax(x, -1), dim=-1, descending=True)[0], -1)


def get_inputs():
    return [torch.randn(8, 999)]


def get_init_inputs():
    return []
