"""How a truth is computed. The order of equal elements: PyTorch leaves it open where `stable=True` is not asked for, and its CPU gives another one from machine to
machine. The truth that results are compared with takes the one order everybody can compute: equal elements as they stand.
And float64: what a reference computes in float32 because its inputs are 16 bits wide is no rounding of the truth."""

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


def _nanmedian(x: Any, dim: int, keepdim: bool = False) -> Any:
    values, places = _sort(x, dim)
    if x.dim() == 0:
        return values, places
    middle = (((x == x).sum(dim, keepdim=True) - 1) // 2).clamp_min(0)
    values, places = values.gather(dim, middle), places.gather(dim, middle)
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))


def _mode(x: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The least of the most frequent values, the last place of it. A NaN equals none and comes after all others: PyTorch's CPU, which sorts by <,
    puts it anywhere."""
    if x.dim() == 0:
        return aten.mode(x, dim, keepdim)
    values, places = _sort(x.movedim(dim, -1), -1)
    first = torch.ones_like(values, dtype=torch.bool)
    first[..., 1:] = values[..., 1:] != values[..., :-1]
    run = first.long().cumsum(-1) - 1
    lengths = torch.zeros_like(run).scatter_add(-1, run, torch.ones_like(run))
    last = lengths.cumsum(-1).gather(-1, (lengths == lengths.amax(-1, True)).int().argmax(-1, True)) - 1
    values, places = values.gather(-1, last).movedim(-1, dim), places.gather(-1, last).movedim(-1, dim)
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))


def _unique(x: Any, sorted: bool = True, return_inverse: bool = False, return_counts: bool = False) -> Any:  # pylint: disable=redefined-builtin
    """Each NaN is a value of its own, in the order in which they stand."""
    found, inverse, counts = aten._unique2(x, True, return_inverse, return_counts)
    if return_inverse and x.dtype.is_floating_point:
        values, places = _sort(x.reshape(-1))
        is_new = torch.ones_like(places)
        is_new[1:] = values[1:] != values[:-1]
        inverse = torch.zeros_like(places).scatter(0, places, is_new.cumsum(0) - 1).reshape(x.shape)
    return found, inverse, counts


def _searchsorted(sequence: Any, x: Any, *, out_int32: bool = False, right: bool = False, side: Any = None, sorter: Any = None) -> Any:
    """A NaN in the sequence is greater than any number; PyTorch's search comes out anywhere then."""
    if sorter is not None:
        sequence = sequence.gather(-1, sorter)
    if not sequence.dtype.is_floating_point or not bool(sequence.isnan().any()):
        return aten.searchsorted.Tensor(sequence, x, out_int32=out_int32, right=right, side=side)
    place = aten.searchsorted.Tensor(sequence.nan_to_num(float("inf"), float("inf"), -float("inf")), x, out_int32=out_int32, right=right, side=side)
    return torch.minimum(place, (~sequence.isnan()).sum(-1, keepdim=sequence.dim() > 1).to(place.dtype))


def _bucketize(x: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    return _searchsorted(boundaries, x, out_int32=out_int32, right=right)


ORDERED: dict[Any, Callable[..., Any]] = {aten.sort.default: _sort, aten.sort.stable: _sort_stable, aten.topk.default: _topk,
                                          aten.kthvalue.default: _kthvalue, aten.median.dim: _median, aten.nanmedian.dim: _nanmedian,
                                          aten.mode.default: _mode, aten._unique2.default: _unique, aten.searchsorted.Tensor: _searchsorted,
                                          aten.bucketize.Tensor: _bucketize}

COMPOSED = {aten.argsort.default, aten.argsort.stable, aten.msort.default, aten.quantile.default, aten.quantile.scalar}  # of those above


class StableOrder(TorchDispatchMode):
    """Within it, what sorts or selects leaves equal elements in their order, and puts NaN last."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        known = ORDERED.get(func)
        if known is not None and all(n > 0 for n in args[0].shape):
            return known(*args, **(kwargs or {}))
        if func in COMPOSED:
            with self:
                return func.decompose(*args, **(kwargs or {}))
        return func(*args, **(kwargs or {}))


class StaysFloat64(TorchDispatchMode):
    """Within it, float64 is not converted to float32."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        if kwargs.get("dtype") is torch.float32 and any(isinstance(a, torch.Tensor) and a.dtype is torch.float64 for a in args):
            kwargs = {**kwargs, "dtype": torch.float64}
        return func(*args, **kwargs)
