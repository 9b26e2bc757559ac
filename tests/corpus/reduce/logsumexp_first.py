"""The same along columns."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.logsumexp(x, 0)


def get_inputs():
    return [torch.randn(64, 45)]


def get_init_inputs():
    return []
