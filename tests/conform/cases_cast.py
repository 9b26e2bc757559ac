"""Cast: every pair of element types in every round mode, legal or not."""

from __future__ import annotations

from typing import Iterator

import numpy as np

from cases import A, D, O, Operand, Shape, case, count_shapes, image_of, lanes_for, load, outside_code, repeat_shapes, store
from core import Run
from numbers_ref import FLOATS, NP, SIZE, from_raw, raw, round_integral, saturated, to_raw

MODES = ["NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC", "ODD"]
FIVE = MODES[1:6]
# dst <- src: the modes that exist. HW: Cast page, pairs of the 2201 architecture.
PAIRS: dict[tuple[str, str], list[str]] = {
    ("half", "int8_t"): ["NONE"], ("half", "uint8_t"): ["NONE"], ("half", "int16_t"): MODES[:6], ("float", "int16_t"): ["NONE"],
    ("int8_t", "half"): MODES[:6], ("uint8_t", "half"): MODES[:6], ("int16_t", "half"): FIVE, ("int32_t", "half"): FIVE, ("float", "half"): ["NONE"],
    ("int32_t", "bfloat16_t"): FIVE, ("float", "bfloat16_t"): ["NONE"], ("int16_t", "int32_t"): ["NONE"], ("half", "int32_t"): MODES,
    ("float", "int32_t"): MODES[:6], ("int64_t", "int32_t"): ["NONE"], ("int16_t", "float"): FIVE, ("half", "float"): MODES, ("bfloat16_t", "float"): FIVE,
    ("int32_t", "float"): FIVE, ("float", "float"): FIVE, ("int64_t", "float"): FIVE, ("int32_t", "int64_t"): ["NONE"], ("float", "int64_t"): FIVE,
}
FORMAT = {"half": (11, -14, 65504.0), "bfloat16_t": (8, -126, float.fromhex("0x1.fep127")), "float": (24, -126, float(np.finfo(np.float32).max))}


def rounded_float(x: np.ndarray, t: str, mode: str) -> np.ndarray:
    """Float64 to a narrower format under a round mode; what is too large becomes infinite, unless the mode goes towards zero there."""
    digits, least, largest = FORMAT[t]
    finite = np.isfinite(x) & (x != 0)
    safe = np.where(finite, x, 1.0)
    exponent = np.maximum(np.frexp(safe)[1] - 1, least)
    step = np.ldexp(1.0, exponent - (digits - 1))
    q = safe / step
    if mode == "ODD":
        r = np.trunc(q)
        r = np.where((r != q) & (np.fmod(r, 2) == 0), r + np.sign(q), r)
    else:
        r = round_integral(q, mode)
    v = r * step
    towards_zero = np.full(len(x), mode in ("TRUNC", "ODD")) | ((mode == "FLOOR") & (x > 0)) | ((mode == "CEIL") & (x < 0))
    v = np.where(np.abs(v) > largest, np.where(towards_zero, np.copysign(largest, v), np.copysign(np.inf, v)), v)
    v = np.where(v == 0, np.copysign(0.0, safe), v)
    return np.where(finite, v, x)


def wide_int_to_float(values: np.ndarray, mode: str) -> np.ndarray:
    """64-bit integers to float: by whole numbers, since float64 does not hold them."""
    out = []
    for value in values.tolist():
        mag, shift = abs(value), max(abs(value).bit_length() - 24, 0)
        kept, rest = mag >> shift, mag & ((1 << shift) - 1)
        half = (1 << shift) >> 1
        up = {"FLOOR": value < 0 and rest > 0, "CEIL": value > 0 and rest > 0, "TRUNC": False, "ROUND": shift > 0 and rest >= half}.get(
            mode, shift > 0 and (rest > half or (rest == half and kept & 1 == 1)))
        out.append(float((kept + up) << shift) * (-1.0 if value < 0 else 1.0))
    return np.array(out)


