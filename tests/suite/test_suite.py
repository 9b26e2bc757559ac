"""bench/suite on a folder of our own: rows, reasons, groups, reduced sizes, and going on where a run stopped."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HEAD = "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return {}\n\n\n"
INPUTS = "def get_inputs():\n    return [torch.randn({})]\n\n\ndef get_init_inputs():\n    return []\n"
GROUPS = "def get_input_groups():\n    return [[torch.randn(4, 40)], [torch.randn(33)], [torch.randn(3, 1, 5)], [torch.randn(3, 7, 2)]]\n"


def suite(folder: Path, *options: str) -> tuple[int, dict, str]:
    rows = folder / "rows.json"
    done = subprocess.run([sys.executable, str(ROOT / "bench/suite/run.py"), str(folder / "tasks"), "--json", str(rows), *options],
                          capture_output=True, text=True, check=False)
    assert rows.exists(), done.stderr
    return done.returncode, {r["task"]: r for r in json.loads(rows.read_text())["tasks"]}, done.stdout


def test_a_folder(tmp_path):
    tasks = tmp_path / "tasks" / "mixed"
    tasks.mkdir(parents=True)
    (tasks / "large.py").write_text(HEAD.format("torch.relu(x)") + INPUTS.format("16384, 16384"))  # 2 GiB in and out
    (tasks / "grouped.py").write_text(HEAD.format("x * 2") + GROUPS)
    (tasks / "scaled.py").write_text(HEAD.format("x / x.abs().sum()") + INPUTS.format("64, 300"))
    (tasks / "long_rows.py").write_text(HEAD.format("torch.softmax(x, 1)") + INPUTS.format("2, 70000"))
    (tasks / "not_there.py").write_text(HEAD.format("torch.linalg.det(x)") + INPUTS.format("3, 4, 4"))
    status, rows, text = suite(tmp_path, "--max-bytes", "2M")
    assert status == 1
    assert all(rows["large"][step] for step in ("generated", "compiled", "correct", "clean")), rows["large"]
    assert len(rows["large"]["reduced"]) == 1 and "instead of s0=16384 s1=16384" in rows["large"]["reduced"][0]
    assert 0.99 < rows["large"]["gm"] < 1.05
    assert rows["large"]["looks"]["n"] == 1
    for task in ("scaled", "long_rows"):
        assert rows[task]["looks"]["n"] == 2 and "needs" in rows[task]["looks"]["why"], task
        assert 1.4 < rows[task]["gm"] < 2.05, task
    assert rows["grouped"]["clean"] and rows["grouped"]["operators"] == 3 and rows["grouped"]["groups"] == 4
    assert not rows["not_there"]["generated"] and "not_there.py:6" in rows["not_there"]["reason"]
    assert "5 " in text.splitlines()[-1]

    marked = json.loads((tmp_path / "rows.json").read_text())
    next(r for r in marked["tasks"] if r["task"] == "large")["seconds"] = -1
    (tmp_path / "rows.json").write_text(json.dumps(marked))
    status, rows, _ = suite(tmp_path, "--only", "large")
    assert status == 0 and rows["large"]["seconds"] == -1, "a task that passed is not run again"
