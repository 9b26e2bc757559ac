"""Reference files whose inputs come in groups: get_input_groups() returns a list of what get_inputs() returns elsewhere, one
item for each call to be tried, often read from a .json file beside it. `FILE.py#3` is such a file with group 3 as its inputs.

One group of many is made without the data of the others, which may be far more than memory holds.
"""

from __future__ import annotations

import math
import os
import re
from typing import Any, Optional

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException, FakeTensor, FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes, _get_current_dispatch_mode

from . import wide
from .errors import BridgeError

FUNCTION = "get_input_groups"
MOST_SMALL_ELEMENTS = 16
LARGEST_WHOLE_BYTES = 2 << 30  # of all groups together, where one alone cannot be made


def split_path(path: Any) -> tuple[Any, Optional[int]]:
    """("FILE.py", 3) of "FILE.py#3"; a file that has such a name is itself."""
    found = re.fullmatch(r"(.+)#(\d{1,6})", path) if isinstance(path, str) and not os.path.exists(path) else None
    return (found[1], int(found[2])) if found else (path, None)


def inputs_of(ref: Any, index: int) -> list[Any]:
    """Group `index`. Under a dispatch mode (without data, or with other sizes) as the file makes it then."""
    if _get_current_dispatch_mode() is not None:
        return pick(ref, every(ref), index)
    spans, n_bytes, n_groups = creation_spans(ref)
    if spans is not None and index < n_groups:
        try:
            with _Only(*spans[index]):
                group = pick(ref, _call(ref), index)
            if not any(isinstance(t, FakeTensor) for t in tensors_in(group)):
                return group
        except BridgeError:
            pass
    if n_bytes > LARGEST_WHOLE_BYTES and index < n_groups:
        raise BridgeError("unsupported", f"the groups of {FUNCTION}() have {n_bytes >> 20} MiB together, and one alone cannot be made",
                          ref.path, ref.line_of(FUNCTION), "make the tensors of a group next to each other, from nothing that groups share")
    return pick(ref, every(ref) if index < n_groups or n_groups == 0 else [[]] * n_groups, index)


def every(ref: Any) -> list[list[Any]]:
    """All groups. A file that looks at its own values cannot make them without data: then they are real."""
    try:
        if _get_current_dispatch_mode() is None:
            return _call(ref)
        with _SmallAreReal():
            return _call(ref)
    except BridgeError as exc:
        if not isinstance(exc.__cause__, (DynamicOutputShapeException, DataDependentOutputException)):
            raise
    with _disable_current_modes():
        return _call(ref)


def _call(ref: Any) -> list[list[Any]]:
    value = ref.call_list(FUNCTION, "groups, each a list of forward's arguments")
    for i, group in enumerate(value):
        if not isinstance(group, (list, tuple)):
            raise BridgeError("bad_input", f"item {i} of {FUNCTION}() is {type(group).__name__}, not a list of forward's arguments",
                              ref.path, ref.line_of(FUNCTION), "return a list of lists")
    return [list(group) for group in value]


def pick(ref: Any, groups: list[list[Any]], index: int) -> list[Any]:
    if index >= len(groups):
        raise BridgeError("bad_input", f"there is no group {index}: {FUNCTION}() returns {len(groups)}", ref.path, ref.line_of(FUNCTION),
                          "groups count from 0")
    return groups[index]


def tensors_in(group: list[Any]) -> list[torch.Tensor]:
    return [t for v in group for t in (v if isinstance(v, (list, tuple)) else [v]) if isinstance(t, torch.Tensor)]


def creation_spans(ref: Any) -> tuple[Optional[list[tuple[int, int]]], int, int]:
    """For each group the operations that make it, as [first, end) of all those the function calls, the bytes of all
    groups, and how many there are; None when groups are not made one after the other."""
    watch = _Only(0, 0)
    try:
        with watch:
            groups = _call(ref)
    except BridgeError:
        return None, 0, 0
    n_bytes = sum(t.numel() * t.element_size() for g in groups for t in tensors_in(g))
    spans, begin = [], 0
    for group in groups:
        places = [watch.made_by.get(id(t), -1) for t in tensors_in(group)]
        end = max(places, default=begin - 1) + 1
        if min(places, default=begin) < begin:
            return None, n_bytes, len(groups)
        spans.append((begin, max(begin, end)))
        begin = max(begin, end)
    return spans, n_bytes, len(groups)


def _small_or(func: Any, args: Any, kwargs: Any) -> Any:
    """What func gives where tensors have no data; with data when it takes only tensors that have, or none and makes few
    elements: files draw a mean or a range, and read it."""
    given = tensors_in([*args, *kwargs.values()])
    if any(isinstance(t, FakeTensor) for t in given):
        return func(*args, **kwargs)
    out = None if given else func(*args, **kwargs)
    if out is not None and not (isinstance(out, torch.Tensor) and out.numel() <= MOST_SMALL_ELEMENTS):
        return out
    with _disable_current_modes():
        return func(*args, **kwargs)


