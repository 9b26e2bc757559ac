import torch
from torch.nn import Parameter
from torch.nn.functional import group_norm, silu


class Model(torch.nn.Module):
    def __init__(self, in_features, out_features, num_groups, eps):
        super().__init__()
        self.num_groups, self.eps = num_groups, eps
        self.weight = Parameter(torch.randn(in_features, out_features))
        self.bias, self.add, self.gamma, self.beta = (Parameter(torch.randn(out_features)) for _ in range(4))

    def forward(self, x):
        x = silu(x @ self.weight + self.bias) + self.add
        return group_norm(x, self.num_groups, self.gamma, self.beta, self.eps)


def get_inputs():
    return [torch.rand(32, 128)]


def get_init_inputs():
    return [128, 256, 8, 1e-5]
