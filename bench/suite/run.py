#!/usr/bin/env python3
"""Runs a folder of reference files through `opwright gen`: generated, built, run, compared, checked; a table and a summary.

    bench/suite/run.py [FOLDER] [--category NAME]... [--only WORD]... [--json FILE]
    bench/suite/run.py --suite-root MULTIKERNELBENCH [--category activation]...

FOLDER (tests/corpus when it is not given) holds reference files, or folders of them, which are the categories; --suite-root takes a
checkout of a benchmark that keeps them in reference/CATEGORY/. Files whose inputs come in groups, read from a .json beside them, give
an operator for each kind of group, and all groups count. With --json a run goes on where the last one stopped. docs/suite.md says what
the columns mean. Exit status: 0 when every task passed, 1 else.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, Iterable, Optional

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("OPWRIGHT_CLI", str(ROOT / "build/opwright"))
STEPS = ("generated", "compiled", "correct", "clean")
BOUNDS = {1: 1.05, 2: 2.05}  # bytes moved over the least, by how often an operator must look at its inputs


# ---- the tasks ----------------------------------------------------------------------------------------------------------


def find_tasks(options: argparse.Namespace) -> list[tuple[str, Path]]:
    """(category, file), in the order of names; numbers in names count as numbers."""
    root = options.suite_root / "reference" if options.suite_root else options.folder
    files = [(p.parent.relative_to(root).as_posix() if p.parent != root else ".", p) for p in root.glob("**/*.py")]
    wanted = [(c, p) for c, p in files if is_reference(p) and (not options.category or c in options.category)
              and (not options.only or any(word in p.stem for word in options.only))]
    return sorted(wanted, key=lambda t: (natural(t[0]), natural(t[1].stem)))


def is_reference(path: Path) -> bool:
    text = path.read_text(encoding="utf-8", errors="replace")
    return "class Model" in text and ("def get_inputs" in text or "def get_input_groups" in text)


def natural(text: str) -> list[tuple[int, int, str]]:
    parts, digits = [], ""
    for c in text + "\0":
        if c.isdigit():
            digits += c
            continue
        if digits:
            parts.append((0, int(digits), ""))
            digits = ""
        parts.append((1, 0, c))
    return parts


# ---- one task -----------------------------------------------------------------------------------------------------------


def run_task(options: argparse.Namespace, category: str, path: Path) -> dict[str, Any]:
    """One row of the table."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="opwright-suite-") as scratch:
        folder = options.keep / category / path.stem if options.keep else Path(scratch)
        report = Path(scratch) / "report.json"
        command = [CLI, "gen", str(path), "--output-dir", str(folder), "--report", str(report), "--strict", "--force", "--quiet",
                   "--max-bytes", options.max_bytes, "--time-limit", str(options.time_limit), "--schedule", options.schedule,
                   *(["--no-verify"] if options.no_verify else [])]
        why = run_within(command, options.task_limit)
        operators = json.loads(report.read_text()) if report.exists() else []
        row = judge(operators, why, not options.no_verify)
    return {"category": category, "task": path.stem, **row, "seconds": round(time.monotonic() - start, 1)}


