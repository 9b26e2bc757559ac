"""Only what is no number is left out."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        y = torch.where(x > 0.8, float('nan'), x)
        return *torch.nanmedian(y, 1), torch.nanmedian(y)


def get_inputs():
    return [torch.randn(23, 61)]


def get_init_inputs():
    return []
