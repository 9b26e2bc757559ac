"""Margin of one."""
import torch


class Model(torch.nn.Module):
    def forward(self, a, b):
        return torch.mean(torch.clamp(1 - a * b, min=0))


def get_inputs():
    return [torch.randn(300, 5), torch.randint(0, 2, (300, 5)).float() * 2 - 1]


def get_init_inputs():
    return []
