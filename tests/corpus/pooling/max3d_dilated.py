import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.max_pool3d(x, (2, 3, 2), (1, 2, 2), (1, 1, 0), dilation=(2, 1, 3), ceil_mode=True)


def get_inputs():
    return [torch.randn(1, 3, 6, 9, 12)]


def get_init_inputs():
    return []
