"""Values of one, four and eight bytes that one mask selects."""
import torch


class Model(torch.nn.Module):
    def forward(self, b, i, j, k):
        m = i > 0
        return b[m], i[m], j[m], k[m]


def get_inputs():
    return [torch.rand(7, 300) > 0.5, torch.randint(-9, 9, (7, 300), dtype=torch.int32), torch.randint(-9, 9, (7, 300)), torch.randint(-9, 9, (7, 300), dtype=torch.int8)]


def get_init_inputs():
    return []
