#!/usr/bin/env python3
"""Time of simulated vector operators on 16 M floats, beside PyTorch on one thread.

    bench/sim/run.py [--build DIR] [--json FILE]

Prints, for every operator, the simulator's time with all checks, without the analysis of races, without checks, and on two host threads, then
geometric means, peak memory and the cost of a scalar access to global memory. Figures of one run compare; those of a busy machine
do not say more.
"""

import argparse
import json
import math
import os
import pathlib
import subprocess
import tempfile
import time

import torch

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
N = 1 << 24
# The operator of torch.ops.aten, and what it takes besides the inputs.
OF = {
    "relu": ("relu",), "abs": ("abs",), "exp": ("exp",), "log": ("log",), "sqrt": ("sqrt",), "reciprocal": ("reciprocal",), "neg": ("neg",),
    "leaky_relu": ("leaky_relu", 0.01), "clamp": ("clamp", 1, 6), "add_scalar": ("add", 2), "mul_scalar": ("mul", 2), "add": ("add",), "sub": ("sub",),
    "mul": ("mul",), "div": ("div",), "maximum": ("maximum",), "minimum": ("minimum",), "sigmoid": ("sigmoid",), "silu": ("silu",), "gelu": ("gelu",),
}
TWO = {"add", "sub", "mul", "div", "maximum", "minimum"}
KEYWORDS = {"gelu": {"approximate": "tanh"}}
TENSOR_MB = 3 * N * 4 / 2**20


def build(folder, libraries):
    program = pathlib.Path(folder) / "operators"
    archives = [str(libraries / f"libow_{name}.a") for name in ("sim", "isa", "base")]
    subprocess.run([os.environ.get("CC", "cc"), "-O2", f"-I{ROOT / 'src'}", str(HERE / "operators.c"), "-o", str(program), "-Wl,--whole-archive",
                    *archives, "-Wl,--no-whole-archive", "-ljansson", "-lm", "-lpthread"], check=True)
    return program


def simulated(program, options):
    done = subprocess.run([program, options], check=True, stdout=subprocess.PIPE, text=True)
    return {name: float(value) for name, value in (line.split() for line in done.stdout.splitlines())}


def best_ms(run):
    best = math.inf
    for _ in range(4):
        start = time.perf_counter()
        run()
        best = min(best, time.perf_counter() - start)
    return best * 1e3


def with_pytorch():
    """name -> (ms with a new result, ms with out=)."""
    torch.set_num_threads(1)
    x = torch.arange(N) % 1000 * 0.01 + 0.5
    y, out = x.clone(), torch.empty_like(x)
    times = {}
    for name, (aten, *rest) in OF.items():
        f = getattr(torch.ops.aten, aten)
        args = [x, y, *rest] if name in TWO else [x, *rest]
        keywords = KEYWORDS.get(name, {})
        times[name] = best_ms(lambda: f(*args, **keywords)), best_ms(lambda: out_form(f)(*args, **keywords, out=out))
    return times


def out_form(f):
    return f.out if "out" in f.overloads() else f


def mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def main():
    parser = argparse.ArgumentParser(description="Time simulated vector operators.")
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build", help="folder of the libraries, default build")
    parser.add_argument("--json", type=pathlib.Path, metavar="FILE", help="write the figures to FILE")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="bench-sim-") as folder:
        program = build(folder, options.build)
        sim = {kind: simulated(program, words) for kind, words in (("all", "threads:1"), ("no races", "threads:1,no-hazards"), ("no checks", "threads:1,no-checks"), ("two", "threads:2"))}
    host = with_pytorch()
    print(f"{'operator':12} {'PyTorch':>9} {'out=':>9} {'all checks':>11} {'no races':>10} {'no checks':>10} {'2 threads':>10}   ms")
    for name in OF:
        a, b, c, d = (sim[kind][name] for kind in ("all", "no races", "no checks", "two"))
        print(f"{name:12} {host[name][0]:9.1f} {host[name][1]:9.1f} {a:11.1f} {b:10.1f} {c:10.1f} {d:10.1f}")
    figures = {
        "slowdown to a new result": mean([sim["all"][n] / host[n][0] for n in OF]),
        "slowdown to out=": mean([sim["all"][n] / host[n][1] for n in OF]),
        "slowdown to out= without race analysis": mean([sim["no races"][n] / host[n][1] for n in OF]),
        "slowdown to out= without checks": mean([sim["no checks"][n] / host[n][1] for n in OF]),
        "two threads gain": mean([sim["all"][n] / sim["two"][n] for n in OF]),
        "peak MB": sim["all"]["peak-mb"], "tensors MB": TENSOR_MB,
        "ns a scalar access": sim["all"]["ns-per-scalar-access"],
        "cores": os.cpu_count(), "load": os.getloadavg()[0],
    }
    for name, value in figures.items():
        print(f"{name}: {value:.2f}")
    if options.json:
        options.json.write_text(json.dumps({"figures": figures, "pytorch": host, **sim}, indent=1), encoding="utf-8")


if __name__ == "__main__":
    main()
