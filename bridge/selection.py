"""Results whose size depends on values: nonzero, masked_select, indexing by masks.

What a mask names is written with the operators of the generator's family select. Their results have as many elements as PyTorch's, a
number that the trace does not know (u0), and room for as many as the mask has, its bound: in the graph every such size is its bound, and an
output of it carries the count that cuts it (docs/graph.md). Element by element such tensors are computed with like any others; what
mixes elements must not see those behind the count: sums and the like put a neutral number in their place, anything else is refused.
"""

from __future__ import annotations

import math
import warnings
from typing import Any, Callable, Iterator, Optional

import sympy
import torch

from . import sizes, sorting

aten = torch.ops.aten

LIBRARY = torch.library.Library("opwright", "FRAGMENT")
LIBRARY.define("selected_count(Tensor mask) -> Tensor")
LIBRARY.define("selected(Tensor mask, Tensor x, SymInt count) -> Tensor")
LIBRARY.define("coordinate(Tensor mask, int dim, SymInt count) -> Tensor")
LIBRARY.define("coordinates(Tensor mask, SymInt count) -> Tensor")
LIBRARY.impl("selected_count", lambda mask: mask.new_empty([1], dtype=torch.int32), "Meta")
LIBRARY.impl("selected", lambda mask, x, count: x.new_empty([count]), "Meta")
LIBRARY.impl("coordinate", lambda mask, dim, count: mask.new_empty([count], dtype=torch.int64), "Meta")
LIBRARY.impl("coordinates", lambda mask, count: mask.new_empty([count, mask.dim()], dtype=torch.int64), "Meta")
ops = torch.ops.opwright

SMALL = (torch.int8, torch.uint8, torch.int16)
# A size among the arguments is that of the result.
SHAPED = {"aten.view.default", "aten.reshape.default", "aten._unsafe_view.default", "aten._reshape_alias.default", "aten.expand.default",
          "aten.full.default", "aten.zeros.default", "aten.ones.default", "aten.empty.memory_format", "aten.new_full.default",
          "aten.new_zeros.default", "aten.new_ones.default", "aten.new_empty.default", "aten.arange.default", "aten.arange.start",
          "aten.arange.start_step", "prims.iota.default", "aten.broadcast_to.default", "opwright.selected.default", "opwright.coordinate.default",
          "opwright.coordinates.default"}
# Every element of the result rests on elements at the same place along dimensions that are cut.
BY_ELEMENT = SHAPED | {"opwright.selected_count.default", "aten.unsqueeze.default", "aten.squeeze.default", "aten.squeeze.dim", "aten.squeeze.dims", "aten.permute.default",
                       "aten.transpose.int", "aten.t.default", "aten.full_like.default", "aten.zeros_like.default", "aten.ones_like.default",
                       "aten.empty_like.default", "aten._to_copy.default", "aten.to.dtype", "aten.clone.default", "aten.detach.default",
                       "aten.alias.default", "prims.convert_element_type.default", "aten.select.int", "aten.unbind.int",
                       "aten.type_as.default", "aten.masked_fill.Scalar"}
RESHAPES = {"aten.view.default", "aten.reshape.default", "aten._unsafe_view.default", "aten._reshape_alias.default"}
TAKES_COUNTS = {"aten.add.Tensor", "aten.sub.Tensor", "aten.mul.Tensor", "aten.div.Tensor"}  # as numbers
# What is read at places that are named; the tensor itself must not be cut.
READS = {"aten.index_select.default", "aten.embedding.default", "aten.index.Tensor", "aten._unsafe_index.Tensor"}
# Number that changes nothing.
NEUTRAL: dict[str, Any] = {"sum": 0, "mean": 0, "prod": 1, "any": False, "all": True, "amax": float("-inf"), "amin": float("inf"),
                           "max": float("-inf"), "min": float("inf")}
SPREADS = {"aten.var.correction", "aten.std.correction"}
REDUCTIONS = {f"aten.{name}.{form}" for name, forms in {
    "sum": ("default", "dim_IntList"), "mean": ("default", "dim"), "prod": ("default", "dim_int"), "any": ("default", "dim", "dims"),
    "all": ("default", "dim", "dims"), "amax": ("default",), "amin": ("default",), "max": ("default",), "min": ("default",)}.items() for form in forms}


