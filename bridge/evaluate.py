"""The `run` method of docs/bridge.md: one case through the candidate, the reference in its own dtype, and in float64."""

from __future__ import annotations

import contextlib
import ctypes
import time
from types import ModuleType
from typing import Any, Callable, NamedTuple, Optional, Protocol

import torch

from . import candidate, cases, nearby, npu_functions, reference, stable
from .candidate import CandidateError
from .errors import BridgeError, describe, from_user_code, is_out_of_memory, out_of_memory
from .frames import Buffer
from .model_tensors import cast_floating
from .origin import Origins, storage_of
from .runtime import Runtime

DEFAULT_SEED = 1024


class Library(Protocol):
    """What the candidate calls as custom_ops_lib: bridge/runtime.py, or a stand-in of a test."""

    def make_module(self, name: str) -> ModuleType: ...

    def report(self) -> dict[str, Any]: ...

    def close(self) -> None: ...


def open_library(params: dict[str, Any]) -> Library:
    """The built operator on the simulator."""
    runtime = Runtime(_text(params, "runtime"), params.get("chip") or "Ascend910B4")
    model = params.get("model")
    if isinstance(model, dict):
        runtime.set_model(str(model.get("schedule") or "in-order"), model.get("strict") is True, model.get("exact") is True)
    if params.get("trail"):
        runtime.set_trail(params["trail"])
    runtime.load_op(_text(params, "host_so"), _text(params, "kernel_name"), params.get("kernel_sos") or [])
    runtime.load_binding(_text(params, "binding_so"))
    return runtime


def _text(params: dict[str, Any], name: str) -> str:
    value = params.get(name)
    if not isinstance(value, str) or not value:
        raise BridgeError("bad_input", f"run needs {name}")
    return value


def run(params: dict[str, Any]) -> tuple[dict[str, Any], list[Buffer]]:
    return run_case(params, open_library)


def run_case(params: dict[str, Any], library_of: Callable[[dict[str, Any]], Library]) -> tuple[dict[str, Any], list[Buffer]]:
    ref = reference.load(_text(params, "reference"))
    seed = params.get("seed", DEFAULT_SEED)
    want = params.get("want") or ["golden", "eager", "actual"]
    case = cases.make(ref, params.get("case") or {"kind": "own"}, seed)
    answer = Answer(ref, case)
    answer.changes = [str(name) for name in params.get("changes") or []]
    if "actual" in want:
        run_candidate(answer, params, library_of, seed)
    if answer.error is None and ("golden" in want or "eager" in want):
        run_reference(answer, seed, "golden" in want)
    if "near" in want or "range" in want:
        run_near(answer, seed, want)
    return answer.to_json(want), answer.blobs(want)


class Answer:
    """Everything one run found out."""

    def __init__(self, ref: reference.Reference, case: cases.Case) -> None:
        self.ref, self.case = ref, case
        self.names = ref.argument_names(len(case.arguments))
        self.actual: Optional[list[torch.Tensor]] = None
        self.eager: list[torch.Tensor] = []
        self.golden: list[torch.Tensor] = []
        self.latitude: list[nearby.Latitude] = []  # of the outputs, where the truth was computed
        self.largest: Optional[float] = None  # magnitude of anything the reference computes
        self.near: list[dict[str, Any]] = []  # near_miss.near_results
        self.kinds: dict[str, str] = {}
        self.error: Optional[CandidateError] = None
        self.report: dict[str, Any] = {}
        self.changed: list[str] = []
        self.fallback: list[str] = []
        self.conversions: list[str] = []
        self.origins: list[str] = []  # of the candidate's outputs
        self.of_input: list[bool] = []  # the reference's outputs that are (views of) its inputs
        self.given: tuple[Any, list[Any]] = (None, [])  # of a run on a card: the candidate's result, and the arguments afterwards
        self.changes: list[str] = []  # arguments that the reference writes and does not return: they follow the outputs
        self.digest = digest(case)
        self.note = ""
        self.times = {"reference_s": 0.0, "golden_s": 0.0, "candidate_s": 0.0}

    def to_json(self, want: list[str]) -> dict[str, Any]:
        out: dict[str, Any] = {
            "inputs": [_tensor_json(t) for t in self.case.tensors()],
            "outputs": [{**_tensor_json(t), "golden_dtype": "float64" if t.is_floating_point() else "int64"} for t in self.eager],
            "eager_outputs": [{**_tensor_json(t), **({"is_input": True} if i else {})} for t, i in zip(self.eager, self.of_input)],
            "actual": None if self.actual is None else self._actual_json(),
            "inputs_digest": self.digest,
            "candidate_error": None if self.error is None else self.error.to_json(),
            "report": self.report, "inputs_changed": self.changed, "changes": self.changes, "fallback": self.fallback,
            "conversions": self.conversions, "times": self.times,
            "output_kinds": self.kinds, "blob_names": [name for name, _ in self._parts(want)],
        }
        if any(m.picks for m in self.latitude):
            out["picks"] = [m.picks.to_json(t.shape) if m.picks else None for m, t in zip(self.latitude, self.golden)]
        if self.note:
            out["golden_note"] = self.note
        if self.largest is not None:
            out["largest"] = self.largest
        if "near" in want:
            out["near"] = [{"text": n["text"], "text_zh": n["text_zh"]} for n in self.near]
        return out

    def _actual_json(self) -> list[dict[str, Any]]:
        origins = self.origins or [None] * len(self.actual or [])
        return [{**_tensor_json(t), **({"origin": o} if o else {})} for t, o in zip(self.actual or [], origins)]

    def _parts(self, want: list[str]) -> list[tuple[str, torch.Tensor]]:
        lists = [(n, t) for n, t in (("golden", self.golden), ("eager", self.eager), ("actual", self.actual or [])) if n in want]
        count = max([len(t) for _, t in lists], default=0)
        if "near" in want:
            return [(f"near{i}.{k}", t) for i, n in enumerate(self.near) for k, t in enumerate(n["outputs"])]
        parts = [(f"{n}{i}", t[i]) for i in range(count) for n, t in lists if i < len(t)]
        if "golden" in want:
            parts += [(f"{n}{i}", t) for i, m in enumerate(self.latitude) for n, t in m.parts()]
        return parts

    def blobs(self, want: list[str]) -> list[Buffer]:
        return [tensor_bytes(t) for _, t in self._parts(want)]


