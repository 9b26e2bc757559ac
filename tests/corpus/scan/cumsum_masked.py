"""Only what a mask lets through."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, mask):
        return torch.cumsum(x * mask, 1)


def get_inputs():
    return [torch.rand(31, 200), torch.rand(31, 200) > 0.5]


def get_init_inputs():
    return []
