"""Mean squared error: one number of two tensors."""
import torch


class Model(torch.nn.Module):
    def forward(self, predictions, targets):
        return torch.nn.functional.mse_loss(predictions, targets)


def get_inputs():
    return [torch.randn(128, 256), torch.randn(128, 256)]


def get_init_inputs():
    return []
