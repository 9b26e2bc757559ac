"""The softmax, normalisation and reduction families against PyTorch in float64."""

from __future__ import annotations


import pytest
import torch
from conform_adv import CXX, Case, Kernel, check, size_of, tiling_of

F16, F32 = torch.float16, torch.float32
TOL = {F16: 2e-3, F32: 2e-6}
BLK = {F16: 16, F32: 8}


def rand(*shape: int, dtype: torch.dtype = F32, scale: float = 1.0, seed: int = 0) -> torch.Tensor:
    g = torch.Generator().manual_seed(seed + sum(shape))
    return (torch.randn(*shape, generator=g) * scale).to(dtype)


def brc(rows: torch.Tensor, blk: int) -> torch.Tensor:
    return rows.reshape(-1, 1).expand(-1, blk)


def nz(t: torch.Tensor) -> torch.Tensor:
    m, k = t.shape
    return t.reshape(m, k // 16, 16).permute(1, 0, 2).contiguous()


# ---- softmax

SHAPES = [(1, 16, 16), (3, 64, 64), (8, 128, 128), (5, 48, 37), (16, 512, 512), (2, 1040, 1033), (24, 64, 64)]


def softmax_cases() -> list[Case]:
    cases = []
    for t in (F16, F32):
        for m, k, ori in SHAPES:
            x, name = rand(m, k, dtype=t, scale=3.0), f"{CXX[t]} {m}x{k} of {ori}"
            d = x.double()[:, :ori]
            top = d.max(1, keepdim=True).values
            e = torch.exp(d - top)
            s = e.sum(1, keepdim=True)
            full = torch.exp(x.double() - top) / s
            tl = tiling_of("SoftMax", [m, k], [t.itemsize, size_of("SoftMax", [m, k], [t.itemsize, 0])[0]])
            least = size_of("SoftMax", [m, k], [t.itemsize, 0])[0]
            info = f"SoftMaxShapeInfo{{{m}, {k}, {m}, {ori}}}"
            stats = [brc(s, BLK[t]), brc(top, BLK[t])]
            c = CXX[t]
            cases += [
                Case(f"SoftMax {name}", f"SoftMax<{c}>(out0, out1, out2, in0, tmp, tiling<SoftMaxTiling>(), {info});", [x],
                     [(t, m * k), (t, m * BLK[t]), (t, m * BLK[t])], [full, *stats], TOL[t], least, tl),
                Case(f"SoftMax framework {name}", f"SoftMax<{c}>(out0, in0, tiling<SoftMaxTiling>(), {info});", [x], [(t, m * k)], [full], TOL[t], 0, tl),
                Case(f"SoftMax in place {name}", f"SoftMax<{c}>(out0, in0, tmp, tiling<SoftMaxTiling>(), {info});", [x], [(t, m * k)], [full], TOL[t],
                     least, tl, into={0: 0}),
                Case(f"LogSoftMax {name}", f"LogSoftMax<{c}>(out0, out1, out2, in0, tmp, tiling<LogSoftMaxTiling>(), {info});", [x],
                     [(t, m * k), (t, m * BLK[t]), (t, m * BLK[t])], [torch.log10(full), *stats], 4e-3 if t is F16 else 1e-5, least, tl),
                Case(f"SimpleSoftMax {name}", f"SimpleSoftMax<{c}>(out0, in1, in2, in0, tmp, tiling<SoftMaxTiling>(), {info});",
                     [x, brc(s, BLK[t]).to(t), brc(top, BLK[t]).to(t)], [(t, m * k)], [torch.exp(x.double() - top) / s.to(t).double()], TOL[t], least, tl),
            ]
            y, g = torch.softmax(x.double(), 1).to(t), rand(m, k, dtype=t, seed=1)
            dot = (y.double() * g.double())[:, :ori].sum(1, keepdim=True)
            gl = size_of("SoftMaxGrad", [m, k], [t.itemsize, 0])[0 if m * k < 8000 else 1]
            gt = tiling_of("SoftMaxGrad", [m, k], [t.itemsize, gl, 0])
            cases += [
                Case(f"SoftmaxGrad {name}", f"SoftmaxGrad<{c}>(out0, in0, in1, tmp, tiling<SoftMaxTiling>(), false, {info});", [g, y], [(t, m * k)],
                     [(g.double() - dot) * y.double()], TOL[t], gl, gt),
                Case(f"SoftmaxGradFront {name}", f"SoftmaxGradFront<{c}>(out0, in0, in1, tmp, tiling<SoftMaxTiling>(), {info});", [g, y],
                     [(t, m * BLK[t])], [brc(dot, BLK[t])], TOL[t], gl, gt),
            ]
    x = rand(16, 64, dtype=F16, scale=2.0)
    p = torch.softmax(x.double(), 1)
    tl = tiling_of("SoftMax", [16, 64], [4, 60000])
    cases += [
        Case("SoftMax mixed", "SoftMax<half>(out0, out1, out2, in0, tmp, tiling<SoftMaxTiling>(), SoftMaxShapeInfo{16, 64, 16, 64});", [x],
             [(F16, 1024), (F32, 128), (F32, 128)], [p, None, brc(x.double().max(1).values, 8)], TOL[F16], 60000, tl),
        Case("SoftMax NZ", "SoftMax<half, false, false, true>(out0, out1, out2, in0, tmp, tiling<SoftMaxTiling>(), SoftMaxShapeInfo{16, 64, 16, 64});",
             [nz(x)], [(F16, 1024), (F16, 256), (F16, 256)], [nz(p), None, brc(x.double().max(1).values, 16)], TOL[F16], 60000, tl),
        Case("SoftMax argument", "SoftMax<half>(out0, in0, tmp, tiling<SoftMaxTiling>(), SoftMaxShapeInfo{16, 60, 16, 60});", [x], [(F16, 1024)], None, 0,
             60000, tl, may={"argument", "uninitialised-output"}),
        Case("SoftMax small tmp", "SoftMax<half>(out0, in0, tmp, tiling<SoftMaxTiling>(), SoftMaxShapeInfo{16, 64, 16, 64});", [x], [(F16, 1024)], [p], TOL[F16],
             128, tl, may={"tmp-too-small"}),
        Case("SoftMax overlap", "SoftMax<half>(out0, out0, out1, in0, tmp, tiling<SoftMaxTiling>(), SoftMaxShapeInfo{16, 64, 16, 64});", [x],
             [(F16, 1024), (F16, 256)], None, 0, 60000, tl, may={"overlap"}),
        Case("AdjustSoftMaxRes", "int32_t any = AdjustSoftMaxRes<half, float>(out0, in1, 0xFF7FFFFF, (half)0.5, SoftMaxShapeInfo{16, 64, 16, 64}); out1.SetValue(0, any);"
             " for (int i = 1; i < 8; i++) out1.SetValue(i, 0);",
             [p.to(F16), brc(torch.tensor([-3.4028234663852886e38 if i == 3 else 1.0 for i in range(16)]), 8).float()], [(F16, 1024), (torch.int32, 8)],
             [torch.where(torch.arange(16)[:, None] == 3, 0.5, p.to(F16).double()), torch.tensor([1.0])], 0, into={0: 0}),
    ]
    return cases


def flash_cases() -> list[Case]:
    cases = []
    for data, stat in ((F32, F32), (F16, F16), (F16, F32)):
        for m, k in ((8, 64), (3, 128), (16, 512)):
            x, in_max, in_sum = rand(m, k, dtype=data, scale=2.0), rand(m, dtype=stat, seed=3), (rand(m, seed=4).abs() + 1).to(stat)
            d, top = x.double(), torch.maximum(x.double().max(1).values, in_max.double())
            own = d.max(1).values
            scale = torch.exp(in_max.double() - top)
            cd, blk, tol = CXX[data], BLK[stat], TOL[data]
            ins, name = [x, brc(in_sum, blk), brc(in_max, blk)], f"{cd} {CXX[stat]} {m}x{k}"
            outs = [(data, m * k), (stat, m * blk), (stat, m * blk), (data, m * BLK[data])]
            e = torch.exp(d - top[:, None])
            total = e.sum(1) + scale * in_sum.double()
            tl = tiling_of("SoftMaxFlashV2", [m, k], [stat.itemsize, 80000, data.itemsize, 1, 0, 0])
            info = f"SoftMaxShapeInfo{{{m}, {k}, {m}, {k}}}"
            args = f"tmp, tiling<SoftMaxTiling>()"
            cases += [
                Case(f"SoftmaxFlashV2 update {name}", f"SoftmaxFlashV2<{cd}, true>(out0, out1, out2, in0, out3, in1, in2, {args}, {info});", ins, outs,
                     [e, brc(total, blk), brc(top, blk), brc(scale, BLK[data])], tol, 80000, tl),
                Case(f"SoftmaxFlashV2 first {name}", f"SoftmaxFlashV2<{cd}, false>(out0, out1, out2, in0, in0, in1, in2, {args}, {info});", ins, outs[:3],
                     [torch.exp(d - own[:, None]), brc(torch.exp(d - own[:, None]).sum(1), blk), brc(own, blk)], tol, 80000, tl),
                Case(f"SoftmaxFlash update {name}", f"SoftmaxFlash<{cd}>(out0, out1, out2, in0, out3, in1, in2, {args}, true, {info});", ins, outs,
                     [e / total[:, None], brc(total, blk), brc(top, blk), brc(scale * in_sum.double() / total, BLK[data])], tol, 80000, tl),
                Case(f"SoftmaxFlash first {name}", f"SoftmaxFlash<{cd}>(out0, out1, out2, in0, in0, in1, in2, {args}, false, {info});", ins, outs[:3],
                     [torch.softmax(d, 1), brc(torch.exp(d - own[:, None]).sum(1), blk), brc(own, blk)], tol, 80000, tl),
            ]
            if data is stat:
                cfg = "static constexpr SoftmaxConfig one(true, 0, 0, SoftmaxMode::SOFTMAX_OUTPUT_WITHOUT_BRC);"
                cases.append(Case(f"SoftmaxFlashV2 one {name}", f"{cfg} SoftmaxFlashV2<{cd}, true, false, false, false, one>(out0, out4, out1, out2, in0, out3, in1, in2, {args}, {info});",
                                  [x, in_sum, in_max], [(data, m * k)] + [(stat, m)] * 4, [e, total, top, scale, own], tol, 80000, tl, may={"uninitialised-output"} if m % blk else set()))
    m, k, alpha = 8, 512, 0.9375
    x, means, sums, tops = rand(m, k, dtype=F16), rand(m, seed=5) * 0.1, rand(m, seed=6).abs() + 1, rand(m, seed=7)
    f, d = alpha / (1 - alpha), x.double()
    part, row = d.reshape(m, 8, -1).mean(2), d.mean(1)
    y = d - ((row[:, None] - part) * f).repeat_interleave(k // 8, 1)
    mean = (means.double() * 1 + row) / 2
    shift, back = (row - mean) * f, (means.double() - mean) * f
    top = torch.maximum(y.max(1).values + shift, tops.double() + back)
    scale = torch.exp(back + tops.double() - top)
    e = torch.exp(y - (top - shift)[:, None])
    tl = tiling_of("SoftMaxFlashV3", [m, k], [4, 90000])
    cases.append(Case("SoftmaxFlashV3 update", f"SoftmaxFlashV3<half, float, true>(out0, out1, out2, out3, in0, out4, in1, in2, in3, tmp, tiling<SoftMaxTiling>(), SoftMaxParams{{{m}, {k}, {m}, {k}, 2, 8, {alpha}f}});",
                      [x, brc(means, 8), brc(sums, 8), brc(tops, 8)], [(F16, m * k), (F32, m * 8), (F32, m * 8), (F32, m * 8), (F16, m * 16)],
                      [e, brc(mean, 8), brc(scale * sums.double() + e.sum(1), 8), brc(top, 8), brc(scale, 16)], 3e-3, 90000, tl))
    return cases


# ---- normalisation

def norm_cases() -> list[Case]:
    cases = []
    for t in (F16, F32):
        c, tol = CXX[t], TOL[t] * 4
        for b, s, h in ((1, 1, 16), (2, 3, 64), (1, 8, 128), (2, 2, 1040), (1, 16, 256)):
            x, gamma, beta = rand(b, s, h, dtype=t, scale=2.0), rand(h, dtype=t, seed=1), rand(h, dtype=t, seed=2)
            d, g64, b64, name = x.double(), gamma.double(), beta.double(), f"{c} {b}x{s}x{h}"
            mean, var = d.mean(2), d.var(2, unbiased=False)
            normed = (d - mean[..., None]) / torch.sqrt(var[..., None] + 1e-3)
            outs = [(t, b * s * h), (t, b * s), (t, b * s)]
            may = {"uninitialised-output"} if b * s % BLK[t] else set()
            space = size_of("LayerNorm", [b, s, h, h], [t.itemsize, 0])
            cases += [
                Case(f"LayerNorm {name}", f"auto t = tiling<LayerNormTiling>(); LayerNorm<{c}>(out0, out1, out2, in0, in1, in2, tmp, ({c})1e-3f, t);",
                     [x, gamma, beta], outs, [normed * g64 + b64, mean, var], tol, space[1], tiling_of("LayerNorm", [b, s, h, h], [t.itemsize, space[1], 0]), may),
                Case(f"RmsNorm {name}", f"RmsNorm<{c}>(out0, in0, in1, tmp, ({c})1e-3f, tiling<RmsNormTiling>());", [x, gamma], outs[:1],
                     [d / torch.sqrt(d.square().mean(2, keepdim=True) + 1e-3) * g64], tol, size_of("RmsNorm", [b, s, h], [t.itemsize, 0, 0])[0],
                     tiling_of("RmsNorm", [b, s, h], [t.itemsize, 100000, 0, 0, h]) if b * s * h < 8000 else tiling_of("RmsNorm", [b, s, h], [t.itemsize, (2 * h + 8) * 4, 0, 0, h])),
                Case(f"RmsNorm framework {name}", f"RmsNorm<{c}>(out0, in0, in1, ({c})1e-3f, tiling<RmsNormTiling>());", [x, gamma], outs[:1],
                     [d / torch.sqrt(d.square().mean(2, keepdim=True) + 1e-3) * g64], tol, 0, tiling_of("RmsNorm", [b, s, h], [t.itemsize, (2 * h + 8) * 4, 0, 0, h])),
                Case(f"DeepNorm {name}", f"auto t = tiling<DeepNormTiling>(); DeepNorm<{c}>(out0, out1, out2, in0, in1, in2, in3, tmp, ({c})0.5f, ({c})1e-3f, t);",
                     [x, rand(b, s, h, dtype=t, seed=9), beta, gamma], outs, deep(d, rand(b, s, h, dtype=t, seed=9).double(), g64, b64), tol,
                     size_of("DeepNorm", [b, s, h], [t.itemsize, 0, 0])[1],
                     tiling_of("DeepNorm", [b, s, h], [t.itemsize, size_of("DeepNorm", [b, s, h], [t.itemsize, 0, 0])[1], 0, 0, b, s, h]), may),
            ]
            dy = rand(b, s, h, dtype=t, seed=11)
            mt, vt = mean.to(t), var.to(t)
            cases.append(grad_case(name, c, t, x, dy, gamma, mt, vt, b, s, h, tol))
            res = rand(b, s, h, dtype=t, seed=12)
            half_space = 4 * h * 4
            cases.append(Case(f"LayerNormGradBeta {name}", f"LayerNormGradBeta<{c}>(out0, out1, in0, in1, tmp, tiling<LayerNormGradBetaTiling>());", [res, dy],
                              [(t, h), (t, h)], [(dy.double() * res.double()).sum((0, 1)), dy.double().sum((0, 1))], tol, half_space,
                              tiling_of("LayerNormGradBeta", [b, s, h, h], [t.itemsize, half_space, 0])))
        for a, r, pitch in ((4, 64, 64), (3, 50, 64), (9, 128, 128)):
            x, gamma, beta = rand(a, pitch, dtype=t), rand(r, dtype=t, seed=1), rand(r, dtype=t, seed=2)
            d = x.double()[:, :r]
            mean, var = d.mean(1), d.var(1, unbiased=False)
            rstd = 1 / torch.sqrt(var + 1e-3)
            want = torch.zeros(a, pitch, dtype=torch.float64)
            want[:, :r] = (d - mean[:, None]) * rstd[:, None] * gamma.double() + beta.double()
            space = size_of("LayerNormRstd", [a, r], [t.itemsize, 0, 1, 0])[0]
            keep = rows_only(a, pitch, r)
            may = {"uninitialised-output"} if pitch > r or a % 8 else set()
            cases += [
                Case(f"LayerNorm rstd {c} {a}x{r}", f"LayerNorm<{c}, {c}>(out0, out1, out2, in0, in1, in2, 1e-3f, tmp, LayerNormPara{{{a}, {r}, {pitch}}}, tiling<LayerNormSeparateTiling>());",
                     [x, gamma, beta], [(t, a * pitch), (F32, a), (F32, a)], keep(want, mean, rstd), tol, space, tiling_of("LayerNormRstd", [a, r], [t.itemsize, space, 0]), may),
                Case(f"Normalize {c} {a}x{r}", f"Normalize<{c}, {c}>(out0, out1, in3, in4, in0, in1, in2, tmp, 1e-3f, NormalizePara{{{a}, {r}, {pitch}}});",
                     [x, gamma, beta, mean.float(), var.float()], [(t, a * pitch), (F32, a)], keep(want, rstd), tol, space, b"", may),
            ]
        b, sh = 8, 64
        x, gamma, beta = rand(b, sh, dtype=t), rand(b, dtype=t, seed=1), rand(b, dtype=t, seed=2)
        d = x.double()
        mean, var = d.mean(0), d.var(0, unbiased=False)
        space = size_of("BatchNorm", [b, 4, 16], [t.itemsize, 0, 0, b])[0]
        cases.append(Case(f"BatchNorm {c}", f"auto t = tiling<BatchNormTiling>(); BatchNorm<{c}>(out0, out1, out2, in0, in1, in2, tmp, ({c})1e-3f, t);", [x, gamma, beta],
                          [(t, b * sh), (t, sh), (t, sh)], [(d - mean) / torch.sqrt(var + 1e-3) * gamma.double()[:, None] + beta.double()[:, None], mean, var], tol, space,
                          tiling_of("BatchNorm", [b, 4, 16], [t.itemsize, space, 0, 0, b])))
        n, ch, hw, groups = 2, 4, 16, 2
        x, gamma, beta = rand(n, ch, hw, dtype=t), rand(ch, dtype=t, seed=1), rand(ch, dtype=t, seed=2)
        d = x.double()
        grouped = d.reshape(n, groups, -1)
        mean, var = grouped.mean(2), grouped.var(2, unbiased=False)
        want = ((grouped - mean[..., None]) / torch.sqrt(var[..., None] + 1e-3)).reshape(n, ch, hw) * gamma.double()[:, None] + beta.double()[:, None]
        space = size_of("GroupNorm", [n, ch, 4, 4], [t.itemsize, 0, groups])[0]
        cases.append(Case(f"GroupNorm {c}", f"auto t = tiling<GroupNormTiling>(); GroupNorm<{c}>(out0, out1, out2, in0, in1, in2, tmp, ({c})1e-3f, t);", [x, gamma, beta],
                          [(t, n * ch * hw), (t, n * groups), (t, n * groups)], [want, mean, var], tol, space,
                          tiling_of("GroupNorm", [n, ch, 4, 4], [t.itemsize, space, 0, groups]), {"uninitialised-output"}))
        x, m0, v0 = rand(64, dtype=t), rand(64, seed=1), rand(64, seed=2).abs()
        step = x.double() - m0.double()
        m1 = m0.double() + step / 3
        cases.append(Case(f"WelfordUpdate {c}", f"WelfordUpdate<{c}, float>(out0, out1, in1, in2, in0, tmp, WelfordUpdateParam{{1, 64, 64, 1.0f / 3}});", [x, m0, v0],
                          [(F32, 64), (F32, 64)], [m1, v0.double() + step * (x.double() - m1)], 2e-6, 768))
    m, v = rand(64), rand(64, seed=1).abs()
    mean = m.double().mean()
    var = (v.double() + 4 * (m.double() - mean).square()).sum() / 256
    cases.append(Case("WelfordFinalize", "WelfordFinalizePara p{4, 64, 4, 64, 0, 0, 1.0f / 64, 1.0f / 256}; WelfordFinalize(out0, out1, in0, in1, tmp, p);", [m, v],
                      [(F32, 8), (F32, 8)], [torch.tensor([mean.item()] + [0.0] * 7), torch.tensor([var.item()] + [0.0] * 7)], 2e-6, 1024))
    counts = torch.arange(1, 65, dtype=torch.int32)
    total = counts.sum().item()
    mean = (m.double() * counts).sum() / total
    var = (v.double() + counts * (m.double() - mean).square()).sum() / total
    cases.append(Case("WelfordFinalize counts", f"WelfordFinalizePara p{{4, 64, 4, 64, 0, 0, 1.0f / 64, 1.0f / {total}}}; WelfordFinalize(out0, out1, in0, in1, in2, tmp, p);",
                      [m, v, counts], [(F32, 8), (F32, 8)], [mean.reshape(1), var.reshape(1)], 2e-6, 1024))
    return cases


def rows_only(a: int, pitch: int, r: int):
    """A reference for [a, pitch] that asks for the first r columns only."""
    def make(want: torch.Tensor, *stats: torch.Tensor):
        def of(*got: torch.Tensor):
            w = got[0].to(torch.float64).reshape(a, pitch).clone()
            w[:, :r] = want[:, :r]
            return [w, *stats]
        return of
    return make


def deep(x: torch.Tensor, gx: torch.Tensor, gamma: torch.Tensor, beta: torch.Tensor) -> list[torch.Tensor]:
    y = 0.5 * x + gx
    mean, var = y.mean(2), y.var(2, unbiased=False)
    return [(y - mean[..., None]) / torch.sqrt(var[..., None] + 1e-3) * gamma + beta, mean, var]


def grad_case(name, c, t, x, dy, gamma, mean, var, b, s, h, tol) -> Case:
    d, g = x.double() - mean.double()[..., None], dy.double() * gamma.double()
    v = var.double()[..., None] + 1e-3
    pd_var = (-0.5 * g * d * v**-1.5).sum(2, keepdim=True)
    pd_mean = (-g * v**-0.5).sum(2, keepdim=True) + pd_var / h * (-2 * d).sum(2, keepdim=True)
    want = g * v**-0.5 + pd_var * 2 / h * d + pd_mean / h
    space = min(size_of("LayerNormGrad", [b, s, h, h], [t.itemsize, 0])[0], 9 * 32 * h) if h < 1000 else 100000
    space = max(space, size_of("LayerNormGrad", [b, s, h, h], [t.itemsize, 0])[1])
    return Case(f"LayerNormGrad {name}", f"auto t = tiling<LayerNormGradTiling>(); LayerNormGrad<{c}>(out0, out1, in0, in1, in2, in3, in4, tmp, ({c})1e-3f, t);",
                [dy, x, var, mean, gamma], [(t, b * s * h), (t, b * s * h)], [want, d * v**-0.5], tol * 2, space,
                tiling_of("LayerNormGrad", [b, s, h, h], [t.itemsize, max(space, 9 * 4 * h), 0]))


# ---- reductions

def reduce_cases() -> list[Case]:
    cases = []
    ops = {"ReduceSum": (torch.sum, [F32]), "ReduceMean": (torch.mean, [F32]), "ReduceMax": (torch.amax, [F16, F32]), "ReduceMin": (torch.amin, [F16, F32]),
           "ReduceProd": (torch.prod, [F32])}
    for api, (fn, types) in ops.items():
        for t in types:
            for first, last in ((1, 8), (4, 64), (3, 37), (7, 128), (5, 300), (64, 16)):
                pitch = -(-last * t.itemsize // 32) * 32 // t.itemsize
                x = rand(first, pitch, dtype=t) if api != "ReduceProd" else 1 + rand(first, pitch, dtype=t) * 0.05
                for pattern, axis, n in (("AR", 1, first), ("RA", 0, last)):
                    space = size_of(api, [first, last], [t.itemsize, axis ^ 1, 1, 0])[1]
                    # RA on the pitch: rows of whole blocks
                    want = fn(x.double()[:, :last], axis)
                    tol = 0 if api in ("ReduceMax", "ReduceMin") else 3e-6
                    text = f"uint32_t sh[2] = {{{first}, {last}}}; {api}<{CXX[t]}, Pattern::Reduce::{pattern}>(out0, in0, tmp, sh, true);"
                    cases.append(Case(f"{api} {pattern} {CXX[t]} {first}x{last}", text, [x], [(t, n)], [want], tol, max(space, 32), b"",
                                      {"uninitialised-output"} if n * t.itemsize % 32 else set()))
    for api in ("ReduceAny", "ReduceAll"):
        for t in (torch.uint8, F32):
            x = (rand(6, 64) > 0.5).to(t)
            for pattern, axis, n in (("AR", 1, 6), ("RA", 0, 64)):
                want = x.amax(axis) if api == "ReduceAny" else x.amin(axis)
                cases.append(Case(f"{api} {pattern} {CXX[t]}", f"uint32_t sh[2] = {{6, 64}}; {api}<{CXX[t]}, Pattern::Reduce::{pattern}>(out0, in0, tmp, sh, true);", [x],
                                  [(t, n)], [want], 0, 4096, b"", {"uninitialised-output"} if n == 6 else set()))
    for t in (F16, F32):
        for outer, inner, n in ((1, 16, 16), (3, 64, 61), (4, 512, 500)):
            x = rand(outer, inner, dtype=t, scale=0.5)
            s = x.double()[:, :n].sum(1)
            may = {"uninitialised-output"} if outer * t.itemsize % 32 else set()
            space = size_of("Sum", [n], [t.itemsize, 0])[1]
            cases += [Case(f"Sum {CXX[t]} {outer}x{inner} {n}", f"Sum(out0, in0, tmp, SumParams{{{outer}, {inner}, {n}}});", [x], [(t, outer)], [s], TOL[t] * 8, space, b"", may),
                      Case(f"Mean {CXX[t]} {outer}x{inner} {n}", f"Mean(out0, in0, tmp, MeanParams{{{outer}, {inner}, {n}}});", [x], [(t, outer)], [s / n], TOL[t] * 8, space, b"", may)]
            if t is F16:
                cases.append(Case(f"Mean half float {outer}x{inner} {n}", f"Mean<half, float>(out0, in0, tmp, MeanParams{{{outer}, {inner}, {n}}});", [x], [(t, outer)], [s / n], 1e-3,
                                  size_of("Mean", [n], [2, 4])[1], b"", may))
        for outer, inner in ((16, 16), (5, 32), (20, 48)):
            x = rand(outer, inner, dtype=t, scale=0.25)
            for last in (True, False):
                cfg = f"static constexpr CumSumConfig cfg{{{str(last).lower()}, false, true}};"
                want = torch.cumsum(x.double(), 1 if last else 0)
                cases.append(Case(f"CumSum {CXX[t]} {outer}x{inner} {last}", f"{cfg} CumSum<{CXX[t]}, cfg>(out0, out1, in0, tmp, CumSumInfo{{{outer}, {inner}}});", [x],
                                  [(t, outer * inner), (t, inner)], [want, want[-1]], TOL[t] * 4, size_of("CumSum", [outer, inner], [t.itemsize, last])[0]))
    a, b = (torch.arange(100) * 37 % 501).to(torch.int16), (torch.arange(100) * 53 % 255).to(torch.int16)
    want = min(int((a ^ b).sum()), 32767)
    cases.append(Case("ReduceXorSum", "ReduceXorSum<int16_t>(out0, in0, in1, tmp, 100);", [a, b], [(torch.int16, 1)], [torch.tensor([want])], 0,
                      size_of("ReduceXorSum", [100], [2, 0])[1], b"", {"uninitialised-output"}))
    return cases


FAMILIES = {"softmax": softmax_cases, "flash": flash_cases, "norm": norm_cases, "reduce": reduce_cases}


@pytest.mark.parametrize("family", FAMILIES)
def test_family(family: str, tmp_path) -> None:
    cases = FAMILIES[family]()
    kernel = Kernel(cases, tmp_path)
    wrong = []
    for c in cases:
        try:
            check(kernel, c)
        except AssertionError as e:
            wrong.append(str(e))
    assert not wrong, f"{len(wrong)} of {len(cases)} cases:\n" + "\n".join(wrong[:20])


