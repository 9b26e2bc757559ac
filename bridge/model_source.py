"""What ModelNew needs of the reference's text: the constructor and the names it uses, never forward or get_inputs.

ModelNew builds the same modules in the same order, so the same seed gives the same parameters.
"""

from __future__ import annotations

import ast
from typing import Any, Optional

from . import wide
from .errors import BridgeError
from .reference import Reference

_NOT_FOR_MODEL = {"forward", "extra_repr", "__repr__"}


def describe(plan: Any, printed: Any, found: list[Any]) -> dict[str, Any]:
    """The `model` object of docs/graph.md."""
    ref: Reference = plan.ref
    call_args = [_input_expr(plan, leaf) for leaf in printed.run.inputs] + [s.expr for s in found]
    needs_init = bool(plan.init_inputs) or any("self." in a for a in call_args)
    names: set[str] = set().union(*(leaf.needs for leaf in printed.run.inputs)) - {"torch"}
    init_code = ""
    if needs_init:
        body = constructor(ref)
        init_code = "\n".join(ast.unparse(ast.fix_missing_locations(n)) for n in body)
        names |= loaded_names(body)
    params = forward_arguments(ref)
    names |= loaded_names([params.args])
    results = {"results": printed.run.results} if any(printed.run.results) else {}
    return {**results, "module_code": module_code(ref, names), "init_code": init_code, "call_args": call_args, "forward_params": params.text}


def _input_expr(plan: Any, leaf: Any) -> str:
    if leaf.kind != "argument":
        return leaf.path
    expression = argument_expr(plan.ref, leaf.arg_index)
    return wide.words_text(expression, plan.inputs[leaf.arg_index]) if plan.in_words else expression


def argument_expr(ref: Reference, index: int) -> str:
    """What input `index` is in forward: the name of a positional argument; args[2] for *args, xs[2] in a list of tensors."""
    index, k = ref.place_of(index)
    return _positional(ref, index) + ("" if k is None else f"[{k}]")


def _positional(ref: Reference, index: int) -> str:
    i = 0
    for p in ref.forward_parameters():
        if p.kind is p.VAR_POSITIONAL:
            return f"{p.name}[{index - i}]"
        if i == index:
            return p.name
        i += 1
    raise AssertionError("checked by reference.check_inputs")


# ---- classes and methods of the file ----------------------------------------------------------------------------------


def class_node(ref: Reference, name: str) -> Optional[ast.ClassDef]:
    return next((n for n in ref.tree.body if isinstance(n, ast.ClassDef) and n.name == name), None)


def methods(node: ast.ClassDef) -> dict[str, ast.FunctionDef]:
    return {n.name: n for n in node.body if isinstance(n, ast.FunctionDef)}


def method_owner(ref: Reference, name: str) -> tuple[ast.ClassDef, ast.FunctionDef] | None:
    """The class of the file, from the model's own up its bases, that defines the method."""
    node = class_node(ref, ref.class_name)
    while node is not None:
        if name in methods(node):
            return node, methods(node)[name]
        bases = [b.id for b in node.bases if isinstance(b, ast.Name)]
        node = next((c for c in (class_node(ref, b) for b in bases) if c is not None), None)
    return None


def method_line(ref: Reference, name: str) -> int:
    found = method_owner(ref, name)
    return found[1].lineno if found else ref.class_line()


class _Arguments:
    def __init__(self, args: ast.arguments, text: str) -> None:
        self.args, self.text = args, text


def forward_arguments(ref: Reference) -> _Arguments:
    """The parameter list of forward without self and annotations."""
    found = method_owner(ref, "forward")
    if found is None:
        text = ", ".join(str(p.replace(annotation=p.empty)) for p in ref.forward_parameters())
        return _Arguments(ast.parse(f"def f({text}): pass").body[0].args, text)  # type: ignore[attr-defined]
    args = ast.parse(ast.unparse(found[1])).body[0].args  # type: ignore[attr-defined]
    first = args.posonlyargs if args.posonlyargs else args.args
    del first[0]
    for a in [*args.posonlyargs, *args.args, *args.kwonlyargs, args.vararg, args.kwarg]:
        if a is not None:
            a.annotation = None
    return _Arguments(args, ast.unparse(args))


# ---- the constructor --------------------------------------------------------------------------------------------------


