"""The whole road, from reference files to verdicts, through the command line."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Dict, List, NamedTuple, Optional

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("OPWRIGHT_CLI", str(ROOT / "build" / "opwright"))
LOCATION = re.compile(r"\.py:\d+")  # an error names the line of the user's file


class Road(NamedTuple):
    """How one reference file fared: `verdict` is the result object's, "REFUSED" for an error before it, or "NONE"."""

    name: str
    verdict: str
    error: str
    result: Optional[dict]

    def failed_outputs(self) -> List[int]:
        """Outputs that some case found wrong."""
        cases = self.result["cases"] if self.result else []
        return sorted({p["output"] for case in cases for p in case.get("precision", []) if not p["pass"]})

    def failed_cases(self) -> List[str]:
        return [c["label"] for c in self.result["cases"] if c["verdict"] != "PASS"] if self.result else []


def generate(folder: Path, modules: Dict[str, str], *options: str, timeout_s: int = 1800) -> Dict[str, Road]:
    """Writes each module's text as a reference file, runs `gen` on all of them and reads what came of each."""
    source, out = folder / "in", folder / "out"
    source.mkdir(parents=True, exist_ok=True)
    paths = []
    for name, text in modules.items():
        path = source / f"{name}.py"
        path.write_text(text)
        paths.append(str(path))
    done = subprocess.run([CLI, "gen", "--quiet", "--output-dir", str(out), *options, *paths], capture_output=True,
                          text=True, timeout=timeout_s, check=False)
    assert done.returncode in (0, 1, 2), f"gen ended with {done.returncode}\n{done.stdout}\n{done.stderr}"
    return {name: read_road(out, name, done.stdout + done.stderr) for name in modules}


def read_road(out: Path, name: str, log: str) -> Road:
    path = out / f"{name}.result.json"
    if path.exists():
        result = json.loads(path.read_text())
        return Road(name, result["verdict"], log, result)
    lines = [line for line in log.splitlines() if name + ".py" in line]
    return Road(name, "REFUSED" if lines else "NONE", "\n".join(lines) or log, None)
