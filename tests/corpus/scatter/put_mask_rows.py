import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, row):
        y = x * 2
        y[x[:, 0] > 0] = row
        return y


def get_inputs():
    return [torch.randn(19, 33), torch.randn(33)]
