import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return x + torch.eye(x.shape[-1], dtype=x.dtype)


def get_inputs():
    return [torch.randn(3, 19, 19)]


def get_init_inputs():
    return []
