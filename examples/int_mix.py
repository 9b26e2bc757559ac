"""int32 arithmetic: product, sum, division that rounds down (also of negative numbers), and a comparison."""
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y, divisor):
        total = x * 3 + y
        quotient = total // divisor
        return quotient, quotient > y


def get_inputs():
    x = torch.randint(-1000, 1000, (63, 129), dtype=torch.int32)
    y = torch.randint(-1000, 1000, (63, 129), dtype=torch.int32)
    divisor = torch.randint(1, 17, (129,), dtype=torch.int32)
    return [x, y, divisor]


def get_init_inputs():
    return []
