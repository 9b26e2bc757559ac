"""Three operands, each repeated along others."""
import torch


class Model(torch.nn.Module):
    def forward(self, a, b, c):
        return a * b + c


def get_inputs():
    return [torch.randn(7, 1, 33), torch.randn(5, 33), torch.randn(7, 5, 1)]


def get_init_inputs():
    return []
