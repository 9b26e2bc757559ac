"""Records what a module's forward does as a list of functional nodes over fake tensors.

A TorchDispatchMode sees every operator below autograd, so composite operators arrive whole. An operator named in the
keep list becomes a node; any other is decomposed to core ATen and prims, and what has no decomposition becomes a node
too. In-place operators become functional ones (mutation.py holds the bookkeeping).
"""

from __future__ import annotations

import linecache
import sys
from dataclasses import dataclass, field
from typing import Any, Callable, Optional

import sympy
import torch
from torch._decomp import decomposition_table
from torch._subclasses.fake_tensor import FakeTensor, FakeTensorMode
from torch.utils import _pytree as pytree
from torch.utils._python_dispatch import TorchDispatchMode

from . import sizes
from .errors import BridgeError, same_file

aten = torch.ops.aten

# Arguments that say where and how a tensor lies in memory, not what it holds.
PLACEMENT_KWARGS = {"device", "layout", "pin_memory", "memory_format", "non_blocking", "requires_grad"}
# Results equal their first argument element for element.
IDENTITY_OPS = {"aten.detach.default", "aten.detach_.default", "aten.alias.default", "aten.lift_fresh.default", "aten.lift.default",
                "aten.lift_fresh_copy.default", "aten.clone.default", "aten.requires_grad_.default", "aten.detach_copy.default",
                "aten.alias_copy.default"}
# Views that change nothing when the shape stays: `x[:]`, `x.expand_as(x)`.
IDENTITY_WHEN_SAME_SHAPE = {"aten.slice.Tensor", "aten.expand.default", "aten.view.default", "aten._unsafe_view.default",
                            "aten.reshape.default"}
# Questions about a tensor that its meta data answers.
META_OPS = {"prim.device.default", "prim.layout.default", "aten.sym_size.default", "aten.sym_size.int", "aten.sym_stride.default",
            "aten.sym_stride.int", "aten.sym_numel.default", "aten.sym_storage_offset.default", "aten.size.default", "aten.size.int",
            "aten.stride.default", "aten.stride.int", "aten.dim.default", "aten.numel.default", "aten.is_contiguous.default",
            "aten.is_contiguous.memory_format", "aten.is_non_overlapping_and_dense.default", "aten.is_strides_like_format.default",
            "aten.is_floating_point.default", "aten.is_complex.default", "aten.is_signed.default", "aten.storage_offset.default",
            "aten.is_same_size.default", "aten.result_type.Tensor", "aten.result_type.Scalar", "aten.can_cast.default"}
CASTS = {"aten._to_copy.default", "aten.to.dtype", "prims.convert_element_type.default"}
# Conversions to the dtype of another tensor.
TAKES_DTYPE_OF = {"aten.type_as.default", "aten.to.other"}
# What PyTorch's own code takes for granted of its arguments (one_hot: no class beyond the count); an operator does, too.
ASSERTIONS = {"aten._assert_async.default", "aten._assert_async.msg", "aten._assert_scalar.default", "aten._functional_assert_async.msg"}
# Fills, and the place of the number.
FILLED_WITH = {"aten.full.default": 1, "aten.full_like.default": 1, "aten.new_full.default": 2, "aten.fill.Scalar": 1, "aten.fill_.Scalar": 1}
# Of operators that PyTorch neither runs with symbolic sizes nor takes apart: a tensor like the result.
LIKE_RESULT: dict[str, Callable[..., Any]] = {
    "aten.hardshrink_backward.default": lambda grad_out, self, lambd: torch.empty_like(self),
    "aten.softshrink_backward.default": lambda grad_output, self, lambd: torch.empty_like(self)}
# Arithmetic that takes a one-element tensor where it takes a number.
TAKES_NUMBERS = {f"{space}.{name}" for space, names in (
    ("aten", [f"{op}.{kind}" for op in ("add", "sub", "mul", "div") for kind in ("Tensor", "Scalar")]),
    ("prims", [f"{op}.default" for op in ("add", "sub", "mul", "div")])) for name in names}
# How PyTorch's kernels say that they do not take symbolic sizes.
NOT_FOR_SYMBOLS = ("does not support symbolic shapes", "expected to contain only concrete integers",
                   "on tensor with symbolic sizes/strides")
VALUE_OPS = {"aten.item.default", "aten._local_scalar_dense.default", "aten.is_nonzero.default", "aten.equal.default",
             "aten.allclose.default"}


