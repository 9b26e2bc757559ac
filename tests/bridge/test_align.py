"""Two lists of nodes that differ in conversions alone become one."""

from __future__ import annotations

import copy
from types import SimpleNamespace
from typing import Any

from bridge.align import align


def node(node_id: str, op: str, args: list[Any], dtype: str, kwargs: Any = None) -> dict[str, Any]:
    return {"id": node_id, "op": op, "args": [{"ref": a} if isinstance(a, str) else a for a in args], "kwargs": kwargs or {}, "dtype": dtype, "shape": [3]}


def cast(node_id: str, of: str, dtype: str) -> dict[str, Any]:
    return node(node_id, "aten._to_copy.default", [of], dtype, {"dtype": {"dtype": dtype}})


def trace(dtype: str, nodes: list[Any], *outputs: str) -> SimpleNamespace:
    return SimpleNamespace(nodes=nodes, inputs=[{"id": "x", "dtype": dtype}, {"id": "w", "dtype": dtype}], outputs=[{"ref": o} for o in outputs])


def shape_of(t: SimpleNamespace) -> Any:
    return [(n["id"], n["op"], n["args"]) for n in t.nodes], t.outputs


def test_conversions_that_one_lacks() -> None:
    """Up, in the middle and down at an output, each where the other has none; numbers may differ."""
    half = trace("float16", [cast("n0", "x", "float32"), node("n1", "mul", ["n0", "n0", 2], "float32"), cast("n2", "n1", "float16"),
                             node("n3", "mul", ["w", "n2"], "float16")], "n3", "n2")
    single = trace("float32", [node("n0", "mul", ["x", "x", 3], "float32"), node("n1", "mul", ["w", "n0"], "float32")], "n1", "n0")
    assert align(single, half)
    assert [n["op"] for n in single.nodes] == [n["op"] for n in half.nodes] == ["aten._to_copy.default", "mul", "aten._to_copy.default", "mul"]
    assert [n["dtype"] for n in half.nodes] == ["float32", "float32", "float16", "float16"]
    assert all(n["dtype"] == "float32" for n in single.nodes) and single.nodes[0]["kwargs"] == {"dtype": {"dtype": "float32"}}
    assert single.nodes[1]["args"] == [{"ref": "n0"}, {"ref": "n0"}, 3] and half.nodes[1]["args"] == [{"ref": "n0"}, {"ref": "n0"}, 2]
    assert single.outputs == half.outputs == [{"ref": "n3"}, {"ref": "n2"}]
    again = copy.deepcopy(shape_of(single))
    third = trace("bfloat16", [cast("n0", "x", "float32"), node("n1", "mul", ["n0", "n0", 2], "float32"), cast("n2", "n1", "bfloat16"),
                               node("n3", "mul", ["w", "n2"], "bfloat16")], "n3", "n2")
    align(single, third)
    assert shape_of(single) == again and [n["op"] for n in third.nodes] == [n["op"] for n in single.nodes]


def test_each_has_one_of_its_own() -> None:
    a = trace("float16", [cast("n0", "x", "float32"), node("n1", "exp", ["n0"], "float32"), node("n2", "add", ["n1", "w"], "float32")], "n2")
    b = trace("float32", [node("n0", "exp", ["x"], "float32"), cast("n1", "n0", "float16"), node("n2", "add", ["n1", "w"], "float32")], "n2")
    assert align(a, b)
    assert [n["op"] for n in a.nodes] == [n["op"] for n in b.nodes] == ["aten._to_copy.default", "exp", "aten._to_copy.default", "add"]
    assert [n["dtype"] for n in a.nodes] == ["float32"] * 4 and [n["dtype"] for n in b.nodes] == ["float32", "float32", "float16", "float32"]


def test_what_differs_otherwise_stays() -> None:
    a = trace("float16", [cast("n0", "x", "float32"), node("n1", "exp", ["n0"], "float32")], "n1")
    for nodes in ([node("n0", "log", ["x"], "float32")], [node("n0", "exp", ["w"], "float32")],
                  [node("n0", "to_int", ["x"], "int32"), node("n1", "exp", ["n0"], "float32")]):
        b = trace("float32", nodes, nodes[-1]["id"])
        before = copy.deepcopy((shape_of(a), shape_of(b)))
        assert not align(a, b) and (shape_of(a), shape_of(b)) == before


def test_a_conversion_to_integers_is_none() -> None:
    a = trace("float16", [node("n0", "aten._to_copy.default", ["x"], "int32", {"dtype": {"dtype": "int32"}}), node("n1", "neg", ["n0"], "int32")], "n1")
    b = trace("float32", [node("n0", "neg", ["x"], "float32")], "n0")
    assert not align(a, b)
