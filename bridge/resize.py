"""Resizing as windows: for each dimension a table of the input elements an output element takes, and their weights.

A rule gives, for output elements o and taps t (int32 tensors that broadcast), which input element that is and its weight. Tables are
made of it for the forward direction; gradients take the same rule the other way round: for each input element, which outputs took it.
Positions are exact: floor and rest of a quotient of integers, whatever the sizes; only the nearest modes follow PyTorch's float32.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Callable, NamedTuple, Optional

import torch

from . import windows
from .counting import count

aten = torch.ops.aten
LARGEST_DENOMINATOR = 4096

Rule = Callable[[Any, Any], tuple[Any, Any]]


class Axis(NamedTuple):
    """A dimension to be resized: sizes, and the user's scale factor when PyTorch is to go by it."""

    size: Any
    out: Any
    factor: Optional[float]


class Ratio(NamedTuple):
    """Input elements for one output element: step / of, whole numbers."""

    step: Any
    of: Any


def ratio_of(axis: Axis, align_corners: bool) -> Ratio:
    if align_corners:
        return Ratio((axis.size - 1) * torch.sym_min(axis.out - 1, 1), torch.sym_max(axis.out - 1, 1))
    if axis.factor is not None and axis.factor > 0:
        fraction = Fraction(axis.factor).limit_denominator(LARGEST_DENOMINATOR)
        return Ratio(fraction.denominator, fraction.numerator)
    return Ratio(axis.size, axis.out)


def floor_and_rest(numerator: Any, estimate: Any, denominator: Any) -> tuple[Any, Any]:
    """floor(numerator / denominator) and what is left of it as a fraction below 1. The estimate may be off by one; the numerator, an
    int32 that may have wrapped, is needed modulo 2^32 only."""
    whole = torch.floor(estimate).to(torch.int32)
    rest = numerator - whole * denominator
    down, up = (rest < 0).to(torch.int32), (rest >= denominator).to(torch.int32)
    rest = rest + (down - up) * denominator
    return whole - down + up, rest.to(torch.float32) / denominator


def position(o: Any, ratio: Ratio, align_corners: bool) -> tuple[Any, Any]:
    """Where output o lies in the input: element and fraction."""
    scale = ratio.step / ratio.of
    if align_corners:
        return floor_and_rest(o * ratio.step, o.to(torch.float32) * scale, ratio.of)
    return floor_and_rest((2 * o + 1) * ratio.step - ratio.of, (o.to(torch.float32) + 0.5) * scale - 0.5, 2 * ratio.of)


# ---- rules ------------------------------------------------------------------------------------------------------------


def nearest(axis: Axis, exact: bool) -> Rule:
    factor = axis.factor if axis.factor is not None and axis.factor > 0 else None

    def rule(o: Any, t: Any) -> tuple[Any, Any]:
        place = o.to(torch.float32) + (0.5 if exact else 0.0)
        at = place * (1.0 / factor) if factor else place * (axis.size / axis.out)
        index = torch.clamp(torch.floor(at).to(torch.int32), max=axis.size - 1)
        return index + t * 0, torch.ones_like(at) + t * 0

    return rule


def linear(axis: Axis, align_corners: bool) -> Rule:
    ratio = ratio_of(axis, align_corners)

    def rule(o: Any, t: Any) -> tuple[Any, Any]:
        whole, part = position(o, ratio, align_corners)
        part = torch.where(whole < 0, 0.0, part)
        return torch.clamp(torch.clamp(whole, min=0) + t, max=axis.size - 1), torch.where(t == 0, 1.0 - part, part)

    return rule


def cubic_weight(d: Any, a: float) -> Any:
    """Weight of an element at distance d < 2: PyTorch's polynomials as products, whose zeros are exact."""
    near = (1.0 - d) * (1.0 + d - (a + 2.0) * d * d)
    far = (d - 1.0) * (2.0 - d) * (2.0 - d) * a
    return torch.where(d <= 1.0, near, far)


def cubic(axis: Axis, align_corners: bool) -> Rule:
    ratio = ratio_of(axis, align_corners)

    def rule(o: Any, t: Any) -> tuple[Any, Any]:
        whole, part = position(o, ratio, align_corners)
        index = torch.clamp(torch.clamp(whole + (t - 1), min=0), max=axis.size - 1)
        return index, cubic_weight(torch.abs((t - 1).to(torch.float32) - part), -0.75)

    return rule


class Antialias(NamedTuple):
    """taps: the most an output element has. Weights still have to be divided by their sum."""

    rule: Rule
    taps: Any