def constructor(ref: Reference) -> list[ast.stmt]:
    """Class body up to and including __init__: class attributes, methods the constructor calls, the constructor."""
    found = method_owner(ref, "__init__")
    owner = found[0] if found else class_node(ref, ref.class_name)
    if owner is None:
        raise BridgeError("unsupported", f"the text of class {ref.class_name} is not in the file", ref.path, ref.class_line(),
                          f"define class {ref.class_name} in the file itself")
    own = methods(owner)
    wanted = reachable_methods(own, ["__init__"]) - _NOT_FOR_MODEL
    body: list[ast.stmt] = [n for n in owner.body if _is_attribute(n)]
    body += [n for name, n in own.items() if name in wanted and name != "__init__"]
    if "__init__" in own:
        body.append(own["__init__"])
    return [_Rename(owner.name).visit(ast.parse(ast.unparse(n)).body[0]) for n in body]


def _is_attribute(node: ast.stmt) -> bool:
    return isinstance(node, (ast.Assign, ast.AnnAssign))


def reachable_methods(own: dict[str, ast.FunctionDef], start: list[str]) -> set[str]:
    seen: set[str] = set()
    todo = [n for n in start if n in own]
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        todo += [n.attr for n in ast.walk(own[name]) if isinstance(n, ast.Attribute) and n.attr in own and n.attr not in seen]
    return seen


class _Rename(ast.NodeTransformer):
    """The class is called ModelNew there: super(Model, self) and Model.x follow; annotations are dropped."""

    def __init__(self, name: str) -> None:
        self.name = name

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return ast.copy_location(ast.Name("ModelNew", node.ctx), node) if node.id == self.name else node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self.generic_visit(node)
        node.returns = None
        if _is_docstring(node.body[0]) and len(node.body) > 1:
            del node.body[0]
        return node

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        self.generic_visit(node)
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return ast.copy_location(ast.Assign([node.target], node.value, lineno=node.lineno), node)


def _is_docstring(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


# ---- the names it uses ------------------------------------------------------------------------------------------------


def loaded_names(nodes: list[Any]) -> set[str]:
    return {n.id for node in nodes for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}


def module_code(ref: Reference, names: set[str]) -> str:
    """Imports, constants and helpers that bind `names`, and what those need in turn, in the file's order."""
    chosen: set[int] = set()
    todo, seen = list(names), set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        for i, node in enumerate(ref.tree.body):
            if i not in chosen and name in bound_names(node) and name not in ("get_inputs", "get_init_inputs", ref.class_name):
                chosen.add(i)
                todo += loaded_names([_trim(ref, node)])
    out = []
    for i in sorted(chosen):
        text = ast.unparse(ast.fix_missing_locations(_keep_needed(_trim(ref, ref.tree.body[i]), seen)))
        if text != "import torch":  # ModelNew's own file has it
            out.append(text)
    return "\n".join(out)


def bound_names(node: ast.stmt) -> set[str]:
    """Names a module-level statement binds, whatever its form."""
    if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
        return {node.name}
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {a.asname or a.name.split(".")[0] for a in node.names}
    out = {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    if isinstance(node, (ast.If, ast.Try, ast.With, ast.For, ast.While)):
        for child in ast.walk(node):
            if isinstance(child, (ast.FunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)):
                out |= bound_names(child)
    return out


def _keep_needed(node: ast.stmt, needed: set[str]) -> ast.stmt:
    """`from x import a, b` of which only a is used."""
    if isinstance(node, ast.ImportFrom):
        names = [a for a in node.names if (a.asname or a.name) in needed or a.name == "*"]
        return ast.copy_location(ast.ImportFrom(node.module, names, node.level), node)
    if isinstance(node, ast.Import):
        return ast.copy_location(ast.Import([a for a in node.names if (a.asname or a.name.split(".")[0]) in needed]), node)
    return node


def _trim(ref: Reference, node: ast.stmt) -> ast.stmt:
    """A helper module without its forward: ModelNew holds its parameters and must not compute with it."""
    if not isinstance(node, ast.ClassDef):
        return node
    cls = vars(ref.module).get(node.name)
    import torch

    if not (isinstance(cls, type) and issubclass(cls, torch.nn.Module)):
        return node
    keep = reachable_methods(methods(node), ["__init__"])
    body = [n for n in node.body if not isinstance(n, ast.FunctionDef) or (n.name in keep and n.name not in _NOT_FOR_MODEL)]
    body = [n for n in body if not _is_docstring(n)] or [ast.Pass()]
    return ast.copy_location(ast.ClassDef(name=node.name, bases=node.bases, keywords=node.keywords, body=body,
                                          decorator_list=node.decorator_list, **({"type_params": []} if hasattr(node, "type_params") else {})), node)
