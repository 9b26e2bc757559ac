"""Copies between global memory and UB, within UB, and atomics."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from cases import A, B, D, O, case, image_of, load, pooled, store
from core import GM_BYTES, Run
from numbers_ref import FLOATS, SIZE, from_raw, random_bits, raw, round_to, saturated, to_raw

BASE = {16: D, 17: A, 18: B, 19: O}


def gm_of(rng: np.random.Generator, t: str = "uint8_t") -> np.ndarray:
    return np.ascontiguousarray(pooled(t, GM_BYTES // SIZE[t], rng)).view(np.uint8).copy()


def moved(rng: np.random.Generator, t: str, to_gm: bool, rows: list[tuple[int, int, int]], params: dict[int, int], what: str, findings: set[str] = frozenset()) -> Run:
    """rows: (byte in global memory, byte in UB, length)."""
    image, gm = image_of(rng), gm_of(rng)
    want, want_gm = image.copy(), gm.copy()
    for g, u, n in rows:
        if to_gm:
            want_gm[g:g + n] = image[u:u + n]
        else:
            want[u:u + n] = gm[g:g + n]
    return Run(image, {**BASE, **params}, want, gm=gm, want_gm=want_gm, what=what, findings=set(findings))


for form, to_gm, code in (("GM->UB count", False, "DataCopy(d, g[(uint64_t)P(13)], (uint32_t)n);"), ("UB->GM count", True, "DataCopy(g[(uint64_t)P(13)], d, (uint32_t)n);")):
    def count_runs(rng: np.random.Generator, t: Any, to_gm: bool = to_gm) -> Iterator[Run]:
        size = SIZE[t[0]]
        for n, first in ((0, 0), (32 // size, 3), (32 // size * 5, 0), (32 // size * 5 + 1, 1), (1, 0) if size < 32 else (4, 0), (32768 // size, 7)):
            n_bytes = n * size // 32 * 32
            yield moved(rng, t[0], to_gm, [(first * size, D, n_bytes)], {0: n, 13: first}, f"count {n} from {first}", {"copy-unaligned-count"} if n * size % 32 else set())

    case("DataCopy", form, code)(count_runs)

BLOCKS = [(1, 1, 0, 0), (0, 5, 0, 0), (3, 0, 1, 1), (4, 2, 3, 0), (4, 2, 0, 5), (7, 3, 2, 1), (255, 1, 1, 2)]


def block_rows(count: int, length: int, src_gap: int, dst_gap: int, src: int, dst: int) -> list[tuple[int, int, int]]:
    return [(src + i * (length + src_gap) * 32, dst + i * (length + dst_gap) * 32, length * 32) for i in range(count) if length]


CP = "DataCopyParams cp((uint32_t)P(20), (uint32_t)P(21), (uint32_t)P(22), (uint32_t)P(23)); "
for form, code in (("GM->UB DataCopyParams", CP + "DataCopy(d, g, cp);"), ("UB->GM DataCopyParams", CP + "DataCopy(g, d, cp);"),
                   ("enhanced params", CP + "DataCopyEnhancedParams ep; if (P(13)) DataCopy(g, d, cp, ep); else DataCopy(d, g, cp, ep);")):
    def block_runs(rng: np.random.Generator, t: Any, form: str = form) -> Iterator[Run]:
        for to_gm in ((False, True) if form == "enhanced params" else ("UB->GM" in form,)):
            for shape in BLOCKS:
                rows = block_rows(*shape, D if to_gm else 0, 0 if to_gm else D)
                rows = [(b, a, n) for a, b, n in rows] if to_gm else rows
                yield moved(rng, t[0], to_gm, rows, {20 + i: v for i, v in enumerate(shape)} | {13: int(to_gm)}, f"{shape}")

    case("DataCopy", form, code)(block_runs)


@case("DataCopy", "UB->UB count", "DataCopy(d, a, (uint32_t)n);")
def local_count(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    size = SIZE[t[0]]
    for n in (0, 32 // size, 32 // size * 9 + 1, 32768 // size):
        image = image_of(rng)
        want, n_bytes = image.copy(), n * size // 32 * 32
        want[D:D + n_bytes] = image[A:A + n_bytes]
        yield Run(image, {**BASE, 0: n}, want, what=f"count {n}", findings={"copy-unaligned-count"} if n * size % 32 else set())


@case("DataCopy", "UB->UB DataCopyParams", CP + "DataCopy(d, a, cp); DataCopyEnhancedParams ep; if (P(13)) DataCopy(d, a, cp, ep);")
def local_blocks(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    for k, shape in enumerate(BLOCKS):
        image = image_of(rng)
        want = image.copy()
        for s, d, n in block_rows(*shape, A, D):
            want[d:d + n] = image[s:s + n]
        yield Run(image, {**BASE, **{20 + i: v for i, v in enumerate(shape)}, 13: k % 2}, want, what=f"{shape}")


# ---- DataCopyPad -----------------------------------------------------------------------------------------------------

# count, elements of a row, gap on the GM side in elements, gap on the UB side in blocks, is_pad, left, right
PADS = [(1, 1, 0, 0, 0, 0, 0), (3, 3, 1, 1, 0, 0, 0), (2, 5, 4, 0, 1, 1, 2), (4, 16, 2, 2, 0, 0, 0), (1, 7, 0, 0, 1, 0, 1), (0, 5, 0, 0, 0, 0, 0), (2, 0, 0, 0, 0, 0, 0), (5, 33, 7, 1, 1, 2, 0)]


def padded_runs(rng: np.random.Generator, t: str) -> Iterator[Run]:
    size = SIZE[t]
    for count, n, gap, ub_gap, is_pad, left, right in PADS:
        if (left > 0 or right > 0) and max(left, right) * size > 32:
            continue
        image, gm = image_of(rng), gm_of(rng)
        want = image.copy()
        value = random_bits(rng, t, 1)[0]
        row = (left + n + right) * size
        blocks = (row + 31) // 32
        for i in range(count if n else 0):
            src, dst = i * (n + gap) * size, D + i * (blocks + ub_gap) * 32
            data = gm[src:src + n * size].view(raw(t))
            line = np.concatenate([np.full(left, value, raw(t)), data, np.full(right, value, raw(t))])
            rest = (blocks * 32 - row) // size
            line = np.concatenate([line, np.full(rest, value if left or right else data[0], raw(t))])
            want[dst:dst + blocks * 32] = np.ascontiguousarray(line).view(np.uint8)
        yield Run(image, {**BASE, 10: int(value), 20: count, 21: n * size, 22: gap * size, 23: ub_gap, 24: is_pad, 25: left, 26: right}, want, gm=gm, want_gm=gm.copy(),
                  what=f"{count} rows of {n}, gaps {gap} {ub_gap}, pad {is_pad} {left} {right}")


def stored_runs(rng: np.random.Generator, t: str) -> Iterator[Run]:
    size = SIZE[t]
    for count, n, gap, ub_gap, *_ in PADS:
        row = (n * size + 31) // 32 + ub_gap
        rows = [(i * (n + gap) * size, D + i * row * 32, n * size) for i in range(count)]
        yield moved(rng, t, True, rows, {20: count, 21: n * size, 22: ub_gap, 23: gap * size}, f"{count} rows of {n}, gaps {ub_gap} {gap}")


case("DataCopyPad", "GM->UB ext params", "DataCopyPad(d, g, DataCopyExtParams((uint32_t)P(20), (uint32_t)P(21), (uint32_t)P(22), (uint32_t)P(23), 0), "
     "DataCopyPadExtParams<T>(P(24) != 0, (uint8_t)P(25), (uint8_t)P(26), ts));")(lambda rng, t: padded_runs(rng, t[0]))
case("DataCopyPad", "GM->UB legacy params", "DataCopyPad(d, g, DataCopyParams((uint32_t)P(20), (uint32_t)P(21), (uint32_t)P(22), (uint32_t)P(23)), "
     "DataCopyPadParams(P(24) != 0, (uint8_t)P(25), (uint8_t)P(26), (uint64_t)P(10)));")(lambda rng, t: padded_runs(rng, t[0]))
case("DataCopyPad", "GM->UB TensorTrait", "LocalTensor<TensorTrait<T>> td; td.ow = d.ow; GlobalTensor<TensorTrait<T>> tg; tg.SetGlobalBuffer(g.GetPhyAddr(0), 65536 / sizeof(T)); "
     "DataCopyPad(td, tg, DataCopyExtParams((uint32_t)P(20), (uint32_t)P(21), (uint32_t)P(22), (uint32_t)P(23), 0), "
     "DataCopyPadExtParams<T>(P(24) != 0, (uint8_t)P(25), (uint8_t)P(26), ts));")(lambda rng, t: padded_runs(rng, t[0]))
case("DataCopyPad", "UB->GM ext params", "DataCopyPad(g, d, DataCopyExtParams((uint32_t)P(20), (uint32_t)P(21), (uint32_t)P(22), (uint32_t)P(23), 0));")(lambda rng, t: stored_runs(rng, t[0]))
case("DataCopyPad", "UB->GM legacy params", "DataCopyPad(g, d, DataCopyParams((uint32_t)P(20), (uint32_t)P(21), (uint32_t)P(22), (uint32_t)P(23)));")(lambda rng, t: stored_runs(rng, t[0]))


@case("SetPadValue", "function", "SetPadValue<T>(ts); DataCopyPad(d, g, DataCopyExtParams(2, 3 * sizeof(T), 0, 0, 0), DataCopyPadExtParams<T>(false, 1, 0, ts));")
def set_pad_value(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    image, gm, size = image_of(rng), gm_of(rng), SIZE[t[0]]
    want = image.copy()
    value = random_bits(rng, t[0], 1)[0]
    blocks = (4 * size + 31) // 32
    for i in range(2):
        at = D + i * blocks * 32
        want[at:at + 4 * size] = np.concatenate([np.full(1, value, raw(t[0])), gm[i * 3 * size:(i + 1) * 3 * size].view(raw(t[0]))]).view(np.uint8)
    free = [(D + i * blocks * 32 + 4 * size, D + (i + 1) * blocks * 32) for i in range(2)]  # padding without a value: not defined
    yield Run(image, {**BASE, 10: int(value)}, want, gm=gm, want_gm=gm.copy(), free=free, findings={"uninitialised-output"} if 4 * size % 32 else set())


# ---- slices, ND and NZ -----------------------------------------------------------------------------------------------

# of each dimension: (start, end, stride, burst, shape) on the GM side, then on the UB side
SLICES = [([(8, 39, 0, 0, 64)], [(0, 31, 0, 0, 64)]), ([(0, 79, 16, 0, 96)], [(0, 63, 0, 0, 64)]), ([(16, 47, 0, 0, 64), (1, 3, 1, 1, 5)], [(0, 31, 0, 0, 32), (0, 1, 0, 1, 2)]),
          ([(0, 71, 8, 0, 80), (0, 2, 0, 1, 4), (1, 1, 0, 1, 2)], [(0, 63, 0, 0, 64), (0, 2, 0, 1, 3), (0, 0, 0, 1, 1)])]


def pieces(dims: list[tuple[int, ...]], burst: int, gap: int) -> list[int]:
    """First elements of the pieces of a slice, first dimension fastest."""
    start, end = dims[0][:2]
    out = list(range(start, end + 1, burst + gap))
    size = 1
    for i in range(1, len(dims)):
        size *= dims[i - 1][4]
        rows = range(dims[i][0], dims[i][1] + 1, dims[i][2] + 1)
        out = [x + r * size for r in rows for x in out]
    return out


def slice_runs(rng: np.random.Generator, t: str, to_gm: bool) -> Iterator[Run]:
    size = SIZE[t]
    scale = max(1, 32 // size // 8)  # the lists are for 32-byte blocks of 8 elements
    for gm_dims, ub_dims in SLICES:
        def scaled(dims: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
            first = dims[0]
            return [(first[0] * scale, (first[1] + 1) * scale - 1, first[2] * scale, 0, first[4] * scale), *dims[1:]]

        on_gm, on_ub = scaled(gm_dims), scaled(ub_dims)
        gaps = [x[0][2] for x in (on_gm, on_ub)]
        n_pieces = 1 if not gaps[0] and not gaps[1] else None
        length = on_gm[0][1] - on_gm[0][0] + 1
        if n_pieces is None:  # pieces of one length on both sides
            other = on_ub[0][1] - on_ub[0][0] + 1
            n = (length - other) // (gaps[0] - gaps[1]) + 1
            length = (length - (n - 1) * gaps[0]) // n
        burst = length * size // 32
        source = on_ub if to_gm else on_gm
        if (source[0][1] - source[0][0] + 1 + source[0][2]) % (length + source[0][2]):
            continue
        rows = [(g * size, D + u * size, length * size) for g, u in zip(pieces(on_gm, length, gaps[0]), pieces(on_ub, length, gaps[1]))]
        params = {19: O, 20: len(on_gm), 21: burst}
        for side, dims in enumerate((on_gm, on_ub)):
            for i, dim in enumerate(dims):
                params[22 + side * 12 + i * 4], params[23 + side * 12 + i * 4], params[24 + side * 12 + i * 4], params[25 + side * 12 + i * 4] = dim[0], dim[1], dim[2], dim[4]
        yield moved(rng, t, to_gm, rows, params, f"{gm_dims} {ub_dims}")


SI = ("SliceInfo on_gm[3], on_ub[3]; for (int i = 0; i < 3; i++) { uint32_t burst = i ? 1u : (uint32_t)P(21); on_gm[i] = SliceInfo((uint32_t)P(22 + i * 4), (uint32_t)P(23 + i * 4), (uint32_t)P(24 + i * 4), burst, (uint32_t)P(25 + i * 4)); "
      "on_ub[i] = SliceInfo((uint32_t)P(34 + i * 4), (uint32_t)P(35 + i * 4), (uint32_t)P(36 + i * 4), burst, (uint32_t)P(37 + i * 4)); } ")
case("DataCopy", "GM->UB slice", SI + "DataCopy(d, g, on_ub, on_gm, (uint32_t)P(20));")(lambda rng, t: slice_runs(rng, t[0], False))
case("DataCopy", "UB->GM slice", SI + "DataCopy(g, d, on_gm, on_ub, (uint32_t)P(20));")(lambda rng, t: slice_runs(rng, t[0], True))


@case("DataCopy", "GM->UB ND2NZ", "Nd2NzParams np(1, (uint16_t)P(20), (uint16_t)P(21), 0, (uint16_t)P(22), (uint16_t)P(23), sizeof(T) == 4 ? 2 : 1, 0); DataCopy(d, g, np);")
def nd2nz(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    size = SIZE[t[0]]
    c0 = 16 if size == 4 else 32 // size
    for rows, cols, pitch in ((5, c0, c0), (7, 3 * c0, 3 * c0 + 5), (3, 2 * c0 + 1, 2 * c0 + 1), (0, c0, c0), (300, c0, c0), (1, 1, 1)):
        if rows * pitch * size > GM_BYTES:
            continue
        image, gm = image_of(rng), gm_of(rng)
        want, free = image.copy(), []
        c0_stride = rows * c0 * size // 32 + 1
        for r in range(rows):
            for group in range((cols + c0 - 1) // c0):
                n = min(c0, cols - group * c0)
                src, dst = (r * pitch + group * c0) * size, D + group * c0_stride * 32 + r * c0 * size
                want[dst:dst + n * size] = gm[src:src + n * size]
                if n < c0:
                    free.append((dst + n * size, dst + c0 * size))
        yield Run(image, {**BASE, 20: rows, 21: cols, 22: pitch, 23: c0_stride}, want, gm=gm, want_gm=gm.copy(), free=free, what=f"{rows} x {cols} of {pitch}")


@case("DataCopy", "UB->GM NZ2ND", "Nz2NdParamsFull np((uint16_t)P(20), (uint16_t)P(21), (uint16_t)P(22), (uint16_t)P(23), (uint16_t)P(24), (uint16_t)P(25), (uint16_t)P(26)); DataCopy(g, d, np);")
def nz2nd(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    size = SIZE[t[0]]
    for matrices, rows, cols, pitch in ((1, 5, 16, 16), (2, 16, 32, 40), (1, 0, 16, 16), (3, 3, 48, 48), (1, 200, 16, 20)):
        src_n = rows + 2
        src_matrix = (src_n * 16 * (cols // 16) + 255) // 256
        dst_matrix = rows * pitch + 3
        moves = [((m * dst_matrix + r * pitch + c * 16) * size, D + (m * src_matrix * 256 + c * src_n * 16 + r * 16) * size, 16 * size)
                 for m in range(matrices) for r in range(rows) for c in range(cols // 16)]
        if moves and max(g + n for g, _, n in moves) > GM_BYTES:
            continue
        yield moved(rng, t[0], True, moves, {20: matrices, 21: rows, 22: cols, 23: src_matrix, 24: src_n, 25: pitch, 26: dst_matrix}, f"{matrices} of {rows} x {cols}")


# ---- fills and atomics -----------------------------------------------------------------------------------------------

@case("InitOutput", "count", "InitOutput<T>(g[(uint64_t)P(13)], (uint32_t)n, ts);")
def init_output(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    size = SIZE[t[0]]
    for n, first in ((0, 0), (1, 3), (1000, 5)):
        image, gm = image_of(rng), gm_of(rng)
        value = random_bits(rng, t[0], 1)[0]
        want_gm = gm.copy()
        want_gm[first * size:(first + n) * size] = np.full(n, value, raw(t[0])).view(np.uint8)
        yield Run(image, {**BASE, 0: n, 10: int(value), 13: first}, image.copy(), gm=gm, want_gm=want_gm, what=f"{n} from {first}")


def accumulated(t: str, kind: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Bits of a and b combined in global memory."""
    x, y = from_raw(t, a), from_raw(t, b)
    with np.errstate(all="ignore"):
        v = x + y if kind == "Add" else np.where(x > y, x, y) if kind == "Max" else np.where(x < y, x, y)
    return to_raw(t, v)


