"""Backward specifications: a module-level `forward` and a dict BACKWARD_SPEC (docs/backward.md). Loading and every rule of
the contract; what is wrong is a verdict with the line and the cure, not an exception."""

from __future__ import annotations

import ast
import inspect
import math
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Callable, Optional

import torch

from . import reference, stable
from .errors import BridgeError
from .names import operator_name

SPEC_NAME = "BACKWARD_SPEC"
MODULE_NAME = "opwright_forward_spec"
DEFAULT_SEED = 1234
GRADIENT_SEED_OFFSET = 500000  # of a record's explicit gradient, after the seed of its inputs
AUTO_SIZES = (64, 128, 256)
PROFILES = ("standard", "zeros", "large", "small", "boundary")
FLOATS = {"float32": "float32", "float": "float32", "fp32": "float32", "f32": "float32", "float16": "float16", "half": "float16",
          "fp16": "float16", "f16": "float16", "bfloat16": "bfloat16", "bf16": "bfloat16"}
INTEGERS = {"int64": "int64", "long": "int64", "int32": "int32", "int": "int32", "int16": "int16", "int8": "int8", "uint8": "uint8",
            "bool": "bool"}
FIELDS = ("wrt", "inputs", "cases", "dtypes", "grad_output", "input_profiles", "seed")
INPUT_FIELDS = ("shape", "dtype", "range")


class SpecFault(Exception):
    """Why there is no kernel work to do: one of the verdicts, where, and what to mend."""

    def __init__(self, verdict: str, message: str, line: int = 0, hint: str = "") -> None:
        super().__init__(message)
        self.verdict, self.message, self.line, self.hint = verdict, message, line, hint


@dataclass
class SpecInput:
    name: str
    shape: list[Any]                  # ints and symbol names
    dtype: Optional[str] = None       # None: floating, the dtype of the record
    range: Optional[list[Any]] = None # of an integer input: lowest value and the bound above it, ints or symbols

    def is_floating(self) -> bool:
        return self.dtype is None or self.dtype in FLOATS.values()


@dataclass
class Record:
    """One case in one dtype with one kind of values. Its inputs are drawn with `seed`."""

    index: int
    dtype: str
    symbols: dict[str, int]
    profile: str
    seed: int

    def to_json(self) -> dict[str, Any]:
        return {"index": self.index, "dtype": self.dtype, "symbols": self.symbols, "profile": self.profile, "seed": self.seed}


@dataclass
class Spec:
    path: str
    source: str
    module: ModuleType
    wrt: list[str]
    inputs: list[SpecInput]
    cases: list[dict[str, int]]
    dtypes: list[str] = field(default_factory=lambda: ["float32"])
    explicit: bool = False
    profiles: list[str] = field(default_factory=lambda: list(PROFILES))
    seed: int = DEFAULT_SEED
    output_dtypes: dict[str, torch.dtype] = field(default_factory=dict)  # what output_dtype() found

    @property
    def forward(self) -> Callable[..., Any]:
        return vars(self.module)["forward"]  # type: ignore[no-any-return]

    @property
    def op(self) -> str:
        return operator_name(self.path) + "_grad"

    def records(self) -> list[Record]:
        """By dtype, then case, then profile: record i is seeded seed + i."""
        out: list[Record] = []
        for dtype in self.dtypes:
            for case in self.cases:
                for profile in self.profiles:
                    out.append(Record(len(out), dtype, case, profile, self.seed + len(out)))
        return out

    def to_json(self) -> dict[str, Any]:
        return {"op": self.op, "wrt": self.wrt, "dtypes": self.dtypes, "cases": self.cases, "profiles": self.profiles, "seed": self.seed,
                "grad_output": "explicit" if self.explicit else "ones",
                "inputs": [{"name": i.name, "shape": i.shape, **({"dtype": i.dtype} if i.dtype else {}),
                            **({"range": i.range} if i.range else {})} for i in self.inputs]}


# ---- loading ----------------------------------------------------------------------------------------------------------


