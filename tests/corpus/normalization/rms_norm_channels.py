"""Along the channels of an image."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x / torch.sqrt(torch.mean(x * x, 1, keepdim=True) + 1e-5)


def get_inputs():
    return [torch.randn(3, 17, 9, 22)]


def get_init_inputs():
    return []
