"""grid_sample and affine_grid: places computed for every point of the grid, reads of the flattened planes by index, weights."""

from __future__ import annotations

import itertools
from typing import Any

import torch

from .counting import count
from .resize import cubic_weight

aten = torch.ops.aten
BILINEAR, NEAREST, BICUBIC = 0, 1, 2
ZEROS, BORDER, REFLECTION = 0, 1, 2


def _unnormalize(x: Any, size: Any, align_corners: bool) -> Any:
    return (x + 1.0) * ((size - 1) / 2) if align_corners else ((x + 1.0) * size - 1.0) / 2.0


def _reflect(x: Any, twice_low: int, twice_high: Any) -> Any:
    low, span = twice_low / 2, (twice_high - twice_low) / 2
    away = torch.abs(x - low)
    flips = torch.floor(away / span)
    rest = away - flips * span
    odd = flips - 2.0 * torch.floor(flips / 2.0)
    return torch.where(odd == 0, rest + low, rest * -1.0 + (span + low))


def _inside(x: Any, size: Any, padding: int, align_corners: bool) -> Any:
    """The coordinate under the mode of padding."""
    if padding == REFLECTION:
        x = _reflect(x, 0, 2 * (size - 1)) if align_corners else _reflect(x, -1, 2 * size - 1)
    if padding == ZEROS:
        return x
    return torch.clamp(torch.clamp(torch.where(x == x, x, 0.0), min=0.0), max=size - 1)  # NaN goes to the first element


class _Planes:
    """x with its last dimensions as one, read at whole coordinates."""

    def __init__(self, x: Any, n: int, points: Any) -> None:
        self.sizes = list(x.shape[-n:])
        total: Any = 1
        for size in self.sizes:
            total = total * size
        self.flat = x.reshape(x.shape[0], x.shape[1], total)
        self.points = points

    def read(self, coordinates: list[Any], weight: Any) -> Any:
        """Elements at coordinates [N, points], slowest dimension first, times weight; 0 outside."""
        place, inside = None, None
        for at, size in zip(coordinates, self.sizes):
            here = (at >= 0.0) & (at <= size - 1)
            inside = here if inside is None else inside & here
            whole = torch.where(here, at, 0.0).to(torch.int32)
            place = whole if place is None else place * size + whole
        shape = [self.flat.shape[0], self.flat.shape[1], self.points]
        index = place.to(torch.int64).unsqueeze(1).expand(shape)
        values = aten.gather.default(self.flat, 2, index)
        values = torch.where(inside.unsqueeze(1), values, 0.0)
        return values if weight is None else values * weight.unsqueeze(1)  # a weight that is NaN shows, as in PyTorch


def _corners(planes: _Planes, at: list[Any]) -> Any:
    low = [torch.floor(x) for x in at]
    total = None
    for sides in itertools.product((0, 1), repeat=len(at)):
        weight = None
        for x, floor, side in zip(at, low, sides):
            part = x - floor if side else floor + 1.0 - x
            weight = part if weight is None else weight * part
        value = planes.read([floor + float(side) for floor, side in zip(low, sides)], weight)
        total = value if total is None else total + value
    return total


def _cubic(planes: _Planes, at: list[Any], padding: int, align_corners: bool) -> Any:
    low = [torch.floor(x) for x in at]
    total = None
    for taps in itertools.product(range(-1, 3), repeat=2):
        weight = None
        for x, floor, tap in zip(at, low, taps):
            part = cubic_weight(torch.abs(floor + float(tap) - x), -0.75)
            weight = part if weight is None else weight * part
        places = [_inside(floor + float(tap), size, padding, align_corners) for floor, tap, size in zip(low, taps, planes.sizes)]
        value = planes.read(places, weight)
        total = value if total is None else total + value
    return total


def _sampler(n: int) -> Any:
    def grid_sampler(x: Any, grid: Any, mode: int, padding: int, align_corners: bool) -> Any:
        out = list(grid.shape[1: n + 1])
        points: Any = 1
        for size in out:
            points = points * size
        flat = grid.reshape(x.shape[0], points, n)
        planes = _Planes(x, n, points)
        # The grid names the fastest dimension first.
        at = [_unnormalize(flat[..., n - 1 - d], planes.sizes[d], align_corners) for d in range(n)]
        if mode == BICUBIC:
            result = _cubic(planes, at, padding, align_corners)
        else:
            at = [_inside(c, size, padding, align_corners) for c, size in zip(at, planes.sizes)]
            result = _corners(planes, at) if mode == BILINEAR else planes.read([torch.round(c) for c in at], None)
        return result.reshape([x.shape[0], x.shape[1], *out])

    return grid_sampler


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
            aten.affine_grid_generator.default: affine_grid}
