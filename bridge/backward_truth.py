"""The `backward_truth` method: forward specification -> workspace with the reference of the gradient and its truth.

The truth of a record is the gradient by autograd in float64, from the inputs as the kernel sees them. It is written, and
sealed by hashes, before any kernel exists.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from typing import Any, Optional

import torch

from . import backward_glue, backward_spec, cases, reference
from .backward_spec import Record, Spec, SpecFault
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
        recipe = kept(spec, folder) if params.get("resume") is True else None
        if recipe is None:
            recipe = prepare(spec, files)
        files = {**code_files(spec, params.get("with_forward") is True), **files}
        return {"verdict": "READY", "forward": backward_glue.forward_name(spec), **recipe, "files": list(files)}, list(files.values())
    except SpecFault as exc:
        return {"verdict": exc.verdict, "message": exc.message, "file": path, "line": exc.line, "hint": exc.hint, "files": []}, []


def kept(spec: Spec, folder: str) -> Optional[dict[str, Any]]:
    """The recipe of an earlier run, when all it names is there and sealed for this specification."""
    try:
        with open(os.path.join(folder, RECIPE), encoding="utf-8") as f:
            recipe = json.load(f)
        if recipe["seal"] != seal(recipe, spec.source):
            return None
        for entry in recipe["records"]:
            if "file" in entry:
                load_truth(folder, entry)
        return dict(recipe)
    except (OSError, ValueError, KeyError, RuntimeError):
        return None


def prepare(spec: Spec, files: dict[str, bytes]) -> dict[str, Any]:
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
    recipe = {"schema_version": SCHEMA, **spec.to_json(), "torch": torch.__version__,
              "counts": {"records": len(records), "scored": sum(finite), "skipped": len(records) - sum(finite)}, "records": listed}
    recipe["seal"] = seal(recipe, spec.source)
    files[RECIPE] = (json.dumps(recipe, indent=2, ensure_ascii=False) + "\n").encode()
    return recipe


def code_files(spec: Spec, with_forward: bool) -> dict[str, bytes]:
    """What is made from the specification alone: its copy, the reference modules, the PyTorch glue."""
    inputs = backward_spec.draw_inputs(spec, spec.records()[0])
    with torch.no_grad():
        n_outputs = len(backward_spec.outputs_of(spec, inputs))
    texts = {SPEC_COPY: spec.source, MODEL: model_source(spec), f"{backward_glue.module_name(spec)}.py": backward_glue.glue_source(spec, n_outputs, with_forward)}
    if with_forward:
        texts[f"{FORWARD}/{MODEL}"] = forward_source(spec)
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
    return backward_spec.draw_gradient(record, outputs[0].to(getattr(torch, record.dtype)))


def arguments_of(spec: Spec, record: Record) -> list[torch.Tensor]:
    """What the gradient operator is called with: the inputs in forward's order, then the explicit gradient."""
    inputs = backward_spec.draw_inputs(spec, record)
    gradient = _gradient(spec, record, inputs)
    return list(inputs.values()) + ([gradient] if gradient is not None else [])


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
    arguments: list[Any] = list(backward_spec.draw_inputs(spec, record).values()) if forward else arguments_of(spec, record)
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
    for name in ("backward_spec.py", "backward_truth.py"):
        with open(os.path.join(here, name), "rb") as f:
            h.update(f.read())
    return h.hexdigest()


# ---- the reference of the gradient ------------------------------------------------------------------------------------


def _module_head(title: str, spec_copy: str) -> list[str]:
    return [f'"""{title}, as a reference module."""', "import importlib.util", "import os", "", "import torch", "",
            f'_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "{spec_copy}")',
            '_found = importlib.util.spec_from_file_location("forward_spec", _PATH)', "forward_spec = importlib.util.module_from_spec(_found)",
            "_found.loader.exec_module(forward_spec)", "", ""]


def _module_tail(spec: Spec, arguments: list[str]) -> list[str]:
    return ["", "", "def get_inputs():", f"    return [{', '.join(_example(spec, n, i) for i, n in enumerate(arguments))}]", "", "",
            "def get_init_inputs():", "    return []", ""]


def forward_source(spec: Spec) -> str:
    """forward/model.py: the forward computation as a reference module."""
    names = [i.name for i in spec.inputs]
    lines = _module_head(f"forward of {SPEC_COPY}", f"../{SPEC_COPY}") + [
        "class Model(torch.nn.Module):", f"    def forward(self, {', '.join(names)}):",
        f"        return forward_spec.forward({', '.join(f'{n}={n}' for n in names)})"]
    return "\n".join(lines + _module_tail(spec, names))


def model_source(spec: Spec) -> str:
    """model.py: the gradients as a reference module that the generator traces."""
    parameters = [i.name for i in spec.inputs]
    arguments = parameters + (["grad_output"] if spec.explicit else [])
    result = "gradients[0]" if len(spec.wrt) == 1 else "tuple(gradients)"
    lines = _module_head(f"The gradient of forward in {SPEC_COPY} with respect to {', '.join(spec.wrt)}", SPEC_COPY) + [
        "class Model(torch.nn.Module):",
        f"    def forward(self, {', '.join(arguments)}):",
        "        with torch.enable_grad():",
        *[f"            {n} = {n}.detach().requires_grad_()" for n in spec.wrt],
        f"            outputs = forward_spec.forward({', '.join(f'{n}={n}' for n in parameters)})",
        "            outputs = list(outputs) if isinstance(outputs, (tuple, list)) else [outputs]",
        "            outputs = [t for t in outputs if t.requires_grad]",
        f"            incoming = [{'grad_output' if spec.explicit else 'torch.ones_like(t) for t in outputs'}]",
        f"            gradients = torch.autograd.grad(outputs, [{', '.join(spec.wrt)}], incoming)",
        f"        return {result}",
    ]
    return "\n".join(lines + _module_tail(spec, arguments))


def _example(spec: Spec, name: str, index: int) -> str:
    """An input with the sizes of the first case, as text."""
    symbols, dtype = spec.cases[0], spec.dtypes[0]
    if index >= len(spec.inputs):
        inputs = backward_spec.draw_inputs(spec, Record(0, dtype, symbols, "standard", spec.seed))
        with torch.no_grad():
            output = backward_spec.outputs_of(spec, inputs)[0]
        return f"torch.randn({list(output.shape)}, dtype=torch.{dtype})"
    item = spec.inputs[index]
    shape = backward_spec.shape_of(item, symbols)
    if item.is_floating():
        return f"torch.randn({shape}, dtype=torch.{item.dtype or dtype})"
    if item.dtype == "bool":
        return f"torch.randint(0, 2, {shape}).bool()"
    low, high = [symbols.get(b, 0) if isinstance(b, str) else b for b in (item.range or [0, 2])]
    return f"torch.randint({low}, {max(high, low + 1)}, {shape}, dtype=torch.{item.dtype})"