def digest(case: cases.Case) -> str:
    """Tells inputs apart: the reference and the candidate run in processes of their own, which make the inputs again."""
    total = 0
    for t in case.tensors():
        memory = candidate.memory_of(t)
        whole = memory[: len(memory) // 8 * 8].view(torch.int64)
        total = (total * 1000003 + int(whole.sum()) + int(memory[len(whole) * 8:].sum())) & (1 << 64) - 1
    return f"{total:016x}"


def _tensor_json(t: torch.Tensor) -> dict[str, Any]:
    return {"dtype": reference.dtype_name(t.dtype), "shape": list(t.shape)}


def tensor_bytes(t: torch.Tensor) -> Buffer:
    """Little-endian elements in row-major order. The buffer keeps the tensor alive."""
    t = t.detach().contiguous()
    n_bytes = t.numel() * t.element_size()
    if n_bytes == 0:
        return b""
    buffer = (ctypes.c_char * n_bytes).from_address(t.data_ptr())
    buffer.owner = t  # type: ignore[attr-defined]
    return memoryview(buffer)


# ---- the candidate ----------------------------------------------------------------------------------------------------


def run_candidate(answer: Answer, params: dict[str, Any], library_of: Callable[[dict[str, Any]], Library], seed: int) -> None:
    """Fills the candidate's part of the answer; its failures are results, not errors."""
    library: Optional[Library] = None
    try:
        try:
            library = library_of(params)
            module = library.make_module("custom_ops_lib")
        except BridgeError:
            raise
        except Exception as exc:
            raise candidate.from_exception(exc, "import") from exc
        with candidate.npu_is_cpu():
            _construct_and_call(answer, _text(params, "model_src"), module, seed, getattr(library, "origins", None))
    except CandidateError as exc:
        answer.error = exc
    finally:
        if library is not None:
            answer.report = library.report()
            if answer.error is not None:
                answer.actual = None
            answer.actual = [t.detach().clone() for t in answer.actual] if answer.actual else answer.actual
            library.close()


def _call_earlier(ref: reference.Reference, model: torch.nn.Module, case: cases.Case) -> list[Any]:
    """Makes the calls that come first, and gives the case's arguments: where they fit, at the addresses of the last call's.
    So a result kept from an earlier call, or found again by the address of its inputs, is a wrong one."""
    arguments = [candidate.fresh(a) for a in case.arguments]
    for earlier in case.earlier:
        used = [candidate.fresh(a) for a in earlier]
        model(*ref.nested(used))
        for i, (old, new) in enumerate(zip(used, arguments)):
            if isinstance(old, torch.Tensor) and isinstance(new, torch.Tensor) and old.dtype == new.dtype \
                    and old.shape == new.shape and old.stride() == new.stride() and old.storage_offset() == new.storage_offset() \
                    and len(candidate.memory_of(old)) == len(candidate.memory_of(new)):
                candidate.memory_of(old).copy_(candidate.memory_of(new))
                arguments[i] = old
    return arguments


def _construct_and_call(answer: Answer, model_src: str, module: ModuleType, seed: int, origins: Optional[Origins] = None) -> None:
    cls = candidate.load_class(model_src, module)
    case = answer.case
    try:
        model = build(cls, case, seed)
    except Exception as exc:
        _pass_memory(exc)
        raise candidate.from_exception(exc, "construct") from exc
    watch = candidate.Watch(origins)
    start = time.monotonic()
    try:
        with torch.no_grad():
            arguments = _call_earlier(answer.ref, model, case)
            start = time.monotonic()
            with watch:
                result = model(*answer.ref.nested(arguments))
    except Exception as exc:
        _pass_memory(exc)
        raise candidate.from_exception(exc, "forward") from exc
    finally:
        answer.times["candidate_s"] = time.monotonic() - start
        answer.fallback, answer.conversions = watch.seen, watch.conversions
    take_actual(answer, result, arguments)
    if origins is not None:
        answer.origins = [origins.name(t, arguments) for t in answer.actual]


def take_actual(answer: Answer, result: Any, arguments: list[Any]) -> None:
    """The candidate's results, and behind them the arguments that the reference changes, too."""
    changed = candidate.changed(answer.case.arguments, arguments, answer.names)
    answer.changed = [name for name in changed if name not in answer.changes]
    flat = candidate.flatten(result, not answer.changes)
    if flat is None:
        raise CandidateError("forward", f"ModelNew returned {type(result).__name__}, not a tensor or a tuple or list of tensors")
    by_name = dict(zip(answer.names, arguments))
    answer.kinds["actual"], answer.actual = flat[0], [*flat[1], *(by_name[name] for name in answer.changes)]


def _pass_memory(exc: BaseException) -> None:
    if is_out_of_memory(exc):
        raise out_of_memory() from exc


# ---- the reference ----------------------------------------------------------------------------------------------------


def build(cls: Callable[..., torch.nn.Module], case: cases.Case, seed: int) -> torch.nn.Module:
    """A model with the weights every model of this case has: seed, constructor, then the case's sizes and dtype."""
    cases.set_seed(seed)
    model = cls(*[candidate.fresh(v) for v in case.init_inputs])
    cases.resize_model(model, case.model, seed)
    if case.dtype is not None:
        cast_floating(model, case.dtype)
    return model


def run_reference(answer: Answer, seed: int, want_golden: bool) -> None:
    ref, case = answer.ref, answer.case
    try:
        model = build(ref.cls, case, seed)
    except Exception as exc:
        raise from_user_code(exc, ref.path, f"{ref.class_name}(...) raised an exception") from exc
    start = time.monotonic()
    answer.kinds["outputs"], answer.eager = _eager(answer, model, seed)
    answer.times["reference_s"] = time.monotonic() - start
    if not want_golden:
        return
    start = time.monotonic()
    answer.golden = _golden(answer, seed)
    answer.times["golden_s"] = time.monotonic() - start


def run_near(answer: Answer, seed: int, want: list[str]) -> None:
    """References that are nearly this one, in the case's dtype; or how large its numbers become."""
    from . import near_miss

    model = build(answer.ref.cls, answer.case, seed)

    def call() -> list[torch.Tensor]:
        return _call(answer.ref, model, [candidate.fresh(a) for a in answer.case.arguments], []).tensors

    if "near" in want:
        answer.near = near_miss.near_results(call)
    if "range" in want:
        answer.largest = near_miss.largest_magnitude(call, answer.case.tensors())


class Results(NamedTuple):
    """Of a reference: what it returns, then the arguments that it writes and does not return, which `changes` numbers."""

    kind: str
    tensors: list[torch.Tensor]
    changes: list[int]


def _call(ref: reference.Reference, model: torch.nn.Module, arguments: list[Any], earlier: list[list[Any]]) -> Results:
    with torch.no_grad(), candidate.npu_is_cpu(), npu_functions.standing_in():
        for before in earlier:
            model(*ref.nested(before))
        versions = [a._version if isinstance(a, torch.Tensor) else 0 for a in arguments]
        result = model(*ref.nested(arguments))
    written = [i for i, (a, v) in enumerate(zip(arguments, versions)) if isinstance(a, torch.Tensor) and a._version != v]
    flat = candidate.flatten(result, not written)
    if flat is None:
        raise BridgeError("unsupported", f"forward returns a {type(result).__name__}", ref.path, ref.class_line(),
                          "return a tensor, or a tuple or list of tensors")
    if any(t.is_complex() for t in flat[1]):
        raise BridgeError("unsupported", "forward returns a complex tensor", ref.path, ref.class_line(), "return real tensors")
    whole = {(storage_of(t)[0], t.numel()) for t in flat[1]}
    changes = [i for i in written if (storage_of(arguments[i])[0], arguments[i].numel()) not in whole]
    return Results(flat[0], [t.detach() for t in (*flat[1], *(arguments[i] for i in changes))], changes)


def _eager(answer: Answer, model: torch.nn.Module, seed: int) -> tuple[str, list[torch.Tensor]]:
    """The reference in the case's dtype; where PyTorch's CPU has no such kernel, in float32 and rounded."""
    ref, case = answer.ref, answer.case
    try:
        arguments = [candidate.fresh(a) for a in case.arguments]
        given = {storage_of(a)[0] for a in arguments if isinstance(a, torch.Tensor)}
        results = _call(ref, model, arguments, [[candidate.fresh(a) for a in e] for e in case.earlier])
        answer.of_input = [t.numel() > 0 and storage_of(t)[0] in given for t in results.tensors]
        answer.changes = [answer.names[i] for i in results.changes]
        return results.kind, results.tensors
    except BridgeError:
        raise
    except Exception as exc:
        dtype = case.dtype or _own_dtype(case)
        if dtype in (None, torch.float32) or is_out_of_memory(exc):
            raise from_user_code(exc, ref.path, "forward of the reference raised an exception") from exc
        first = exc
    try:
        kind, outputs, changes = _run_as(answer, torch.float32, seed)
    except Exception as exc:
        raise from_user_code(first, ref.path, "forward of the reference raised an exception") from exc
    answer.note = f"eager: {reference.dtype_name(dtype)} is not done on this CPU ({describe(first)}); computed in float32 and rounded"
    answer.changes = [answer.names[i] for i in changes]
    answer.of_input = [k >= len(outputs) - len(changes) for k in range(len(outputs))]
    return kind, [t.to(dtype) if t.is_floating_point() else t for t in outputs]


def _own_dtype(case: cases.Case) -> Optional[torch.dtype]:
    """The dtype that all floating tensors of a file's own call have."""
    dtypes = {t.dtype for t in case.tensors() if t.is_floating_point()}
    return dtypes.pop() if len(dtypes) == 1 else None


def _run_as(answer: Answer, dtype: torch.dtype, seed: int) -> Results:
    """The reference with inputs and weights as the case has them, already rounded, taken into a wider dtype."""
    model = build(answer.ref.cls, answer.case, seed)
    cast_floating(model, dtype)


    def widened(arguments: list[Any]) -> list[Any]:
        return [candidate.fresh(a.detach().to(dtype)) if isinstance(a, torch.Tensor) and a.is_floating_point() else candidate.fresh(a)
                for a in arguments]

    return _call(answer.ref, model, widened(answer.case.arguments), [widened(e) for e in answer.case.earlier])


def _golden(answer: Answer, seed: int) -> list[torch.Tensor]:
    """The reference in float64: its floating outputs, and its integers (an index of the largest may be another one than in the own dtype)."""
    outputs = answer.eager
    if answer.case.truth is not None:
        return answer.case.truth()
    if not any(t.is_floating_point() for t in (*answer.eager, *answer.case.tensors())):
        with stable.StableOrder():
            return [t.to(torch.int64) for t in _run_as(answer, torch.float32, seed).tensors]
    for dtype in (torch.float64, torch.float32):
        try:
            outputs, latitude = _truth_as(answer, dtype, seed)
            if [t.shape for t in outputs] != [t.shape for t in answer.eager]:
                raise ValueError("its results have other shapes there")
            answer.latitude = latitude
            break
        except Exception as exc:
            _pass_memory(exc)
            answer.note = _joined(answer.note, f"golden: the reference does not run in {reference.dtype_name(dtype)} ({describe(exc)}); "
                                  + ("computed in float32" if dtype is torch.float64 else "its own results stand in"))
            outputs = answer.eager
    return [g.to(torch.float64 if e.is_floating_point() else torch.int64) for g, e in zip(outputs, answer.eager)]


def _truth_as(answer: Answer, dtype: torch.dtype, seed: int) -> tuple[list[torch.Tensor], list[nearby.Latitude]]:
    """The reference's results in that dtype, and what its integers may be beside that."""
    given_wide = any(t.dtype is torch.float64 for t in answer.case.tensors())  # then a conversion to float32 is what it says
    wide = contextlib.nullcontext() if given_wide else stable.StaysFloat64()

    def run(watch: nearby.Watch) -> list[torch.Tensor]:
        with wide, stable.StableOrder(), watch:
            return _run_as(answer, dtype, seed).tensors

    if all(t.is_floating_point() for t in answer.eager):
        with wide, stable.StableOrder():
            return _run_as(answer, dtype, seed).tensors, []
    watch = nearby.Watch()
    outputs = run(watch)
    nudged = [run(nearby.Watch(n)) for n in (-nearby.NUDGE, nearby.NUDGE)] if watch.rounds else []
    return outputs, nearby.latitude_of(outputs, watch, nudged)


def _joined(a: str, b: str) -> str:
    return f"{a}; {b}" if a else b
