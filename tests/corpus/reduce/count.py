"""How many are positive."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return (x > 0).sum(-1)


def get_inputs():
    return [torch.randn(14, 301)]


def get_init_inputs():
    return []
