"""Reference files: loading, the contract check, and what to write when a file is not one.

A reference holds class Model (or ModelNew), get_inputs() and, when the constructor takes arguments, get_init_inputs().
The file is read and executed as it is; nothing is edited.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import re
import sys
from types import ModuleType
from typing import Any, Callable, Optional

import torch

from . import groups, npu_functions
from .errors import BridgeError, from_user_code

CLASS_NAMES = ("Model", "ModelNew")
MODULE_NAME = "opwright_reference"
# Numbers and strings that get_inputs and get_init_inputs may hand over beside tensors.
SCALAR_TYPES = (bool, int, float, complex)


def is_fixed(value: Any) -> bool:
    """An argument that is part of the program, as a list of dimensions or the name of a mode."""
    if isinstance(value, (list, tuple)):
        return all(is_fixed(v) for v in value)
    return value is None or isinstance(value, (*SCALAR_TYPES, str, torch.dtype))


def is_tensors(value: Any) -> bool:
    """A list of tensors, one argument of forward, of which each tensor is an input of its own."""
    return isinstance(value, (list, tuple)) and bool(value) and all(isinstance(v, torch.Tensor) for v in value)


def flatten(values: list[Any]) -> tuple[list[Any], list[Optional[tuple[type, int]]]]:
    """Arguments with lists of tensors laid out, and for each argument None or what kind of list of how many it was."""
    flat: list[Any] = []
    nesting: list[Optional[tuple[type, int]]] = []
    for v in values:
        flat += v if is_tensors(v) else [v]
        nesting.append((type(v), len(v)) if is_tensors(v) else None)
    return flat, nesting


class Reference:
    """An executed reference file. `source` and `tree` are the text it came from."""

    def __init__(self, path: str, source: str, tree: ast.Module, module: ModuleType, group: Optional[int] = None) -> None:
        self.path = path
        self.source = source
        self.tree = tree
        self.module = module
        self.class_name = next((n for n in CLASS_NAMES if n in vars(module)), "")
        self.has_groups = "get_inputs" not in vars(module) and callable(vars(module).get(groups.FUNCTION))
        self.nesting: list[Optional[tuple[type, int]]] = []  # of the last get_inputs(): what flatten() tells
        self.group = (group or 0) if self.has_groups else None  # which of get_input_groups() is the file's inputs

    @property
    def cls(self) -> type:
        return vars(self.module)[self.class_name]

    def class_line(self) -> int:
        return definition_line(self.tree, self.class_name)

    # -- calls into the file, each with errors that name its line ------------------------------------------------------

    def get_inputs(self) -> list[Any]:
        """The inputs, lists of tensors laid out: nested() gives what forward takes."""
        if self.group is not None:
            values = groups.inputs_of(self, self.group)
        else:
            values = self.call_list("get_inputs", "tensors and numbers, one for each argument of forward")
        flat, self.nesting = flatten(values)
        return flat

    def nested(self, flat: list[Any]) -> list[Any]:
        """Arguments of forward from inputs, changed or not."""
        rest = iter(flat)
        nesting = self.nesting or [None] * len(flat)
        return [next(rest) if part is None else part[0](next(rest) for _ in range(part[1])) for part in nesting]

    def place_of(self, index: int) -> tuple[int, Optional[int]]:
        """Which argument of forward input `index` is, and its place in it when that is a list of tensors."""
        at = 0
        for argument, part in enumerate(self.nesting):
            n = 1 if part is None else part[1]
            if index < at + n:
                return argument, None if part is None else index - at
            at += n
        return index, None

    def argument_names(self, n: int) -> list[str]:
        """Names of n inputs: those of a list `xs` are xs0, xs1, ..."""
        names = argument_names(self.forward_parameters(), len(self.nesting) or n)
        places = [self.place_of(i) for i in range(n)]
        return [names[argument] + ("" if k is None else str(k)) for argument, k in places if argument < len(names)]

    def fixed_inputs(self, n: int) -> set[int]:
        """Which of n inputs have the same dtype in every variant: those that FIXED_DTYPES of the file names."""
        named = vars(self.module).get("FIXED_DTYPES", ())
        return {i for i, name in enumerate(self.argument_names(n)) if name in named}

    def get_init_inputs(self) -> list[Any]:
        if "get_init_inputs" not in vars(self.module):
            return []
        return self.call_list("get_init_inputs", "arguments of the constructor (return [] when it takes none)")

    def line_of(self, name: str) -> int:
        return definition_line(self.tree, name)

    def call_list(self, name: str, what: str) -> list[Any]:
        line = definition_line(self.tree, name)
        try:
            value = vars(self.module)[name]()
        except Exception as exc:
            raise from_user_code(exc, self.path, f"{name}() raised an exception") from exc
        if not isinstance(value, (list, tuple)):
            raise BridgeError("bad_input", f"{name}() returned {type(value).__name__}, not a list", self.path, line,
                              f"return a list of {what}")
        return list(value)

    def construct(self, init_inputs: list[Any], doing: str = "") -> torch.nn.Module:
        try:
            return self.cls(*init_inputs)
        except Exception as exc:
            call = f"{self.class_name}({', '.join(short_repr(v) for v in init_inputs)})"
            hint = "" if init_inputs or not isinstance(exc, TypeError) else \
                "return the constructor's arguments from get_init_inputs()"
            raise from_user_code(exc, self.path, f"{call} raised an exception{doing}", hint) from exc

    def forward_parameters(self) -> list[inspect.Parameter]:
        return _parameters(self.cls.forward)

    def init_parameters(self) -> list[inspect.Parameter]:
        return _parameters(self.cls.__init__)


def _parameters(function: Callable[..., Any]) -> list[inspect.Parameter]:
    return list(inspect.signature(function).parameters.values())[1:]


def argument_names(parameters: list[inspect.Parameter], n: int) -> list[str]:
    """Names of n positional arguments; those of *args are args0, args1, ..."""
    names: list[str] = []
    for p in parameters:
        if p.kind is p.VAR_POSITIONAL:
            names += [f"{p.name}{i}" for i in range(n - len(names))]
        elif p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD):
            names.append(p.name)
    return names[:n]


def short_repr(value: Any) -> str:
    if isinstance(value, torch.Tensor):
        return f"tensor{tuple(value.shape)}"
    text = repr(value)
    return text if len(text) <= 40 else text[:37] + "..."


def dtype_name(dtype: torch.dtype) -> str:
    return str(dtype).replace("torch.", "")


# ---- loading --------------------------------------------------------------------------------------------------------


def load(path: str) -> Reference:
    """Reads, executes and checks a reference file; `FILE.py#3` is group 3 of a file with get_input_groups."""
    path, group = groups.split_path(path)
    source = read_source(path)
    tree = parse_source(source, path)
    with npu_functions.standing_in():
        module = execute(source, path, MODULE_NAME)
    ref = Reference(path, source, tree, module, group)
    check_names(ref)
    check_signatures(ref)
    return ref


def read_source(path: Any) -> str:
    if not isinstance(path, str) or not path:
        raise BridgeError("bad_input", "no path was given")
    try:
        with open(path, "rb") as f:
            data = f.read()
    except FileNotFoundError:
        raise BridgeError("not_found", f"there is no file {path}", path) from None
    except OSError as exc:
        raise BridgeError("io", f"cannot read {path}: {exc.strerror}", path) from None
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        line = data[: exc.start].count(b"\n") + 1
        raise BridgeError("bad_input", "the file is not UTF-8 text", path, line, "save it as UTF-8") from None


def parse_source(source: str, path: str) -> ast.Module:
    try:
        return ast.parse(source, path)
    except SyntaxError as exc:
        raise BridgeError("bad_input", f"the file is not valid Python: {exc.msg}", path, exc.lineno or 1) from None
    except ValueError as exc:  # NUL bytes
        raise BridgeError("bad_input", f"the file is not valid Python: {exc}", path, 1) from None


def execute(source: str, path: str, name: str) -> ModuleType:
    """Runs source as module `name`; imports beside the file work, and tracebacks show its lines."""
    module = ModuleType(name)
    module.__file__ = path
    sys.modules[name] = module
    sys.dont_write_bytecode = True  # nothing is left behind in the user's folder
    folder = os.path.dirname(os.path.abspath(path))
    if folder not in sys.path:
        sys.path.insert(0, folder)
    linecache.cache[path] = (len(source), None, source.splitlines(True), path)
    try:
        exec(compile(source, path, "exec", dont_inherit=True), vars(module))
    except ImportError as exc:
        raise from_user_code(exc, path, "importing the file failed", _import_hint(exc)) from exc
    except (Exception, SystemExit) as exc:
        raise from_user_code(exc, path, "importing the file raised an exception") from exc
    return module


def _import_hint(exc: ImportError) -> str:
    name = (exc.name or "").split(".")[0]
    return f"install it for this Python: {sys.executable} -m pip install {name}" if name else ""


def definition_line(tree: ast.Module, name: str) -> int:
    """Line where a module-level name is bound; 0 when it is not."""
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
            return node.lineno
        if isinstance(node, ast.Assign) and any(isinstance(t, ast.Name) and t.id == name for t in node.targets):
            return node.lineno
    return 0


# ---- the contract ---------------------------------------------------------------------------------------------------


def check_names(ref: Reference) -> None:
    names = vars(ref.module)
    if not ref.class_name:
        raise missing_class(ref)
    if not (isinstance(ref.cls, type) and issubclass(ref.cls, torch.nn.Module)):
        raise BridgeError("bad_input", f"{ref.class_name} is not a torch.nn.Module", ref.path, ref.class_line(),
                          f"write class {ref.class_name}(torch.nn.Module): with a forward method")
    if ref.cls.forward is torch.nn.Module.forward or "forward" not in dir(ref.cls):
        raise BridgeError("bad_input", f"{ref.class_name} has no forward method", ref.path, ref.class_line(),
                          "define forward(self, ...) that returns the result")
    if not callable(names.get("get_inputs")) and not ref.has_groups:
        raise BridgeError("bad_input", "the file has no get_inputs function", ref.path, last_line(ref),
                          "add: " + get_inputs_text(ref.forward_parameters()))
    if "get_init_inputs" in names and not callable(names["get_init_inputs"]):
        raise BridgeError("bad_input", "get_init_inputs is not a function", ref.path,
                          definition_line(ref.tree, "get_init_inputs"),
                          "write def get_init_inputs(): return [the constructor's arguments]")


def check_signatures(ref: Reference) -> None:
    try:
        needed = [p.name for p in ref.init_parameters() if p.default is p.empty
                  and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    except (TypeError, ValueError):
        return
    if needed and "get_init_inputs" not in vars(ref.module):
        raise BridgeError("bad_input", f"{ref.class_name} needs constructor arguments ({', '.join(needed)}) but the file has "
                          "no get_init_inputs function", ref.path, ref.class_line(),
                          f"add: def get_init_inputs(): return [{', '.join(needed)}], with values")


def check_inputs(ref: Reference, inputs: list[Any]) -> None:
    """Every input is a tensor, a number, or part of the program, and forward can take that many."""
    line = definition_line(ref.tree, "get_inputs" if ref.group is None else groups.FUNCTION)
    for i, value in enumerate(inputs):
        if not isinstance(value, torch.Tensor) and not is_fixed(value):
            raise BridgeError("unsupported" if isinstance(value, (list, tuple)) else "bad_input",
                              f"input {i} of get_inputs() is {type(value).__name__}, not a tensor or a number", ref.path, line,
                              "a list may hold tensors alone; give others an argument of their own")
    parameters = ref.forward_parameters()
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    required = [p for p in positional if p.default is p.empty]
    star = any(p.kind is p.VAR_POSITIONAL for p in parameters)
    n = len(ref.nesting) or len(inputs)
    if n < len(required) or (n > len(positional) and not star):
        raise BridgeError("bad_input", f"get_inputs() returns {n} values, but forward takes "
                          f"{len(required)}{'' if len(required) == len(positional) else f' to {len(positional)}'}"
                          f" ({', '.join(p.name for p in positional)})", ref.path, line,
                          "return one value for each argument of forward, in order")


def last_line(ref: Reference) -> int:
    return max(1, ref.source.count("\n") + (not ref.source.endswith("\n")))


def get_inputs_text(parameters: list[inspect.Parameter]) -> str:
    needed = [p for p in parameters if p.default is p.empty and p.kind is not p.VAR_POSITIONAL]
    return f"def get_inputs(): return [{', '.join('torch.randn(1024, 1024)' for _ in needed or [0])}]"


def missing_class(ref: Reference) -> BridgeError:
    """Names what the file does define, and writes the missing part for it."""
    functions = [n for n in ref.tree.body if isinstance(n, ast.FunctionDef)
                 and n.name not in ("get_inputs", "get_init_inputs") and not n.name.startswith("_")]
    modules = [n for n in ref.tree.body if isinstance(n, ast.ClassDef)
               and isinstance(vars(ref.module).get(n.name), type) and issubclass(vars(ref.module)[n.name], torch.nn.Module)]
    instances = [(k, v) for k, v in vars(ref.module).items() if isinstance(v, torch.nn.Module)]
    if modules:
        node = modules[-1]
        parameters = _parameters(vars(ref.module)[node.name].forward)
        return BridgeError("bad_input", f"the file defines the module {node.name}, but no class named Model", ref.path, node.lineno,
                           f"rename {node.name} to Model{_also_inputs(ref, parameters)}")
    if functions:
        return _bare_function(ref, functions)
    if instances:
        name = instances[-1][0]
        return BridgeError("bad_input", f"the file makes a module object {name}, but defines no class named Model", ref.path,
                           definition_line(ref.tree, name),
                           f"build it in the constructor of class Model(torch.nn.Module) and call it in forward{_also_inputs(ref, None)}")
    return BridgeError("bad_input", "the file has no class named Model", ref.path, 1,
                       "a reference file defines class Model(torch.nn.Module) with forward, and get_inputs() that returns its inputs")


def _bare_function(ref: Reference, functions: list[ast.FunctionDef]) -> BridgeError:
    name = re.sub(r"(_torch_reference|_reference)?\.py$", "", os.path.basename(ref.path))
    node = next((f for f in functions if f.name in (name, "forward")), functions[-1])
    function = vars(ref.module)[node.name]
    parameters = list(inspect.signature(function).parameters.values())
    args = ", ".join(p.name for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD))
    return BridgeError("bad_input", f"the file defines the function {node.name}, but no class named Model", ref.path, node.lineno,
                       f"add: class Model(torch.nn.Module): def forward(self, {args}): return {node.name}({args})"
                       f"{_also_inputs(ref, parameters)}")


def _also_inputs(ref: Reference, parameters: Optional[list[inspect.Parameter]]) -> str:
    if "get_inputs" in vars(ref.module):
        return ""
    return f"; and add: {get_inputs_text(parameters or [])}"


# ---- the method -----------------------------------------------------------------------------------------------------


def load_reference(params: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """`load_reference` of docs/bridge.md."""
    ref = load(params.get("path", ""))
    inputs, _ = example_inputs(ref)
    check_inputs(ref, inputs)
    init_inputs = ref.get_init_inputs()
    return {"class": ref.class_name, "inputs": [describe_input(v) for v in inputs], "init_inputs": len(init_inputs)}, []


def describe_input(value: Any) -> dict[str, Any]:
    if isinstance(value, torch.Tensor):
        return {"kind": "tensor", "dtype": dtype_name(value.dtype), "shape": list(value.shape), "stride": list(value.stride())}
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"kind": "scalar", "value": {"const": str(value)}}
    return {"kind": "scalar", "value": str(value) if isinstance(value, complex) else value}


def example_inputs(ref: Reference, mode: Any = None) -> tuple[list[Any], bool]:
    """get_inputs() without its data where that works (inputs of many gigabytes then cost nothing), else as it is.
    The second value tells whether the tensors are real."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    try:
        with mode or FakeTensorMode(allow_non_fake_inputs=True), torch.no_grad():
            return ref.get_inputs(), False
    except Exception:
        return ref.get_inputs(), True
