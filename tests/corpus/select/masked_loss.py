"""What is left out counts neither in the sum nor in the number."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, y, m):
        d = x[m] - y[m]
        return (d * d).mean(), d.abs().sum() / m.sum(), d.amax()


def get_inputs():
    return [torch.randn(31, 77), torch.randn(31, 77), torch.rand(31, 77) > 0.4]


def get_init_inputs():
    return []
