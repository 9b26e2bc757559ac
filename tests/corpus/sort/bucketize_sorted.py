"""Boundaries that the file gives in order, and that stay in order in every case."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, edges):
        return torch.bucketize(x, edges), torch.bucketize(x, edges, right=True)


def get_inputs():
    return [torch.randn(50), torch.linspace(-1, 1, 9)]


def get_init_inputs():
    return []
