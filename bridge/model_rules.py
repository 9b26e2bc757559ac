"""Static rules of model_src, found in its syntax tree (src/desc/rules.def has their texts in both languages).

ModelNew may make parameters, reshape and call custom_ops_lib; everything that computes belongs into kernel_src.
"""

from __future__ import annotations

import ast
from typing import Any, Optional

import torch

LIBRARY = "custom_ops_lib"

# Methods of a tensor that only look, allocate, or change how it is seen; conversions of dtype pass here and are told at run time.
VIEW_METHODS = frozenset("""
view view_as reshape reshape_as permute transpose t swapaxes swapdims movedim moveaxis expand expand_as unsqueeze squeeze flatten
unflatten ravel narrow select unbind split chunk tensor_split unfold diagonal as_strided contiguous clone detach size dim stride numel
ndimension nelement element_size storage_offset data_ptr is_contiguous is_floating_point new_empty new_zeros new_empty_strided
npu cpu to type item tolist get_device requires_grad_ T mT H real
broadcast_to copy_ resize_ zero_ float half bfloat16 double int long short char byte bool type_as
""".split())
# Functions of torch that do the same.
ALLOWED_TORCH = frozenset("""
torch.empty torch.empty_like torch.empty_strided torch.zeros torch.zeros_like torch.reshape torch.permute torch.transpose
torch.unsqueeze torch.squeeze torch.flatten torch.movedim torch.broadcast_to torch.broadcast_shapes torch.narrow torch.unbind
torch.split torch.chunk torch.is_tensor torch.device torch.Size torch.numel torch.no_grad torch.inference_mode torch.is_floating_point
torch.finfo torch.iinfo torch.get_default_dtype torch.autograd.Function torch.nn.Parameter torch.nn.ParameterList torch.tensor
torch.ops.load_library torch.cuda.is_available torch.npu.synchronize torch.npu.current_stream torch.npu.is_available
torch.nn.Module torch.jit.ignore torch.jit.export torch.compiler.disable torch._dynamo.disable
""".split())
ALLOWED_PREFIXES = ("torch.npu.", "torch.ops.custom", f"{LIBRARY}.")
CONTAINERS = frozenset("torch.nn.ModuleList torch.nn.ModuleDict torch.nn.ParameterList torch.nn.ParameterDict torch.nn.Parameter".split())
ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.MatMult, ast.BitAnd, ast.BitOr, ast.BitXor)


def violation(rule: str, line: int, message: str, hint: str) -> dict[str, Any]:
    return {"rule": rule, "line": line, "message": message, "hint": hint}


def check(model_src: str) -> list[dict[str, Any]]:
    """Violations in order of their lines; lines count from the first of model_src."""
    try:
        tree = ast.parse(model_src)
    except (SyntaxError, ValueError) as exc:
        line = exc.lineno or 0 if isinstance(exc, SyntaxError) else 0
        text = exc.msg if isinstance(exc, SyntaxError) else str(exc)
        return [violation("model-syntax", line, f"model_src is not valid Python: {text}", "mend the Python error")]
    names = Imports(tree)
    cls = next((n for n in tree.body if isinstance(n, ast.ClassDef) and n.name == "ModelNew"), None)
    out: list[dict[str, Any]] = []
    if LIBRARY not in names.modules:
        out.append(violation("model-import", 1, f"model_src does not import {LIBRARY}", f"write `import {LIBRARY}`"))
    if cls is None:
        out.append(violation("model-class", 1, "model_src has no class ModelNew", "define class ModelNew(torch.nn.Module)"))
        return out
    if not any(names.full(b) in ("torch.nn.Module", "torch.nn.modules.Module", "torch.nn.modules.module.Module") for b in cls.bases):
        out.append(violation("model-class", cls.lineno, "ModelNew is not derived from torch.nn.Module",
                             "write class ModelNew(torch.nn.Module):"))
    checker = ModelChecker(tree, cls, names)
    if not checker.calls_library():
        out.append(violation("model-call", cls.lineno, f"ModelNew does not call {LIBRARY}",
                             f"call {LIBRARY}.<function>(...) in forward; the function is the one PYBIND11_MODULE exports"))
    out += checker.computations()
    return sorted(out, key=lambda v: v["line"])


