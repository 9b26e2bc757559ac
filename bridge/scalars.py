"""Which numbers of a graph follow a Python number among the arguments: the file is traced again with another value.

Only an operator's numeric arguments (Scalar and float in its schema) can follow at run time; a dimension, a size or a
flag is part of the program.
"""

from __future__ import annotations

import copy
import math
from dataclasses import dataclass
from typing import Any, Callable, Optional, Union

import torch

from . import model_tensors
from .errors import BridgeError
from .names import Names

Number = Union[bool, int, float]
# A place in the node list: node index, then keys and positions down to the number.
Where = tuple[Any, ...]


@dataclass
class Scalar:
    id: str
    value: Number
    origin: str  # "argument" or "init"
    arg_index: int
    expr: str  # in forward of ModelNew

    def to_json(self) -> dict[str, Any]:
        kind = "bool" if isinstance(self.value, bool) else "int" if isinstance(self.value, int) else "float"
        return {"id": self.id, "name": self.id, "type": kind, "value": self.value, "from": self.origin, "arg_index": self.arg_index}


def other_values(value: Number) -> list[Number]:
    """Values to try instead, the most telling first; a value may be invalid for the program."""
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1, value - 1, value + 2]
    if not math.isfinite(value):
        return []
    return [value * 1.375 + (0.125 if value == 0 else 0.0), value * 0.8125, value + 0.0625]


def find(plan: Any, base: Any, retrace: Callable[[list[Any], list[Any]], Any], notes: list[str]) -> list[Scalar]:
    """The scalars of the graph; their places in base.nodes are replaced by {"scalar": id}, or {"scalar": id, "negated": true}."""
    names = Names()
    for leaf in base.inputs:
        names.take(leaf["id"])
    nodes = with_defaults(base.nodes)
    held = {number_key(v) for v in numbers_in(nodes)}
    found: list[Scalar] = []
    places: dict[Where, dict[str, Any]] = {}
    for origin, values, labels in (("argument", plan.inputs, plan.argument_names), ("init", plan.init_inputs, plan.init_names)):
        for i, value in enumerate(values):
            if not is_number(value) or (origin == "init" and number_key(value) not in held):
                continue
            may_follow = number_key(value) in held or not isinstance(value, bool) and number_key(-value) in held
            probe = _probe(plan, base, nodes, retrace, origin, i) if may_follow else None
            if probe is None:
                _note_fixed(notes, origin, labels[i], value)
                continue
            where, expr, derived = probe
            if derived:
                notes.append(f"{labels[i]}: the graph holds numbers computed from it, so it is fixed to {value}")
            elif where:
                scalar = Scalar(names.take(labels[i]), value, origin, i, expr or labels[i])
                found.append(scalar)
                places.update({w: {"scalar": scalar.id, **({"negated": True} if negated else {})} for w, negated in where.items()})
    for w, scalar_ref in places.items():
        _put(base.nodes, w, scalar_ref)
    return found


def names_of(ref: Any, inputs: list[Any], init_inputs: list[Any]) -> list[tuple[set[str], str, int]]:
    """Names the graph may give to every number among the arguments, with origin and position."""
    from .reference import argument_names

    labels = ref.argument_names(len(inputs))
    names = Names()
    for label, value in zip(labels, inputs):
        if not is_number(value):
            names.take(label)
    out = []
    for origin, values, known in (("argument", inputs, labels),
                                  ("init", init_inputs, argument_names(ref.init_parameters(), len(init_inputs)))):
        out += [({known[i], names.take(known[i])}, origin, i) for i, v in enumerate(values) if is_number(v)]
    return out


def _note_fixed(notes: list[str], origin: str, label: str, value: Number) -> None:
    """Sizes and modes given to a constructor (in_features) are fixed by their nature; a call argument is worth a word."""
    if origin == "argument":
        notes.append(f"{label}: no operation takes it as a number that may change, so it is fixed to {value}")


def _probe(plan: Any, base: Any, nodes: list[Any], retrace: Any, origin: str, i: int) -> Optional[tuple[dict[Where, bool], str, bool]]:
    """Places that follow argument i, and whether negated, the expression for it in forward, and whether anything else in the graph changed;
    None when every other value gives another graph or none."""
    for other in other_values((plan.inputs if origin == "argument" else plan.init_inputs)[i]):
        inputs, init_inputs = list(plan.inputs), list(plan.init_inputs)
        (inputs if origin == "argument" else init_inputs)[i] = other
        try:
            again = retrace(inputs, init_inputs)
        except BridgeError:
            continue
        if not same_shape_of_graph(base, again):
            continue
        old = plan.inputs[i] if origin == "argument" else plan.init_inputs[i]
        where, derived = changed_numbers(nodes, with_defaults(again.nodes), old, other)
        if origin == "argument" or not where:
            return where, "", derived
        expr = _attribute(base.run.model, old, again.run.model, other)
        return where, expr or "", derived or expr is None
    return None


