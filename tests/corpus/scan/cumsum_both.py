"""Along one dimension and then the other."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.cumsum(torch.cumsum(x, 0), 1)


def get_inputs():
    return [torch.rand(50, 60)]


def get_init_inputs():
    return []
