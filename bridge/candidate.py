"""The candidate: ModelNew out of model_src, run with the simulated operator library and watched while it runs."""

from __future__ import annotations

import contextlib
import linecache
import sys
import traceback
from types import ModuleType
from typing import Any, Iterator, Optional

import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from .origin import Origins

MODEL_FILE = "model_src"  # its name in tracebacks
STAGES = ("import", "construct", "forward", "tiling", "launch")

# Allocation and plain copies: no value is computed.
_ALLOCATES = {"empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "zeros", "zeros_like", "new_zeros", "zero_",
              "empty_permuted"}
_COPIES = {"clone", "contiguous", "copy_", "lift_fresh", "lift_fresh_copy", "detach", "detach_", "alias", "item", "_local_scalar_dense",
           "_reshape_copy", "resize_", "set_", "is_pinned", "_pin_memory"}


class CandidateError(Exception):
    """Where and how the candidate failed; becomes `candidate_error` of the result."""

    def __init__(self, stage: str, message: str, line: int = 0, file: str = MODEL_FILE) -> None:
        super().__init__(message)
        self.stage, self.message, self.line, self.file = stage, message, line, file

    def to_json(self) -> dict[str, Any]:
        return {"stage": self.stage, "message": self.message, "file": self.file, "line": self.line}


def from_exception(exc: BaseException, stage: str) -> CandidateError:
    """Stage and text of an exception raised below model_src; the runtime names its own stage."""
    if isinstance(exc, CandidateError):
        return exc
    line = exc.lineno or 0 if isinstance(exc, SyntaxError) else 0
    for frame in traceback.extract_tb(exc.__traceback__):
        if frame.filename == MODEL_FILE:
            line = frame.lineno or 0
    named = getattr(exc, "stage", None)
    text = str(exc).strip() or type(exc).__name__
    if named in STAGES:
        stage = named
    elif named is None and type(exc).__name__ not in text:
        text = f"{type(exc).__name__}: {text}"
    return CandidateError(stage, text[:4000], line)


# ---- loading ----------------------------------------------------------------------------------------------------------


def load_class(model_src: str, library: ModuleType) -> type:
    """Executes model_src with the operator library in place of the vendor's, and returns ModelNew."""
    install_library(library)
    module = ModuleType("opwright_candidate")
    sys.modules[module.__name__] = module
    linecache.cache[MODEL_FILE] = (len(model_src), None, model_src.splitlines(True), MODEL_FILE)
    try:
        exec(compile(model_src, MODEL_FILE, "exec", dont_inherit=True), vars(module))
    except BaseException as exc:
        raise from_exception(exc, "import") from exc
    cls = vars(module).get("ModelNew")
    if not (isinstance(cls, type) and issubclass(cls, torch.nn.Module)):
        raise CandidateError("import", "model_src does not define class ModelNew(torch.nn.Module)")
    return cls


def install_library(library: ModuleType) -> None:
    sys.modules["custom_ops_lib"] = library
    npu = _npu_module()
    fake = ModuleType("torch_npu")
    fake.npu = npu  # type: ignore[attr-defined]
    fake.__version__ = "0"  # type: ignore[attr-defined]
    fake.__getattr__ = _no_npu_function  # type: ignore[attr-defined]
    sys.modules["torch_npu"], sys.modules["torch_npu.npu"] = fake, npu
    torch.npu = npu  # type: ignore[attr-defined]
    sys.modules["torch.npu"] = npu


def _no_npu_function(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"torch_npu.{name} is not there: computation belongs into kernel_src")


class _Stream:
    def synchronize(self) -> None: ...

    def wait_stream(self, other: Any) -> None: ...

    def __enter__(self) -> "_Stream":
        return self

    def __exit__(self, *_: Any) -> None: ...


def _npu_module() -> ModuleType:
    """What device-handling code asks of torch.npu: one device, nothing to wait for."""
    m = ModuleType("torch_npu.npu")
    nothing = lambda *a, **k: None  # noqa: E731
    for name in ("set_device", "synchronize", "empty_cache", "init", "manual_seed", "manual_seed_all", "set_compile_mode"):
        setattr(m, name, nothing)
    for name, value in (("_is_in_bad_fork", False), ("is_available", True), ("device_count", 1), ("current_device", 0), ("memory_allocated", 0)):
        setattr(m, name, lambda *a, _v=value, **k: _v)
    m.get_device_name = lambda *a, **k: "Ascend910B4"  # type: ignore[attr-defined]
    m.current_stream = m.default_stream = lambda *a, **k: _Stream()  # type: ignore[attr-defined]
    m.Stream = _Stream  # type: ignore[attr-defined]
    return m


# ---- devices that are not there ---------------------------------------------------------------------------------------


