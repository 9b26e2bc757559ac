"""int8 values and a scale for each row."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        x = x.float()
        scale = x.abs().amax(-1, keepdim=True) / 127.0
        return torch.round(x / scale).clamp(-128, 127).to(torch.int32), scale


def get_inputs():
    return [torch.randn(21, 132)]


def get_init_inputs():
    return []
