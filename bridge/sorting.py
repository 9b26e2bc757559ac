"""Sorting and counting. Sorting is rows in order: the operator that the generator's family sort knows, and PyTorch's in terms of it.

`in_order` sorts each row of x, whose last dimension is that of the rows, and gives the elements that come to stand at first,
first + 1, ..., first + count - 1, with their places in the row. Equal elements keep their order; NaN is greater than any number.
"""

from __future__ import annotations

from typing import Any

import torch

aten = torch.ops.aten

LIBRARY = torch.library.Library("opwright", "FRAGMENT")
LIBRARY.define("in_order(Tensor x, SymInt first, SymInt count, bool descending) -> (Tensor, Tensor)")


def _meta(x: Any, first: Any, count: Any, descending: bool) -> Any:
    shape = [*x.shape[:-1], count]
    return x.new_empty(shape), x.new_empty(shape, dtype=torch.int64)


LIBRARY.impl("in_order", _meta, "Meta")


NARROW = (torch.int8, torch.uint8, torch.int16)  # float32 holds their values
WIDE = (torch.int32, torch.int64)


def _in_order(x: Any, dim: int, first: Any, count: Any, descending: bool) -> Any:
    """Along any dimension; a tensor without dimensions is a row of one. Integers are sorted as float32 where that holds them, else by their low 16
    bits and then, as equal ones keep their order, by the others."""
    if x.dtype in NARROW:
        values, places = _floats_in_order(x.to(torch.float32), dim, first, count, descending)
        return values.to(x.dtype), places
    if x.dtype not in WIDE:
        return _floats_in_order(x, dim, first, count, descending)
    row = x.reshape(1) if x.dim() == 0 else x
    _, by_low = _floats_in_order((row & 0xFFFF).to(torch.float32), dim, 0, row.shape[dim], descending)
    high = torch.gather(row, dim, by_low) >> 16
    _, by_high = _floats_in_order(high.to(torch.float32), dim, first, count, descending)
    places = torch.gather(by_low, dim, by_high)
    values = torch.gather(row, dim, places)
    return (values, places) if x.dim() else (values.reshape(()), places.reshape(()))


def _floats_in_order(x: Any, dim: int, first: Any, count: Any, descending: bool) -> Any:
    if x.dim() == 0:
        values, places = torch.ops.opwright.in_order(x.reshape(1), first, count, descending)
        return values.reshape(()), places.reshape(())
    if dim in (-1, x.dim() - 1):
        return torch.ops.opwright.in_order(x, first, count, descending)
    values, places = torch.ops.opwright.in_order(x.transpose(dim, -1), first, count, descending)
    return values.transpose(dim, -1), places.transpose(dim, -1)


def _size(x: Any, dim: int) -> Any:
    return x.shape[dim] if x.dim() else 1


def _is_sorted_here(x: Any) -> bool:
    return x.dtype in (torch.float32, torch.float16, torch.bfloat16, *NARROW, *WIDE)


def _sort(x: Any, dim: int = -1, descending: bool = False) -> Any:
    return _in_order(x, dim, 0, _size(x, dim), descending) if _is_sorted_here(x) else NotImplemented


def _sort_stable(x: Any, *, stable: bool = True, dim: int = -1, descending: bool = False) -> Any:
    return _sort(x, dim, descending)


def _topk(x: Any, k: Any, dim: int = -1, largest: bool = True, sorted: bool = True) -> Any:  # pylint: disable=redefined-builtin
    return _in_order(x, dim, 0, k, largest) if _is_sorted_here(x) else NotImplemented


def _kthvalue(x: Any, k: Any, dim: int = -1, keepdim: bool = False) -> Any:
    if not _is_sorted_here(x):
        return NotImplemented
    values, places = _in_order(x, dim, k - 1, 1, False)
    return (values, places) if keepdim or x.dim() == 0 else (values.squeeze(dim), places.squeeze(dim))


