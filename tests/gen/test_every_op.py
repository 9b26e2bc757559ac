"""Every operator that `opwright ops` lists, once through the whole road: a module calls it on tensors of a domain where it
is defined, with every dtype PyTorch takes there. Several operators share a module, one output each."""

from __future__ import annotations

import json
import subprocess
from typing import Any, Dict, List, NamedTuple, Optional

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

from road import CLI, generate

PER_MODULE = 24
SHAPE = (3, 43)

# Values of tensors by letter; an operator without a row in DOMAINS takes x, y, z.
TENSORS = {
    "x": "torch.randn({n}) * 2",
    "y": "torch.randn({n}) + 0.5",
    "z": "torch.randn({n}) - 0.25",
    "p": "torch.rand({n}) * 4 + 0.1",
    "u": "torch.rand({n}) * 1.9 - 0.95",
    "v": "torch.rand({n}) * 5 + 1.1",
    "q": "torch.rand({n}) * 0.9 + 0.05",
    "i": "torch.randint(-1000, 1000, ({n}), dtype=torch.int32)",
    "j": "torch.randint(-50, 50, ({n}), dtype=torch.int32)",
    "k": "torch.randint(1, 9, ({n}), dtype=torch.int32)",
    "s": "torch.randint(0, 8, ({n}), dtype=torch.int32)",
    "m": "torch.rand({n}) > 0.5",
    "o": "torch.rand({n}) > 0.3",
    "r": "torch.rand({n}) > 0.7",
    "f": "torch.randn(1)[0] * 2",  # no dimensions
}
FLOATS, INTS, BOOLS = "xyz", "ijk", "mor"
DOMAINS = {
    "sqrt": "p", "rsqrt": "p", "log": "p", "log2": "p", "log10": "p", "log1p": "p", "xlogy": "xp", "asin": "u",
    "acos": "u", "atanh": "u", "acosh": "v", "logit": "q", "logit_backward": "yq", "sigmoid_backward": "yq",
    "tanh_backward": "yu", "lerp": "xyu", "addcdiv": "xyp",
}
POW = {"FLOAT": "px", "INT": "ks"}
SHIFTS = ("shift", "__lshift__", "__rshift__")
MASKS = ("condition", "pred", "mask")  # argument names of bool tensors
# Numbers by argument name: of floating operators, of integer ones.
SCALARS: Dict[str, Any] = {
    "alpha": 2, "other": 1.5, "value": 0.75, "weight": 0.25, "exponent": 2.5, "min": -0.5, "max": 1.25, "min_val": -0.75,
    "max_val": 1.5, "threshold": 0.5, "lambd": 0.4, "negative_slope": 0.2, "scale": 1.5, "input_scale": 0.5, "beta": 1.5,
    "delta": 0.75, "eps": 0.1, "nan": 0.5, "posinf": 3.0, "neginf": -3.0, "fill_value": 1.25, "s": 1.25, "reduction": 0,
    "decimals": 1, "self": 2.5, "is_result": False, "self_is_result": False, "dtype": torch.float32, "dim": 0, "step": 2,
    "start": 1, "end": 2, "index": 1, "offset": 1, "dim0": 0, "dim1": 1, "dim2": 0, "axis0": 0, "axis1": 1, "length": 2,
    "split_size": 2, "chunks": 2, "start_dim": 0, "end_dim": 1, "outer_length": 1, "rounding_mode": "floor",
    "approximate": "tanh", "implicit": False,
}
INT_SCALARS = {"other": 3, "value": 2, "exponent": 3, "min": -7, "max": 30, "min_val": -7, "max_val": 30, "threshold": 5,
               "fill_value": 3, "s": 3, "self": 5, "dtype": torch.int32}
BOOL_SCALARS = {"other": True, "value": True, "fill_value": True, "s": True, "self": True, "dtype": torch.float32}
# Lists that views take, by operator.
LISTS: Dict[str, Any] = {
    "view": [43, 3], "_unsafe_view": [43, 3], "reshape": [43, 3], "unflatten": [3, 1], "squeeze": [0], "expand": [2, 3, 43],
    "broadcast_to": [2, 3, 43], "broadcast_in_dim": ([2, 3, 43], [1, 2]), "permute": [1, 0], "transpose": [1, 0],
    "flip": [0, 1], "split_with_sizes": [1, 2], "full": [3, 43], "new_full": [3, 43], "zeros": [3, 43], "ones": [3, 43],
    "new_zeros": [3, 43], "new_ones": [3, 43],
}
# What stands for the n-th tensor of an operator that asks for a certain shape.
SHAPED = {("squeeze", 0): "{}.unsqueeze(0)", ("fill", 1): "{}[0, 0]", ("masked_fill", 2): "{}[0, 0]",
          ("view_as", 1): "{}.t()", ("expand_as", 1): "{}.unsqueeze(0).expand(2, 3, 43)"}
# Calls that the schema alone does not give: it has defaults that the function does not have.
WRITTEN = {"prims.scalar_tensor.default": "torch.ops.prims.scalar_tensor.default(1.25, dtype=torch.float32, device=torch.device('cpu'))",
           "prims.iota.default": "torch.ops.prims.iota.default(43, start=2, step=3, dtype=torch.int32, device=torch.device('cpu'), "
                                 "requires_grad=False)"}
SKIPPED_ARGS = ("layout", "device", "pin_memory", "memory_format", "non_blocking", "copy", "requires_grad")


class Call(NamedTuple):
    op: str
    text: str  # the call, over the letters of TENSORS
    tensors: str


def make_tensor(letter: str) -> torch.Tensor:
    return eval(TENSORS[letter].format(n=", ".join(map(str, SHAPE))))  # pylint: disable=eval-used


