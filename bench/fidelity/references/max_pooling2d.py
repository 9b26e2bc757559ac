import torch


class Model(torch.nn.Module):
    def __init__(self, kernel_size, stride, padding, dilation):
        super().__init__()
        self.pool = torch.nn.MaxPool2d(kernel_size, stride, padding, dilation)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    return [torch.rand(4, 8, 64, 64)]


def get_init_inputs():
    return [2, 2, 1, 3]
