"""float64 and complex arguments, which the vector unit has no type for.

They reach the operator as the words they lie in memory as: a float64 is two int32, low and high, along a new last dimension, a
complex64 two float32, a complex128 two float64. ModelNew passes `x.unsqueeze(-1).view(torch.int32)`, which copies nothing.
In the trace such a tensor stands for its parts:

    words   low and high, exact: of arguments, and of views of them
    single  one float32: of everything computed in float64
    complex real and imaginary part, each words or single

Truth values and comparisons are exact; whatever else is done to float64 is done in float32, which a note says.
"""

from __future__ import annotations

import struct
from typing import Any, Callable, Iterator, Optional

import torch
from torch.utils import _pytree as pytree

aten = torch.ops.aten
WIDE = {torch.float64: (torch.int32, 2), torch.complex64: (torch.float32, 2), torch.complex128: (torch.int32, 4)}

LIBRARY = torch.library.Library("opwright", "FRAGMENT")
_LIKE: dict[str, tuple[str, torch.dtype]] = {
    "double_to_float": ("Tensor low, Tensor high", torch.float32), "double_low": ("Tensor x", torch.int32), "double_high": ("Tensor x", torch.int32),
    "double_truth": ("Tensor low, Tensor high", torch.bool),
    "double_less": ("Tensor low, Tensor high, Tensor other_low, Tensor other_high", torch.bool),
    "double_equal": ("Tensor low, Tensor high, Tensor other_low, Tensor other_high", torch.bool),
    "double_floor_divide": ("Tensor low, Tensor high, Tensor other_low, Tensor other_high", torch.float32)}


def _shape_of(dtype: torch.dtype) -> Callable[..., torch.Tensor]:
    return lambda *tensors: torch.empty(torch.broadcast_shapes(*(t.shape for t in tensors)), dtype=dtype, device=tensors[0].device)


for _name, (_arguments, _dtype) in _LIKE.items():
    LIBRARY.define(f"{_name}({_arguments}) -> Tensor")
    LIBRARY.impl(_name, _shape_of(_dtype), "CompositeExplicitAutograd")
ops = torch.ops.opwright
MOST_DIMENSIONS = 8  # of a tensor that an operator takes


# ---- outside the trace ------------------------------------------------------------------------------------------------


