"""The `backward_truth` method: forward specification -> workspace with the reference of the gradient and its truth.

The truth of a record is the gradient by autograd in float64, from the inputs as the kernel sees them. It is written, and
sealed by hashes, before any kernel exists.
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import os
from typing import Any, Optional, Sequence

import torch

from . import backward_glue, backward_saved, backward_spec, cases, reference
from .backward_saved import Saved
from .backward_spec import Record, Spec, SpecFault, SpecInput
from .errors import BridgeError, describe, is_out_of_memory, out_of_memory, user_line
from .frames import Buffer

SPEC_COPY = "forward_spec.py"
MODEL = "model.py"
RECIPE = "backward_ref.json"
TRUTH = "truth"
FORWARD = "forward"  # folder of the forward operator
SCHEMA = 1


def backward_truth(params: dict[str, Any]) -> tuple[dict[str, Any], list[Buffer]]:
    """`backward_truth` of docs/bridge.md. The files of the workspace are blobs: the worker may not write."""
    path, folder = params.get("path"), params.get("workspace")
    if not isinstance(path, str) or not isinstance(folder, str):
        raise BridgeError("bad_input", "backward_truth needs path and workspace")
    try:
        spec = backward_spec.load(path)
        files: dict[str, bytes] = {}
        saved = [Saved(*s) for s in params.get("saved") or []]
        recipe = kept(spec, folder, saved) if params.get("resume") is True else None
        if recipe is None:
            recipe = prepare(spec, files, saved)
        files = {**code_files(spec, params.get("with_forward") is True, saved), **files}
        return {"verdict": "READY", "forward": backward_glue.forward_name(spec), **recipe, "files": list(files)}, list(files.values())
    except SpecFault as exc:
        return {"verdict": exc.verdict, "message": exc.message, "file": path, "line": exc.line, "hint": exc.hint, "files": []}, []


def backward_choices(params: dict[str, Any]) -> tuple[dict[str, Any], list[Buffer]]:
    """`backward_choices` of docs/bridge.md: for each choice of saved values the reference modules, with the sizes of the largest case."""
    path = params.get("path")
    if not isinstance(path, str):
        raise BridgeError("bad_input", "backward_choices needs path")
    try:
        spec = backward_spec.load(path)
        with torch.no_grad():
            backward_spec.outputs_of(spec, backward_spec.draw_inputs(spec, spec.records()[0]))
        sizes = max(spec.cases, key=lambda c: sum(math.prod(backward_spec.shape_of(i, c)) for i in spec.inputs))
        listed = backward_saved.choices(spec)
    except Exception:  # noqa: BLE001 - what is wrong with the specification is said by backward_truth
        return {"choices": []}, []
    found = [{"saved": [list(s) for s in saved], "model": model_source(spec, saved, sizes), "forward": forward_source(spec, saved, sizes)} for saved in listed]
    return {"choices": found, "spec": spec.source}, []


def kept(spec: Spec, folder: str, saved: Sequence[Saved] = ()) -> Optional[dict[str, Any]]:
    """The recipe of an earlier run, when all it names is there and sealed for this specification."""
    try:
        with open(os.path.join(folder, RECIPE), encoding="utf-8") as f:
            recipe = json.load(f)
        if recipe["seal"] != seal(recipe, spec.source) or recipe["saved"] != [list(v) for v in saved]:
            return None
        for entry in recipe["records"]:
            if "file" in entry:
                load_truth(folder, entry)
        return dict(recipe)
    except (OSError, ValueError, KeyError, RuntimeError):
        return None


def prepare(spec: Spec, files: dict[str, bytes], saved: Sequence[Saved] = ()) -> dict[str, Any]:
    """The truth as files; the recipe comes last, so that an interrupted workspace is seen as one."""
    records = spec.records()
    found = [_truth(spec, r) for r in records]
    finite = [all(bool(torch.isfinite(g).all()) for g in t) for t in found]
    if not any(finite):
        raise SpecFault("ALL_DEGENERATE", f"none of the {len(records)} cases has a finite gradient", spec.forward.__code__.co_firstlineno,
                        "keep divisors and arguments of log and sqrt away from 0 in forward, or choose other input_profiles")
    listed = []
    for record, truth, ok in zip(records, found, finite):
        entry = record.to_json()
        if ok:
            entry.update(file=f"{TRUTH}/record_{record.index:04d}.pt", sha256=hash_of(truth))
            files[entry["file"]] = pack(truth)
        else:
            entry["skipped"] = "the gradient in float64 is not finite"
        listed.append(entry)
    recipe = {"schema_version": SCHEMA, **spec.to_json(), "torch": torch.__version__, "saved": [list(v) for v in saved],
              "counts": {"records": len(records), "scored": sum(finite), "skipped": len(records) - sum(finite)}, "records": listed}
    recipe["seal"] = seal(recipe, spec.source)
    files[RECIPE] = (json.dumps(recipe, indent=2, ensure_ascii=False) + "\n").encode()
    return recipe


def code_files(spec: Spec, with_forward: bool, saved: Sequence[Saved]) -> dict[str, bytes]:
    """What is made from the specification alone: its copy, the reference modules, the PyTorch glue."""
    inputs = backward_spec.draw_inputs(spec, spec.records()[0])
    with torch.no_grad():
        n_outputs = len(backward_spec.outputs_of(spec, inputs))
    texts = {SPEC_COPY: spec.source, MODEL: model_source(spec, saved),
             f"{backward_glue.module_name(spec)}.py": backward_glue.glue_source(spec, n_outputs, with_forward, saved)}
    if with_forward:
        texts[f"{FORWARD}/{MODEL}"] = forward_source(spec, saved)
    return {name: text.encode() for name, text in texts.items()}


def _truth(spec: Spec, record: Record) -> list[torch.Tensor]:
    inputs = backward_spec.draw_inputs(spec, record)
    line = spec.forward.__code__.co_firstlineno
    try:
        gradient = _gradient(spec, record, inputs)
        return backward_spec.gradients(spec, inputs, gradient, torch.float64)
    except SpecFault:
        raise
    except Exception as exc:
        if is_out_of_memory(exc):
            raise out_of_memory() from exc
        raise SpecFault("SPEC_INVALID", f"forward raised an exception with {record.symbols or 'its sizes'} in {record.dtype}: {describe(exc)}",
                        user_line(exc, spec.path) or line, "run forward once in PyTorch with these shapes") from None


def _gradient(spec: Spec, record: Record, inputs: dict[str, torch.Tensor]) -> Optional[torch.Tensor]:
    """The explicit incoming gradient, in the dtype the kernel gets it in."""
    if not spec.explicit:
        return None
    with torch.no_grad():
        widened = {k: v.to(torch.float64) if v.is_floating_point() else v for k, v in inputs.items()}
        outputs = backward_spec.outputs_of(spec, widened)
    if len(outputs) != 1:
        raise SpecFault("SPEC_INVALID", f'grad_output is "explicit" and forward returns {len(outputs)} tensors',
                        spec.forward.__code__.co_firstlineno, 'return one tensor, or take "ones"')
    return backward_spec.draw_gradient(record, outputs[0].to(backward_spec.output_dtype(spec, record.dtype)))


def arguments_of(spec: Spec, record: Record, saved: Sequence[Saved] = ()) -> list[torch.Tensor]:
    """What the gradient operator is called with: the inputs in forward's order, saved values, the explicit gradient."""
    inputs = backward_spec.draw_inputs(spec, record)
    gradient = _gradient(spec, record, inputs)
    wide = {k: v.double() if v.is_floating_point() else v for k, v in inputs.items()}
    values = [v.to(torch.float32) for v in backward_saved.values(spec, wide, saved)]
    return list(inputs.values()) + values + ([gradient] if gradient is not None else [])


