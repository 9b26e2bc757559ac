"""Nucleus sampling with the places of the tokens: an index into computed values, of which neighbours differ in their last digits."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        p, i = torch.sort(torch.softmax(x, -1), descending=True, dim=-1)
        keep = p.cumsum(-1) - p < 0.9
        p = p * keep.to(p.dtype)
        return p / p.sum(-1, keepdim=True), i


def get_inputs():
    return [torch.randn(5, 300)]


def get_init_inputs():
    return []
