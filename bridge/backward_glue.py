"""The PyTorch glue of a gradient operator: the text of `SPEC_grad_autograd.py`, a module of its own beside the description.

It registers torch.ops.opwright.<forward> with schema, Meta function and autograd, and torch.ops.opwright.<gradient>, which
runs the generated operator. It is plain PyTorch: on an NPU nothing of opwright is needed.
"""

from __future__ import annotations

import re
from typing import Sequence

from .backward_saved import IMPORT, MODE, Saved
from .backward_spec import Spec

# Doubled braces stand for braces: str.format makes the text.
_TEXT = '''"""PyTorch glue of {gradient}: torch.ops.opwright.{forward}, whose derivative is the generated operator.

    import {module}
    y = {module}.{forward}({names})

loss.backward() through y runs the operator: on an NPU by its binding (binding/, built as the extension {gradient}_custom_lib or
custom_ops_lib), on other machines on the simulated AI Core, from build/. float64 is done by PyTorch, for torch.autograd.gradcheck.
"""
import functools
import importlib
import importlib.util
import json
import os
import sys

import torch
{import_mode}
_HERE = os.path.dirname(os.path.abspath(__file__))
_NAMES = {name_list}  # arguments of forward
_WRT = {wrt}  # has a gradient, for each of them
_BUILT_FORWARD = {with_forward}  # the forward computation is an operator, too: forward/
_EXPLICIT = {explicit}  # the incoming gradient is an argument of the operator
_N_OUTPUTS = {n_outputs}  # of forward; what the gradient saves comes behind
_SAVED = {saved}  # operator, number of its call, which result


def _load(name, path):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


_forward = _load("{module}_forward_spec", os.path.join(_HERE, "forward_spec.py")).forward


def _tensors(result):
    return list(result) if isinstance(result, (tuple, list)) else [result]


{mode}def _eager(arguments):
    with torch.no_grad():
{eager}


def _reference(arguments, grads):
    """The gradients by PyTorch, for float64."""
    with torch.enable_grad():
        leaves = [a.detach().requires_grad_() if w else a.detach() for a, w in zip(arguments, _WRT)]
        pairs = [(t, g) for t, g in zip(_tensors(_forward(**dict(zip(_NAMES, leaves)))), grads) if t.requires_grad]
        found = torch.autograd.grad([t for t, _ in pairs], [a for a, w in zip(leaves, _WRT) if w], [g for _, g in pairs])
    return list(found)


# ---- the operator -----------------------------------------------------------------------------------------------------


@functools.lru_cache(maxsize=None)
def _simulated(folder, description):
    """The operator of a build folder on the simulated AI Core."""
    try:
        with open(os.path.join(folder, "build.json"), encoding="utf-8") as f:
            home = os.environ.get("OPWRIGHT_HOME") or json.load(f)["home"]
        if "opwright_bridge" not in sys.modules:
            _load("opwright_worker", os.path.join(home, "bridge", "worker.py")).load_package()
        return importlib.import_module("opwright_bridge.built").Built(folder, description)
    except (OSError, ValueError) as exc:
        raise RuntimeError(f"there is no build of the operator to simulate ({{exc}}): run `opwright backward` again") from exc


@functools.lru_cache(maxsize=None)
def _bound(kernel):
    """The function of the operator's binding, for an NPU."""
    for name in (kernel + "_lib", "custom_ops_lib"):
        if importlib.util.find_spec(name) is not None:
            return getattr(importlib.import_module(name), kernel)
    raise RuntimeError(f"the binding of {{kernel}} is not installed: build binding/{{kernel}}.cpp as the extension {{kernel}}_lib or custom_ops_lib")


def _run(kernel, folder, description, arguments):
    device = arguments[0].device.type
    arguments = [a.detach().contiguous() for a in arguments]
    if device != "cpu":
        return _tensors(_bound(kernel)(*arguments))
    return _simulated(os.path.join(_HERE, folder), os.path.join(_HERE, description))(*arguments)


@torch.library.custom_op("opwright::{forward}", mutates_args=(), schema="({schema_in}) -> {schema_out}")
def _{forward}(*arguments):
    if _BUILT_FORWARD and any(a.is_floating_point() and a.dtype != torch.float64 for a in arguments):
        outputs = _run("{forward}_custom", "forward/build", "forward/{forward}.ascendc.py", arguments)
        return {result}
    taken = [a.untyped_storage().data_ptr() for a in arguments]
    outputs = []
    for t in _eager(arguments):
        outputs.append(t.clone() if t.untyped_storage().data_ptr() in taken else t)
        taken.append(outputs[-1].untyped_storage().data_ptr())
    return {result}


@_{forward}.register_fake
def _(*arguments):
    outputs = [torch.empty_like(t) for t in _eager(arguments)]
    return {result}


@torch.library.custom_op("opwright::{gradient}", mutates_args=(), schema="({schema_grad_in}) -> Tensor[]")
def {gradient}(*arguments):
    return _run("{gradient}_custom", "build", "{gradient}.ascendc.py", arguments)


@{gradient}.register_fake
def _(*arguments):
    return [torch.empty_like(a, memory_format=torch.contiguous_format) for a, w in zip(arguments, _WRT) if w]


@torch.library.custom_op("opwright::{gradient}_scale", mutates_args=(), schema="(Tensor[] grads) -> Tensor")
def _scale(grads):
    """The one number all incoming gradients hold: the operator was written for the sum of the outputs."""
    whole = torch.cat([g.reshape(-1) for g in grads])
    if whole.numel() and not bool((whole == whole[0]).all()):
        raise RuntimeError('{gradient} is the gradient of the sum of all outputs ("grad_output": "ones"); an incoming gradient whose elements '
                           'differ needs the specification with "grad_output": "explicit"')
    return whole[0].clone() if whole.numel() else whole.new_ones(())


@_scale.register_fake
def _(grads):
    return grads[0].new_empty(())


# ---- autograd ---------------------------------------------------------------------------------------------------------


def _setup(ctx, inputs, output):
    ctx.save_for_backward(*inputs, *_tensors(output)[_N_OUTPUTS:])


def _backward(ctx, *grads):
    arguments, saved = ctx.saved_tensors[:len(_NAMES)], ctx.saved_tensors[len(_NAMES):]
    grads = grads[:_N_OUTPUTS]
    for name, needed, has in zip(_NAMES, ctx.needs_input_grad, _WRT):
        if needed and not has:
            raise RuntimeError(f"{gradient} has no gradient by {{name}}: it is not in wrt of the specification")
    if all(a.dtype == torch.float64 for a, w in zip(arguments, _WRT) if w):
        found = _reference(arguments, grads)
    elif _EXPLICIT:
        found = {gradient}(*arguments, *saved, grads[0])
    else:
        found = {gradient}(*arguments, *saved)
        scale = _scale([g for g in grads if g is not None and g.is_floating_point()])
        found = [g * scale.to(g.dtype) for g in found]
    by_input = iter(found)
    result = [next(by_input) if w else None for w in _WRT]
    return tuple(g if needed else None for g, needed in zip(result, ctx.needs_input_grad))


_{forward}.register_autograd(_backward, setup_context=_setup)


def {forward}({names}):
    """forward of forward_spec.py."""
    outputs = _tensors(_{forward}({names}))[:_N_OUTPUTS]
    return {user_result}
'''


