"""Two indices with a dimension between them: theirs come first."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, i, j):
        return x[i, :, j]


def get_inputs():
    return [torch.randn(11, 7, 13), torch.randint(0, 11, (5,)), torch.randint(0, 13, (5,))]


def get_init_inputs():
    return []
