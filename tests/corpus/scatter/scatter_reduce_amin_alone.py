import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, index, u):
        return x.scatter_reduce(0, index, u, reduce="amin", include_self=False)


def get_inputs():
    return [torch.rand(31, 70) + 0.5, torch.randint(0, 31, (24, 70)), torch.rand(24, 70) + 0.5]
