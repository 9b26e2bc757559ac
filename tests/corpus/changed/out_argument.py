"""A result passed in with out=."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, y, out):
        torch.add(x, y, alpha=2, out=out)
        return torch.relu(x)


def get_inputs():
    return [torch.randn(31, 67), torch.randn(31, 67), torch.empty(31, 67)]


def get_init_inputs():
    return []
