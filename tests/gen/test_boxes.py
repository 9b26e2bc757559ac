"""Boxes that do not overlap better ones, in the orders in which pipes may run: one block of them, several, none."""

from __future__ import annotations

import subprocess

from road import CLI, ROOT

REFERENCE = ROOT / "tests" / "corpus" / "boxes" / "keep_apart.py"


def run(*args: object) -> str:
    done = subprocess.run([CLI, *map(str, args)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_blocks(tmp_path):
    run("gen", "--no-verify", "--quiet", "--output-dir", tmp_path, REFERENCE)
    shapes = [option for n in (70, 1030) for option in ("--shape", f"{n}x4,{n}")]
    run("check", tmp_path / "keep_apart.ascendc.py", "--reference", REFERENCE, *shapes, "--strict", "--schedule", "all")
