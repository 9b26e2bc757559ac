"""Circular padding as a concatenation of slices: PyTorch writes it into an empty tensor piece by piece."""

from __future__ import annotations

from typing import Any, Callable

import torch

aten = torch.ops.aten


def decompositions() -> dict[Any, Callable[..., Any]]:
    return {aten._pad_circular.default: pad_circular}


def pad_circular(self: torch.Tensor, pad: list[Any]) -> Any:
    if any(isinstance(n, int) and n < 0 for n in pad):
        return NotImplemented
    for i in range(len(pad) // 2):
        dim, before, after = self.dim() - 1 - i, pad[2 * i], pad[2 * i + 1]
        size = self.shape[dim]
        left = [aten.slice.Tensor(self, dim, size - before, size)] if not _is_zero(before) else []
        right = [aten.slice.Tensor(self, dim, 0, after)] if not _is_zero(after) else []
        if left or right:
            self = aten.cat.default([*left, self, *right], dim)
    return self


def _is_zero(n: Any) -> bool:
    return isinstance(n, int) and n == 0
