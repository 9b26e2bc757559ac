import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.adaptive_max_pool2d(x, (4, 9), return_indices=True)


def get_inputs():
    return [torch.randn(2, 3, 13, 21)]


def get_init_inputs():
    return []