for kind in ("Add", "Max", "Min"):
    def atomic_runs(rng: np.random.Generator, t: Any, kind: str = kind) -> Iterator[Run]:
        size = SIZE[t[0]]
        for n in (1, 7, 500):
            image, gm = image_of(rng, (D, t[0], 8192, {"special": False})), gm_of(rng)
            gm[:8192] = np.ascontiguousarray(pooled(t[0], 8192 // size, rng, special=False)).view(np.uint8)
            want_gm = gm.copy()
            at = np.arange(n) * size
            store(want_gm, t[0], at, accumulated(t[0], kind, load(gm, t[0], at), load(image, t[0], D + at)))
            plain = 16384 + np.arange(n) * size  # after DisableDmaAtomic
            store(want_gm, t[0], plain, load(image, t[0], D + at))
            yield Run(image, {**BASE, 0: n}, image.copy(), gm=gm, want_gm=want_gm, what=f"{n} elements")

    if kind == "Add":
        @case("DataCopyWithReduce", "UB->GM with atomic", "SetAtomicMax<T>(); if (arg) DataCopyWithReduce<T, ReduceType::SUM>(g, d, (uint32_t)n); "
              "else DataCopyWithReduce<T, ReduceType::SUM>(g, d, DataCopyParams(1, (uint16_t)(n * sizeof(T) / 32), 0, 0)); DataCopy(g[16384 / sizeof(T)], d, (uint32_t)n);",
              [("half", "half", "uint32_t"), ("float", "float", "uint32_t"), ("int32_t", "int32_t", "uint32_t")])
        def reduced_runs(rng: np.random.Generator, t: Any, runs: Any = atomic_runs) -> Iterator[Run]:
            for k, n in enumerate((32, 480)):
                image, gm = image_of(rng, (D, t[0], 8192, {"special": False})), gm_of(rng)
                gm[:8192] = np.ascontiguousarray(pooled(t[0], 8192 // SIZE[t[0]], rng, special=False)).view(np.uint8)
                want_gm, at = gm.copy(), np.arange(n) * SIZE[t[0]]
                store(want_gm, t[0], at, accumulated(t[0], "Add", load(gm, t[0], at), load(image, t[0], D + at)))
                store(want_gm, t[0], 16384 + at, load(image, t[0], D + at))  # the mode set before is off
                yield Run(image, {**BASE, 0: n, 11: k}, image.copy(), gm=gm, want_gm=want_gm, what=f"{n} elements")

    copy = "DataCopyExtParams ep(1, (uint32_t)(n * sizeof(T)), 0, 0, 0); "
    case(f"SetAtomic{kind}", "state setter", copy + f"SetAtomic{kind}<T>(); DataCopyPad(g, d, ep); SetAtomicNone(); DataCopyPad(g[16384 / sizeof(T)], d, ep);")(atomic_runs)
    if kind == "Add":
        case("SetAtomicType", "state setter", copy + "SetAtomicAdd<float>(); SetAtomicType<T>(); DataCopyPad(g, d, ep); DisableDmaAtomic(); DataCopyPad(g[16384 / sizeof(T)], d, ep);")(atomic_runs)
        case("DisableDmaAtomic", "state setter", copy + "SetAtomicAdd<T>(); DataCopyPad(g, d, ep); DisableDmaAtomic(); DataCopyPad(g[16384 / sizeof(T)], d, ep);")(atomic_runs)


@case("ReadGmByPassDCache", "whole", "for (int i = 0; i < 8; i++) RES(i, (int64_t)ReadGmByPassDCache<T>((__gm__ T *)c.gm + P(13) + i));")
def read_direct(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    image, gm = image_of(rng), gm_of(rng)
    for first in (0, 5, 100):
        got = from_raw(t[0], gm[first * SIZE[t[0]]:(first + 8) * SIZE[t[0]]].view(raw(t[0]))).astype(np.int64)
        yield Run(image, {**BASE, 13: first}, image.copy(), gm=gm, want_gm=gm.copy(), results=got.tolist(), what=f"from {first}")


@case("WriteGmByPassDCache", "whole", "for (int i = 0; i < 5; i++) WriteGmByPassDCache<T>((__gm__ T *)c.gm + P(13) + i, (T)(P(10) + i));")
def write_direct(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    image, gm = image_of(rng), gm_of(rng)
    for first in (0, 5, 100):
        want_gm = gm.copy()
        want_gm[first * SIZE[t[0]]:(first + 5) * SIZE[t[0]]] = to_raw(t[0], 77 + np.arange(5)).view(np.uint8)
        yield Run(image, {**BASE, 10: 77, 13: first}, image.copy(), gm=gm, want_gm=want_gm, what=f"from {first}")
