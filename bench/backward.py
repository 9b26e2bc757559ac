"""Pass table of gradient operators: runs `opwright backward` on every specification of a folder.

    python3 bench/backward.py [FOLDER] [--only WORD ...] [--target a3] [--keep DIR] [--json FILE]

FOLDER is tests/backward/specs when it is not given; --only takes the specifications whose name has one of the words in it. Per
specification and dtype the table says PASS, WITHIN_TOLERANCE (more than the standard's plain rule was needed), FAIL, or the verdict
that stopped it before there was a kernel; and the bytes moved between global memory and the cores, over those of all tensors each
once, beside how often the gradient must look at its inputs (1 or 2; --json says why): 1.00 is the least of one look, 2.00 bounds two.
`!` marks what moves more than that, and a tenth of it. The exit status is 0 when everything passed.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Optional

ROOT = Path(__file__).resolve().parents[1]
CLI = os.environ.get("OPWRIGHT_CLI", str(ROOT / "build/opwright"))
PASSED = ("PASS", "WITHIN_TOLERANCE")
BOUNDS = {1: 1.1, 2: 2.2}  # bytes moved over the least, by how often a gradient must look at its inputs


def run(spec: Path, folder: Path, target: str) -> tuple[dict[str, str], Optional[float], Optional[dict], str]:
    """({dtype: result}, bytes moved over the least, {n, why}: looks at the inputs, why not)"""
    report = folder / f"{spec.stem}_grad" / "verification.json"
    report.unlink(missing_ok=True)
    done = subprocess.run([CLI, "backward", str(spec), "--output-dir", str(folder), "--target", target, "--quiet"], capture_output=True,
                          text=True)
    if not report.exists():
        lines = [line for line in done.stderr.splitlines() if line.startswith("opwright: ")]
        return {"": "unsupported"}, None, None, (lines or [f"exit status {done.returncode}"])[0].removeprefix("opwright: ")
    verification = json.loads(report.read_text())
    precision = verification["precision"]
    results = {dtype: result_of(precision, dtype, row) for dtype, row in precision["per_dtype"].items()}
    return results, work(precision), verification["looks"], reason(done.stdout, precision)


def work(precision: dict) -> Optional[float]:
    """Bytes moved over the least, of the largest case."""
    largest = max((c["gm"] for c in precision["cases"] + precision["further_cases"] if c.get("gm")), key=lambda gm: gm["least"], default=None)
    return round((largest["read"] + largest["written"]) / largest["least"], 3) if largest and largest["least"] else None


def gm_text(gm: Optional[float], looks: Optional[dict]) -> str:
    if gm is None or looks is None:
        return "    -   "
    return f"{gm:5.2f} {looks['n']}{'!' if gm > BOUNDS[looks['n']] else ' '}"


def gm_summary(table: list[dict]) -> list[str]:
    lines = []
    for n, bound in BOUNDS.items():
        moved = [row["gm"] for row in table if row["gm"] and row["looks"]["n"] == n]
        if moved:
            lines.append(f"bytes moved over the least, {n} look{'s' if n > 1 else ''}: median {statistics.median(moved):.2f}, "
                         f"at most {bound} in {sum(m <= bound for m in moved)} of {len(moved)}")
    return lines


def result_of(precision: dict, dtype: str, row: dict) -> str:
    """Of one dtype: its records and its further cases; an error that no case tells fails every dtype."""
    further = [c for c in precision["further_cases"] if c.get("label", "").split(" ")[0] == dtype]
    wrong = any(c.get("verdict") != "PASS" for c in further) or row["failed"] > 0
    checks_failed = precision["status"] == "FAIL" and not any(
        c.get("verdict") != "PASS" for c in precision["further_cases"]) and not any(r["failed"] for r in precision["per_dtype"].values())
    if wrong or checks_failed:
        return "FAIL"
    if row["passed"] == 0:
        return "REJECT_FAIL_CLOSED"
    lenient = any(o["stage"] == "second stage" for c in further if "drawn anew" in c["label"] for o in c.get("precision", []))
    return "WITHIN_TOLERANCE" if row["within_tolerance"] or lenient else "PASS"


def reason(out: str, precision: dict) -> str:
    if precision["status"] in ("PASS", "PASS_WITHIN_TOLERANCE"):
        return ""
    first = next((line.strip() for line in out.splitlines() if line.startswith("  error ")), precision["status"])
    case = next((line.strip() for line in out.splitlines() if "first case that did not pass" in line), "")
    return f"{first} {case}".strip()


def main() -> int:
    parser = argparse.ArgumentParser(description="Pass table of gradient operators.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "tests/backward/specs")
    parser.add_argument("--only", nargs="+", default=[], metavar="WORD", help="specifications whose name has one of the words in it")
    parser.add_argument("--target", default="a3")
    parser.add_argument("--keep", type=Path, help="folder for the workspaces, which are removed otherwise")
    parser.add_argument("--json", type=Path, help="the table as a JSON file")
    args = parser.parse_args()
    specs = [s for s in sorted(args.folder.glob("*.py")) if not args.only or any(w in s.stem for w in args.only)]
    if not specs:
        parser.error(f"no specification in {args.folder}")
    counts: Counter[str] = Counter()
    table = []
    width = max(len(s.stem) for s in specs)
    with tempfile.TemporaryDirectory() as scratch:
        folder = args.keep or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        for spec in specs:
            start = time.monotonic()
            results, gm, looks, why = run(spec, folder, args.target)
            seconds = time.monotonic() - start
            for dtype, result in results.items():
                counts[result] += 1
                print(f"{spec.stem:{width}}  {dtype or 'all':8}  {result:18}  {gm_text(gm, looks)}  {seconds:5.0f} s  {why}".rstrip(), flush=True)
            table.append({"spec": spec.stem, "results": results, "gm": gm, "looks": looks, "seconds": round(seconds, 1), "reason": why})
    whole = sum(all(r in PASSED for r in row["results"].values()) for row in table)
    print(f"{whole} of {len(specs)} specifications pass in all their dtypes (target {args.target}, simulated): "
          + ", ".join(f"{n} {name}" for name, n in counts.most_common()))
    print("\n".join(gm_summary(table)))
    if args.json:
        args.json.write_text(json.dumps({"target": args.target, "specs": table, "counts": counts}, indent=2) + "\n")
    return 0 if whole == len(specs) else 1


if __name__ == "__main__":
    sys.exit(main())
