import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, index, u):
        return x.scatter_add(1, index, u)


def get_inputs():
    return [torch.randint(-9, 9, (8, 100), dtype=torch.int32), torch.randint(0, 100, (8, 260)), torch.randint(-9, 9, (8, 260), dtype=torch.int32)]
