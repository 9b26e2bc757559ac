"""Integers of all 32 bits, with equal ones."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.sort(x, dim=-1, stable=True)


def get_inputs():
    return [torch.randint(-(2**31), 2**31 - 1, (7, 333), dtype=torch.int32) // 65537 * 65537]


def get_init_inputs():
    return []
