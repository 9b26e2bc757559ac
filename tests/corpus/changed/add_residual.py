"""The sum goes back into the residual, the result is its norm."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, residual, weight):
        residual.add_(x)
        y = residual * torch.rsqrt(residual.square().mean(-1, keepdim=True) + 1e-6)
        return y * weight


def get_inputs():
    return [torch.randn(29, 131), torch.randn(29, 131), torch.randn(131)]


def get_init_inputs():
    return []
