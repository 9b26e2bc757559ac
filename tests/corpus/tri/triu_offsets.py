import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return (torch.triu(x, 3), torch.triu(x, -2), torch.tril(x, -1))


def get_inputs():
    return [torch.randn(2, 17, 23)]


def get_init_inputs():
    return []
