"""How often each number occurs, and the sums of weights."""
import torch


class Model(torch.nn.Module):
    def forward(self, x, w):
        assert x.shape == w.shape
        x, w = torch.cat([x, x.new_zeros(1)]), torch.cat([w, w.new_zeros(1)])
        return torch.bincount(x, minlength=33), torch.bincount(x, w, minlength=70)


def get_inputs():
    return [torch.randint(0, 33, (1777,)), torch.randn(1777)]


def get_init_inputs():
    return []
