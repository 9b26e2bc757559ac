import torch


class Model(torch.nn.Module):
    def __init__(self, kernel_size, stride, padding, dilation, return_indices):
        super().__init__()
        self.pool = torch.nn.MaxPool1d(kernel_size, stride, padding, dilation, return_indices)

    def forward(self, x):
        return self.pool(x)


def get_inputs():
    return [torch.rand(16, 32, 128)]


def get_init_inputs():
    return [4, 2, 2, 3, False]
