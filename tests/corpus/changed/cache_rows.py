"""New keys go into the rows of a cache that slots name; nothing is returned."""
import torch


class Model(torch.nn.Module):
    def forward(self, cache, new, slots):
        cache[slots] = new


def get_inputs():
    return [torch.randn(41, 72), torch.randn(7, 72), torch.randperm(41)[:7]]


def get_init_inputs():
    return []
