"""Operators that PyTorch leaves whole, or takes apart in a form made for other machines, written with what the generator knows."""

from __future__ import annotations

import math
from typing import Any, Optional

import torch

aten = torch.ops.aten


def unfold(self: torch.Tensor, dimension: int, size: int, step: int) -> torch.Tensor:
    """Windows of a dimension as a new last one: those that do not overlap are a view, others are gathered."""
    if self.dim() == 0:
        return self.reshape(1)
    d = dimension % self.dim()
    n = (self.shape[d] - size) // step + 1
    if step == size:
        windows = self.narrow(d, 0, n * step).unflatten(d, (n, step))
    else:
        places = torch.arange(n).unsqueeze(1) * step + torch.arange(size)
        windows = self.index_select(d, places.reshape(-1)).unflatten(d, (n, size))
    return windows.movedim(d + 1, -1)


def cdist(x1: torch.Tensor, x2: torch.Tensor, p: float, compute_mode: Optional[int] = None) -> torch.Tensor:
    """Distances of all rows of x1 (..., P, M) from all of x2 (..., R, M): no matrix product, which loses the digits of near rows."""
    apart = (x1.unsqueeze(-2) - x2.unsqueeze(-3)).abs()
    if p == 0:
        return torch.where(apart == apart, (apart != 0).to(x1.dtype), apart).sum(-1)
    if p == 1:
        return apart.sum(-1)
    if p == 2:
        return (apart * apart).sum(-1).sqrt()
    if math.isinf(p):  # PyTorch's largest leaves NaN out
        return torch.where(apart == apart, apart, 0.0).amax(-1)
    return apart.pow(p).sum(-1).pow(1.0 / p)


def linalg_cross(self: torch.Tensor, other: torch.Tensor, *, dim: int = -1) -> Any:
    x, y = torch.broadcast_tensors(self, other)
    if x.shape[dim] != 3:  # sizes that are asked so are 3 from here on
        return NotImplemented
    return x.roll(-1, dim) * y.roll(-2, dim) - x.roll(-2, dim) * y.roll(-1, dim)


def rrelu(self: torch.Tensor, lower: float = 1 / 8, upper: float = 1 / 3, training: bool = False, generator: Any = None) -> Any:
    return NotImplemented if training else aten.leaky_relu(self, (lower + upper) / 2)


def decompositions() -> dict[Any, Any]:
    """By operator, in the form of PyTorch's decomposition tables."""
    return {aten.unfold.default: unfold, aten._cdist_forward.default: cdist, aten.linalg_cross.default: linalg_cross, aten.rrelu.default: rrelu}