class Selection:
    """The selections of one trace. bounds: what each size that depends on values is at most."""

    def __init__(self, recorder: Any) -> None:
        self.r = recorder
        self.bounds: dict[Any, Any] = {}
        self.counts: dict[Any, torch.Tensor] = {}  # by symbol: tensors of one element
        self._known: dict[str, Any] = {}  # by the mask's name: the size of its selection
        self._alive: list[Any] = []

    def concerns(self, func: Any, args: Any, kwargs: Any) -> bool:
        return func in CALLS and CALLS[func].applies(args) or bool(self.bounds) and any(self._is_cut(v) for v in _leaves((args, kwargs)))

    def apply(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """None where the operator goes on as any other."""
        if func in CALLS and CALLS[func].applies(args):
            with self.r:
                return CALLS[func].do(self, *args, **kwargs)
        name = str(func)
        if name in TAKES_COUNTS and any(isinstance(v, torch.SymInt) and sizes.expr_of(v) in self.counts for v in args):
            with self.r:
                return func(*(self.counts[sizes.expr_of(v)].reshape([]) if isinstance(v, torch.SymInt) and sizes.expr_of(v) in self.counts else v
                              for v in args), **kwargs)
        if name not in SHAPED and any(self._symbols(v) for v in _leaves((args, kwargs)) if isinstance(v, torch.SymInt)):
            raise self._refused(func)
        if name in RESHAPES and not self._keeps_cut(args[0], func(*args, **kwargs)):
            raise self._refused(func)
        if name in REDUCTIONS:
            return self._reduce(func, name, args, kwargs)
        if name in SPREADS and self._cut_dims(args[0]):
            with self.r:
                return self._spread(name, *args, **kwargs)
        if name in BY_ELEMENT or torch.Tag.pointwise in func.tags or (name in READS and not self._cut_dims(args[0])):
            return None
        if func in self.r.table or func.has_kernel_for_dispatch_key(torch._C.DispatchKey.CompositeImplicitAutograd):
            return self.r._expand(func, args, kwargs)
        raise self._refused(func)

    def _refused(self, func: Any) -> Exception:
        error = self.r.unsupported(f"{func} is done to a tensor whose size depends on values (of nonzero, masked_select or x[mask])",
                                  "compute with torch.where(mask, x, number), which keeps the shape, or return the selection as it is")
        error.decides = True
        return error

    # ---- sizes ------------------------------------------------------------------------------------------------------

    def _symbols(self, size: Any) -> set[Any]:
        return set() if isinstance(size, int) else {s for s in sizes.expr_of(size).free_symbols if s in self.bounds}

    def _cut_dims(self, t: Any) -> list[int]:
        return [d for d, n in enumerate(t.shape) if self._symbols(n)]

    def _is_cut(self, leaf: Any) -> bool:
        return bool(self._cut_dims(leaf)) if isinstance(leaf, torch.Tensor) else isinstance(leaf, torch.SymInt) and bool(self._symbols(leaf))

    def _keeps_cut(self, before: Any, after: Any) -> bool:
        """Is the dimension that is cut still one of its own, with as many elements before it?"""
        def place(t: Any) -> Any:
            dims = self._cut_dims(t)
            return [(sizes.expr_of(t.shape[d]), math.prod(sizes.expr_of(n) for n in t.shape[:d])) for d in dims]

        simplify = self.r.fake_mode.shape_env.simplify
        x, y = place(before), place(after)
        return len(x) == len(y) and all(m in self.counts and m == n and simplify(sympy.sympify(p - q)) == 0 for (m, p), (n, q) in zip(x, y))

    def cut_of(self, t: torch.Tensor) -> Optional[tuple[int, torch.Tensor]]:
        """The dimension of a result that is cut, and the count; None: there is none."""
        dims = self._cut_dims(t)
        if not dims:
            return None
        expr = sizes.expr_of(t.shape[dims[0]])
        if len(dims) > 1 or expr not in self.counts:
            raise self.r.unsupported(f"a result has the size {list(t.shape)}, of which more than one number depends on values",
                                     "return the selection as nonzero, masked_select or x[mask] give it")
        return dims[0], self.counts[expr]

    def number(self, expr: Any) -> Any:
        """A size that depends on values as a float32 without dimensions."""
        with self.r:
            made = self.counts[expr].to(torch.float32).reshape([])
        self._alive.append(made)
        return self.r.current(self.r.lookup(made))

    # ---- selections -------------------------------------------------------------------------------------------------

    def mask_of(self, x: torch.Tensor) -> torch.Tensor:
        """What x names, as bool; nothing behind a count. The recorder is active."""
        mask = x if x.dtype == torch.bool else x != 0
        for d in self._cut_dims(x):
            mask = mask & self._valid(x, d)
        return mask

    def _valid(self, x: torch.Tensor, dim: int) -> torch.Tensor:
        place = torch.ops.prims.iota.default(x.shape[dim], start=0, step=1, dtype=torch.int32, device=x.device, requires_grad=False)
        return (place < self.counts[sizes.expr_of(x.shape[dim])]).reshape([-1] + [1] * (x.dim() - dim - 1))

    def size_of(self, mask: torch.Tensor) -> Any:
        """How many elements the mask names, a size of its own for each mask."""
        key = str(self.r.current(self.r.lookup(mask)))
        if key not in self._known:
            env = self.r.fake_mode.shape_env
            size = env.create_unbacked_symint()
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", FutureWarning)  # newer PyTorch needs no more than size >= 0
                torch._check_is_size(size)
            expr = sizes.expr_of(size)
            bound = sympy.Integer(1)
            for n in mask.shape:
                bound = bound * sizes.expr_of(n)
            self.bounds[expr] = sympy.sympify(bound).xreplace(self.bounds)
            self.counts[expr] = ops.selected_count(mask)
            self._known[key] = size
            self._alive.append(mask)
        return self._known[key]

    def nonzero(self, x: torch.Tensor) -> Any:
        if x.dim() == 0:
            return torch.zeros([self.size_of(self.mask_of(x.reshape(1))), 0], dtype=torch.int64)
        mask = self.mask_of(x)
        return ops.coordinates(mask, self.size_of(mask))

    def places(self, x: torch.Tensor) -> list[torch.Tensor]:
        mask = self.mask_of(x.reshape(1) if x.dim() == 0 else x)
        return [ops.coordinate(mask, d, self.size_of(mask)) for d in range(mask.dim())]

    def masked_select(self, x: torch.Tensor, mask: torch.Tensor) -> torch.Tensor:
        x, mask = torch.broadcast_tensors(x, mask)
        if x.dim() == 0:
            x, mask = x.reshape(1), mask.reshape(1)
        mask = self.mask_of(mask)
        wide = x.to(torch.int32) if x.dtype in SMALL else x
        return ops.selected(mask, wide, self.size_of(mask)).to(x.dtype)

    def index(self, x: torch.Tensor, indices: Any) -> torch.Tensor:
        """Masks among the indices are their places; a single one that names elements or slices needs no more than that."""
        named = [i for i in indices if i is not None]
        if len(named) == 1:
            return self._index_one(x, next(d for d, i in enumerate(indices) if i is not None), named[0])
        places: list[Any] = []
        for i in indices:
            places += self.places(i) if _is_mask(i) else [i]
        return aten.index.Tensor(x, places)

    def _index_one(self, x: torch.Tensor, at: int, mask: torch.Tensor) -> torch.Tensor:
        if at == 0 and mask.dim() == x.dim():
            return self.masked_select(x, mask)
        rows = list(x.shape[:at]), list(x.shape[at + mask.dim():])
        flat = mask.reshape([-1])
        merged = x.reshape([*rows[0], flat.shape[0], *rows[1]])
        return aten.index_select.default(merged, at, self.places(flat)[0])

    # ---- runs of equal elements --------------------------------------------------------------------------------------

    def unique(self, x: torch.Tensor, in_order: bool = True, inverse: bool = False, counts: bool = False) -> Any:
        """Always in order, as PyTorch's CPU has it."""
        flat = x.reshape([-1])
        values, places = torch.sort(flat, stable=True)
        found, run, lengths = self.unique_consecutive(values, inverse, counts)
        if inverse:
            run = aten.index_copy.default(torch.zeros_like(run), 0, places, run).reshape(x.shape)
        return found, run, lengths

    def unique_consecutive(self, x: torch.Tensor, inverse: bool = False, counts: bool = False, dim: Any = None) -> Any:
        """Elements that no equal one follows; the number of the run each element lies in, and how long each is."""
        flat = x.reshape([-1])
        n = flat.shape[0]
        is_first, first = sorting.runs_of(flat)
        is_last = (flat != torch.roll(flat, -1, 0)) | (sorting.counted(n) == n - 1)
        found = self.masked_select(flat, is_last)
        run = lengths = torch.empty([0], dtype=torch.int64)
        if inverse:
            run = (torch.cumsum(is_first.to(torch.int32), 0, dtype=torch.int32) - 1).reshape(x.shape).to(torch.int64)
        if counts:
            lengths = self.masked_select(sorting.counted(n) - first + 1, is_last).to(torch.int64)
        return found, run, lengths

    def bincount(self, x: torch.Tensor, weights: Optional[torch.Tensor] = None, minlength: Any = 0) -> torch.Tensor:
        if isinstance(minlength, int) and minlength <= 0:
            raise self.r.unsupported("the result of bincount has as many elements as the greatest value says, which nothing bounds",
                                     "pass minlength, the number of different values, and it is that")
        if weights is not None and weights.dtype != torch.float32:
            raise self.r.unsupported(f"bincount with weights of type {weights.dtype} gives float64", "give weights as float32")
        note = f"line {self.r.place().line}: bincount is for values below minlength"
        if note not in self.r.notes:
            self.r.notes.append(note)
        kind = torch.int32 if weights is None else torch.float32
        ones = torch.ones([x.shape[0]], dtype=kind) if weights is None else weights.expand(x.shape)
        counts = torch.scatter_add(torch.zeros([minlength], dtype=kind), 0, x.to(torch.int64), ones)
        return counts.to(torch.int64) if weights is None else counts

    # ---- what mixes elements ----------------------------------------------------------------------------------------

    def _number_of(self, x: torch.Tensor, dims: Any) -> torch.Tensor:
        """How many elements x has along some dimensions, as float32."""
        n = torch.full([], 1.0)
        for d in sorted(dims):
            n = n * (self.counts[sizes.expr_of(x.shape[d])].to(torch.float32).reshape([]) if self._symbols(x.shape[d]) else x.shape[d])
        return n

    def _spread(self, name: str, x: torch.Tensor, dim: Any = None, *, correction: Any = None, keepdim: bool = False) -> torch.Tensor:
        dims = sorted({d % x.dim() for d in dim} if dim else range(x.dim()))
        wide = x.to(torch.float32)
        apart = wide - wide.mean(dims, True)
        var = (apart * apart).sum(dims, keepdim) / torch.clamp_min(self._number_of(x, dims) - (1 if correction is None else correction), 0.0)
        return (torch.sqrt(var) if name == "aten.std.correction" else var).to(x.dtype)

    def _reduce(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        x, dims = args[0], kwargs.get("dim", args[1] if len(args) > 1 else None)
        reduced = set(range(x.dim())) if dims in (None, []) else {d % x.dim() for d in ([dims] if isinstance(dims, int) else dims)}
        cut = [d for d in self._cut_dims(x) if d in reduced]
        kind = name.split(".")[1]
        if not cut or not self._cut_dims(x):
            return None
        with self.r:
            if kind == "mean":
                n = self._number_of(x, reduced)
                keepdim = kwargs.get("keepdim", args[2] if len(args) > 2 else False)
                return (x.to(torch.float32).sum(sorted(reduced), keepdim) / n).to(kwargs.get("dtype") or x.dtype)
            for d in cut:
                x = torch.where(self._valid(x, d), x, torch.full([], _neutral(kind, x.dtype), dtype=x.dtype))
        return self.r.record(func, (x, *args[1:]), kwargs)


def _neutral(kind: str, dtype: torch.dtype) -> Any:
    number = NEUTRAL[kind]
    if dtype.is_floating_point or abs(number) <= 1:
        return number
    return torch.iinfo(torch.int32).min if number < 0 else torch.iinfo(torch.int32).max


def _is_mask(index: Any) -> bool:
    return isinstance(index, torch.Tensor) and index.dtype in (torch.bool, torch.uint8)


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, (list, tuple)):
        for v in value:
            yield from _leaves(v)
    elif isinstance(value, dict):
        yield from _leaves(list(value.values()))
    else:
        yield value


class _Call:
    def __init__(self, do: Callable[..., Any], applies: Callable[[Any], bool] = lambda args: True) -> None:
        self.do, self.applies = do, applies


CALLS: dict[Any, _Call] = {
    aten.nonzero.default: _Call(Selection.nonzero), aten.argwhere.default: _Call(Selection.nonzero),
    aten.nonzero_numpy.default: _Call(Selection.places), aten.where.default: _Call(Selection.places),
    aten.masked_select.default: _Call(Selection.masked_select), aten.bincount.default: _Call(Selection.bincount),
    aten._unique2.default: _Call(Selection.unique), aten._unique.default: _Call(lambda *args: Selection.unique(*args)[:2]),
    aten.unique_dim.default: _Call(lambda self, x, dim, *args: Selection.unique(self, x, *args), lambda args: args[0].dim() == 1),
    aten.unique_consecutive.default: _Call(Selection.unique_consecutive, lambda args: args[0].dim() == 1 or len(args) < 4 or args[3] is None),
    aten.index.Tensor: _Call(Selection.index, lambda args: any(_is_mask(i) for i in args[1]))}
