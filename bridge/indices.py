"""Writes through indices as the few forms the generator knows: one dimension named by one index of rank 1.

Several index tensors become one over the merged dimensions, a mask becomes `where`. The results are those of PyTorch for
every size; what depends on how many elements a mask has set stays as it is.
"""

from __future__ import annotations

from typing import Any, Callable

import torch
from torch._decomp import decomposition_table

aten = torch.ops.aten

LIBRARY = torch.library.Library("opwright", "FRAGMENT")
LIBRARY.define("index_from_end(Tensor index, SymInt size) -> Tensor")
LIBRARY.impl("index_from_end", lambda index, size: torch.where(index < 0, index + size, index), "CompositeExplicitAutograd")
index_from_end = torch.ops.opwright.index_from_end.default


def decompositions() -> dict[Any, Callable[..., Any]]:
    return {aten.index_put.default: index_put, aten._unsafe_index_put.default: index_put, aten.put.default: put,
            aten.index_fill.int_Tensor: index_fill_tensor, aten.masked_scatter.default: masked_scatter,
            aten.embedding_dense_backward.default: embedding_backward}


def index_put(self: torch.Tensor, indices: Any, values: torch.Tensor, accumulate: bool = False) -> Any:
    named = [d for d, index in enumerate(indices) if index is not None]
    masks = [d for d in named if indices[d].dtype in (torch.bool, torch.uint8)]
    if masks:
        return _put_mask(self, masks[0], indices[masks[0]], values, accumulate) if named == masks[:1] else NotImplemented
    index = list(torch.broadcast_tensors(*(indices[d] for d in named)))
    shape = list(index[0].shape)
    # Dimensions first to last - 1 become one that one index names. Those between are named in full; where some are, the
    # values have the dimensions of the index before all others.
    last = named[-1] + 1
    first = named[0] if named == list(range(named[0], last)) else 0
    free = [d for d in range(first, last) if d not in named]
    sizes = list(self.shape)
    before, after = sizes[:first], sizes[last:]
    places = {d: _reshape(i, shape + [1] * len(free)) for d, i in zip(named, index)}
    for k, d in enumerate(free):
        places[d] = _reshape(torch.arange(sizes[d]), [1] * (len(shape) + k) + [sizes[d]] + [1] * (len(free) - k - 1))
    linear = _linear([places[d] for d in range(first, last)], sizes[first:last])
    merged = _reshape(self, before + [_product(sizes[first:last])] + after)
    placed = aten.expand.default(values, before + shape + [sizes[d] for d in free] + after)
    placed = _reshape(placed, before + [_product(shape + [sizes[d] for d in free])] + after)
    return _reshape(_write(merged, first, linear, placed, accumulate), sizes)


def put(self: torch.Tensor, index: torch.Tensor, source: torch.Tensor, accumulate: bool = False) -> Any:
    flat = _reshape(self, [self.numel()])
    out = _write(flat, 0, _linear([index], [self.numel()]), _reshape(source, [source.numel()]), accumulate)
    return _reshape(out, list(self.shape))


def index_fill_tensor(self: torch.Tensor, dim: int, index: torch.Tensor, value: torch.Tensor) -> Any:
    if self.dim() == 0:
        return NotImplemented
    shape = list(self.shape)
    shape[dim] = index.numel()
    return aten.index_copy.default(self, dim, _linear([index], [self.shape[dim]]), aten.expand.default(value.to(self.dtype), shape))


def masked_scatter(self: torch.Tensor, mask: torch.Tensor, source: torch.Tensor) -> Any:
    self, mask = torch.broadcast_tensors(self, mask)
    return aten.where.self(mask, _in_order(mask, _reshape(source, [source.numel()])), self)


def embedding_backward(grad: torch.Tensor, index: torch.Tensor, n_rows: Any, padding: Any, by_frequency: bool) -> Any:
    if by_frequency:
        return decomposition_table[aten.embedding_dense_backward.default](grad, index, n_rows, padding, by_frequency)
    columns = grad.shape[-1]
    if padding >= 0:  # that row gets no gradient
        grad = aten.masked_fill.Scalar(grad, (index == padding).unsqueeze(-1), 0)
    zeros = aten.new_zeros.default(grad, [n_rows, columns])
    return aten.index_add.default(zeros, 0, _reshape(index, [index.numel()]), _reshape(grad, [index.numel(), columns]))


def _put_mask(self: torch.Tensor, at: int, mask: torch.Tensor, values: torch.Tensor, accumulate: bool) -> Any:
    """A mask over dimensions at, at + 1, ...: one value of `values` for each element set, or the same for all of them."""
    after = self.dim() - at - mask.dim()
    mask = mask if mask.dtype == torch.bool else mask != 0
    if values.dim() > after and values.shape[values.dim() - after - 1] != 1:
        if at > 0 or values.dim() != after + 1:
            return NotImplemented
        values = _in_order(mask, values)
    elif values.dim() > after:  # no dimension of its own for the elements set, but those of the mask
        lead = list(values.shape[:values.dim() - after - 1])
        values = _reshape(values, lead + [1] * mask.dim() + list(values.shape[values.dim() - after:]))
    chosen = _reshape(mask, list(mask.shape) + [1] * after)
    return aten.where.self(chosen, self + values if accumulate else values.to(self.dtype), self)


def _in_order(mask: torch.Tensor, values: torch.Tensor) -> torch.Tensor:
    """Slice k of values where the k-th element of the mask is set, anything elsewhere."""
    count = aten.cumsum.default(_reshape(mask, [mask.numel()]).to(torch.int32), 0, dtype=torch.int32)
    picked = aten.index_select.default(values, 0, aten.clamp_min.default(count - 1, 0))
    return _reshape(picked, list(mask.shape) + list(values.shape[1:]))


def _write(self: torch.Tensor, dim: int, index: torch.Tensor, source: torch.Tensor, accumulate: bool) -> torch.Tensor:
    source = source.to(self.dtype)
    return aten.index_add.default(self, dim, index, source) if accumulate else aten.index_copy.default(self, dim, index, source)


def _linear(index: Any, sizes: list[Any]) -> torch.Tensor:
    """One index of rank 1 into the merged dimensions; negative ones count from the end."""
    total = index_from_end(index[0], sizes[0])
    for other, size in zip(index[1:], sizes[1:]):
        total = total * size + index_from_end(other, size)
    return _reshape(total, [_product(list(total.shape))])


def _reshape(t: torch.Tensor, shape: list[Any]) -> torch.Tensor:
    return aten.reshape.default(t, shape)


def _product(sizes: list[Any]) -> Any:
    n: Any = 1
    for size in sizes:
        n = n * size
    return n
