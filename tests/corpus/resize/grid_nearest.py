import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x, grid):
        return F.grid_sample(x, grid, mode='nearest', padding_mode='border', align_corners=True)


def get_inputs():
    return [torch.randn(2, 3, 7, 9), torch.rand(2, 5, 8, 2) * 2.4 - 1.2]


def get_init_inputs():
    return []
