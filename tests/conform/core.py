"""One kernel library for all cases of the suite, and the running of one case.

A case is a launch of one block: the kernel copies an image of the whole UB in, makes one call with the parameters it is
given, and copies UB out again. What should be there afterwards is worked out by the reference, byte by byte: what the call
must not touch counts as much as what it computes.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[2]
UB = 196608
N_PARAMS, N_RESULTS, GM_BYTES = 48, 16, 65536
DTYPES = ["half", "bfloat16_t", "float", "double", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
          "uint64_t", "bool"]

PROLOGUE = r"""
#include "kernel_operator.h"
#include "utils/debug/asc_dump.h"
#include "utils/debug/asc_time.h"
using namespace AscendC;
struct Ctx { GlobalTensor<int64_t> p; GlobalTensor<int64_t> res; GM_ADDR gm; };
inline void add_to(int64_t *at, int v) { *at += v; }
#define P(i) c.p.GetValue(i)
#define RES(i, v) c.res.SetValue(i, (int64_t)(v))
template <typename X> X from_bits(int64_t v) { X x; __builtin_memcpy((void *)&x, &v, sizeof x); return x; }
#define TENSORS \
    LocalTensor<T> d(TPosition::VECCALC, (uint32_t)P(16), 49152); LocalTensor<U> a(TPosition::VECCALC, (uint32_t)P(17), 49152); \
    LocalTensor<U> b(TPosition::VECCALC, (uint32_t)P(18), 49152); LocalTensor<V> o(TPosition::VECCALC, (uint32_t)P(19), 49152); \
    GlobalTensor<T> g; g.SetGlobalBuffer((__gm__ T *)c.gm, 65536 / sizeof(T)); \
    int64_t n = P(0); uint64_t bits[2] = {(uint64_t)P(1), (uint64_t)P(2)}; uint64_t lanes = (uint64_t)P(1); uint32_t r = (uint32_t)P(3); \
    UnaryRepeatParams up((uint32_t)P(4), (uint32_t)P(5), (uint32_t)P(7), (uint32_t)P(8)); \
    BinaryRepeatParams bp((uint32_t)P(4), (uint32_t)P(5), (uint32_t)P(6), (uint32_t)P(7), (uint32_t)P(8), (uint32_t)P(9)); \
    T ts = from_bits<T>(P(10)); U us = from_bits<U>(P(10)); int64_t arg = P(11);
