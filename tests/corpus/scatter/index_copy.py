import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, index, u):
        return torch.relu(x.index_copy(0, index, u))


def get_inputs():
    return [torch.randn(61, 129), torch.randperm(61)[:23], torch.randn(23, 129)]