@dataclass
class SizeArg:
    """A size expression in a node's arguments, printed when the trace is complete."""

    expr: Any


@dataclass
class Place:
    line: int
    text: str


@dataclass
class Node:
    id: str
    op: str
    args: list[Any]
    kwargs: dict[str, Any]
    results: list["Result"]
    at: Place
    is_list: bool = False  # the operator returns several results
    n_decisions: int = 0  # that PyTorch had taken on sizes by then


@dataclass
class Result:
    id: str
    dtype: torch.dtype
    shape: list[Any]


@dataclass
class Root:
    """One piece of memory; version counts the writes to it."""

    version: int = 0
    owner: str = ""  # name of the input or parameter that it belongs to
    kind: str = ""   # of that input


@dataclass
class Tracked:
    """A tensor of the traced program: the value it has (a node's result, an input, or a constant) and its memory."""

    fake: Any
    value: Any                      # {"ref": id}; None for constants
    root: Root
    version: int = 0
    parent: Optional["Tracked"] = None  # of a view
    view: Optional[Callable[[Any], Any]] = None  # builds the view from its parent
    view_op: str = ""
    view_args: tuple[Any, ...] = ()
    const: Optional[torch.Tensor] = None


@dataclass
class Input:
    """A leaf of the graph. dims are ints or SymInts."""

    id: str
    kind: str  # argument, parameter, buffer
    path: str
    arg_index: int
    fake: Any
    hint: Any  # example tensor: dtype, sizes and strides as the file has them
    used: bool = False
    needs: set[str] = field(default_factory=set)  # module-level names its path needs


