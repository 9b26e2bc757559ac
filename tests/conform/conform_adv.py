"""Runs single high-level API calls on the simulator: many calls are compiled into one kernel, each is launched by itself.

A call's C++ text sees in0, in1, ... and out0, out1, ... (LocalTensor of the given element types), `tmp` (LocalTensor<uint8_t>
of the size asked for) and tiling<S>() (the structure given as bytes). Outputs hold a poison until the call writes them; what
it leaves unwritten is a finding when it is copied out, unless the case says so.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import torch

ROOT = Path(__file__).resolve().parents[2]
CXX = {torch.float16: "half", torch.bfloat16: "bfloat16_t", torch.float32: "float", torch.int8: "int8_t", torch.int16: "int16_t",
       torch.int32: "int32_t", torch.uint8: "uint8_t", torch.uint16: "uint16_t", torch.uint32: "uint32_t", torch.uint64: "uint64_t",
       torch.int64: "int64_t", torch.bool: "bool"}
CODE = {torch.float16: 0, torch.bfloat16: 1, torch.float32: 2}

HEAD = """\
#include "kernel_operator.h"
using namespace AscendC;
struct Call {
    TPipe pipe;
    TBuf<TPosition::VECCALC> buf[16], space;
    __gm__ uint8_t *x, *y;
    const int32_t *word; /* n_in, n_out, bytes of tmp, offset and bytes of each, then the tiling structure */
    uint32_t used = 0;
    Call(GM_ADDR xIn, GM_ADDR yIn, GM_ADDR t) : x(xIn), y(yIn), word((const int32_t *)t + 1) {}
    uint32_t Off(uint32_t i) { return word[3 + 2 * i]; }
    uint32_t Bytes(uint32_t i) { return word[4 + 2 * i]; }
    template <typename T> LocalTensor<T> Get(uint32_t i)
    {
        pipe.InitBuffer(buf[used], Bytes(i));
        return buf[used++].Get<T>();
    }
    template <typename T> LocalTensor<T> In(uint32_t i)
    {
        LocalTensor<T> t = Get<T>(i);
        GlobalTensor<uint8_t> g;
        g.SetGlobalBuffer(x + Off(i), Bytes(i));
        DataCopy(t.template ReinterpretCast<uint8_t>(), g, Bytes(i));
        return t;
    }
    template <typename T> LocalTensor<T> Out(uint32_t i) { return Get<T>(word[0] + i); }
    LocalTensor<uint8_t> Tmp()
    {
        if (word[2] == 0) return LocalTensor<uint8_t>();
        pipe.InitBuffer(space, word[2]);
        return space.Get<uint8_t>();
    }
    template <typename T> void Save(uint32_t i, LocalTensor<T> t)
    {
        GlobalTensor<uint8_t> g;
        g.SetGlobalBuffer(y + Off(word[0] + i), Bytes(word[0] + i));
        PipeBarrier<PIPE_ALL>();
        DataCopy(g, t.template ReinterpretCast<uint8_t>(), Bytes(word[0] + i));
    }
    template <typename T> T Tiling()
    {
        T t;
        __builtin_memcpy((void *)&t, word + 3 + 2 * (word[0] + word[1]), sizeof t);
        return t;
    }
};
#define tiling c.template Tiling
"""


@dataclass
class Case:
    name: str
    call: str
    ins: list[torch.Tensor]
    outs: list[tuple[torch.dtype, int]]  # element type and count; `into` makes them copies of an input instead
    want: object = None  # function of the outputs, or a list of tensors in float64
    tol: float = 0.0  # of |got - want| / (1 + |want|)
    tmp: int = 0
    tiling: bytes = b""
    may: set[str] = field(default_factory=set)  # findings that are right here
    into: dict[int, int] = field(default_factory=dict)  # output -> input whose tensor it is


class _Gm(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("role", ctypes.c_int), ("dtype", ctypes.c_int), ("data", ctypes.c_void_p),
                ("n_bytes", ctypes.c_size_t), ("initialised", ctypes.c_bool)]


class _Launch(ctypes.Structure):
    _fields_ = [("op_name", ctypes.c_char_p), ("entry", ctypes.c_void_p), ("args", ctypes.c_void_p), ("gm", ctypes.c_void_p),
                ("n_gm", ctypes.c_size_t), ("block_dim", ctypes.c_uint32), ("tiling_key", ctypes.c_uint64)]


class _Finding(ctypes.Structure):
    _fields_ = [("check", ctypes.c_char_p), ("severity", ctypes.c_int), ("file", ctypes.c_char_p), ("line", ctypes.c_uint32), ("other_file", ctypes.c_char_p), ("other_line", ctypes.c_uint32),
                ("api", ctypes.c_char_p), ("block", ctypes.c_uint32), ("count", ctypes.c_uint64), ("text", ctypes.c_char_p)]


def runtime() -> ctypes.CDLL:
    lib = ctypes.CDLL(str(ROOT / "build/libopwright_rt.so"), mode=ctypes.RTLD_GLOBAL)
    lib.sim_new.restype = ctypes.c_void_p
    lib.sim_n_findings.restype = ctypes.c_size_t
    lib.sim_finding.restype = ctypes.POINTER(_Finding)
    return lib


def tiling_of(api: str, dims: list[int], numbers: list[int], n_words: int = 64) -> bytes:
    """The structure a host helper fills."""
    lib = runtime()
    out = (ctypes.c_uint32 * n_words)()
    lib.owh_adv_tiling.restype = ctypes.c_bool
    ok = lib.owh_adv_tiling(api.encode(), (ctypes.c_int64 * len(dims))(*dims), ctypes.c_size_t(len(dims)),
                            (ctypes.c_int64 * len(numbers))(*numbers), ctypes.byref(out))
    assert ok, f"{api} {dims} {numbers}: the tiling helper refuses"
    return bytes(out)


def size_of(api: str, dims: list[int], numbers: list[int]) -> tuple[int, int]:
    """Largest and smallest temporary space as a host helper gives it."""
    lib = runtime()
    most, least = ctypes.c_uint32(), ctypes.c_uint32()
    lib.owh_adv_size.restype = ctypes.c_bool
    ok = lib.owh_adv_size(api.encode(), (ctypes.c_int64 * len(dims))(*dims), ctypes.c_size_t(len(dims)),
                          (ctypes.c_int64 * len(numbers))(*numbers), ctypes.byref(most), ctypes.byref(least))
    assert ok, f"{api} {dims} {numbers}: the size helper refuses"
    return most.value, least.value


def _padded(data: bytes) -> bytes:
    return data + bytes(-len(data) % 32)


def _raw(t: torch.Tensor) -> bytes:
    return t.contiguous().view(torch.uint8).numpy().tobytes() if t.numel() else b""


class Kernel:
    """One library with a function for every different call of the cases."""

    def __init__(self, cases: list[Case], folder: Path) -> None:
        self.lib = runtime()
        self.cases = cases
        self.index: dict[tuple, int] = {}
        body, switch = [], []
        for c in cases:
            key = self._key(c)
            if key in self.index:
                continue
            n = self.index[key] = len(self.index)
            lines = [f"auto in{i} = c.In<{CXX[t.dtype]}>({i});" for i, t in enumerate(c.ins)]
            lines += [f"auto out{i} = in{c.into[i]};" if i in c.into else f"auto out{i} = c.Out<{CXX[t]}>({i});" for i, (t, _) in enumerate(c.outs)]
            lines += ["auto tmp = c.Tmp();", "PipeBarrier<PIPE_ALL>();", c.call]
            lines += [f"c.Save({i}, out{i});" for i in range(len(c.outs))]
            body.append(f"__aicore__ void call_{n}(Call &c)\n{{\n    " + "\n    ".join(lines) + "\n}")
            switch.append(f"case {n}: call_{n}(c); break;")
        text = (HEAD + "\n".join(body) + '\nextern "C" __global__ __aicore__ void conform(GM_ADDR x, GM_ADDR y, GM_ADDR w, GM_ADDR t)\n{\n'
                "    Call c(x, y, t);\n    switch (*(const int32_t *)t) {\n    " + "\n    ".join(switch) + "\n    }\n}\n"
                "OW_KERNEL_ENTRY(conform, 4)\n")
        source, so = folder / "conform.cpp", folder / "conform.so"
        source.write_text(text)
        done = subprocess.run(["g++", "-std=c++17", "-O0", "-fPIC", "-shared", "-fvisibility=hidden", "-w", "-Wno-narrowing",
                               f"-I{ROOT}/device", str(source), "-o", str(so)], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr[:4000]
        self.kernel = ctypes.CDLL(str(so), mode=os.RTLD_NOW)

    @staticmethod
    def _key(c: Case) -> tuple:
        return (c.call, tuple(t.dtype for t in c.ins), tuple(t for t, _ in c.outs), tuple(sorted(c.into.items())))

    def run(self, c: Case) -> tuple[list[torch.Tensor], list[tuple[str, str]]]:
        ins = [_padded(_raw(t)) for t in c.ins]
        outs = [-(-n * t.itemsize // 32) * 32 for t, n in c.outs]
        words, at = [self.index[self._key(c)], len(ins), len(outs), c.tmp], 0
        for data in ins:
            words += [at, len(data)]
            at += len(data)
        at = 0
        for n in outs:
            words += [at, n]
            at += n
        x = ctypes.create_string_buffer(b"".join(ins) or b"\0" * 32)
        y = ctypes.create_string_buffer(max(sum(outs), 32))
        t = ctypes.create_string_buffer(bytes((ctypes.c_int32 * len(words))(*words)) + c.tiling)
        found = self._launch(x, y, t)
        got, at = [], 0
        for (dtype, n), size in zip(c.outs, outs):
            got.append(torch.frombuffer(bytearray(y.raw[at:at + n * dtype.itemsize]), dtype=dtype) if n else torch.empty(0, dtype=dtype))
            at += size
        return got, found

    def _launch(self, x, y, t) -> list[tuple[str, str]]:
        err = ctypes.create_string_buffer(8192)
        sim = ctypes.c_void_p(self.lib.sim_new(b"Ascend910B4", err))
        gm = (_Gm * 3)(_Gm(b"x", 0, 2, ctypes.addressof(x), len(x) - 1, False), _Gm(b"y", 1, 2, ctypes.addressof(y), len(y), True),
                       _Gm(b"tiling", 3, 6, ctypes.addressof(t), len(t), False))
        args = (ctypes.c_void_p * 4)(ctypes.addressof(x), ctypes.addressof(y), None, ctypes.addressof(t))
        entry = ctypes.cast(self.kernel.ow_kernel_entry, ctypes.c_void_p)
        launch = _Launch(b"Conform", entry, ctypes.cast(args, ctypes.c_void_p), ctypes.cast(gm, ctypes.c_void_p), 3, 1, 0)
        assert self.lib.sim_launch(sim, ctypes.byref(launch), err)
        found = []
        for i in range(self.lib.sim_n_findings(sim)):
            f = self.lib.sim_finding(sim, ctypes.c_size_t(i)).contents
            found.append((f.check.decode(), f"{f.api.decode()}: {f.text.decode()}"))
        self.lib.sim_free(sim)
        return found


def check(kernel: Kernel, c: Case) -> None:
    got, found = kernel.run(c)
    wrong = [f for f in found if f[0] not in c.may]
    assert not wrong, f"{c.name}: {wrong[:3]}"
    missing = c.may - {f[0] for f in found}
    assert not missing or c.want is not None, f"{c.name}: expected {missing}"
    if c.want is None:
        return
    want = c.want(*got) if callable(c.want) else c.want
    for i, (g, w) in enumerate(zip(got, want)):
        if w is None:
            continue
        w = w.reshape(-1)
        assert g.numel() >= w.numel(), f"{c.name}: output {i} has {g.numel()} elements, {w.numel()} expected"
        g, w = g[: w.numel()].to(torch.float64), w.to(torch.float64)
        same = (g == w) | (torch.isnan(g) & torch.isnan(w))
        off = ((g - w).abs() / (1 + w.abs())).masked_fill(same, 0)
        bad = ~(off <= c.tol)
        if bad.any():
            k = int(bad.nonzero()[0])
            raise AssertionError(f"{c.name}: output {i}[{k}] is {g[k].item():g}, expected {w[k].item():g}; {int(bad.sum())} of {w.numel()} off, "
                                 f"worst {off.nan_to_num(9e9).max().item():g}, allowed {c.tol:g}")
