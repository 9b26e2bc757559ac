"""The last but one of each row."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.kthvalue(x, 299, dim=-1, keepdim=True).values + x


def get_inputs():
    return [torch.randn(6, 300)]


def get_init_inputs():
    return []
