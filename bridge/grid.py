"""grid_sample and affine_grid: places computed for every point of the grid, reads of the flattened planes by index, weights.

A coordinate is a whole number and a rest in [0, 1), both float32: as one number it would lose, to the width of the plane, the digits that
the weights are made of.
"""

from __future__ import annotations

import functools
import itertools
import operator
from typing import Any, NamedTuple, Sequence

import torch

from .counting import count
from .resize import cubic_weight

aten = torch.ops.aten
BILINEAR, NEAREST, BICUBIC = 0, 1, 2
ZEROS, BORDER, REFLECTION = 0, 1, 2
FAR = 16384.0  # beyond all planes whose coordinates are exact


class _Place(NamedTuple):
    whole: Any
    rest: Any


def _split(x: Any, digits: float) -> tuple[Any, Any]:
    """x as a multiple of 1 / digits and what is left, exactly."""
    high = torch.round(x * digits) * (1.0 / digits)
    return high, x - high


def _floor(x: Any) -> tuple[Any, Any]:
    whole = torch.floor(x)
    return whole, x - whole


def _unnormalize(g: Any, size: Any, align_corners: bool) -> _Place:
    """(g * by + size - 1) / 2. The products of by with the two leading parts of g, 10 bits each, are exact for sizes to 16384."""
    by = size - 1 if align_corners else size
    high, rest = _split(g, 512.0)
    middle, low = _split(rest, 524288.0)
    whole, part = _floor((high * by + (size - 1)) * 0.5)
    more, further = _floor(middle * by * 0.5)
    carry, rest = _floor(part + (further + low * by * 0.5))
    return _Place(whole + more + carry, rest)


def _reflect(at: _Place, size: Any, align_corners: bool) -> _Place:
    """Between -0.5 and size - 0.5, or the middles of the first and the last element."""
    span, shift = (size - 1, 0.0) if align_corners else (size, 0.5)
    flips = torch.floor((at.whole + (at.rest + shift)) / span)
    whole = at.whole - flips * span
    odd = flips - 2.0 * torch.floor(flips / 2.0)
    return _Place(torch.where(odd == 0, whole, whole * -1.0 + (span - (1 if align_corners else 2))),
                  torch.where(odd == 0, at.rest, 1.0 - at.rest))


def _clip(at: _Place, size: Any) -> _Place:
    """Between the first element and the last; NaN goes to the first."""
    inside = (at.whole >= 0.0) & (at.whole < size - 1)
    whole = torch.clamp(torch.clamp(torch.where(at.whole == at.whole, at.whole, 0.0), min=0.0), max=size - 1)
    return _Place(whole, torch.where(inside, at.rest, 0.0))


def _inside(at: _Place, size: Any, padding: int, align_corners: bool) -> _Place:
    """The coordinate under the mode of padding."""
    if padding == REFLECTION:
        at = _reflect(at, size, align_corners)
    return at if padding == ZEROS else _clip(at, size)


def _inside_whole(whole: Any, size: Any, padding: int, align_corners: bool) -> Any:
    at = _inside(_Place(whole, torch.zeros_like(whole)), size, padding, align_corners)
    return at.whole + at.rest


class _Planes:
    """x with its last dimensions as one, read at whole coordinates."""

    def __init__(self, x: Any, n: int, points: Any) -> None:
        self.sizes = list(x.shape[-n:])
        total: Any = 1
        for size in self.sizes:
            total = total * size
        self.flat = x.reshape(x.shape[0], x.shape[1], total)
        self.points = points

    def along(self, d: int, whole: Any) -> tuple[Any, Any]:
        """Which coordinates [N, points] lie inside dimension d, and those that do as int32."""
        here = (whole >= 0.0) & (whole <= self.sizes[d] - 1)
        return here, torch.where(here, whole, 0.0).to(torch.int32)

    def read(self, coordinates: Sequence[tuple[Any, Any]], weight: Any) -> Any:
        """Elements at coordinates, as `along` gives them, slowest dimension first, times weight; 0 outside."""
        place, inside = None, None
        for (here, whole), size in zip(coordinates, self.sizes):
            inside = here if inside is None else inside & here
            place = whole if place is None else place * size + whole
        shape = [self.flat.shape[0], self.flat.shape[1], self.points]
        index = place.to(torch.int64).unsqueeze(1).expand(shape)
        values = aten.gather.default(self.flat, 2, index)
        values = torch.where(inside.unsqueeze(1), values, 0.0)
        if weight is None:
            return values
        return values * (weight if weight.dim() == 3 else weight.unsqueeze(1))  # a weight that is NaN shows, as in PyTorch


def _corners(planes: _Planes, at: list[_Place]) -> Any:
    total = None
    low = [(*planes.along(d, x.whole), 1.0 - x.rest) for d, x in enumerate(at)]
    high = [(*planes.along(d, x.whole + 1.0), x.rest) for d, x in enumerate(at)]
    for corner in itertools.product(*zip(low, high)):
        value = planes.read([side[:2] for side in corner], functools.reduce(operator.mul, (side[2] for side in corner)))
        total = value if total is None else total + value
    return total


