import numpy as np
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.from_numpy(np.cumsum(x.cpu().numpy(), axis=-1)) + 1


def get_inputs():
    return [torch.rand(37, 133)]