HIDDEN_SEED_OFFSET = 1000000  # of a record drawn once more, whose truth no file holds


def case_of(params: dict[str, Any]) -> cases.Case:
    """A case of kind `record` (docs/bridge.md): record `index` of a workspace; `hidden`: its values drawn anew; `forward`: for that operator."""
    folder, index = params.get("workspace"), params.get("index")
    if not isinstance(folder, str) or not isinstance(index, int):
        raise BridgeError("bad_input", "a case of kind record needs workspace and index")
    with open(os.path.join(folder, RECIPE), encoding="utf-8") as f:
        recipe = json.load(f)
    try:
        spec = backward_spec.load(os.path.join(folder, SPEC_COPY))
    except SpecFault as exc:
        raise BridgeError("bad_input", exc.message, os.path.join(folder, SPEC_COPY), exc.line, exc.hint) from None
    spec.explicit = recipe["grad_output"] == "explicit"
    entry = recipe["records"][index]
    record = Record(index, entry["dtype"], entry["symbols"], entry["profile"], entry["seed"])
    if params.get("hidden") is True:
        record.seed += HIDDEN_SEED_OFFSET
    forward = params.get("forward") is True
    arguments: list[Any] = list(backward_spec.draw_inputs(spec, record).values()) if forward else arguments_of(spec, record, [Saved(*s) for s in recipe["saved"]])
    case = cases.Case([cases.lay_out(a, params.get("layout", "contiguous")) for a in arguments], [], getattr(torch, record.dtype))
    if params.get("hidden") is not True and not forward:
        case.truth = lambda: _sealed(folder, entry)
    return case


