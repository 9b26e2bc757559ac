"""libopwright_rt.so from Python: src/runtime/runtime.h over ctypes, and custom_ops_lib as a module on top of it.

Tensors are passed by address, without copies: what comes back is a torch tensor over the runtime's memory, or over the
input's when the binding returns (a view of) an input.
"""

from __future__ import annotations

import ctypes
import json
import numbers
import operator
from types import ModuleType
from typing import Any, Callable, Optional, Sequence

import torch

from .origin import Origins

MAX_RANK = 16
NONE, TENSOR, INT, FLOAT, BOOL, STR, INTS, FLOATS, BOOLS, TENSORS, TUPLE = range(11)  # RtKind

_DTYPES = {name: getattr(torch, name) for name in
           ("float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32",
            "uint64", "bool") if hasattr(torch, name)}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


class _Tensor(ctypes.Structure):
    pass


_Tensor._fields_ = [
    ("refs", ctypes.c_int32), ("dtype", ctypes.c_int32), ("rank", ctypes.c_int32), ("owns", ctypes.c_int32),
    ("size", ctypes.c_int64 * MAX_RANK), ("stride", ctypes.c_int64 * MAX_RANK), ("offset", ctypes.c_int64),
    ("storage", ctypes.c_void_p), ("storage_bytes", ctypes.c_int64), ("base", ctypes.POINTER(_Tensor)),
    ("is_input", ctypes.c_int32), ("on_cpu", ctypes.c_int32), ("written", ctypes.c_int32),
]


class _Value(ctypes.Structure):
    pass


class _Payload(ctypes.Union):
    _fields_ = [("tensor", ctypes.POINTER(_Tensor)), ("i", ctypes.c_int64), ("f", ctypes.c_double), ("str", ctypes.c_void_p),
                ("ints", ctypes.POINTER(ctypes.c_int64)), ("floats", ctypes.POINTER(ctypes.c_double)),
                ("items", ctypes.POINTER(_Value))]


_Value._fields_ = [("kind", ctypes.c_int32), ("n", ctypes.c_int32), ("u", _Payload)]


class OperatorError(RuntimeError):
    """A failure inside the binding, the tiling function or the launch. `stage` as runtime.h names it."""

    def __init__(self, stage: str, text: str) -> None:
        super().__init__(text)
        self.stage = stage


_P = ctypes.c_void_p
_T = ctypes.POINTER(_Tensor)
_PROTOTYPES: dict[str, tuple[Any, list[Any]]] = {
    "rt_open": (_P, [ctypes.c_char_p]),
    "rt_close": (None, [_P]),
    "rt_error": (ctypes.c_char_p, [_P]),
    "rt_set_trail": (ctypes.c_int, [_P, ctypes.c_char_p]),
    "rt_load_op": (ctypes.c_int, [_P, ctypes.c_char_p, ctypes.c_char_p, ctypes.POINTER(ctypes.c_char_p), ctypes.c_int]),
    "rt_set_model": (ctypes.c_int, [_P, ctypes.c_char_p, ctypes.c_int, ctypes.c_int]),
    "rt_load_binding": (ctypes.c_int, [_P, ctypes.c_char_p]),
    "rt_n_functions": (ctypes.c_int, [_P]),
    "rt_function_name": (ctypes.c_char_p, [_P, ctypes.c_int]),
    "rt_function_params_json": (ctypes.c_char_p, [_P, ctypes.c_int]),
    "rt_function_result": (ctypes.c_char_p, [_P, ctypes.c_int]),
    "rt_tensor_wrap": (_T, [ctypes.c_char_p, ctypes.c_int, ctypes.POINTER(ctypes.c_int64), ctypes.POINTER(ctypes.c_int64),
                            ctypes.c_int64, _P, ctypes.c_int64]),
    "rt_tensor_ref": (None, [_T]),
    "rt_tensor_unref": (None, [_T]),
    "rt_dtype_name": (ctypes.c_char_p, [ctypes.c_int32]),
    "rt_value_clear": (None, [ctypes.POINTER(_Value)]),
    "rt_call": (ctypes.c_int, [_P, ctypes.c_char_p, ctypes.POINTER(_Value), ctypes.c_int, ctypes.POINTER(_Value)]),
    "rt_report_json": (ctypes.c_char_p, [_P]),
    "rt_report_reset": (None, [_P]),
    "owh_alloc": (_P, [ctypes.c_size_t]),
    "rt_checksum": (ctypes.c_uint64, [_P, ctypes.c_size_t]),
}


