"""Standard deviation and mean."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return tuple(torch.std_mean(x, -1))


def get_inputs():
    return [torch.randn(16, 333)]


def get_init_inputs():
    return []
