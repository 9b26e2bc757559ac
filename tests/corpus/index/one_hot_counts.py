"""The experts each token goes to, the weights it goes with, and how many tokens each expert gets."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, logits):
        weight, expert = torch.topk(F.softmax(logits.float(), -1), 2, dim=-1)
        counts = F.one_hot(expert, logits.shape[-1]).sum((0, 1))
        return (weight / weight.sum(-1, keepdim=True)).to(logits.dtype), expert, counts


def get_inputs():
    return [torch.randn(37, 8)]


def get_init_inputs():
    return []
