"""Functions of the scalar unit, and the mask register."""

from __future__ import annotations

from typing import Any, Callable, Iterator

import numpy as np

from cases import A, B, D, O, case, image_of, lanes_for, load, store, values
from core import Run
from numbers_ref import SIZE, from_raw, raw, round_integral, to_raw

BASE = {16: D, 17: A, 18: B, 19: O}
WORDS = [0, 1, 2, 3, 0x80, 2**31, 2**32 - 1, 2**63, 2**64 - 1, 2**64 - 2, 0xF0F0, 2**62, 2**63 - 1, 0x123456789ABCDEF0]


def clear_words(f: Callable[[int], list[int]], inputs: list[int]) -> Callable[..., Iterator[Run]]:
    """One run for each input; f gives the results."""

    def runs(rng: np.random.Generator, t: Any) -> Iterator[Run]:
        image = image_of(rng)
        for word in inputs:
            yield Run(image, {**BASE, 10: word}, image.copy(), results=f(word), what=f"{word:#x}")

    return runs


def signed(word: int) -> int:
    return word - 2**64 if word >= 2**63 else word


def same_as_sign(word: int) -> int:
    bits = f"{word:064b}"
    n = len(bits) - len(bits.lstrip(bits[0]))
    return -1 if n == 64 else n - 1


def lowest(word: int, bit: str) -> int:
    return f"{word:064b}"[::-1].find(bit)


W = "uint64_t w = (uint64_t)P(10); "
case("GetBitCount", "scalar template", W + "RES(0, GetBitCount<1>(w)); RES(1, GetBitCount<0>(w)); RES(2, ScalarGetCountOfValue<1>(w));")(
    clear_words(lambda w: [f"{w:064b}".count("1"), f"{w:064b}".count("0"), f"{w:064b}".count("1")], WORDS))
case("CountLeadingZero", "scalar", W + "RES(0, CountLeadingZero(w)); RES(1, ScalarCountLeadingZero(w));")(clear_words(lambda w: [64 - w.bit_length()] * 2, WORDS))
case("GetSFFValue", "scalar template", W + "RES(0, GetSFFValue<1>(w)); RES(1, GetSFFValue<0>(w)); RES(2, ScalarGetSFFValue<1>(w));")(
    clear_words(lambda w: [lowest(w, "1"), lowest(w, "0"), lowest(w, "1")], WORDS))
case("CountBitsCntSameAsSignBit", "scalar", "RES(0, CountBitsCntSameAsSignBit(P(10)));")(clear_words(lambda w: [same_as_sign(w)], WORDS))
case("GetDataBlockSizeInBytes", "constexpr", "RES(0, GetDataBlockSizeInBytes());")(clear_words(lambda w: [32], [0]))
case("GetICachePreloadStatus", "whole", "RES(0, GetICachePreloadStatus());")(clear_words(lambda w: [0], [0]))
for api, form, want in (("GetBlockIdx", "whole", 0), ("GetBlockNum", "whole", 1), ("GetSubBlockIdx", "whole", 0), ("GetSubBlockNum", "whole", 1), ("GetTaskRatio", "whole", 1)):
    case(api, form, f"RES(0, {api}());")(clear_words(lambda w, want=want: [want], [0]))

CTRL = "bool a0 = GetSaturationFlag<SaturationMode::FLOAT>(); "
case("SetCtrlSpr", "whole", "SetCtrlSpr<48, 48>(P(10)); RES(0, (GetCtrlSpr<48, 48>())); RES(1, GetSaturationFlag<SaturationMode::FLOAT>());")(clear_words(lambda w: [w, 1 - w], [0, 1]))
case("GetCtrlSpr", "whole", "SetSaturationFlag<SaturationMode::FLOAT>(P(10) != 0); RES(0, (GetCtrlSpr<48, 48>()));")(clear_words(lambda w: [1 - w], [0, 1]))
case("SetStoreAtomicConfig", "state setter", "SetStoreAtomicConfig<AtomicDtype::ATOMIC_BF16, AtomicOp::ATOMIC_SUM>(); uint16_t kind, how; GetStoreAtomicConfig(kind, how); RES(0, kind); RES(1, how); "
     "SetStoreAtomicConfig<AtomicDtype::ATOMIC_NONE, AtomicOp::ATOMIC_SUM>();", [("float", "float", "uint32_t")])(clear_words(lambda w: [6, 0], [0]))
