import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x):
        return F.interpolate(x, scale_factor=(2, 2, 2), mode='trilinear', align_corners=True)


def get_inputs():
    return [torch.randn(2, 2, 4, 5, 6)]


def get_init_inputs():
    return []
