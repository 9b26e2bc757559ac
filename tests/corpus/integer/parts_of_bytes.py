import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y, i):
        both = torch.cat([x, y], 1)
        return both, x.roll(3, 0), torch.index_select(y, 0, i), torch.nn.functional.pad(x, (2, 3))


def get_inputs():
    return [torch.randint(-128, 128, (40, 33), dtype=torch.int8), torch.randint(-128, 128, (40, 50), dtype=torch.int8),
            torch.randint(0, 40, (23,))]
