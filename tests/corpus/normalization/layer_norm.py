"""With weight and bias."""
import torch


class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(384)

    def forward(self, x):
        return self.norm(x)


def get_inputs():
    return [torch.randn(7, 11, 384)]


def get_init_inputs():
    return []
