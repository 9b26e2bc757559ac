"""Functions of torch_npu that stand in for references, against loops over their definitions."""

from __future__ import annotations

import math
from typing import Any

import pytest
import torch

from bridge import npu_fused as npu

GEN = torch.Generator().manual_seed(11)


def close(got: torch.Tensor, want: Any, tol: float = 1e-5) -> None:
    torch.testing.assert_close(got, torch.as_tensor(want, dtype=got.dtype), atol=tol, rtol=tol)


def test_rotations_turn_pairs_by_their_angle() -> None:
    x, angle = torch.randn(2, 3, 5, 8, generator=GEN), torch.randn(4, generator=GEN)
    halves, pairs = torch.cat([angle, angle]), angle.repeat_interleave(2)
    z = torch.polar(torch.ones(4), angle)
    turned = torch.complex(x[..., :4], x[..., 4:]) * z
    close(npu.rotary_mul(x, halves.cos(), halves.sin()), torch.cat([turned.real, turned.imag], -1))
    turned = torch.complex(x[..., 0::2], x[..., 1::2]) * z
    close(npu.rotary_mul(x, pairs.cos(), pairs.sin(), rotary_mode="interleave"), torch.stack([turned.real, turned.imag], -1).flatten(-2))
    close(npu.interleave_rope(x, halves.cos(), halves.sin()), torch.cat([turned.real, turned.imag], -1))
    assert npu.rotary_mul(x.half(), halves.cos(), halves.sin()).dtype == torch.float16


def test_group_norm_swish() -> None:
    x, w, b = torch.randn(3, 6, 4, 5, generator=GEN), torch.randn(6, generator=GEN), torch.randn(6, generator=GEN)
    y, mean, rstd = npu.group_norm_swish(x, 2, w, b, 1e-5, 0.5)
    plain = torch.nn.functional.group_norm(x, 2, w, b, 1e-5)
    close(y, plain * torch.sigmoid(0.5 * plain))
    close(mean, x.view(3, 2, -1).mean(-1))
    close(rstd, 1 / torch.sqrt(x.view(3, 2, -1).var(-1, unbiased=False) + 1e-5))


@pytest.mark.parametrize("is_count", [False, True])
@pytest.mark.parametrize("mode", [0, 1])
@pytest.mark.parametrize("wide", [False, True])
def test_swiglu_quant(is_count: bool, mode: int, wide: bool) -> None:
    x = torch.randn(2, 5, 12, generator=GEN) * 3
    scales, offsets = (torch.randn(3, *((6,) if wide else ()), generator=GEN) for _ in range(2))
    index = torch.tensor([4, 0, 3] if is_count else [4, 4, 7], dtype=torch.int32)
    y, s = npu.swiglu_quant(x, smooth_scales=scales, offsets=offsets, group_index=index, activate_left=True, quant_mode=mode,
                            group_list_type=int(is_count))
    rows = x.view(10, 12)
    for r in range(10):
        v = [rows[r, i].item() / (1 + math.exp(-rows[r, i].item())) * rows[r, i + 6].item() for i in range(6)]
        g = 0 if r < 4 else 2 if r < 7 else None
        of = lambda t, i: t[g, i].item() if wide else t[g].item()
        if g is not None:
            v = [v[i] * of(scales, i) + (of(offsets, i) if mode == 0 else 0) for i in range(6)]
        scale = 127 / max(abs(n) for n in v) if mode == 1 else 1
        assert y.view(10, 6)[r].tolist() == pytest.approx([max(-128, min(127, round(n * scale))) for n in v], abs=1e-6)
        assert s.view(10)[r].item() == pytest.approx(scale if mode == 1 else 0, rel=1e-4)


