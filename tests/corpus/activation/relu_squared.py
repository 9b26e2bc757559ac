"""The square of ReLU."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x) ** 2


def get_inputs():
    return [torch.randn(37, 411)]


def get_init_inputs():
    return []
