"""The `trace` method: reference file -> graph.json (docs/graph.md).

The file is traced once for each floating dtype and once more for each number among its arguments with another value;
traces that agree are one graph. One trace is `TraceRun`.
"""

from __future__ import annotations

import ast
import contextlib
import logging
import math
import sys
import time
from typing import Any, Iterator, Optional

import sympy
import torch
from torch._decomp import core_aten_decompositions, decomposition_table
from torch._subclasses.fake_tensor import (DataDependentOutputException, DynamicOutputShapeException, FakeTensorMode,
                                            UnsupportedOperatorException)
from torch.fx.experimental.symbolic_shapes import GuardOnDataDependentSymNode

from . import (align, cases, counting, grid, groups, indices, loops, losses, model_source, npu_functions, numpy_calls, padding, reference, resize, rewrites, scalars,
               sizes, sorting, wide, window_gradients, windows)
from .errors import BridgeError, from_user_code, same_file, user_line
from .model_tensors import Slot, slots
from .names import Names, operator_name
from .recorder import Input, Node, Recorder, SizeArg, number_in, values_in

FLOAT_VARIANTS = (torch.float16, torch.bfloat16, torch.float32)
# Core ATen keeps some operators of gradients whole, and the normalisations that only autograd calls; here they are taken
# apart like any other.
WITH_GRADIENTS = ("backward", "aten._native_batch_norm_legit")
TABLE = {**{op: f for op, f in decomposition_table.items() if any(part in str(op) for part in WITH_GRADIENTS)}, **core_aten_decompositions(),
         **counting.decompositions(), **windows.decompositions(), **resize.decompositions(), **grid.decompositions(), **indices.decompositions(),
         **window_gradients.decompositions(), **sorting.decompositions(), **losses.decompositions(), **padding.decompositions(), **rewrites.decompositions()}
LARGEST_BAKED_CONSTANT = 1024  # elements of a tensor written into the code that ModelNew can hold as text


class Plan:
    """What all traces of one file share."""

    def __init__(self, ref: reference.Reference, ops: list[str]) -> None:
        self.ref = ref
        self.keep = frozenset(ops)
        self.table = TABLE
        self.inputs, _ = reference.example_inputs(ref)
        reference.check_inputs(ref, self.inputs)
        self.init_inputs = ref.get_init_inputs()
        self.argument_names = ref.argument_names(len(self.inputs))
        self.fixed = ref.fixed_inputs(len(self.inputs))
        self.init_names = reference.argument_names(ref.init_parameters(), len(self.init_inputs))
        self.known_loop: Optional[loops.Known] = None  # the known program that forward does the same as, where it decides on values
        self._asked = False
        self.differentiates = any(isinstance(n, ast.Attribute) and n.attr in ("autograd", "enable_grad", "backward") for n in ast.walk(ref.tree))

    @property
    def in_words(self) -> bool:
        """float64 and complex arguments stay what they are: they were given on purpose. Elsewhere float32 takes the place of float64."""
        return self.ref.group is not None or any(t.is_complex() for t in self.tensor_inputs())

    def loop(self) -> Optional[loops.Known]:
        """Finds known_loop, once a trace has failed."""
        if not self._asked:
            self._asked = True
            self.known_loop = loops.find(self.ref, self.init_inputs, self.inputs)
        return self.known_loop

    def tensor_inputs(self) -> list[torch.Tensor]:
        return [v for v in self.inputs if isinstance(v, torch.Tensor)]

    def floating(self) -> list[torch.Tensor]:
        """Whose dtype the variants differ in."""
        return [v for i, v in enumerate(self.inputs) if isinstance(v, torch.Tensor) and v.is_floating_point() and i not in self.fixed]


