"""Arithmetic, logic, fills and conversions."""

from __future__ import annotations

from typing import Any, Callable, Iterator

import numpy as np

from cases import A, B, D, O, Operand, Shape, case, count_shapes, elementwise, image_of, lanes_for, load, outside_code, repeat_shapes, store, values
from core import Run
from numbers_ref import FLOATS, NP, SIZE, from_raw, random_bits, round_integral, round_to, saturated, to_raw

Function = Callable[..., np.ndarray]


def quiet(f: Function) -> Function:
    def inner(*args: Any) -> np.ndarray:
        with np.errstate(all="ignore"):
            return f(*args)

    return inner


def relu(x: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(x), x, np.where(x > 0, x, 0.0)) if x.dtype.kind == "f" else np.maximum(x, 0)


def nan_max(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(a) | np.isnan(b), np.nan, np.where(a > b, a, b)) if a.dtype.kind == "f" else np.maximum(a, b)


def nan_min(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(a) | np.isnan(b), np.nan, np.where(a < b, a, b)) if a.dtype.kind == "f" else np.minimum(a, b)


def wrapped(t: str, x: np.ndarray) -> np.ndarray:
    """An int64 value as the type holds it."""
    return x.astype(np.int64).astype(NP[t]).astype(np.int64)


# name -> (function of the sources, the old destination, the scalar and the element types) as exact value
SCALARS = {"half": [3.0, -0.375, 65504.0], "float": [3.0, -0.3, 1e30], "int16_t": [7, -300], "int32_t": [7, -70000]}


def ulp_near(t: str, n: float) -> Function:
    """Within n steps of the type, where the value is normal; and within 2^-140 (float) or 2^-24 (half) below."""
    digits, least = (24, 2.0**-126) if t == "float" else (11, 2.0**-14)

    def near(got: np.ndarray, want: np.ndarray) -> np.ndarray:
        step = np.exp2(np.floor(np.log2(np.maximum(np.abs(want), least))) - (digits - 1))
        return np.abs(got - want) <= n * step

    return near


def relative_near(bound: float) -> Function:
    return lambda got, want: np.abs(got - want) <= bound * np.abs(want)


UNARY: dict[str, tuple[Function, Any]] = {
    "Abs": (np.abs, None),
    "Relu": (relu, None),
    "Exp": (np.exp, lambda t: ulp_near(t, 2)),
    "Ln": (lambda a: np.where(a < 0, np.nan, np.log(np.abs(a))), lambda t: ulp_near(t, 2)),
    "Sqrt": (np.sqrt, None),
    "Reciprocal": (lambda a: 1.0 / a, lambda t: relative_near(2.0**-9 if t == "half" else 2.0**-12)),
    "Rsqrt": (lambda a: 1.0 / np.sqrt(a), lambda t: relative_near(2.0**-9 if t == "half" else 2.0**-12)),
    "Not": (lambda a: ~a, None),
}
BINARY: dict[str, Function] = {
    "Add": lambda a, b: a + b, "Sub": lambda a, b: a - b, "Mul": lambda a, b: a * b, "Div": lambda a, b: a / b, "Max": nan_max, "Min": nan_min,
    "And": lambda a, b: a & b, "Or": lambda a, b: a | b,
}
RELU_OF = {"AddRelu": "Add", "SubRelu": "Sub"}


def exact(t: str, f: Function) -> Function:
    """Bits of f's value in the type; integers wrap."""
    return quiet(lambda *v: to_raw(t, f(*v)))


