"""Over height and width."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.mean((2, 3))


def get_inputs():
    return [torch.randn(4, 6, 15, 17)]


def get_init_inputs():
    return []