def load(path: str) -> Spec:
    """Reads and executes the file, and checks it. Raises SpecFault."""
    try:
        source = reference.read_source(path)
    except BridgeError as exc:
        raise SpecFault("FORWARD_SPEC_MISSING", exc.message, exc.line, exc.hint or "give the path of a forward specification") from None
    try:
        tree = reference.parse_source(source, path)
        module = reference.execute(source, path, MODULE_NAME)
    except BridgeError as exc:
        if exc.code == "child_died":
            raise
        raise SpecFault("SPEC_INVALID", exc.message, exc.line, exc.hint) from None
    names = vars(module)
    if not callable(names.get("forward")):
        raise SpecFault("FORWARD_SPEC_MISSING", "the file has no function `forward`", 1, "define def forward(x, ...): with the forward computation")
    if SPEC_NAME not in names:
        raise SpecFault("FORWARD_SPEC_MISSING", f"the file has no {SPEC_NAME}", reference.definition_line(tree, "forward"),
                        f'add: {SPEC_NAME} = {{"wrt": ["x"], "inputs": {{"x": {{"shape": ["N"]}}}}}}')
    return _Checker(path, source, tree, module).spec()


def line_of_key(tree: ast.Module, *keys: str) -> int:
    """Line of BACKWARD_SPEC[keys...] in the file; of the nearest part that is written as a literal."""
    node: Any = next((n.value for n in tree.body if isinstance(n, (ast.Assign, ast.AnnAssign)) and n.value is not None
                      and any(isinstance(t, ast.Name) and t.id == SPEC_NAME for t in (n.targets if isinstance(n, ast.Assign) else [n.target]))), None)
    line = reference.definition_line(tree, SPEC_NAME)
    for key in keys:
        if not isinstance(node, ast.Dict):
            break
        found = next((v for k, v in zip(node.keys, node.values) if isinstance(k, ast.Constant) and k.value == key), None)
        if found is None:
            break
        node, line = found, found.lineno
    return line


