"""Integers that float32 holds."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sort(x, dim=-1, descending=True, stable=True)


def get_inputs():
    return [torch.randint(-128, 128, (6, 515), dtype=torch.int8)]


def get_init_inputs():
    return []
