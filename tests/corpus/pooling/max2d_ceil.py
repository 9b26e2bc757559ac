import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.max_pool2d(x, (3, 2), (2, 3), (1, 0), ceil_mode=True)


def get_inputs():
    return [torch.randn(2, 3, 18, 22)]


def get_init_inputs():
    return []