class TraceRun:
    """One trace: nodes, inputs and outputs, for one floating dtype (None: as the file has it) and one set of numbers."""

    def __init__(self, plan: Plan, dtype: Optional[torch.dtype], inputs: list[Any], init_inputs: list[Any]) -> None:
        self.plan, self.ref, self.dtype = plan, plan.ref, dtype
        self.args_in, self.init_inputs = inputs, init_inputs
        try:
            self._start()
        except BridgeError as error:
            if not error.decides or plan.loop() is None:
                raise
            self._start()

    def _start(self) -> None:
        plan = self.plan
        self.env = sizes.new_shape_env()
        self.fake_mode = FakeTensorMode(shape_env=self.env, allow_non_fake_inputs=True)
        self.recorder = Recorder(self.ref.path, plan.keep, plan.table, self.fake_mode, self._find_constant)
        self.names = Names()
        self.inputs: list[Input] = []
        self.outputs: list[Any] = []
        self.changes: list[str] = []  # arguments that the last outputs are put into
        self.cuts: list[Any] = []  # of each output: {"dim", "count"} where its size depends on values; those behind results are counts
        self.results: list[str] = []  # what ModelNew does to each result of the operator
        self.output_kind = "tensor"
        self.notes: list[str] = []
        self.wide_leaves: list[tuple[torch.Tensor, torch.Tensor]] = []  # arguments, and their words
        self._constants: dict[int, Input] = {}
        self.model = self._construct()
        self._run()

    # ---- the module -------------------------------------------------------------------------------------------------

    def _construct(self) -> torch.nn.Module:
        """Without data where the constructor allows it: parameters of any size cost nothing."""
        try:
            with self.fake_mode:
                return self.ref.cls(*self.init_inputs)
        except Exception:
            return self.ref.construct(self.init_inputs)

    def _run(self) -> None:
        arguments = self._make_arguments()
        old = [(slot, slot.get()) for slot in slots(self.model)]
        self._make_model_inputs([slot for slot, _ in old])
        for leaf in self.inputs:
            self.recorder.add_input(leaf)
        try:
            result = self._forward(arguments)
        finally:
            for slot, tensor in old:
                slot.set(tensor)
        self._take_outputs(result)
        self._prune()

    def _make_arguments(self) -> list[Any]:
        arguments: list[Any] = []
        for i, value in enumerate(self.args_in):
            if isinstance(value, torch.Tensor):
                leaf = self._leaf(self.plan.argument_names[i], value, "argument", "", i)
                self.inputs.append(leaf)
                value = self._in_words(leaf) if self.plan.in_words and wide.is_wide(leaf.fake) else leaf.fake
            arguments.append(value)
        return arguments

    def _in_words(self, leaf: Input) -> torch.Tensor:
        """The leaf holds the words of the argument, which the program gets."""
        argument = leaf.fake
        if argument.dim() >= wide.MOST_DIMENSIONS and wide.dropped(argument) is None:
            raise BridgeError("unsupported", f"{leaf.id} is {reference.dtype_name(argument.dtype)} with {argument.dim()} dimensions: an AI Core has no such "
                              "type, and its words would have more dimensions than operators take", self.ref.path,
                              model_source.method_line(self.ref, "forward"), "merge two dimensions before, or use float32")
        with self.fake_mode:
            leaf.fake, leaf.hint = wide.words(argument), wide.words(leaf.hint)
        self.wide_leaves.append((argument, leaf.fake))
        return argument

    def _make_model_inputs(self, all_slots: list[Slot]) -> None:
        """Parameters and buffers become inputs; one that sits in several places stays one."""
        known: dict[int, Input] = {}
        for slot in all_slots:
            tensor = slot.get()
            if id(tensor) not in known:
                leaf = self._leaf(slot.path[len("self."):] if slot.path.startswith("self.") else slot.path, tensor, slot.kind, slot.path, -1)
                known[id(tensor)] = leaf
                self.inputs.append(leaf)
            slot.set(known[id(tensor)].fake)

    def _leaf(self, wish: str, tensor: torch.Tensor, kind: str, path: str, arg_index: int) -> Input:
        name = self.names.take(wish)
        takes_variant = self.dtype is not None and tensor.is_floating_point() and arg_index not in self.plan.fixed
        dtype = self.dtype if takes_variant else tensor.dtype
        dims = [sizes.symbolic_size(self.env, int(n), f"{name}_{d}") for d, n in enumerate(tensor.shape)]
        with self.fake_mode:
            fake = torch.empty_strided(dims, self._strides(dims, tensor), dtype=dtype, device="cpu")
        return Input(name, kind, path, arg_index, fake, tensor)

    @staticmethod
    def _strides(dims: list[Any], tensor: torch.Tensor) -> list[Any]:
        """Strides of a dense tensor whose dimensions lie in memory in the example's order."""
        order = sorted(range(len(dims)), key=lambda d: (-tensor.stride(d), d))
        strides: list[Any] = [1] * len(dims)
        step: Any = 1
        for d in reversed(order):
            strides[d] = step
            step = step * dims[d]
        return strides

    # ---- forward ----------------------------------------------------------------------------------------------------

    def _forward(self, arguments: list[Any]) -> Any:
        known = self.plan.known_loop
        if known is None:
            return self._recorded(self.model, arguments)
        self.notes.append(f"line {model_source.method_line(self.ref, 'forward')}: forward decides on values; it is taken as: {known.what}. Its "
                                f"results on {loops.N_DRAWN} drawn calls are bit by bit those")
        return self._recorded(known.forward, arguments)

    def _recorded(self, forward: Any, arguments: list[Any]) -> Any:
        try:
            with npu_functions.standing_in(), numpy_calls.as_tensors(self.ref.module), self._autograd(), self.fake_mode, self.recorder, \
                    self._watch_branches():
                for argument, in_words in self.wide_leaves:
                    self.recorder.wide.add_input(argument, in_words)
                return forward(*self.ref.nested(arguments))
        except BridgeError:
            raise
        except (DataDependentOutputException, GuardOnDataDependentSymNode) as exc:
            error = self.recorder.data_dependent()
            error.line = user_line(exc, self.ref.path)
            raise error from exc
        except DynamicOutputShapeException as exc:
            raise BridgeError("unsupported", f"the shape of the result of {exc.func} depends on values", self.ref.path,
                              user_line(exc, self.ref.path), "use torch.where, which keeps the shape") from exc
        except UnsupportedOperatorException as exc:
            raise BridgeError("unsupported", f"{exc.func} cannot be traced by PyTorch {torch.__version__}", self.ref.path,
                              user_line(exc, self.ref.path), "write it with other operators, or use a newer PyTorch") from exc
        except Exception as exc:
            if "SymFloat" in str(exc):  # older PyTorch: a number computed from sizes does not mix with tensors there
                raise BridgeError("unsupported", f"PyTorch {torch.__version__} cannot trace a number computed from sizes", self.ref.path,
                                  user_line(exc, self.ref.path), "write int(x.shape[d]) where the size is read, or use a newer PyTorch") from exc
            raise from_user_code(exc, self.ref.path, "forward raised an exception while it was traced",
                                 "run forward once with get_inputs() in PyTorch; code that leaves torch (numpy, .data_ptr) "
                                 "cannot be traced") from exc

    @contextlib.contextmanager
    def _autograd(self) -> Iterator[None]:
        """Composite operators are seen whole only below autograd; a forward that asks for gradients needs autograd itself."""
        if self.plan.differentiates:
            yield
            return
        with torch.no_grad(), _below_autograd():
            yield

    @contextlib.contextmanager
    def _watch_branches(self) -> Iterator[None]:
        """Notes decisions that the user's own lines take on sizes: the graph is right only where they go the same way."""
        original = torch.SymBool.__bool__

        def watched(value: Any) -> bool:
            taken = original(value)
            frame = sys._getframe(1)
            if same_file(frame.f_code.co_filename, self.ref.path):
                note = f"line {frame.f_lineno}: a decision on sizes was taken as {taken}; the operator is for sizes where it goes the same way"
                if note not in self.notes:
                    self.notes.append(note)
            return taken

        torch.SymBool.__bool__ = watched  # type: ignore[method-assign]
        try:
            yield
        finally:
            torch.SymBool.__bool__ = original  # type: ignore[method-assign]

    def _find_constant(self, real: torch.Tensor) -> Optional[Input]:
        """A constant tensor as an input that ModelNew rebuilds: a global of the file, or one written in forward."""
        if id(real) in self._constants:
            return self._constants[id(real)]
        name = next((k for k, v in vars(self.ref.module).items() if v is real), None)
        if name is not None:
            leaf = self._constant_leaf(name, name, real)
            leaf.needs.add(name)
        elif real.numel() <= LARGEST_BAKED_CONSTANT:
            leaf = self._constant_leaf("constant", f"torch.tensor({values_in(real)!r}, dtype={real.dtype})", real)
        else:
            return None
        self._constants[id(real)] = leaf
        return leaf

    def _constant_leaf(self, wish: str, path: str, real: torch.Tensor) -> Input:
        leaf = Input(self.names.take(wish), "buffer", path, -1, real, real)
        leaf.needs.add("torch")
        return leaf

    # ---- results ----------------------------------------------------------------------------------------------------

    def _take_outputs(self, result: Any) -> None:
        self.output_kind = "tensor"
        items = [result]
        if isinstance(result, (tuple, list)):
            self.output_kind = "list" if isinstance(result, list) else "tuple"
            items = list(result)
        line = model_source.method_line(self.ref, "forward")
        if not items:
            raise BridgeError("bad_input", "forward returns nothing", self.ref.path, line, "return the result tensor")
        if result is None and self.recorder.changed_arguments:
            self.output_kind, items = "none", []
        for item in items:
            if not isinstance(item, torch.Tensor):
                raise BridgeError("unsupported", f"forward returns a {type(item).__name__}", self.ref.path, line,
                                  "return a tensor, or a tuple or list of tensors")
            is_wide = self.recorder.wide.parts_of(item) is not None
            if is_wide:
                with self.fake_mode, self.recorder:
                    item = self.recorder.wide.result(item)
            self.results.append(wide.RESULT_TEXT if is_wide else "")
            self.outputs.append(self._output_value(item, line))
        self._take_counts(items)
        self._take_changed_arguments()

    def _take_counts(self, items: list[Any]) -> None:
        """Sizes that depend on values are outputs, too, behind the results."""
        counts: list[Any] = []
        for item in items:
            cut = self.recorder.selection.cut_of(item)
            if cut is not None and not any(cut[1] is c for c in counts):
                counts.append(cut[1])
            self.cuts.append(cut and {"dim": cut[0], "count": len(items) + next(k for k, c in enumerate(counts) if c is cut[1])})
        self.outputs += [self.recorder.current(self.recorder.lookup(c)) for c in counts]

    def _take_changed_arguments(self) -> None:
        """What arguments become that forward writes and does not return: outputs behind the results and counts."""
        for leaf in self.inputs:
            if leaf.id not in self.recorder.changed_arguments:
                continue
            value = self.recorder.current(self.recorder.lookup(leaf.fake))
            if value in self.outputs[:len(self.cuts)]:
                self.notes.append(f"forward changes its argument {leaf.id} in place; the operator returns what it becomes and leaves {leaf.id} itself as it is")
                continue
            self.changes.append(leaf.id)
            self.outputs.append(value)

    def _output_value(self, tensor: Any, line: int) -> Any:
        tracked = self.recorder.lookup(tensor)
        if tracked.const is not None and tracked.const.numel() == 1:
            node = self.recorder.add_node("aten.full.default", [list(tensor.shape), number_in(tracked.const)], {"dtype": tensor.dtype},
                                          [(tensor.dtype, list(tensor.shape))])
            node.at.line = line
            return {"ref": node.results[0].id}
        return self.recorder.current(tracked)

    def _prune(self) -> None:
        """Drops nodes and model inputs that no output needs."""
        self.inputs += self.recorder.late_inputs
        needed = {o["ref"] for o in self.outputs}
        nodes: list[Node] = []
        for node in reversed(self.recorder.nodes):
            if any(r.id in needed for r in node.results):
                nodes.append(node)
                needed.update(refs_in(node.args) | refs_in(list(node.kwargs.values())))
        self.nodes = nodes[::-1]
        self._renumber()
        for leaf in self.inputs:
            leaf.used = leaf.id in needed
        self.inputs = [leaf for leaf in self.inputs if leaf.used or leaf.kind == "argument"]
        for owner, error in self.recorder.changed_state.items():
            if any(leaf.id == owner and leaf.used for leaf in self.inputs):
                raise error
            self.notes.append(f"forward changes {owner}, a buffer of the module, in place; the operator does not: no output rests on it")
        self.notes += self.recorder.notes

    def _renumber(self) -> None:
        renamed: dict[str, str] = {}
        for i, node in enumerate(self.nodes):
            for j, r in enumerate(node.results):
                renamed[r.id] = f"n{i}_{j}" if node.is_list else f"n{i}"
                r.id = renamed[r.id]
            node.id = f"n{i}"
        for node in self.nodes:
            node.args = rename_refs(node.args, renamed)
            node.kwargs = rename_refs(node.kwargs, renamed)
        self.outputs = [rename_refs(o, renamed) for o in self.outputs]

    # ---- as JSON ----------------------------------------------------------------------------------------------------

    def printer(self) -> sizes.SizePrinter:
        dims = [sizes.expr_of(s) for leaf in self.inputs for s in leaf.fake.shape]
        return sizes.SizePrinter(self.env, dims, self.ref.path, self.recorder.selection.bounds)


