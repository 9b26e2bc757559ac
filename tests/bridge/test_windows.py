"""What bridge/windows.py makes of PyTorch's operators, computed here as its text says, against PyTorch in float64."""

from __future__ import annotations

import itertools
import math
from typing import Any, List, Optional, Tuple

import pytest
import torch
import torch.nn.functional as F

from bridge import resize, window_gradients, windows


def taps_of(numbers: List[int], n: int, out: int, index: Optional[torch.Tensor], is_last: bool) -> torch.Tensor:
    """[out, taps]: the indices, -1 for taps outside."""
    kernel, stride, padding, dilation, _ = numbers
    o = torch.arange(out)[:, None]
    if kernel == windows.TABLE:
        assert index is not None
        return (index.t() if is_last else index).long()
    if kernel == windows.ADAPTIVE:
        begin, end = o * n // out, -(-(o + 1) * n // out)
        at = begin + torch.arange(int((end - begin).max()))
        return torch.where(at < end, at, -1)
    at = o * stride - padding + torch.arange(kernel) * dilation
    return torch.where((at >= 0) & (at < n), at, -1)


def divisors(numbers: List[int], n: int, out: int, taps: torch.Tensor) -> torch.Tensor:
    kernel, stride, padding, _, code = numbers
    if code < 0:
        return torch.full((out,), float(-code))
    if code == windows.BY_TAPS_INSIDE:
        return (taps >= 0).sum(1).double()
    if code == windows.BY_TAPS_PADDED:
        start = torch.arange(out) * stride - padding
        return (torch.clamp(start + kernel, max=n + padding) - start).double()
    return torch.ones(out)


def along(x: torch.Tensor, dim: int, taps: torch.Tensor, empty: float) -> torch.Tensor:
    """x with dimension dim, counted from the front, replaced by two: out and taps."""
    fill = torch.full_like(x.narrow(dim, 0, 1), empty)
    flat = torch.cat([x, fill], dim).index_select(dim, torch.where(taps < 0, x.shape[dim], taps).flatten())
    return flat.unflatten(dim, list(taps.shape))


def window_sum(x: torch.Tensor, axes: List[int], size: List[int], index: Any, weight: Any) -> torch.Tensor:
    n = len(size)
    for i in range(n):
        dim, numbers = x.dim() - n + i, axes[5 * i: 5 * i + 5]
        table = index[i] if index else None
        taps = taps_of(numbers, x.shape[dim], size[i], table, i + 1 == n)
        parts = along(x, dim, taps, 0.0)
        if table is not None:
            w = weight[i].t() if i + 1 == n else weight[i]
            parts = parts * torch.where(taps < 0, 0.0, w.to(parts.dtype)).reshape(*w.shape, *[1] * (x.dim() - dim - 1))
        total = parts.sum(dim + 1)
        by = torch.ones(size[i]) if table is not None else divisors(numbers, x.shape[dim], size[i], taps)
        x = total / by.to(total.dtype).reshape(-1, *[1] * (total.dim() - dim - 1))
    return x


def window_max(x: torch.Tensor, axes: List[int], size: List[int]) -> Tuple[torch.Tensor, torch.Tensor]:
    n, lead = len(size), x.dim() - len(size)
    place = torch.arange(math.prod(x.shape[lead:])).reshape(x.shape[lead:]).double()
    for i in range(n):
        taps = taps_of(axes[5 * i: 5 * i + 5], x.shape[lead + 2 * i], size[i], None, False)
        x, place = along(x, lead + 2 * i, taps, -math.inf), along(place, 2 * i, taps, math.inf)
    order = [2 * i for i in range(n)] + [2 * i + 1 for i in range(n)]
    x = x.permute(*range(lead), *[lead + d for d in order]).flatten(lead + n)
    place = place.permute(order).flatten(n).expand_as(x)
    best = x.amax(-1, keepdim=True)
    return best.squeeze(-1), torch.where(x == best, place, math.inf).amin(-1).long()


@pytest.fixture(autouse=True)
def computed(monkeypatch):
    """The operators as functions on real tensors."""
    class Ops:
        pass

    Ops.window_sum, Ops.window_max = staticmethod(window_sum), staticmethod(window_max)
    monkeypatch.setattr(windows, "ops", Ops)


def tensor(*shape: int) -> torch.Tensor:
    generator = torch.Generator().manual_seed(sum(shape))
    return torch.randn(*shape, dtype=torch.float64, generator=generator)


