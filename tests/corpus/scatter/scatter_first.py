import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, index, u):
        return x.scatter(0, index, u)


def get_inputs():
    return [torch.randn(50, 70), torch.rand(50, 70).argsort(0)[:23], torch.randn(23, 70)]
