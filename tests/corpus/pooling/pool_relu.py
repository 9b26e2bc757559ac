import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(F.max_pool2d(F.gelu(x), 2))


def get_inputs():
    return [torch.randn(2, 3, 16, 22)]


def get_init_inputs():
    return []
