import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return x * y[:, :1]


def get_inputs():
    return [torch.randint(-9, 9, (37, 45)), torch.randint(0, 5, (37, 7))]
