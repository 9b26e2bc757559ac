"""Integers are moved as they are."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, i):
        return x[i] + 1


def get_inputs():
    return [torch.randint(-2**31, 2**31 - 1, (50, 33), dtype=torch.int32), torch.randint(0, 50, (29,))]


def get_init_inputs():
    return []
