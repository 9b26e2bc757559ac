"""The middle of each column and where it is."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.median(x, dim=0, keepdim=True)


def get_inputs():
    return [torch.arange(407.0).reshape(37, 11)[torch.randperm(37)]]


def get_init_inputs():
    return []