def forms(api: str, args: str, rep: str, templ: str = "T", false_count: bool = False) -> dict[str, str]:
    """C++ of the three forms."""
    return {
        "count": f"{api}({args}, (int32_t)n);" if not false_count else f"if (P(12) == 0) {api}({args}, (int32_t)n); else {{ SetMaskCount(); SetVectorMask<T, MaskMode::COUNTER>((int32_t)n); "
                 f"{api}<T, false>({args}, 1); SetMaskNorm(); ResetMask(); }}",
        "mask bits": outside_code(f"{api}({args}, bits, r, {rep});", f"{api}<{templ}, false>({args}, bits, r, {rep});", "WIDE"),
        "mask count": outside_code(f"{api}({args}, lanes, r, {rep});", f"{api}<{templ}, false>({args}, lanes, r, {rep});", "WIDE"),
    }


WIDE = "using WIDE = Std::conditional_t<(sizeof(T) > sizeof(U)), T, U>; "


def shapes(form: str, types: list[str], rng: np.random.Generator, outside: bool = True) -> Iterator[Shape]:
    return count_shapes(types) if form == "count" else repeat_shapes(types, form == "mask bits", rng, outside)


def add_elementwise(api: str, codes: dict[str, str], n_sources: int, function: Callable[[str, str], Function], near: Callable[[str], Any] | None,
                    scalars: bool = False, flags: dict[str, Any] | None = None) -> None:
    for form, code in codes.items():
        def runs(rng: np.random.Generator, t: tuple[str, str, str], form: str = form) -> Iterator[Run]:
            types = [t[0]] + [t[1]] * n_sources
            for k, shape in enumerate(shapes(form, types, rng)):
                if shape.in_place and t[0] != t[1]:
                    continue
                image = image_of(rng, (D, t[0], 65280), (A, t[1], 65280), (B, t[1], 61440 if n_sources > 1 else 32))
                f = function(t[0], t[1])
                params = dict(shape.params)
                if scalars:
                    choice = SCALARS[t[1]]
                    s = choice[k % len(choice)]
                    bits = int(to_raw(t[1], np.array([s], np.float64 if t[1] in FLOATS else np.int64))[0])
                    params[10] = bits
                    value = float(from_raw(t[1], np.array([bits], to_raw(t[1], np.zeros(1)).dtype))[0]) if t[1] in FLOATS else s
                    g = f
                    f = lambda *v, g=g, value=value: g(*v, value)  # noqa: E731
                shape.params = params
                run = elementwise(image, shape, types, f, near(t[0]) if near else None)
                yield run
                if near and k % 2:  # the same without the instruction's own error
                    run = elementwise(image, shape, types, f, ulp_near(t[0], 1))
                    run.exact, run.what = True, run.what + ", exact"
                    yield run

        case(api, form, WIDE + code)(runs)


for name, (fn, tolerance) in UNARY.items():
    add_elementwise(name, forms(name, "d, a", "up"), 1, lambda d, s, fn=fn: exact(d, lambda a, old: fn(a)), tolerance)
for name, fn in BINARY.items():
    add_elementwise(name, forms(name, "d, a, b", "bp"), 2, lambda d, s, fn=fn: exact(d, lambda a, b, old: fn(a, b)), None)
for name, base in RELU_OF.items():
    def relu_of(d: str, s: str, base: str = base) -> Function:
        def value(a: np.ndarray, b: np.ndarray, old: np.ndarray) -> np.ndarray:
            v = BINARY[base](a, b)
            return relu(v) if d in FLOATS else np.maximum(wrapped(d, v), 0)

        return exact(d, value)

    add_elementwise(name, forms(name, "d, a, b", "bp"), 2, relu_of, None)

SCALAR: dict[str, Function] = {"Adds": lambda a, s: a + s, "Muls": lambda a, s: a * s, "Maxs": lambda a, s: nan_max(a, np.full_like(a, s)),
                               "Mins": lambda a, s: nan_min(a, np.full_like(a, s)), "LeakyRelu": lambda a, s: np.where(a >= 0, a, a * s)}
for name, fn in SCALAR.items():
    add_elementwise(name, forms(name, "d, a, us", "up", false_count=True), 1, lambda d, s, fn=fn: exact(d, lambda a, old, k: fn(a, k)), None, scalars=True)


