"""Names in generated code: C identifiers that are unique and no word of C, C++ or Python."""

from __future__ import annotations

import keyword
import os
import re

_CXX_WORDS = frozenset("""
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t char16_t char32_t class compl concept const
consteval constexpr constinit const_cast continue co_await co_return co_yield decltype default delete do double dynamic_cast else
enum explicit export extern false float for friend goto half if inline int int8_t int16_t int32_t int64_t long mutable namespace new
noexcept not not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires restrict return short
signed sizeof static static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename
uint8_t uint16_t uint32_t uint64_t union unsigned using virtual void volatile wchar_t while xor xor_eq
std at ge gert ops optiling c10 torch aten AscendC matmul main NULL INFINITY NAN errno assert self workspace tiling
""".split())


def is_reserved(name: str) -> bool:
    return name in _CXX_WORDS or keyword.iskeyword(name) or keyword.issoftkeyword(name) or re.fullmatch(r"[ns]\d+(_\d+)?", name) is not None


class Names:
    """Hands out unique identifiers; wished-for names are kept where possible."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, wish: str) -> str:
        base = re.sub(r"_+", "_", re.sub(r"[^0-9a-zA-Z_]", "_", wish)).strip("_") or "x"
        if base[0].isdigit():
            base = "x" + base
        if is_reserved(base):
            base += "_in"
        name, i = base, 1
        while name in self._taken or is_reserved(name):
            i += 1
            name = f"{base}{i}"
        self._taken.add(name)
        return name


def operator_name(path: str) -> str:
    """`BiasGelu_torch_reference.py` -> `bias_gelu`."""
    stem = re.sub(r"\.py$", "", os.path.basename(path))
    stem = re.sub(r"(_torch_reference|_reference)$", "", stem)
    stem = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", stem)
    stem = re.sub(r"_+", "_", re.sub(r"[^0-9a-zA-Z]", "_", stem)).strip("_").lower()
    return stem if stem and not stem[0].isdigit() else "op_" + stem if stem else "op"