def _sealed(folder: str, entry: dict[str, Any]) -> list[torch.Tensor]:
    try:
        return load_truth(folder, entry)
    except (OSError, ValueError, KeyError, RuntimeError) as exc:
        raise BridgeError("bad_input", f"the truth of record {entry.get('index')} is not the one that was sealed: {describe(exc)}",
                          os.path.join(folder, str(entry.get("file"))), 0, "remove the workspace and generate again") from None


# ---- files ------------------------------------------------------------------------------------------------------------


def pack(gradients: list[torch.Tensor]) -> bytes:
    buffer = io.BytesIO()
    torch.save({"gradients": gradients}, buffer)
    return buffer.getvalue()


def hash_of(tensors: list[torch.Tensor]) -> str:
    h = hashlib.sha256()
    for t in tensors:
        h.update(f"{reference.dtype_name(t.dtype)}{tuple(t.shape)}".encode())
        h.update(t.contiguous().reshape(-1).view(torch.uint8).numpy().tobytes())
    return h.hexdigest()


def load_truth(folder: str, entry: dict[str, Any]) -> list[torch.Tensor]:
    """The sealed gradients of a record. Raises ValueError when the file is not the one that was sealed."""
    truth = torch.load(os.path.join(folder, entry["file"]), weights_only=True)
    if hash_of(truth["gradients"]) != entry["sha256"]:
        raise ValueError(f"{entry['file']} is not the truth that was sealed: its hash differs")
    return list(truth["gradients"])


def seal(recipe: dict[str, Any], source: str) -> str:
    """One hash over the specification, the truths, and the code that made them."""
    h = hashlib.sha256(source.encode())
    h.update(json.dumps({k: v for k, v in recipe.items() if k != "seal"}, sort_keys=True).encode())
    here = os.path.dirname(os.path.abspath(__file__))
    for name in ("backward_spec.py", "backward_saved.py", "backward_truth.py"):
        with open(os.path.join(here, name), "rb") as f:
            h.update(f.read())
    return h.hexdigest()


# ---- the reference of the gradient ------------------------------------------------------------------------------------


def _module_head(title: str, spec_copy: str, saved: Sequence[Saved]) -> list[str]:
    mode = [backward_saved.MODE.rstrip(), "", "", f"_SAVED = {[tuple(s) for s in saved]!r}  # operator, number of its call, which result", "", ""]
    return [f'"""{title}, as a reference module."""', "import importlib.util", "import os", "", "import torch",
            *([backward_saved.IMPORT] if saved else []), "",
            f'_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "{spec_copy}")',
            '_found = importlib.util.spec_from_file_location("forward_spec", _PATH)', "forward_spec = importlib.util.module_from_spec(_found)",
            "_found.loader.exec_module(forward_spec)", "", "", *(mode if saved else [])]


def _module_tail(arguments: list[str]) -> list[str]:
    return ["", "", "def get_inputs():", f"    return [{', '.join(arguments)}]", "", "", "def get_init_inputs():", "    return []", ""]


def _fixed_dtypes(spec: Spec, more: list[str]) -> list[str]:
    fixed = [i.name for i in spec.inputs if i.is_floating() and i.dtype] + more
    return ["", "", f"FIXED_DTYPES = {fixed!r}  # the others are float16, bfloat16 or float32"] if fixed else []


