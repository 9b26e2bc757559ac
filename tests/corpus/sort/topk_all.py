"""As many as there are."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.topk(x, 65, sorted=False).values.sum(1)


def get_inputs():
    return [torch.randn(4, 65)]


def get_init_inputs():
    return []
