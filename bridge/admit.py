"""The `admit` method: which cases the reference itself takes. A slice, a view or a number in forward may rule out sizes and
layouts that the operator could do; the reference is tried with them without data, under PyTorch's fake tensors."""

from __future__ import annotations

from typing import Any, Optional

import torch
from torch._subclasses.fake_tensor import DataDependentOutputException, DynamicOutputShapeException, FakeTensorMode

from . import cases, npu_functions, numpy_calls, reference, wide
from .errors import BridgeError, describe
from .evaluate import build


def admit(params: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """`admit` of docs/bridge.md."""
    specs = params.get("cases")
    if not isinstance(specs, list) or not all(isinstance(s, dict) for s in specs):
        raise BridgeError("bad_input", "cases is not a list of cases")
    ref = reference.load(params.get("path", ""))
    pools: dict[Any, list[Any]] = {}
    known: dict[str, Optional[str]] = {}
    reasons: list[Optional[str]] = []
    for spec in specs:
        key = repr((spec.get("kind"), spec.get("group"), spec.get("inputs"), spec.get("layout")))  # values and dtypes take no part in it
        if key not in known:
            pool = pools.setdefault(cases.take_group(ref, spec), [])
            pool[:] = pool or cases.sample_inputs(ref)
            known[key] = None if spec.get("kind") == "own" else refusal(ref, pool, spec)
        reasons.append(known[key])
    # A reference that takes nothing here cannot be tried without data: its real run tells.
    return {"refusals": reasons if None in reasons else [None] * len(reasons)}, []


def refusal(ref: reference.Reference, pool: list[Any], spec: dict[str, Any]) -> Optional[str]:
    """What forward says to a case's shapes and layout; None when it takes them."""
    shapes, model_shapes = cases.split_shapes(spec.get("inputs") or [])
    with FakeTensorMode(allow_non_fake_inputs=True):
        case = cases.Case(list(pool), list(ref.get_init_inputs()), None)
        rest = iter(shapes)
        for i, value in enumerate(pool):
            if isinstance(value, torch.Tensor):
                shape = wide.own_shape(next(rest), value) if shapes else list(value.shape)
                empty = torch.empty(shape, dtype=value.dtype)
                case.arguments[i] = cases.lay_out(empty, spec.get("layout", "contiguous"))
        case.model = model_shapes
        try:
            model = build(ref.cls, case, 0)
            with torch.no_grad(), npu_functions.standing_in(), numpy_calls.as_tensors(ref.module):
                model(*ref.nested(case.arguments))
        except (DataDependentOutputException, DynamicOutputShapeException):
            return None  # it took the shapes so far; from here on it goes by values
        except Exception as exc:  # noqa: BLE001 - whatever the user's code raises
            return describe(exc)
    return None
