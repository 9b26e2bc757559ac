import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, x, g):
        with torch.enable_grad():
            x = x.detach().requires_grad_()
            return torch.autograd.grad(F.interpolate(x, size=(9, 17), mode='bilinear', align_corners=False), x, g)[0]


def get_inputs():
    return [torch.randn(2, 3, 5, 8), torch.randn(2, 3, 9, 17)]


def get_init_inputs():
    return []