# ---- three operands: product and sum each rounded where the element type stays ----------------------------------------

def separate(d: str, s: str, x: np.ndarray) -> np.ndarray:
    """A step's result: rounded to the type, except in the widening forms, which compute in float."""
    return round_to("float" if d != s else d, x)


def mul_add(order: str) -> Callable[[str, str], Function]:
    def make(d: str, s: str) -> Function:
        def value(a: np.ndarray, b: np.ndarray, old: np.ndarray) -> np.ndarray:
            if order == "MulAddDst":
                return separate(d, s, a * b) + old
            v = separate(d, s, a * old) + b
            return relu(v) if order.endswith("Relu") else v

        return exact(d, value)

    return make


for name, templ in (("MulAddDst", "T, U"), ("FusedMulAdd", "T"), ("MulAddRelu", "T"), ("FusedMulAddRelu", "T")):
    add_elementwise(name, forms(name, "d, a, b", "bp", templ), 2, mul_add(name), None)


def axpy(d: str, s: str) -> Function:
    return exact(d, lambda a, old, k: separate(d, s, a * k) + old)


add_elementwise("Axpy", forms("Axpy", "d, a, us", "up", "T, U"), 1, axpy, None, scalars=True)


# ---- with conversion: nearest even, saturated --------------------------------------------------------------------------

def narrowed(d: str, x: np.ndarray) -> np.ndarray:
    if d in FLOATS:
        return to_raw(d, x)
    x = np.where(np.isnan(x.astype(np.float64)), 0, x)
    return to_raw(d, saturated(d, np.rint(x)).astype(np.int64))


def compound(api: str) -> Callable[[str, str], Function]:
    def make(d: str, s: str) -> Function:
        def value(a: np.ndarray, b: np.ndarray, old: np.ndarray) -> np.ndarray:
            v = a * b if api == "MulCast" else relu(a + b if api == "AddReluCast" else a - b)
            return narrowed(d, round_to("float", v.astype(np.float64)))

        return quiet(value)

    return make


for name in ("MulCast", "AddReluCast", "SubReluCast"):
    codes = forms(name, "d, a, b", "bp", "T, U")
    codes["count"] = f"{name}(d, a, b, (uint32_t)n);"
    add_elementwise(name, codes, 2, compound(name), None)


for form, code in forms("AddDeqRelu", "d, a, b", "bp", "T, U").items():
    def add_deq_runs(rng: np.random.Generator, t: tuple[str, str, str], form: str = form) -> Iterator[Run]:
        for shape in shapes(form, [t[0], t[1], t[1]], rng, outside=False):
            scale = float(np.float16(rng.choice([1.0, 0.5, 0.037])))

            def value(a: np.ndarray, b: np.ndarray, old: np.ndarray, scale: float = scale) -> np.ndarray:
                total = (a + b).astype(np.int64).astype(np.int32).astype(np.float32)
                v = (total * np.float32(2.0**-17) * np.float32(scale)) * np.float32(2.0**17)
                return to_raw("half", np.maximum(v.astype(np.float16).astype(np.float64), 0.0))

            shape.params = {**shape.params, 10: int(to_raw("half", np.array([scale]))[0])}
            run = elementwise(image_of(rng, (A, t[1], 65280), (B, t[1], 61440)), shape, list(t[:2]) + [t[1]], quiet(value))
            run.findings = {"uninitialised-output"} if any(len(x) for x in shape.active) else set()  # both sources are destroyed
            yield run

    case("AddDeqRelu", form, WIDE + "SetDeqScale(from_bits<half>(P(10))); " + code)(add_deq_runs)


# ---- shifts --------------------------------------------------------------------------------------------------------------

