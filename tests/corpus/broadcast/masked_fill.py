"""Positions of an attention mask."""
import torch


class Model(torch.nn.Module):
    def forward(self, scores, mask):
        return scores.masked_fill(mask, float("-inf"))


def get_inputs():
    return [torch.randn(2, 3, 17, 33), torch.rand(17, 33) > 0.7]


def get_init_inputs():
    return []
