"""What a user waits for, measured on this machine and printed; nothing is asserted.

1. `opwright verify` of the hand-written add, each time a new process, with the seconds of its stages.
2. `opwright gen` of examples/fused_chain.py, verification included.
3. Simulated elementwise kernels on 16 M floats with all checks, beside PyTorch on one thread in the same run.

Every figure is the median of --runs runs (5), with the smallest and the largest. Run it through bench/first_light.sh.
"""
import argparse
import json
import os
import platform
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
N_ELEMS = 16 * 1024 * 1024


def first_line(argv):
    try:
        return subprocess.run(argv, capture_output=True, text=True, cwd=ROOT).stdout.splitlines()[0].strip()
    except (OSError, IndexError):
        return "not found"


def machine_facts(cli):
    import torch

    cpu = re.search(r"^model name\s*:\s*(.*)$", Path("/proc/cpuinfo").read_text(), re.M)
    memory_kb = int(re.search(r"^MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text(), re.M).group(1))
    return {
        "processor": cpu.group(1) if cpu else platform.machine(),
        "cores for this process": len(os.sched_getaffinity(0)),
        "load average": "%.2f" % os.getloadavg()[0],
        "memory": f"{memory_kb / 2**20:.1f} GiB",
        "system": f"{platform.system()} {platform.release()}",
        "C++ compiler": first_line([os.environ.get("OPWRIGHT_CXX", "g++"), "--version"]),
        "Python, PyTorch": f"{platform.python_version()}, {torch.__version__}",
        "opwright": f"{first_line([cli, '--version'])}, commit {first_line(['git', 'rev-parse', '--short', 'HEAD'])}",
    }


class Table:
    """Rows of seconds; a row is printed when it is known, so that a long run can be watched."""

    def __init__(self):
        self.rows = []

    def head(self, title):
        print(f"\n{title}\n{'':44}{'median':>10}{'min':>10}{'max':>10}", flush=True)

    def add(self, what, seconds, note=""):
        middle = statistics.median(seconds)
        self.rows.append({"what": what, "median_s": middle, "min_s": min(seconds), "max_s": max(seconds), "note": note})
        print(f"{what:44}{show(middle):>10}{show(min(seconds)):>10}{show(max(seconds)):>10}  {note}".rstrip(), flush=True)
        return middle

    def skip(self, what, why):
        self.rows.append({"what": what, "skipped": why})
        print(f"{what:44}skipped: {why}", flush=True)


def show(seconds):
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"


def timed(argv):
    start = time.perf_counter()
    done = subprocess.run(argv, capture_output=True, text=True, cwd=ROOT)
    return time.perf_counter() - start, done


def flatten(stages, prefix=""):
    """{"build": {"kernel": 1.0}} as {"build kernel": 1.0}."""
    flat = {}
    for name, value in stages.items():
        if isinstance(value, dict):
            flat.update(flatten(value, f"{prefix}{name} "))
        elif isinstance(value, (int, float)):
            flat[prefix + name] = value
    return flat


def run_cli(table, title, argv, result_path, n_runs, note):
    """Runs a command n_runs times, each a new process; whole time, then the stages its result names."""
    table.head(title)
    walls, stages = [], {}
    for _ in range(n_runs):
        wall, done = timed(argv)
        if done.returncode > 1 or not Path(result_path).exists():  # 1: a verdict that is not PASS, shown beside the time
            text = (done.stdout + done.stderr).strip().splitlines()
            table.skip("whole command", f"exit status {done.returncode}: {text[-1] if text else ''}")
            return
        walls.append(wall)
        result = json.loads(Path(result_path).read_text())
        result = result["result"][0] if "result" in result else result  # verify writes an answer, gen the result itself
        for name, seconds in flatten(result.get("stages", {})).items():
            stages.setdefault(name, []).append(seconds)
    table.add("whole command, new process", walls, note(result))
    for name, seconds in stages.items():
        table.add("  " + name, seconds)


def bench_verify(table, cli, n_runs, folder):
    result = folder / "add.json"
    argv = [cli, "verify", "--op", "add", "--reference_path", "examples/add.py", "--kernel_code_path",
            "examples/handwritten/add.py", "--local", "--quiet", "--result_json_path", str(result)]
    run_cli(table, "verify, hand-written add", argv, result, n_runs, lambda r: r["verdict"])


def bench_gen(table, cli, n_runs, folder):
    argv = [cli, "gen", "--output-dir", str(folder), "--quiet", "examples/fused_chain.py"]
    run_cli(table, "gen, examples/fused_chain.py", argv, folder / "fused_chain.result.json", n_runs,
            lambda r: f"{r['verdict']}, {len(r.get('cases', []))} cases")


def torch_seconds(function, n_runs):
    function()
    seconds = []
    for _ in range(n_runs):
        start = time.perf_counter()
        function()
        seconds.append(time.perf_counter() - start)
    return seconds


def bench_torch(table, n_runs):
    """PyTorch on one thread; the result is written into memory that exists, and into new memory."""
    import torch

    torch.set_num_threads(1)
    x, y = torch.randn(N_ELEMS), torch.randn(N_ELEMS)
    out = torch.empty(N_ELEMS)
    runs = max(n_runs, 5)
    gelu = torch.ops.aten.gelu
    return {
        "add": (table.add("PyTorch add, out=", torch_seconds(lambda: torch.add(x, y, out=out), runs)),
                table.add("PyTorch add, new result", torch_seconds(lambda: x + y, runs))),
        "gelu": (table.add("PyTorch gelu (tanh), out=", torch_seconds(lambda: gelu.out(x, approximate="tanh", out=out), runs)),
                 table.add("PyTorch gelu (tanh), new result", torch_seconds(lambda: gelu(x, approximate="tanh"), runs))),
    }


def build_sim(build, folder):
    """bench/sim_elementwise.c against the simulator of the build; the program, or None and why not."""
    program = folder / "sim_elementwise"
    argv = ["cc", "-O2", "-D_GNU_SOURCE", "-Isrc", "bench/sim_elementwise.c", "-o", str(program), "-Wl,--whole-archive",
            *(str(build / f"libow_{layer}.a") for layer in ("sim", "isa", "base")), "-Wl,--no-whole-archive", "-ljansson", "-lm"]
    _, done = timed(argv)
    return (program, "") if done.returncode == 0 else (None, done.stderr.strip().splitlines()[-1])


def sim_seconds(program, n_runs):
    """{"add": [seconds...], "gelu": [...]} of at least n_runs launches, each with every check; None and why not."""
    seconds = {"add": [], "gelu": []}
    while len(seconds["add"]) < n_runs:
        _, done = timed([str(program)])
        found = re.findall(r"^sim: (\w+) ([0-9.]+) ms, \d+ calls, (\d+) findings", done.stdout, re.M)
        if done.returncode != 0 or not found or any(n != "0" for *_, n in found):
            return None, f"exit status {done.returncode}: {(done.stdout + done.stderr).strip()[-200:]}"
        for op, milliseconds, _ in found:
            seconds[op].append(float(milliseconds) / 1e3)
    return seconds, ""


def bench_sim(table, build, n_runs, folder):
    table.head(f"elementwise on {N_ELEMS} floats, one PyTorch thread")
    torch_medians = bench_torch(table, n_runs)
    program, why = build_sim(build, folder)
    seconds, why = sim_seconds(program, n_runs) if program else (None, why)
    if not seconds:
        table.skip("simulated add and gelu", why)
        return
    for op, name in (("add", "add"), ("gelu", "gelu (tanh)")):
        reused, fresh = torch_medians[op]
        middle = statistics.median(seconds[op])
        table.add(f"simulated {name}, all checks", seconds[op],
                  f"{middle / reused:.1f} x PyTorch with out=, {middle / fresh:.1f} x with a new result")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    parser.add_argument("--json", type=Path, help="also write the rows here")
    args = parser.parse_args()
    cli = str(args.build.resolve() / "opwright")
    if args.runs < 1 or not os.path.exists(cli):
        sys.exit(f"bench: {cli} is not built; run make" if args.runs > 0 else "bench: --runs is at least 1")
    facts = machine_facts(cli)
    for name, value in facts.items():
        print(f"{name:24}{value}")
    table = Table()
    with tempfile.TemporaryDirectory(prefix="opwright-bench-") as folder:
        bench_verify(table, cli, args.runs, Path(folder))
        bench_gen(table, cli, args.runs, Path(folder))
        bench_sim(table, args.build.resolve(), args.runs, Path(folder))
    if args.json:
        args.json.write_text(json.dumps({"machine": facts, "rows": table.rows}, indent=1) + "\n")


if __name__ == "__main__":
    main()
