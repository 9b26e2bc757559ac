"""Operators that rest on where an element is: counted numbers (`prims.iota`, which the generator counts in UB) and masks made of them."""

from __future__ import annotations

from typing import Any

import torch

aten = torch.ops.aten


def count(n: Any, start: Any = 0, step: int = 1) -> Any:
    """start, start + step, ...: n numbers, int32."""
    return torch.ops.prims.iota.default(n, start=start, step=step, dtype=torch.int32, device=torch.device("cpu"), requires_grad=False)


def as_dtype(x: Any, dtype: Any) -> Any:
    return x if x.dtype == dtype else torch.ops.prims.convert_element_type.default(x, dtype)


def _is_whole(*values: Any) -> bool:
    return all(isinstance(v, (int, torch.SymInt)) for v in values)


def arange(start: Any, end: Any, step: Any = 1, dtype: Any = None, **_: Any) -> Any:
    if _is_whole(start, end, step):
        dtype = dtype or torch.int64
        if dtype not in (torch.int32, torch.int64) and not dtype.is_floating_point:
            return NotImplemented
        n = (end - start + step - (1 if step > 0 else -1)) // step
        return as_dtype(count(torch.sym_max(n, 0), start, step), dtype)
    dtype = dtype or torch.get_default_dtype()
    n = max(0, -int((start - end) // step))
    return as_dtype(count(n).to(torch.float32) * float(step) + float(start), dtype)


def _arange_to(end: Any, **kwargs: Any) -> Any:
    return arange(0, end, **kwargs)


def _arange_from(start: Any, end: Any, **kwargs: Any) -> Any:
    return arange(start, end, **kwargs)


def linspace(start: Any, end: Any, steps: Any, dtype: Any = None, **_: Any) -> Any:
    """Weights of both ends: what is 0 between them is exactly 0."""
    if steps == 1:
        return torch.full([1], float(start), dtype=dtype or torch.get_default_dtype())
    up, down = count(steps).to(torch.float32), count(steps, steps - 1, -1).to(torch.float32)
    return as_dtype((down * start + up * end) / (steps - 1), dtype or torch.get_default_dtype())


def _beside(rows: Any, cols: Any) -> Any:
    """Column less row, [rows, cols]."""
    return count(cols)[None, :] - count(rows)[:, None]


def _triangle(upper: bool) -> Any:
    def triangle(x: Any, diagonal: Any = 0) -> Any:
        beside = _beside(x.shape[-2], x.shape[-1])
        return torch.where(beside >= diagonal if upper else beside <= diagonal, x, torch.zeros((), dtype=x.dtype))

    return triangle


def eye(n: Any, m: Any = None, dtype: Any = None, **_: Any) -> Any:
    return as_dtype(_beside(n, n if m is None else m) == 0, dtype or torch.get_default_dtype())


def diag_embed(x: Any, offset: int = 0, dim1: int = -2, dim2: int = -1) -> Any:
    rank = x.dim() + 1
    dim1, dim2 = dim1 % rank, dim2 % rank
    if offset < 0:
        offset, dim1, dim2 = -offset, dim2, dim1
    n = x.shape[-1] + offset
    wide = aten.constant_pad_nd.default(x, [offset, 0], 0) if offset else x
    square = torch.where(_beside(n, n) == offset, wide.unsqueeze(-2), torch.zeros((), dtype=x.dtype))
    order = [d for d in range(rank) if d not in (dim1, dim2)]
    places = {**{d: i for i, d in enumerate(order)}, dim1: rank - 2, dim2: rank - 1}
    return square.permute([places[d] for d in range(rank)])


def decompositions() -> dict[Any, Any]:
    """By operator, in the form of PyTorch's decomposition tables."""
    return {aten.arange.default: _arange_to, aten.arange.start: _arange_from, aten.arange.start_step: arange,
            aten.linspace.default: linspace, aten.tril.default: _triangle(False), aten.triu.default: _triangle(True),
            aten.eye.default: eye, aten.eye.m: eye, aten.diag_embed.default: diag_embed}
