import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y, z, w):
        return torch.logical_and(x, w), x == y, torch.ne(z, 1 + 2j), torch.logical_or(z.t(), y.t()), x != w


def get_inputs():
    whole = torch.complex(torch.randint(-1, 2, (37, 45)).float(), torch.randint(-1, 2, (37, 45)).float())
    other = torch.complex(torch.randint(-1, 2, (37, 45)).float(), torch.randint(-1, 2, (37, 45)).float())
    return [whole, other, (whole + other).to(torch.complex128), torch.randint(-1, 2, (45,), dtype=torch.int32)]
