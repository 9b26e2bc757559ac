"""In-place operators as functional ones.

Every tensor of the traced program belongs to a Root, a piece of memory with a version. A write through a tensor gives
it a new value, is carried up to the memory's base through the views in between (slice -> slice_scatter and so on), and
counts the version up; another view of the same memory is built again from the base when it is next used.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import torch

from .recorder import number_in

aten = torch.ops.aten


class Mutation:
    def __init__(self, recorder: Any) -> None:
        self.r = recorder

    # ---- writes -----------------------------------------------------------------------------------------------------

    def apply(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        names = [a.name for a in func._schema.arguments]
        bound = {**dict(zip(names, args)), **kwargs}
        written = [a.name for a in func._schema.arguments if a.alias_info is not None and a.alias_info.is_write and a.name in bound]
        targets = [bound[n] for n in written]
        if not all(isinstance(t, torch.Tensor) for t in targets):
            raise self._no_form(name)
        for target in targets:
            self._check_writable(target, name)
        self._check_shape(func, args, kwargs)
        new = self._new_values(func, name, args, kwargs, bound, written)
        for target, value in zip(targets, new):
            self.write(target, value)
        return targets[0] if len(targets) == 1 else tuple(targets)

    def _new_values(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], bound: dict[str, Any],
                    written: list[str]) -> list[Any]:
        special = SPECIAL.get(name)
        if special is not None:
            value = special(self, bound)
            if value is not None:
                return [value]
        functional = functional_form(func, written)
        if functional is None:
            raise self._no_form(name)
        kept = {a.name for a in functional._schema.arguments}
        with self.r:
            out = functional(*(v for n, v in zip([a.name for a in func._schema.arguments], args) if n in kept),
                             **{k: v for k, v in kwargs.items() if k in kept})
        return [out] if isinstance(out, torch.Tensor) else list(out)[-len(written):]

    def _no_form(self, name: str) -> Exception:
        return self.r.unsupported(f"{name} changes a tensor in place and has no functional form",
                                  "write the operation so that it returns a new tensor")

    def _check_writable(self, target: Any, name: str) -> None:
        t = self.r.lookup(target)
        if t.const is not None:
            raise self.r.unsupported(f"{name} writes into a constant tensor", "make the tensor with torch.zeros or torch.full")
        if t.root.owner:
            if t.root.kind != "argument":
                error = self.r.unsupported(f"forward changes {t.root.owner}, a {t.root.kind} of the module, in place ({name})",
                                           "an operator keeps no state: for batch norm and the like call self.eval() in __init__")
                if t.root.kind != "buffer":
                    raise error
                self.r.changed_state.setdefault(t.root.owner, error)  # matters only if an output rests on it
                return
            self.r.changed_arguments.add(t.root.owner)

    def _check_shape(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """What PyTorch itself would refuse (a result that does not fit) raises here; meta data does not change."""
        func(*args, **kwargs)

    def write(self, target: Any, value: Any) -> None:
        """Gives the memory behind `target` the elements of tensor `value`."""
        t = self.r.lookup(target)
        with self.r:
            if value.dtype != target.dtype:
                value = aten._to_copy.default(value, dtype=target.dtype)
            if value.dim() != target.dim() or not all(self.r._same(a, b) for a, b in zip(value.shape, target.shape)):
                value = aten.expand.default(value, list(target.shape))
        new = self.r.current(self.r.lookup(value))
        chain = [(t, new)]
        while t.parent is not None:
            new = self._into_parent(t, new)
            t = t.parent
            chain.append((t, new))
        t.root.version += 1
        for tracked, ref in chain:
            tracked.value, tracked.version = ref, t.root.version

    def _into_parent(self, t: Any, new: Any) -> Any:
        """Value of t's parent when its view t has the value `new`."""
        parent = t.parent
        if t.view_op == "identity":
            return new
        inverse = INVERSE_VIEWS.get(t.view_op)
        if inverse is None or t.view is None:
            raise self.r.unsupported(f"a write through {t.view_op} has no functional form here", "build the result with torch.where or torch.cat")
        op, args = inverse(parent.fake, t.view_args)
        if op is None:
            return new
        before = [self.r.current(parent)] if "scatter" in op else []
        node = self.r.add_node(op, [*before, new, *[self.r.argument(a) for a in args]], {},
                               [(parent.fake.dtype, list(parent.fake.shape))])
        return {"ref": node.results[0].id}

    # ---- reads after writes -----------------------------------------------------------------------------------------

    def refresh(self, t: Any) -> None:
        """Builds a view again from its parent's present value."""
        if t.parent is None or t.view is None:
            raise self.r.unsupported(f"a view made by {t.view_op} is used after its memory was written",
                                     "make the view after the write")
        parent = self.r.current(t.parent)
        if t.view_op == "identity":
            t.value = parent
        else:
            node = self.r.add_node(t.view_op, [parent, *[self.r.argument(a) for a in t.view_args]], {},
                                   [(t.fake.dtype, list(t.fake.shape))])
            t.value = {"ref": node.results[0].id}
        t.version = t.root.version