def is_wide(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dtype in WIDE


def dropped(t: torch.Tensor) -> Optional[int]:
    """A dimension of one element that makes room where the words would have more dimensions than operators take."""
    if t.dim() < MOST_DIMENSIONS:
        return None
    return next((d for d, n in enumerate(t.shape) if isinstance(n, int) and n == 1), None)


def words(t: torch.Tensor) -> torch.Tensor:
    """What the operator gets: of another dtype, with one more dimension."""
    if not is_wide(t):
        return t
    d = dropped(t)
    return (t if d is None else t.squeeze(d)).unsqueeze(-1).view(WIDE[t.dtype][0])


def words_text(expression: str, t: torch.Tensor) -> str:
    """What ModelNew passes for argument `expression`, of which t is an example."""
    if not is_wide(t):
        return expression
    d = dropped(t)
    return f"{expression}{'' if d is None else f'.squeeze({d})'}.unsqueeze(-1).view({WIDE[t.dtype][0]})"


def own_shape(shape: list[int], t: torch.Tensor) -> list[int]:
    """The shape of a tensor like t from that of its words."""
    if not is_wide(t):
        return shape
    d = dropped(t)
    return shape[:-1] if d is None else [*shape[:d], 1, *shape[d:-1]]


RESULT_TEXT = ".view(torch.float64).squeeze(-1)"  # of words that are a float64 result


# ---- in the trace -----------------------------------------------------------------------------------------------------


class Parts:
    """What one wide tensor stands for: 1 tensor (single), 2 (words), or the parts of a complex number."""

    def __init__(self, tensors: list[torch.Tensor] = [], real: Optional["Parts"] = None, imaginary: Optional["Parts"] = None) -> None:
        self.tensors, self.real, self.imaginary = list(tensors), real, imaginary

    def map(self, f: Callable[[torch.Tensor], torch.Tensor]) -> "Parts":
        if self.real is not None and self.imaginary is not None:
            return Parts([], self.real.map(f), self.imaginary.map(f))
        return Parts([f(t) for t in self.tensors])


class Wide:
    """The wide tensors of one trace."""

    def __init__(self, recorder: Any) -> None:
        self.r = recorder
        self._parts: dict[int, Parts] = {}
        self._alive: list[Any] = []

    def add_input(self, fake: torch.Tensor, in_words: torch.Tensor) -> None:
        """An argument and the leaf of the graph that holds its words; the recorder is active."""
        n = WIDE[fake.dtype][1]
        pieces = [in_words.select(-1, i) for i in range(n)]
        d = dropped(fake)
        pieces = pieces if d is None else [p.unsqueeze(d) for p in pieces]
        if fake.dtype == torch.float64:
            parts = Parts(pieces)
        else:
            parts = Parts([], Parts(pieces[: n // 2]), Parts(pieces[n // 2:]))
        self._register(fake, parts)

    def parts_of(self, fake: Any) -> Optional[Parts]:
        return self._parts.get(id(fake))

    def result(self, fake: torch.Tensor) -> torch.Tensor:
        """The words of a float64 result; the recorder is active."""
        parts = self._parts[id(fake)]
        if parts.real is not None:
            raise self.r.unsupported("forward returns a complex tensor", "return real tensors")
        return torch.stack(_words(parts), -1)

    def concerns(self, func: Any, args: Any, kwargs: Any) -> bool:
        if any(isinstance(v, complex) for v in args):
            return True
        if not self._parts:
            return False
        return any(id(t) in self._parts for t in _tensors((args, kwargs))) or any(v in WIDE for v in (*args, *kwargs.values()) if isinstance(v, torch.dtype))

    def _register(self, fake: Any, parts: Parts) -> None:
        self._parts[id(fake)] = parts
        self._alive.append(fake)

    def apply(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        true = func(*args, **kwargs)  # outside the recorder: shapes and dtypes
        name = str(func).rsplit(".", 1)[0]
        own = self._parts.get(id(args[0])) if args else None
        if own is not None and (func.is_view or name in COPIES) and isinstance(true, torch.Tensor) and true.dtype == args[0].dtype:
            self._register(true, own.map(lambda t: self.r.apply(func, (t, *args[1:]), kwargs)))
            return true
        if func._schema.is_mutable:
            if any(is_wide(t) for t in _tensors(true)):
                raise self.r.unsupported(f"{func} changes a float64 or complex tensor in place", "write the form that returns a new tensor")
            return self._in_float32(func, args, kwargs)
        exact = EXACT.get(name)
        with self.r:
            out = exact([self._argument(a) for a in args]) if exact and not kwargs else self._to_bool(true, args) if name in CASTS else NotImplemented
        if out is NotImplemented:
            out = self._in_float32(func, args, kwargs)
        return self._take(true, out)

    def _argument(self, value: Any) -> Any:
        return self._parts.get(id(value), value)

    def _to_bool(self, true: torch.Tensor, args: tuple[Any, ...]) -> Any:
        return _truth(self._argument(args[0])) if true.dtype == torch.bool else NotImplemented

    def _in_float32(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        def narrow(value: Any) -> Any:
            parts = self._parts.get(id(value))
            if parts is not None and parts.real is not None or isinstance(value, complex) or value in (torch.complex64, torch.complex128):
                raise self.r.unsupported(f"{func} on complex numbers, which the vector unit does not compute in", "take the real and imaginary parts apart before")
            return _single(parts) if parts is not None else torch.float32 if value is torch.float64 else value

        place = self.r.place()
        note = f"line {place.line}: `{place.text}` is computed in float32, not float64"
        if note not in self.r.notes:
            self.r.notes.append(note)
        with self.r:
            args, kwargs = pytree.tree_map(narrow, (args, kwargs))
        return self.r.apply(func, args, kwargs)

    def _take(self, true: Any, out: Any) -> Any:
        """Results that are float64 for the program are singles here; others are what they are."""
        flat, spec = pytree.tree_flatten(true)
        found = pytree.tree_flatten(out)[0]
        for i, t in enumerate(flat):
            if is_wide(t):
                self._register(t, Parts([found[i]]))
            else:
                flat[i] = found[i]
        return pytree.tree_unflatten(flat, spec)


def _tensors(value: Any) -> Iterator[torch.Tensor]:
    return (t for t in pytree.tree_flatten(value)[0] if isinstance(t, torch.Tensor))


# ---- parts ------------------------------------------------------------------------------------------------------------


def _words(value: Any) -> list[Any]:
    """Low and high of what is a float64, another tensor, or a number."""
    if isinstance(value, Parts) and len(value.tensors) == 2:
        return value.tensors
    single = value.tensors[0] if isinstance(value, Parts) else value.to(torch.float32)
    return [ops.double_low(single), ops.double_high(single)]


def _number_words(number: Any, like: torch.Tensor) -> list[torch.Tensor]:
    low, high = struct.unpack("<ii", struct.pack("<d", float(number)))
    return [torch.full_like(like, word, dtype=torch.int32) for word in (low, high)]


def _single(parts: Parts) -> torch.Tensor:
    return parts.tensors[0] if len(parts.tensors) == 1 else ops.double_to_float(*parts.tensors)


def _truth(value: Any) -> Any:
    if not isinstance(value, Parts):
        return value != 0
    if value.real is not None:
        return torch.logical_or(_truth(value.real), _truth(value.imaginary))
    if len(value.tensors) == 1:
        return value.tensors[0] != 0
    return ops.double_truth(*value.tensors)


def _real_and_imaginary(value: Any) -> tuple[Any, Any]:
    if isinstance(value, Parts) and value.real is not None:
        return value.real, value.imaginary
    return (value.real, value.imag) if isinstance(value, complex) else (value, 0)


def _pair(a: Any, b: Any) -> list[torch.Tensor]:
    """The words of both sides of a comparison, one of which may be a number."""
    if isinstance(a, (int, float)):
        second = _words(b)
        return [*_number_words(a, second[0]), *second]
    first = _words(a)
    return [*first, *(_number_words(b, first[0]) if isinstance(b, (int, float)) else _words(b))]


def _equal(a: Any, b: Any) -> Any:
    """A mask, or True or False where both are numbers."""
    if any(isinstance(v, complex) or (isinstance(v, Parts) and v.real is not None) for v in (a, b)):
        (a_real, a_imaginary), (b_real, b_imaginary) = _real_and_imaginary(a), _real_and_imaginary(b)
        return _both(_equal(a_real, b_real), _equal(a_imaginary, b_imaginary))
    if isinstance(a, (int, float)):
        return a == b if isinstance(b, (int, float)) else _equal(b, a)
    single = a.tensors[0] if isinstance(a, Parts) and len(a.tensors) == 1 else a
    if not isinstance(single, Parts) and not isinstance(b, Parts):
        return torch.eq(single, b)
    return ops.double_equal(*_pair(a, b))


def _both(x: Any, y: Any) -> Any:
    if isinstance(y, bool):
        x, y = y, x
    if not isinstance(x, bool):
        return torch.logical_and(x, y)
    return y if x else torch.zeros_like(y, dtype=torch.bool)


def _less(a: Any, b: Any) -> Any:
    return ops.double_less(*_pair(a, b))


EXACT: dict[str, Callable[[list[Any]], Any]] = {
    "aten.logical_and": lambda v: torch.logical_and(_truth(v[0]), _truth(v[1])),
    "aten.logical_or": lambda v: torch.logical_or(_truth(v[0]), _truth(v[1])),
    "aten.logical_xor": lambda v: torch.logical_xor(_truth(v[0]), _truth(v[1])),
    "aten.logical_not": lambda v: torch.logical_not(_truth(v[0])),
    "aten.eq": lambda v: _equal(v[0], v[1]), "aten.ne": lambda v: torch.logical_not(_equal(v[0], v[1])),
    "aten.lt": lambda v: _less(v[0], v[1]), "aten.gt": lambda v: _less(v[1], v[0]),
    "aten.le": lambda v: torch.logical_or(_less(v[0], v[1]), _equal(v[0], v[1])),
    "aten.ge": lambda v: torch.logical_or(_less(v[1], v[0]), _equal(v[0], v[1])),
    "aten.floor_divide": lambda v: ops.double_floor_divide(*_pair(v[0], v[1])),
}
COPIES = {"aten.clone", "aten.detach", "aten.alias", "aten.contiguous"}
CASTS = {"aten._to_copy", "aten.to", "prims.convert_element_type"}
