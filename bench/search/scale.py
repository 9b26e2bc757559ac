#!/usr/bin/env python3
"""Time of `opwright search` and `opwright index rebuild` with a large store: 4,000 golden solutions, 4,000 lessons in 1,000 files and 2,000
sections of documents, beside opwright's own. The texts are made from the hand-written example and the lessons beside this file,
with names and numbers changed, so their sizes are real ones (10 KB a golden solution).

Usage: bench/search/scale.py [--entries N]"""
import json
import os
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
CLI = os.environ.get("OPWRIGHT_CLI", str(ROOT / "build" / "opwright"))
WORDS = "batch fused group layer masked max mean min norm relu row scale soft sum swish tanh tile wide gated cross focal huber dice cosine".split()
QUERIES = ["reduce last axis unaligned float16", "DataCopyPad", "尾块 非对齐 搬运", "WholeReduceSum", "ub address out of bounds 507035", "gated row norm", "Add(z, x, y, n)",
           "model_src computes with torch", "空张量 除零", "oleReduceSu", "verdict exit status", "use of undeclared identifier 'sqrtf'"]


def make(folder, n, rng):
    """n entries: 40 % golden, 40 % lessons, 20 % sections."""
    golden, issues, docs = folder / "reference/golden_solutions", folder / "reference/issues", folder / "docs"
    for place in (golden, issues, docs):
        place.mkdir(parents=True)
    add = (ROOT / "examples/handwritten/add.py").read_text(encoding="utf-8")
    lessons = [json.loads(p.read_text(encoding="utf-8"))[0] for p in sorted((HERE / "lessons").glob("*.json"))]
    for i in range(n * 4 // 10):
        name = "_".join(rng.sample(WORDS, 3)) + f"_{i}"
        camel = "".join(w.title() for w in name.split("_"))
        text = add.replace("AddCustom", f"{camel}Custom").replace("add_custom", f"{name}_custom").replace("AscendC::Add(", f"AscendC::{rng.choice(['Mul', 'Sub', 'Max', 'Div'])}(")
        filler = "".join(f"// {rng.choice(WORDS)} {rng.choice(WORDS)} step {rng.randrange(10**6)}: Muls(t{k}, x, {rng.random():.6f}f, n{rng.randrange(500)});\n" for k in range(60))
        (golden / f"{name}.py").write_text(text.replace("#include", filler + "#include", 1), encoding="utf-8")
    for i in range(n // 10):
        rows = []
        for _ in range(4):
            row = dict(rng.choice(lessons))
            row["error"] += f"\nblock {rng.randrange(48)}, offset {rng.randrange(10**7)}, kernel {rng.choice(WORDS)}_{rng.randrange(5000)}"
            rows.append(row)
        (issues / f"op_{i}.json").write_text(json.dumps(rows, ensure_ascii=False, indent=2), encoding="utf-8")
    own = "\n".join(p.read_text(encoding="utf-8") for p in sorted((ROOT / "docs").glob("*.md")) if p.name != "api.md").splitlines()
    for i in range(n // 50):
        parts = [f"## Section {i}-{k} {rng.choice(WORDS)}\n" + "\n".join(rng.sample(own, 12)).replace("#", "") for k in range(10)]
        (docs / f"page_{i}.md").write_text("\n".join(parts), encoding="utf-8")
    return docs


def main():
    n = int(sys.argv[sys.argv.index("--entries") + 1]) if "--entries" in sys.argv else 10000
    with tempfile.TemporaryDirectory() as temp:
        folder = Path(temp)
        env = {**os.environ, "ASCEND_SKILL_ROOT": temp, "OPWRIGHT_INDEX_DIR": str(folder / "index"), "OPWRIGHT_HOME": str(ROOT)}

        def cpu_s():
            used = resource.getrusage(resource.RUSAGE_CHILDREN)
            return used.ru_utime + used.ru_stime

        def run(*argv):
            start = time.perf_counter()
            done = subprocess.run([CLI, *argv], env=env, capture_output=True, text=True)
            if done.returncode not in (0, 1):
                sys.exit(done.stderr)
            return time.perf_counter() - start, done.stdout

        docs = make(folder, n, random.Random(1))
        size = sum(p.stat().st_size for p in folder.rglob("*") if p.is_file())
        print(f"{n} entries, {size / 1e6:.0f} MB of text; load average {os.getloadavg()[0]:.1f}")
        run("index", "add", str(docs))
        before = cpu_s()
        rebuild, text = run("index", "rebuild")
        rebuild_cpu = cpu_s() - before
        print(text.splitlines()[0])
        before = cpu_s()
        times = [run("search", "--json", q)[0] for _ in range(3) for q in QUERIES]
        cpu = (cpu_s() - before) / len(times)
        (folder / "reference/golden_solutions/one_more.py").write_text("kernel_src = '''one more'''\n", encoding="utf-8")
        grow, _ = run("search", "one more")
        index = next((folder / "index").glob("*.sqlite"))
        print(f"index rebuild        {rebuild:7.2f} s; {rebuild_cpu:.1f} s of processor time ({index.stat().st_size / 1e6:.0f} MB)")
        print(f"search, new process  {statistics.median(times) * 1e3:7.1f} ms  median of {len(times)}, slowest {max(times) * 1e3:.1f} ms; {cpu * 1e3:.1f} ms of processor time")
        print(f"search after a save  {grow * 1e3:7.1f} ms  with the new file taken in")
    return 0


if __name__ == "__main__":
    sys.exit(main())
