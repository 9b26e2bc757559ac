"""The order of equal elements. PyTorch leaves it open where `stable=True` is not asked for, and its CPU gives another one from machine to
machine. The truth that results are compared with takes the one order everybody can compute: equal elements as they stand."""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch.utils._python_dispatch import TorchDispatchMode

aten = torch.ops.aten


def _sort(x: Any, dim: int = -1, descending: bool = False) -> Any:
    return aten.sort.stable(x, stable=True, dim=dim, descending=descending)


def _sort_stable(x: Any, *, stable: Any = None, dim: int = -1, descending: bool = False) -> Any:
    return _sort(x, dim, descending)


def _topk(x: Any, k: int, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:  # pylint: disable=redefined-builtin
    values, places = _sort(x, dim, largest)
    return (values, places) if x.dim() == 0 else (values.narrow(dim, 0, k).contiguous(), places.narrow(dim, 0, k).contiguous())


def _at(x: Any, dim: int, rank: int, keepdim: bool) -> Any:
    values, places = _sort(x, dim)
    if x.dim() == 0:
        return values, places
    values, places = values.narrow(dim, rank, 1).contiguous(), places.narrow(dim, rank, 1).contiguous()
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))


def _kthvalue(x: Any, k: int, dim: int = -1, keepdim: bool = False) -> Any:
    return _at(x, dim, k - 1, keepdim)


def _median(x: Any, dim: int, keepdim: bool = False) -> Any:
    """The first NaN where there is one, as PyTorch has it."""
    values, places = _at(x, dim, ((x.shape[dim] if x.dim() else 1) - 1) // 2, keepdim)
    if not x.dtype.is_floating_point or not x.dim():
        return values, places
    greatest, place = aten.max.dim(x, dim, keepdim)
    return torch.where(greatest.isnan(), greatest, values), torch.where(greatest.isnan(), place, places)


ORDERED: dict[Any, Callable[..., Any]] = {aten.sort.default: _sort, aten.sort.stable: _sort_stable, aten.topk.default: _topk,
                                          aten.kthvalue.default: _kthvalue, aten.median.dim: _median}

COMPOSED = {aten.argsort.default, aten.argsort.stable, aten.msort.default, aten.quantile.default, aten.quantile.scalar}  # of those above


class StableOrder(TorchDispatchMode):
    """Within it, what sorts or selects leaves equal elements in their order."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        known = ORDERED.get(func)
        if known is not None and all(n > 0 for n in args[0].shape):
            return known(*args, **(kwargs or {}))
        if func in COMPOSED:
            with self:
                return func.decompose(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))