class NpuIsCpu(TorchFunctionMode):
    """`device="npu"`, `.to("npu:0")` and `.npu()` do nothing: the simulated device works on the CPU's tensors."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = {k: _cpu(v) for k, v in (kwargs or {}).items()}
        return func(*(_cpu(a) for a in args), **kwargs)


def _cpu(value: Any) -> Any:
    if isinstance(value, str) and (value == "npu" or value.startswith("npu:")):
        return "cpu"
    if isinstance(value, torch.device) and value.type in ("npu", "privateuseone"):
        return torch.device("cpu")
    return value


@contextlib.contextmanager
def npu_is_cpu() -> Iterator[None]:
    """Only inside a child: it changes torch's classes."""
    with contextlib.suppress(RuntimeError, AttributeError):
        torch.utils.rename_privateuse1_backend("npu")  # makes torch.device("npu") a name that exists
    stay = lambda self, *a, **k: self  # noqa: E731
    for cls in (torch.Tensor, torch.nn.Module):
        cls.npu = stay  # type: ignore[attr-defined]
    torch.Tensor.is_npu = property(lambda self: True)  # type: ignore[attr-defined]
    module_to = torch.nn.Module.to

    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        return module_to(self, *map(_cpu, args), **{n: _cpu(v) for n, v in kwargs.items()})

    torch.nn.Module.to = to  # type: ignore[method-assign]
    try:
        with NpuIsCpu():
            yield
    finally:
        torch.nn.Module.to = module_to  # type: ignore[method-assign]


# ---- watching ---------------------------------------------------------------------------------------------------------


class Watch(TorchDispatchMode):
    """Names every torch operator that computes; views, allocation and copies of views pass, conversions of dtype are kept apart."""

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False

    def __init__(self, origins: Optional[Origins] = None) -> None:
        super().__init__()
        self.origins = origins
        self.seen: list[str] = []
        self.conversions: list[str] = []  # of dtype: "int64 -> int32"

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        kwargs = kwargs or {}
        name = str(func)
        if self._converts(name, args, kwargs):
            text = f"{args[-1].dtype} -> {args[0].dtype}" if ".copy_" in name else f"{args[0].dtype} -> {kwargs['dtype']}"
            text = text.replace("torch.", "")
            if text not in self.conversions:
                self.conversions.append(text)
        elif name not in self.seen and not self._passes(func, name):
            self.seen.append(name)
        result = func(*args, **kwargs)
        if self.origins is not None and isinstance(result, torch.Tensor) and result.layout is torch.strided:
            self._follow(name.split(".")[1], args, result)
        return result

    def _follow(self, plain: str, args: Any, result: torch.Tensor) -> None:
        assert self.origins is not None
        if plain in _ALLOCATES:
            self.origins.allocated(result)
        elif plain in _COPIES or plain == "_to_copy":
            source = args[1] if plain == "copy_" else args[0] if args else None
            if isinstance(source, torch.Tensor):
                self.origins.copied(result, source)

    @staticmethod
    def _converts(name: str, args: Any, kwargs: Any) -> bool:
        if name == "aten.copy_.default":
            return bool(args[0].dtype != args[1].dtype)
        return name == "aten._to_copy.default" and kwargs.get("dtype") not in (None, args[0].dtype)

    @staticmethod
    def _passes(func: Any, name: str) -> bool:
        namespace, plain = name.split(".")[:2]
        if namespace == "prim" or plain in _ALLOCATES or plain.startswith("sym_"):
            return True
        if plain in _COPIES or plain == "_to_copy":
            return True
        returns = func._schema.returns
        return bool(returns) and all(r.alias_info is not None and not r.alias_info.is_write for r in returns)


# ---- running ----------------------------------------------------------------------------------------------------------


def fresh(value: Any) -> Any:
    """A copy with memory of its own and the same strides and gaps."""
    if not isinstance(value, torch.Tensor):
        return value
    storage = value.untyped_storage().clone()
    return torch.empty(0, dtype=value.dtype).set_(storage, value.storage_offset(), value.shape, value.stride())


def memory_of(value: torch.Tensor) -> torch.Tensor:
    """All bytes of a tensor's storage, gaps included."""
    return torch.empty(0, dtype=torch.uint8).set_(value.untyped_storage())


def changed(before: list[Any], after: list[Any], names: list[str]) -> list[str]:
    return [n for n, a, b in zip(names, before, after)
            if isinstance(a, torch.Tensor) and not torch.equal(memory_of(a), memory_of(b))]


def flatten(result: Any, needs_result: bool = True) -> Optional[tuple[str, list[torch.Tensor]]]:
    """("tensor"|"tuple"|"list", tensors), or None when it is something else; ("none", []) where None will do."""
    if result is None and not needs_result:
        return "none", []
    if isinstance(result, torch.Tensor):
        return "tensor", [result]
    if isinstance(result, (tuple, list)) and result and all(isinstance(t, torch.Tensor) for t in result):
        return "list" if isinstance(result, list) else "tuple", list(result)
    return None
