"""What a reduction leaves, as nucleus sampling has it."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cumsum(torch.softmax(x, -1), -1) * 2.0


def get_inputs():
    return [torch.randn(8, 999)]


def get_init_inputs():
    return []
