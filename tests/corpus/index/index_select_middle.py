"""A dimension in the middle, indices of 32 bits."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, at):
        return torch.index_select(x, 1, at)


def get_inputs():
    return [torch.randn(5, 41, 24), torch.randint(0, 41, (13,), dtype=torch.int32)]


def get_init_inputs():
    return []
