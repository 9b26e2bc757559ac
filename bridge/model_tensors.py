"""The tensors a module owns: parameters, buffers, and plain tensor attributes, each with the Python path to it."""

from __future__ import annotations

from typing import Any, Iterator

import torch


class Slot:
    """One place in a module (tree) that holds a tensor. `path` is an expression valid in forward, "self.act.weight"."""

    def __init__(self, path: str, kind: str, owner: Any, key: Any) -> None:
        self.path, self.kind, self._owner, self._key = path, kind, owner, key

    def get(self) -> torch.Tensor:
        return self._owner[self._key]

    def set(self, tensor: Any) -> None:
        """Puts the tensor there as it is, without PyTorch's checks, so traced tensors fit too."""
        self._owner[self._key] = tensor


def slots(model: torch.nn.Module) -> Iterator[Slot]:
    for path, module in walk(model, "self"):
        yield from _entries(path, module, module._parameters, "parameter")
        yield from _entries(path, module, module._buffers, "buffer")
        own = {k: v for k, v in vars(module).items() if k not in ("_parameters", "_buffers", "_modules")}
        for key, value in own.items():
            yield from _attribute(f"{path}.{key}", vars(module), key, value)


def _entries(path: str, module: torch.nn.Module, store: dict[str, Any], kind: str) -> Iterator[Slot]:
    for key, value in store.items():
        if isinstance(value, torch.Tensor):
            yield Slot(child_path(path, module, key), kind, store, key)


def _attribute(path: str, owner: Any, key: Any, value: Any) -> Iterator[Slot]:
    """A tensor given to self without register_buffer, alone or in a list or dict."""
    if isinstance(value, torch.Tensor):
        yield Slot(path, "buffer", owner, key)
    elif isinstance(value, (list, dict)):
        for k, v in enumerate(value) if isinstance(value, list) else value.items():
            if isinstance(v, torch.Tensor):
                yield Slot(f"{path}[{k!r}]", "buffer", value, k)


def walk(module: torch.nn.Module, path: str) -> Iterator[tuple[str, torch.nn.Module]]:
    seen: set[int] = set()

    def visit(m: torch.nn.Module, p: str) -> Iterator[tuple[str, torch.nn.Module]]:
        if id(m) in seen:
            return
        seen.add(id(m))
        yield p, m
        for key, child in m._modules.items():
            if child is not None:
                yield from visit(child, child_path(p, m, key))

    return visit(module, path)


def child_path(path: str, owner: torch.nn.Module, key: str) -> str:
    if key.isidentifier():
        return f"{path}.{key}"
    if key.isdigit() and isinstance(owner, (torch.nn.Sequential, torch.nn.ModuleList, torch.nn.ParameterList)):
        return f"{path}[{key}]"
    if isinstance(owner, (torch.nn.ModuleDict, torch.nn.ParameterDict)):
        return f"{path}[{key!r}]"
    return f"getattr({path}, {key!r})"


def find_number(model: torch.nn.Module, value: Any) -> Iterator[str]:
    """Paths of the attributes that hold this number, of the same type."""
    for path, module in walk(model, "self"):
        for key, v in vars(module).items():
            if type(v) is type(value) and v == value and key != "training":
                yield f"{path}.{key}"


def cast_floating(model: torch.nn.Module, dtype: torch.dtype) -> None:
    """Every floating tensor of the module becomes `dtype`; Module.to leaves plain attributes out."""
    done: dict[int, torch.Tensor] = {}
    for slot in list(slots(model)):
        old = slot.get()
        if old.is_floating_point() and old.dtype != dtype:
            if id(old) not in done:
                new = old.detach().to(dtype)
                done[id(old)] = torch.nn.Parameter(new, old.requires_grad) if isinstance(old, torch.nn.Parameter) else new
            slot.set(done[id(old)])
