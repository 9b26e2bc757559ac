"""Sum of squares."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, a, b):
        return F.mse_loss(a, b, reduction="sum")


def get_inputs():
    return [torch.randn(37, 203), torch.randn(37, 203)]


def get_init_inputs():
    return []
