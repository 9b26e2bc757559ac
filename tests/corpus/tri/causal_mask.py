import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x.masked_fill(torch.triu(torch.ones_like(x), 1).bool(), -1e4)


def get_inputs():
    return [torch.randn(3, 20, 30)]


def get_init_inputs():
    return []
