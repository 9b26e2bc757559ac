import torch


class Model(torch.nn.Module):
    def __init__(self, kernel_size, stride, padding, dilation):
        super().__init__()
        self.pool = torch.nn.MaxPool3d(kernel_size, stride, padding, dilation)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    return [torch.rand(2, 4, 24, 24, 24)]


def get_init_inputs():
    return [3, 2, 1, 3]
