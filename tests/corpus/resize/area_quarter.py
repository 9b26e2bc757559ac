import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.nn.functional.interpolate(x, scale_factor=0.25, mode="area")


def get_inputs():
    return [torch.randn(2, 3, 36, 44)]