def _load(path: str) -> Any:
    lib = ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)  # op libraries resolve their symbols in it
    for name, (result, arguments) in _PROTOTYPES.items():
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    return lib


class _Signature:
    """One m.def: parameter names, defaults and types."""

    def __init__(self, name: str, params: list[dict[str, Any]], result: str) -> None:
        self.name, self.params, self.result = name, params, result

    def bind(self, args: Sequence[Any], kwargs: dict[str, Any]) -> Optional[list[Any]]:
        """All arguments by position, or None when they do not fit."""
        if len(args) > len(self.params):
            return None
        bound, left = list(args), dict(kwargs)
        for p in self.params[len(args):]:
            if p["named"] and p["name"] in left:
                bound.append(left.pop(p["name"]))
            elif "default" in p:
                bound.append(_default(p["default"]))
            else:
                return None
        return None if left else bound

    def __str__(self) -> str:
        params = ", ".join(p["name"] + ": " + p["type"] + (f" = {_default(p['default'])!r}" if "default" in p else "") for p in self.params)
        return f"({params}) -> {self.result}"


def _default(value: Any) -> Any:
    return float(value["const"]) if isinstance(value, dict) else value


def _shown(value: Any) -> str:
    """A value for the text of a TypeError; tensors without their elements."""
    if isinstance(value, torch.Tensor):
        return f"tensor(shape={list(value.shape)}, dtype={value.dtype})"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


class _Memory:
    """Keeps a runtime tensor alive for the torch tensor over its storage."""

    def __init__(self, lib: Any, handle: Any) -> None:
        # A pointer read from a structure is a view of that structure's memory, which is freed before this is: copy it.
        self._lib, self._handle = lib, ctypes.cast(ctypes.cast(handle, ctypes.c_void_p).value or 0, _T)
        lib.rt_tensor_ref(self._handle)

    def __del__(self) -> None:
        self._lib.rt_tensor_unref(self._handle)


