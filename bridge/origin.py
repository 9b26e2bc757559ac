"""Where the candidate's outputs come from.

An output counts as the kernel's when a launch wrote its memory, or when it is a plain copy of such memory, and the bytes
are still those of that moment. Numbers made any other way (a Python list, numpy, memory written by address, a patched
torch) therefore do not count, whatever they are.
"""

from __future__ import annotations

from typing import Any, Callable, Optional

import torch

Checksum = Callable[[int, int], int]  # address, bytes


def storage_of(t: torch.Tensor) -> tuple[int, int]:
    s = t.untyped_storage()
    return s.data_ptr(), s.nbytes()


class Origins:
    """Marks of memory, by the address of its storage: a checksum for what the kernel wrote, None for what was only allocated."""

    def __init__(self, checksum: Checksum) -> None:
        self._checksum = checksum
        self._marks: dict[int, Optional[int]] = {}

    def forget(self) -> None:
        self._marks.clear()

    def wrote(self, address: int, n_bytes: int) -> None:
        """A launch wrote this storage."""
        if address and n_bytes:
            self._marks[address] = self._checksum(address, n_bytes)

    def allocated(self, t: torch.Tensor) -> None:
        self._marks[storage_of(t)[0]] = None

    def is_kernels(self, t: torch.Tensor) -> bool:
        address, n_bytes = storage_of(t)
        mark = self._marks.get(address)
        return mark is not None and mark == self._checksum(address, n_bytes)

    def copied(self, result: torch.Tensor, source: torch.Tensor) -> None:
        """source was copied into result, which is new, or into a part of it when both lie in their own storages."""
        address, n_bytes = storage_of(result)
        if address == storage_of(source)[0]:
            return
        known = self._marks.get(address, False) is not False
        if self.is_kernels(source) and (known or result.untyped_storage().nbytes() == result.numel() * result.element_size()):
            self.wrote(address, n_bytes)
        else:
            self._marks.pop(address, None)

    def name(self, t: torch.Tensor, arguments: list[Any]) -> str:
        """"kernel", "input" for (a view of) an argument as it was given, or "other"."""
        if t.numel() == 0 or self.is_kernels(t):
            return "kernel"
        given = {storage_of(a)[0] for a in arguments if isinstance(a, torch.Tensor)}
        return "input" if storage_of(t)[0] in given else "other"
