import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, index, u):
        return x.index_add(1, index, u, alpha=0.5) * 2


def get_inputs():
    return [torch.randn(5, 19, 33), torch.randint(0, 19, (40,), dtype=torch.int32), torch.randn(5, 40, 33)]
