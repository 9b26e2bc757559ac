"""One element of every row, as losses pick it."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, target):
        return -torch.gather(x, 1, target.unsqueeze(1)).squeeze(1)


def get_inputs():
    return [torch.randn(65, 100), torch.randint(0, 100, (65,))]


def get_init_inputs():
    return []