class _Checker:
    """The rules, one method each; the first that fails raises."""

    def __init__(self, path: str, source: str, tree: ast.Module, module: ModuleType) -> None:
        self.path, self.source, self.tree, self.module = path, source, tree, module
        self.raw = vars(module)[SPEC_NAME]

    def fail(self, message: str, hint: str, *keys: str) -> SpecFault:
        return SpecFault("SPEC_INVALID", message, line_of_key(self.tree, *keys), hint)

    def spec(self) -> Spec:
        if not isinstance(self.raw, dict):
            raise self.fail(f"{SPEC_NAME} is a {type(self.raw).__name__}, not a dict", "write it as a dict of the fields " + ", ".join(FIELDS))
        unknown = [k for k in self.raw if k not in FIELDS]
        if unknown:
            raise self.fail(f"{SPEC_NAME} has no field {unknown[0]!r}", "the fields are " + ", ".join(FIELDS), str(unknown[0]))
        parameters = self._parameters()
        inputs = self._inputs(parameters)
        wrt = self._wrt(inputs)
        symbols = list(dict.fromkeys(d for i in inputs for d in i.shape if isinstance(d, str)))
        for item in inputs:
            loose = [b for b in item.range or [] if isinstance(b, str) and b not in symbols]
            if loose:
                raise self.fail(f"the range of {item.name!r} uses {loose[0]!r}, which no shape has", f"symbols: {', '.join(symbols) or 'none'}",
                                "inputs", item.name, "range")
        return Spec(self.path, self.source, self.module, wrt, inputs, self._cases(symbols), self._dtypes(), self._grad_output(),
                    self._profiles(), self._seed())

    def _parameters(self) -> dict[str, inspect.Parameter]:
        try:
            parameters = inspect.signature(vars(self.module)["forward"]).parameters
        except (TypeError, ValueError):
            raise self.fail("the parameters of forward cannot be read", "write forward as a plain function") from None
        for p in parameters.values():
            if p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD, p.POSITIONAL_ONLY):
                raise SpecFault("SPEC_INVALID", f"forward takes {p}, which has no name of its own",
                                reference.definition_line(self.tree, "forward"), "give each input a named parameter")
        return dict(parameters)

    def _inputs(self, parameters: dict[str, inspect.Parameter]) -> list[SpecInput]:
        raw = self.raw.get("inputs")
        if not isinstance(raw, dict) or not raw:
            raise self.fail("inputs is missing or empty" if not raw else f"inputs is a {type(raw).__name__}, not a dict",
                            'write "inputs": {"x": {"shape": ["N"]}}, one entry for each required parameter of forward', "inputs")
        for name in raw:
            if name not in parameters:
                raise self.fail(f"inputs names {name!r}, which forward does not take", f"parameters of forward: {', '.join(parameters)}",
                                "inputs", str(name))
        missing = [p.name for p in parameters.values() if p.default is p.empty and p.name not in raw]
        if missing:
            raise self.fail(f"inputs has no entry for forward's parameter {missing[0]!r}", f'add "{missing[0]}": {{"shape": [...]}}', "inputs")
        return [self._input(name, raw[name]) for name in parameters if name in raw]

    def _input(self, name: str, raw: Any) -> SpecInput:
        if isinstance(raw, (list, tuple)):
            raw = {"shape": raw}
        if not isinstance(raw, dict) or "shape" not in raw:
            raise self.fail(f"the input {name!r} has no shape", f'write "{name}": {{"shape": [...]}}', "inputs", name)
        unknown = [k for k in raw if k not in INPUT_FIELDS]
        if unknown:
            raise self.fail(f"the input {name!r} has no field {unknown[0]!r}", "an input has " + ", ".join(INPUT_FIELDS), "inputs", name)
        shape = raw["shape"]
        if not isinstance(shape, (list, tuple)) or not all(_is_dim(d) for d in shape):
            raise self.fail(f"the shape of {name!r} is {shape!r}", "a shape is a list of sizes (0 or more) and names of symbols", "inputs", name, "shape")
        dtype = self._input_dtype(name, raw.get("dtype"))
        bounds = raw.get("range")
        if bounds is not None:
            if dtype in (None, "bool", *FLOATS.values()) or not isinstance(bounds, (list, tuple)) or len(bounds) != 2 \
                    or not all(_is_bound(b) for b in bounds):
                raise self.fail(f"the range of {name!r} is {bounds!r}", "a range is [lowest, bound above] of an integer input, for example [0, \"V\"]",
                                "inputs", name, "range")
            bounds = list(bounds)
        return SpecInput(name, list(shape), dtype, bounds)

    def _input_dtype(self, name: str, raw: Any) -> Optional[str]:
        if raw is None:
            return None
        text = _dtype_text(raw)
        if text not in FLOATS and text not in INTEGERS:
            raise self.fail(f"the dtype of {name!r} is {raw!r}", "one of " + ", ".join(sorted({*FLOATS.values(), *INTEGERS.values()})), "inputs", name, "dtype")
        return FLOATS.get(text) or INTEGERS[text]

    def _wrt(self, inputs: list[SpecInput]) -> list[str]:
        raw = self.raw.get("wrt")
        if isinstance(raw, str):
            raise self.fail(f"wrt is the text {raw!r}", f'write a list: "wrt": ["{raw}"]', "wrt")
        if not isinstance(raw, (list, tuple)) or not raw:
            raise self.fail("wrt is missing or empty", "list the parameters of forward to differentiate by", "wrt")
        by_name = {i.name: i for i in inputs}
        for name in raw:
            if name not in by_name:
                raise self.fail(f"wrt names {name!r}, which is no input", f"inputs: {', '.join(by_name)}", "wrt")
            if not by_name[name].is_floating():
                raise self.fail(f"wrt names {name!r}, which holds {by_name[name].dtype}", "only floating inputs have gradients", "wrt")
        if len(set(raw)) != len(raw):
            raise self.fail("wrt names an input twice", "list each input once", "wrt")
        return list(raw)

    def _cases(self, symbols: list[str]) -> list[dict[str, int]]:
        raw = self.raw.get("cases")
        if raw is None or (not symbols and raw == []):
            return [{s: n for s in symbols} for n in AUTO_SIZES] if symbols else [{}]
        if not isinstance(raw, (list, tuple)) or not raw or not all(isinstance(c, dict) for c in raw):
            raise self.fail("cases is not a list of dicts", 'for example "cases": [{"N": 1024}, {"N": 4096}]', "cases")
        for case in raw:
            wrong = [s for s in symbols if s not in case]
            if wrong:
                raise self.fail(f"the case {case!r} gives no size to the symbol {wrong[0]!r}", "each case sets every symbol", "cases")
            extra = [s for s in case if s not in symbols]
            if extra:
                raise self.fail(f"the case {case!r} sets {extra[0]!r}, which no shape uses", f"symbols: {', '.join(symbols) or 'none'}", "cases")
            bad = [s for s, n in case.items() if not _is_size(n)]
            if bad:
                raise self.fail(f"the case {case!r} sets {bad[0]!r} to {case[bad[0]]!r}", "a size is a whole number, 0 or more", "cases")
        return [{s: case[s] for s in symbols} for case in raw]

    def _dtypes(self) -> list[str]:
        raw = self.raw.get("dtypes", ["float32"])
        if isinstance(raw, str) or not isinstance(raw, (list, tuple)) or not raw:
            raise self.fail(f"dtypes is {raw!r}", 'a list such as ["float32", "float16", "bfloat16"]', "dtypes")
        wrong = [d for d in raw if _dtype_text(d) not in FLOATS]
        if wrong:
            raise self.fail(f"dtypes has {wrong[0]!r}", "float32, float16, bfloat16, or fp32, fp16, bf16", "dtypes")
        return list(dict.fromkeys(FLOATS[_dtype_text(d)] for d in raw))

    def _grad_output(self) -> bool:
        raw = self.raw.get("grad_output", "ones")
        if raw not in ("ones", "explicit"):
            raise self.fail(f"grad_output is {raw!r}", '"ones" or "explicit"', "grad_output")
        if raw == "explicit" and any(p == "grad_output" for p in inspect.signature(vars(self.module)["forward"]).parameters):
            raise self.fail("forward has a parameter named grad_output", "rename it: the incoming gradient has that name", "grad_output")
        return bool(raw == "explicit")

    def _profiles(self) -> list[str]:
        raw = self.raw.get("input_profiles", list(PROFILES))
        if isinstance(raw, str) or not isinstance(raw, (list, tuple)) or not raw:
            raise self.fail(f"input_profiles is {raw!r}", "a list of " + ", ".join(PROFILES), "input_profiles")
        wrong = [p for p in raw if p not in PROFILES]
        if wrong:
            raise self.fail(f"input_profiles has {wrong[0]!r}", "one of " + ", ".join(PROFILES), "input_profiles")
        return list(dict.fromkeys(raw))

    def _seed(self) -> int:
        raw = self.raw.get("seed", DEFAULT_SEED)
        if not isinstance(raw, int) or isinstance(raw, bool) or not 0 <= raw < 1 << 62:
            raise self.fail(f"seed is {raw!r}", "a whole number, 0 or more", "seed")
        return raw


