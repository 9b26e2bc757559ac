"""Conversions with parameters: CastDequant with each form of SetDeqScale, 4-bit integers; and BilinearInterpolation."""

from __future__ import annotations

from typing import Iterator

import numpy as np

from cases import A, B, D, O, case, image_of, load, store
from core import Run
from numbers_ref import round_integral, round_to, to_raw

TABLE = 190000 // 32 * 32  # where the table of the tensor form lies
SHORT = "if constexpr (ow_same<U, int16_t>) "
SCALE = ("float scale = from_bits<float>(P(10)); int16_t offset = (int16_t)P(13); bool sign = P(14) != 0; "
         "LocalTensor<uint64_t> table(TPosition::VECCALC, (uint32_t)P(15), 16); VdeqInfo info; "
         "for (int i = 0; i < 16; i++) { info.vdeqScale[i] = from_bits<float>(P(20 + i) & 0xffffffff); info.vdeqOffset[i] = (int16_t)(P(20 + i) >> 32); info.vdeqSignMode[i] = sign; } "
         "if constexpr (ow_same<U, int32_t>) SetDeqScale((half)scale); else if (arg & 1) SetDeqScale(table, info); else SetDeqScale(scale, offset, sign); ")


def clipped(v: np.ndarray, scale: np.ndarray, offset: np.ndarray, sign: bool) -> np.ndarray:
    """One of the 16-bit integers after another, by whole numbers and float64; the scale keeps 10 bits of mantissa, the offset 9 with sign."""
    kept = (scale.astype(np.float32).view(np.uint32) & np.uint32(0xFFFFE000)).view(np.float32).astype(np.float64)
    nine = ((offset.astype(np.int64) & 0x1FF) ^ 0x100) - 0x100
    low, high = (-128, 127) if sign else (0, 255)
    return np.clip(np.rint(v.astype(np.float64) * kept + nine), low, high).astype(np.int64).astype(np.uint8)