@contextlib.contextmanager
def _below_autograd() -> Iterator[None]:
    with torch._C._AutoDispatchBelowAutograd():
        yield


def refs_in(value: Any) -> set[str]:
    if isinstance(value, dict):
        return {value["ref"]} if "ref" in value else set()
    if isinstance(value, list):
        return set().union(*(refs_in(v) for v in value)) if value else set()
    return set()


def rename_refs(value: Any, renamed: dict[str, str]) -> Any:
    if isinstance(value, dict):
        if set(value) == {"ref"}:
            return {"ref": renamed.get(value["ref"], value["ref"])}
        return {k: rename_refs(v, renamed) for k, v in value.items()}
    return [rename_refs(v, renamed) for v in value] if isinstance(value, list) else value


# ---- several traces, one graph ----------------------------------------------------------------------------------------


class Printed:
    """A trace in the form of docs/graph.md, with single dtypes: what traces are compared by."""

    def __init__(self, run: TraceRun) -> None:
        self.run = run
        p = run.printer()
        self.nodes = [self._node(n, p) for n in run.nodes]
        self.inputs = [self._input(leaf, p) for leaf in run.inputs]
        self.outputs: list[Any] = run.outputs
        self.symbols = {name: {"hint": self._hint(symbol)} for name, symbol in p.symbols().items()}

    def _node(self, node: Node, p: sizes.SizePrinter) -> dict[str, Any]:
        out: dict[str, Any] = {"id": node.id, "op": node.op, "args": json_value(node.args, p), "kwargs": json_value(node.kwargs, p)}
        results = [{"id": r.id, "dtype": reference.dtype_name(r.dtype), "shape": [p.size(s) for s in r.shape]} for r in node.results]
        if node.is_list:
            out["results"] = results
        else:
            out["dtype"], out["shape"] = results[0]["dtype"], results[0]["shape"]
        out["at"] = {"line": node.at.line, "text": node.at.text}
        return out

    def _input(self, leaf: Input, p: sizes.SizePrinter) -> dict[str, Any]:
        out: dict[str, Any] = {"id": leaf.id, "name": leaf.id, "kind": leaf.kind}
        if leaf.kind == "argument":
            out["arg_index"] = leaf.arg_index
        else:
            out["path"] = leaf.path
        out.update(dtype=reference.dtype_name(leaf.fake.dtype), shape=[p.size(sizes.expr_of(s)) for s in leaf.fake.shape],
                   hint_shape=list(leaf.hint.shape), hint_stride=list(leaf.hint.stride()), contiguous=leaf.hint.is_contiguous())
        return out

    def _hint(self, symbol: Any) -> int:
        """The size in the file itself, of the first dimension that is this symbol alone."""
        for leaf in self.run.inputs:
            for size, hint in zip(leaf.fake.shape, leaf.hint.shape):
                if isinstance(size, torch.SymInt) and self.run.env.simplify(sizes.expr_of(size)) == symbol:
                    return int(hint)
        raise AssertionError("a symbol without a dimension")

    def equal_sizes(self) -> list[dict[str, Any]]:
        """Sizes that PyTorch took for equal on the way (a split into 4 parts): {x, y, node}. The graph is right where they are. Sizes that
        must divide evenly are left out: PyTorch itself refuses others."""
        p, found = self.run.printer(), []
        for i, guard in enumerate(self.run.env.guards):
            expr = p.simplify(guard.expr) if isinstance(guard.expr, sympy.Eq) else None
            if not isinstance(expr, sympy.Eq) or not self.run.nodes or divides_evenly(expr):
                continue
            with contextlib.suppress(BridgeError):  # what has no text is no size of a tensor
                pair = {"x": p.size(expr.lhs), "y": p.size(expr.rhs)}
                node = next((k for k, n in enumerate(self.run.nodes) if n.n_decisions > i), len(self.run.nodes) - 1)
                found.append({**pair, "node": node})
        return found

    def structure(self) -> Any:
        """Everything but element types and places."""
        return [[strip(n) for n in self.nodes], [(i["id"], i["shape"]) for i in self.inputs], self.outputs]


