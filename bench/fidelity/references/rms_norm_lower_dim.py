import torch


class Model(torch.nn.Module):
    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.num_features = num_features
        self.eps = eps

    def forward(self, x):
        return x * torch.rsqrt(torch.mean(x * x, dim=1, keepdim=True) + self.eps)


def get_inputs():
    return [torch.rand(64, 1024)]


def get_init_inputs():
    return [1024]