def shifted(api: str, t: str, a: np.ndarray, k: int, rounded: bool) -> np.ndarray:
    width, signed = SIZE[t] * 8, not t.startswith("u")
    if api == "ShiftLeft":
        if not signed:
            return (a << k) & ((1 << width) - 1)
        low = (a << k) & ((1 << (width - 1)) - 1)
        return np.where(a < 0, low - (1 << (width - 1)), low)
    v = a >> k
    return v + ((a >> (k - 1)) & 1) if rounded and signed and k > 0 else v


for name in ("ShiftLeft", "ShiftRight"):
    codes = forms(name, "d, a, us", "up", false_count=True)
    if name == "ShiftRight":
        for form in ("mask bits", "mask count"):
            mask = "bits" if form == "mask bits" else "lanes"
            codes[form] = outside_code(f"ShiftRight(d, a, us, {mask}, r, up, arg != 0);", f"ShiftRight<T, false>(d, a, us, {mask}, r, up, arg != 0);", "WIDE")
    for form, code in codes.items():
        def shift_runs(rng: np.random.Generator, t: tuple[str, str, str], form: str = form, name: str = name) -> Iterator[Run]:
            width = SIZE[t[0]] * 8
            for k, shape in enumerate(shapes(form, [t[0], t[0]], rng)):
                by = (0, 1, 5, width - 1)[k % 4]
                rounded = form != "count" and k % 2 == 1 and name == "ShiftRight"
                shape.params = {**shape.params, 10: by, 11: int(rounded)}
                f = lambda a, old, by=by, rounded=rounded: to_raw(t[0], shifted(name, t[0], a, by, rounded))  # noqa: E731
                yield elementwise(image_of(rng, (A, t[0], 65280)), shape, [t[0], t[0]], f)

        case(name, form, WIDE + code)(shift_runs)


# ---- fills ---------------------------------------------------------------------------------------------------------------

for form in ("count", "mask bits", "mask count"):
    mask = "bits" if form == "mask bits" else "lanes"

    def fill_runs(rng: np.random.Generator, t: tuple[str, str, str], form: str = form) -> Iterator[Run]:
        for shape in shapes(form, [t[0]], rng):
            if shape.in_place:
                continue
            bits = int(random_bits(rng, t[0], 1)[0])
            shape.params = {**shape.params, 10: bits}
            yield elementwise(image_of(rng), shape, [t[0]], lambda old, bits=bits: np.full(len(old), bits))

    case("Duplicate", form, WIDE + ("Duplicate(d, ts, (int32_t)n);" if form == "count" else outside_code(
        f"Duplicate(d, ts, {mask}, r, up.dstBlkStride, up.dstRepStride);", f"Duplicate<T, false>(d, ts, {mask}, r, up.dstBlkStride, up.dstRepStride);", "T")))(fill_runs)

    def index_runs(rng: np.random.Generator, t: tuple[str, str, str], form: str = form) -> Iterator[Run]:
        per, lanes = 32 // SIZE[t[0]], lanes_for(t[0])
        for shape in shapes(form, [t[0]], rng, outside=False):
            if shape.in_place or (form == "mask count" and shape.params[1] < per) or (form == "mask bits" and len(shape.active) and len(shape.active[0]) < per):
                continue
            first = int(rng.integers(-50, 50))
            bits = int(to_raw(t[0], np.array([first], np.float64 if t[0] in FLOATS else np.int64))[0])
            shape.params = {**shape.params, 10: bits}
            image = image_of(rng)
            want = image.copy()
            op = Operand(t[0], D, shape.blk[0] if form != "count" else 1, shape.rep[0])
            for r, active in enumerate(shape.active):
                v = first + r * lanes + active
                store(want, t[0], op.at(r, active), to_raw(t[0], v.astype(np.float64) if t[0] in FLOATS else v))
            yield Run(image, {**shape.params, 16: D, 17: A, 18: B, 19: O}, want, what=shape.what)

    case("CreateVecIndex", form, "CreateVecIndex(d, ts, (uint32_t)n);" if form == "count" else f"CreateVecIndex(d, ts, {mask}, r, up.dstBlkStride, up.dstRepStride);")(index_runs)


