"""Groups of channels."""
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.GroupNorm(4, 12)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(3, 12, 7, 19)]


def get_init_inputs():
    return []
