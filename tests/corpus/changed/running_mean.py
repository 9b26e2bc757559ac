"""Statistics that go on from call to call; two arguments change, one result."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, mean, mean_square):
        mean.mul_(0.9).add_(x.mean(0), alpha=0.1)
        mean_square.lerp_(x.square().mean(0), 0.1)
        return (x - mean) * torch.rsqrt(mean_square + 1e-5)


def get_inputs():
    return [torch.randn(37, 65), torch.randn(65), torch.rand(65)]


def get_init_inputs():
    return []
