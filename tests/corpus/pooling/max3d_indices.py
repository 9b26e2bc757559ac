import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.max_pool3d(x, 2, 2, (0, 1, 0), return_indices=True)


def get_inputs():
    return [torch.randn(2, 2, 6, 9, 12)]


def get_init_inputs():
    return []