def letters_for(name: str, kind: str) -> str:
    if kind == "BOOL":
        return BOOLS
    if name == "pow":
        return POW[kind]
    if kind == "INT":
        return "js" if any(s in name for s in SHIFTS) else INTS
    return DOMAINS.get(name, FLOATS)


def argument(name: str, arg: Any, kind: str, tensors: List[str], full: bool) -> Optional[str]:
    """Text of one argument; None: leave it out."""
    kind_of = str(arg.type)
    optional = arg.has_default_value() and "Tensor" not in kind_of and arg.name != "reduction"  # the mean is not pointwise
    if arg.name in SKIPPED_ARGS or (optional and not full):
        return None
    if kind_of.startswith("Tensor") or kind_of == "Optional[Tensor]":
        if arg.name in MASKS:
            return "o"
        return tensors.pop(0) if tensors else None
    if "List" in kind_of:
        lists = LISTS[name]
        return repr(lists[1] if arg.name == "broadcast_dimensions" else lists[0] if isinstance(lists, tuple) else lists)
    if name == "collapse_view":
        return {"start": "0", "end": "1"}[arg.name]
    numbers = {**SCALARS, **({"INT": INT_SCALARS, "BOOL": BOOL_SCALARS}.get(kind, {}))}
    return repr(numbers[arg.name])


def make_call(op: str, kind: str, full: bool) -> Optional[Call]:
    """A call of `op` on tensors of a kind, with its optional numbers when `full`; None when PyTorch does not take it."""
    space, name, overload = op.split(".")
    function = getattr(getattr(getattr(torch.ops, space), name), overload)
    tensors = list(letters_for(name, kind))
    texts, used = [], []
    for arg in function._schema.arguments:  # pylint: disable=protected-access
        text = argument(name, arg, kind, tensors, full)
        if text is None:
            continue
        if text in TENSORS:
            used.append(text)
            text = SHAPED.get((name, len(used) - 1), "{}").format(text)
        texts.append(f"{arg.name}={text}" if arg.kwarg_only else text)
    text = WRITTEN.get(op, f"torch.ops.{op}({', '.join(texts)})")
    try:
        scope = {"torch": torch, **{letter: make_tensor(letter) for letter in used}}
        result = eval(text, scope)  # pylint: disable=eval-used
    except (RuntimeError, TypeError, NotImplementedError, ValueError, AssertionError):
        return None
    if isinstance(result, (list, tuple)):
        text, result = f"{text}[1]", result[1]
    wide = (torch.int64, torch.float64)
    if result.dtype in wide or not result.numel() or (space == "prims" and promised_dtype(text, used) != result.dtype):
        return None
    return Call(op, text, "".join(dict.fromkeys(used)))


def promised_dtype(text: str, used: List[str]) -> torch.dtype:
    """What a prim says of its result; PyTorch computes some in another dtype when they are called without promotion."""
    with FakeTensorMode():
        return eval(text, {"torch": torch, **{letter: make_tensor(letter) for letter in used}}).dtype  # pylint: disable=eval-used


def elementwise_ops() -> List[str]:
    """All but the anchors of schedule families, which have tests of their own (test_reduce.py and its like)."""
    done = subprocess.run([CLI, "ops", "--json"], capture_output=True, text=True, check=True)
    known = json.loads(done.stdout)
    # The bridge's own operators stand for what PyTorch has no operator for; tests of their families call them by way of it.
    return [op for op in known["ops"] if op not in known["anchors"] and not op.startswith("opwright.")]


def all_calls(kind: str) -> List[Call]:
    calls: Dict[str, Call] = {}
    for op in elementwise_ops():
        for full in (False, True):
            call = make_call(op, kind, full)
            if call:
                calls.setdefault(call.text, call)
    return list(calls.values())


def module_text(calls: List[Call], kind: str) -> str:
    letters = "".join(dict.fromkeys(c for call in calls for c in call.tensors)) or {"FLOAT": "x", "INT": "i", "BOOL": "m"}[kind]
    shape = ", ".join(map(str, SHAPE))
    inputs = ",\n        ".join(TENSORS[letter].format(n=shape) for letter in letters)
    outputs = ",\n            ".join(call.text for call in calls)
    return (f"import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, {', '.join(letters)}):\n        return (\n"
            f"            {outputs},\n        )\n\n\ndef get_inputs():\n    return [\n        {inputs},\n    ]\n\n\n"
            "def get_init_inputs():\n    return []\n")


KINDS = ["FLOAT", "INT", "BOOL"]


def test_every_op_has_a_call():
    """An operator that no kind of tensor can call here is an operator without a test."""
    called = {call.op for kind in KINDS for call in all_calls(kind)}
    assert set(elementwise_ops()) - called == set()


def modules_of(kind: str) -> Dict[str, str]:
    calls = all_calls(kind)
    return {f"every_{kind.lower()}_{i // PER_MODULE}": module_text(calls[i:i + PER_MODULE], kind)
            for i in range(0, len(calls), PER_MODULE)}


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_op(tmp_path, kind):
    calls = all_calls(kind)
    roads = generate(tmp_path, modules_of(kind))
    wrong: List[str] = []
    for i, road in enumerate(roads.values()):
        part = calls[i * PER_MODULE:(i + 1) * PER_MODULE]
        if road.verdict == "PASS":
            continue
        bad = [part[k].text for k in road.failed_outputs()] or [c.text for c in part]
        wrong.append(f"{road.name}: {road.verdict} {road.failed_cases()[:3]} {road.error[:400] if not road.result else ''}\n    " + "\n    ".join(bad))
    assert not wrong, "\n".join(wrong)