@case("Brcb", "repeat", "Brcb(d, a, r, {(uint16_t)up.dstBlkStride, (uint16_t)up.dstRepStride});")
def brcb(rng: np.random.Generator, t: tuple[str, str, str]) -> Iterator[Run]:
    per = 32 // SIZE[t[0]]
    for repeat, blk, rep in ((1, 1, 8), (0, 1, 8), (3, 1, 8), (2, 2, 17), (255, 1, 8), (2, 0, 8)):
        image = image_of(rng, (A, t[0], 255 * 8 * SIZE[t[0]]))
        want = image.copy()
        for i in range(repeat * 8):
            one = load(image, t[0], np.array([A + i * SIZE[t[0]]]))
            store(want, t[0], D + 32 * (i // 8 * rep + i % 8 * (blk or 1)) + np.arange(per) * SIZE[t[0]], np.repeat(one, per))
        yield Run(image, {3: repeat, 4: blk, 7: rep, 16: D, 17: A}, want, what=f"repeat {repeat}, strides {blk} {rep}")


for form in ("mask bits", "mask count"):
    mask = "bits" if form == "mask bits" else "lanes"

    def copy_runs(rng: np.random.Generator, t: tuple[str, str, str], form: str = form) -> Iterator[Run]:
        for shape in repeat_shapes([t[0], t[0]], form == "mask bits", rng):
            if shape.what != "Counter mode":
                yield elementwise(image_of(rng, (A, t[0], 65280)), shape, [t[0], t[0]], lambda a, old: to_raw(t[0], a))
        per = 32 // SIZE[t[0]]
        for n, repeat, blk, rep in ((18 * per, 1, (1, 8), (8, 8)), (5, 3, (1, 1), (2, 1)), (3 * per + 1, 2, (2, 1), (9, 5)), (0, 2, (1, 1), (8, 8))):  # n elements of each repeat
            image = image_of(rng)
            want, i = image.copy(), np.arange(n)
            for r in range(repeat):
                dst, src = (x + 32 * (r * rep[k] + i // per * blk[k]) + i % per * SIZE[t[0]] for k, x in enumerate((D, A)))
                store(want, t[0], dst, load(image, t[0], src))
            yield Run(image, {0: n, 3: repeat, 4: blk[0], 5: blk[1], 7: rep[0], 8: rep[1], 12: 2, 16: D, 17: A, 18: B, 19: O}, want, what=f"Counter mode, {n} of {repeat}")

    case("Copy", form, WIDE + outside_code(f"Copy(d, a, {mask}, r, {{(uint16_t)up.dstBlkStride, (uint16_t)up.srcBlkStride, (uint16_t)up.dstRepStride, (uint16_t)up.srcRepStride}});",
                                           f"Copy<T, false>(d, a, {mask}, r, {{(uint16_t)up.dstBlkStride, (uint16_t)up.srcBlkStride, (uint16_t)up.dstRepStride, (uint16_t)up.srcRepStride}});", "T"))(copy_runs)


# ---- operators: the number of elements is the destination's -----------------------------------------------------------

for name, sign in (("Add", "+"), ("Sub", "-"), ("Mul", "*"), ("Div", "/"), ("And", "&"), ("Or", "|")):
    def operator_runs(rng: np.random.Generator, t: tuple[str, str, str], name: str = name) -> Iterator[Run]:
        f = exact(t[0], lambda a, b, old: BINARY[name](a, b))
        for shape in count_shapes([t[0]] * 3):
            if not shape.in_place:
                yield elementwise(image_of(rng, (A, t[0], 65280), (B, t[0], 61440)), shape, [t[0]] * 3, f)

    case(name, "operator", f"d.SetSize((uint32_t)n); d = a {sign} b;")(operator_runs)
