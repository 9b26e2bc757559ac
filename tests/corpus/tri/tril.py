import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.tril(x)


def get_inputs():
    return [torch.randn(2, 17, 23)]


def get_init_inputs():
    return []
