#!/usr/bin/env python3
"""Writes and verifies the gradient operator of a forward specification. Exit status 0 only when verification.json says PASS."""
import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts"))
import _opwright  # noqa: E402


def has_command():
    listed = subprocess.run([_opwright.program(), "--help"], capture_output=True, text=True, check=False).stdout
    return any(line.split()[:1] == ["backward"] for line in listed.splitlines())


def find_report(spec, output_dir):
    """verification.json of the workspace <spec>_grad; its status, or why there is none."""
    place = Path(output_dir or spec.parent) / f"{spec.stem}_grad" / "verification.json"
    try:
        return place, json.loads(place.read_text(encoding="utf-8"))["precision"]["status"]
    except (OSError, ValueError, KeyError, TypeError) as exc:
        return place, f"no status: {exc}"


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("spec", help="Python file with forward and BACKWARD_SPEC")
    parser.add_argument("--target", default="a3", help="a3 or a5 in any wording: 910C, V220, arch22; 950PR, V300, arch35")
    parser.add_argument("--output-dir", help="where <spec>_grad/ is made; default: beside the specification")
    args, rest = parser.parse_known_args()
    if not has_command():
        print(f"{_opwright.program()} has no `backward` command: build a newer opwright (make)", file=sys.stderr)
        return 2
    spec = Path(os.path.abspath(args.spec))
    place, _ = find_report(spec, args.output_dir)
    place.unlink(missing_ok=True)  # what an earlier run said is no answer
    argv = ["backward", str(spec), f"--target={args.target}", *rest]
    if args.output_dir:
        argv.append(f"--output-dir={args.output_dir}")
    status = _opwright.run(*argv)
    place, verdict = find_report(spec, args.output_dir)
    print(f"status: {verdict}\nreport: {place}")
    return 0 if status == 0 and verdict == "PASS" else status or 1


if __name__ == "__main__":
    sys.exit(main())