def run_within(command: list[str], limit_s: float) -> str:
    """Runs gen in a process group of its own; what went wrong with the command itself, or nothing."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True)
    try:
        _, said = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return f"not done in {limit_s:g} s"
    lines = [line for line in said.splitlines() if line.startswith("opwright: ")]
    return (lines or [f"exit status {process.returncode}"])[0].removeprefix("opwright: ") if process.returncode else ""


def judge(operators: list[dict[str, Any]], why: str, verified: bool) -> dict[str, Any]:
    """A task is as good as the worst of its operators."""
    rows = [judge_operator(o, verified) for o in operators] or [{**dict.fromkeys(STEPS, False), "reason": why}]
    row: dict[str, Any] = {step: all(r[step] for r in rows) for step in STEPS}
    row["operators"] = len(operators)
    row["groups"] = len({g for o in operators for g in o["groups"]})
    row["gen_s"] = round(max((o["seconds"]["trace"] + o["seconds"]["write"] for o in operators), default=0.0), 3)
    row["write_s"] = round(max((o["seconds"]["write"] for o in operators), default=0.0), 4)
    worst = max((r for r in rows if r.get("gm")), key=lambda r: r["gm"] / BOUNDS[r["looks"]["n"]], default=None)
    row["looks"] = worst and worst["looks"]
    row["gm"] = worst and worst["gm"]
    row["reduced"] = [label for r in rows for label in r.get("reduced", [])]
    row["left_out"] = [label for r in rows for label in r.get("left_out", [])]
    row["lines"] = max((r["lines"] for r in rows if r.get("lines")), default=None)
    reasons = [r["reason"] for r in rows if r.get("reason")]
    row["reason"] = reasons[0] + (f" (and {len(reasons) - 1} more)" if len(reasons) > 1 else "") if reasons else ""
    row["failed"] = [{"operator": o.get("name") or f"group {o['group']}", "reason": r["reason"]}
                     for o, r in zip(operators, rows) if r.get("reason")]
    return row


def judge_operator(operator: dict[str, Any], verified: bool) -> dict[str, Any]:
    if "error" in operator:
        error = operator["error"]
        return {**dict.fromkeys(STEPS, False), "reason": f"{Path(error['where']).name}: {error['message']}".removeprefix(": ")}
    lines = kernel_lines(Path(operator["description"]).read_text())
    if "result" not in operator or not verified:
        return {"generated": True, "compiled": not verified, "correct": not verified, "clean": not verified, "lines": lines}
    result = json.loads(Path(operator["result"]).read_text())
    cases = result.get("cases", [])
    outputs = [p for case in cases for p in case.get("precision") or [{"pass": False}]]
    correct = bool(outputs) and all(p["pass"] for p in outputs)
    left_out = [f"{c['label']}: {c['reason']}" for c in result.get("cases_left_out", []) if "fixes their sizes" in c["reason"]]
    return {"generated": True, "compiled": result["compiled"] is True, "correct": correct, "clean": result["verdict"] == "PASS",
            "gm": work(cases), "looks": operator["looks"], "reduced": [c["label"] for c in cases if " instead of " in c["label"]], "left_out": left_out,
            "lines": lines, "reason": "" if result["verdict"] == "PASS" else failure(result)}


def failure(result: dict[str, Any]) -> str:
    case = next((f" [{c['label']}]" for c in result.get("cases", []) if c["verdict"] != "PASS"), "")
    text = result.get("error_message") or next((c["text"] for c in result["checks"] if c["severity"] == "error"), result["verdict"])
    return f"{result['verdict']}: {text.splitlines()[0]}{case}"


def work(cases: list[dict[str, Any]]) -> Optional[float]:
    """Bytes moved between global memory and the cores over those of all tensors, each once, of the case that has most."""
    largest = max((c["gm"] for c in cases if c.get("gm")), key=lambda gm: gm["least"], default=None)
    return round((largest["read"] + largest["written"]) / largest["least"], 3) if largest else None


def kernel_lines(description: str) -> int:
    """Lines of the kernel section."""
    scope: dict[str, Any] = {}
    exec(compile(description, "description", "exec"), scope)  # pylint: disable=exec-used
    return len(scope["kernel_src"].strip().splitlines())


# ---- the table ----------------------------------------------------------------------------------------------------------


def line_of(row: dict[str, Any], width: int) -> str:
    marks = " ".join("yes" if row[step] else " no" for step in STEPS)
    gm = f"{row['gm']:5.2f} {row['looks']['n']}{'!' if is_over(row) else ' '}" if row["gm"] else "    -   "
    many = f"{row['operators']} operators, {row['groups']} groups" if row["groups"] else ""
    smaller = f"{len(row['reduced'])} at reduced sizes" if row["reduced"] else ""
    left_out = f"{len(row['left_out'])} not tried" if row["left_out"] else ""
    notes = "; ".join(n for n in (many, smaller, left_out, row["reason"]) if n)
    return f"{row['category'] + '/' + row['task']:{width}}  {marks}  {row['gen_s']:5.2f} s  {gm}  {row['lines'] or '-':>5}  {notes}".rstrip()


def is_over(row: dict[str, Any]) -> bool:
    """More is moved than an operator may that must look at its inputs as often as this one."""
    return bool(row["gm"]) and row["gm"] > BOUNDS[row["looks"]["n"]]


def summary(rows: list[dict[str, Any]]) -> Iterable[str]:
    categories = list(dict.fromkeys(r["category"] for r in rows))
    width = max([len(c) for c in categories] + [8])
    yield f"{'category':{width}}  tasks  generated  compiled  correct  strict-clean  gen time median, most  GM bytes over least: median, most; over the bound"
    for name in [*categories, "all"]:
        part = [r for r in rows if name in (r["category"], "all")]
        counts = [sum(r[step] for r in part) for step in STEPS]
        times = [r["gen_s"] for r in part if r["generated"]] or [0.0]
        gm = [r["gm"] for r in part if r["gm"]]
        work_text = f"{statistics.median(gm):.2f}, {max(gm):.2f}; {sum(map(is_over, part))}" if gm else "-"
        yield (f"{name:{width}}  {len(part):5}  {counts[0]:9}  {counts[1]:8}  {counts[2]:7}  {counts[3]:12}  "
               f"{statistics.median(times):8.2f} s, {max(times):6.2f} s   {work_text}")


class Table:
    """Rows so far, kept in a file after each when there is one."""

    def __init__(self, path: Optional[Path], fresh: bool) -> None:
        self.path = path
        self.rows: list[dict[str, Any]] = []
        if path and path.exists() and not fresh:
            self.rows = [row for row in json.loads(path.read_text())["tasks"] if "looks" in row]  # else from before this column

    def find(self, category: str, task: str) -> Optional[dict[str, Any]]:
        return next((r for r in self.rows if (r["category"], r["task"]) == (category, task)), None)

    def add(self, row: dict[str, Any]) -> None:
        self.rows = [r for r in self.rows if (r["category"], r["task"]) != (row["category"], row["task"])] + [row]
        if self.path:
            new = self.path.with_suffix(".new")
            new.write_text(json.dumps({"tasks": self.rows}, indent=1) + "\n")
            new.replace(self.path)


def parse_args() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Runs a folder of reference files through opwright gen.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "tests/corpus")
    parser.add_argument("--suite-root", type=Path, help="a checkout with reference/CATEGORY/*.py")
    parser.add_argument("--category", action="append", default=[])
    parser.add_argument("--only", action="append", default=[], metavar="WORD", help="tasks whose name has one of the words in it")
    parser.add_argument("--json", type=Path, help="the rows; those that are there and passed are not run again")
    parser.add_argument("--again", choices=("failed", "all", "none"), default="failed", help="which rows of the file are run again")
    parser.add_argument("--max-bytes", default="64M", help="inputs and outputs of the largest case (opwright gen)")
    parser.add_argument("--schedule", default="in-order")
    parser.add_argument("--no-verify", action="store_true", help="generate only")
    parser.add_argument("--time-limit", type=float, default=300, help="seconds for each stage of an operator")
    parser.add_argument("--task-limit", type=float, default=3600, help="seconds for a task")
    parser.add_argument("--keep", type=Path, help="folder for what gen writes, which is removed otherwise")
    options = parser.parse_args()
    if not (options.suite_root / "reference" if options.suite_root else options.folder).is_dir():
        parser.error(f"there is no folder {options.suite_root / 'reference' if options.suite_root else options.folder}")
    return options


def main() -> int:
    options = parse_args()
    tasks = find_tasks(options)
    if not tasks:
        print("no reference file is there", file=sys.stderr)
        return 1
    table = Table(options.json, options.again == "all")
    width = max(len(c) + 1 + len(p.stem) for c, p in tasks)
    print(f"{'task':{width}}  gen run val str  gen time     GM    lines  (gen: generated, run: compiled, val: correct, str: strict-clean)")
    rows = []
    for category, path in tasks:
        row = table.find(category, path.stem)
        if row is None or (options.again == "failed" and not all(row[s] for s in STEPS)):
            row = run_task(options, category, path)
            table.add(row)
        rows.append(row)
        print(line_of(row, width), flush=True)
    print()
    print("\n".join(summary(rows)))
    return 0 if all(row[step] for row in rows for step in STEPS) else 1


if __name__ == "__main__":
    sys.exit(main())
