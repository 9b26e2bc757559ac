import torch
import torch.nn as nn
import torch_npu


class Model(nn.Module):
    def forward(self, weight, m, v, grad, lr):
        torch_npu.npu_apply_adam(0.9, 0.999, lr, 0.9, 0.999, 1e-8, grad, False, True, out=(weight, m, v))
        return weight, m, v


def get_inputs():
    return [torch.randn(33, 65), torch.randn(33, 65), torch.rand(33, 65), torch.randn(33, 65), 1e-3]
