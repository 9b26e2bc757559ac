"""A step of an optimizer, in place, that returns nothing."""
import torch


class Model(torch.nn.Module):
    def forward(self, p, g, m):
        m.mul_(0.9).add_(g)
        p.sub_(0.01 * m)


def get_inputs():
    return [torch.randn(33, 65), torch.randn(33, 65), torch.randn(33, 65)]


def get_init_inputs():
    return []
