"""What a case is, and the shapes every vector instruction is tried with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Callable, Iterator

import numpy as np

from core import UB, Run
from numbers_ref import FLOATS, SIZE, from_raw, random_bits, raw

D, A, B, O = 0, 65536, 131072, 163840  # where the operands lie


@dataclass
class Case:
    """One row of the truth table: C++ that makes the call, and runs with what they must give."""

    code: str
    runs: Callable[[np.random.Generator, tuple[str, str, str]], Iterator[Run]]
    types: list[tuple[str, str, str]] | None = None  # None: those of the row


CASES: dict[tuple[str, str], Case] = {}


def case(api: str, form: str, code: str, types: list[tuple[str, str, str]] | None = None) -> Callable[[Any], Any]:
    def add(runs: Any) -> Any:
        assert (api, form) not in CASES, f"two cases for {api}, {form}"
        CASES[api, form] = Case(code, runs, types)
        return runs

    return add


@dataclass
class Operand:
    type: str
    addr: int
    blk: int = 1
    rep: int = 8

    @property
    def size(self) -> int:
        return SIZE[self.type]

    def at(self, repeat: int, lanes: np.ndarray) -> np.ndarray:
        per = 32 // self.size
        return self.addr + 32 * (repeat * self.rep + lanes // per * self.blk) + lanes % per * self.size


def load(image: np.ndarray, t: str, at: np.ndarray) -> np.ndarray:
    """Bits of the elements at these byte addresses."""
    size = SIZE[t]
    grid = image[at[:, None] + np.arange(size)[None, :]]
    return np.ascontiguousarray(grid).view(raw(t))[:, 0]


def store(image: np.ndarray, t: str, at: np.ndarray, bits: np.ndarray) -> None:
    size = SIZE[t]
    image[at[:, None] + np.arange(size)[None, :]] = np.ascontiguousarray(bits.astype(raw(t))).view(np.uint8).reshape(-1, size)


def values(image: np.ndarray, t: str, at: np.ndarray) -> np.ndarray:
    return from_raw(t, load(image, t, at))


_POOL: dict[Any, np.ndarray] = {}


def pooled(t: str, n: int, rng: np.random.Generator, **options: Any) -> np.ndarray:
    """n random elements: a piece of a long row that is made once."""
    key = (t, *options.items())
    if key not in _POOL:
        _POOL[key] = random_bits(np.random.default_rng(1), t, 3 * 65536, **options)
    at = int(rng.integers(0, 65536))
    return _POOL[key][at:at + n]


def image_of(rng: np.random.Generator, *fills: tuple[int, str, int] | tuple[int, str, int, dict[str, Any]]) -> np.ndarray:
    """A UB full of bytes, with elements of a type where fills (address, type, bytes) say so."""
    if "image" not in _POOL:
        _POOL["image"] = np.random.default_rng(2).integers(0, 256, 2 * UB, dtype=np.uint8)
    at = int(rng.integers(0, UB))
    image = _POOL["image"][at:at + UB].copy()
    for fill in fills:
        addr, t, n_bytes = fill[:3]
        bits = pooled(t, n_bytes // SIZE[t], rng, **(fill[3] if len(fill) > 3 else {}))
        image[addr:addr + n_bytes] = np.ascontiguousarray(bits).view(np.uint8)
    return image


@dataclass
class Shape:
    """Active lanes of each repeat, strides of dst and of the sources, and the parameters that say so."""

    active: list[np.ndarray]
    blk: tuple[int, int, int]
    rep: tuple[int, int, int]
    params: dict[int, int]
    what: str
    in_place: bool = False


def lanes_for(*types: str) -> int:
    return 256 // max(SIZE[t] for t in types)


def count_shapes(types: list[str]) -> Iterator[Shape]:
    lanes, per = lanes_for(*types), 32 // max(SIZE[t] for t in types)
    for n in (0, 1, per - 1, per, per + 1, lanes, 3 * lanes + 5, 65280 // max(SIZE[t] for t in types)):
        for in_place in ((False, True) if n == per + 1 and len(set(SIZE[t] for t in types)) == 1 else (False,)):
            yield Shape([np.arange(n)], (1, 1, 1), (0, 0, 0), {0: n}, f"count {n}", in_place)


def _strided(params: dict[int, int], blk: tuple[int, int, int], rep: tuple[int, int, int]) -> dict[int, int]:
    return {**params, **{4 + i: v for i, v in enumerate(blk)}, **{7 + i: v for i, v in enumerate(rep)}}


def repeat_shapes(types: list[str], bits: bool, rng: np.random.Generator, outside: bool = True) -> Iterator[Shape]:
    """types: dst, then sources. bits: by mask words, else by a number of lanes. outside: also by the MASK register."""
    lanes, widest = lanes_for(*types), max(SIZE[t] for t in types)
    sizes = [SIZE[t] for t in types] + [SIZE[types[-1]]] * (3 - len(types))
    dense = tuple(8 * s // widest for s in sizes)
    one = (1, 1, 1)

    def mask_of(active: np.ndarray) -> tuple[int, int]:
        word = sum(1 << int(i) for i in active)
        return word & (2**64 - 1), word >> 64

    def shape(active: np.ndarray, repeat: int, blk: Any, rep: Any, what: str, in_place: bool = False) -> Shape:
        low, high = mask_of(active)
        params = {1: low if bits else len(active), 2: high if bits else 0, 3: repeat}
        return Shape([active] * repeat if len(active) else [], blk, rep, _strided(params, blk, rep), what, in_place)

    def some() -> np.ndarray:
        return np.flatnonzero(rng.random(lanes) < 0.6) if bits else np.arange(lanes * 3 // 5)

    all_lanes = np.arange(lanes)
    yield shape(all_lanes, 1, one, dense, "one repeat")
    yield shape(all_lanes, 255 if sum(sizes) // sizes[0] <= 3 else 64, one, dense, "repeat 255")
    yield shape(all_lanes, 0, one, dense, "repeat 0")
    yield shape(np.arange(1), 3, one, dense, "one lane")
    yield shape(some(), 5, one, dense, "some lanes")
    if not bits:
        yield shape(np.arange(0), 3, one, dense, "mask 0")
    yield shape(all_lanes[:-1], 2, (2, 1, 3), (16, 9, 25), "strides")
    yield shape(some(), 3, (1, 0, 1), (9, 8, 8), "source block stride 0")
    yield shape(some(), 3, one, (dense[0], 0, 0), "source repeat stride 0")
    if len(set(sizes)) == 1:
        yield shape(some(), 4, one, dense, "in place", True)
    if not outside:
        return
    for active, mode in ((some(), 1), (None, 2)):
        if mode == 1:
            low, high = mask_of(active)
            yield Shape([active] * 3, one, dense, _strided({1: low, 2: high, 3: 3, 12: 1}, one, dense), "MASK register")
        else:
            n = 2 * lanes + 7
            per_repeat = [all_lanes, all_lanes, np.arange(7)]
            yield Shape(per_repeat, one, dense, _strided({0: n, 3: 1, 12: 2}, one, dense), "Counter mode")


def outside_code(call: str, call_false: str, wide: str) -> str:
    """The call by its own mask, or by the register and mode set before."""
    return (f"if (P(12) == 0) {{ {call} }} else {{ if (P(12) == 1) {{ SetMaskNorm(); SetVectorMask<{wide}, MaskMode::NORMAL>(bits[1], bits[0]); }} "
            f"else {{ SetMaskCount(); SetVectorMask<{wide}, MaskMode::COUNTER>((int32_t)n); }} {call_false} SetMaskNorm(); ResetMask(); }}")


def elementwise(image: np.ndarray, s: Shape, types: list[str], f: Callable[..., np.ndarray], near: Any = None) -> Run:
    """f(sources..., old dst) -> bits of dst, lane by lane, repeat after repeat."""
    dst_addr = A if s.in_place else D
    ops = [Operand(t, addr, s.blk[i], s.rep[i]) for i, (t, addr) in enumerate(zip(types, [dst_addr, A, B]))]
    if len(s.active) == 1 and 0 in s.params and 3 not in s.params:  # count form: one long row
        for op in ops:
            op.blk = 1
    want = image.copy()
    touched = []
    apart = not s.in_place and (s.rep[0] or len(s.active) < 2)  # no repeat sees what another one wrote
    groups = [([op.at(r, active) for op in ops]) for r, active in enumerate(s.active) if len(active)]
    if apart and groups:
        groups = [[np.concatenate(parts) for parts in zip(*groups)]]
    for at, *sources_at in groups:
        sources = [values(want, op.type, where) for op, where in zip(ops[1:], sources_at)]
        store(want, types[0], at, f(*sources, values(want, types[0], at)))
        touched.append(at)
    at = np.unique(np.concatenate(touched)) if touched else np.zeros(0, np.int64)
    params = {**s.params, 16: dst_addr, 17: A, 18: B, 19: O}
    return Run(image, params, want, [(at, types[0], near)] if types[0] in FLOATS else [], what=s.what)
