"""NumPy in forward, traced: while it runs, the names that the file has for numpy mean PyTorch's own NumPy, whose arrays are
tensors, and tensors become such arrays and back.
"""

from __future__ import annotations

import contextlib
from types import ModuleType
from typing import Iterator

import torch


@contextlib.contextmanager
def as_tensors(module: ModuleType) -> Iterator[None]:
    names = [name for name, value in vars(module).items() if isinstance(value, ModuleType) and value.__name__ == "numpy"]
    if not names:
        yield
        return
    import torch._numpy as tensors_as_arrays

    real, to_array, from_array = vars(module)[names[0]], torch.Tensor.numpy, torch.from_numpy
    torch.Tensor.numpy = lambda self, **_: tensors_as_arrays.ndarray(self)  # type: ignore[method-assign,assignment]
    torch.from_numpy = lambda a: a.tensor if isinstance(a, tensors_as_arrays.ndarray) else from_array(a)
    for name in names:
        setattr(module, name, tensors_as_arrays)
    try:
        yield
    finally:
        torch.Tensor.numpy, torch.from_numpy = to_array, from_array  # type: ignore[method-assign]
        for name in names:
            setattr(module, name, real)
