"""The API truth table against the device headers: nothing claimed that does not compile, nothing declared that has no row."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import api_table  # noqa: E402

GXX = ["g++", "-std=c++17", "-w", "-fsyntax-only", f"-I{ROOT}/device", "-x", "c++", "-"]


def compile_text(text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(GXX, input=text, capture_output=True, text=True)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, str]]:
    return api_table.read()


def test_derived_files_are_fresh() -> None:
    done = subprocess.run([ROOT / "tools/api_table.py", "check"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_rows_are_told_apart(rows: list[dict[str, str]]) -> None:
    seen = [(r["family"], r["api"], r["form"]) for r in rows]
    assert len(seen) == len(set(seen)), sorted({s for s in seen if seen.count(s) > 1})


def test_modelled_rows_compile(rows: list[dict[str, str]]) -> None:
    """Names are unknown to the compiler, or overloads do not match, when a row claims what device/ does not have."""
    missing = [(r["api"], r["form"]) for r in rows if api_table.is_modelled(r) and r["kind"] == "function" and not r["call"]]
    assert not missing, "modelled functions without a .call"
    done = compile_text(api_table.calls(rows))
    assert done.returncode == 0, done.stderr[:4000]


def test_gaps_take_any_call(rows: list[dict[str, str]]) -> None:
    body = []
    for name in api_table.gap_names(rows):
        body += [f"{name}(t, t, t, 7u);", f"{name}<float>(t, t, {{1, 2, 3}});", f"{name}<float, true, half_of>(t);",
                 f"{name}<float, half, false>(t, 1.0f);", f"{name}<3>(t);", f"{name}<TPosition::VECIN, float>();",
                 f"int64_t v_{name} = {name}();"]
    text = ('#include "kernel_operator.h"\nusing namespace AscendC;\nconstexpr int half_of = 2;\nvoid f(LocalTensor<float> t)\n{\n'
            + "\n".join(body) + "\n}\n")
    done = compile_text(text)
    assert done.returncode == 0, done.stderr[:4000]
    assert compile_text(text.replace("\n}\n", "\nNoSuchFunction(t);\n}\n")).returncode != 0


# Functions of the headers that are no API: helpers the public headers offer beside the documented ones.
NOT_API = {"TQue", "TQueBind", "TBuf", "TPipe", "LocalTensor", "GlobalTensor", "ShapeInfo"}


def declared_functions() -> set[str]:
    """Names of the functions device/ declares in namespace AscendC, gaps.h apart."""
    text = subprocess.run(["g++", "-std=c++17", "-E", f"-I{ROOT}/device", "-x", "c++", "-"], input='#include "kernel_operator.h"\n',
                          capture_output=True, text=True, check=True).stdout
    names: set[str] = set()
    file = ""
    for line in text.splitlines():
        place = re.match(r'# \d+ "([^"]+)"', line)
        if place:
            file = place.group(1)
        elif "/device/ow/" in file and not file.endswith("/gaps.h"):
            names |= set(re.findall(r"\binline\s+(?:constexpr\s+)?[\w:<>,*& ]+?[\s*&]([A-Z]\w+)\(", line))
    return {n for n in names if not n.startswith("Ow")} - NOT_API


def test_every_declared_function_has_a_row(rows: list[dict[str, str]]) -> None:
    known: set[str] = set()
    for r in rows:
        known |= set(re.findall(r"\w+", r["api"])) | set(re.findall(r"\b([A-Z]\w+)\s*[(<]", r["call"]))
    names = declared_functions()
    assert len(names) > 100
    assert not names - known, f"no row in data/api: {sorted(names - known)}"
