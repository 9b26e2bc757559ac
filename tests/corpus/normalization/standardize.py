"""Mean 0 and deviation 1."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-5)


def get_inputs():
    return [torch.randn(18, 202)]


def get_init_inputs():
    return []
