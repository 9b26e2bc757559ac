import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.nn.functional.pad(x, (2, 3, 1, 0), mode="circular") * 2


def get_inputs():
    return [torch.randn(3, 5, 21, 35)]
