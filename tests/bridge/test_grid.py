"""What bridge/grid.py makes of grid_sample and affine_grid, against PyTorch in float64."""

from __future__ import annotations

import itertools

import pytest
import torch

from bridge import grid

TABLE = grid.decompositions()
aten = torch.ops.aten


@pytest.mark.parametrize("mode, n", [(0, 2), (1, 2), (2, 2), (0, 3), (1, 3)])
def test_grid_sample(mode, n):
    generator = torch.Generator().manual_seed(n)
    x = torch.randn(2, 3, *(5, 8, 4)[:n], dtype=torch.float64, generator=generator)
    points = torch.rand(2, *(6, 7, 3)[:n], n, dtype=torch.float64, generator=generator) * 3.6 - 1.8
    op = getattr(aten, f"grid_sampler_{n}d").default
    for padding, corners in itertools.product((0, 1, 2), (False, True)):
        assert torch.allclose(TABLE[op](x, points, mode, padding, corners), op(x, points, mode, padding, corners)), (padding, corners)


def test_grid_sample_of_one_element():
    x, points = torch.randn(1, 1, 1, 1), torch.rand(1, 3, 3, 2) * 4 - 2
    op = aten.grid_sampler_2d.default
    for mode, padding, corners in itertools.product((0, 1, 2), (0, 1, 2), (False, True)):
        assert torch.allclose(TABLE[op](x, points, mode, padding, corners), op(x, points, mode, padding, corners), atol=1e-6), (mode, padding, corners)


@pytest.mark.parametrize("size", [[2, 3, 5, 8], [2, 1, 1, 4], [2, 1, 3, 4, 5]])
def test_affine_grid(size):
    theta = torch.randn(2, len(size) - 2, len(size) - 1)
    for corners in (False, True):
        got = grid.affine_grid(theta, size, corners)
        assert torch.allclose(got, torch.nn.functional.affine_grid(theta, size, corners), atol=1e-6), corners


@pytest.mark.parametrize("corners", (False, True))
@pytest.mark.parametrize("padding", (0, 1, 2))
def test_wide_planes_lose_no_digits(padding, corners):
    """In float32, of values that differ from neighbour to neighbour, the result is as exact as its weights are."""
    generator = torch.Generator().manual_seed(3)
    x = torch.randn(1, 2, 5, 9973, generator=generator)
    points = torch.rand(1, 4, 500, 2, generator=generator) * 2.2 - 1.1
    op = aten.grid_sampler_2d.default
    for mode in (0, 1):
        right = op(x.double(), points.double(), mode, padding, corners)
        assert (TABLE[op](x, points, mode, padding, corners).double() - right).abs().max() < 2e-6, mode


def test_points_far_away():
    x, points = torch.randn(1, 1, 4, 6), torch.tensor([float("inf"), -float("inf"), 1e30, float("nan"), 0.3, -5.0]).reshape(1, 3, 1, 2)
    op = aten.grid_sampler_2d.default
    for mode in (0, 1):
        assert torch.allclose(TABLE[op](x, points, mode, 1, False), op(x, points, mode, 1, False), atol=1e-6), mode


@pytest.mark.parametrize("mode, padding, align_corners", [(0, 0, False), (0, 1, True), (0, 2, False), (1, 1, False), (2, 0, True), (2, 2, False)])
def test_gradients_are_those_of_pytorch(mode, padding, align_corners):
    generator = torch.Generator().manual_seed(5)
    for n, backward in ((2, torch.ops.aten.grid_sampler_2d_backward.default), (3, torch.ops.aten.grid_sampler_3d_backward.default)):
        if n == 3 and mode == 2:
            continue  # PyTorch has no bicubic planes of three dimensions
        x = torch.randn(2, 3, *(5, 7, 4)[:n], generator=generator)
        at = torch.randn(2, *(4, 3, 2)[:n], n, generator=generator) * 0.8
        grad = torch.randn(2, 3, *(4, 3, 2)[:n], generator=generator)
        if n == 2 and padding == 0 and mode < 2:
            grad[0, 1, 0, 0] = float("inf")
        modes = (mode, padding, align_corners, [True, True])
        want = backward(grad.double(), x.double(), at.double(), *modes)
        found = grid.decompositions()[backward](grad, x, at, *modes)
        assert all(torch.allclose(f.double(), w, 1e-4, 1e-5, equal_nan=True) for f, w in zip(found, want))
        only = grid.decompositions()[backward](grad, x, at, mode, padding, align_corners, [False, True])
        assert only[0] is None and torch.equal(only[1].nan_to_num(), found[1].nan_to_num())