def antialias(axis: Axis, align_corners: bool, reach: int) -> Antialias:
    """reach: of the filter, in output elements, or input elements when the input is the smaller one."""
    ratio = ratio_of(axis, align_corners)
    scale = torch.clamp(torch.ones([1, 1]) * (ratio.step / ratio.of), min=1.0)  # a tensor: it follows the sizes of each call
    support = scale * float(reach)

    def rule(o: Any, t: Any) -> tuple[Any, Any]:
        odd = 2 * o + 1
        whole, part = floor_and_rest(odd * ratio.step, odd.to(torch.float32) * (ratio.step / ratio.of) * 0.5, 2 * ratio.of)
        first = torch.clamp(whole + torch.floor(part - support + 0.5).to(torch.int32), min=0)
        end = torch.clamp(whole + torch.floor(part + support + 0.5).to(torch.int32), max=axis.size)
        index = first + t
        d = torch.abs(((index - whole).to(torch.float32) - part + 0.5) / scale)
        weight = torch.clamp(1.0 - d, min=0.0) if reach == 1 else torch.where(d < 2.0, cubic_weight(d, -0.5), 0.0)
        inside = index < end
        return torch.where(inside, index, -1), torch.where(inside, weight, 0.0)

    return Antialias(rule, 2 * torch.sym_max((axis.size * reach + axis.out - 1) // axis.out, reach) + 3)


# ---- tables -----------------------------------------------------------------------------------------------------------


def grid_of(n: Any, taps: Any, is_last: bool) -> tuple[Any, Any]:
    o, t = count(n), count(taps)
    return (o[None, :], t[:, None]) if is_last else (o[:, None], t[None, :])


def resize(x: Any, rules: list[Any], size: list[Any], taps: int) -> Any:
    """x with its last dimensions resized, one rule or Antialias for each."""
    index, weight = [], []
    for d, rule in enumerate(rules):
        is_last = d + 1 == len(rules)
        o, t = grid_of(size[d], rule.taps if isinstance(rule, Antialias) else taps, is_last)
        i, w = (rule.rule if isinstance(rule, Antialias) else rule)(o, t)
        if isinstance(rule, Antialias):
            w = w / w.sum(0 if is_last else 1, keepdim=True)
        index.append(i)
        weight.append(w)
    return windows.ops.window_sum(x, [windows.TABLE, 1, 0, 1, 0] * len(rules), size, index, weight)


def sizes_of(x: Any, n: int, size: Any, factors: Any) -> list[Any]:
    """Sizes of the result, given or by scale factors."""
    if size is not None:
        return list(size)
    out = []
    for d in range(n):
        fraction = Fraction(factors[d])
        exact = fraction.denominator & (fraction.denominator - 1) == 0 and fraction.denominator <= LARGEST_DENOMINATOR
        out.append(x.shape[d - n] * fraction.numerator // fraction.denominator if exact else math.floor(float(int(x.shape[d - n])) * factors[d]))
    return out


def axes_of(x: Any, n: int, size: Any, factors: Any) -> list[Axis]:
    out = sizes_of(x, n, size, factors)
    return [Axis(x.shape[d - n], out[d], factors[d] if factors is not None else None) for d in range(n)]


def _given(factors: Any) -> Any:
    """Scale factors of the overloads that take them one by one."""
    return None if all(f is None for f in factors) else list(factors)


def _resizer(make: Any, taps: int, n: int, has_corners: bool) -> tuple[Any, Any]:
    """The `.default` and the `.vec` overload of one mode."""

    def run(x: Any, size: Any, corners: bool, factors: Any) -> Any:
        if not x.dtype.is_floating_point:
            return NotImplemented
        axes = axes_of(x, n, size, factors)
        return resize(x, [make(axis, corners) for axis in axes], [axis.out for axis in axes], taps)

    if has_corners:
        return (lambda x, size, corners, *factors: run(x, size, corners, _given(factors)),
                lambda x, size, corners, factors: run(x, size, corners, factors))
    return lambda x, size, *factors: run(x, size, False, _given(factors)), lambda x, size, factors: run(x, size, False, factors)


class Mode(NamedTuple):
    """An operator: how its rules are made, taps of an output element, input elements from its position to the farthest of them (0: depends
    on sizes), dimensions."""

    name: str
    make: Any
    taps: int
    reach: int
    n: int
    has_corners: bool


MODES = [
    *(Mode(f"upsample_nearest{n}d", lambda axis, _: nearest(axis, False), 1, 1, n, False) for n in (1, 2, 3)),
    *(Mode(f"_upsample_nearest_exact{n}d", lambda axis, _: nearest(axis, True), 1, 1, n, False) for n in (1, 2, 3)),
    Mode("upsample_linear1d", linear, 2, 1, 1, True), Mode("upsample_bilinear2d", linear, 2, 1, 2, True),
    Mode("upsample_trilinear3d", linear, 2, 1, 3, True), Mode("upsample_bicubic2d", cubic, 4, 2, 2, True),
    Mode("_upsample_bilinear2d_aa", lambda axis, corners: antialias(axis, corners, 1), 0, 0, 2, True),
    Mode("_upsample_bicubic2d_aa", lambda axis, corners: antialias(axis, corners, 2), 0, 0, 2, True)]


def decompositions() -> dict[Any, Any]:
    """By operator, in the form of PyTorch's decomposition tables."""
    table = {}
    for mode in MODES:
        packet = getattr(aten, mode.name)
        table[packet.default], table[packet.vec] = _resizer(mode.make, mode.taps, mode.n, mode.has_corners)
    return table