# ---- functional forms -------------------------------------------------------------------------------------------------


def functional_form(func: Any, written: list[str]) -> Optional[Any]:
    """The overload that returns what `func` writes: add_.Tensor -> add.Tensor, add.out -> add.Tensor."""
    namespace, name, overload = str(func).split(".")
    if written == ["self"]:
        plain = "__" + name[3:] if name.startswith("__i") else name[:-1]
        packet = getattr(getattr(torch.ops, namespace), plain, None)
        return getattr(packet, overload, None) if packet is not None and name.endswith("_") else None
    wanted = [(a.name, str(a.type)) for a in func._schema.arguments if a.name not in written]
    packet = getattr(getattr(torch.ops, namespace), name)
    for candidate in packet.overloads():
        op = getattr(packet, candidate)
        if not op._schema.is_mutable and [(a.name, str(a.type)) for a in op._schema.arguments] == wanted:
            return op
    return None


def _filled(m: Mutation, target: Any, value: Any) -> Any:
    with m.r:
        return aten.full.default(list(target.shape), value, dtype=target.dtype, device=target.device)


def _fill_tensor(m: Mutation, bound: dict[str, Any]) -> Any:
    t = m.r.lookup(bound["value"])
    return _filled(m, bound["self"], number_in(t.const)) if t.const is not None and t.const.numel() == 1 else bound["value"]


def _copy(m: Mutation, bound: dict[str, Any]) -> Any:
    t = m.r.lookup(bound["src"])
    return _filled(m, bound["self"], number_in(t.const)) if t.const is not None and t.const.numel() == 1 else bound["src"]


def _masked_put(m: Mutation, bound: dict[str, Any]) -> Any:
    """x[mask] = one number is masked_fill; None: any other assignment stays index_put."""
    x, indices, values = bound["self"], bound["indices"], bound["values"]
    if len(indices) != 1 or indices[0] is None or indices[0].dtype != torch.bool or indices[0].dim() != x.dim() \
            or bound.get("accumulate") or values.numel() != 1:
        return None
    t = m.r.lookup(values)
    with m.r:
        if t.const is not None:
            return aten.masked_fill.Scalar(x, indices[0], number_in(t.const))
        return aten.masked_fill.Tensor(x, indices[0], values.reshape(()))


SPECIAL: dict[str, Callable[[Mutation, dict[str, Any]], Any]] = {
    "aten.fill_.Scalar": lambda m, b: _filled(m, b["self"], b["value"]),
    "aten.fill_.Tensor": _fill_tensor,
    "aten.zero_.default": lambda m, b: _filled(m, b["self"], False if b["self"].dtype == torch.bool else 0),
    "aten.copy_.default": _copy,
    "aten.index_put_.default": _masked_put,
}


# ---- views, backwards -------------------------------------------------------------------------------------------------


def _same_shape(parent: Any, args: tuple[Any, ...]) -> tuple[str, list[Any]]:
    return "aten.view.default", [list(parent.shape)]


def _permute(parent: Any, args: tuple[Any, ...]) -> tuple[str, list[Any]]:
    dims = [d % parent.dim() for d in args[0]]
    return "aten.permute.default", [[dims.index(i) for i in range(len(dims))]]


# view -> (operator, arguments after the view's value) that gives the parent's value
INVERSE_VIEWS: dict[str, Callable[[Any, tuple[Any, ...]], tuple[Optional[str], list[Any]]]] = {
    "aten.view.default": _same_shape,
    "aten._unsafe_view.default": _same_shape,
    "aten._reshape_alias.default": _same_shape,
    "aten.squeeze.default": _same_shape,
    "aten.squeeze.dim": _same_shape,
    "aten.squeeze.dims": _same_shape,
    "aten.unsqueeze.default": _same_shape,
    "aten.permute.default": _permute,
    "aten.transpose.int": lambda parent, args: ("aten.transpose.int", list(args)),
    "aten.t.default": lambda parent, args: ("aten.t.default", []),
    "aten.slice.Tensor": lambda parent, args: ("aten.slice_scatter.default", list(args)),
    "aten.select.int": lambda parent, args: ("aten.select_scatter.default", list(args)),
    "aten.diagonal.default": lambda parent, args: ("aten.diagonal_scatter.default", list(args)),
}
