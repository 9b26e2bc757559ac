"""What a forward operator may save for its gradient: candidates, and the text of reference modules that save and take them.

A saved value is a result of the n-th call of an operator below autograd. The forward module returns it behind its own
results; the gradient module has it as an argument, and what would compute it anew is dropped from the trace.
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple, Sequence

import torch

from . import backward_spec
from .backward_spec import Record, Spec

MAX_ALONE = 3  # candidates that are tried one by one


class Saved(NamedTuple):
    op: str      # "aten.native_layer_norm.default"
    call: int    # its n-th call, from 0
    output: int  # which of its results

    def name(self) -> str:
        return f"saved_{self.op.split('.')[1].strip('_')}_{self.call}_{self.output}"


# Written into the modules, which stand alone.
MODE = '''class _Saves(TorchDispatchMode):
    """Keeps results of calls below autograd in `found`, {(operator, number of the call, result): tensor}; those of `given` take their place."""

    def __init__(self, wanted, given=()):
        super().__init__()
        self.wanted, self.given = wanted, {k: t.detach() for k, t in zip(wanted, given)}
        self.found, self.calls = {}, {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        if func.namespace != "aten":  # questions about a tensor
            return func(*args, **(kwargs or {}))
        with self:
            result = func.decompose(*args, **(kwargs or {}))
        if result is not NotImplemented:
            return result
        result, name = func(*args, **(kwargs or {})), str(func)
        call = self.calls[name] = self.calls.get(name, -1) + 1
        many = isinstance(result, (tuple, list))
        items = list(result) if many else [result]
        for i, item in enumerate(items):
            key = (name, call, i)
            if key in self.given:
                items[i] = self.given[key].to(item.dtype)
            if key in self.wanted:
                self.found[key] = item.to(torch.promote_types(item.dtype, torch.float32))
        return type(result)(items) if many else items[0]
'''
IMPORT = "from torch.utils._python_dispatch import TorchDispatchMode"


def mode_class() -> Any:
    names: dict[str, Any] = {"torch": torch}
    exec(compile(ast.parse(f"{IMPORT}\n{MODE}"), __file__, "exec"), names)
    return names["_Saves"]


def values(spec: Spec, inputs: dict[str, torch.Tensor], wanted: Sequence[Saved]) -> list[torch.Tensor]:
    """What the forward operator would save: of 16-bit inputs in float32."""
    if not wanted:
        return []
    with torch.no_grad(), mode_class()([tuple(w) for w in wanted]) as saves:
        spec.forward(**inputs)
    return [saves.found[tuple(w)].detach() for w in wanted]


class _All:
    """Every key is wanted."""

    def __contains__(self, key: Any) -> bool:
        return True


def candidates(spec: Spec) -> list[Saved]:
    """Floating results that autograd keeps for the gradient and that are cheap to store: smaller than the largest input, or results of forward."""
    record = Record(0, spec.dtypes[0], spec.cases[0], "standard", spec.seed)
    inputs = {k: v.float() if v.is_floating_point() else v for k, v in backward_spec.draw_inputs(spec, record).items()}
    for name in spec.wrt:
        inputs[name].requires_grad_()
    kept: list[torch.Tensor] = []
    saves = mode_class()([])
    saves.wanted = _All()
    with torch.enable_grad(), torch.autograd.graph.saved_tensors_hooks(lambda t: kept.append(t.detach()) or t, lambda t: t), saves:
        outputs = backward_spec.outputs_of(spec, inputs)
    own = {t.untyped_storage().data_ptr() for t in inputs.values()}
    used = {t.untyped_storage().data_ptr() for t in kept} - own
    returned = {t.untyped_storage().data_ptr() for t in outputs}
    largest = max(t.numel() for t in inputs.values())
    found: dict[int, Saved] = {}
    for key, t in saves.found.items():  # of float32 inputs, so these are the tensors themselves
        place = t.untyped_storage().data_ptr() if isinstance(t, torch.Tensor) else 0
        if place in used and place not in found and t.is_floating_point() and (t.numel() < largest or place in returned):
            found[place] = Saved(*key)
    return list(found.values())


def choices(spec: Spec) -> list[list[Saved]]:
    """Sets of saved values worth comparing: none, each of the first few alone, all."""
    found = candidates(spec)
    alone = [[s] for s in found[:MAX_ALONE]]
    return [[], *alone, *([found] if len(found) > 1 else [])]
