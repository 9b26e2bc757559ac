import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, index, u):
        return x.index_add(0, index, u)


def get_inputs():
    return [torch.randn(5, 20003), torch.randint(0, 5, (7,)), torch.randn(7, 20003)]