def module_name(spec: Spec) -> str:
    return f"{spec.op}_autograd"


def forward_name(spec: Spec) -> str:
    return re.sub(r"_grad$", "", spec.op)


def glue_source(spec: Spec, n_outputs: int, with_forward: bool, saved: Sequence[Saved]) -> str:
    """The module's text. n_outputs: tensors that forward returns. with_forward: there is an operator for it, which also returns `saved`."""
    names, n_all = [i.name for i in spec.inputs], n_outputs + len(saved)
    grad_names = names + [s.name() for s in saved] + (["grad_output"] if spec.explicit else [])
    call = "_tensors(_forward(**dict(zip(_NAMES, arguments))))"
    plain, saving = f"        return {call}", f"        with _Saves(_SAVED) as saves:\n            outputs = {call}\n        return outputs + [saves.found[key] for key in _SAVED]"
    return _TEXT.format(
        forward=forward_name(spec), gradient=spec.op, module=module_name(spec), names=", ".join(names), name_list=repr(names),
        wrt=repr([n in spec.wrt for n in names]), explicit=spec.explicit, with_forward=with_forward, n_outputs=n_outputs, saved=repr([tuple(s) for s in saved]),
        import_mode=IMPORT + "\n" if saved else "", mode=MODE + "\n\n" if saved else "", eager=saving if saved else plain,
        schema_in=", ".join(f"Tensor {n}" for n in names), schema_grad_in=", ".join(f"Tensor {n}" for n in grad_names),
        schema_out="Tensor" if n_all == 1 else "(" + ", ".join(["Tensor"] * n_all) + ")", result="outputs[0]" if n_all == 1 else "tuple(outputs)",
        user_result="outputs[0]" if n_outputs == 1 else "tuple(outputs)")
