"""The same, scaled."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, a, b):
        return F.smooth_l1_loss(a, b, beta=0.5)


def get_inputs():
    return [torch.randn(33, 101), torch.randn(33, 101)]


def get_init_inputs():
    return []