def _cubic(planes: _Planes, at: list[_Place], padding: int, align_corners: bool) -> Any:
    total = None
    taps = [[(*planes.along(d, _inside_whole(x.whole + float(tap), planes.sizes[d], padding, align_corners)),
              cubic_weight(torch.abs(float(tap) - x.rest), -0.75)) for tap in range(-1, 3)] for d, x in enumerate(at)]
    for tap in itertools.product(*taps):
        value = planes.read([side[:2] for side in tap], functools.reduce(operator.mul, (side[2] for side in tap)))
        total = value if total is None else total + value
    return total


def _nearest(at: _Place) -> Any:
    """Halves to even numbers."""
    odd = at.whole - 2.0 * torch.floor(at.whole * 0.5)
    return torch.where((at.rest > 0.5) | ((at.rest == 0.5) & (odd == 1.0)), at.whole + 1.0, at.whole)


def _places(planes: _Planes, grid: Any, mode: int, padding: int, align_corners: bool) -> list[_Place]:
    """Coordinates of the points, slowest dimension first: the grid names the fastest one first."""
    n = len(planes.sizes)
    flat = grid.reshape(grid.shape[0], planes.points, n)
    if padding != ZEROS:
        flat = torch.clamp(flat, -FAR, FAR)  # infinite ones are beyond the border as well
    at = [_unnormalize(flat[..., n - 1 - d], planes.sizes[d], align_corners) for d in range(n)]
    return at if mode == BICUBIC else [_inside(c, size, padding, align_corners) for c, size in zip(at, planes.sizes)]


def _sampled(planes: _Planes, at: list[_Place], mode: int, padding: int, align_corners: bool) -> Any:
    """Of every plane at every point."""
    if mode == BICUBIC:
        return _cubic(planes, at, padding, align_corners)
    return _corners(planes, at) if mode == BILINEAR else planes.read([planes.along(d, _nearest(c)) for d, c in enumerate(at)], None)


def _points_of(grid: Any) -> Any:
    points: Any = 1
    for size in grid.shape[1:-1]:
        points = points * size
    return points


def _sampler(n: int) -> Any:
    def grid_sampler(x: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
        planes = _Planes(x, n, _points_of(grid))
        result = _sampled(planes, _places(planes, grid, mode, padding, align_corners), mode, padding, align_corners)
        return result.reshape([x.shape[0], x.shape[1], *grid.shape[1: n + 1]])

    grid_sampler.keeps_dtype = True  # of its operands: need not be found out by PyTorch's own decomposition
    return grid_sampler


def _autograd() -> Any:
    """Decompositions are called below autograd."""
    return torch._C._SetExcludeDispatchKeyGuard(torch._C.DispatchKey.AutogradFunctionality, False)


def _gradient(n: int) -> Any:
    """Autograd of the sampler as it is written here: reads become scatter_add, floors have no derivative. What a plane changes by along a
    dimension comes before the gradient is multiplied, as in PyTorch: infinite ones meet no zeros from beyond the border."""

    def grid_sampler_backward(grad: Any, x: Any, grid: Any, mode: int, padding: int, align_corners: bool, output_mask: Sequence[bool]) -> Any:
        by_x, by_grid = None, torch.zeros_like(grid) if output_mask[1] else None
        with torch.enable_grad(), _autograd():
            x, grid = x.detach().requires_grad_(), grid.detach().requires_grad_()
            planes = _Planes(x, n, _points_of(grid))
            grad = grad.reshape(planes.flat.shape[0], planes.flat.shape[1], planes.points)
            at = _places(planes, grid, mode, padding, align_corners)
            rests = [c.rest.detach().unsqueeze(1).expand(grad.shape).requires_grad_() for c in at] if mode != NEAREST else [c.rest for c in at]
            y = _sampled(planes, [_Place(c.whole.detach(), r) for c, r in zip(at, rests)], mode, padding, align_corners)
            if output_mask[0]:
                by_x = torch.autograd.grad(y, x, grad.to(y.dtype), retain_graph=True)[0]
            if output_mask[1] and mode != NEAREST:
                slopes = torch.autograd.grad(y, rests, torch.ones_like(y))
                by_grid = torch.autograd.grad([c.rest for c in at], grid, [(grad * s).sum(1) for s in slopes])[0]
        return by_x, by_grid

    return grid_sampler_backward


def affine_grid(theta: Any, size: Any, align_corners: bool) -> Any:
    """Points of [-1, 1], the fastest dimension first, times theta [N, n, n + 1]."""
    n = len(size) - 2
    points = []
    for d in range(n):
        length = size[2 + d]
        i = count(length).to(torch.float32)
        place = i * (2.0 / torch.sym_max(length - 1, 1)) - (1.0 if length != 1 else 0.0) if align_corners else (2.0 * i + 1.0) / length - 1.0
        points.append(place.reshape([1, *([1] * d), length, *([1] * (n - 1 - d))]))
    columns = []
    for row in range(n):
        total = theta[:, row, n].reshape([-1, *([1] * n)])
        for k in range(n):
            total = total + theta[:, row, k].reshape([-1, *([1] * n)]) * points[n - 1 - k]
        columns.append(total)
    return torch.stack(columns, -1)


def decompositions() -> dict[Any, Any]:
    """By operator, in the form of PyTorch's decomposition tables."""
    return {aten.grid_sampler_2d.default: _sampler(2), aten.grid_sampler_3d.default: _sampler(3),
            aten.grid_sampler_2d_backward.default: _gradient(2), aten.grid_sampler_3d_backward.default: _gradient(3),
            aten.affine_grid_generator.default: affine_grid}