def divides_evenly(expr: Any) -> bool:
    """Eq(s0 % 4, 0), or Eq(s0, 4 * (s0 // 4))."""
    if any(type(e).__name__ in ("Mod", "PythonMod") for e in sympy.preorder_traversal(expr)):
        return True
    exact = [side.replace(lambda e: type(e).__name__ in ("FloorDiv", "CleanDiv"), lambda e: e.args[0] / e.args[1]) for side in expr.args]
    return bool(sympy.expand(exact[0] - exact[1]) == 0)


def strip(node: dict[str, Any]) -> Any:
    kept = {k: v for k, v in node.items() if k not in ("dtype", "at", "results")}
    kept["args"], kept["kwargs"] = without_dtypes(node["args"]), without_dtypes(node["kwargs"])
    kept["results"] = [(r["id"], r["shape"]) for r in node.get("results", [])]
    return kept


def without_dtypes(value: Any) -> Any:
    if isinstance(value, dict):
        return {"dtype": ""} if set(value) == {"dtype"} and isinstance(value["dtype"], str) else {k: without_dtypes(v) for k, v in value.items()}
    return [without_dtypes(v) for v in value] if isinstance(value, list) else value


def json_value(value: Any, p: sizes.SizePrinter) -> Any:
    if isinstance(value, SizeArg):
        text = p.size(value.expr)
        return text if isinstance(text, int) else {"size": text}
    if isinstance(value, torch.SymInt):
        return json_value(SizeArg(value.node.expr), p)
    if isinstance(value, torch.dtype):
        return {"dtype": reference.dtype_name(value)}
    if isinstance(value, float) and not math.isfinite(value):
        return {"const": "nan" if math.isnan(value) else "inf" if value > 0 else "-inf"}
    if isinstance(value, list):
        return [json_value(v, p) for v in value]
    if isinstance(value, dict):
        return value if set(value) == {"ref"} else {k: json_value(v, p) for k, v in value.items()}
    return value


