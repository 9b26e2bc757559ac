"""Gradients of pooling and resizing: sums of windows again, the other way round. For each input element a table names the outputs that took
it, and with which weight, so nothing is added in an order that may change. Maxima have one taker each: scatter_add."""

from __future__ import annotations

from typing import Any

import torch

from . import resize, windows
from .counting import count

aten = torch.ops.aten
SPARE = 2  # candidates on both sides, for what float32 may be off


def _ceil_div(n: Any, by: Any) -> Any:
    return (n + by - 1) // by


def _places(n: Any, taps: Any, is_last: bool) -> tuple[Any, Any]:
    """Input elements and candidates."""
    return resize.grid_of(n, taps, is_last)


def _sum(grad: Any, tables: list[Any], size: list[Any]) -> Any:
    axes = [windows.TABLE, 1, 0, 1, 0] * len(tables)
    return windows.ops.window_sum(grad, axes, size, [index for index, _ in tables], [weight for _, weight in tables])


def _table(o: Any, taken: Any, weight: Any, out: Any) -> tuple[Any, Any]:
    inside = taken & (o >= 0) & (o < out)
    return torch.where(inside, o, -1), torch.where(inside, weight, 0.0)


# ---- average pooling --------------------------------------------------------------------------------------------------


def _avg_axis(n: Any, out: Any, kernel: int, stride: int, padding: int, code: int, is_last: bool) -> Any:
    j, t = _places(n, _ceil_div(kernel, stride), is_last)
    o = (j + padding) // stride - t
    start = o * stride - padding
    if code < 0:
        weight = torch.full_like(start, 1, dtype=torch.float32) / -code
    elif code == windows.NOT_DIVIDED:
        weight = torch.full_like(start, 1, dtype=torch.float32)
    else:
        end = torch.clamp(start + kernel, max=n + (padding if code == windows.BY_TAPS_PADDED else 0))
        begin = start if code == windows.BY_TAPS_PADDED else torch.clamp(start, min=0)
        weight = 1.0 / (end - begin).to(torch.float32)
    return _table(o, j - start < kernel, weight, out)


def _avg(n: int) -> Any:
    def avg_pool_backward(grad: Any, x: Any, kernel_size: Any, stride: Any, padding: Any, ceil_mode: bool, count_include_pad: bool,
                          divisor_override: Any) -> Any:
        kernel = windows.per_dim(kernel_size, n)
        steps, pads = windows.per_dim(stride, n, kernel), windows.per_dim(padding, n)
        code = windows.NOT_DIVIDED if divisor_override is not None else windows.BY_TAPS_PADDED if count_include_pad else windows.BY_TAPS_INSIDE
        tables = []
        for d in range(n):
            last = -divisor_override if divisor_override is not None and d + 1 == n else code
            tables.append(_avg_axis(x.shape[d - n], grad.shape[d - n], kernel[d], steps[d], pads[d], last, d + 1 == n))
        return _sum(grad, tables, list(x.shape[-n:]))

    return avg_pool_backward


def _adaptive_axis(n: Any, out: Any, is_last: bool) -> Any:
    j, t = _places(n, _ceil_div(out, n) + 1, is_last)
    o = j * out // n + t
    taps = ((o + 1) * n + (out - 1)) // out - o * n // out
    return _table(o, o * n < (j + 1) * out, 1.0 / taps.to(torch.float32), out)


def _adaptive(n: int) -> Any:
    def adaptive_avg_pool_backward(grad: Any, x: Any) -> Any:
        return _sum(grad, [_adaptive_axis(x.shape[d - n], grad.shape[d - n], d + 1 == n) for d in range(n)], list(x.shape[-n:]))

    return adaptive_avg_pool_backward


# ---- resizing ---------------------------------------------------------------------------------------------------------


def _resize_axis(axis: Any, rule: Any, taps: int, reach: int, align_corners: bool, is_last: bool) -> Any:
    ratio = resize.ratio_of(axis, align_corners)
    step = torch.sym_max(ratio.step, 1)
    j, t = _places(axis.size, _ceil_div(2 * reach * ratio.of, step) + 2 * SPARE + 1, is_last)
    first = torch.floor((j.to(torch.float32) - float(reach)) * (ratio.of / step)).to(torch.int32) - SPARE
    o = torch.clamp(first, min=0) + t
    weight, taken = None, None
    for tap in range(taps):
        index, part = rule(o, t * 0 + tap)
        here = index == j
        part = torch.where(here, part, 0.0)
        weight, taken = (part, here) if weight is None else (weight + part, taken | here)
    return _table(o, taken, weight, axis.out)


def _resizer(make: Any, taps: int, reach: int, n: int, has_corners: bool) -> Any:
    def backward(grad: Any, size: Any, input_size: Any, *more: Any) -> Any:
        corners = bool(more[0]) if has_corners else False
        factors = list(more[1:] if has_corners else more) + [None] * n
        axes = [resize.Axis(input_size[2 + d], size[d], factors[d]) for d in range(n)]
        tables = [_resize_axis(axis, make(axis, corners), taps, reach, corners, d + 1 == n) for d, axis in enumerate(axes)]
        return _sum(grad, tables, list(input_size[2:]))

    return backward


# ---- maxima -----------------------------------------------------------------------------------------------------------


def _max(n: int, place: int) -> Any:
    """place: of the argument that holds indices."""

    def max_pool_backward(grad: Any, x: Any, *more: Any) -> Any:
        index, lead = more[place - 2], list(x.shape[:-n])
        total: Any = 1
        for size in x.shape[-n:]:
            total = total * size
        zeros = aten.new_zeros.default(grad, [*lead, total])
        flat = aten.scatter_add.default(zeros, len(lead), index.flatten(len(lead)), grad.flatten(len(lead)))
        return flat.reshape(x.shape)

    return max_pool_backward


def decompositions() -> dict[Any, Any]:
    """By operator, in the form of PyTorch's decomposition tables."""
    table = {aten.avg_pool2d_backward.default: _avg(2), aten.avg_pool3d_backward.default: _avg(3),
             aten._adaptive_avg_pool2d_backward.default: _adaptive(2), aten._adaptive_avg_pool3d_backward.default: _adaptive(3),
             aten.max_pool2d_with_indices_backward.default: _max(2, 7), aten.max_pool3d_with_indices_backward.default: _max(3, 7),
             aten.adaptive_max_pool2d_backward.default: _max(2, 2), aten.adaptive_max_pool3d_backward.default: _max(3, 2)}
    for mode in resize.MODES:
        if mode.reach:
            table[getattr(aten, f"{mode.name}_backward").default] = _resizer(mode.make, mode.taps, mode.reach, mode.n, mode.has_corners)
    return table