class _SmallAreReal(TorchDispatchMode):
    """Above a mode in which tensors have no data."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return _small_or(func, args, kwargs or {})


class _Only(TorchDispatchMode):
    """Operations first to end-1 have data, the others not; notes which operation made each tensor."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __init__(self, first: int, end: int) -> None:
        super().__init__()
        self.first, self.end, self.n = first, end, 0
        self.fake = FakeTensorMode(allow_non_fake_inputs=True)
        self.made_by: dict[int, int] = {}
        self.alive: list[Any] = []  # ids stay taken

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        number = self.n
        self.n += 1
        if self.first <= number < self.end:
            return func(*args, **(kwargs or {}))
        with self.fake:
            out = _small_or(func, args, kwargs or {})
        for t in out if isinstance(out, (list, tuple)) else [out]:
            self.made_by[id(t)] = number
            self.alive.append(t)
        return out


# ---- which groups one operator does -----------------------------------------------------------------------------------


def kind_of(group: list[Any]) -> str:
    """What groups share that no operator tells apart: ranks, dtypes, and all but the numbers."""
    def word(v: Any) -> str:
        if isinstance(v, torch.Tensor):
            return f"{v.dtype}{v.dim()}"
        if isinstance(v, (list, tuple)):
            return f"[{' '.join(map(word, v))}]" if any(isinstance(i, torch.Tensor) for i in v) else repr(v)
        return "number" if isinstance(v, float) else repr(v)

    return " ".join(map(word, group))


def groups(params: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """`groups` of docs/bridge.md."""
    from . import reference

    ref = reference.load(params.get("path", ""))
    if ref.group is None:
        return {"kinds": [], "order": []}, []
    with FakeTensorMode(allow_non_fake_inputs=True):
        all_groups = every(ref)
    return {"kinds": [kind_of(g) for g in all_groups], "order": sorted(range(len(all_groups)), key=lambda i: ones_in(all_groups[i]))}, []


def ones_in(group: list[Any]) -> int:
    """Sizes of 1 stay 1 in the graph traced from a group: one of few is that of others, too."""
    return sum(int(n) == 1 for t in tensors_in(group) for n in t.shape)


def members(ref: Any, graph: dict[str, Any]) -> list[dict[str, Any]]:
    """The groups that are calls of this graph: {group, variant, symbols, scalars, n_bytes}."""
    with FakeTensorMode(allow_non_fake_inputs=True):
        all_groups = every(ref)
    found = []
    for i, group in enumerate(all_groups):
        for variant in range(len(graph["variants"])):
            match = _match(graph, variant, all_groups[ref.group], group)
            if match is not None:
                found.append({"group": i, "variant": variant, **match})
                break
    return found


def _match(graph: dict[str, Any], variant: int, own: list[Any], group: list[Any]) -> Optional[dict[str, Any]]:
    from .reference import flatten

    (own, own_nesting), (group, nesting) = flatten(own), flatten(group)
    if own_nesting != nesting:
        return None
    scalars = {s["arg_index"]: s["name"] for s in graph["scalars"] if s["from"] == "argument"}
    if len(own) != len(group):
        return None
    values: dict[str, Any] = {}
    for i, (mine, other) in enumerate(zip(own, group)):
        if isinstance(mine, torch.Tensor) != isinstance(other, torch.Tensor):
            return None
        if isinstance(mine, torch.Tensor):
            if mine.dtype != other.dtype and (wide.is_wide(mine) or wide.is_wide(other)):
                return None  # words of the one may look like the other
            continue
        if i in scalars and type(mine) is type(other):
            values[scalars[i]] = other
        elif type(mine) is not type(other) or mine != other:
            return None
    symbols: dict[str, int] = {}
    leaves = [(leaf, group[leaf["arg_index"]]) for leaf in graph["inputs"] if leaf["kind"] == "argument"]
    leaves = [(leaf, wide.words(tensor)) for leaf, tensor in leaves]
    for leaf, tensor in leaves:
        if str(tensor.dtype) != f"torch.{leaf['dtype'][variant]}" or tensor.dim() != len(leaf["shape"]):
            return None
        symbols.update({size: int(n) for size, n in zip(leaf["shape"], tensor.shape) if size in graph["symbols"]})
    if any(_size(size, symbols) != int(n) for leaf, tensor in leaves for size, n in zip(leaf["shape"], tensor.shape)):
        return None
    if set(symbols) != set(graph["symbols"]) or any(_size(e["x"], symbols) != _size(e["y"], symbols) for e in graph["equal"]):
        return None
    return {"symbols": symbols, "scalars": values}


def _size(size: Any, symbols: dict[str, int]) -> int:
    """The value of a size in the grammar of docs/graph.md, which is Python's."""
    if isinstance(size, int):
        return size
    return int(eval(size, {"__builtins__": {}, "Min": min, "Max": max, "math": math}, dict(symbols)))  # noqa: S307 - our own text
