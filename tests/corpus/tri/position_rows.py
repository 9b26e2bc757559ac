import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.where(torch.arange(x.shape[0], dtype=torch.int32)[:, None] % 3 == 1, x, -x)


def get_inputs():
    return [torch.randn(37, 50)]


def get_init_inputs():
    return []