def _median_dim(x: Any, dim: int, keepdim: bool = False) -> Any:
    """The lower of two in the middle; the first NaN where there is one."""
    if not _is_sorted_here(x):
        return NotImplemented
    values, places = _in_order(x, dim, (_size(x, dim) - 1) // 2, 1, False)
    if not x.dtype.is_floating_point:
        return (values, places) if keepdim or x.dim() == 0 else (values.squeeze(dim), places.squeeze(dim))
    greatest, place = _in_order(x, dim, 0, 1, True)
    is_nan = greatest != greatest
    values, places = torch.where(is_nan, greatest, values), torch.where(is_nan, place, places)
    return (values, places) if keepdim or x.dim() == 0 else (values.squeeze(dim), places.squeeze(dim))


def _median(x: Any) -> Any:
    if not _is_sorted_here(x):
        return NotImplemented
    row = x.reshape(-1)
    values, _ = _in_order(row, 0, (row.shape[0] - 1) // 2, 1, False)
    if not x.dtype.is_floating_point:
        return values.reshape(())
    greatest, _ = _in_order(row, 0, 0, 1, True)
    return torch.where(greatest != greatest, greatest, values).reshape(())


def _nanmedian_dim(x: Any, dim: int, keepdim: bool = False) -> Any:
    """The lower of two in the middle of what is no NaN; those come last in order."""
    if not _is_sorted_here(x):
        return NotImplemented
    if not x.dtype.is_floating_point:
        return _median_dim(x, dim, keepdim)
    row = x.reshape(1) if x.dim() == 0 else x
    values, places = _in_order(row, dim, 0, row.shape[dim], False)
    middle = torch.clamp_min((torch.sum((row == row).to(torch.int32), dim, True) - 1) >> 1, 0)
    values, places = torch.gather(values, dim, middle), torch.gather(places, dim, middle)
    if x.dim() == 0:
        return values.reshape(()), places.reshape(())
    return (values, places) if keepdim else (values.squeeze(dim), places.squeeze(dim))


def _nanmedian(x: Any) -> Any:
    out = _nanmedian_dim(x.reshape(-1), 0) if _is_sorted_here(x) else NotImplemented
    return out if out is NotImplemented else out[0]


def counted(n: Any) -> Any:
    """0, 1, ..., n - 1 as int32."""
    return torch.ops.prims.iota.default(n, start=0, step=1, dtype=torch.int32, device=torch.device("cpu"), requires_grad=False)


def runs_of(row: Any) -> Any:
    """Of each element along the last dimension, where equal ones lie side by side: is it the first of them, and the place of the first. No NaN
    equals another."""
    place = counted(row.shape[-1])
    is_first = (row != torch.roll(row, 1, -1)) | (place == 0)
    return is_first, torch.cummax(torch.where(is_first, place, 0), -1)[0]


def _mode(x: Any, dim: int = -1, keepdim: bool = False) -> Any:
    """The least of the most frequent values, and the last place of it. NaN comes after all others and equals none (PyTorch's CPU sorts by <,
    which puts NaN anywhere)."""
    if not _is_sorted_here(x):
        return NotImplemented
    row = (x.reshape(1) if x.dim() == 0 else x).transpose(dim if x.dim() else 0, -1)
    values, places = _in_order(row, -1, 0, row.shape[-1], False)
    length = counted(row.shape[-1]) - runs_of(values)[1]
    last = torch.argmax(length.to(torch.float32), -1, True)
    value, place = torch.gather(values, -1, last), torch.gather(places, -1, last)
    if x.dim() == 0:
        return value.reshape(()), place.reshape(())
    value, place = value.transpose(dim, -1), place.transpose(dim, -1)
    return (value, place) if keepdim else (value.squeeze(dim), place.squeeze(dim))


def _searchsorted(sequence: Any, x: Any, *, out_int32: bool = False, right: bool = False, side: Any = None, sorter: Any = None) -> Any:
    """Of each number, how many of the sequence are less (or no greater, from the right): all of them are looked at, which vector instructions do
    at once."""
    if sorter is not None:
        sequence = torch.gather(sequence, -1, sorter)
    if sequence.dim() == 1:
        rows, numbers = sequence, x.reshape(-1, 1)
    else:
        rows, numbers = sequence.unsqueeze(-2), x.unsqueeze(-1)
    is_behind = rows > numbers if right or side == "right" else rows >= numbers
    if sequence.dtype.is_floating_point:
        is_behind = is_behind | (rows != rows)
    return torch.sum((~is_behind).to(torch.int32), -1, dtype=torch.int32).reshape(x.shape).to(torch.int32 if out_int32 else torch.int64)


def _bucketize(x: Any, boundaries: Any, *, out_int32: bool = False, right: bool = False) -> Any:
    return _searchsorted(boundaries, x, out_int32=out_int32, right=right)


def _histc(x: Any, bins: int = 100, min: Any = 0, max: Any = 0) -> Any:  # pylint: disable=redefined-builtin
    """Counts the elements of each bin: every bin looks at all of them, which vector instructions do at once."""
    if not x.dtype.is_floating_point or not min < max:
        return NotImplemented
    row = x.reshape(1, -1)
    place = torch.floor((row - min) * bins / (max - min))
    place = torch.where((place >= bins) & (row <= max), float(bins - 1), place)
    bin_at = torch.arange(bins, dtype=torch.float32).reshape(-1, 1)
    return torch.sum(torch.where(place == bin_at, 1.0, 0.0), 1).to(x.dtype)


def decompositions() -> dict[Any, Any]:
    """By operator, in the form of PyTorch's decomposition tables."""
    return {aten.sort.default: _sort, aten.sort.stable: _sort_stable, aten.topk.default: _topk, aten.kthvalue.default: _kthvalue,
            aten.median.dim: _median_dim, aten.median.default: _median, aten.histc.default: _histc, aten.mode.default: _mode,
            aten.nanmedian.dim: _nanmedian_dim, aten.nanmedian.default: _nanmedian, aten.searchsorted.Tensor: _searchsorted,
            aten.bucketize.Tensor: _bucketize}
