"""Reductions, comparison, selection, gathering, sorting, layout."""

from __future__ import annotations

from typing import Any, Iterator

import numpy as np

from cases import A, B, D, O, Operand, case, image_of, lanes_for, load, outside_code, repeat_shapes, store, values
from core import Run
from numbers_ref import FLOATS, SIZE, from_raw, random_bits, raw, round_to, to_raw

BASE = {16: D, 17: A, 18: B, 19: O}


# ---- reductions ------------------------------------------------------------------------------------------------------

def trees(t: str, v: np.ndarray) -> np.ndarray:
    """Of each row: the sum of neighbours, of the sums of neighbours, and so on; each addition rounded."""
    with np.errstate(all="ignore"):
        while v.shape[-1] > 1:
            v = round_to(t, v[..., 0::2] + v[..., 1::2])
    return v[..., 0]


def tree(t: str, v: np.ndarray) -> float:
    return float(trees(t, v))


def best(kind: str, v: np.ndarray) -> int:
    """Index of the largest or smallest, the first of equals; NaN before all."""
    nan = np.flatnonzero(np.isnan(v))
    if len(nan):
        return int(nan[0])
    return int(np.argmax(v) if kind == "MAX" else np.argmin(v))


def repeat_values(image: np.ndarray, op: Operand, r: int, active: np.ndarray, lanes: int) -> tuple[np.ndarray, np.ndarray]:
    """Lanes with 0 where they are off, and which are on."""
    v, on = np.zeros(lanes), np.zeros(lanes, bool)
    v[active] = values(image, op.type, op.at(r, active))
    on[active] = True
    return v, on


ORDERS = {0: "value, index", 1: "index, value", 2: "value", 3: "index"}


def put_whole(want: np.ndarray, t: str, kind: str, order: int, at: int, v: np.ndarray, on: np.ndarray) -> list[int]:
    """One repeat's largest or smallest; gives where values (not indices) were put."""
    size = SIZE[t]
    lanes = np.flatnonzero(on)
    i = int(lanes[best(kind, v[lanes])])
    value, index = to_raw(t, v[i:i + 1]), np.array([i])
    if order == 3:
        store(want, "uint32_t", np.array([at]), index)
        return []
    value_at = at + size if order == 1 else at
    store(want, t, np.array([value_at]), value)
    if order != 2:
        store(want, "uint16_t" if size == 2 else "uint32_t", np.array([at if order == 1 else at + size]), index)
    return [value_at]