TABLE = windows.decompositions()
SHAPES = {1: (2, 3, 17), 2: (2, 9, 13), 3: (2, 6, 7, 9)}
KERNELS = {1: [2, 5], 2: [3, (2, 4)], 3: [2, (3, 2, 4)]}


def pool_options(n: int) -> Any:
    for kernel, stride, half, ceil_mode in itertools.product(KERNELS[n], (None, 1, 3), (False, True), (False, True)):
        sides = windows.per_dim(kernel, n)
        yield sides, sides if stride is None else [stride] * n, [k // 2 if half else 0 for k in sides], ceil_mode


@pytest.mark.parametrize("n", [1, 2, 3])
def test_avg_pool(n):
    x, ours = tensor(*SHAPES[n]), TABLE[getattr(torch.ops.aten, f"avg_pool{n}d").default]
    for kernel, stride, padding, ceil_mode in pool_options(n):
        for count_pad, divisor in ((True, None), (False, None), (True, 5)) if n > 1 else ((True, None), (False, None)):
            options = (kernel, stride, padding, ceil_mode, count_pad, *([divisor] if n > 1 else []))
            want = getattr(F, f"avg_pool{n}d")(x, *options)
            got = ours(x, *options)
            assert got.shape == want.shape and torch.allclose(got, want), options


@pytest.mark.parametrize("n", [1, 2, 3])
def test_max_pool(n):
    x = tensor(*SHAPES[n])
    x[x < -0.5] = -1.0  # equal elements: the first counts
    ours = TABLE[getattr(torch.ops.aten, f"max_pool{n}d_with_indices").default]
    for kernel, stride, padding, ceil_mode in pool_options(n):
        for dilation in (1, 2):
            try:
                want = getattr(F, f"max_pool{n}d")(x, kernel, stride, padding, dilation, ceil_mode, True)
            except RuntimeError:
                continue  # the dilated window is longer than the input
            got = ours(x, kernel, stride, padding, [dilation], ceil_mode)
            assert torch.equal(got[0], want[0]) and torch.equal(got[1], want[1]), (kernel, stride, padding, dilation, ceil_mode)


@pytest.mark.parametrize("n", [1, 2, 3])
def test_adaptive(n):
    x = tensor(*SHAPES[n])
    for size in ([1] * n, [4] * n, [5, 3, 2][:n], list(x.shape[-n:]), [20] * n):
        name = "_adaptive_avg_pool" if n > 1 else "adaptive_avg_pool"
        avg = TABLE[getattr(torch.ops.aten, f"{name}{n}d").default](x, size)
        assert torch.allclose(avg, getattr(F, f"adaptive_avg_pool{n}d")(x, size)), size
        want = getattr(F, f"adaptive_max_pool{n}d")(x, size, return_indices=True)
        got = TABLE[getattr(torch.ops.aten, f"adaptive_max_pool{n}d").default](x, size)
        assert torch.equal(got[0], want[0]) and torch.equal(got[1], want[1]), size


# ---- resizing ---------------------------------------------------------------------------------------------------------

RESIZE = resize.decompositions()
MODES = [("upsample_nearest", n, None) for n in (1, 2, 3)] + [("_upsample_nearest_exact", n, None) for n in (1, 2, 3)] + [
    (name, n, corners) for name, n in (("upsample_linear", 1), ("upsample_bilinear", 2), ("upsample_trilinear", 3), ("upsample_bicubic", 2))
    for corners in (False, True)]


def of_mode(name: str, n: int, overload: str) -> Any:
    return getattr(getattr(torch.ops.aten, f"{name}{n}d"), overload)


@pytest.mark.parametrize("name, n, corners", MODES)
def test_resize_to_size(name, n, corners):
    x = tensor(*{1: (2, 3, 13), 2: (2, 2, 7, 10), 3: (1, 2, 5, 4, 6)}[n])
    op = of_mode(name, n, "default")
    flags = [] if corners is None else [corners]
    for size in ([1] * n, [5] * n, [20, 7, 9][:n], [2 * s for s in x.shape[-n:]], list(x.shape[-n:]), [37] * n if n < 3 else [8, 3, 11]):
        want = op(x, size, *flags)
        got = RESIZE[op](x, size, *flags)
        assert got.shape == want.shape and torch.allclose(got, want, atol=1e-5), size


@pytest.mark.parametrize("name, n, corners", MODES)
def test_resize_by_factor(name, n, corners):
    x = tensor(*{1: (2, 3, 13), 2: (2, 2, 7, 10), 3: (1, 2, 5, 4, 6)}[n])
    op = of_mode(name, n, "vec")
    flags = [] if corners is None else [corners]
    for factor in (2.0, 0.5, 1.5, 0.7, 3.3):
        want = op(x, None, *flags, [factor] * n)
        got = RESIZE[op](x, None, *flags, [factor] * n)
        assert got.shape == want.shape and torch.allclose(got, want, atol=1e-5), factor


@pytest.mark.parametrize("name", ["_upsample_bilinear", "_upsample_bicubic"])
@pytest.mark.parametrize("corners", [False, True])
def test_resize_with_antialias(name, corners):
    x = tensor(2, 3, 20, 31)
    op = getattr(torch.ops.aten, f"{name}2d_aa").default
    for size in ([1, 1], [5, 7], [10, 9], [20, 31], [33, 62], [13, 50]):
        want = op(x, size, corners)
        assert torch.allclose(RESIZE[op](x, size, corners), want, atol=1e-5), size


# ---- gradients --------------------------------------------------------------------------------------------------------

GRADIENTS = window_gradients.decompositions()


def compare_gradient(name: str, forward: Any, x: torch.Tensor, *args: Any, atol: float = 1e-5) -> None:
    x = x.clone().requires_grad_()
    y = forward(x)
    grad = torch.randn(y.shape, dtype=y.dtype, generator=torch.Generator().manual_seed(7))
    (want,) = torch.autograd.grad(y, x, grad)
    got = GRADIENTS[getattr(torch.ops.aten, name).default](grad, *args)
    assert got.shape == want.shape and torch.allclose(got, want, atol=atol), args


@pytest.mark.parametrize("n", [2, 3])
def test_avg_pool_gradient(n):
    x = tensor(*SHAPES[n])
    for kernel, stride, padding, ceil_mode in list(pool_options(n))[1::2]:
        for count_pad, divisor in ((True, None), (False, None), (True, 5)):
            options = (kernel, stride, padding, ceil_mode, count_pad, divisor)
            compare_gradient(f"avg_pool{n}d_backward", lambda v, o=options: getattr(F, f"avg_pool{n}d")(v, *o), x, x, *options)


@pytest.mark.parametrize("n", [2, 3])
def test_adaptive_gradient(n):
    x = tensor(*SHAPES[n])
    for size in ([4] * n, [5, 3, 2][:n], list(x.shape[-n:]), [20] * n):
        compare_gradient(f"_adaptive_avg_pool{n}d_backward", lambda v, s=size: getattr(F, f"adaptive_avg_pool{n}d")(v, s), x, x)


@pytest.mark.parametrize("n", [2, 3])
def test_max_pool_gradient(n):
    x = tensor(*SHAPES[n])
    places = getattr(F, f"max_pool{n}d")(x, 3, 2, 1, return_indices=True)[1]
    compare_gradient(f"max_pool{n}d_with_indices_backward", lambda v: getattr(F, f"max_pool{n}d")(v, 3, 2, 1), x, x, [3] * n, [2] * n, [1] * n,
                     [1] * n, False, places)


@pytest.mark.parametrize("name, n, corners", MODES)
def test_resize_gradient(name, n, corners):
    x = tensor(*{1: (2, 3, 13), 2: (2, 2, 7, 10), 3: (1, 2, 5, 4, 6)}[n])
    op, flags = of_mode(name, n, "default"), [] if corners is None else [corners]
    for size in ([1] * n, [5] * n, [20, 7, 9][:n], [2 * s for s in x.shape[-n:]], list(x.shape[-n:]), [37] * n if n < 3 else [8, 3, 11]):
        compare_gradient(f"{name}{n}d_backward", lambda v, s=size: op(v, s, *flags), x, size, list(x.shape), *flags, atol=1e-4)
    for factor in (2.0, 0.7):
        size = [int(s * factor) for s in x.shape[-n:]]
        compare_gradient(f"{name}{n}d_backward", lambda v, s=size, f=factor: op(v, s, *flags, *[f] * n), x, size, list(x.shape), *flags,
                         *[factor] * n, atol=1e-4)
