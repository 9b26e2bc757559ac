"""`opwright trace` and `opwright run`: values at a line of a block; one process, with the lines of kernel_src in gdb."""
import json
import os
import pathlib
import runpy
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLI = pathlib.Path(os.environ.get("OPWRIGHT_CLI", ROOT / "build" / "opwright"))
PAIR_SUM = ROOT / "tests" / "verify" / "descriptions" / "pair_sum.py"
REFERENCE = ROOT / "tests" / "verify" / "references" / "sum.py"

pytestmark = pytest.mark.skipif(not CLI.exists(), reason=f"{CLI} is not built")


def line_of(piece):
    return next(i for i, text in enumerate(runpy.run_path(str(PAIR_SUM))["kernel_src"].splitlines(), 1) if piece in text)


def call(command, *options, description=PAIR_SUM):
    done = subprocess.run([str(CLI), command, str(description), "--reference", str(REFERENCE), *options], capture_output=True, text=True, timeout=300)
    assert "AddressSanitizer" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("schedule", ["in-order", "lazy"])
def test_operands_of_an_instruction(schedule):
    """z = x + y element by element, under either order; names are those of the source's line."""
    status, out, err = call("trace", "--at", f"kernel_src:{line_of('Add(z')}", "--core", "1", "--json", "--schedule", schedule)
    assert status == 0, err
    operands = {o["name"]: o for o in json.loads(out)}
    assert list(operands) == ["z", "x", "y"] and {o["memory"] for o in operands.values()} == {"UB"}
    z, x, y = (operands[n]["values"] for n in "zxy")
    assert len(z) == operands["z"]["n"] > 100
    assert all(abs(c - (a + b)) < 1e-5 for a, b, c in zip(x, y, z) if None not in (a, b, c))


def test_copies_and_single_tensors():
    line = line_of("DataCopyPad(y, ") if any("DataCopyPad(y, " in t for t in runpy.run_path(str(PAIR_SUM))["kernel_src"].splitlines()) else line_of("DataCopyPad(x, ")
    status, out, _ = call("trace", "--at", str(line), "--json")
    both = json.loads(out)
    assert status == 0 and len(both) == 2 and both[0]["values"][:8] == both[1]["values"][:8] and both[1]["memory"] in ("x", "y")
    status, out, _ = call("trace", "--at", str(line_of("Add(z")), "--tensor", "x", "--count", "3")
    assert status == 0 and out.startswith("x (src0 of Add): UB byte") and out.rstrip().endswith("...")


@pytest.mark.parametrize("options, words", [
    (["--at", "1"], "no instruction ran at kernel_src:1 in block 0"), (["--at", "zero"], "--at takes"), (["--at", "48", "--core", "99"], "in block 99"),
    (["--at", "48", "--tensor", "nobody"], "has no tensor nobody"), ([], "--at is missing"),
])
def test_what_is_not_there(options, words):
    options = [str(line_of("Add(z")) if o == "48" else o for o in options]
    status, _, err = call("trace", *options)
    assert status == 2 and words in err


def test_run_in_one_process(tmp_path):
    status, out, _ = call("run")
    assert status == 0 and "output 0: [37, 131] agrees" in out
    status, out, _ = call("run", description=PAIR_SUM.parent / "half_written.py")
    assert status == 1 and "[output-not-written]" in out and "differs" in out
    status, out, _ = call("run", description=PAIR_SUM.parent / "error_in_kernel.py")
    assert status == 1 and "AddEverything" in out


@pytest.mark.skipif(shutil.which("gdb") is None, reason="needs gdb")
def test_breakpoint_in_kernel_src():
    line = line_of("Add(z")
    status, out, err = call("run", "--gdb", "--", "-batch", "-ex", f"break kernel_src:{line}", "-ex", "run", "-ex", "print n", "-ex", "bt 2")
    if "ptrace" in out + err and "not permitted" in out + err:
        pytest.skip("gdb may not trace here")
    assert f"kernel_src:{line}" in out and "Add(z, x, y, n)" in out and "$1 = " in out, out + err
