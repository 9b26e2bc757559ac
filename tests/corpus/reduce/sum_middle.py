"""The middle one of three."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.sum(1, keepdim=True)


def get_inputs():
    return [torch.randn(6, 77, 130)]


def get_init_inputs():
    return []