class Imports:
    """What local names stand for: `import torch.nn.functional as F` makes F that."""

    def __init__(self, tree: ast.Module) -> None:
        self.alias: dict[str, str] = {}
        self.modules: set[str] = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                for a in node.names:
                    self.modules.add(a.name.split(".")[0])
                    self.alias[a.asname or a.name.split(".")[0]] = a.name if a.asname else a.name.split(".")[0]
            elif isinstance(node, ast.ImportFrom) and node.module:
                self.modules.add(node.module.split(".")[0])
                for a in node.names:
                    self.alias[a.asname or a.name] = f"{node.module}.{a.name}"
            elif isinstance(node, ast.Call) and _is_import_module(node):
                self.modules.add(node.args[0].value)  # type: ignore[attr-defined]
        for node in ast.walk(tree):  # lib = importlib.import_module("custom_ops_lib"), act = torch.relu
            if isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                value = node.value
                if isinstance(value, ast.Call) and _is_import_module(value):
                    self.alias[node.targets[0].id] = value.args[0].value  # type: ignore[attr-defined]
                elif isinstance(value, ast.Attribute) and self.full(value).startswith(("torch.", LIBRARY)):
                    self.alias[node.targets[0].id] = self.full(value)

    def full(self, node: ast.AST) -> str:
        """Dotted name with imports resolved, "" when the expression is not one."""
        if isinstance(node, ast.Name):
            return self.alias.get(node.id, node.id)
        if isinstance(node, ast.Attribute):
            base = self.full(node.value)
            return f"{base}.{node.attr}" if base else ""
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr" and len(node.args) >= 2 \
                and isinstance(node.args[1], ast.Constant):
            base = self.full(node.args[0])
            return f"{base}.{node.args[1].value}" if base else ""
        return ""


def _is_import_module(node: ast.Call) -> bool:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id if isinstance(node.func, ast.Name) else ""
    return name in ("import_module", "__import__") and bool(node.args) and isinstance(node.args[0], ast.Constant) \
        and isinstance(node.args[0].value, str)


class ModelChecker:
    """Looks at forward and what it calls in model_src itself: other methods of ModelNew, and functions of the module."""

    def __init__(self, tree: ast.Module, cls: ast.ClassDef, names: Imports, seen: frozenset[str] = frozenset()) -> None:
        self.names = names
        self.tree = tree
        self.seen = seen | {cls.name}
        self.cls = cls
        self.methods = {n.name: n for n in cls.body if isinstance(n, ast.FunctionDef)}
        self.functions = {n.name: n for n in tree.body if isinstance(n, ast.FunctionDef)}
        self.classes = {n.name: n for n in tree.body if isinstance(n, ast.ClassDef)}
        self.parts: dict[str, ast.ClassDef] = {}  # self.x made from a class of model_src itself
        self.modules = self._module_attributes()
        self.bodies = self._reachable("forward")

    def _reachable(self, start: str) -> list[ast.FunctionDef]:
        seen: dict[str, ast.FunctionDef] = {}
        todo = [self.methods[start]] if start in self.methods else []
        while todo:
            body = todo.pop()
            if body.name in seen:
                continue
            seen[body.name] = body
            for node in ast.walk(body):
                if isinstance(node, ast.Call):
                    found = self._local(node.func)
                    if found is not None:
                        todo.append(found)
        return list(seen.values())

    def _local(self, func: ast.AST) -> Optional[ast.FunctionDef]:
        name = _self_attribute(func)
        if name:
            return self.methods.get(name)
        return self.functions.get(func.id) if isinstance(func, ast.Name) else None

    def _module_attributes(self) -> dict[str, str]:
        """self.x that __init__ makes from a torch class: name -> class."""
        out: dict[str, str] = {}
        for node in ast.walk(self.methods["__init__"]) if "__init__" in self.methods else ():
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    name = _self_attribute(target)
                    made = self._made_of(node.value)
                    if name and made:
                        out[name] = made
                    for call in ast.walk(node.value):  # one class, or several in a Sequential or a list
                        if name and isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id in self.classes:
                            self.parts[name] = self.classes[call.func.id]
        return out

    def _made_of(self, value: ast.AST) -> str:
        """The torch class or function a value comes from; "" for parameters, containers of them, and plain values."""
        if isinstance(value, ast.Call):
            full = self.names.full(value.func)
            if full.startswith("torch.nn.") and full not in CONTAINERS and _is_module_class(full):
                return full
            if full in ("torch.nn.ModuleList", "torch.nn.ModuleDict"):
                return full
        full = self.names.full(value)
        return full if full.startswith("torch.") and callable(_resolve(full)) and full not in ALLOWED_TORCH else ""

    def calls_library(self) -> bool:
        for body in self.methods.values():
            for node in ast.walk(body):
                full = self.names.full(node.func) if isinstance(node, ast.Call) else ""
                if full.startswith(LIBRARY) or "custom_ops" in full:
                    return True
        return any(self.names.full(n.func).startswith(LIBRARY) for b in self.bodies for n in ast.walk(b) if isinstance(n, ast.Call)) \
            or any(c.calls_library() for c in self._part_checkers())

    def _part_checkers(self) -> list["ModelChecker"]:
        """Checkers of the classes of model_src whose objects forward calls."""
        used = {_self_attribute(n.func) or _self_item(n.func) for b in self.bodies for n in ast.walk(b) if isinstance(n, ast.Call)}
        return [ModelChecker(self.tree, self.parts[name], self.names, self.seen) for name in sorted(used & set(self.parts))
                if self.parts[name].name not in self.seen]

    def computations(self) -> list[dict[str, Any]]:
        out: list[dict[str, Any]] = []
        for body in self.bodies:
            tensors = Tensors(body, self)
            for node in ast.walk(body):
                found = self._call(node, tensors) if isinstance(node, ast.Call) else tensors.arithmetic(node)
                if found:
                    out.append(violation("model-computes", node.lineno, found,  # type: ignore[attr-defined]
                                         "ModelNew may create parameters and change views; compute this in kernel_src"))
        return out + [v for c in self._part_checkers() for v in c.computations()]

    def _call(self, node: ast.Call, tensors: "Tensors") -> str:
        full = self.names.full(node.func)
        attribute = _self_attribute(node.func) or _self_item(node.func)
        if attribute and attribute in self.modules:
            return f"forward computes with self.{attribute}, made from {self.modules[attribute]}"
        if full in ALLOWED_TORCH or full.startswith(ALLOWED_PREFIXES):
            return ""
        if full.startswith(("torch.", "torch_npu.")):
            return f"forward computes with {full}"
        if isinstance(node.func, ast.Attribute) and tensors.is_tensor(node.func.value):
            name = node.func.attr
            if name not in VIEW_METHODS and hasattr(torch.Tensor, name):
                return f"forward computes with the tensor method .{name}()"
        return ""


