import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x, y, z):
        return x.to(torch.float32) > y.to(torch.float32), z.to(torch.float32) * 0.5


def get_inputs():
    return [torch.randint(0, 65536, (3, 501)).to(torch.uint16), torch.randint(0, 70000, (3, 501)).to(torch.uint32),
            torch.randint(0, 70000, (501,)).to(torch.uint64)]
