import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, index, u):
        return x.scatter_add(0, index, u)


def get_inputs():
    return [torch.randn(100003), torch.randint(0, 100003, (30011,)), torch.randn(30011)]
