"""Pooling as windows: the operators that the generator's family window knows, and PyTorch's in terms of them.

`window_sum` and `window_max` look at the last dimensions of x, as many as `size` has. Along each, output index o takes the
elements of x at its taps, of which those outside x are left out. `axes` holds five numbers for each dimension:

    kernel > 0   taps o * stride - padding + t * dilation for t < kernel
    kernel 0     taps from floor(o * in / out) to ceil((o + 1) * in / out), as adaptive pooling has them
    kernel -1    taps index[o, t] with weights weight[o, t]; of the last dimension both are [t, o]

(kernel, stride, padding, dilation, divisor). divisor: 0 none, 1 the number of taps inside x, 2 that number with padding,
-n the number n. `size` is the size of the result in these dimensions.
"""

from __future__ import annotations

from typing import Any, Optional

import torch

aten = torch.ops.aten
NOT_DIVIDED, BY_TAPS_INSIDE, BY_TAPS_PADDED = 0, 1, 2
ADAPTIVE, TABLE = 0, -1
STILL = [1, 1, 0, 1, NOT_DIVIDED]

LIBRARY = torch.library.Library("opwright", "DEF")
LIBRARY.define("window_sum(Tensor x, SymInt[] axes, SymInt[] size, Tensor?[] index, Tensor?[] weight) -> Tensor")
LIBRARY.define("window_max(Tensor x, SymInt[] axes, SymInt[] size) -> (Tensor, Tensor)")


def _meta_sum(x: Any, axes: Any, size: Any, index: Any, weight: Any) -> Any:
    return x.new_empty([*x.shape[: x.dim() - len(size)], *size])


def _meta_max(x: Any, axes: Any, size: Any) -> Any:
    shape = [*x.shape[: x.dim() - len(size)], *size]
    return x.new_empty(shape), x.new_empty(shape, dtype=torch.int64)


LIBRARY.impl("window_sum", _meta_sum, "Meta")
LIBRARY.impl("window_max", _meta_max, "Meta")

ops = torch.ops.opwright


def per_dim(value: Any, n: int, default: Any = None) -> list[Any]:
    """One number for each dimension, from a number, a list of one or of n, or nothing."""
    if value is None or (isinstance(value, (list, tuple)) and not value):
        return list(default) if isinstance(default, list) else [default] * n
    if isinstance(value, (list, tuple)):
        return list(value) * n if len(value) == 1 else list(value)
    return [value] * n


def pooled_size(n: Any, kernel: Any, stride: Any, padding: Any, dilation: Any, ceil_mode: bool) -> Any:
    """Windows along a dimension of n elements. In ceil mode the last one may hang over, but begins inside."""
    room = n + 2 * padding - dilation * (kernel - 1) - 1
    if not ceil_mode:
        return room // stride + 1
    return torch.sym_min((room + stride - 1) // stride + 1, (n + padding - 1) // stride + 1)


# ---- pooling ----------------------------------------------------------------------------------------------------------


def _avg(n: int) -> Any:
    def avg_pool(x: Any, kernel_size: Any, stride: Any = (), padding: Any = 0, ceil_mode: bool = False, count_include_pad: bool = True,
                 divisor_override: Optional[int] = None) -> Any:
        kernel = per_dim(kernel_size, n)
        steps, pads = per_dim(stride, n, kernel), per_dim(padding, n)
        code = NOT_DIVIDED if divisor_override is not None else BY_TAPS_PADDED if count_include_pad else BY_TAPS_INSIDE
        axes, size = [], []
        for d in range(n):
            size.append(pooled_size(x.shape[d - n], kernel[d], steps[d], pads[d], 1, ceil_mode))
            axes += [kernel[d], steps[d], pads[d], 1, code]
        if divisor_override is not None:
            axes[-1] = -divisor_override
        return ops.window_sum(x, axes, size, [], [])

    return avg_pool


def _max(n: int) -> Any:
    def max_pool(x: Any, kernel_size: Any, stride: Any = (), padding: Any = 0, dilation: Any = 1, ceil_mode: bool = False) -> Any:
        kernel = per_dim(kernel_size, n)
        steps, pads, gaps = per_dim(stride, n, kernel), per_dim(padding, n), per_dim(dilation, n)
        axes, size = [], []
        for d in range(n):
            size.append(pooled_size(x.shape[d - n], kernel[d], steps[d], pads[d], gaps[d], ceil_mode))
            axes += [kernel[d], steps[d], pads[d], gaps[d], NOT_DIVIDED]
        return ops.window_max(x, axes, size)

    return max_pool


def _values_only(f: Any) -> Any:
    return lambda *args, **kwargs: f(*args, **kwargs)[0]


def _adaptive_avg(n: int) -> Any:
    def adaptive_avg_pool(x: Any, output_size: Any) -> Any:
        size = per_dim(output_size, n)
        if all(isinstance(s, int) and s == 1 for s in size):
            return torch.mean(x, list(range(-n, 0)), keepdim=True)
        return ops.window_sum(x, [ADAPTIVE, 1, 0, 1, BY_TAPS_INSIDE] * n, size, [], [])

    return adaptive_avg_pool


def _adaptive_max(n: int) -> Any:
    return lambda x, output_size: ops.window_max(x, [ADAPTIVE, 1, 0, 1, NOT_DIVIDED] * n, per_dim(output_size, n))


def decompositions() -> dict[Any, Any]:
    """By operator, in the form of PyTorch's decomposition tables."""
    return {
        aten.avg_pool1d.default: _avg(1), aten.avg_pool2d.default: _avg(2), aten.avg_pool3d.default: _avg(3),
        aten.max_pool1d.default: _values_only(_max(1)), aten.max_pool2d.default: _values_only(_max(2)),
        aten.max_pool3d.default: _values_only(_max(3)),
        aten.max_pool1d_with_indices.default: _max(1), aten.max_pool2d_with_indices.default: _max(2),
        aten.max_pool3d_with_indices.default: _max(3),
        aten.adaptive_avg_pool1d.default: _adaptive_avg(1), aten._adaptive_avg_pool2d.default: _adaptive_avg(2),
        aten._adaptive_avg_pool3d.default: _adaptive_avg(3),
        aten.adaptive_max_pool1d.default: _adaptive_max(1), aten.adaptive_max_pool2d.default: _adaptive_max(2),
        aten.adaptive_max_pool3d.default: _adaptive_max(3),
    }
