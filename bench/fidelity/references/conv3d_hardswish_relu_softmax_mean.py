import torch
from torch.nn.functional import hardswish


class Model(torch.nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = torch.nn.Conv3d(in_channels, out_channels, kernel_size)

    def forward(self, x):
        return torch.softmax(torch.relu(hardswish(self.conv(x))), dim=1).mean(dim=[2, 3, 4])


def get_inputs():
    return [torch.rand(4, 3, 8, 12, 12)]


def get_init_inputs():
    return [3, 16, 3]
