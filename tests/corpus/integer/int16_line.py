import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y):
        return x * y, x // y, torch.maximum(x, y), ~x & y, x << 3, x.to(torch.int8), (x != 0).to(torch.int16)


def get_inputs():
    y = torch.randint(1, 32768, (10007,), dtype=torch.int16)
    return [torch.randint(-32768, 32768, (10007,), dtype=torch.int16), torch.where(torch.rand(10007) > 0.5, y, -y)]
