"""Label smoothing with padding: what is spread over the classes is a number computed from their count."""
import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, logits, target, pad: int = 0):
        log_p = F.log_softmax(logits, -1)
        true = torch.full_like(log_p, 0.1 / (logits.shape[-1] - 2))
        true = true.scatter(1, target.unsqueeze(1), 0.9)
        true[:, pad] = 0
        true = true.masked_fill((target == pad).unsqueeze(1), 0.0)
        return F.kl_div(log_p, true, reduction="sum") / (target != pad).sum().clamp(min=1)


def get_inputs():
    return [torch.randn(48, 100), torch.randint(0, 100, (48,))]


def get_init_inputs():
    return []