def forward_source(spec: Spec, saved: Sequence[Saved] = (), symbols: Optional[dict[str, int]] = None) -> str:
    """forward/model.py: the forward computation as a reference module; saved values come behind its results."""
    names = [i.name for i in spec.inputs]
    call = f"forward_spec.forward({', '.join(f'{n}={n}' for n in names)})"
    body = [f"        return {call}"] if not saved else [
        "        with _Saves(_SAVED) as saves:", f"            outputs = {call}",
        "        outputs = tuple(outputs) if isinstance(outputs, (tuple, list)) else (outputs,)",
        "        return (*outputs, *(saves.found[key] for key in _SAVED))"]
    lines = _module_head(f"forward of {SPEC_COPY}", f"../{SPEC_COPY}", saved) + [
        "class Model(torch.nn.Module):", f"    def forward(self, {', '.join(names)}):", *body]
    return "\n".join(lines + _fixed_dtypes(spec, []) + _module_tail(_examples(spec, symbols or spec.cases[0], [], False)))


def model_source(spec: Spec, saved: Sequence[Saved] = (), symbols: Optional[dict[str, int]] = None) -> str:
    """model.py: the gradients as a reference module that the generator traces."""
    parameters, given = [i.name for i in spec.inputs], [s.name() for s in saved]
    arguments = parameters + given + (["grad_output"] if spec.explicit else [])
    call = f"outputs = forward_spec.forward({', '.join(f'{n}={n}' for n in parameters)})"
    lines = _module_head(f"The gradient of forward in {SPEC_COPY} with respect to {', '.join(spec.wrt)}", SPEC_COPY, saved) + [
        "class Model(torch.nn.Module):",
        f"    def forward(self, {', '.join(arguments)}):",
        "        with torch.enable_grad():",
        *[f"            {n} = {n}.detach().requires_grad_()" for n in spec.wrt],
        *([f"            with _Saves(_SAVED, [{', '.join(given)}]):", f"                {call}"] if saved else [f"            {call}"]),
        "            outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]",
        "            outputs = [t for t in outputs if t.requires_grad]",
        f"            incoming = [{'grad_output' if spec.explicit else 'torch.ones_like(t) for t in outputs'}]",
        f"            gradients = torch.autograd.grad(outputs, [{', '.join(spec.wrt)}], incoming)",
        f"        return {'gradients[0]' if len(spec.wrt) == 1 else 'tuple(gradients)'}",
    ]
    with_gradient = spec.explicit and backward_spec.output_dtype(spec, "float16") == torch.float32
    fixed = given + (["grad_output"] if with_gradient else [])
    return "\n".join(lines + _fixed_dtypes(spec, fixed) + _module_tail(_examples(spec, symbols or spec.cases[0], saved, spec.explicit)))


def _examples(spec: Spec, symbols: dict[str, int], saved: Sequence[Saved], with_gradient: bool) -> list[str]:
    """The arguments of a module with the sizes of a case, as text."""
    dtype = spec.dtypes[0]
    texts = [_example(item, symbols, dtype) for item in spec.inputs]
    if not saved and not with_gradient:
        return texts
    inputs = {k: v.float() if v.is_floating_point() else v
              for k, v in backward_spec.draw_inputs(spec, Record(0, dtype, symbols, "standard", spec.seed)).items()}
    texts += [f"torch.randn({list(t.shape)})" for t in backward_saved.values(spec, inputs, saved)]
    if with_gradient:
        with torch.no_grad():
            shape = list(backward_spec.outputs_of(spec, inputs)[0].shape)
        texts.append(f"torch.randn({shape}, dtype={backward_spec.output_dtype(spec, dtype)})")
    return texts


def _example(item: SpecInput, symbols: dict[str, int], dtype: str) -> str:
    shape = backward_spec.shape_of(item, symbols)
    if item.is_floating():
        return f"torch.randn({shape}, dtype=torch.{item.dtype or dtype})"
    if item.dtype == "bool":
        return f"torch.randint(0, 2, {shape}).bool()"
    low, high = [symbols.get(b, 0) if isinstance(b, str) else b for b in (item.range or [0, 2])]
    return f"torch.randint({low}, {max(high, low + 1)}, {shape}, dtype=torch.{item.dtype})"
