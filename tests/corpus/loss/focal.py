"""Easy examples count less."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, a, b):
        p = torch.sigmoid(a)
        ce = F.binary_cross_entropy_with_logits(a, b, reduction="none")
        hit = p * b + (1 - p) * (1 - b)
        return (ce * (1 - hit) ** 2).mean()


def get_inputs():
    return [torch.randn(50, 21), torch.randint(0, 2, (50, 21)).float()]


def get_init_inputs():
    return []
