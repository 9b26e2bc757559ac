"""The elementwise, sorting, layout and quantisation families against PyTorch in float64 or exact rules."""

from __future__ import annotations

import math

import pytest
import torch
from conform_adv import CXX, Case, Kernel, check, size_of, tiling_of

F16, BF16, F32 = torch.float16, torch.bfloat16, torch.float32
I8, I16, I32, U8 = torch.int8, torch.int16, torch.int32, torch.uint8
INF, NAN = math.inf, math.nan
OPEN = {"uninitialised-output"}
SIZES = (1, 8, 100, 777)


def rand(*shape: int, dtype: torch.dtype = F32, scale: float = 1.0, seed: int = 0) -> torch.Tensor:
    g = torch.Generator().manual_seed(seed + sum(shape))
    return (torch.randn(*shape, generator=g) * scale).to(dtype)


def spread(n: int, low: float, high: float, dtype: torch.dtype) -> torch.Tensor:
    return torch.linspace(low, high, n, dtype=torch.float64).to(dtype) if n > 1 else torch.tensor([(low + high) / 2]).to(dtype)


def part(n: int, t: torch.dtype) -> set[str]:
    return OPEN if n * t.itemsize % 32 else set()


def space(api: str, n: int, t: torch.dtype, reuse: int = 0) -> int:
    return size_of("Gelu" if "Gelu" in api else api, [n], [t.itemsize, reuse])[1]


# ---- one operand

