import torch
import torch.nn as nn


class Model(nn.Module):
    """Numbers that are known when the kernel runs: a tensor of one element is true unless it is 0, also when it is 0.3."""

    def forward(self, x, y, z, n, s):
        return torch.logical_and(x, y), torch.logical_or(x > 0, z), torch.logical_xor(x, n), torch.where(x > 0, y, z) * s


def get_inputs():
    return [torch.randn(37, 45), torch.tensor([[0.3]]), torch.tensor([0.0]), torch.tensor([2], dtype=torch.int8), 0.5]
