"""Over two dimensions, nothing learned."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.layer_norm(x, x.shape[1:])


def get_inputs():
    return [torch.randn(9, 12, 33)]


def get_init_inputs():
    return []
