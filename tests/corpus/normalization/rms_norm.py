"""By the root of the mean square."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, weight):
        return x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + 1e-6) * weight


def get_inputs():
    return [torch.randn(31, 320), torch.rand(320)]


def get_init_inputs():
    return []
