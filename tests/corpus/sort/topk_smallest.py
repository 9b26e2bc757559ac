"""The three least, along the first dimension."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.topk(x, 3, dim=0, largest=False).values


def get_inputs():
    return [torch.randn(40, 31)]


def get_init_inputs():
    return []