def test_quant_scatter() -> None:
    old = torch.randint(-128, 128, (3, 2, 9, 4), generator=GEN).to(torch.int8)
    new, scale, zero = torch.randn(3, 2, 2, 4, generator=GEN), torch.rand(4, generator=GEN) * 0.1 + 0.01, torch.tensor([1, -2, 3, 0])
    new[0, 0, 0, 0], new[1, 1, 1, 1] = math.inf, -math.inf
    out = npu.quant_scatter(old, torch.tensor([5, 0, 7], dtype=torch.int32), new, scale, zero, axis=-2)
    want = old.clone()
    for i, at in enumerate((5, 0, 7)):
        want[i, :, at:at + 2] = torch.round(new[i] / scale + zero).clamp(-128, 127).to(torch.int8)
    assert out.equal(want) and out[0, 0, 5, 0] == 127 and out[1, 1, 1, 1] == -128


def test_expert_tokens() -> None:
    assert npu.moe_compute_expert_tokens(torch.tensor([0, 0, 2, 2, 2, 4], dtype=torch.int32), 6).tolist() == [2, 2, 5, 5, 6, 6]


def test_routing_there_and_back() -> None:
    n, k, h = 7, 3, 5
    x, experts = torch.randn(n, h, generator=GEN), torch.randint(0, 4, (n, k), generator=GEN, dtype=torch.int32)
    number = torch.arange(n * k, dtype=torch.int32).view(k, n).t().contiguous()
    rows, went, of = npu.moe_init_routing(x, number, experts, n)
    assert of.tolist() == sorted(experts.flatten().tolist())
    for r in range(n):
        for c in range(k):
            place = went[number[r, c]]
            assert of[place] == experts[r, c] and rows[place].equal(x[r])
    scales, bias, skip = torch.rand(n, k, generator=GEN), torch.randn(4, h, generator=GEN), torch.randn(n, h, generator=GEN)
    want = x * scales.sum(1, keepdim=True) + (bias[experts.long()] * scales.unsqueeze(-1)).sum(1) + skip
    close(npu.moe_finalize_routing(rows, skip, None, bias, scales, went, experts, 0), want)
    by_row = went.view(k, n).t().reshape(-1)
    close(npu.moe_finalize_routing(rows, skip, None, bias, scales, by_row, experts, 2), want)
    by_row[0], by_row[4] = -1, n * k
    lost = want.clone()
    lost[0] -= x[0] * scales[0, 0]
    lost[1] -= x[1] * scales[1, 1]
    close(npu.moe_finalize_routing(rows.view(k, n, h), skip, None, bias, scales, by_row, experts, 3), lost)


def test_gating() -> None:
    x, finished = torch.randn(2, 3, 8, generator=GEN), torch.tensor([[False, True, False], [True, False, False]])
    values, experts, number = npu.moe_gating_top_k_softmax(x, finished, 2)
    for r in range(6):
        p = torch.softmax(x.view(6, 8)[r], 0)
        best = p.argsort(descending=True)[:2].tolist()
        assert experts.view(6, 2)[r].tolist() == ([8, 8] if finished.view(6)[r] else best)
        close(values.view(6, 2)[r], p[best])
        assert number.view(6, 2)[r].tolist() == [r, r + 6]


def test_top_k_top_p() -> None:
    x, k, p = torch.randn(4, 30, generator=GEN), torch.tensor([3, 30, 10, 1], dtype=torch.int32), torch.tensor([1.0, 0.5, 0.8, 0.9])
    out = npu.top_k_top_p(x, p, k)
    for r in range(4):
        order = x[r].argsort(descending=True).tolist()[: int(k[r])]
        probability, kept, total = torch.softmax(x[r, order], 0), [], 0.0
        for i, place in enumerate(order):
            if total < p[r].item() or i == 0:
                kept.append(place)
            total += probability[i].item()
        assert [i for i in range(30) if out[r, i] != -math.inf] == sorted(kept)
        assert all(out[r, i] == x[r, i] for i in kept)


def test_what_is_not_known() -> None:
    with pytest.raises(NotImplementedError):
        npu.swiglu_quant(torch.zeros(2, 4), dst_type=torch.quint4x2)
    with pytest.raises(NotImplementedError):
        npu.quant_scatter(torch.zeros(2, 4), torch.zeros(1, 2), torch.zeros(1, 4), torch.ones(4))