def deq_shapes(form: str, rng: np.random.Generator, lanes: int) -> Iterator[tuple[dict[int, int], list[np.ndarray], tuple[int, int], tuple[int, int]]]:
    """Parameters, active lanes of each repeat, block and repeat strides of dst and src."""
    full, rep = np.arange(lanes), (8 if lanes == 128 else 4, 8)
    if form == "count":
        for n in (0, 1, 15, 16, 17, lanes, 3 * lanes + 5, 16384):
            yield {0: n}, [full[:max(0, min(lanes, n - r * lanes))] for r in range((n + lanes - 1) // lanes)], (1, 1), rep
        return
    for active, repeat, blk, stride in ((full, 2, (1, 1), rep), (full[:lanes - 3], 3, (2, 1), (17, 9)), (full[:5], 1, (1, 1), rep), (full, 0, (1, 1), rep), (full, 255, (1, 1), rep)):
        if form == "mask bits":
            active = active[rng.random(len(active)) < 0.7] if repeat < 200 else active
            word = sum(1 << int(i) for i in active)
            mask = {1: word & (2**64 - 1), 2: word >> 64}
        else:
            mask = {1: len(active)}
        yield {**mask, 3: repeat, 4: blk[0], 5: blk[1], 7: stride[0], 8: stride[1]}, [active] * repeat, blk, stride


def deq_runs(form: str, t: tuple[str, str, str], rng: np.random.Generator) -> Iterator[Run]:
    lanes = 128 if t[1] == "int16_t" else 64
    size = 2 if lanes == 128 else 4
    for k, (params, repeats, blk, rep) in enumerate(deq_shapes(form, rng, lanes)):
        how = k % 4 if lanes == 128 else 0  # bit 0 the table, bit 1 the high half
        image = image_of(rng, (A, t[1], 65280))
        want = image.copy()
        scales = rng.choice(np.array([1.0, 0.5, -0.013, 0.3333333, 100.0, 1e-3], np.float32), 16)
        offsets = rng.choice(np.array([0, 3, -7, 255, -256, 300]), 16)
        sign = t[0] == "int8_t"
        if how & 1:
            words = [int(s.view(np.uint32)) | (int(o) & 0x1FF) << 37 | sign << 46 for s, o in zip(scales, offsets)]
            want[TABLE:TABLE + 128] = np.array(words, np.uint64).view(np.uint8)
            params.update({20 + i: int(s.view(np.uint32)) | (int(o) & 0xFFFF) << 32 for i, (s, o) in enumerate(zip(scales, offsets))})
        for r, active in enumerate(repeats):
            if not len(active):
                continue
            src = A + 32 * (r * rep[1] + active // (32 // size) * blk[1]) + active % (32 // size) * size
            v = load(image, t[1], src)
            if lanes == 128:
                lane = active % 16
                dst = D + 32 * (r * rep[0] + active // 16 * blk[0]) + (16 if how & 2 else 0) + lane
                values = clipped(v.view(np.int16), scales[lane], offsets[lane], sign) if how & 1 else clipped(v.view(np.int16), np.full(len(v), scales[0]), np.full(len(v), offsets[0]), sign)
                want[dst] = values
            else:
                dst = D + 32 * (r * rep[0] + active // 16 * blk[0]) + active % 16 * 2
                with np.errstate(over="ignore"):
                    scaled = v.view(np.int32).astype(np.float32) * np.float32(2.0**-17) * np.float32(np.float16(scales[0])) * np.float32(2.0**17)
                    store(want, "half", dst, scaled.astype(np.float16).view(np.uint16))
        yield Run(image, {**params, 10: int(scales[0].view(np.uint32)), 11: how, 13: int(offsets[0]), 14: int(sign), 15: TABLE, 16: D, 17: A, 18: B, 19: O}, want,
                  what=f"{params.get(0, params.get(3))}, table {how & 1}, high {how >> 1}")


def deq_call(name: str, form: str) -> str:
    args = {"count": "(uint32_t)n", "mask bits": "bits, (uint8_t)r, up", "mask count": "(int32_t)lanes, (uint8_t)r, up"}[form]
    mask = "" if form == "count" else "true, "
    return SCALE + " ".join(f"if (arg == {how}) {name}<T, U, {mask}{'true' if how & 1 else 'false'}, {'true' if how & 2 else 'false'}>(d, a, {args});" for how in range(4))


for form in ("count", "mask bits", "mask count"):
    case("CastDequant", form, deq_call("CastDequant", form))(lambda rng, t, form=form: deq_runs(form, t, rng))


@case("CastDeq", "count and both masks", SCALE + " ".join(
    f"if (P(12) == {k}) {{ {deq_call('CastDeq', form)[len(SCALE):]} }}" for k, form in enumerate(("count", "mask bits", "mask count"))))
def cast_deq(rng: np.random.Generator, t: tuple[str, str, str]) -> Iterator[Run]:
    for k, form in enumerate(("count", "mask bits", "mask count")):
        for run in deq_runs(form, t, rng):
            run.params[12] = k
            yield run


@case("SetDeqScale", "scale, offset, signMode", SCALE + "CastDequant<T, U, false, false>(d, a, (uint32_t)n);", [("int8_t", "int16_t", "uint32_t"), ("uint8_t", "int16_t", "uint32_t")])
def set_scalar(rng: np.random.Generator, t: tuple[str, str, str]) -> Iterator[Run]:
    return (run for run in deq_runs("count", t, rng) if run.params[11] == 0)


@case("SetDeqScale", "vector table", SCALE + "CastDequant<T, U, true, false>(d, a, (uint32_t)n);", [("int8_t", "int16_t", "uint32_t"), ("uint8_t", "int16_t", "uint32_t")])
def set_table(rng: np.random.Generator, t: tuple[str, str, str]) -> Iterator[Run]:
    return (run for run in deq_runs("count", t, rng) if run.params[11] == 1)


# ---- 4-bit integers -----------------------------------------------------------------------------------------------------

def nibbles(image: np.ndarray, base: int, lanes: np.ndarray, blk: int, offset_blocks: int) -> tuple[np.ndarray, np.ndarray]:
    """Byte and shift of each element: 64 in a block of 32 bytes, the even one low."""
    return base + 32 * (offset_blocks + lanes // 64 * blk) + lanes % 64 // 2, lanes % 2 * 4


def int4_runs(rng: np.random.Generator, to_half: bool) -> Iterator[Run]:
    modes = ["NONE"] if to_half else ["NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC"]
    shapes: list[tuple[dict[int, int], list[np.ndarray], tuple[int, int], tuple[int, int]]] = []  # strides of half, of int4
    for n in (0, 2, 62, 64, 66, 128, 390, 16384):
        shapes.append(({12: 0, 0: n}, [np.arange(r * 128, min(n, r * 128 + 128)) - r * 128 for r in range((n + 127) // 128)], (1, 1), (8, 2)))
    pairs = np.flatnonzero(np.repeat(rng.random(64) < 0.6, 2))
    for active, repeat, blk, rep in ((np.arange(128), 3, (1, 1), (8, 2)), (np.arange(50), 4, (2, 3), (17, 9)), (pairs, 5, (1, 1), (8, 2)), (np.arange(128), 0, (1, 1), (8, 2))):
        word = sum(1 << int(i) for i in active)
        strides = {4: blk[0 if to_half else 1], 5: blk[1 if to_half else 0], 7: rep[0 if to_half else 1], 8: rep[1 if to_half else 0], 3: repeat}
        shapes.append(({12: 1, 1: word & (2**64 - 1), 2: word >> 64, **strides}, [active] * repeat, blk, rep))
        if len(active) in (128, 50):
            shapes.append(({12: 2, 1: len(active), **strides}, [active] * repeat, blk, rep))
    for k, (params, repeats, blk, rep) in enumerate(shapes):
        mode = modes[k % len(modes)]
        image = image_of(rng, ((D if to_half else A), "half", 65280))
        if not to_half:
            image[A:A + 32768] = to_raw("half", np.round(rng.uniform(-12, 12, 16384) * 2) / 2).view(np.uint8)
            image[A:A + 8] = np.array([np.nan, np.inf, -np.inf, 7.5], np.float16).view(np.uint8)
        want = image.copy()
        for r, active in enumerate(repeats):
            half = (D if to_half else A) + 32 * (r * rep[0] + active // 16 * blk[0]) + active % 16 * 2
            byte, shift = nibbles(image, A if to_half else D, active, blk[1], r * rep[1])
            if to_half:
                four = image[byte] >> shift & 15
                store(want, "half", half, to_raw("half", ((four.astype(np.int64) ^ 8) - 8).astype(np.float64)))
                continue
            x = load(image, "half", half).view(np.float16).astype(np.float64)
            with np.errstate(all="ignore"):
                v = np.where(np.isnan(x), 0, np.clip(round_integral(x, mode), -8, 7)).astype(np.int64) & 15
            for b, s, bits in zip(byte, shift, v):
                want[b] = int(want[b]) & (0xF0 >> int(s)) | int(bits) << int(s)
        yield Run(image, {**params, 11: ["NONE", "RINT", "FLOOR", "CEIL", "ROUND", "TRUNC"].index(mode), 16: D, 17: A, 18: B, 19: O}, want, what=f"{mode}, {params}")
    for params in ({12: 0, 0: 7}, {12: 2, 1: 33, 3: 1, 4: 1, 5: 1, 7: 8, 8: 8}, {12: 1, 1: 0b1011, 2: 0, 3: 1, 4: 1, 5: 1, 7: 8, 8: 8}):
        image = image_of(rng)
        yield Run(image, {**params, 11: 0, 16: D, 17: A, 18: B, 19: O}, image, what=f"odd {params}", findings={"int4-odd"})
    image = image_of(rng)
    yield Run(image, {12: 0, 0: 8, 11: 6 if not to_half else 1, 16: D, 17: A, 18: B, 19: O}, image, what="illegal mode", findings={"cast-round-mode"})


CAST4 = ("RoundMode mode = (RoundMode)arg; if (P(12) == 0) Cast(d, a, mode, (uint32_t)n); else if (P(12) == 1) Cast(d, a, mode, bits, r, up); "
         "else Cast(d, a, mode, lanes, r, up);")
case("Cast", "pair int4b->half", CAST4, [("half", "int4b_t", "uint32_t")])(lambda rng, t: int4_runs(rng, True))
case("Cast", "pair half->int4b", CAST4, [("int4b_t", "half", "uint32_t")])(lambda rng, t: int4_runs(rng, False))


# ---- BilinearInterpolation ------------------------------------------------------------------------------------------------

TMP = 170000 // 32 * 32


def bilinear_runs(rng: np.random.Generator, by_bits: bool) -> Iterator[Run]:
    for h, v, each, blk, step, lanes in ((2, 2, False, 1, 128, 128), (2, 2, True, 1, 128, 128), (1, 3, True, 2, 272, 100), (4, 2, False, 1, 144, 37), (3, 1, True, 1, 128, 128), (1, 1, False, 1, 128, 5)):
        n = h * v
        active = np.flatnonzero(rng.random(128) < 0.5) if by_bits and lanes < 128 else np.arange(lanes)
        n_weights = (8 * n if each else (n + 7) // 8 * 8)
        image = image_of(rng, (A, "half", 16384), (B, "half", 2 * n_weights))
        offsets = rng.integers(0, 16384 // 32, 8 * n).astype(np.uint32) * 32
        image[O:O + 32 * n] = offsets.view(np.uint8)
        want = image.copy()
        weights = load(image, "half", B + 2 * np.arange(n_weights)).view(np.float16).astype(np.float64)
        with np.errstate(all="ignore"):
            for row in range(v):
                total = np.zeros(128)
                for i in range(h):
                    it = row * h + i
                    at = A + offsets[8 * it:8 * it + 8, None].astype(np.int64) + 2 * np.arange(16)[None, :]
                    g = load(image, "half", at.reshape(-1)).view(np.float16).astype(np.float64)
                    w = np.repeat(weights[8 * it:8 * it + 8], 16) if each else weights[it]
                    product = round_to("half", g * w)
                    total = product if i == 0 else round_to("half", total + product)
                out = D + 2 * step * row + 32 * (active // 16 * blk) + active % 16 * 2
                store(want, "half", out, to_raw("half", (total + 0.0)[active]))
        rows = np.concatenate([D + 2 * step * row + 32 * (active // 16 * blk) + active % 16 * 2 for row in range(v)])
        word = sum(1 << int(i) for i in active)
        params = {1: word & (2**64 - 1) if by_bits else len(active), 2: word >> 64 if by_bits else 0, 20: h, 21: int(each), 22: blk, 23: step, 24: v, 25: TMP, 26: 2 * n_weights // 2,
                  16: D, 17: A, 18: B, 19: O}
        yield Run(image, params, want, [(rows, "half", None)], free=[(TMP, TMP + 256 * n + 32 * n_weights)], what=f"{h} x {v}, {each}")


for form, mask in (("mask bits", "bits"), ("mask count", "lanes")):
    case("BilinearInterpolation", form,
         "LocalTensor<uint8_t> tmp(TPosition::VECCALC, (uint32_t)P(25), 24000); LocalTensor<half> w(TPosition::VECCALC, (uint32_t)P(18), (uint32_t)P(26)); "
         f"BilinearInterpolation(d, a, o, w, {mask}, (uint8_t)P(20), P(21) != 0, (uint16_t)P(22), (uint16_t)P(23), (uint8_t)P(24), tmp);")(
        lambda rng, t, form=form: bilinear_runs(rng, form == "mask bits"))
