"""A result that is stored and summed: the sum must leave alone what is still to be copied out."""
import torch


class Model(torch.nn.Module):
    def forward(self, x):
        p = torch.softmax(x, dim=-1)
        return p, p.mean(dim=-1, keepdim=True), torch.tanh(p)


def get_inputs():
    return [torch.rand(3, 1031) * 2 + 0.1]


def get_init_inputs():
    return []
