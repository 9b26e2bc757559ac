"""The most frequent values of rows, and where they stand last."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        return torch.mode(x, 1)


def get_inputs():
    return [torch.randint(0, 9, (37, 40)).float()]


def get_init_inputs():
    return []
