"""Operators written with others, against PyTorch's own."""

from __future__ import annotations

import pytest
import torch

from bridge import rewrites

GEN = torch.Generator().manual_seed(7)


@pytest.mark.parametrize("size, step", [(3, 1), (4, 4), (2, 5), (8, 3)])
@pytest.mark.parametrize("dim", [0, 1, -1])
def test_unfold(size: int, step: int, dim: int) -> None:
    x = torch.randn(9, 8, 11, generator=GEN)
    assert rewrites.unfold(x, dim, size, step).equal(x.unfold(dim, size, step))


def test_unfold_of_a_number() -> None:
    assert rewrites.unfold(torch.tensor(3.0), 0, 1, 1).equal(torch.tensor(3.0).unfold(0, 1, 1))


@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 2.0, 3.0, float("inf")])
def test_cdist(p: float) -> None:
    x, y = torch.randn(2, 1, 5, 4, generator=GEN, dtype=torch.float64), torch.randn(3, 6, 4, generator=GEN, dtype=torch.float64)
    torch.testing.assert_close(rewrites.cdist(x, y, p), torch.cdist(x, y, p=p))
    x[0, 0, 1, 2] = float("nan")
    assert rewrites.cdist(x, y, p).isnan().equal(torch.cdist(x, y, p=p, compute_mode="donot_use_mm_for_euclid_dist").isnan())


@pytest.mark.parametrize("dim", [0, 1])
def test_cross(dim: int) -> None:
    x, y = torch.randn(3, 3, 1, generator=GEN), torch.randn(3, 3, 4, generator=GEN)
    torch.testing.assert_close(rewrites.linalg_cross(x, y, dim=dim), torch.linalg.cross(x, y, dim=dim))
    assert rewrites.linalg_cross(torch.zeros(2, 4), torch.zeros(2, 4)) is NotImplemented


def test_rrelu() -> None:
    x = torch.randn(50, generator=GEN)
    assert rewrites.rrelu(x, 0.1, 0.3).equal(torch.rrelu(x, 0.1, 0.3, False)) and rewrites.rrelu(x, training=True) is NotImplemented
