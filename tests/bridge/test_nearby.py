"""What integers that rest on computed values may be beside what the float64 run gives."""

from __future__ import annotations

from typing import Any, Callable

import pytest
import torch

from bridge import nearby
from bridge.stable import StableOrder

X = torch.randn(5, 40, generator=torch.Generator().manual_seed(5), dtype=torch.float64)
WHOLE = torch.iinfo(torch.int64)


def latitude(f: Callable[[], Any]) -> nearby.Latitude:
    def run(nudge: float) -> tuple[torch.Tensor, nearby.Watch]:
        watch = nearby.Watch(nudge)
        with StableOrder(), watch:
            return f().detach(), watch

    out, watch = run(0.0)
    nudged = [[run(n)[0]] for n in (-nearby.NUDGE, nearby.NUDGE)] if watch.rounds else []
    return nearby.latitude_of([out], watch, nudged)[0]


@pytest.mark.parametrize("call", [lambda v: torch.sort(v, -1)[1], lambda v: torch.argsort(v, -1), lambda v: torch.sort(v, dim=-1, descending=True, stable=True)[1],
                                  lambda v: torch.topk(v, 3, -1)[1].to(torch.int32), lambda v: v.max(-1)[1], lambda v: v.argmin(-1),
                                  lambda v: v.kthvalue(2, -1)[1], lambda v: v.argmax(-1, keepdim=True).squeeze(-1), lambda v: v.median(-1)[1]])
def test_an_index_into_computed_values(call: Callable[[Any], Any]) -> None:
    computed = latitude(lambda: call(torch.softmax(X, -1)))
    assert computed.picks is not None and computed.picks.values.equal(torch.softmax(X, -1)) and computed.low is None
    shape = call(X).shape
    assert computed.picks.to_json(shape) == {"n": 40, "k": shape[1] if len(shape) > 1 else 1, "inner": 1}
    for exact in (lambda: call(X), lambda: call(X.abs().flip(0)[1:3]), lambda: call(torch.cat([X, X.clone()]).clamp(-1, 1))):
        assert latitude(exact) == nearby.Latitude()


def test_the_dimension_and_all() -> None:
    middle = latitude(lambda: torch.topk(X.view(5, 8, 5) * 3, 2, 1)[1])
    assert middle.picks is not None and middle.picks.to_json(torch.Size([5, 2, 5])) == {"n": 8, "k": 2, "inner": 5}
    everything = latitude(lambda: (X * 3).argmax())
    assert everything.picks is not None and everything.picks.to_json(torch.Size([])) == {"n": 200, "k": 1, "inner": 1}


def test_rounding() -> None:
    edge = torch.tensor([0.5, 1.5, 2.4, -0.5, 7.0], dtype=torch.float64)
    for f, low, high in ((lambda: torch.round(edge / 1.0).to(torch.int8), [0, 1, 2, -1, 7], [1, 2, 2, 0, 7]),
                         (lambda: (edge * 1.0 + 0.5).floor().clamp(0, 3).int() + 1, [1, 2, 3, 1, 4], [2, 3, 3, 1, 4]),
                         (lambda: edge * 2.0 > 1.0, [0, 1, 1, 0, 1], [1, 1, 1, 0, 1]),
                         (lambda: 9 - (edge * 2.0).long(), [9, 7, 5, 9, -5], [9, 7, 5, 10, -4])):
        found = latitude(f)
        assert found.low is not None and found.high is not None and found.picks is None
        if f().dtype != torch.int64:
            assert found.low.tolist() == low and found.high.tolist() == high
    assert latitude(lambda: (edge * 2.0).round().long() * 3) == nearby.Latitude()  # no value is on an edge
    assert latitude(lambda: torch.round(edge).to(torch.int32)) == nearby.Latitude()  # inputs are exact
    assert latitude(lambda: edge > 0.5) == nearby.Latitude()


def test_what_no_integer_holds() -> None:
    x = torch.tensor([1.0, float("inf"), 3e9, -129.0], dtype=torch.float64)
    for dtype, n in ((torch.int8, [0, 1, 1, 1]), (torch.int32, [0, 1, 1, 0]), (torch.int64, [0, 1, 0, 0])):
        found = latitude(lambda: x.to(dtype).unsqueeze(0))
        assert found.low is not None and found.high is not None
        assert (found.low == WHOLE.min).int().tolist() == [n] and (found.high == WHOLE.max).int().tolist() == [n]


def test_floating_outputs_have_none() -> None:
    assert latitude(lambda: torch.softmax(X, -1)) == nearby.Latitude()
