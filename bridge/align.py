"""Makes the traces of two dtypes one list of nodes where they differ in conversions between floating dtypes alone.

What converts in one dtype may change nothing in another, and PyTorch leaves it out there: `x.float()` of a float32, the gradient of a
conversion, a gradient taken back to its operand's dtype. Such a node is put into the trace that lacks it, as one that changes nothing.
"""

from __future__ import annotations

from typing import Any, Optional

from .recorder import CASTS


class _Side:
    """One trace while it is put together anew."""

    def __init__(self, printed: Any) -> None:
        self.old: list[dict[str, Any]] = printed.nodes
        self.at = 0
        self.new: list[dict[str, Any]] = []
        self.ids = {leaf["id"]: leaf["id"] for leaf in printed.inputs}  # old -> new
        self.dtype = {leaf["id"]: leaf["dtype"] for leaf in printed.inputs}  # by new id

    def next(self) -> Optional[dict[str, Any]]:
        return self.old[self.at] if self.at < len(self.old) else None

    def is_cast(self, node: Optional[dict[str, Any]]) -> bool:
        """Does the node take a floating tensor to a floating dtype?"""
        if node is None or node["op"] not in CASTS or not _is_ref(node["args"][0]):
            return False
        of = self.dtype.get(self.ids.get(node["args"][0]["ref"], ""), "")
        return _is_float(of) and _is_float(node["dtype"])

    def emit(self, node: dict[str, Any], new_id: str, args: Any, kwargs: Any) -> None:
        """The node at hand under its new id; its arguments have new ids already."""
        out = {**node, "id": new_id, "args": args, "kwargs": kwargs}
        if "results" in node:
            out["results"] = [{**r, "id": f"{new_id}_{i}"} for i, r in enumerate(node["results"])]
        for old, new in zip(node.get("results", [node]), out.get("results", [out])):
            self.ids[old["id"]] = new["id"]
            self.dtype[new["id"]] = new["dtype"]
        self.new.append(out)
        self.at += 1

    def emit_idle(self, cast: dict[str, Any], source: str) -> None:
        """The other side's conversion, to the dtype that the value has already."""
        dtype = self.dtype[source]
        self.new.append({**cast, "args": _with_dtype(cast["args"], dtype), "kwargs": _with_dtype(cast["kwargs"], dtype), "dtype": dtype})
        self.dtype[cast["id"]] = dtype


class _Aligner:
    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = _Side(a), _Side(b)
        self.source: dict[str, str] = {}  # of a conversion
        self.idle: dict[str, _Side] = {}  # of a conversion: where it changes nothing

    def run(self) -> bool:
        while self.a.next() or self.b.next():
            if not self._pair() and not self._cast(self.a, self.b) and not self._cast(self.b, self.a):
                return False
        return True

    def _new_id(self) -> str:
        return f"n{len(self.a.new)}"

    def _pair(self) -> bool:
        m, n = self.a.next(), self.b.next()
        if m is None or n is None or m["op"] != n["op"] or len(m.get("results", [])) != len(n.get("results", [])):
            return False
        args, kwargs = self.merge(m["args"], n["args"]), self.merge(m["kwargs"], n["kwargs"])
        if args is None or kwargs is None:
            return False
        new_id = self._new_id()
        if self.a.is_cast(m) and self.b.is_cast(n):
            self.source[new_id] = args[0][0]["ref"]
        self.a.emit(m, new_id, args[0], kwargs[0])
        self.b.emit(n, new_id, args[1], kwargs[1])
        return True

    def _cast(self, has: _Side, lacks: _Side) -> bool:
        node = has.next()
        if not has.is_cast(node):
            return False
        assert node is not None
        new_id, source = self._new_id(), has.ids[node["args"][0]["ref"]]
        self.source[new_id], self.idle[new_id] = source, lacks
        has.emit(node, new_id, [{"ref": source}, *node["args"][1:]], node["kwargs"])
        lacks.emit_idle(has.new[-1], source)
        return True

    def merge(self, x: Any, y: Any) -> Optional[tuple[Any, Any]]:
        """Arguments of one place in both traces, with new ids; None when they are not the same tensors. Numbers may differ."""
        if isinstance(x, dict) and isinstance(y, dict) and (_is_ref(x) or _is_ref(y)):
            both = self._merge_refs(x.get("ref"), y.get("ref"))
            return both and ({"ref": both}, {"ref": both})
        if isinstance(x, dict) and isinstance(y, dict) and x.keys() == y.keys():
            return self._merge_items(dict, [(k, x[k], y[k]) for k in x])
        if isinstance(x, list) and isinstance(y, list) and len(x) == len(y):
            return self._merge_items(list, [(None, u, v) for u, v in zip(x, y)])
        return None if isinstance(x, list) or isinstance(y, list) else (x, y)

    def _merge_items(self, kind: type, items: list[tuple[Any, Any, Any]]) -> Optional[tuple[Any, Any]]:
        merged = [self.merge(u, v) for _, u, v in items]
        if any(m is None for m in merged):
            return None
        sides = [[m[side] for m in merged if m is not None] for side in (0, 1)]
        if kind is list:
            return sides[0], sides[1]
        keys = [k for k, _, _ in items]
        return dict(zip(keys, sides[0])), dict(zip(keys, sides[1]))

    def _merge_refs(self, x: Optional[str], y: Optional[str]) -> Optional[str]:
        """The one id for what is x here and y there: that of the conversion where one of them has none."""
        u, v = self.a.ids.get(x or ""), self.b.ids.get(y or "")
        if u is None or v is None or u == v:
            return u if v is not None else None
        if self._reaches(u, v, self.b):
            return u
        return v if self._reaches(v, u, self.a) else None

    def _reaches(self, cast: str, source: str, side: _Side) -> bool:
        """Is `cast` nothing but `source` on this side?"""
        while cast != source:
            if self.idle.get(cast) is not side:
                return False
            cast = self.source[cast]
        return True


def align(a: Any, b: Any) -> bool:
    """Two trace.Printed; False leaves both as they are."""
    aligner = _Aligner(a, b)
    if [n["op"] for n in a.nodes] == [n["op"] for n in b.nodes] or not aligner.run():
        return False
    outputs = aligner.merge(a.outputs, b.outputs)
    if outputs is None:
        return False
    a.nodes, b.nodes = aligner.a.new, aligner.b.new
    a.outputs, b.outputs = outputs
    return True


def _is_ref(value: Any) -> bool:
    return isinstance(value, dict) and set(value) == {"ref"}


def _with_dtype(value: Any, dtype: str) -> Any:
    if isinstance(value, dict):
        return {"dtype": dtype} if set(value) == {"dtype"} and isinstance(value["dtype"], str) else {k: _with_dtype(v, dtype) for k, v in value.items()}
    return [_with_dtype(v, dtype) for v in value] if isinstance(value, list) else value


def _is_float(dtype: str) -> bool:
    return dtype.startswith(("float", "bfloat"))
