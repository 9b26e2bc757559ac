"""A given mask of dropout."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, bias, keep, residual):
        return residual + (x + bias) * keep / 0.9


def get_inputs():
    return [torch.randn(31, 130), torch.randn(130), (torch.rand(31, 130) > 0.1).float(), torch.randn(31, 130)]


def get_init_inputs():
    return []