def converted(d: str, s: str, bits: np.ndarray, mode: str, scale: float) -> np.ndarray:
    x = from_raw(s, bits)
    with np.errstate(all="ignore"):
        if (d, s) == ("half", "int32_t"):
            v = (bits.view(np.int32).astype(np.float32) * np.float32(2.0**-17) * np.float32(scale)) * np.float32(2.0**17)
            return to_raw("half", rounded_float(v.astype(np.float64), "half", "RINT"))
        if d in FLOATS and s in FLOATS:
            if d == s:
                return to_raw(d, np.copysign(round_integral(x, mode), x))
            return to_raw(d, x if SIZE[d] > SIZE[s] else rounded_float(x, d, mode))
        if d in FLOATS:
            return to_raw(d, wide_int_to_float(x, mode) if SIZE[s] == 8 else rounded_float(x.astype(np.float64), d, mode))
        if s in FLOATS:
            r = round_integral(x, mode)
            info = np.iinfo(NP[d])
            v = np.where(np.isnan(r), 0.0, np.clip(r, float(info.min), float(info.max)))
            top = r >= float(info.max)  # 2^63 - 1 is no float64
            ints = np.where(top, 0.0, v).astype(np.int64)
            return to_raw(d, np.where(top, info.max, ints))
        return to_raw(d, saturated(d, x))


def cast_runs(form: str, t: tuple[str, str, str], rng: np.random.Generator, few: bool) -> Iterator[Run]:
    d, s = t[0], t[1]
    for mode in MODES:
        legal = mode in PAIRS[d, s]
        shapes = list(count_shapes([d, s]) if form == "count" else repeat_shapes([d, s], form == "mask bits", rng))
        shapes = [x for x in shapes if not x.in_place]
        if few or not legal:
            shapes = [shapes[4 if form == "count" else 0]]
        elif mode != PAIRS[d, s][0]:
            shapes = [shapes[5 if form == "count" else 4]]
        for shape in shapes:
            image = image_of(rng, (A, s, 65280))
            if SIZE[s] == 2 and s in FLOATS and few:  # ties
                ties = (rng.integers(-40, 40, 64) + 0.5).astype(np.float64)
                image[A:A + 128] = to_raw(s, ties).view(np.uint8)
            want = image.copy()
            scale = float(np.float16(rng.choice([1.0, 0.5, 0.0123])))
            dst, src = (Operand(x, a, shape.blk[i] if form != "count" else 1, shape.rep[i]) for i, (x, a) in enumerate(((d, D), (s, A))))
            touched = [np.zeros(0, np.int64)]
            for r, active in enumerate(shape.active if legal else []):
                if len(active):
                    at = dst.at(r, active)
                    store(want, d, at, converted(d, s, load(image, s, src.at(r, active)), mode, scale))
                    touched.append(at)
            at = np.unique(np.concatenate(touched))
            params = {**shape.params, 10: int(to_raw("half", np.array([scale]))[0]), 11: MODES.index(mode), 16: D, 17: A, 18: A, 19: O}
            run = Run(image, params, want, [(at, d, None)] if d in FLOATS else [], what=f"{mode}, {shape.what}")
            if not legal:
                run.findings = {"cast-round-mode"}
            yield run


SCALE = "if constexpr (ow_same<T, half> && ow_same<U, int32_t>) SetDeqScale(from_bits<half>(P(10))); RoundMode mode = (RoundMode)arg; "
WIDE = "using WIDE = Std::conditional_t<(sizeof(T) > sizeof(U)), T, U>; "
for form, mask in (("count", ""), ("mask bits", "bits"), ("mask count", "lanes")):
    code = "Cast(d, a, mode, (uint32_t)n);" if form == "count" else outside_code(f"Cast(d, a, mode, {mask}, r, up);", f"Cast<T, U, false>(d, a, mode, {mask}, r, up);", "WIDE")
    case("Cast", form, WIDE + SCALE + code)(lambda rng, t, form=form: cast_runs(form, t, rng, False))
NAMES = {"bfloat16_t": "bfloat16"}
for d, s in PAIRS:
    def short(t: str) -> str:
        return NAMES.get(t, t.replace("_t", ""))

    case("Cast", f"pair {short(s)}->{short(d)}", WIDE + SCALE + "Cast(d, a, mode, (uint32_t)n);")(lambda rng, t: cast_runs("count", t, rng, True))