case("GetStoreAtomicConfig", "getter", "uint16_t kind = 9, how = 9; GetStoreAtomicConfig(kind, how); RES(0, kind); RES(1, how);")(clear_words(lambda w: [0, 0], [0]))
case("GetSaturationFlag", "whole", "SetSaturationFlag<SaturationMode::CAST>(P(10) != 0); RES(0, GetSaturationFlag<SaturationMode::CAST>());")(clear_words(lambda w: [w], [0, 1]))


@case("SetSaturationFlag", "whole", "SetSaturationFlag<SaturationMode::FLOAT>(P(10) != 0); SetSaturationFlag<SaturationMode::CAST>(P(11) != 0); SetSaturationFlag<SaturationMode::INT>(P(12) != 0); LocalTensor<half> h = d.template ReinterpretCast<half>(), x = a.template ReinterpretCast<half>(); "
      "Add(h, x, x, 128); Cast(d.template ReinterpretCast<int8_t>()[4096], x, RoundMode::CAST_RINT, 128u); "
      "auto i16 = b.template ReinterpretCast<int16_t>(), o16 = d.template ReinterpretCast<int16_t>()[4096]; auto i32 = b.template ReinterpretCast<int32_t>(), o32 = d.template ReinterpretCast<int32_t>()[4096]; "
      "Add(o16, i16, i16[640], 600); Muls(o16[1024], i16, (int16_t)-3, 600); AddRelu(o16[2048], i16, i16[640], 600); ShiftLeft(o16[3072], i16, (int16_t)3, 600); "
      "Sub(o32, i32, i32[320], 300); Mul(o32[1024], i32, i32[320], 300); RES(0, GetSaturationFlag<SaturationMode::INT>());", [("half", "half", "uint32_t")])
