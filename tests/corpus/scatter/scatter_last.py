import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, index, u):
        return x.scatter(1, index, u)


def get_inputs():
    return [torch.randn(16, 700), torch.rand(16, 700).argsort(1)[:, :300], torch.randn(16, 300)]
