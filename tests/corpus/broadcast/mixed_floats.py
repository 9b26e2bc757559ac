import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y, z):
        return x + y, x * y, torch.logaddexp(x, y), torch.sum(x * z, -1)


def get_inputs():
    return [torch.randn(33, 70, dtype=torch.float16), torch.randn(33, 70, dtype=torch.float32), torch.randn(70, dtype=torch.bfloat16)]
