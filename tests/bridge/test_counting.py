"""What bridge/counting.py makes of PyTorch's operators, against PyTorch."""

from __future__ import annotations

import itertools

import pytest
import torch

from bridge import counting

aten = torch.ops.aten
TABLE = counting.decompositions()


@pytest.mark.parametrize("rows, cols", [(1, 1), (5, 9), (9, 5), (7, 7), (0, 3)])
def test_triangles(rows, cols):
    x = torch.randn(2, rows, cols)
    for op in (aten.tril.default, aten.triu.default):
        for diagonal in range(-rows - 1, cols + 2):
            assert torch.equal(TABLE[op](x, diagonal), op(x, diagonal)), (op, diagonal)


def test_arange():
    for start, end, step in itertools.product((-7, 0, 5), (-9, 0, 4, 13), (-4, -1, 1, 3)):
        if (end - start) * step < 0:
            continue
        want = torch.arange(start, end, step)
        got = counting.arange(start, end, step)
        assert got.dtype == want.dtype and torch.equal(got, want), (start, end, step)
    for start, end, step in ((0.0, 1.7, 0.1), (2.5, -3, -0.75), (0, 4, 0.5)):
        assert torch.allclose(counting.arange(start, end, step), torch.arange(start, end, step))
    assert torch.equal(TABLE[aten.arange.default](5, dtype=torch.int32), torch.arange(5, dtype=torch.int32))


def test_linspace():
    for start, end, steps in itertools.product((-1.0, 0, 3), (2.5, -4), (1, 2, 7, 100)):
        assert torch.allclose(counting.linspace(start, end, steps), torch.linspace(start, end, steps), atol=1e-6), (start, end, steps)


def test_eye():
    for n, m in ((1, 1), (4, 7), (7, 4)):
        assert torch.equal(counting.eye(n, m), torch.eye(n, m))
    assert torch.equal(counting.eye(5, dtype=torch.int32), torch.eye(5, dtype=torch.int32))


def test_diag_embed():
    x = torch.randn(2, 3, 4)
    for offset, (dim1, dim2) in itertools.product((-2, 0, 1), ((-2, -1), (0, 2), (3, 1))):
        assert torch.equal(counting.diag_embed(x, offset, dim1, dim2), torch.diag_embed(x, offset, dim1, dim2)), (offset, dim1, dim2)
