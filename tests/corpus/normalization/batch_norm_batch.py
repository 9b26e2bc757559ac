"""With the statistics of the batch."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x, weight, bias):
        return F.batch_norm(x, None, None, weight, bias, True)


def get_inputs():
    return [torch.randn(6, 5, 13, 11), torch.rand(5), torch.randn(5)]


def get_init_inputs():
    return []