class Recorder(TorchDispatchMode):
    """Active while forward runs. `nodes` and `notes` are the outcome."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the alternative imports torch._dynamo for nothing

    def __init__(self, path: str, keep: frozenset[str], table: dict[Any, Any], fake_mode: FakeTensorMode,
                 find_constant: Callable[[torch.Tensor], Optional[Input]]) -> None:
        super().__init__()
        from . import mutation, selection, wide

        self.path, self.keep, self.table, self.fake_mode = path, keep, table, fake_mode
        self.find_constant = find_constant
        self.nodes: list[Node] = []
        self.notes: list[str] = []
        self.changed_state: dict[str, Exception] = {}  # buffers that forward writes
        self.changed_arguments: set[str] = set()  # those that forward writes
        self.late_inputs: list[Input] = []
        self._tracked: dict[int, Tracked] = {}
        self._calls: list[Any] = []  # operators being taken apart, outermost first
        self._wide: list[tuple[set[Any], int]] = []  # of those whose 16-bit operands go as float32: which dtypes, and nodes before
        self._mutation = mutation.Mutation(self)
        self.wide = wide.Wide(self)
        self.selection = selection.Selection(self)

    # ---- leaves -----------------------------------------------------------------------------------------------------

    def add_input(self, leaf: Input) -> None:
        self._tracked[id(leaf.fake)] = Tracked(leaf.fake, {"ref": leaf.id}, Root(0, leaf.id, leaf.kind))

    def lookup(self, tensor: Any) -> Tracked:
        found = self._tracked.get(id(tensor))
        if found is None:
            found = self._tracked[id(tensor)] = self._adopt(tensor)
        return found

    def _adopt(self, tensor: torch.Tensor) -> Tracked:
        """A tensor that forward did not make and was not given: a global, or a constant written in the code."""
        if not isinstance(tensor, FakeTensor):
            return self._constant(tensor, tensor)
        if tensor.constant is not None:
            return self._constant(tensor, tensor.constant)
        raise self.unsupported("forward uses a tensor that was made elsewhere and is neither an argument, a parameter nor a buffer",
                               "give it to self in __init__, as a buffer, or make it in forward")

    def _constant(self, key: Any, real: torch.Tensor) -> Tracked:
        return Tracked(key, None, Root(), const=real)

    def _promote(self, t: Tracked) -> Any:
        """The value of a constant where a node needs it: a number, or an input that ModelNew rebuilds."""
        assert t.const is not None
        if t.const.numel() == 1:
            return number_in(t.const)
        leaf = self.find_constant(t.const)
        if leaf is None:
            raise self.unsupported(f"forward uses a constant tensor of {t.const.numel()} elements that ModelNew cannot rebuild",
                                   "make it in __init__ with self.register_buffer")
        if not any(leaf is known for known in self.late_inputs):
            self.late_inputs.append(leaf)
        return {"ref": leaf.id}

    # ---- dispatch ---------------------------------------------------------------------------------------------------

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return self.apply(func, args, kwargs or {})

    def apply(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        name = str(func)
        if name in META_OPS:
            return func(*args, **kwargs)
        if self.wide.concerns(func, args, kwargs):
            return self.wide.apply(func, args, kwargs)
        if name in ASSERTIONS:
            return None
        tensors = tensors_in((args, kwargs))
        if name in VALUE_OPS:
            return self._read_value(func, args, kwargs, tensors)
        if name in FILLED_WITH and isinstance(args[FILLED_WITH[name]], torch.SymFloat):
            number = self._number_of_sizes(args[FILLED_WITH[name]])
            if isinstance(number, torch.Tensor):
                return self._filled(func, name, args, kwargs, number)
        if tensors and all(self.lookup(t).const is not None for t in tensors) and not has_symbol((args, kwargs)):
            return self._fold(func, name, args, kwargs)
        self._refuse(func, name, args, kwargs)
        if self.selection.concerns(func, args, kwargs):
            out = self.selection.apply(func, args, kwargs)
            if out is not None:
                return out
        if self._wide and name in CASTS and args[0].dtype == torch.float32:
            narrow, n_before = self._wide[-1]
            dtype = kwargs.get("dtype", args[1] if len(args) > 1 else None)
            if dtype in narrow:
                return self._narrowed(args[0], dtype, n_before)
        if name == "aten.expand.default" and self._is_number(args[0]):
            return self.apply(aten.full.default, (list(func(*args, **kwargs).shape), number_in(self.lookup(args[0]).const)), {"dtype": args[0].dtype})
        if name in TAKES_DTYPE_OF:
            return self.apply(aten._to_copy.default, args[:1], {"dtype": args[1].dtype})
        if name in IDENTITY_OPS or self._is_plain_copy(func, name, args, kwargs):
            return self._identity(func, args, kwargs)
        if func._schema.is_mutable:
            return self._mutation.apply(func, name, args, kwargs)
        if name in self.keep:
            return self.record(func, args, kwargs)
        return self._expand(func, args, kwargs)

    def _filled(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any], number: torch.Tensor) -> Any:
        """What is filled with a number computed from sizes: that number everywhere."""
        target = args[0] if name.split(".")[1].endswith("_") else None
        at = FILLED_WITH[name]
        like = target if target is not None else func(*args[:at], 0.0, *args[at + 1:], **kwargs)
        if number.dtype != like.dtype:
            number = self.apply(aten._to_copy.default, (number,), {"dtype": like.dtype})
        filled = self.apply(aten.expand.default, (number, list(like.shape)), {})
        return filled if target is None else self.apply(aten.copy_.default, (target, filled), {})

    def _expand(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Through the decomposition table, or as the composite it is; else a node."""
        self._calls.append(func)
        try:
            if func in self.table:
                out = self._decompose(func, args, kwargs)
                if out is not NotImplemented:
                    return out
            if func.has_kernel_for_dispatch_key(torch._C.DispatchKey.CompositeImplicitAutograd):
                with self:
                    out = func.decompose(*args, **kwargs)
                if out is not NotImplemented:
                    return out
        finally:
            self._calls.pop()
        return self.record(func, args, kwargs)

    def _decompose(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Decompositions widen 16-bit operands and narrow their results, which a kernel that computes in float32 need not
        say: they are given float32 in the first place, so every dtype is the same list of nodes. The results keep their dtype."""
        narrow = {t.dtype for t in tensors_in((args, kwargs)) if t.dtype in (torch.float16, torch.bfloat16)}
        if not narrow:
            with self:
                return self.table[func](*args, **kwargs)
        n_before = len(self.nodes)
        wide_args, wide_kwargs = pytree.tree_map_only(torch.Tensor, self._widened, (args, kwargs))
        self._wide.append((narrow, n_before))
        try:
            with self:
                out = self.table[func](*wide_args, **wide_kwargs)
        finally:
            self._wide.pop()
        if out is NotImplemented:
            return out
        dtype = torch.float32 if len(narrow) > 1 else narrow.pop()
        results = None if getattr(self.table[func], "keeps_dtype", False) else self._result_dtypes(func, args, kwargs)
        flat, spec = pytree.tree_flatten(out)
        for i, t in enumerate(flat):
            if isinstance(t, torch.Tensor) and t.dtype == torch.float32:
                flat[i] = self._narrowed(t, results[i] if results and i < len(results) else dtype, n_before)
        return pytree.tree_unflatten(flat, spec)

    def _result_dtypes(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Optional[list[Any]]:
        """Of each result of func on its true operands; None where it cannot be run with sizes that may change."""
        try:
            return [t.dtype if isinstance(t, torch.Tensor) else None for t in pytree.tree_flatten(func(*args, **kwargs))[0]]
        except (RuntimeError, NotImplementedError):
            return None

    def _widened(self, t: torch.Tensor) -> torch.Tensor:
        """A 16-bit tensor under a float32 name: the same value."""
        if t.dtype not in (torch.float16, torch.bfloat16):
            return t
        known = self.lookup(t)
        if known.const is not None:
            with torch._C._DisableTorchDispatch():
                real = known.const.to(torch.float32)
            return self._wrap_constant(real)
        wide = torch.empty_strided(t.shape, t.stride(), dtype=torch.float32, device="cpu")
        self._tracked[id(wide)] = Tracked(wide, known.value, known.root, known.version, known.parent, known.view, known.view_op, known.view_args)
        return wide

    def _narrowed(self, t: torch.Tensor, dtype: Any, n_before: int) -> torch.Tensor:
        """A result under the dtype it has for the user; a node of the decomposition that made it has that dtype, too."""
        if dtype in (None, torch.float32):
            return t
        known = self.lookup(t)
        if known.const is not None:
            return t.to(dtype)
        for node in self.nodes[n_before:]:
            for result in node.results:
                if known.value == {"ref": result.id}:
                    result.dtype = dtype
        narrow = torch.empty_strided(t.shape, t.stride(), dtype=dtype, device="cpu")
        self._tracked[id(narrow)] = Tracked(narrow, known.value, known.root, known.version, known.parent, known.view, known.view_op, known.view_args)
        return narrow

    def _refuse(self, func: Any, name: str, args: Any, kwargs: Any) -> None:
        outer = str(self._calls[0]) if self._calls else name
        if torch.Tag.nondeterministic_seeded in func.tags and not self._is_inert_dropout(name, args, kwargs):
            raise self.unsupported(f"{outer} draws random numbers, which have no deterministic operator",
                                   "draw them in get_inputs and pass them to forward; for dropout call self.eval() in __init__")
        if torch.Tag.inplace_view in func.tags:
            raise self.unsupported(f"{outer} changes the shape of a tensor in place",
                                   f"write the form without the underscore: x = x.{name.split('.')[1].rstrip('_')}(...)")
        for t in tensors_in((args, kwargs)):
            if t.layout is not torch.strided or t.is_complex() or t.is_quantized:
                kind = "complex" if t.is_complex() else "quantized" if t.is_quantized else str(t.layout)
                raise self.unsupported(f"{outer} works on a {kind} tensor", "use dense real tensors")

    @staticmethod
    def _is_inert_dropout(name: str, args: Any, kwargs: Any) -> bool:
        """dropout(x, p, train) with train False, or p 0: decomposition leaves nothing of it."""
        if name not in ("aten.dropout.default", "aten.feature_dropout.default", "aten.alpha_dropout.default",
                        "aten.feature_alpha_dropout.default"):
            return name in ("aten.rrelu.default", "aten.scaled_dot_product_attention.default") and not has_true(args, kwargs)
        p = kwargs.get("p", args[1] if len(args) > 1 else 1)
        train = kwargs.get("train", args[2] if len(args) > 2 else True)
        return not train or p == 0

    def _is_plain_copy(self, func: Any, name: str, args: Any, kwargs: Any) -> bool:
        if name == "aten._to_copy.default":
            return kwargs.get("dtype") in (None, args[0].dtype)
        if name == "aten.to.dtype":
            return len(args) > 1 and args[1] == args[0].dtype
        if name not in IDENTITY_WHEN_SAME_SHAPE or not args or not isinstance(args[0], torch.Tensor):
            return False
        out = func(*args, **kwargs)
        return out.dim() == args[0].dim() and all(self._same(a, b) for a, b in zip(out.shape, args[0].shape))

    def _is_number(self, t: Any) -> bool:
        const = self.lookup(t).const
        return const is not None and const.numel() == 1

    def _same(self, a: Any, b: Any) -> bool:
        env = self.fake_mode.shape_env
        assert env is not None
        return bool(env.simplify(sizes.expr_of(a) - sizes.expr_of(b)) == 0) if not (isinstance(a, int) and isinstance(b, int)) else a == b

    # ---- nodes ------------------------------------------------------------------------------------------------------

    def record(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], op: str = "") -> Any:
        """One node; its results are new tensors, or views that share the memory of their argument."""
        out = self._result(func, args, kwargs)
        results = [out] if isinstance(out, torch.Tensor) else list(out) if isinstance(out, (tuple, list)) else None
        if results is None or not all(r is None or isinstance(r, torch.Tensor) for r in results):
            raise self.unsupported(f"{func} does not give a tensor", "")
        args = without_defaults(func, args)
        if (op or str(func)) in TAKES_NUMBERS:
            args = tuple(self._number_of_sizes(a) if isinstance(a, torch.SymFloat) else a for a in args)
        node = self.add_node(op or str(func), [self.argument(a) for a in args],
                             {k: self.argument(v) for k, v in kwargs.items() if k not in PLACEMENT_KWARGS},
                             [(r.dtype, list(r.shape)) for r in results if r is not None], not isinstance(out, torch.Tensor))
        live = iter(node.results)
        for r in results:
            if r is not None:
                self._track_result(r, {"ref": next(live).id}, func, args, kwargs, node.is_list)
        return out

    def _result(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """What func gives for fake tensors. Some of PyTorch's kernels do not take sizes that may change: there the
        decomposition tells, which is not recorded."""
        try:
            return func(*args, **kwargs)
        except RuntimeError as exc:
            if not any(text in str(exc) for text in NOT_FOR_SYMBOLS):
                raise
            if func in decomposition_table:
                return decomposition_table[func](*args, **kwargs)
            if str(func) in LIKE_RESULT:
                return LIKE_RESULT[str(func)](*args, **kwargs)
            raise self.unsupported(f"{func} cannot be traced by PyTorch {torch.__version__} with sizes that may change",
                                   "write it with other operators") from exc

    def add_node(self, op: str, args: list[Any], kwargs: dict[str, Any], results: list[tuple[torch.dtype, list[Any]]],
                 is_list: bool = False) -> Node:
        node_id = f"n{len(self.nodes)}"
        made = [Result(f"{node_id}_{i}" if is_list else node_id, dtype, [sizes.expr_of(s) for s in shape])
                for i, (dtype, shape) in enumerate(results)]
        env = self.fake_mode.shape_env
        node = Node(node_id, op, args, kwargs, made, self.place(), is_list, len(env.guards) if env is not None else 0)
        self.nodes.append(node)
        return node

    def _track_result(self, fake: Any, value: Any, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any], is_list: bool) -> None:
        base = args[0] if args and isinstance(args[0], torch.Tensor) else None
        aliases = base is not None and any(r.alias_info is not None for r in func._schema.returns) and shares_memory(fake, base)
        if not aliases:
            self._tracked[id(fake)] = Tracked(fake, value, Root())
            return
        parent = self.lookup(base)
        view = None if is_list else (lambda p: func(p, *args[1:], **kwargs))
        self._tracked[id(fake)] = Tracked(fake, value, parent.root, parent.root.version, parent, view, str(func), args[1:])

    def _identity(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        out = func(*args, **kwargs)
        if out is args[0]:
            return out
        source = self.lookup(args[0])
        if source.const is not None:
            self._tracked[id(out)] = self._constant(out, source.const)
        elif shares_memory(out, args[0]):
            self._tracked[id(out)] = Tracked(out, self.current(source), source.root, source.root.version, source,
                                             lambda p: func(p, *args[1:], **kwargs), "identity")
        else:
            self._tracked[id(out)] = Tracked(out, self.current(source), Root())
        return out

    def _fold(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """All tensors are constants of the code: compute now."""
        if torch.Tag.nondeterministic_seeded in func.tags:
            self._refuse(func, name, args, kwargs)
        real_args, real_kwargs = map_tensors((args, kwargs), lambda t: self.lookup(t).const)
        with torch._C._DisableTorchDispatch(), torch.no_grad():
            real = func(*real_args, **real_kwargs)
        if func._schema.is_mutable and args and isinstance(real, torch.Tensor) and real is real_args[0]:
            return args[0]
        return map_tensors(real, self._wrap_constant)

    def _wrap_constant(self, real: torch.Tensor) -> Any:
        fake = self.fake_mode.from_tensor(real, static_shapes=True)
        self._tracked[id(fake)] = self._constant(fake, real)
        return fake

    def _read_value(self, func: Any, args: Any, kwargs: Any, tensors: list[Any]) -> Any:
        if all(self.lookup(t).const is not None for t in tensors):
            real_args, real_kwargs = map_tensors((args, kwargs), lambda t: self.lookup(t).const)
            with torch._C._DisableTorchDispatch():
                return func(*real_args, **real_kwargs)
        raise self.data_dependent()

    # ---- arguments of nodes -----------------------------------------------------------------------------------------

    def argument(self, value: Any) -> Any:
        """A value as docs/graph.md has it; sizes stay expressions (SizeArg) until the trace is complete."""
        if isinstance(value, torch.Tensor):
            return self.current(self.lookup(value))
        if isinstance(value, torch.SymInt):
            return SizeArg(value.node.expr)
        if isinstance(value, (torch.SymFloat, torch.SymBool)):
            return self._specialise(value)
        if isinstance(value, (list, tuple)):
            return [self.argument(v) for v in value]
        if isinstance(value, torch.dtype):
            return value
        if value is None or isinstance(value, (bool, int, float, str)):
            return value
        if isinstance(value, (torch.device, torch.layout, torch.memory_format)):
            return None
        raise self.unsupported(f"an argument is a {type(value).__name__}", "use real numbers and tensors")

    def _specialise(self, value: Any) -> Any:
        """Numbers computed from sizes (`x.shape[0] ** -0.5`) are taken as they are for the sizes of get_inputs, which may not change then."""
        env = value.node.shape_env
        sizes_of_file = env.backed_var_to_val if hasattr(env, "backed_var_to_val") else env.var_to_val
        for symbol in sorted(value.node.expr.free_symbols, key=str):
            if symbol in sizes_of_file:
                int(env.create_symintnode(symbol, hint=int(sizes_of_file[symbol])))
        number = bool(value) if isinstance(value, torch.SymBool) else float(value)
        place = self.place()
        note = f"line {place.line}: the number {number:g} depends on sizes; they are fixed to those of get_inputs"
        if note not in self.notes:
            self.notes.append(note)
        return number

    def _number_of_sizes(self, value: torch.SymFloat) -> Any:
        """A number computed from sizes (`2 / (n - 1)`) as a tensor of one element, computed from the sizes of each call."""
        n_before = len(self.nodes)
        try:
            made = self._number_node(value.node.expr)
        except ValueError:
            del self.nodes[n_before:]
            return value
        if not isinstance(made, dict):
            return value
        like = torch.empty([], dtype=torch.float32)
        self._tracked[id(like)] = Tracked(like, made, Root())
        return like

    def _number_node(self, expr: Any) -> Any:
        """The number or node for expr. Raises ValueError where there is none."""
        if expr.is_number:
            return float(expr)
        if expr in self.selection.counts:
            return self.selection.number(expr)
        if expr.is_integer and not expr.free_symbols & self.selection.counts.keys():
            return {"ref": self.add_node("aten.full.default", [[], SizeArg(expr)], {}, [(torch.float32, [])]).id}
        name = type(expr).__name__
        if name == "ToFloat":
            return self._number_node(expr.args[0])
        if name in ("IntTrueDiv", "FloatTrueDiv"):
            return self._number_of("aten.div.Tensor", expr.args)
        if name in ("Add", "Mul"):
            return self._number_of(f"aten.{name.lower()}.Tensor", expr.args)
        if name == "OpaqueUnaryFn_sqrt":
            return self._unary_number("aten.sqrt.default", expr.args[0])
        if name in ("Pow", "PowByNatural", "FloatPow") and expr.args[1].is_number:
            return self._power_node(expr.args[0], float(expr.args[1]))
        raise ValueError(name)

    def _power_node(self, base: Any, exponent: float) -> Any:
        if exponent < 0:
            return {"ref": self.add_node("aten.reciprocal.default", [self._power_node(base, -exponent)], {}, [(torch.float32, [])]).id}
        if exponent == 0.5:
            return self._unary_number("aten.sqrt.default", base)
        if exponent in (1, 2, 3, 4):
            return self._number_of("aten.mul.Tensor", [base] * int(exponent))
        raise ValueError("Pow")

    def _unary_number(self, op: str, base: Any) -> Any:
        return {"ref": self.add_node(op, [self._number_of("", [base])], {}, [(torch.float32, [])]).id}

    def _number_of(self, op: str, terms: Any) -> Any:
        left = self._number_node(terms[0])
        if not isinstance(left, dict):
            left = {"ref": self.add_node("aten.full.default", [[], left], {}, [(torch.float32, [])]).id}
        for term in terms[1:]:
            left = {"ref": self.add_node(op, [left, self._number_node(term)], {}, [(torch.float32, [])]).id}
        return left

    def current(self, t: Tracked) -> Any:
        """The value of a tensor now: views are built again when their memory was written since."""
        if t.const is not None:
            return self._promote(t)
        if t.version != t.root.version:
            self._mutation.refresh(t)
        return t.value

    # ---- places and errors ------------------------------------------------------------------------------------------

    def place(self) -> Place:
        """The line of the user's file nearest to the operator."""
        frame = sys._getframe(1)
        while frame is not None:
            if frame.f_code.co_filename == self.path or same_file(frame.f_code.co_filename, self.path):
                return Place(frame.f_lineno, source_text(frame, self.path))
            frame = frame.f_back  # type: ignore[assignment]
        return Place(0, "")

    def unsupported(self, message: str, hint: str) -> BridgeError:
        return BridgeError("unsupported", message, self.path, self.place().line, hint)

    def data_dependent(self) -> BridgeError:
        error = self.unsupported("forward takes a decision, or makes a number, from the values of a tensor (data-dependent control flow)",
                                 "use torch.where, or pass the number as an argument")
        error.decides = True
        return error


# ---- small things -----------------------------------------------------------------------------------------------------


def source_text(frame: Any, path: str) -> str:
    """The expression being evaluated where Python tells its columns (3.11 on), else the line."""
    line = linecache.getline(path, frame.f_lineno)
    positions = getattr(frame.f_code, "co_positions", None)
    if positions is not None and frame.f_lasti >= 0:
        where = next((p for i, p in enumerate(positions()) if i == frame.f_lasti // 2), None)
        if where is not None and where[0] == where[1] == frame.f_lineno and where[2] is not None:
            return line.encode()[where[2]: where[3]].decode("utf-8", "replace")
    return line.strip()


def number_in(real: torch.Tensor) -> Any:
    """The number in a one-element tensor with data, whatever modes are active."""
    with torch._C._DisableTorchDispatch():
        return real.item()


def values_in(real: torch.Tensor) -> Any:
    with torch._C._DisableTorchDispatch():
        return real.tolist()


def without_defaults(func: Any, args: tuple[Any, ...]) -> tuple[Any, ...]:
    """Positional arguments without those at the end that say what the schema says anyway."""
    known = func._schema.arguments
    while args and len(args) <= len(known) and known[len(args) - 1].has_default_value() and not isinstance(args[-1], torch.Tensor) \
            and args[-1] is known[len(args) - 1].default_value:
        args = args[:-1]
    return args


def tensors_in(value: Any) -> list[Any]:
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors_in(v)]
    if isinstance(value, dict):
        return [t for v in value.values() for t in tensors_in(v)]
    return []


def map_tensors(value: Any, f: Callable[[Any], Any]) -> Any:
    if isinstance(value, torch.Tensor):
        return f(value)
    if isinstance(value, (list, tuple)):
        return type(value)(map_tensors(v, f) for v in value) if type(value) in (list, tuple) else tuple(map_tensors(v, f) for v in value)
    if isinstance(value, dict):
        return {k: map_tensors(v, f) for k, v in value.items()}
    return value


def has_symbol(value: Any) -> bool:
    if isinstance(value, (torch.SymInt, torch.SymFloat, torch.SymBool)):
        return True
    if isinstance(value, (list, tuple)):
        return any(has_symbol(v) for v in value)
    return isinstance(value, dict) and any(has_symbol(v) for v in value.values())


def has_true(args: Any, kwargs: Any) -> bool:
    return any(v is True for v in (*args, *kwargs.values())) or any(isinstance(v, float) and v > 0 for v in (*args[3:], *kwargs.values()))


def shares_memory(a: Any, b: Any) -> bool:
    return bool(a.untyped_storage()._cdata == b.untyped_storage()._cdata)