class Runtime:
    """One candidate on one simulated chip: library, op and binding, in the order open, load_op, load_binding."""

    def __init__(self, path: str, chip: str = "Ascend910B4") -> None:
        self._lib = _load(path)
        self._rt: Optional[int] = self._lib.rt_open(chip.encode())
        if not self._rt:
            raise self._error(None)
        self._functions: dict[str, list[_Signature]] = {}
        self.inputs: list[torch.Tensor] = []  # every tensor handed in, once: whoever holds copies can see what changed
        self._input_of: dict[tuple[int, torch.dtype], torch.Tensor] = {}  # by address of the storage
        self.origins = Origins(self._lib.rt_checksum)

    def close(self) -> None:
        if self._rt:
            self._lib.rt_close(self._rt)
            self._rt = None

    def __enter__(self) -> "Runtime":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _open(self) -> int:
        if not self._rt:
            raise OperatorError("open", "the runtime is closed")
        return self._rt

    def _error(self, rt: Optional[int]) -> Exception:
        text = self._lib.rt_error(rt).decode("utf-8", "replace")
        stage, _, rest = text.partition(": ")
        return OperatorError(stage, rest or text)

    def _check(self, status: int) -> None:
        if status != 0:
            raise self._error(self._rt)

    def set_trail(self, path: str) -> None:
        self._check(self._lib.rt_set_trail(self._open(), path.encode()))

    def set_model(self, schedule: str, strict: bool, exact: bool) -> None:
        """How the simulated AI Core runs what follows (--schedule, --strict, --exact)."""
        self._check(self._lib.rt_set_model(self._open(), schedule.encode(), strict, exact))

    def load_op(self, host_so: str, kernel_name: str, kernel_sos: Sequence[Optional[str]]) -> None:
        """kernel_sos: one library per dtype combination, None where none was built."""
        paths = (ctypes.c_char_p * len(kernel_sos))(*[p.encode() if p else None for p in kernel_sos])
        self._check(self._lib.rt_load_op(self._open(), host_so.encode(), kernel_name.encode(), paths, len(kernel_sos)))

    def load_binding(self, binding_so: str) -> None:
        rt = self._open()
        self._check(self._lib.rt_load_binding(rt, binding_so.encode()))
        self._functions = {}
        for i in range(self._lib.rt_n_functions(rt)):
            name = self._lib.rt_function_name(rt, i).decode()
            params = json.loads(self._lib.rt_function_params_json(rt, i))
            signature = _Signature(name, params, self._lib.rt_function_result(rt, i).decode())
            self._functions.setdefault(name, []).append(signature)

    def report(self) -> dict[str, Any]:
        """Launches, findings and figures so far (rt_report_json)."""
        return json.loads(self._lib.rt_report_json(self._open()).decode("utf-8", "replace"))  # type: ignore[no-any-return]

    def reset_report(self) -> None:
        self._lib.rt_report_reset(self._open())

    def forget(self) -> None:
        """Lets go of the calls so far: their report, and the tensors handed in, which a binding that keeps them would lose."""
        self.reset_report()
        self.inputs.clear()
        self._input_of.clear()
        self.origins.forget()

    def make_module(self, name: str) -> ModuleType:
        """A module with the functions of the binding."""
        module = ModuleType(name, "operator library on the simulated AI Core")
        for function in self._functions:
            setattr(module, function, self._make_function(function))
        return module

    def _make_function(self, name: str) -> Callable[..., Any]:
        def function(*args: Any, **kwargs: Any) -> Any:
            return self.call(name, args, kwargs)

        function.__name__ = function.__qualname__ = name
        function.__doc__ = "\n".join(f"{name}{s}" for s in self._functions[name])
        return function

    # ---- calls

    def call(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Calls an exported function; the first overload that takes the arguments."""
        rt = self._open()
        for signature in self._functions.get(name, []):
            bound = signature.bind(args, kwargs)
            if bound is None:
                continue
            values = self._to_values(bound)
            if values is None:
                continue
            result = _Value()
            handed = self._hold(values, len(bound))
            try:
                if self._lib.rt_call(rt, name.encode(), values, len(bound), ctypes.byref(result)) == 0:
                    self._note_written(handed)
                    return self._take(result)
            finally:
                for handle in handed:
                    self._lib.rt_tensor_unref(handle)
            error = self._error(rt)
            if not (isinstance(error, OperatorError) and error.stage == "type"):
                raise error
        raise self._type_error(name, args, kwargs)

    def _hold(self, values: Any, n: int) -> list[Any]:
        """References to the tensors among the arguments, which outlive the call."""
        held = [ctypes.cast(ctypes.cast(values[i].u.tensor, ctypes.c_void_p).value or 0, _T) for i in range(n) if values[i].kind == TENSOR]
        for handle in held:
            self._lib.rt_tensor_ref(handle)
        return held

    def _note_written(self, handles: list[Any]) -> None:
        """Arguments that a launch wrote: operators in place, and results passed in."""
        for handle in handles:
            t = handle.contents
            if t.written:
                self.origins.wrote(t.storage or 0, t.storage_bytes)

    def _type_error(self, name: str, args: Sequence[Any], kwargs: dict[str, Any]) -> Exception:
        overloads = self._functions.get(name)
        if not overloads:
            return AttributeError(f"module 'custom_ops_lib' has no attribute '{name}'")
        supported = "".join(f"    {i + 1}. {s}\n" for i, s in enumerate(overloads))
        invoked = ", ".join(_shown(a) for a in args)
        if kwargs:
            invoked += ("; " if invoked else "") + "kwargs: " + ", ".join(f"{k}={_shown(v)}" for k, v in kwargs.items())
        return TypeError(f"{name}(): incompatible function arguments. The following argument types are supported:\n{supported}\n"
                         f"Invoked with: {invoked}")

    # ---- Python to RtValue

    def _to_values(self, args: Sequence[Any]) -> Optional[Any]:
        """An array of RtValue, or None when an argument has no counterpart."""
        values = (_Value * max(len(args), 1))()
        for i, a in enumerate(args):
            if not self._fill(values[i], a):
                for j in range(i + 1):
                    self._lib.rt_value_clear(ctypes.byref(values[j]))
                return None
        return values

    def _fill(self, v: _Value, a: Any) -> bool:
        if a is None:
            v.kind = NONE
        elif isinstance(a, torch.Tensor):
            v.u.tensor, v.kind = self._wrap(a), TENSOR
        elif isinstance(a, bool):
            v.kind, v.u.i = BOOL, a
        elif isinstance(a, float):
            v.kind, v.u.f = FLOAT, a
        elif isinstance(a, str):
            data = a.encode() + b"\0"
            v.u.str = self._lib.owh_alloc(len(data))
            ctypes.memmove(v.u.str, data, len(data))
            v.kind = STR
        elif isinstance(a, (list, tuple)):
            return self._fill_list(v, a)
        else:
            return self._fill_number(v, a)
        return True

    @staticmethod
    def _fill_number(v: _Value, a: Any) -> bool:
        try:
            index = operator.index(a)
            if not -(1 << 63) <= index < 1 << 64:
                return False
            v.kind, v.u.i = INT, index if index < 1 << 63 else index - (1 << 64)
        except TypeError:
            if not isinstance(a, numbers.Real):
                return False
            v.kind, v.u.f = FLOAT, float(a)
        return True

    def _fill_list(self, v: _Value, items: Sequence[Any]) -> bool:
        """Lists of numbers become arrays, anything else a list of values. An empty list fits every list type."""
        n = len(items)
        v.n = n
        if all(isinstance(x, (bool, int)) for x in items):
            v.u.ints = ctypes.cast(self._lib.owh_alloc(8 * n), ctypes.POINTER(ctypes.c_int64))
            v.kind = BOOLS if n and all(isinstance(x, bool) for x in items) else INTS
            if any(not -(1 << 63) <= x < 1 << 63 for x in items):
                return False
            for i, x in enumerate(items):
                v.u.ints[i] = x
            return True
        if all(isinstance(x, (bool, int, float)) for x in items):
            v.u.floats = ctypes.cast(self._lib.owh_alloc(8 * n), ctypes.POINTER(ctypes.c_double))
            v.kind = FLOATS
            for i, x in enumerate(items):
                v.u.floats[i] = x
            return True
        v.u.items = ctypes.cast(self._lib.owh_alloc(ctypes.sizeof(_Value) * n), ctypes.POINTER(_Value))
        v.kind = TENSORS
        return all(self._fill(v.u.items[i], x) for i, x in enumerate(items))

    def _wrap(self, t: torch.Tensor) -> Any:
        """A handle on t's storage. t stays alive with the runtime, since the binding may keep the handle."""
        name = _NAMES.get(t.dtype)
        if name is None or t.layout is not torch.strided or t.device.type != "cpu":
            raise OperatorError("binding", f"not modelled: a {t.dtype} tensor, layout {t.layout}, on {t.device}")
        storage = t.untyped_storage()
        address = storage.data_ptr()
        if t.dim() > MAX_RANK:
            raise OperatorError("binding", f"not modelled: a tensor of {t.dim()} dimensions, at most {MAX_RANK}")
        self._input_of.setdefault((address, t.dtype), t)
        if not any(t is seen for seen in self.inputs):
            self.inputs.append(t)
        size, stride = (ctypes.c_int64 * max(t.dim(), 1))(*t.shape), (ctypes.c_int64 * max(t.dim(), 1))(*t.stride())
        handle = self._lib.rt_tensor_wrap(name.encode(), t.dim(), size, stride, t.storage_offset(), address, storage.nbytes())
        if not handle:
            raise self._error(self._rt)
        return handle

    # ---- RtValue to Python

    def _take(self, v: _Value) -> Any:
        try:
            return self._read(v)
        finally:
            self._lib.rt_value_clear(ctypes.byref(v))

    def _read(self, v: _Value) -> Any:
        if v.kind == TENSOR:
            return self._to_torch(v.u.tensor)
        if v.kind in (TUPLE, TENSORS):
            items = [self._read(v.u.items[i]) for i in range(v.n)]
            return tuple(items) if v.kind == TUPLE else items
        if v.kind == INTS:
            return [v.u.ints[i] for i in range(v.n)]
        if v.kind == BOOLS:
            return [bool(v.u.ints[i]) for i in range(v.n)]
        if v.kind == FLOATS:
            return [v.u.floats[i] for i in range(v.n)]
        if v.kind == STR:
            return ctypes.string_at(v.u.str).decode("utf-8", "replace")
        return {NONE: lambda: None, INT: lambda: v.u.i, FLOAT: lambda: v.u.f, BOOL: lambda: bool(v.u.i)}[v.kind]()

    def _to_torch(self, handle: Any) -> torch.Tensor:
        t = handle.contents
        owner = t.base.contents if t.base else t
        if owner.written:
            self.origins.wrote(owner.storage or 0, owner.storage_bytes)
        size, stride = tuple(t.size[:t.rank]), tuple(t.stride[:t.rank])
        dtype = _DTYPES[self._lib.rt_dtype_name(t.dtype).decode()]
        source = self._input_of.get((owner.storage or 0, dtype)) if owner.is_input else None
        if source is not None:
            if source.shape == size and source.stride() == stride and source.storage_offset() == t.offset:
                return source
            return source.detach().as_strided(size, stride, t.offset)
        if owner.storage_bytes == 0 or 0 in size:
            return torch.empty(size, dtype=dtype)
        memory = (ctypes.c_char * owner.storage_bytes).from_address(owner.storage)
        memory.owner = _Memory(self._lib, handle)  # type: ignore[attr-defined]
        return torch.frombuffer(memory, dtype=dtype).as_strided(size, stride, t.offset)
