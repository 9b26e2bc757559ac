"""Two indices that broadcast to each other."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, i, j):
        return x[i, j] * 3


def get_inputs():
    return [torch.randn(30, 21, 16), torch.randint(0, 30, (9, 1)), torch.randint(0, 21, (4,))]


def get_init_inputs():
    return []
