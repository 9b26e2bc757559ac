"""Indexing by masks of all dimensions, of the first, of one in the middle."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, m, k):
        return x[m], x[m[:, 0, 0]], x[:, k]


def get_inputs():
    return [torch.randn(11, 13, 9), torch.rand(11, 13, 9) > 0.6, torch.rand(13) > 0.5]


def get_init_inputs():
    return []