class Tensors:
    """Which expressions of one function are tensors, as far as its text tells: its arguments, what library calls and
    views of them return, and parameters of self."""

    def __init__(self, body: ast.FunctionDef, checker: ModelChecker) -> None:
        self.checker = checker
        args = [*body.args.posonlyargs, *body.args.args]
        self.known = {a.arg for a in (args[1:] if args and args[0].arg == "self" else args) if not _is_number_annotation(a.annotation)}
        self.parameters = self._parameters(checker)
        for _ in range(2):  # names bound below their first use in a loop
            for node in ast.walk(body):
                if isinstance(node, ast.Assign):
                    self._bind(node)

    @staticmethod
    def _parameters(checker: ModelChecker) -> set[str]:
        out: set[str] = set()
        for node in ast.walk(checker.methods["__init__"]) if "__init__" in checker.methods else ():
            if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and \
                    checker.names.full(node.value.func) == "torch.nn.Parameter":
                out.update(n for n in map(_self_attribute, node.targets) if n)
        return out

    def _bind(self, node: ast.Assign) -> None:
        if not self.is_tensor(node.value):
            return
        for target in node.targets:
            for name in ast.walk(target):
                if isinstance(name, ast.Name):
                    self.known.add(name.id)

    def is_tensor(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Name):
            return node.id in self.known
        if _self_attribute(node):
            return _self_attribute(node) in self.parameters
        if isinstance(node, ast.Subscript):
            return self.is_tensor(node.value)
        if isinstance(node, ast.BinOp):
            return self.is_tensor(node.left) or self.is_tensor(node.right)
        if isinstance(node, ast.UnaryOp):
            return self.is_tensor(node.operand)
        if isinstance(node, ast.Attribute):
            return node.attr in ("T", "mT", "H", "data", "weight", "bias") and (self.is_tensor(node.value) or node.attr in ("weight", "bias"))
        if isinstance(node, ast.Call):
            return self._call_is_tensor(node)
        return False

    def _call_is_tensor(self, node: ast.Call) -> bool:
        full = self.checker.names.full(node.func)
        if full.startswith(LIBRARY) or (full.startswith("torch.") and full in ALLOWED_TORCH and callable(_resolve(full))
                                        and full not in ("torch.device", "torch.Size", "torch.numel", "torch.is_tensor")):
            return True
        return isinstance(node.func, ast.Attribute) and self.is_tensor(node.func.value) \
            and node.func.attr not in ("size", "dim", "stride", "numel", "item", "tolist", "data_ptr", "is_contiguous", "element_size",
                                       "ndimension", "nelement", "storage_offset", "get_device", "is_floating_point")

    def arithmetic(self, node: ast.AST) -> str:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ARITHMETIC) and (self.is_tensor(node.left) or self.is_tensor(node.right)):
            return f"forward computes `{ast.unparse(node)}`"
        if isinstance(node, ast.AugAssign) and self.is_tensor(node.target):
            return f"forward computes `{ast.unparse(node)}`"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.USub, ast.Invert)) and self.is_tensor(node.operand):
            return f"forward computes `{ast.unparse(node)}`"
        if isinstance(node, ast.Compare) and any(isinstance(op, (ast.Lt, ast.LtE, ast.Gt, ast.GtE)) for op in node.ops) \
                and any(self.is_tensor(n) for n in (node.left, *node.comparators)):
            return f"forward computes `{ast.unparse(node)}`"
        return ""


def _self_attribute(node: ast.AST) -> str:
    return node.attr if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self" else ""


def _self_item(node: ast.AST) -> str:
    """x of self.x[i]: a call of a module in a list."""
    return _self_attribute(node.value) if isinstance(node, ast.Subscript) else ""


def _is_number_annotation(node: Optional[ast.AST]) -> bool:
    return isinstance(node, ast.Name) and node.id in ("int", "float", "bool", "str")


def _resolve(full: str) -> Any:
    value: Any = torch
    for part in full.split(".")[1:]:
        value = getattr(value, part, None)
    return value


def _is_module_class(full: str) -> bool:
    value = _resolve(full)
    return isinstance(value, type) and issubclass(value, torch.nn.Module)