def gelu(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.gelu(x, approximate="tanh")


# name: function, interval, tolerance for float, for half, forms: N count, T count and space, W whole, S whole and space
UNARY = {
    "Log": (torch.log, 0.01, 50, 2e-6, 2e-3, "NW"), "Log2": (torch.log2, 0.01, 50, 2e-6, 2e-3, "NTWS"), "Log10": (torch.log10, 0.01, 50, 2e-6, 2e-3, "NW"),
    "Sigmoid": (torch.sigmoid, -9, 9, 2e-6, 2e-3, "NTWS"), "Silu": (torch.nn.functional.silu, -9, 9, 2e-6, 2e-3, "N"),
    "Tanh": (torch.tanh, -12, 12, 2e-6, 2e-3, "NTWS"), "Sinh": (torch.sinh, -4, 4, 2e-6, 2e-3, "NTWS"), "Cosh": (torch.cosh, -4, 4, 2e-6, 2e-3, "NTWS"),
    "Asinh": (torch.asinh, -30, 30, 2e-6, 2e-3, "NTWS"), "Acosh": (torch.acosh, 1.125, 30, 1e-5, 2e-3, "NTWS"),
    "Atanh": (torch.atanh, -0.9375, 0.9375, 2e-6, 2e-3, "NTWS"), "Asin": (torch.asin, -1, 1, 1e-4, 2e-3, "NTWS"), "Acos": (torch.acos, -1, 1, 1e-4, 2e-3, "NTWS"),
    "Atan": (torch.atan, -40, 40, 5e-6, 2e-3, "NTWS"), "Erf": (torch.erf, -5, 5, 2e-6, 2e-3, "NTWS"), "Erfc": (torch.erfc, -5, 9, 2e-6, 2e-3, "NTWS"),
    "Sin": (torch.sin, -60, 60, 1e-5, 2e-3, "NTWS"), "Cos": (torch.cos, -60, 60, 1e-5, 2e-3, "NTWS"), "Tan": (torch.tan, -1.25, 1.25, 1e-5, 2e-3, "NTWS"),
    "Trunc": (torch.trunc, -9, 9, 0, 0, "NTWS"), "Frac": (torch.frac, -9, 9, 0, 0, "NTWS"), "Sign": (torch.sign, -9, 9, 0, 0, "NTWS"),
    "Floor": (torch.floor, -9, 9, 0, 0, "NT"), "Ceil": (torch.ceil, -9, 9, 0, 0, "NT"), "Round": (torch.round, -9, 9, 0, 0, "NT"),
    "Lgamma": (torch.lgamma, -20.3, 40, 2e-6, 2e-3, "NT"), "Digamma": (torch.digamma, 0.0625, 40, 2e-6, 2e-3, "NT"),
    "Gelu": (gelu, -6, 6, 2e-6, 4e-3, "NT"), "FasterGelu": (lambda x: x * torch.sigmoid(1.702 * x), -6, 6, 2e-6, 4e-3, "NT"),
    "FasterGeluV2": (torch.nn.functional.gelu, 0.125, 6, 1e-2, 1.5e-2, "NT"),
}
FORM = {"N": ("{c}", ", {n}", False), "T": ("{c}", ", tmp, {n}", True), "W": ("{c}", "", False), "S": ("{c}", ", tmp", True)}
WHOLE_VALUES = [0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999, -7.75, 1023.5, 2048.0, -65504.0]


def maths_cases() -> list[Case]:
    cases = []
    for api, (fn, low, high, tol, tol_half, forms) in UNARY.items():
        for t in (F32, F16):
            for i, form in enumerate(forms):
                n = SIZES[(i + len(api)) % len(SIZES)]
                x = spread(n, low, high, t)
                pad = -(-n * t.itemsize // 32) * 32 // t.itemsize
                if form in "WS":  # the whole tensor, with its padding
                    n, x = pad, spread(pad, low, high, t)
                head, tail, given = FORM[form]
                want = [fn(x.double())]
                may = part(n, t)
                text = f"{api}<{CXX[t]}>(out0, in0{tail.format(n=n)});"
                cases.append(Case(f"{api} {form} {CXX[t]} {n}", text, [x], [(t, n)], want, tol if t is F32 else tol_half, max(space(api, n, t), 32) if given else 0, b"", may))
            if "T" in forms:
                cases.append(Case(f"{api} none {CXX[t]}", f"{api}<{CXX[t]}>(out0, in0, tmp, 0);", [x], [(t, 16)], None, 0, 32, b"", OPEN))
    for api in ("Trunc", "Frac", "Sign", "Floor", "Ceil", "Round"):
        for t in (F32, F16):
            x = torch.tensor(WHOLE_VALUES + ([8388609.0, 1e9, -16777216.0] if t is F32 and api != "Frac" else [])).to(t)
            n = x.numel()
            cases.append(Case(f"{api} values {CXX[t]}", f"{api}<{CXX[t]}>(out0, in0, tmp, {n});", [x], [(t, n)], [UNARY[api][0](x.double())], 0, max(space(api, n, t), 32), b"", part(n, t)))
    for t, tol in ((F32, 2e-6), (F16, 4e-3)):
        c, x, y = CXX[t], rand(100, dtype=t, scale=3.0), rand(100, dtype=t, scale=3.0, seed=1)
        d, e, may = x.double(), y.double(), part(100, t)
        one = lambda name, text, want, tmp=0, ins=None, exact=False: cases.append(  # noqa: E731
            Case(f"{name} {c}", text.format(c=c), ins or [x, y], [(t, 100)], [want], 0 if exact else tol, tmp, b"", may))
        one("Swish", "Swish<{c}>(out0, in0, 100, ({c})1.5f);", d * torch.sigmoid(1.5 * d))
        one("ClampMax", "ClampMax<{c}>(out0, in0, tmp, ({c})1.5f, 100);", d.clamp(max=1.5), size_of("Clamp", [100], [t.itemsize, 0])[1], exact=True)
        one("ClampMin", "ClampMin<{c}>(out0, in0, ({c})1.5f, 100);", d.clamp(min=1.5), exact=True)
        one("Gelu high precision", "Gelu<{c}, true>(out0, in0, tmp, 100);", gelu(d), 768 * 2)
        one("Exp", "Exp<{c}, 10>(out0, in0, tmp, 100);", torch.exp(d), space("Exp", 100, t))
        one("Exp plain", "Exp<{c}, 0>(out0, in0, 100);", torch.exp(d))
        by = torch.where(e.abs() < 0.5, 1.0, e)
        if t is F32:
            one("Fmod", "Fmod<{c}>(out0, in0, in1, tmp, 100);", torch.fmod(d, by), space("Fmod", 100, t), [x, by.to(t)])
        base = x.abs() + t.itemsize / 16
        forms = [("tensors", "in0, in1", base.double() ** (e / 4), [base, (e / 4).to(t)], 1, 1), ("exponent", "in0, ({c})3", d**3, [x], 1, 0),
                 ("base", "({c})2.5f, in0", 2.5**d, [x], 0, 1)]
        if t is F16:
            forms[0] = (*forms[0][:2], base.double() ** (e / 4).to(t).double(), *forms[0][3:])
        for name, args, want, ins, has_base, has_exponent in forms:
            least = size_of("Power", [100], [t.itemsize, 0, has_base, has_exponent])[1]
            for count, n in ((", 100", 100), ("", None)):
                if n is None and t is F16:
                    continue
                used = ins if n else [i[:96] for i in ins]
                cases.append(Case(f"Power {name} {c} {n}", f"Power<{c}>(out0, {args.format(c=c)}, tmp{count});", used, [(t, n or 96)], [want[: n or 96]], tol * 50 if t is F32 else tol, least, b"", may if n else set()))
        sz = space("GeGLU", 100, t)
        one("GeGLU", "GeGLU<{c}>(out0, in0, in1, tmp, 100);" if sz else "GeGLU<{c}>(out0, in0, in1, 100);", d * gelu(e), sz)
        one("SwiGLU", "float beta = 1.5f; SwiGLU<{c}>(out0, in0, in1, beta, tmp, 100);", d * e * torch.sigmoid(1.5 * e), max(space("SwiGLU", 100, t), 32))
        one("ReGlu", "ReGlu<{c}>(out0, in0, in1, tmp, 100);", d * e.clamp(min=0), space("ReGlu", 100, t))
        one("ReGlu framework", "ReGlu<{c}>(out0, in0, in1, 100);", d * e.clamp(min=0))
        add = rand(100, dtype=t, seed=5)
        cases.append(Case(f"Axpy {c}", f"Axpy<{c}, {c}>(out0, in0, ({c})0.75f, tmp, 100);", [x, add], [(t, 100)], [add.double() + 0.75 * d], tol, max(space("Axpy", 100, t), 32), b"", set(), {0: 1}))
        for api in ("Sin", "Cos", "Digamma", "Lgamma", "Exp"):
            text = f"{api}<{c}, {'10, ' if api == 'Exp' else ''}true>(out0, in0, tmp, 100);"
            fn = {"Sin": torch.sin, "Cos": torch.cos, "Digamma": torch.digamma, "Lgamma": torch.lgamma, "Exp": torch.exp}[api]
            cases.append(Case(f"{api} reuse {c}", text, [x.abs() + 1], [(t, 100)], [fn((x.abs() + 1).double())], tol * 4, space(api, 100, t, 1), b"", may))
    x, y = rand(64, dtype=BF16), rand(64, dtype=BF16, seed=1)
    cases.append(Case("ReGlu bfloat16", "ReGlu<bfloat16_t>(out0, in0, in1, tmp, 64);", [x, y], [(BF16, 64)], [x.double() * y.double().clamp(min=0)], 8e-3, space("ReGlu", 64, BF16)))
    x, add = rand(64, dtype=F16), rand(64, seed=2)
    cases.append(Case("Axpy mixed", "Axpy<float, half>(out0, in0, (half)0.5f, tmp, 64);", [x, add], [(F32, 64)], [add.double() + 0.5 * x.double()], 2e-6, 1024, b"", set(), {0: 1}))
    a, b = (torch.arange(100) * 517 - 20000).to(I16), (torch.arange(100) * 731 - 30000).to(I16)
    cases += [Case("Xor", "Xor<int16_t>(out0, in0, in1, tmp, 100);", [a, b], [(I16, 100)], [a ^ b], 0, 256, b"", OPEN),
              Case("Xor whole", "Xor(out0, in0, in1);", [a[:96], b[:96]], [(I16, 96)], [(a ^ b)[:96]], 0)]
    base, up = torch.tensor([2, -3, 7, 0, 1, -1, 5, 10, -1, 3, 2, 0, 46341, 3, 1, -2], dtype=I32), torch.tensor([10, 5, 0, 3, -7, -3, 13, 9, -2, -1, 31, 0, 2, 20, 99, 31], dtype=I32)

    def whole(b: int, e: int) -> int:
        v = (b**e if e >= 0 else 1 if b == 1 else -1 if b == -1 and e % 2 else 1 if b == -1 else 0) & 0xFFFFFFFF
        return v - (v >> 31 << 32)
    want = torch.tensor([whole(int(b), int(e)) for b, e in zip(base, up)])
    for name, args, tmp, w in (("tensors", "in0, in1", (1, 1), want), ("exponent", "in0, 3", (1, 0), torch.tensor([whole(int(b), 3) for b in base])),
                               ("base", "(int32_t)3, in1", (0, 1), torch.tensor([whole(3, int(e)) for e in up]))):
        cases.append(Case(f"Power int32 {name}", f"Power<int32_t>(out0, {args}, tmp, 16);", [base, up], [(I32, 16)], [w], 0, size_of("Power", [16], [4, 1, *tmp])[1]))
    for t in (I16, I32, F16, F32):
        step = 3 if t in (I16, I32) else 0.25
        for api, n in (("Arange", 200), ("ArithProgression", 40), ("Arange", 5)):
            cases.append(Case(f"{api} {CXX[t]} {n}", f"{api}<{CXX[t]}>(out0, ({CXX[t]})-7, ({CXX[t]}){step}, {n});", [], [(t, n)], [-7 + step * torch.arange(n, dtype=torch.float64)], 0, 0, b"", part(n, t) if n == 5 else set()))
    x = rand(64)
    cases += [Case("Tanh small tmp", "Tanh<float>(out0, in0, tmp, 64);", [x], [(F32, 64)], [torch.tanh(x.double())], 2e-6, 128, b"", {"tmp-too-small"}),
              Case("Tanh overlap", "Tanh<float>(in0, in0, tmp, 64); DataCopy(out0, in0, 64);", [x], [(F32, 64)], None, 0, 256, b"", {"overlap"}),
              Case("Exp reuse loses src", "Exp<float, 5, true>(out0, in0, tmp, 64); PipeBarrier<PIPE_V>(); DataCopy(out1, in0, 64);", [x], [(F32, 64), (F32, 64)], None, 0, 512, b"", OPEN)]
    return cases


# ---- orders

def records(score: torch.Tensor, index: torch.Tensor) -> torch.Tensor:
    """Records of 8 bytes in the type of the score."""
    per = 8 // score.dtype.itemsize
    out = torch.zeros(score.numel(), per, dtype=score.dtype)
    out[:, 0] = score
    raw = out.view(U8).reshape(-1, 8)
    raw[:, 4:] = index.to(I32).view(U8).reshape(-1, 4)
    return raw.reshape(-1).view(score.dtype)


def unpacked(got: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    raw = got.contiguous().view(U8).reshape(-1, 8)
    return raw.reshape(-1).view(got.dtype).reshape(raw.shape[0], -1)[:, 0], raw[:, 4:].contiguous().view(I32).reshape(-1)


def order(score: torch.Tensor, largest: bool = True) -> torch.Tensor:
    return torch.argsort(score.float(), descending=largest, stable=True)


def sort_cases() -> list[Case]:
    cases = []
    for t in (F32, F16):
        c = CXX[t]
        for groups in (1, 2, 5, 12):
            n = groups * 32
            x, index = rand(n, dtype=t), torch.arange(n, dtype=I32) * 7
            x[3], x[9] = x[20], x[20]  # equal scores keep their order
            by = order(x)
            fused = torch.cat([order(x[g:g + 32]) + g for g in range(0, n, 32)])
            for full, want in ((1, by), (0, fused)):
                def of(got, want=want, x=x, index=index):
                    score, at = unpacked(got)
                    assert torch.equal(score, x[want]) and torch.equal(at, index[want]), f"{score[:8]} {at[:8]}"
                    return [None]
                cases.append(Case(f"Sort {c} {n} {full}", f"LocalTensor<{c}> s, room = tmp.template ReinterpretCast<{c}>(); Concat(s, in0, room, {groups}); Sort<{c}, {'true' if full else 'false'}>(out0, s, in1.template ReinterpretCast<uint32_t>(), room, {groups});",
                                  [x, index], [(t, n * 8 // t.itemsize)], of, 0, n * 8))
            cases.append(Case(f"Extract {c} {n}", f"Extract<{c}>(out0, out1.template ReinterpretCast<uint32_t>(), in0, {groups});", [records(x[by], index[by])], [(t, n), (I32, n)], [x[by], index[by]], 0))
        halves = [order(h) for h in (rand(32, dtype=t, seed=1), rand(32, dtype=t, seed=2))]
        scores = [rand(32, dtype=t, seed=1 + i)[halves[i]] for i in range(2)]
        index = torch.arange(64, dtype=I32)
        merged = order(torch.cat(scores))

        def of(got, scores=scores, index=index, merged=merged):
            score, at = unpacked(got[: got.numel() // 2])
            assert torch.equal(score, torch.cat(scores)[merged]) and torch.equal(at, index[merged]), f"{score[:8]} {at[:8]}"
            return [None]
        cases.append(Case(f"MrgSort {c}", f"MrgSortSrcList<{c}> l(in0, in1, in0, in0); uint16_t n[4] = {{32, 32, 0, 0}}; uint32_t done[4]; MrgSort<{c}, false>(out0, l, n, done, 0b11, 1);",
                          [records(scores[0], index[:32]), records(scores[1], index[32:])], [(t, 128 * 8 // t.itemsize)], of, 0, 0, b"", OPEN))
        for outter, inner, n, k in ((1, 32, 32, 5), (2, 64, 50, 16), (3, 128, 128, 1), (2, 96, 96, 96)):
            for largest in (True, False):
                for init, finish in ((0, 0), (1, 1)):
                    x = rand(outter, inner, dtype=t, seed=k)
                    x[:, n:] = -INF if largest else INF
                    index, done = (torch.arange(inner, dtype=I32) * 3), (torch.arange(outter) % 2).to(torch.bool)
                    tl = tiling_of("TopK", [inner, outter], [t.itemsize, k, init, 0, largest])
                    vp, ip = -(-k * t.itemsize // 32) * 32 // t.itemsize, -(-k // 8) * 8

                    def of(values, places, x=x, k=k, largest=largest, init=init, finish=finish, index=index, done=done, vp=vp, ip=ip, n=n):
                        for r in range(x.shape[0]):
                            by = order(x[r], largest)[:k]
                            at = (index[by] if init else by).to(I32)
                            if finish and done[r]:
                                at = torch.full_like(at, n)
                            assert torch.equal(values[r * vp:r * vp + k], x[r][by]), f"values of row {r}"
                            assert torch.equal(places[r * ip:r * ip + k], at), f"indices of row {r}: {places[r * ip:r * ip + k]} {at}"
                        return [None, None]
                    cases.append(Case(f"TopK {c} {outter}x{inner} {n} {k} {largest} {init}{finish}",
                                      f"TopKInfo info{{{outter}, {inner}, {n}}}; auto t = tiling<TopkTiling>(); TopK<{c}, {'true' if init else 'false'}, {'true' if finish else 'false'}>(out0, out1, in0, in1, in2, tmp, {k}, t, info, {'true' if largest else 'false'});",
                                      [x, index, done], [(t, outter * vp), (I32, outter * ip)], of, 0, size_of("TopK", [inner, outter], [init, 0, largest])[1], tl, OPEN if k % 16 else set()))
        x = rand(4, 32, dtype=t)
        by = torch.stack([order(r)[:3] for r in x])
        cases.append(Case(f"TopK small {c}", f"TopKInfo info{{4, 32, 32}}; auto t = tiling<TopkTiling>(); TopK<{c}, false, false, false, TopKMode::TOPK_NSMALL>(out0, out1, in0, in1, in2, tmp, 3, t, info);",
                          [x, torch.zeros(128, dtype=I32), torch.zeros(4, dtype=torch.bool)], [(t, 12), (I32, 12)], [x.gather(1, by), by], 0, size_of("TopK", [32, 4], [0, 1, 1])[1], tiling_of("TopK", [32, 4], [t.itemsize, 3, 0, 1, 1]), OPEN))
    return cases


# ---- layouts

def numbers(n: int, t: torch.dtype) -> torch.Tensor:
    return (torch.arange(n) % 251 - (0 if t is U8 else 100)).to(t)


def shape_cases() -> list[Case]:
    cases = []
    for t in (I8, U8, F16, F32):
        c = CXX[t]
        for axis, dst, src in ((1, (4, 64), (4, 1)), (1, (7, 32), (7, 1)), (0, (5, 64), (1, 64)), (0, (6, 32), (6, 32)), (1, (3, 40), (3, 1))):
            x = numbers(src[0] * src[1], t).reshape(src)
            least = max(size_of("Broadcast", list(src), [t.itemsize, 2, *dst])[1], 32)
            n = dst[0] * dst[1]
            cases.append(Case(f"Broadcast {c} {axis} {dst} {src}", f"const uint32_t d[2] = {{{dst[0]}, {dst[1]}}}, s[2] = {{{src[0]}, {src[1]}}}; Broadcast<{c}, 2, {axis}>(out0, in0, d, s, tmp);",
                              [x], [(t, n)], [x.expand(dst)], 0, least, b"", part(n, t)))
        cases.append(Case(f"Broadcast 1 {c}", f"const uint32_t d[1] = {{100}}, s[1] = {{1}}; Broadcast<{c}, 1, 0>(out0, in0, d, s);", [numbers(1, t)], [(t, 100)], [numbers(1, t).expand(100)], 0, 0, b"", part(100, t)))
    for t in (I16, F16, I32, F32):
        c, blk = CXX[t], 32 // t.itemsize
        x = numbers(4 * (blk - 3), t).reshape(4, blk - 3)

        padded = torch.nn.functional.pad(x.double(), (1, 2), value=7)
        cases.append(Case(f"Pad {c}", f"PadParams p(1, 2, 7); PadTiling t; t.srcHeight = 4; t.srcWidth = {blk - 3}; t.srcOriWidth = {blk - 3}; Pad<{c}>(out0, in0, p, tmp, t);", [x], [(t, 4 * blk)], [padded], 0, 1024))
        y = numbers(3 * blk, t).reshape(3, blk)
        want = y.double().clone()
        want[:, blk - 2:] = -1
        cases.append(Case(f"Pad dirty {c}", f"PadParams p(0, 2, -1); PadTiling t; t.srcHeight = 3; t.srcWidth = {blk}; t.srcOriWidth = {blk - 2}; Pad<{c}>(out0, in0, p, tmp, t);", [y], [(t, 3 * blk)], [want], 0, 1024))
        cases.append(Case(f"UnPad {c}", f"UnPadParams p(0, 3); UnPadTiling t; t.srcHeight = 3; t.srcWidth = {blk}; UnPad<{c}>(out0, in0, p, tmp, t);", [y], [(t, 3 * (blk - 3))], [y[:, :-3]], 0, 1024, b"", OPEN))

        x = numbers(32 * 48, t).reshape(32, 48)
        cases.append(Case(f"Transpose plain {c}", f"auto t = tiling<ConfusionTransposeTiling>(); Transpose<{c}>(out0, in0, TransposeType::TRANSPOSE_ND2ND_ONLY, t);", [x], [(t, 32 * 48)], [x.t()], 0, 0, tiling_of("Transpose", [32, 48], [t.itemsize, 0, 7])))
        b, n, s, d = 2, 2, 32, 16
        heads = numbers(b * n * s * d, t).reshape(b, n, s, d)
        nz = heads.reshape(b, n, s, d // 16, 16).permute(0, 1, 3, 2, 4).contiguous()
        rows = heads.permute(0, 2, 1, 3).reshape(b, s, n * d)
        rows_nz = rows.reshape(b, s, n * d // 16, 16).permute(0, 2, 1, 3).contiguous()
        scenes = [(1, "TRANSPOSE_NZ2ND_0213", nz, heads.permute(0, 2, 1, 3)), (3, "TRANSPOSE_NZ2NZ_012_WITH_N", rows_nz, nz), (4, "TRANSPOSE_NZ2ND_012_WITH_N", rows_nz, heads),
                  (5, "TRANSPOSE_NZ2ND_012_WITHOUT_N", nz, rows), (6, "TRANSPOSE_NZ2NZ_012_WITHOUT_N", nz, rows_nz)]
        for scene, name, src, want in scenes:
            tl = tiling_of("Transpose", [b, n, s, d], [t.itemsize, 4096, scene])
            cases.append(Case(f"Transpose {name} {c}", f"auto t = tiling<ConfusionTransposeTiling>(); Transpose<{c}>(out0, in0, tmp, TransposeType::{name}, t);", [src], [(t, b * n * s * d)], [want], 0, size_of("Transpose", [b, n, s, d], [t.itemsize, scene])[1], tl))
        heads = numbers(16 * 16 * 16, t).reshape(1, 16, 16, 16)
        cases.append(Case(f"Transpose 0213 NZ {c}", f"auto t = tiling<ConfusionTransposeTiling>(); Transpose<{c}>(out0, in0, tmp, TransposeType::TRANSPOSE_NZ2NZ_0213, t);", [heads], [(t, 4096)], [heads.permute(0, 2, 1, 3)], 0,
                          size_of("Transpose", [1, 16, 16, 16], [t.itemsize, 2])[1], tiling_of("Transpose", [1, 16, 16, 16], [t.itemsize, 4096, 2])))
    return cases


def trans_data_cases() -> list[Case]:
    """Between [n, c, d, h, w] and blocks of 16 channels (and 16 of n): by reshape and permute of padded tensors."""
    cases = []
    for k, (n, c, d, h, w) in enumerate(((1, 16, 1, 4, 4), (1, 5, 2, 3, 5), (2, 33, 2, 1, 3), (17, 16, 1, 2, 8), (3, 40, 1, 3, 5))):
        t = (F16, I16, torch.bfloat16)[k % 3]
        c1, n1, hw = (c + 15) // 16, (n + 15) // 16, h * w
        pitch = (hw + 15) // 16 * 16
        x = numbers(n * c * d * hw, t).reshape(n, c, d, hw)
        full = torch.nn.functional.pad(x.double(), (0, 0, 0, 0, 0, 16 * c1 - c, 0, 16 * n1 - n)).reshape(n1, 16, c1, 16, d, hw)
        five = full.reshape(n1 * 16, c1, 16, d, hw)[:n].permute(0, 3, 1, 4, 2).contiguous()
        z3d = full.permute(4, 2, 5, 0, 1, 3).contiguous()
        rows = torch.nn.functional.pad(x, (0, pitch - hw))
        for name, dims, blocked in (("NDC1HWC0", (n, d, c1, h, w, 16), five), ("FRACTAL_Z_3D", (d, c1, h, w, n1, 16, 16), z3d)):
            shapes = [", ".join(map(str, s)) for s in ((n, c, d, h, w), dims)]
            for to in (True, False):
                a, b = ("NCDHW", name) if to else (name, "NCDHW")
                sa, sb = shapes if to else reversed(shapes)
                call = (f"static constexpr TransDataConfig way = {{DataFormat::{a}, DataFormat::{b}}}; auto ls = MakeLayout(MakeShape({sa}), MakeStride()); "
                        f"auto ld = MakeLayout(MakeShape({sb}), MakeStride()); TransDataParams<decltype(ls), decltype(ld)> p = {{ls, ld}}; TransData<way>(out0, in0, tmp, p);")
                tmp = size_of("TransData", [n, c, d, h, w], [int(to), int(name != "NDC1HWC0")])[0]
                def flat(got: torch.Tensor, x: torch.Tensor = x, pitch: int = pitch, hw: int = hw) -> list[torch.Tensor]:
                    all_of = got.double().reshape(*x.shape[:3], pitch).clone()  # what fills the rows up may be anything
                    all_of[..., :hw] = x.double()
                    return [all_of]
                want = [blocked] if to else flat
                cases.append(Case(f"TransData {a} {b} {n} {c} {d} {h} {w}", call, [rows if to else blocked.to(t)], [(t, blocked.numel() if to else rows.numel())], want, 0, tmp, b"", set() if to or pitch == hw else {"uninitialised-output"}))
        if k == 1:
            cases.append(Case("TransData framework", call.replace("in0, tmp, p", "in0, p"), [z3d.to(t)], [(t, rows.numel())], flat, 0, 0, b"", {"uninitialised-output"}))
    return cases


# ---- quantisation, masks

def quant_cases() -> list[Case]:
    cases = []
    for t in (F16, F32):
        c, x = CXX[t], rand(256, dtype=t, scale=20.0)
        h = x.half().float()

        def q(scale: torch.Tensor, offset: torch.Tensor, h=h) -> torch.Tensor:
            y = ((h * scale.half().float()).half().float() + offset.half().float()).half().float()
            return y.round().clamp(-128, 127)
        scales, offsets = rand(64, dtype=t).abs() + 0.5, rand(64, dtype=t, seed=1)
        wide = (scales.repeat(4), offsets.repeat(4))
        least = size_of("Quant", [256], [t.itemsize])[1]
        cases += [Case(f"AscendQuant {c}", f"AscendQuant<{c}>(out0, in0, tmp, 1.5f, 0.25f, 256);", [x], [(I8, 256)], [q(torch.tensor(1.5), torch.tensor(0.25))], 0, least),
                  Case(f"AscendQuant whole {c}", f"AscendQuant<{c}>(out0, in0, 1.5f, 0.25f);", [x], [(I8, 256)], [q(torch.tensor(1.5), torch.tensor(0.25))], 0),
                  Case(f"AscendQuant scales {c}", f"AscendQuant<{c}>(out0, in0, tmp, in1, ({c})0.25f, 64, 256);", [x, scales], [(I8, 256)], [q(wide[0], torch.tensor(0.25))], 0, least),
                  Case(f"AscendQuant offsets {c}", f"AscendQuant<{c}>(out0, in0, tmp, in1, in2, 64, 64, 256);", [x, scales, offsets], [(I8, 256)], [q(*wide)], 0, least)]
        m, n, pitch = 3, 64, 96
        x, mask = rand(m, n, dtype=t), (rand(m, pitch, seed=2) > 0)
        for u in (torch.bool, U8, I16, I32):
            mk = mask.to(u)
            for name, args, take in (("first", "(T)2, in0".replace("T", c), lambda k, v: torch.where(k, v, 2.0)), ("second", "in0, (T)2".replace("T", c), lambda k, v: torch.where(k, 2.0, v))):
                info = f"SelectWithBytesMaskShapeInfo i; i.firstAxis = {m}; i.srcLastAxis = {n}; i.maskLastAxis = {pitch};"
                for reuse in (1, 0):
                    text = f"{info} Select<{c}, {CXX[u]}, {'true' if reuse else 'false'}>(out0, {args}, in1, tmp, i);"
                    cases.append(Case(f"Select {name} {c} {CXX[u]} {reuse}", text, [x, mk], [(t, m * n)], [take(mask[:, :n], x.double())], 0, size_of("Select", [m, n], [t.itemsize, u.itemsize, reuse == 0])[1]))
        keep = 0.75
        scale = (1 / torch.tensor(keep)).to(t).double()
        bits = torch.randint(0, 256, (m, 32), dtype=U8, generator=torch.Generator().manual_seed(3))
        on = torch.stack([(bits >> i) & 1 for i in range(8)], 2).reshape(m, -1)
        tight = bits[:, :8].contiguous()
        info = "DropOutShapeInfo i; i.firstAxis = {}; i.srcLastAxis = {}; i.maskLastAxis = {};".format
        drop = lambda k: x.double() * k[:, :n].double() * scale  # noqa: E731
        for mode, mk, width, k in ((1, mask.to(U8), pitch, mask), (2, mask[:, :n].to(U8).contiguous(), n, mask), (3, tight, 8, on), (4, bits, 32, on)):
            for call in (f"DropOut<{c}>", f"DropOut<{c}, false, {mode}>"):
                cases.append(Case(f"DropOut {mode} {call}", f"{info(m, n, width)} {call}(out0, in0, in1, tmp, {keep}f, i);", [x, mk], [(t, m * n)], [drop(k)], 1e-3 if t is F16 else 1e-7, size_of("DropOut", [m, n], [t.itemsize])[1]))
    m, n = 3, 40
    acc = (torch.arange(m * n) * 977 % 4001 - 2000).to(I32).reshape(m, n)
    least = size_of("Dequant", [m, n], [4])[1]
    floats = rand(n, seed=3).abs() * 0.01
    packed = floats.view(I32).to(torch.int64) & 0xFFFFFFFF
    for dst, s, scale, want in ((F32, "float", floats, floats.double()), (F16, "uint64_t", packed.view(torch.uint64), floats.double()), (BF16, "bfloat16_t", floats.to(BF16), floats.to(BF16).double()),
                                (BF16, "float", floats, floats.double()), (F32, "bfloat16_t", floats.to(BF16), floats.to(BF16).double())):
        pitch = -(-n * dst.itemsize // 32) * 32 // dst.itemsize

        tol = {F32: 1e-6, F16: 1e-3, BF16: 8e-3}[dst]

        def of(got, want=want, pitch=pitch, n=n, m=m, acc=acc):
            g = got.double().reshape(m, pitch).clone()
            g[:, :n] = acc.double() * want
            return [g]
        for name, params, tail in (("params", f"DequantParams{{{m}, {n}, {n}}}", ""), ("whole", None, "")):
            if name == "whole":
                text = f"in1.SetSize({n}); in0.SetSize({m * n}); AscendDequant<{CXX[dst]}, {s}>(out0, in0, in1, tmp);"
            else:
                text = f"AscendDequant<{CXX[dst]}, {s}, DeQuantMode::DEQUANT_WITH_MULTI_ROW>(out0, in0, in1, tmp, {params});"
            cases.append(Case(f"AscendDequant {name} {CXX[dst]} {s}", text, [acc, scale], [(dst, m * pitch)], of, tol, least, b"", OPEN if pitch > n else set()))
    cases.append(Case("AscendDequant scalar", f"AscendDequant<float, float>(out0, in0, 0.5f, tmp, DequantParams{{{m}, {n}, {n}}});", [acc], [(F32, m * n)], [acc.double() * 0.5], 0, least))
    for t in (F16, BF16):
        c, k, n = CXX[t], 32, 64
        tol = 2e-3 if t is F16 else 1e-2
        x = (torch.arange(k * n) * 37 % 255 - 127).to(I8)
        scale, offset = (rand(n, seed=1).abs() * 0.1 + 0.1).to(t), rand(n, seed=2).to(t)
        least = max(size_of("AntiQuant", [k, n], [n, 0, t is BF16])[1], 32)
        plain = (x.double().reshape(k, n) + offset.double()) * scale.double()
        cases += [Case(f"AscendAntiQuant {c}", f"AscendAntiQuant<int8_t, {c}, false>(out0, in0, in1, in2, tmp, {k});", [x, offset, scale], [(t, k * n)], [plain], tol, least),
                  Case(f"AscendAntiQuant scale {c}", f"AscendAntiQuant<int8_t, {c}, false>(out0, in0, in1, tmp, {k});", [x, scale], [(t, k * n)], [x.double().reshape(k, n) * scale.double()], tol, least),
                  Case(f"AscendAntiQuant scalars {c}", f"AscendAntiQuant<int8_t, {c}, false>(out0, in0, ({c})2.0f, ({c})0.5f, tmp, {k});", [x], [(t, k * n)], [(x.double() + 2) * 0.5], tol, least)]
        turned = (x.double().reshape(n, k) + offset.double()[:, None]) * scale.double()[:, None]
        least = max(size_of("AntiQuant", [k, n], [n, 1, t is BF16])[1], 32)
        cases.append(Case(f"AscendAntiQuant transposed {c}", f"AscendAntiQuant<int8_t, {c}, true>(out0, in0, in1, in2, tmp, {k});", [x, offset, scale], [(t, k * n)], [turned], tol, least))
    return cases


FAMILIES = {"maths": maths_cases, "sort": sort_cases, "shape": shape_cases, "trans": trans_data_cases, "quant": quant_cases}


@pytest.mark.parametrize("family", FAMILIES)
def test_family(family: str, tmp_path) -> None:
    cases = FAMILIES[family]()
    kernel = Kernel(cases, tmp_path)
    wrong = []
    for c in cases:
        try:
            check(kernel, c)
        except AssertionError as e:
            wrong.append(str(e) if str(e).startswith(c.name) else f"{c.name}: {e}")
    assert not wrong, f"{len(wrong)} of {len(cases)} cases:\n" + "\n".join(wrong[:40])
