"""Rotary embedding as torch_npu has it, both ways of pairing."""
import torch
import torch_npu


class Model(torch.nn.Module):
    def forward(self, x, cos, sin):
        return torch_npu.npu_rotary_mul(x, cos, sin), torch_npu.npu_rotary_mul(x, cos, sin, rotary_mode="interleave")


def get_inputs():
    return [torch.randn(2, 5, 3, 64), torch.randn(1, 5, 1, 64), torch.randn(1, 5, 1, 64)]


def get_init_inputs():
    return []