def trace(params: dict[str, Any]) -> tuple[dict[str, Any], list[Any]]:
    """`trace` of docs/bridge.md."""
    ops = params.get("ops", [])
    if not isinstance(ops, list) or not all(isinstance(o, str) for o in ops):
        raise BridgeError("bad_input", "ops is not a list of operator names")
    start = time.monotonic()
    ref = reference.load(params.get("path", ""))
    graph = graph_of(ref, ops)
    members = groups.members(ref, graph) if ref.group is not None else []
    return {"graph": graph, "groups": members, "seconds": time.monotonic() - start}, []


def build_graph(path: str, ops: list[str]) -> dict[str, Any]:
    return graph_of(reference.load(path), ops)


def graph_of(ref: reference.Reference, ops: list[str]) -> dict[str, Any]:
    for name in ("torch._subclasses.fake_tensor", "torch.fx.experimental.symbolic_shapes"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # traces that may fail are part of the method
    plan = Plan(ref, ops)
    notes: list[str] = []
    variants = trace_variants(plan, notes)
    own = own_variant(plan, variants)
    base = variants[own][1]
    found = scalars.find(plan, base, lambda inputs, init: like(base, Printed(TraceRun(plan, base.run.dtype, inputs, init))), notes)
    check_contents(plan, base)
    merge_dtypes([p for _, p in variants])
    graph = {
        "schema": 1, "name": operator_name(plan.ref.path), "file": plan.ref.path, "torch": torch.__version__,
        "variants": [name for name, _ in variants], "own_variant": own, "symbols": base.symbols, "inputs": base.inputs,
        "scalars": [s.to_json() for s in found], "nodes": base.nodes, "equal": base.equal_sizes(), "outputs": name_outputs(base), "output_kind": base.run.output_kind,
        "model": model_source.describe(plan, base, found), "notes": notes + base.run.notes + size_notes(plan, base),
    }
    if plan.ref.group:
        graph["name"] += f"_g{plan.ref.group}"
    return graph


def trace_variants(plan: Plan, notes: list[str]) -> list[tuple[str, Printed]]:
    """One trace for each dtype whose node list is the one of the file's own dtype."""
    tensors = plan.tensor_inputs()
    floating = plan.floating()
    if cases.has_fixed_dtypes(tensors) and plan.in_words:
        return [(reference.dtype_name(next((t.dtype for t in floating if t.dtype in FLOAT_VARIANTS), torch.float32)),
                 Printed(TraceRun(plan, None, plan.inputs, plan.init_inputs)))]
    if not floating:
        own = Printed(TraceRun(plan, None, plan.inputs, plan.init_inputs))
        floating_model = [i for i in own.inputs if i["kind"] != "argument" and i["dtype"].startswith(("float", "bfloat"))]
        if not floating_model:
            return [(reference.dtype_name(tensors[0].dtype) if tensors else "float32", own)]
    if cases.has_mixed_floats(floating) and all(t.dtype in FLOAT_VARIANTS for t in floating):
        return [(reference.dtype_name(floating[0].dtype), Printed(TraceRun(plan, None, plan.inputs, plan.init_inputs)))]
    own_dtype = floating[0].dtype if floating and floating[0].dtype in FLOAT_VARIANTS else torch.float32
    if floating and floating[0].dtype not in FLOAT_VARIANTS:
        notes.append(f"the file's inputs are {reference.dtype_name(floating[0].dtype)}, which an AI Core does not compute in; "
                     "float32 takes its place")
    base = Printed(TraceRun(plan, own_dtype, plan.inputs, plan.init_inputs))
    traced: list[tuple[str, Printed]] = []
    for dtype in FLOAT_VARIANTS:
        name = reference.dtype_name(dtype)
        if dtype == own_dtype:
            traced.append((name, base))
            continue
        try:
            traced.append((name, like(base, Printed(TraceRun(plan, dtype, plan.inputs, plan.init_inputs)))))
        except BridgeError as exc:
            notes.append(f"no {name} variant: {exc.message}")
    out: list[tuple[str, Printed]] = []
    for name, other in traced:
        why = difference(base, like(base, other)) if other is not base else ""
        if why:
            notes.append(f"no {name} variant: {why}")
        else:
            out.append((name, other))
    return out


def like(base: Printed, other: Printed) -> Printed:
    """The other trace, both with each conversion that one of them needs."""
    align.align(base, other)
    return other


def difference(a: Printed, b: Printed) -> str:
    """Why two traces are not one node list; empty when they are."""
    if len(a.nodes) != len(b.nodes):
        return f"PyTorch does it in {len(b.nodes)} operations there, and in {len(a.nodes)} here"
    for m, n in zip(a.nodes, b.nodes):
        if strip(m) != strip(n):
            return f"line {n['at']['line']}: {n['op']} has other arguments there" if m["op"] == n["op"] else \
                f"line {n['at']['line']}: {n['op']} there is {m['op']} here"
        if not dtype_args_are_results(m, n):
            return f"line {n['at']['line']}: {n['op']} is given another dtype there"
    return "" if a.structure() == b.structure() else "its results differ"


def dtype_args_are_results(m: dict[str, Any], n: dict[str, Any]) -> bool:
    """A dtype argument may follow the variant only where it is the dtype of the result, which the graph gives in parallel."""
    pairs = [(m["kwargs"].get(k), n["kwargs"].get(k)) for k in m["kwargs"]] + list(zip(m["args"], n["args"]))
    for a, b in pairs:
        if isinstance(a, dict) and "dtype" in a and a != b and (a["dtype"] != m.get("dtype") or b["dtype"] != n.get("dtype")):
            return False
    return True


def own_variant(plan: Plan, variants: list[tuple[str, Printed]]) -> int:
    floating = plan.floating()
    name = reference.dtype_name(floating[0].dtype) if floating else ""
    names = [n for n, _ in variants]
    return names.index(name) if name in names else names.index("float32") if "float32" in names else 0


def merge_dtypes(printed: list[Printed]) -> None:
    """Turns each dtype of every trace into the list over the variants."""
    def merge(items: list[dict[str, Any]]) -> None:
        dtypes = [item["dtype"] for item in items]
        for item in items:
            item["dtype"] = dtypes

    for items in zip(*(p.inputs for p in printed)):
        merge(list(items))
    for nodes in zip(*(p.nodes for p in printed)):
        if "results" in nodes[0]:
            for results in zip(*(n["results"] for n in nodes)):
                merge(list(results))
        else:
            merge(list(nodes))


def name_outputs(printed: Printed) -> list[dict[str, Any]]:
    names = Names()
    for leaf in printed.inputs:
        names.take(leaf["id"])
    cuts = printed.run.cuts
    n = len(cuts)
    named = [{**o, "name": names.take("y" if n == 1 else f"y{i}"), **({"cut": cut} if cut else {})} for i, (o, cut) in enumerate(zip(printed.outputs, cuts))]
    changes = printed.run.changes
    counts = printed.outputs[n:len(printed.outputs) - len(changes)]
    return [*named, *({**o, "name": names.take("count"), "is_count": True} for o in counts),
            *({**o, "name": names.take(f"{c}_new"), "changes": c} for o, c in zip(printed.outputs[n + len(counts):], changes))]


def check_contents(plan: Plan, printed: Printed) -> None:
    if not printed.inputs:
        raise BridgeError("unsupported", "forward takes no tensor and uses no parameter", plan.ref.path,
                          model_source.method_line(plan.ref, "forward"), "give forward at least one tensor argument")


def size_notes(plan: Plan, printed: Printed) -> list[str]:
    notes = []
    for leaf in printed.inputs:
        fixed = [d for d, (s, h) in enumerate(zip(leaf["shape"], leaf["hint_shape"])) if isinstance(s, int) and h > 1]
        if fixed:
            notes.append(f"{leaf['name']}: dimension{'s' if len(fixed) > 1 else ''} {', '.join(map(str, fixed))} "
                         f"can only be {', '.join(str(leaf['shape'][d]) for d in fixed)}, as the program demands")
        if 0 in leaf["hint_shape"]:
            notes.append(f"{leaf['name']}: a size of 0 in get_inputs was taken as a size that may change")
        if not leaf["contiguous"]:
            notes.append(f"{leaf['name']}: get_inputs gives it with strides {leaf['hint_stride']}")
    unused = [leaf["name"] for leaf, i in zip(printed.inputs, printed.run.inputs) if not i.used]
    return notes + [f"{name}: forward does not use it" for name in unused]


def _warm() -> None:
    """A first trace of our own: PyTorch imports half of itself then, which the worker does once, before it forks."""
    env = sizes.new_shape_env()
    mode = FakeTensorMode(shape_env=env, allow_non_fake_inputs=True)
    recorder = Recorder(__file__, frozenset(), TABLE, mode, lambda real: None)
    with torch.no_grad(), _below_autograd(), mode:
        leaves = [Input(name, "argument", "", i, torch.empty([sizes.symbolic_size(env, 4, f"{name}{d}") for d in range(2)]), None)
                  for i, name in enumerate("ab")]
        for leaf in leaves:
            recorder.add_input(leaf)
        with recorder:
            a, b = leaves[0].fake, leaves[1].fake
            torch.nn.functional.silu(torch.where(a > 0, a * b + 0.5, b).reshape(-1, 2)).sum(1)


_warm()