def saturation(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    for on_float, on_cast, on_int in ((0, 0, 0), (0, 1, 1), (1, 0, 1), (1, 1, 0)):
        image = image_of(rng, (A, "half", 256), (B, "int16_t", 2560))
        want, at = image.copy(), np.arange(128) * 2
        v = values(image, "half", A + at)
        with np.errstate(all="ignore"):
            total = (v + v).astype(np.float16).astype(np.float64)
            if on_float:
                total = np.where(np.isnan(total), 0.0, np.clip(total, -65504.0, 65504.0))
            store(want, "half", D + at, to_raw("half", total))
            r = round_integral(v, "RINT")
            r = np.where(np.isnan(r), 0.0, r)
            ints = np.clip(r, -128, 127) if on_cast else np.where(np.isinf(r), np.where(r > 0, 127, -128), r)
        store(want, "int8_t", D + 4096 + np.arange(128), to_raw("int8_t", ints.astype(np.int64)))
        x, y = (image[B + o:B + o + 1200].view(np.int16).astype(np.int64) for o in (0, 1280))
        left = ((x << 3) & 0x7FFF) - np.where(x < 0, 0x8000, 0)
        p, q = (image[B + o:B + o + 1200].view(np.int32).astype(object) for o in (0, 1280))
        for t_, to, v in (("int16_t", 8192, x + y), ("int16_t", 10240, x * -3), ("int16_t", 12288, None), ("int16_t", 14336, left), ("int32_t", 16384, p - q), ("int32_t", 20480, p * q)):
            low, high = (-2**15, 2**15 - 1) if t_ == "int16_t" else (-2**31, 2**31 - 1)

            def ended(v: np.ndarray, low: int = low, high: int = high, on: int = on_int) -> np.ndarray:
                return np.array([min(max(int(e), low), high) if on else (int(e) - low) % (high - low + 1) + low for e in v], np.int64)

            r = ended(v) if v is not None else np.maximum(ended(x + y), 0)
            store(want, t_, D + to + np.arange(len(r)) * SIZE[t_], to_raw(t_, r))
        yield Run(image, {**BASE, 10: on_float, 11: on_cast, 12: on_int}, want, [(D + at, "half", None)], results=[on_int], what=f"float {on_float}, cast {on_cast}, int {on_int}")


FLOATS32 = [0.0, -0.0, 1.0, 1.5, 2.5, -2.5, 0.5, 65504.0, 65519.0, 1e-8, -1e-8, 1e10, -3e38, 3.0000001, 0.1, -0.1, 6e-8, 2147483520.0, -2147483648.0]


def float_bits(x: float) -> int:
    return int(np.array([x], np.float32).view(np.uint32)[0])


def odd_half(x: float) -> int:
    h = int(np.array([x]).astype(np.float16).view(np.uint16)[0])
    back = float(np.array([h], np.uint16).view(np.float16)[0])
    if back == x:
        return h
    if abs(back) > abs(x):
        h -= 1
    return h | 1


F = "float f = from_bits<float>(P(10)); "
case("Cast (scalar float -> bfloat16)", "scalar", F + "RES(0, ow_bits(Cast(f))); RES(1, ow_bits(ToBfloat16(f)));")(
    clear_words(lambda w: [int(to_raw("bfloat16_t", from_raw("float", np.array([w], np.uint32)))[0])] * 2, [float_bits(x) for x in FLOATS32]))
case("Cast (scalar bfloat16 -> float)", "scalar", "bfloat16_t v = from_bits<bfloat16_t>(P(10)); RES(0, ow_bits(Cast(v))); RES(1, ow_bits(ToFloat(v)));")(
    clear_words(lambda w: [w << 16] * 2, [0, 0x3F80, 0xBF80, 0x7F80, 0x0001, 0x8000]))


def scalar_casts(word: int) -> list[int]:
    x = float(np.array([word], np.uint32).view(np.float32)[0])
    with np.errstate(all="ignore"):
        ints = [int(np.clip(round_integral(np.array([x]), m)[0], -2**31, 2**31 - 1)) for m in ("RINT", "FLOOR", "CEIL", "ROUND")]
        return [*ints, odd_half(x)]


case("Cast (scalar float -> half/int32)", "scalar template", F + "RES(0, (Cast<float, int32_t, RoundMode::CAST_RINT>(f))); RES(1, (Cast<float, int32_t, RoundMode::CAST_FLOOR>(f))); RES(2, (ScalarCast<float, int32_t, RoundMode::CAST_CEIL>(f))); "
     "RES(3, (Cast<float, int32_t, RoundMode::CAST_ROUND>(f))); RES(4, ow_bits(Cast<float, half, RoundMode::CAST_ODD>(f)));")(clear_words(scalar_casts, [float_bits(x) for x in FLOATS32]))


# ---- the mask register, seen through what the next instruction does ---------------------------------------------------

def masked_add(rng: np.random.Generator, t: str, params: dict[int, int], active: list[np.ndarray], what: str) -> Run:
    """d = a + 1 in the lanes that are on."""
    image = image_of(rng, (A, t, 4096, {"special": False}))
    want = image.copy()
    for r, lanes in enumerate(active):
        at = r * 256 + lanes * SIZE[t]
        with np.errstate(all="ignore"):
            store(want, t, D + at, to_raw(t, values(image, t, A + at) + 1.0))
    return Run(image, {**BASE, **params}, want, what=what)


ADD = "UnaryRepeatParams rp(1, 1, 8, 8); Adds<T, false>(d, a, (T)1.0f, MASK_PLACEHOLDER, 2, rp); "
BOTH = [("half", "half", "uint32_t"), ("float", "float", "uint32_t")]


@case("SetVectorMask", "high/low", "SetVectorMask<T, MaskMode::NORMAL>(bits[1], bits[0]); " + ADD + "ResetMask();", BOTH)
def mask_words(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    lanes = lanes_for(t[0])
    for active in (np.arange(1), np.arange(0, lanes, 3), np.arange(lanes), np.zeros(0, np.int64)):
        word = sum(1 << int(i) for i in active)
        yield masked_add(rng, t[0], {1: word & (2**64 - 1), 2: word >> 64}, [active] * 2, f"{len(active)} lanes")


@case("SetVectorMask", "len", "if (P(11)) { SetMaskCount(); SetVectorMask<T, MaskMode::COUNTER>((int32_t)n); } else SetVectorMask<T, MaskMode::NORMAL>((int32_t)n); " + ADD + "SetMaskNorm(); ResetMask();", BOTH)
def mask_len(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    lanes = lanes_for(t[0])
    for n in (0, 1, lanes - 1, lanes):
        yield masked_add(rng, t[0], {0: n}, [np.arange(n)] * 2, f"{n} lanes")
    for n in (0, 1, lanes, 3 * lanes + 1):
        yield masked_add(rng, t[0], {0: n, 11: 1}, [np.arange(min(lanes, n - i)) for i in range(0, n, lanes)], f"{n} elements")


for api, form, code in (("ResetMask", "function", "SetVectorMask<T, MaskMode::NORMAL>(0, 1); ResetMask(); "), ("SetMaskNorm", "function", "SetMaskCount(); SetMaskNorm(); ResetMask(); "),
                        ("SetMaskCount", "function", "SetMaskCount(); Adds(d, a, (T)0.0f, 0); ")):
    def all_lanes(rng: np.random.Generator, t: Any) -> Iterator[Run]:
        yield masked_add(rng, t[0], {}, [np.arange(lanes_for(t[0]))] * 2, "all lanes")

    case(api, form, code + ADD, BOTH)(all_lanes)


@case("SetDeqScale", "half scale", "SetDeqScale(from_bits<half>(P(10))); Cast(d.template ReinterpretCast<half>(), a.template ReinterpretCast<int32_t>(), RoundMode::CAST_NONE, 64u);", [("half", "int32_t", "uint32_t")])
def deq_scale(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    for scale in (1.0, 0.25, 3.140625):
        image = image_of(rng, (A, "int32_t", 256))
        want = image.copy()
        with np.errstate(all="ignore"):
            v = (image[A:A + 256].view(np.int32).astype(np.float32) * np.float32(2.0**-17) * np.float32(scale)) * np.float32(2.0**17)
            store(want, "half", D + np.arange(64) * 2, to_raw("half", v.astype(np.float64)))
        yield Run(image, {**BASE, 10: int(to_raw("half", np.array([scale]))[0])}, want, what=f"scale {scale}")


# ---- calls that change nothing one instruction shows ---------------------------------------------------------------------

def nothing(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    image = image_of(rng)
    yield Run(image, dict(BASE), image.copy(), results=[1])


for api, form, code in (
        ("DataCachePreload", "whole", "GlobalTensor<uint64_t> x; x.SetGlobalBuffer((__gm__ uint64_t *)c.gm); DataCachePreload(x, (int64_t)0); DataCachePreload(x, (int16_t)64);"),
        ("ICachePreLoad", "whole", "ICachePreLoad(2);"), ("MetricsProfStart", "whole", "MetricsProfStart();"), ("asc_prof_start", "whole", "asc_prof_start();"), ("asc_prof_stop", "whole", "asc_prof_stop();"), ("MetricsProfStop", "whole", "MetricsProfStop();"),
        ("PrintTimeStamp", "whole", "PrintTimeStamp(65536);"), ("SetNextTaskStart", "whole", "SetNextTaskStart();"), ("WaitPreTaskEnd", "whole", "WaitPreTaskEnd();"),
        ("PipeBarrier", "whole", "PipeBarrier<PIPE_V>(); PipeBarrier<PIPE_MTE2>(); PipeBarrier<PIPE_MTE3>(); PipeBarrier<PIPE_ALL>();"),
        ("DataSyncBarrier", "whole", "DataSyncBarrier<MemDsbT::ALL>();"), ("InitSocState", "whole", "SetMaskCount(); InitSocState();"),
        ("SetFlag", "whole", "SetFlag<HardEvent::V_MTE3>(EVENT_ID0); WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);"),
        ("WaitFlag", "whole", "SetFlag<HardEvent::MTE3_V>(EVENT_ID7); WaitFlag<HardEvent::MTE3_V>(EVENT_ID7);")):
    case(api, form, code + " RES(0, 1);")(nothing)
case("GetProgramCounter", "whole", "int64_t x = GetProgramCounter();\nint64_t y = GetProgramCounter(); RES(0, y > x && x > 0);")(nothing)
case("GetSystemCycle", "whole", "int64_t x = GetSystemCycle(); PipeBarrier<PIPE_ALL>(); PipeBarrier<PIPE_ALL>(); RES(0, GetSystemCycle() >= x);")(nothing)


@case("Async", "whole", "int64_t seen = 0; Async<EngineType::AIV, add_to>(&seen, 5); Async<EngineType::AIC, add_to>(&seen, 100); RES(0, seen);")
def async_call(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    image = image_of(rng)
    yield Run(image, dict(BASE), image.copy(), results=[5])