"""
EPILOGUE = r"""
extern "C" __global__ __aicore__ void conform(GM_ADDR in, GM_ADDR out, GM_ADDR params, GM_ADDR results, GM_ADDR gm)
{
    Ctx c;
    c.p.SetGlobalBuffer((__gm__ int64_t *)params, 48);
    c.res.SetGlobalBuffer((__gm__ int64_t *)results, 16);
    c.gm = gm;
    GlobalTensor<uint8_t> from, to;
    from.SetGlobalBuffer(in);
    to.SetGlobalBuffer(out);
    LocalTensor<uint8_t> ub(TPosition::VECCALC, 0, 196608);
    DataCopy(ub, from, 196608);
    PipeBarrier<PIPE_ALL>();
    run(c);
    PipeBarrier<PIPE_ALL>();
    DataCopy(to, ub, 196608);
}
OW_KERNEL_ENTRY(conform, 5)
"""


@dataclass
class Run:
    """One launch: the image before, the parameters, and what the reference says of the result."""

    image: np.ndarray
    params: dict[int, int]
    want: np.ndarray
    # (addresses, element type, near): elements compared as numbers. near None: bits, but any NaN is NaN; else
    # near(got, want) says which are close enough
    typed: list[tuple[np.ndarray, str, Any]] = field(default_factory=list)
    results: list[int] = field(default_factory=list)
    free: list[tuple[int, int]] = field(default_factory=list)  # [from, end) that may hold anything
    findings: set[str] = field(default_factory=set)  # checks that must be reported
    gm: np.ndarray | None = None
    want_gm: np.ndarray | None = None
    what: str = ""
    exact: bool = False


class _Gm(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("role", ctypes.c_int), ("dtype", ctypes.c_int), ("data", ctypes.c_void_p),
                ("n_bytes", ctypes.c_size_t), ("initialised", ctypes.c_bool)]


class _Launch(ctypes.Structure):
    _fields_ = [("op_name", ctypes.c_char_p), ("entry", ctypes.c_void_p), ("args", ctypes.POINTER(ctypes.c_void_p)),
                ("gm", ctypes.POINTER(_Gm)), ("n_gm", ctypes.c_size_t), ("block_dim", ctypes.c_uint32), ("tiling_key", ctypes.c_uint64)]


class _Finding(ctypes.Structure):
    _fields_ = [("check", ctypes.c_char_p), ("severity", ctypes.c_int), ("file", ctypes.c_char_p), ("line", ctypes.c_uint32),
                ("other_file", ctypes.c_char_p), ("other_line", ctypes.c_uint32), ("api", ctypes.c_char_p), ("block", ctypes.c_uint32),
                ("count", ctypes.c_uint64), ("text", ctypes.c_char_p)]


def kernel_text(snippets: list[tuple[str, list[tuple[str, str, str]]]]) -> str:
    """All snippets for all their element types, numbered in order. A snippet sees T, U, V and what TENSORS declares."""
    out, cases = [PROLOGUE], []
    number = 0
    for k, (code, types) in enumerate(snippets):
        out.append(f"template <typename T, typename U, typename V> inline void snippet_{k}(Ctx &c)\n{{\n    TENSORS\n#line 1 \"case_{k}\"\n    {code}\n}}")
        for t, u, v in types:
            cases.append(f"    case {number}: snippet_{k}<{t}, {u}, {v}>(c); break;")
            number += 1
    out.append("inline void run(Ctx &c)\n{\n    switch (P(47)) {\n" + "\n".join(cases) + "\n    }\n}")
    return "\n".join(out) + EPILOGUE


def build(texts: list[str], folder: Path) -> list[Path]:
    """Libraries of kernels, compiled side by side."""
    folder.mkdir(parents=True, exist_ok=True)
    libraries, compilers = [], []
    for i, text in enumerate(texts):
        source, library = folder / f"kernel_{i}.cpp", folder / f"kernel_{i}.so"
        source.write_text(text)
        command = ["g++", "-std=c++17", "-O0", "-fPIC", "-shared", "-fvisibility=hidden", "-w", f"-I{ROOT}/device", str(source), "-o", str(library)]
        compilers.append(subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
        libraries.append(library)
    for compiler in compilers:
        errors = compiler.communicate()[1]
        assert compiler.returncode == 0, errors[:4000]
    return libraries


class Machine:
    def __init__(self, library: Path) -> None:
        self.rt = ctypes.CDLL(os.environ.get("OPWRIGHT_RT") or str(ROOT / "build/libopwright_rt.so"), mode=ctypes.RTLD_GLOBAL)
        self.kernel = ctypes.CDLL(str(library))
        rt = self.rt
        rt.sim_new.restype = rt.sim_finding.restype = ctypes.c_void_p
        rt.sim_new.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
        rt.sim_launch.restype = ctypes.c_bool
        rt.sim_launch.argtypes = [ctypes.c_void_p, ctypes.POINTER(_Launch), ctypes.c_void_p]
        rt.sim_n_findings.restype = ctypes.c_size_t
        rt.sim_n_findings.argtypes = rt.sim_reset.argtypes = [ctypes.c_void_p]
        rt.sim_finding.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        rt.sim_set_options.argtypes = [ctypes.c_void_p, ctypes.c_void_p]
        rt.sim_parse_options.restype = ctypes.c_bool
        rt.sim_parse_options.argtypes = [ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p]
        self.n_runs = 0
        self.err = ctypes.create_string_buffer(8192)
        self.sim = rt.sim_new(b"Ascend910B4", self.err)
        assert self.sim, self.err.raw[:64]
        self.buffers = {"in": np.zeros(UB, np.uint8), "out": np.zeros(UB, np.uint8), "params": np.zeros(N_PARAMS, np.int64),
                        "results": np.zeros(N_RESULTS, np.int64), "gm": np.zeros(GM_BYTES, np.uint8)}
        roles = {"in": 0, "out": 1, "params": 0, "results": 1, "gm": 2}
        self.gm = (_Gm * 5)(*[_Gm(name.encode(), roles[name], DTYPES.index("uint8_t"), b.ctypes.data, b.nbytes, True)
                              for name, b in self.buffers.items()])
        self.args = (ctypes.c_void_p * 5)(*[b.ctypes.data for b in self.buffers.values()])
        entry = ctypes.cast(self.kernel.ow_kernel_entry, ctypes.c_void_p).value
        self.launch = _Launch(b"Conform", entry, self.args, self.gm, 5, 1, 0)

    def run(self, number: int, run: Run) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[tuple[str, str]]]:
        """The image, the results and the global memory afterwards, and the findings."""
        b = self.buffers
        b["in"][:] = run.image
        b["params"][:] = 0
        for i, v in run.params.items():
            b["params"][i] = np.uint64(v & 0xFFFFFFFFFFFFFFFF).astype(np.int64)
        b["params"][47] = number
        b["results"][:] = 0
        b["gm"][:] = 0 if run.gm is None else run.gm
        self.rt.sim_reset(self.sim)
        self.n_runs += 1  # every schedule in turn: what an instruction does must not depend on when its pipe runs it
        schedule = ("in-order", "lazy", f"random:{self.n_runs}")[self.n_runs % 3]
        options = ctypes.create_string_buffer(4096)  # a SimOptions, whose fields only its parser knows here
        assert self.rt.sim_parse_options((schedule + (",exact" if run.exact else "")).encode(), options, self.err)
        self.rt.sim_set_options(self.sim, options)
        assert self.rt.sim_launch(self.sim, ctypes.byref(self.launch), self.err)
        found = []
        for i in range(self.rt.sim_n_findings(self.sim)):
            f = ctypes.cast(self.rt.sim_finding(self.sim, i), ctypes.POINTER(_Finding)).contents
            found.append((f.check.decode(), f.text.decode()))
        return b["out"].copy(), b["results"].copy(), b["gm"].copy(), found
