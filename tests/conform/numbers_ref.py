"""Element types and arithmetic of the reference: NumPy, written apart from the simulator."""

from __future__ import annotations

import numpy as np

NP = {"half": np.float16, "float": np.float32, "double": np.float64, "int8_t": np.int8, "int16_t": np.int16, "int32_t": np.int32,
      "int64_t": np.int64, "uint8_t": np.uint8, "uint16_t": np.uint16, "uint32_t": np.uint32, "uint64_t": np.uint64}
SIZE = {t: np.dtype(k).itemsize for t, k in NP.items()} | {"bfloat16_t": 2, "bool": 1}
FLOATS = {"half", "float", "bfloat16_t"}


def raw(t: str) -> type:
    """The unsigned integer of the type's width."""
    return {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[SIZE[t]]


def from_raw(t: str, bits: np.ndarray) -> np.ndarray:
    """Values as float64 (floats) or int64 (integers; uint64 stays)."""
    if t == "bfloat16_t":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    v = bits.view(NP[t])
    if t in FLOATS:
        return v.astype(np.float64)
    return v if t == "uint64_t" else v.astype(np.int64)


def round_to(t: str, x: np.ndarray) -> np.ndarray:
    """Float64 values rounded to nearest even in the type, as float64 again."""
    if t == "float":
        with np.errstate(all="ignore"):
            return x.astype(np.float32).astype(np.float64)
    if t == "half":
        with np.errstate(all="ignore"):
            return x.astype(np.float16).astype(np.float64)
    return from_raw(t, to_raw(t, x))


def to_raw(t: str, x: np.ndarray) -> np.ndarray:
    """Bits of values. Floats are rounded to nearest even; integers wrap."""
    x = np.asarray(x)
    with np.errstate(all="ignore"):
        if t == "bfloat16_t":
            f = x.astype(np.float32)
            u = f.view(np.uint32)
            # one rounding from float64: the part float cut off breaks ties the right way
            odd = ((u >> 16) & 1).astype(np.uint32)
            low = u & 0xFFFF
            exact = f.astype(np.float64)
            beyond = np.abs(x) > np.abs(exact)
            short = np.abs(x) < np.abs(exact)
            up = (low > 0x8000) | ((low == 0x8000) & ((odd == 1) | beyond) & ~short)
            out = (u >> 16) + up
            out = np.where(np.isnan(x), 0x7FC0, out)
            return out.astype(np.uint16)
        if t in FLOATS:
            return x.astype(NP[t]).view(raw(t))
        return x.astype(np.int64).astype(raw(t)) if t != "uint64_t" else x.astype(np.uint64)


def saturated(t: str, x: np.ndarray) -> np.ndarray:
    """Integers clamped to the type's range."""
    info = np.iinfo(NP[t])
    return np.clip(x, info.min, info.max)


def round_integral(x: np.ndarray, mode: str) -> np.ndarray:
    """Float64 to an integral float64."""
    with np.errstate(all="ignore"):
        if mode in ("RINT", "NONE"):
            return np.rint(x)
        if mode == "FLOOR":
            return np.floor(x)
        if mode == "CEIL":
            return np.ceil(x)
        if mode == "TRUNC":
            return np.trunc(x)
        return np.trunc(x) + np.where(np.abs(x - np.trunc(x)) >= 0.5, np.copysign(1.0, x), 0.0)


SPECIAL = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 65504.0, -65504.0, 65519.0, 3.0e-5, 6.0e-8, 1e-40, -1e-45, 3.4e38, -3.4e38,
           float("inf"), float("-inf"), float("nan"), 127.5, 128.5, -128.5, 32767.5, 2147483648.0, -2147483648.0, 1e10]


def random_bits(rng: np.random.Generator, t: str, n: int, special: bool = True, positive: bool = False) -> np.ndarray:
    if t in FLOATS:
        x = rng.standard_normal(n) * np.exp2(rng.integers(-6, 7, n))
        if special:
            at = rng.random(n) < 0.2
            x[at] = rng.choice(SPECIAL, int(at.sum()))
        if positive:
            x = np.abs(x)
        return to_raw(t, x)
    if t == "double":  # only ever moved
        return rng.integers(0, 2**63, n, dtype=np.uint64)
    info = np.iinfo(NP[t]) if t != "bool" else np.iinfo(np.uint8)
    x = rng.integers(-100, 100, n)
    at = rng.random(n) < 0.5
    x = x.astype(np.int64)
    x[at] = rng.integers(int(info.min), int(info.max), int(at.sum()), dtype=np.int64 if t != "uint64_t" else np.uint64).astype(np.int64)
    edge = rng.random(n) < 0.1
    x[edge] = rng.choice(np.array([0, 1, -1, int(info.min), int(info.max) if t != "uint64_t" else -1], np.int64), int(edge.sum()))
    return x.astype(raw(t))
