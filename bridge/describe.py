"""The `load_desc` method: evaluates a description file, places its six sources in it, and reads the rules of model_src."""

from __future__ import annotations

import ast
import re
from typing import Any

from . import model_rules
from .errors import BridgeError

SOURCES = ("project_json_src", "host_tiling_src", "host_operator_src", "kernel_src", "python_bind_src", "model_src")


def load_desc(params: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    from . import reference

    path = params.get("path", "")
    text = reference.read_source(path)
    tree = reference.parse_source(text, path)
    values = vars(reference.execute(text, path, "opwright_description"))
    missing = [n for n in SOURCES if n not in values]
    if missing:
        raise BridgeError("bad_input", f"not a description: the file does not define {', '.join(missing)}", path, 1,
                          "a description defines six strings: " + ", ".join(SOURCES))
    for name in SOURCES:
        if not isinstance(values[name], str):
            raise BridgeError("bad_input", f"{name} is {type(values[name]).__name__}, not a string", path,
                              reference.definition_line(tree, name), f"write {name} = '''...'''")
    sources = {n: values[n] for n in SOURCES}
    lines = {n: first_line(tree, text, n, sources[n]) for n in SOURCES}
    return {"sources": sources, "lines": lines, "rules": model_rules.check(sources["model_src"])}, []


def check_model(params: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """The rules of model_src for a model whose library has another name."""
    library = str(params.get("library") or model_rules.LIBRARY)
    text = re.sub(rf"\b{re.escape(library)}\b", model_rules.LIBRARY, str(params.get("model_src") or ""))
    rules = model_rules.check(text)
    for rule in rules:
        for key in ("message", "hint"):
            rule[key] = rule[key].replace(model_rules.LIBRARY, library).replace("kernel_src", "the kernel")
    return {"rules": rules}, []


def first_line(tree: ast.Module, text: str, name: str, value: str) -> int:
    """Line of the file where line 1 of the string stands; 0 when it was put together from pieces."""
    node = next((n.value for n in reversed(tree.body) if isinstance(n, ast.Assign)
                 and any(isinstance(t, ast.Name) and t.id == name for t in n.targets)), None)
    if not isinstance(node, (ast.Constant, ast.JoinedStr)):
        return 0
    lines = text.splitlines()
    wanted = value.split("\n")
    for shift in (0, 1):  # a backslash after the quotes moves the text down
        at = node.lineno - 1 + shift
        if at + len(wanted) <= len(lines) and _matches(lines, at, wanted):
            return at + 1
    return node.lineno if isinstance(node, ast.JoinedStr) else 0


def _matches(lines: list[str], at: int, wanted: list[str]) -> bool:
    """The first line follows the quotes, the last stands before them; those between must be equal (escapes aside)."""
    if len(wanted) == 1:
        return wanted[0] in lines[at] or "\\" in lines[at]
    middle = zip(lines[at + 1: at + len(wanted) - 1], wanted[1:-1])
    return lines[at].endswith(wanted[0]) and all(a == b or "\\" in a for a, b in middle)