def reduce_runs(kind: str, group: str, form: str, rng: np.random.Generator, t: str, orders: list[int]) -> Iterator[Run]:
    lanes, size = lanes_for(t), SIZE[t]
    for k, s in enumerate(repeat_shapes([t, t], form == "mask bits", rng)):
        if s.in_place:
            continue
        order = orders[k % len(orders)]
        image = image_of(rng, (A, t, 65280))
        want, src, values_at = image.copy(), Operand(t, A, s.blk[1], s.rep[1]), []
        dst_rep = 1 + k % 2
        rows = [repeat_values(image, src, r, active, lanes) for r, active in enumerate(s.active)]
        width = lanes if group == "whole" else 32 // size if group == "block" else 2
        if kind == "SUM" and rows:  # all at once
            sums = trees(t, np.stack([v for v, _ in rows]).reshape(len(rows), lanes // width, width))
            some = np.stack([on for _, on in rows]).reshape(sums.shape + (width,)).any(-1) | (group == "whole")
            at = D + (np.arange(len(rows))[:, None] * dst_rep * (lanes // width) + np.arange(lanes // width)) * size
            store(want, t, at[some], to_raw(t, sums[some]))
            values_at = at[some].tolist()
        for r, (v, on) in enumerate(rows if kind != "SUM" else []):
            if group == "whole":
                unit = size if order == 2 else 4 if order == 3 else 2 * size
                values_at += put_whole(want, t, kind, order, D + r * dst_rep * unit, v, on)
                continue
            for i in range(lanes // width):
                part, part_on = v[i * width:(i + 1) * width], on[i * width:(i + 1) * width]
                if not part_on.any():
                    continue
                at = D + (r * dst_rep * (lanes // width) + i) * size
                x = part[part_on][best(kind, part[part_on])]
                store(want, t, np.array([at]), to_raw(t, np.array([x])))
                values_at.append(at)
        params = {**s.params, **BASE, 7: dst_rep, 5: s.blk[1], 8: s.rep[1], 11: order}
        yield Run(image, params, want, [(np.array(values_at, np.int64), t, None)], what=f"{kind}, {s.what}, order {ORDERS[order]}")


def reduce_code(name: str, args: str, templ: str, false: str) -> str:
    return outside_code(f"{name}<{templ}>({args});", f"{name}<{templ}{false}>({args});", "T")


STRIDES = "(int32_t)P(7), (int32_t)P(5), (int32_t)P(8)"
KINDS = ("SUM", "MAX", "MIN")
for form, mask in (("mask bits", "bits"), ("mask count", "(int32_t)lanes")):
    for api, group, kinds in (("ReduceDataBlock", "block", KINDS), ("ReducePairElem", "pair", ("SUM",)), ("ReduceRepeat<SUM>", "whole", ("SUM",)),
                              ("ReduceRepeat<MAX|MIN>", "whole", ("MAX", "MIN"))):
        name = api.split("<")[0]
        extra = ", (ReduceOrder)arg" if "MAX|" in api else ""
        code = " else ".join(f"if (P(13) == {i}) {{ " + reduce_code(name, f"d, a, {mask}, (int32_t)r, {STRIDES}{extra}", f"ReduceType::{k}, T, T", ", false") + " }"
                             for i, k in enumerate(kinds))

        def runs(rng: np.random.Generator, t: Any, form: str = form, group: str = group, kinds: Any = kinds) -> Iterator[Run]:
            for i, kind in enumerate(kinds):
                for run in reduce_runs(kind, group, form, rng, t[0], [0, 1, 2, 3] if group == "whole" and kind != "SUM" else [0]):
                    run.params[13] = i
                    yield run

        case(api, form, code)(runs)

for kind in KINDS:
    suffix = kind.capitalize()
    for prefix, group, form in (("BlockReduce", "block", "old name of ReduceDataBlock"), ("WholeReduce", "whole", "old name of ReduceRepeat"),
                                ("PairReduce", "pair", "old name of ReducePairElem<SUM>")):
        if prefix == "PairReduce" and kind != "SUM":
            continue
        order = ", (ReduceOrder)arg" if group == "whole" and kind != "SUM" else ""
        parts = []
        for mask in ("bits", "(int32_t)lanes"):
            two = f"{mask}, (int32_t)r" if group == "whole" else f"(int32_t)r, {mask}"
            parts.append(reduce_code(prefix + suffix, f"d, a, {two}, {STRIDES}{order}", "T", ", false"))
        code = f"if (P(13) == 0) {{ {parts[0]} }} else {{ {parts[1]} }}"

        def old_runs(rng: np.random.Generator, t: Any, kind: str = kind, group: str = group) -> Iterator[Run]:
            for i, f in enumerate(("mask bits", "mask count")):
                for run in reduce_runs(kind, group, f, rng, t[0], [0, 1, 2, 3] if group == "whole" and kind != "SUM" else [0]):
                    run.params[13] = i
                    yield run

        case(prefix + suffix, form, code)(old_runs)


@case("RepeatReduceSum", "old name of ReduceRepeat<SUM>",
      reduce_code("RepeatReduceSum", "d, a, (int32_t)r, (int32_t)lanes, 1, (int32_t)P(5), (int32_t)P(7), (int32_t)P(8)", "T", ", false"))
def repeat_reduce_sum(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    yield from reduce_runs("SUM", "whole", "mask count", rng, t[0], [0])


def reduce_all(kind: str, form: str, rng: np.random.Generator, t: str) -> Iterator[Run]:
    lanes, size, work = lanes_for(t), SIZE[t], O
    shapes: list[tuple[list[np.ndarray], int, dict[int, int], str]] = []
    if form == "count":
        for n in (1, lanes - 1, lanes, lanes + 1, 3 * lanes + 5, 65280 // size):
            shapes.append(([np.arange(min(lanes, n - i)) for i in range(0, n, lanes)], 8, {0: n}, f"count {n}"))
    else:
        for s in repeat_shapes([t, t], form == "mask bits", rng, outside=False):
            if not s.in_place and s.active and s.blk[1] == 1:
                shapes.append((s.active, s.rep[1], s.params, s.what))
        few = np.arange(7)  # repeats above 255 are split by the API itself
        shapes.append(([few] * 400, 1, {1: 127 if form == "mask bits" else 7, 3: 400, 5: 1}, "repeat 400"))
    for k, (active, rep, params, what) in enumerate(shapes):
        image = image_of(rng, (A, t, 65280))
        want, src, sums, bests = image.copy(), Operand(t, A, 1, rep), [], []
        for r, on_lanes in enumerate(active):
            v, on = repeat_values(image, src, r, on_lanes, lanes)
            sums.append(tree(t, v))
            i = int(on_lanes[best(kind, v[on_lanes])])
            bests.append((v[i], r * (lanes if form == "count" else rep * (32 // size)) + i))
        with_index = kind != "SUM" and k % 2 == 1
        if kind == "SUM":
            if form == "count":
                total = sums[0]
                with np.errstate(all="ignore"):
                    for x in sums[1:]:
                        total = float(round_to(t, np.array([total + x]))[0])
            else:
                level = sums
                while True:
                    pad = level + [0.0] * (-len(level) % lanes)
                    level = [tree(t, np.array(pad[i:i + lanes])) for i in range(0, len(pad), lanes)]
                    if len(level) == 1:
                        break
                total = level[0]
            result = total
        else:
            value, at = bests[best(kind, np.array([b[0] for b in bests]))]
            result = value
            if with_index:
                store(want, "uint16_t" if size == 2 else "uint32_t", np.array([D + size]), np.array([at]))
        store(want, t, np.array([D]), to_raw(t, np.array([result])))
        uses_work = kind != "SUM" or form != "count"  # and leaves it undefined, which copying all of UB out shows
        yield Run(image, {**params, **BASE, 8: rep, 11: int(with_index)}, want, [(np.array([D]), t, None)], free=[(work, work + 8192)], what=what,
                  findings={"uninitialised-output"} if uses_work else set())


for kind in KINDS:
    name = "Reduce" + kind.capitalize()
    index = "" if kind == "SUM" else ", arg != 0"
    for form, args in (("count", "(int32_t)n"), ("mask bits", "bits, (int32_t)r, (int32_t)P(8)"), ("mask count", "(int32_t)lanes, (int32_t)r, (int32_t)P(8)")):
        case(name, form, f"LocalTensor<T> w = o.template ReinterpretCast<T>(); {name}(d, a, w, {args}{index});")(
            lambda rng, t, kind=kind, form=form: reduce_all(kind, form, rng, t[0]))


@case("GetReduceRepeatMaxMinSpr", "value and index", "LocalTensor<T> w = o.template ReinterpretCast<T>(); T v, i, u; if (P(13) == 0) { ReduceMax(d, a, w, (int32_t)n, true); GetReduceRepeatMaxMinSpr<T>(v); } "
      "else { if (P(13) == 1) WholeReduceMax(d, a, lanes, (int32_t)r, 1, 1, 8); else WholeReduceMin(d, a, lanes, (int32_t)r, 1, 1, 8); GetReduceRepeatMaxMinSpr<T>(v, i); RES(1, ow_bits(i)); } "
      "RES(0, ow_bits(v)); GetReduceMaxMinCount<T>(u); RES(2, ow_bits(u));")
def max_min_spr(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    size = SIZE[t[0]]
    for run in reduce_all("MAX", "count", rng, t[0]):
        n = run.params[0]
        v = values(run.image, t[0], A + np.arange(n) * size)
        i = best("MAX", v)
        bits = int(to_raw(t[0], v[i:i + 1])[0])
        if np.isnan(v[i]):
            continue
        store(run.want, "uint16_t" if size == 2 else "uint32_t", np.array([D + size]), np.array([i]))
        run.results = [bits, 0, bits]
        yield run
    for kind, arg in (("MAX", 1), ("MIN", 2)):  # of all repeats together
        image, per = image_of(rng, (A, t[0], 4096, {"special": False})), 256 // size
        want = image.copy()
        v = values(image, t[0], A + np.arange(5 * per) * size)
        for r in range(5):
            i = best(kind, v[r * per:(r + 1) * per])
            store(want, t[0], np.array([D + 2 * r * size]), to_raw(t[0], v[r * per + i:r * per + i + 1]))
            store(want, "uint16_t" if size == 2 else "uint32_t", np.array([D + (2 * r + 1) * size]), np.array([i]))
        i = best(kind, v)
        bits = int(to_raw(t[0], v[i:i + 1])[0])
        yield Run(image, {1: per, 3: 5, 13: arg, 16: D, 17: A, 19: O}, want, results=[bits, i, bits], what=f"repeats, {kind}")


@case("GetReduceRepeatSumSpr", "whole", "LocalTensor<T> w = o.template ReinterpretCast<T>(); ReduceSum(d, a, w, (int32_t)n); RES(0, ow_bits(GetReduceRepeatSumSpr<T>())); RES(1, ow_bits(GetAccVal<T>()));")
def sum_spr(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    for run in reduce_all("SUM", "count", rng, t[0]):
        total = values(run.want, t[0], np.array([D]))
        if not np.isnan(total[0]):
            run.results = [int(to_raw(t[0], total)[0])] * 2
        yield run


# ---- comparison ------------------------------------------------------------------------------------------------------

CMP = [np.less, np.greater, np.equal, np.less_equal, np.greater_equal, np.not_equal]


def packed(bits: np.ndarray) -> np.ndarray:
    return np.packbits(bits, bitorder="little")


def compared(t: str, mode: int, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    return np.equal(a, b) if t == "int32_t" else CMP[mode](a, b)


def compare_runs(form: str, rng: np.random.Generator, t: str, scalar: bool) -> Iterator[Run]:
    lanes, size = lanes_for(t), SIZE[t]
    shapes = [(n, None) for n in (lanes, 3 * lanes, lanes + 5, 0)] if form == "count" else [(None, s) for s in repeat_shapes([t, t, t], form == "mask bits", rng, outside=False)]
    for k, (n, s) in enumerate(shapes):
        if s is not None and (s.in_place or not s.active or (scalar and s.rep[1] == 0 and False)):
            continue
        for mode in range(6) if k < 2 else (k % 6,):
            image = image_of(rng, (A, t, 65280), (B, t, 61440))
            want = image.copy()
            bits = int(random_bits(rng, t, 1, special=False)[0])
            wanted = {"compare-int-mode"} if t == "int32_t" and mode != 2 else set()
            if s is None:
                at = [np.arange(i, i + lanes) for i in range(0, n // lanes * lanes, lanes)]
                pairs = [(A + x * size, B + x * size) for x in at]
                if n % lanes:
                    wanted.add("compare-count-256")
                params = {0: n}
            else:  # every lane, whatever the mask
                ops = [Operand(t, A, s.blk[1], s.rep[1]), Operand(t, B, s.blk[2], s.rep[2])]
                pairs = [(ops[0].at(r, np.arange(lanes)), ops[1].at(r, np.arange(lanes))) for r in range(len(s.active))]
                params = s.params
                if pairs and max(int(p[1].max()) for p in pairs) + size > O + 32768 - 64:
                    continue
            for r, (pa, pb) in enumerate(pairs):
                left = values(image, t, pa)
                right = np.broadcast_to(from_raw(t, np.array([bits], raw(t)))[0], left.shape) if scalar else values(image, t, pb)
                want[D + r * lanes // 8:D + (r + 1) * lanes // 8] = packed(compared(t, mode, left, right))
            yield Run(image, {**params, **BASE, 10: bits, 11: mode}, want, findings=wanted, what=f"mode {mode}, {s.what if s else f'count {n}'}")


for form, args in (("count", "(uint32_t)n"), ("mask bits", "bits, r, bp"), ("mask count", "lanes, r, bp")):
    case("Compare", form, f"Compare(d, a, b, (CMPMODE)arg, {args});")(lambda rng, t, form=form: compare_runs(form, rng, t[1], False))
    args = args.replace("bp", "up")
    case("Compares", form, f"if (P(11) % 2) Compares(d, a, us, (CMPMODE)arg, {args}); else CompareScalar(d, a, us, (CMPMODE)arg, {args});")(
        lambda rng, t, form=form: compare_runs(form, rng, t[1], True))

for form, mask in (("register result, mask array", "bits"), ("register result, mask count", "lanes")):
    def cmpmask_runs(rng: np.random.Generator, t: Any, form: str = form) -> Iterator[Run]:
        lanes = lanes_for(t[0])
        for k, s in enumerate(repeat_shapes([t[0]] * 3, "array" in form, rng, outside=False)):
            if s.in_place or not s.active:
                continue
            image = image_of(rng, (A, t[0], 65280), (B, t[0], 32768))
            want, mode = image.copy(), k % 6
            pa, pb = Operand(t[0], A, s.blk[1], 8).at(0, s.active[0]), Operand(t[0], B, s.blk[2], 8).at(0, s.active[0])
            old = np.unpackbits(image[O:O + 16], bitorder="little")  # SetCmpMask comes first
            old[s.active[0]] = compared(t[0], mode, values(image, t[0], pa), values(image, t[0], pb))
            want[D:D + 16] = packed(old)
            yield Run(image, {**s.params, **BASE, 11: mode}, want, what=f"mode {mode}, {s.what}")

    case("Compare", form, f"SetCmpMask(o); Compare(a, b, (CMPMODE)arg, {mask}, bp); GetCmpMask(d);")(cmpmask_runs)


@case("SetCmpMask", "whole", "SetCmpMask(d); GetCmpMask(o);")
def set_cmp_mask(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    image = image_of(rng)
    want = image.copy()
    want[O:O + 16] = image[D:D + 16]
    yield Run(image, dict(BASE), want)


@case("GetCmpMask", "whole", "SetCmpMask(o); GetCmpMask(d);")
def get_cmp_mask(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    image = image_of(rng)
    want = image.copy()
    want[D:D + 16] = image[O:O + 16]
    yield Run(image, dict(BASE), want)


# ---- selection -------------------------------------------------------------------------------------------------------

SEL = O  # where the selecting bits lie


def select_runs(form: str, modes: tuple[int, ...], rng: np.random.Generator, t: str) -> Iterator[Run]:
    lanes, size = lanes_for(t), SIZE[t]
    for mode in modes:
        shapes: Any = [(None, n) for n in (1, lanes - 1, lanes + 9, 4 * lanes, 77)] if form == "count" else [(s, 0) for s in repeat_shapes([t] * 3, form == "mask bits", rng, outside=False)]
        for s, n in shapes:
            if s is not None and (s.in_place or len(s.active) > 60):
                continue
            image = image_of(rng, (A, t, 32768), (B, t, 32000))
            want = image.copy()
            bits = int(random_bits(rng, t, 1)[0])
            on_bits = np.unpackbits(image[SEL:SEL + 4096], bitorder="little").astype(bool)
            ops = [Operand(t, x, s.blk[i] if s else 1, s.rep[i] if s else 0) for i, x in enumerate((D, A, B))]
            for r, active in enumerate(s.active if s else [np.arange(n)]):
                which = active if mode != 0 else active % lanes
                on = on_bits[which + (r * lanes if mode != 0 else 0)]
                left = load(want, t, ops[1].at(r, active))
                right = np.full(len(active), bits, raw(t)) if mode == 1 else load(want, t, ops[2].at(r, active))
                store(want, t, ops[0].at(r, active), np.where(on, left, right))
            yield Run(image, {**(s.params if s else {0: n}), **BASE, 10: bits, 11: mode}, want, what=f"mode {mode}, {s.what if s else f'count {n}'}")


for form, title, args in (("count", "count", "(uint32_t)n"), ("mask bits", "mask array + repeat", "bits, r, bp"), ("mask count", "mask count + repeat", "lanes, r, bp")):
    two = f"{title}, mode 0 or 2" + (" (tensor,tensor)" if form == "count" else "")
    one = f"{title}, mode 1" + (" (tensor,scalar)" if form == "count" else "")
    sel = "LocalTensor<uint8_t> sel = o.template ReinterpretCast<uint8_t>(); "
    case("Select", two, sel + f"Select(d, sel, a, b, (SELMODE)arg, {args});")(lambda rng, t, form=form: select_runs(form, (0, 2), rng, t[0]))
    case("Select", one, sel + f"Select(d, sel, a, ts, SELMODE::VSEL_TENSOR_SCALAR_MODE, {args});")(lambda rng, t, form=form: select_runs(form, (1,), rng, t[0]))


@case("Select", "no mask, mode 0 or 2", "SetCmpMask(o); SetVectorMask<T, MaskMode::NORMAL>(bits[1], bits[0]); Select<T, SELMODE::VSEL_CMPMASK_SPR>(d, a, b, r, bp); ResetMask();")
def select_register(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    for run in select_runs("mask bits", (0,), rng, t[0]):
        yield run


@case("Select", "no mask, mode 1", "LocalTensor<uint8_t> sel = o.template ReinterpretCast<uint8_t>(); LocalTensor<T> k(TPosition::VECCALC, 188416, 16); "
      "SetCmpMask(k); SetVectorMask<T, MaskMode::NORMAL>(bits[1], bits[0]); Select<T, uint8_t>(d, sel, a, r, bp); ResetMask();")
def select_register_scalar(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    for run in select_runs("mask bits", (1,), rng, t[0]):
        for image in (run.image, run.want):
            image[188416:188416 + 16] = np.frombuffer(np.full(16 // SIZE[t[0]], run.params[10], raw(t[0])).tobytes(), np.uint8)
        yield run


# ---- gathering -------------------------------------------------------------------------------------------------------

def offsets_in(rng: np.random.Generator, n: int, size: int, limit: int) -> np.ndarray:
    return (rng.integers(0, limit // size, n) * size).astype(np.uint32)


for form, args in (("count", "(uint32_t)n"), ("mask bits", "bits, r, (uint32_t)P(7)"), ("mask count", "lanes, r, (uint32_t)P(7)")):
    def gather_runs(rng: np.random.Generator, t: Any, form: str = form) -> Iterator[Run]:
        size, lanes = SIZE[t[0]], lanes_for(t[0])
        shapes: Any = [(None, n) for n in (0, 1, 7, lanes, 2 * lanes + 3, 4096)] if form == "count" else [(s, 0) for s in repeat_shapes([t[0]], form == "mask bits", rng, outside=False)]
        for k, (s, n) in enumerate(shapes):
            if s is not None and (s.in_place or len(s.active) > 60 or s.blk[0] != 1):
                continue
            image, base = image_of(rng, (A, t[0], 32768)), size * (k % 3)
            count = n if s is None else max(1, len(s.active)) * lanes
            offsets = offsets_in(rng, count, size, 16384)
            image[B:B + 4 * count] = np.frombuffer(offsets.tobytes(), np.uint8)
            want = image.copy()
            op = Operand(t[0], D, 1, s.rep[0] if s else 0)
            for r, active in enumerate(s.active if s else [np.arange(n)]):
                at = A + base + offsets[r * lanes + active].astype(np.int64)
                store(want, t[0], op.at(r, active), load(image, t[0], at))
            yield Run(image, {**(s.params if s else {0: n}), **BASE, 7: s.rep[0] if s else 0, 11: base, 19: B}, want, what=s.what if s else f"count {n}")

    case("Gather", form, f"Gather(d, a, o, (uint32_t)arg, {args});")(gather_runs)


@case("Gatherb", "repeat", "Gatherb(d, a, o, r, {(uint16_t)up.dstBlkStride, (uint16_t)up.dstRepStride});")
def gatherb(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    for repeat, blk, rep in ((1, 1, 8), (0, 1, 8), (5, 1, 8), (3, 2, 17), (200, 1, 8), (2, 0, 8)):
        image = image_of(rng)
        offsets = offsets_in(rng, repeat * 8, 32, 32768)
        image[O:O + 32 * repeat] = np.frombuffer(offsets.tobytes(), np.uint8)
        want = image.copy()
        for i, off in enumerate(offsets.tolist()):
            at = D + 32 * (i // 8 * rep + i % 8 * (blk or 1))
            want[at:at + 32] = image[A + off:A + off + 32]
        yield Run(image, {**BASE, 3: repeat, 4: blk, 7: rep}, want, what=f"repeat {repeat}, strides {blk} {rep}")


PATTERN = {1: lambda i: i % 2 == 0, 2: lambda i: i % 2 == 1, 3: lambda i: i % 4 == 0, 4: lambda i: i % 4 == 1, 5: lambda i: i % 4 == 2, 6: lambda i: i % 4 == 3, 7: lambda i: i >= 0}
GATHER_SHAPES = [(0, 0, 1, 1, 8, 8), (0, 0, 3, 1, 8, 1), (1, 5, 1, 1, 8, 8), (1, 300, 2, 1, 64, 2), (0, 0, 2, 2, 20, 0), (1, 77, 3, 1, 16, 0), (1, 0, 1, 1, 8, 8), (0, 0, 0, 1, 8, 8)]


def gather_mask_runs(rng: np.random.Generator, t: Any, user: bool) -> Iterator[Run]:
    size = SIZE[t[0]]
    for pattern in (0,) if user else range(1, 8):
        for counter, mask, repeat, blk, rep, pattern_rep in GATHER_SHAPES:
            image = image_of(rng, (A, t[0], 65280))
            n = mask if counter else 256 // size
            want, kept = image.copy(), []
            src = Operand(t[0], A, blk, rep)
            for r in range(repeat):
                i = np.arange(n)
                on = PATTERN[pattern](i) if pattern else np.unpackbits(image[B + r * pattern_rep * 32:B + r * pattern_rep * 32 + (n + 7) // 8], bitorder="little")[:n].astype(bool)
                kept.append(load(image, t[0], src.at(r, i[on])))
            got = np.concatenate([*kept, np.zeros(0, raw(t[0]))])
            store(want, t[0], D + np.arange(len(got)) * size, got)
            yield Run(image, {**BASE, 0: mask, 3: repeat, 5: blk, 8: rep, 9: pattern_rep, 11: pattern, 12: counter}, want, results=[len(got), len(got)] if n and repeat else [0],
                      what=f"pattern {pattern}, {'counter ' + str(mask) if counter else 'normal'}, repeat {repeat}")


GM_PARAMS = "GatherMaskParams((uint8_t)P(5), (uint16_t)r, (uint16_t)P(8), (uint8_t)P(9))"
case("GatherMask", "builtin pattern", f"uint64_t k = 7; GatherMask(d, a, (uint8_t)arg, P(12) != 0, (uint32_t)n, {GM_PARAMS}, k); RES(0, k); RES(1, GetGatherMaskRemainCount());")(
    lambda rng, t: gather_mask_runs(rng, t, False))
case("GatherMask", "user pattern tensor", f"uint64_t k = 7; LocalTensor<T> s = a.template ReinterpretCast<T>(); GatherMask(d, s, b, P(12) != 0, (uint32_t)n, {GM_PARAMS}, k); RES(0, k); RES(1, GetGatherMaskRemainCount());")(
    lambda rng, t: gather_mask_runs(rng, t, True))


@case("GetGatherMaskRemainCount", "whole", f"uint64_t k = 7; GatherMask(d, a, (uint8_t)arg, P(12) != 0, (uint32_t)n, {GM_PARAMS}, k); RES(0, GetGatherMaskRemainCount());")
def remain_count(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    for run in gather_mask_runs(rng, t, False):
        run.results = run.results[:1]
        if run.params[3] and (run.params[0] or not run.params[12]):
            yield run


# ---- sorting ---------------------------------------------------------------------------------------------------------

def sort_key(v: np.ndarray) -> np.ndarray:
    """Larger comes first; NaN is the largest."""
    return np.where(np.isnan(v), np.inf, v) + 0.0, np.isnan(v)


@case("Sort32", "repeat", "LocalTensor<T> s = a.template ReinterpretCast<T>(); Sort32<T>(d, s, o, (int32_t)r);")
def sort32(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    size = SIZE[t[0]]
    for repeat in (0, 1, 3, 255):
        image = image_of(rng, (A, t[0], 65280))
        few = rng.integers(-3, 3, 32)  # many equal scores
        image[A:A + 32 * size] = np.frombuffer(to_raw(t[0], few.astype(np.float64)).tobytes(), np.uint8)
        want = image.copy()
        for r in range(repeat):
            v = values(image, t[0], A + (r * 32 + np.arange(32)) * size)
            finite, nan = sort_key(v)
            order = sorted(range(32), key=lambda i: (not nan[i], -finite[i] if not nan[i] else 0.0, i))
            for k, i in enumerate(order):
                at = D + (r * 32 + k) * 8
                want[at:at + 4] = 0
                want[at:at + size] = image[A + (r * 32 + i) * size:A + (r * 32 + i + 1) * size]
                want[at + 4:at + 8] = image[B + (r * 32 + i) * 4:B + (r * 32 + i + 1) * 4]
        yield Run(image, {**BASE, 3: repeat, 19: B}, want, what=f"repeat {repeat}")


def records(rng: np.random.Generator, t: str, n: int) -> np.ndarray:
    """n records in falling order of score, some equal."""
    v = np.sort(rng.integers(-20, 20, n).astype(np.float64))[::-1]
    out = rng.integers(0, 256, (n, 8), dtype=np.uint8)
    out[:, :SIZE[t]] = to_raw(t, np.ascontiguousarray(v)).view(np.uint8).reshape(n, SIZE[t])
    return out


@case("MrgSort", "4-way merge", "uint16_t len[4] = {(uint16_t)P(20), (uint16_t)P(21), (uint16_t)P(22), (uint16_t)P(23)}; MrgSortSrcList<T> list(a[0], a[(uint32_t)P(24)], a[(uint32_t)P(25)], a[(uint32_t)P(26)]); "
      "MrgSort4Info info(len, P(27) != 0, (uint16_t)P(28), (uint16_t)P(29)); MrgSort<T>(d, list, info); uint16_t x[4]; GetMrgSortResult(x[0], x[1], x[2], x[3]); for (int i = 0; i < 4; i++) RES(i, x[i]);")
def mrg_sort(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    size = SIZE[t[0]]
    for lengths, n_queues, suspend, repeat in (([5, 9, 1, 32], 4, 0, 1), ([16, 16, 16, 16], 4, 0, 3), ([7, 0, 12, 3], 3, 0, 1), ([100, 3, 0, 0], 2, 1, 1), ([8, 8, 8, 8], 4, 1, 1), ([2, 2, 2, 2], 2, 0, 1)):
        image = image_of(rng)
        used = lengths[:n_queues]
        starts = np.concatenate([[0], np.cumsum(lengths)[:3]]) * 8
        total = sum(lengths) * 8
        want = image.copy()
        taken = [0, 0, 0, 0]
        for r in range(repeat):
            queues = []
            for q in range(4):
                rows = records(rng, t[0], lengths[q])
                at = A + r * total + int(starts[q])
                image[at:at + rows.size] = rows.ravel()
                want[at:at + rows.size] = rows.ravel()
                queues.append(rows)
            taken, out = [0, 0, 0, 0], []
            while True:
                left = [q for q in range(n_queues) if taken[q] < used[q]]
                if not left or (suspend and len(left) < n_queues):
                    break
                q = max(left, key=lambda q: (float(from_raw(t[0], np.ascontiguousarray(queues[q][taken[q], :size]).view(raw(t[0])))[0]), -q))
                out.append(queues[q][taken[q]])
                taken[q] += 1
            flat = np.concatenate(out) if out else np.zeros(0, np.uint8)
            at = D + r * total
            want[at:at + len(flat)] = flat
        yield Run(image, {**BASE, **{20 + q: lengths[q] for q in range(4)}, 24: int(starts[1]) // size, 25: int(starts[2]) // size, 26: int(starts[3]) // size,
                          27: suspend, 28: (1 << n_queues) - 1, 29: repeat}, want, results=taken, what=f"{lengths}, {n_queues} queues, suspend {suspend}, repeat {repeat}")


# ---- layout ----------------------------------------------------------------------------------------------------------

def five_hd(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    size = SIZE[t[0]]
    for repeat, dst_rep, src_rep, high in ((1, 0, 0, 0), (0, 0, 0, 0), (3, 16, 1, 0), (5, 16, 2, 1), (2, 17, 1, 2), (1, 0, 0, 3)):
        if high and size != 1:
            continue
        image = image_of(rng)
        want = image.copy()
        src_step, dst_step = 32 * max(1, src_rep) * max(1, repeat), 32
        for r in range(repeat):
            s = np.stack([image[A + i * src_step + r * src_rep * 32:][:32].view(raw(t[0])) for i in range(16)])
            for i in range(16):
                for j in range(32 // size):
                    if size == 1:
                        if j // 16 != (1 if high & 2 else 0):
                            continue
                        block, slot = j % 16, i + (16 if high & 1 else 0)
                    elif size == 2:
                        block, slot = j, i
                    else:
                        block, slot = 2 * j + i // 8, i % 8
                    at = D + block * dst_step + r * dst_rep * 32 + slot * size
                    want[at:at + size] = np.frombuffer(s[i, j].tobytes(), np.uint8)
        yield Run(image, {**BASE, 3: repeat, 7: dst_rep, 8: src_rep, 11: high, 20: src_step, 21: dst_step}, want, what=f"repeat {repeat}, strides {dst_rep} {src_rep}, halves {high}")


HD = "TransDataTo5HDParams tp((P(11) & 1) != 0, (P(11) & 2) != 0, (uint8_t)r, (uint16_t)P(7), (uint16_t)P(8)); "
case("TransDataTo5HD", "tensor arrays", HD + "LocalTensor<T> dl[16], sl[16]; for (int i = 0; i < 16; i++) { dl[i] = d[i * (uint32_t)P(21) / sizeof(T)]; sl[i] = a[i * (uint32_t)P(20) / sizeof(T)]; } TransDataTo5HD<T>(dl, sl, tp);")(five_hd)
case("TransDataTo5HD", "address arrays", HD + "uint64_t dl[16], sl[16]; for (int i = 0; i < 16; i++) { dl[i] = (uint64_t)d[i * (uint32_t)P(21) / sizeof(T)].GetPhyAddr(); sl[i] = (uint64_t)a[i * (uint32_t)P(20) / sizeof(T)].GetPhyAddr(); } TransDataTo5HD<T>(dl, sl, tp);")(five_hd)


@case("TransDataTo5HD", "address tensors", HD + "LocalTensor<uint64_t> x(TPosition::VECCALC, 188416, 16), y(TPosition::VECCALC, 188544, 16); for (int i = 0; i < 16; i++) { x.SetValue(i, (uint64_t)d[i * (uint32_t)P(21) / sizeof(T)].GetPhyAddr()); "
      "y.SetValue(i, (uint64_t)a[i * (uint32_t)P(20) / sizeof(T)].GetPhyAddr()); } TransDataTo5HD<T>(x, y, tp);")
def five_hd_tensors(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    for run in five_hd(rng, t):
        run.free = [(188416, 188672)]
        yield run


def plain_transpose(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    for in_place in (False, True):
        image = image_of(rng)
        want, to = image.copy(), A if in_place else D
        m = image[A:A + 512].view(np.uint16).reshape(16, 16)
        want[to:to + 512] = np.ascontiguousarray(m.T).view(np.uint8).ravel()
        yield Run(image, {**BASE, 16: to}, want, what="in place" if in_place else "apart")


case("Transpose", "plain 16x16", "Transpose(d, a);")(plain_transpose)
TMP = "LocalTensor<uint8_t> tmp(TPosition::VECCALC, 131072, 61440); "
case("Transpose", "ext ND2ND_B16", TMP + "TransposeParamsExt te(1, 1, 16, 16, TransposeType::TRANSPOSE_ND2ND_B16); Transpose(d, a, tmp, te);", [("uint16_t", "uint16_t", "uint32_t")])(plain_transpose)
for form, kind in (("ext TRANSPOSE_NCHW2NHWC", "TRANSPOSE_NCHW2NHWC"), ("ext TRANSPOSE_NHWC2NCHW", "TRANSPOSE_NHWC2NCHW")):
    def nchw_runs(rng: np.random.Generator, t: Any, kind: str = kind) -> Iterator[Run]:
        size = SIZE[t[0]]
        for n, ch, h, w in ((1, 3, 4, 8), (2, 5, 2, 16), (1, 1, 4, 8), (3, 4, 1, 32), (0, 3, 4, 8), (1, 17, 8, 8)):
            image = image_of(rng)
            want = image.copy()
            total = n * ch * h * w * size
            m = image[A:A + total].view(raw(t[0]))
            m = m.reshape(n, ch, h * w).transpose(0, 2, 1) if "2NHWC" in kind else m.reshape(n, h * w, ch).transpose(0, 2, 1)
            want[D:D + total] = np.ascontiguousarray(m).view(np.uint8).ravel()
            yield Run(image, {**BASE, 20: n, 21: ch, 22: h, 23: w}, want, free=[(B, B + 61440)], findings={"uninitialised-output"} if n and ch > 1 else set(),  # the temporary space
                      what=f"{n} {ch} {h} {w}")

    case("Transpose", form, TMP + f"TransposeParamsExt te((uint16_t)P(20), (uint16_t)P(21), (uint16_t)P(22), (uint16_t)P(23), TransposeType::{kind}); Transpose(d, a, tmp, te);")(nchw_runs)


@case("GetMrgSortResult", "whole", "uint16_t len[4] = {3, 4, 5, 6}; LocalTensor<float> s = a.template ReinterpretCast<float>(); MrgSortSrcList<float> list(s, s[8], s[16], s[32]); "
      "MrgSort4Info info(len, true, 15, 1); MrgSort<float>(d.template ReinterpretCast<float>(), list, info); uint16_t x[4]; GetMrgSortResult(x[0], x[1], x[2], x[3]); for (int i = 0; i < 4; i++) RES(i, x[i]);",
      [("float", "float", "uint32_t")])
def mrg_result(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    image = image_of(rng)
    image[A:A + 512].view(np.float32)[:] = 0.0
    image[A:A + 24].view(np.float32)[::2] = 9.0  # the first queue is taken whole, then the merge stops
    want = image.copy()
    want[D:D + 24] = image[A:A + 24]
    yield Run(image, dict(BASE), want, results=[3, 0, 0, 0])


@case("Compare", "operator", "a.SetSize((uint32_t)n); switch (arg) { case 0: d = a < b; break; case 1: d = a > b; break; case 2: d = a == b; break; case 3: d = a <= b; break; case 4: d = a >= b; break; default: d = a != b; }")
def compare_operators(rng: np.random.Generator, t: Any) -> Iterator[Run]:
    yield from compare_runs("count", rng, t[1], False)
