"""Within StableOrder equal elements stay in their order, whatever PyTorch's CPU does."""

from __future__ import annotations

from typing import Any

import pytest
import torch

from bridge.stable import StableOrder, StaysFloat64

FEW = torch.randint(0, 5, (7, 3, 99), generator=torch.Generator().manual_seed(3)).float()


def order_of(x: Any, descending: bool) -> list[int]:
    """Of a row, by Python's sort, which is stable."""
    row = x.tolist()
    return sorted(range(len(row)), key=lambda i: -row[i] if descending else row[i])


@pytest.mark.parametrize("descending", [False, True])
@pytest.mark.parametrize("call", [lambda x, d: torch.sort(x, dim=-1, descending=d)[1], lambda x, d: torch.argsort(x, dim=-1, descending=d),
                                  lambda x, d: torch.sort(x, stable=False, dim=-1, descending=d)[1], lambda x, d: torch.topk(x, 99, -1, d)[1]])
def test_equal_elements(call: Any, descending: bool) -> None:
    for x in (FEW, FEW.half(), FEW.double(), FEW.int()):
        with StableOrder():
            places = call(x, descending)
        assert places[2, 1].tolist() == order_of(x[2, 1], descending)


def test_one_of_a_row() -> None:
    with StableOrder():
        value, place = torch.kthvalue(FEW, 40, -1)
        middle, at = FEW.median(-1)
        first, _ = FEW.transpose(1, 2).median(1, keepdim=True)
    row = FEW[4, 0]
    assert place[4, 0] == order_of(row, False)[39] and value[4, 0] == row[place[4, 0]]
    assert at[4, 0] == order_of(row, False)[49] and middle.equal(FEW.median(-1)[0]) and first.squeeze(1).equal(middle)


def test_the_rest_is_as_ever() -> None:
    x = FEW.clone()
    x[0, 0, 5] = x[1, 1, 7] = float("nan")
    with StableOrder():
        values, places = x.median(-1)
        assert x[1, 1][places[1, 1]].isnan() and values.isnan().equal(FEW.new_tensor([[1, 0, 0], [0, 1, 0]] + [[0, 0, 0]] * 5).bool())
        assert torch.sort(torch.tensor(3.0))[0] == 3 and torch.topk(torch.tensor([[1.0, 3], [2, 0]]), 1, 0, False)[0].tolist() == [[1, 0]]
        assert torch.sort(torch.zeros(0, 3), dim=0)[0].shape == (0, 3) and torch.softmax(FEW, -1).equal(torch.softmax(FEW, -1))


def test_gradients_go_to_the_first() -> None:
    x = torch.ones(6, requires_grad=True)
    with StableOrder():
        torch.topk(x, 2)[0].sum().backward()
    assert x.grad is not None and x.grad.tolist() == [1, 1, 0, 0, 0, 0]


def test_mode() -> None:
    """As PyTorch where there is no NaN, but the last place; elsewhere NaN counts as no value at all, unless there is no other."""
    few = FEW[..., :9]
    with StableOrder():
        value, place = torch.mode(few, -1)
        along, _ = torch.mode(few.transpose(0, 2), 0, keepdim=True)
    assert value.equal(few.mode(-1)[0]) and along[0].equal(value.transpose(0, 1)) and few.gather(-1, place.unsqueeze(-1)).squeeze(-1).equal(value)
    row = few[2, 1].tolist()
    assert place[2, 1] == max(i for i, v in enumerate(row) if v == value[2, 1])
    nan = float("nan")
    with StableOrder():
        value, place = torch.mode(torch.tensor([[nan, 2.0, nan, 1.0, nan], [nan, 3.0, nan, 3.0, 1.0], [nan] * 5]))
    assert value[:2].tolist() == [1.0, 3.0] and value[2].isnan() and place.tolist() == [3, 3, 0]


def test_middle_without_nan() -> None:
    few = FEW[..., :9].clone()
    few[2, 1, 3:7] = few[0, 0] = float("nan")
    with StableOrder():
        value, place = torch.nanmedian(few, -1)
    assert value.nan_to_num(-1).equal(few.nanmedian(-1)[0].nan_to_num(-1)) and place[0, 0] == 0
    row = few[2, 1].tolist()
    assert place[2, 1] == sorted((i for i in range(9) if row[i] == row[i]), key=lambda i: row[i])[2]


def test_float64_is_not_rounded_to_float32_on_the_way():
    x = torch.tensor([1.0 + 2.0 ** -40, 3.0], dtype=torch.float64, requires_grad=True)
    with StaysFloat64():
        y = (x.float() * x.to(torch.float32)).sum(dtype=torch.float32)
        half = torch.ones(2, dtype=torch.float16).float()
    assert y.dtype == torch.float64 and y.item() == float(x.detach()[0]) ** 2 + 9.0 and half.dtype == torch.float32
    assert torch.equal(torch.autograd.grad(y, x)[0], 2 * x.detach())
