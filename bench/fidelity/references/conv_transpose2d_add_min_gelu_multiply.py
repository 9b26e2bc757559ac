import torch
from torch.nn.functional import conv_transpose2d, gelu


class Model(torch.nn.Module):
    """The description sets its weights itself: only the middle tap of each kernel, by its two channels."""

    def __init__(self, in_channels, out_channels, kernel_size, stride, padding, output_padding, groups, add_value, multiply_value):
        super().__init__()
        self.place = (stride, padding, output_padding, groups)
        self.add, self.multiply = add_value, multiply_value
        self.weight = torch.nn.Parameter(torch.zeros(in_channels, out_channels // groups, kernel_size, kernel_size))
        channels = torch.arange(in_channels)[:, None] + torch.arange(out_channels // groups)
        self.weight.data[:, :, 1, 1] = (channels + 1) / 16
        self.bias = torch.nn.Parameter(torch.arange(out_channels) * 0.125 - 0.25)

    def forward(self, x):
        x = conv_transpose2d(x, self.weight, self.bias, *self.place)
        return gelu(torch.clamp(x + self.add, max=0.0)) * self.multiply


def get_inputs():
    return [torch.rand(4, 8, 12, 12)]


def get_init_inputs():
    return [8, 16, 4, 2, 1, 1, 1, 0.5, 2.0]
