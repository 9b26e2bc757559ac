import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, index, u):
        return x.index_add(0, index, u)


def get_inputs():
    return [torch.randn(9001, 3), torch.randint(0, 9001, (20011,)), torch.randn(20011, 3)]
