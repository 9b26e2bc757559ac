"""Running maxima and where they come from: the last of equal ones."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cummax(torch.round(x * 3), 1)


def get_inputs():
    return [torch.randn(19, 260)]


def get_init_inputs():
    return []
