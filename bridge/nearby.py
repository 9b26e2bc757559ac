"""Integers that rest on computed numbers. Whoever computes softmax(x) rounds otherwise than the next: two elements whose values are equal
up to that swap places in a sort, and a quotient on the edge between two integers is rounded to either. For such integer results of the
reference's float64 run this says which other integers are as right (docs/result.md, "Precision of an output"):

- an index into computed values (sort, topk, max, argmax, ...): the values themselves, so that what is picked can be compared;
- what rounding, conversions to integers and comparisons make of computed values: the results with these values a little smaller and greater;
- a conversion of what the integer type cannot hold (infinity, NaN, a number too large): PyTorch leaves it undefined, so any integer.

Values that no arithmetic touched (inputs, weights, and what only moves or selects them) are exact, and integers from them must be equal."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves
from torch.utils.weak import WeakTensorKeyDictionary

aten = torch.ops.aten

NUDGE = 2.0**-19  # relative: 16 units in the last place of float32, in which 16-bit types are computed, too

# Beside views, what gives the very numbers it was given.
EXACT = {aten.clone, aten._to_copy, aten.cat, aten.stack, aten.index_select, aten.gather, aten.index, aten.flip, aten.roll, aten.repeat,
         aten.abs, aten.neg, aten.relu, aten.maximum, aten.minimum, aten.amax, aten.amin, aten.max, aten.min, aten.clamp, aten.clamp_min,
         aten.clamp_max, aten.sort, aten.topk, aten.kthvalue, aten.median, aten.where, aten.masked_fill, aten.constant_pad_nd, aten.embedding,
         aten.round, aten.floor, aten.ceil, aten.trunc, aten.sign, aten.scatter, aten.copy, aten.tril, aten.triu, aten.lift_fresh}

PICKS = {aten.sort: 1, aten.topk: 1, aten.kthvalue: 1, aten.median: 1, aten.max: 1, aten.min: 1, aten.argmax: 0, aten.argmin: 0,
         aten.argsort: 0}  # which result is the index
CARRIES = {aten._to_copy, aten.clone, aten.detach, aten.alias, aten.view, aten._unsafe_view, aten.squeeze, aten.unsqueeze}  # elements in their order
COMPARISONS = {aten.gt, aten.ge, aten.lt, aten.le}
ROUNDED = {aten.round, aten.floor, aten.ceil, aten.trunc, aten.floor_divide, aten._to_copy, *COMPARISONS}


@dataclass
class Picks:
    """An index tensor (outer, k, inner) into values (outer, n, inner)."""

    values: torch.Tensor
    n: int
    inner: int

    def to_json(self, shape: torch.Size) -> dict[str, int]:
        outer = self.values.numel() // (self.n * self.inner) if self.values.numel() else 0
        return {"n": self.n, "k": shape.numel() // (outer * self.inner) if outer else 0, "inner": self.inner}


def _is_float(t: Any) -> bool:
    return isinstance(t, torch.Tensor) and t.is_floating_point()


class Watch(TorchDispatchMode):
    """Runs what it is given; `nudge` moves computed values by that much, relatively, before they become integers."""

    def __init__(self, nudge: float = 0.0) -> None:
        super().__init__()
        self.nudge = nudge
        self.rounds = False  # computed values became integers
        self.computed: Any = WeakTensorKeyDictionary()  # tensors whose values arithmetic gave
        self.picks: Any = WeakTensorKeyDictionary()  # index tensor -> Picks
        self.undefined: Any = WeakTensorKeyDictionary()  # integer tensor -> where it is undefined

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        packet = func.overloadpacket
        computed = any(t in self.computed for t in tree_leaves((args, kwargs)) if isinstance(t, torch.Tensor))
        given = args
        if computed and packet in ROUNDED and self._rounds(packet, args, kwargs):
            self.rounds = True
            given = (self._nudged(*args[:2]), *args[1:])
        out = func(*given, **kwargs)
        if packet in PICKS and computed and _is_float(args[0]):
            self._note_picks(packet, args, kwargs, out)
        elif packet in CARRIES:
            self._note_copy(args[0], out)
        if computed or not (func.is_view or packet in EXACT):
            for t in tree_leaves(out):
                if _is_float(t):
                    self.computed[t] = True
        return out

    def _rounds(self, packet: Any, args: Any, kwargs: Any) -> bool:
        """Whole numbers, which rounding gave before, convert to themselves."""
        if not _is_float(args[0]):
            return False
        if packet is not aten._to_copy:
            return True
        wanted = kwargs.get("dtype")
        return wanted is not None and not wanted.is_floating_point and not wanted.is_complex and not bool((args[0] == args[0].trunc()).all())

    def _nudged(self, x: torch.Tensor, other: Any = None) -> torch.Tensor:
        if not self.nudge:
            return x
        size = x.abs() + (abs(other) if isinstance(other, (torch.Tensor, int, float)) and not isinstance(other, bool) else 0)
        return torch.where(size.isfinite(), x + size * self.nudge, x)

    def _note_copy(self, x: Any, out: Any) -> None:
        if x in self.picks:
            self.picks[out] = self.picks[x]
        if x in self.undefined:
            self.undefined[out] = self.undefined[x].view(out.shape)
        if _is_float(x) and not out.is_floating_point() and not out.is_complex() and out.dtype != torch.bool:
            limits = torch.iinfo(out.dtype)
            whole = x.to(torch.float64).trunc()
            self.undefined[out] = ~((whole >= limits.min) & (whole <= limits.max))

    def _note_picks(self, packet: Any, args: Any, kwargs: Any, out: Any) -> None:
        x, index = args[0], out[PICKS[packet]] if isinstance(out, (tuple, list)) else out
        if index.dtype != torch.int64 or x.numel() == 0:  # max(x), max(x, y)
            return
        dim = _dim_of(packet, args, kwargs)
        if dim is None:
            self.picks[index] = Picks(x.detach().clone(), x.numel(), 1)
        else:
            inner = 1
            for n in x.shape[dim + 1:]:
                inner *= n
            self.picks[index] = Picks(x.detach().clone(), x.shape[dim] if x.dim() else 1, inner)


def _dim_of(packet: Any, args: Any, kwargs: Any) -> Optional[int]:
    """The dimension an index counts in, from 0; None: it counts all elements."""
    place = 2 if packet in (aten.topk, aten.kthvalue) else 1  # of `dim` among the arguments
    dim = kwargs.get("dim", None)
    if dim is None:
        given = [a for a in args[place:place + 1] if isinstance(a, int) and not isinstance(a, bool)]
        dim = given[0] if given else (None if packet in (aten.argmax, aten.argmin) else -1)
    rank = args[0].dim()
    return None if dim is None else (dim % rank if rank else 0)


@dataclass
class Latitude:
    """What an integer output may be beside what it is."""

    low: Optional[torch.Tensor] = None  # int64, with `high`: anything from one to the other
    high: Optional[torch.Tensor] = None
    picks: Optional[Picks] = None

    def parts(self) -> list[tuple[str, torch.Tensor]]:
        named = [("low", self.low), ("high", self.high), ("values", self.picks.values.to(torch.float64) if self.picks else None)]
        return [(name, t) for name, t in named if t is not None]


def latitude_of(outputs: list[torch.Tensor], watch: Watch, nudged: list[list[torch.Tensor]]) -> list[Latitude]:
    """For the outputs of a run under `watch`, with those of runs that were nudged (none where nothing is rounded)."""
    return [Latitude() if t.is_floating_point() else _latitude(t, watch, [run[i] for run in nudged]) for i, t in enumerate(outputs)]


def _latitude(t: torch.Tensor, watch: Watch, others: list[torch.Tensor]) -> Latitude:
    if t in watch.picks:
        return Latitude(picks=watch.picks[t])
    runs = torch.stack([r.to(torch.int64) for r in (t, *others)]) if others else t.to(torch.int64)[None]
    low, high = runs.amin(0), runs.amax(0)
    undefined = watch.undefined.get(t)
    if undefined is not None and bool(undefined.any()):
        low, high = low.masked_fill(undefined, torch.iinfo(torch.int64).min), high.masked_fill(undefined, torch.iinfo(torch.int64).max)
    elif torch.equal(low, high):
        return Latitude()
    return Latitude(low, high)