def _is_size(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40


def _is_dim(value: Any) -> bool:
    return _is_size(value) or (isinstance(value, str) and value.isidentifier())


def _is_bound(value: Any) -> bool:
    return (isinstance(value, int) and not isinstance(value, bool)) or (isinstance(value, str) and value.isidentifier())


def _dtype_text(value: Any) -> str:
    return str(value).replace("torch.", "") if isinstance(value, (str, torch.dtype)) else ""


# ---- values -----------------------------------------------------------------------------------------------------------


def shape_of(item: SpecInput, symbols: dict[str, int]) -> list[int]:
    return [symbols[d] if isinstance(d, str) else d for d in item.shape]


def draw_inputs(spec: Spec, record: Record) -> dict[str, torch.Tensor]:
    """The inputs of a record, rounded to its dtype: what the kernel sees and what the truth is computed from."""
    generator = torch.Generator().manual_seed(record.seed)
    out: dict[str, torch.Tensor] = {}
    for item in spec.inputs:
        shape = shape_of(item, record.symbols)
        if item.is_floating():
            dtype = getattr(torch, item.dtype or record.dtype)
            out[item.name] = _profiled(record.profile, shape, dtype, generator)
        else:
            out[item.name] = _integers(item, shape, record.symbols, generator)
    return out


def output_dtype(spec: Spec, dtype: str) -> torch.dtype:
    """That of forward's first result with inputs of a record's dtype: an incoming gradient has it."""
    if dtype not in spec.output_dtypes:
        inputs = draw_inputs(spec, Record(0, dtype, spec.cases[0], "standard", spec.seed))
        try:
            with torch.no_grad():
                spec.output_dtypes[dtype] = outputs_of(spec, inputs)[0].dtype
        except RuntimeError:  # this CPU has not all operators in 16 bits
            spec.output_dtypes[dtype] = getattr(torch, dtype)
    return spec.output_dtypes[dtype]


def draw_gradient(record: Record, output: torch.Tensor) -> torch.Tensor:
    """The explicit incoming gradient: seeded normal values in the output's dtype."""
    generator = torch.Generator().manual_seed(record.seed + GRADIENT_SEED_OFFSET)
    return torch.randn(output.shape, generator=generator, dtype=torch.float32).to(output.dtype)


def _profiled(profile: str, shape: list[int], dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    normal = torch.randn(shape, generator=generator, dtype=torch.float32)
    if profile == "zeros":
        return torch.zeros(shape, dtype=dtype)
    if profile == "large":
        return (normal * 100.0).to(dtype)
    if profile == "small":
        return (normal * 1e-3).to(dtype)
    if profile == "boundary":
        return _boundary(normal, dtype, generator)
    return normal.to(dtype)


def _boundary(normal: torch.Tensor, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Kinks, saturation points and the ends of the format among normal values."""
    info = torch.finfo(dtype)
    values = torch.tensor([0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 3.0, -3.0, 6.0, -6.0, 20.0, -20.0, info.eps, -info.eps, info.tiny, -info.tiny,
                           math.sqrt(info.max) / 2, -math.sqrt(info.max) / 2], dtype=torch.float64).to(dtype)
    out = normal.to(dtype).reshape(-1)
    places = torch.randperm(out.numel(), generator=generator)[: max(min(out.numel(), len(values)), out.numel() // 4)]
    out[places] = values[torch.arange(len(places)) % len(values)]
    return out.reshape(normal.shape)


def _integers(item: SpecInput, shape: list[int], symbols: dict[str, int], generator: torch.Generator) -> torch.Tensor:
    dtype = getattr(torch, str(item.dtype))
    if dtype == torch.bool:
        return torch.randint(0, 2, shape, generator=generator).to(torch.bool)
    low, high = [symbols.get(b, 0) if isinstance(b, str) else b for b in (item.range or [0, 2])]
    return torch.randint(low, max(high, low + 1), shape, generator=generator).to(dtype)


# ---- forward and its gradient ------------------------------------------------------------------------------------------


def outputs_of(spec: Spec, inputs: dict[str, torch.Tensor]) -> list[torch.Tensor]:
    result = spec.forward(**inputs)
    items = list(result) if isinstance(result, (tuple, list)) else [result]
    if not items or not all(isinstance(t, torch.Tensor) for t in items):
        raise SpecFault("SPEC_INVALID", f"forward returns {type(result).__name__}, not a tensor or several", spec.forward.__code__.co_firstlineno,
                        "return the result tensor, or a tuple of tensors")
    return items


def gradients(spec: Spec, inputs: dict[str, torch.Tensor], gradient: Optional[torch.Tensor], dtype: Optional[torch.dtype]) -> list[torch.Tensor]:
    """The gradients by autograd, computed in dtype (None: as the inputs are). Raises SpecFault when there are none."""
    leaves = {}
    for name, value in inputs.items():
        value = value.detach().clone()
        leaves[name] = value.to(dtype) if dtype is not None and value.is_floating_point() else value
    for name in spec.wrt:
        leaves[name].requires_grad_()
    line = spec.forward.__code__.co_firstlineno
    with torch.enable_grad(), stable.StaysFloat64(), stable.StableOrder():
        outputs = [t for t in outputs_of(spec, leaves) if t.requires_grad]
        if not outputs:
            raise SpecFault("NOT_DIFFERENTIABLE", f"no output of forward depends on {', '.join(spec.wrt)} in a differentiable way", line,
                            "look for detach(), integer conversions, comparisons or argmax between the input and the result")
        grads_out = [gradient.to(outputs[0].dtype)] if gradient is not None else [torch.ones_like(t) for t in outputs]
        try:
            found = torch.autograd.grad(outputs, [leaves[n] for n in spec.wrt], grads_out, allow_unused=True)
        except RuntimeError as exc:
            raise SpecFault("NOT_DIFFERENTIABLE", f"autograd cannot differentiate forward: {str(exc).splitlines()[0]}", line,
                            "use operations that have a derivative") from None
    unused = [n for n, g in zip(spec.wrt, found) if g is None]
    if unused:
        raise SpecFault("NOT_DIFFERENTIABLE", f"the result does not depend on {unused[0]}", line, f"take {unused[0]!r} out of wrt, or use it in forward")
    return [g.detach() for g in found]