def same_shape_of_graph(a: Any, b: Any) -> bool:
    def outline(p: Any) -> Any:
        return ([(n["op"], n.get("dtype"), n.get("shape"), n.get("results")) for n in p.nodes],
                [(i["id"], i["dtype"], i["shape"]) for i in p.inputs], p.outputs)

    return bool(outline(a) == outline(b))


def changed_numbers(a: list[Any], b: list[Any], old: Number, new: Number) -> tuple[dict[Where, bool], bool]:
    """Places where a has `old` and b has `new`, False, or both have them negated, True; and whether the two differ in any other way."""
    follow: dict[Where, bool] = {}
    derived = False

    def walk(x: Any, y: Any, at: Where) -> None:
        nonlocal derived
        if isinstance(x, dict) and isinstance(y, dict) and set(x) == set(y):
            for k in x:
                if k != "at":
                    walk(x[k], y[k], (*at, k))
        elif isinstance(x, list) and isinstance(y, list) and len(x) == len(y):
            for i, (p, q) in enumerate(zip(x, y)):
                walk(p, q, (*at, i))
        elif x != y or type(x) is not type(y):
            of_kind = is_number(x) and is_number(y) and isinstance(x, bool) == isinstance(old, bool)
            negated = of_kind and not isinstance(old, bool) and x == -old and y == -new
            if of_kind and ((x, y) == (old, new) or negated) and takes_number(a[at[0]]["op"], at[1:]):
                follow[at] = negated
            else:
                derived = True

    walk(a, b, ())
    return follow, derived


def number_key(value: Number) -> tuple[bool, Number]:
    """True is not 1."""
    return isinstance(value, bool), value


def is_number(value: Any) -> bool:
    return isinstance(value, (bool, int, float))


def _attribute(model: Any, old: Number, other_model: Any, new: Number) -> Optional[str]:
    """The attribute of the module that holds the constructor's argument."""
    after = set(model_tensors.find_number(other_model, new))
    return next((path for path in model_tensors.find_number(model, old) if path in after), None)


def _put(nodes: list[Any], where: Where, value: Any) -> None:
    """Sets one number; arguments that were left out as defaults are written up to it."""
    node = nodes[where[0]]
    if where[1] == "args":
        node["args"] += default_args(node)[: where[2] + 1 - len(node["args"])]
    target: Any = node
    for key in where[1:-1]:
        target = target[key]
    target[where[-1]] = value


# ---- what the operators' schemas say ----------------------------------------------------------------------------------


def schema_of(op: str) -> Any:
    namespace, name, overload = op.split(".", 2)
    return getattr(getattr(getattr(torch.ops, namespace), name), overload)._schema


def takes_number(op: str, where: Where) -> bool:
    """where: ("args", i, ...) or ("kwargs", name, ...). A number in a tensor's place (x * 2) is one of PyTorch's wrapped numbers."""
    arguments = schema_of(op).arguments
    if where[0] == "args":
        argument = arguments[where[1]] if where[1] < len(arguments) else None
    else:
        argument = next((a for a in arguments if a.name == where[1]), None)
    return argument is not None and any(word in str(argument.type) for word in ("number", "Scalar", "float", "Tensor"))


def default_args(node: dict[str, Any]) -> list[Any]:
    """Values of the positional arguments that the call leaves out, up to the first without a default."""
    out: list[Any] = []
    for a in schema_of(node["op"]).arguments[len(node["args"]):]:
        if a.kwarg_only or a.name in node["kwargs"] or not a.has_default_value() or not _is_json(a.default_value):
            break
        out.append(a.default_value)
    return out


def _is_json(value: Any) -> bool:
    return value is None or isinstance(value, (bool, int, float, str)) or (isinstance(value, list) and all(map(_is_json, value)))


def with_defaults(nodes: list[Any]) -> list[Any]:
    """A copy in which no positional argument is left out, so that a value equal to the default is seen too."""
    nodes = copy.deepcopy(nodes)
    for node in nodes:
        node["args"] += default_args(node)
    return nodes


def numbers_in(nodes: list[Any]) -> list[Number]:
    """The numbers that could follow an argument."""
    out: list[Number] = []

    def walk(value: Any) -> None:
        if is_number(value):
            out.append(value)
        elif isinstance(value, list):
            for v in value:
                walk(v)

    for node in nodes:
        for i, value in enumerate(node["args"]):
            if takes_number(node["op"], ("args", i)):
                walk(value)
        for key, value in node["kwargs"].items():
            if takes_number(node["op"], ("kwargs", key)):
                walk(value)
    return out
