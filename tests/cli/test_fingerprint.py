"""What wrong numbers look like, from the kernel's fault to the answer: one build, whose kernel goes wrong in another way for each
number of rows. Every row of src/verify/fingerprint.def is looked at by itself in tests/unit/verify/fingerprint_test.c."""
import json
import os
import pathlib
import runpy
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLI = pathlib.Path(os.environ.get("OPWRIGHT_CLI", ROOT / "build" / "opwright"))
PAIR_SUM = ROOT / "tests" / "verify" / "descriptions" / "pair_sum.py"
SUM = ROOT / "tests" / "verify" / "references" / "sum.py"

pytestmark = pytest.mark.skipif(not CLI.exists(), reason=f"{CLI} is not built")

COLS, ROWS = 128, 40  # fault k: ROWS + k rows, in tiles of 256 elements and two blocks
ADD = "AscendC::Add(z, x, y, n);"

# what the kernel does after z = x + y; the pattern told first, and words of it
FAULTS = [
    ("", None, ""),
    ("Duplicate(z, 0.0f, n); Div(z, z, z, n);", "all-nan", "every element is NaN"),
    ("Duplicate(z, 0.0f, n);", "all-zero", "every element is 0"),
    ("Duplicate(z, 1.5f, n);", "constant", "every element is 1.5"),
    ("Muls(z, z, 0.4342944819f, n);", "constant-ratio", "base 10"),
    ("Muls(z, z, 128.0f, n);", "constant-ratio", "a sum instead of a mean"),
    ("Adds(z, z, 3.0f, n);", "constant-offset", "plus 3"),
    ("Muls(z, z, -1.0f, n); Adds(z, z, 1.0f, n);", "inverted", "1 minus"),
    ("Mul(z, z, z, n);", "square", "the square"),
    ("Duplicate(x, 1.0f, n); Div(z, x, z, n);", "reciprocal", "the reciprocal"),
    ("if (now + n == count && GetBlockIdx() == 1) Duplicate(z, 9.0f, n);", "tail", "only the end is wrong: from element"),
    ("if (GetBlockIdx() == 1) Mul(z, x, y, n);", "whole-cores", "1 of 2 blocks"),
    ("for (uint32_t r = 0; r + 8 < n; r += 128) Mul(z[r], x[r], y[r], 8);", "periodic", "128 elements (one row): 8 in each, the first at 0"),
    ("Mul(z, x, y, 8);", "periodic", "256 elements (one tile: what one copy stores): 8 in each"),
    ("for (uint32_t r = 0; r + 8 < n; r += 16) Mul(z[r], x[r], y[r], 8);", "periodic", "16 elements (64 bytes, one cache line)"),
    ("for (uint32_t r = 0; r + 8 < n; r += 24) Duplicate(z[r], -3.402823466e38f, 8);", "wrong-are-one-number", "FLT_MAX"),
    ("for (uint32_t r = 0; r + 8 < n; r += 24) Duplicate(z[r], 0.0f, 8);", "wrong-are-zero", "0"),
    ("for (uint32_t r = 0; r + 8 < n; r += 24) { Duplicate(z[r], 3.0e38f, 8); Muls(z[r], z[r], 9.0f, 8); }", "overflow", "float32"),
    ("short_copy = 4;", "wrong-are-nan", "the wrong elements are NaN"),
    ("ahead = 8;", "shifted", "+8 elements"),
]


def described(tmp_path, changes):
    sources = {k: v for k, v in runpy.run_path(str(PAIR_SUM)).items() if k.endswith("_src")}
    for old, new in changes:
        assert old in sources["kernel_src"], old
        sources["kernel_src"] = sources["kernel_src"].replace(old, new)
    path = tmp_path / "pair_sum.py"
    path.write_text("".join(f"{k} = r'''{v}'''\n" for k, v in sources.items()))
    return path


def check(path, reference, *options):
    done = subprocess.run([str(CLI), "check", str(path), "--reference", str(reference), "--json", "--quiet", *options], capture_output=True, text=True, timeout=600)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    """Label -> the case's entry."""
    faults = "\n".join(f"if (fault == {k}) {{ {body} }}" for k, (body, _, _) in enumerate(FAULTS))
    path = described(tmp_path_factory.mktemp("faults"), [
        (ADD, ADD + faults), ("TILE = 2048;", "TILE = 256;"),
        ("uint32_t count;", "uint32_t count, fault, now, short_copy = 0, ahead = 0;"),
        ("uint32_t from = share * GetBlockIdx();", f"uint32_t from = share * GetBlockIdx(); fault = total / {COLS} - {ROWS}; ahead = fault == {len(FAULTS) - 1} ? 8 : 0;"),
        ("            In(at, n);", "            now = at; In(at, n);"),
        ("DataCopyPad(x, gx[at]", "if (at + n + ahead > count) ahead = 0;\nDataCopyPad(x, gx[at + ahead]"), ("DataCopyPad(y, gy[at]", "DataCopyPad(y, gy[at + ahead]"),
        ("static_cast<uint32_t>(n * sizeof(DTYPE_Z))", "static_cast<uint32_t>((n - short_copy) * sizeof(DTYPE_Z))"),
    ])
    shapes = [word for k in range(len(FAULTS)) for word in ("--shape", f"{ROWS + k}x{COLS},{ROWS + k}x{COLS}")]
    return {c["label"]: c for c in check(path, SUM, *shapes)["cases"]}


@pytest.mark.parametrize("number", range(len(FAULTS)))
def test_pattern(cases, number):
    _, pattern, words = FAULTS[number]
    case = cases[f"float32 {ROWS + number}x{COLS},{ROWS + number}x{COLS}"]
    assert case["verdict"] == ("FAIL" if pattern else "PASS"), case
    if not pattern:
        assert "fingerprint" not in case["precision"][0]
        return
    print_ = case["precision"][0]["fingerprint"]
    first = next((p for p in print_["patterns"] if p["id"] == pattern), None)
    assert first and words in first["text"] and first["text_zh"] and first["hint_zh"], print_
    assert "looks like: " in case["reason"] or "were written by no block" in case["reason"]  # which explains more
    assert 0 < print_["share"] <= 1 and 0 <= print_["first"] <= print_["last"] < (ROWS + number) * COLS


@pytest.mark.parametrize("wrong, words", [("AscendC::Sub(z, y, x, n);", "its operands swapped"), ("AscendC::Sub(z, x, y, n); AscendC::Abs(z, z, n);", None)])
def test_reference_that_is_nearly_it(tmp_path, wrong, words):
    """A slip gives the numbers of a changed reference, and that change is named; a fault that no change explains names none."""
    reference = tmp_path / "difference.py"
    reference.write_text(SUM.read_text().replace("x + y", "x - y"))
    text = check(described(tmp_path, [(ADD, wrong)]), reference, "--shape", "5x131,5x131")["checks"][0]["text"]
    assert (words in text) if words else ("equals the reference with" not in text), text
