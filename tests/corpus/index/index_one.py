"""x[i], negative indices count from the end."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, i):
        return x[i]


def get_inputs():
    return [torch.randn(40, 3, 17), torch.randint(-40, 40, (6, 5))]


def get_init_inputs():
    return []
