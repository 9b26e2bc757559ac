"""Everything."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.sum()


def get_inputs():
    return [torch.randn(33, 19, 21)]


def get_init_inputs():
    return []
