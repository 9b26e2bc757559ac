import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, a, b, c, d, x):
        return a + b, b * c, torch.logical_and(a, c), c - d, a * x, torch.logical_xor(b, x > 0), torch.floor_divide(d, b + 1)


def get_inputs():
    return [torch.randint(-128, 128, (33, 70), dtype=torch.int8), torch.randint(0, 255, (33, 1), dtype=torch.uint8),
            torch.randint(-32768, 32768, (70,), dtype=torch.int16), torch.randint(-10**6, 10**6, (33, 70), dtype=torch.int32),
            torch.randn(33, 70)]
