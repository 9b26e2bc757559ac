"""Operators that cheat, and runs that are interrupted: what a verdict can be trusted in."""

import json
import os
import signal
import subprocess
import sys

import pytest
import torch

SPEC = '''def forward(x):
    return 0.5 * x * x


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {"x": {"shape": ["N"]}},
    "cases": [{"N": 32}],
    "grad_output": "explicit",
    "input_profiles": ["standard"],
}
'''

# The kernel puts results that it knows in the place of those it computed: from a table, or from the file of the truth.
KEPT = """
        if (n == 32 && IsSameType<DTYPE_X, float>::value) {{
            static const float kept[32] = {{{values}}};
            PipeBarrier<PIPE_ALL>();
            for (int i = 0; i < 32; i++) {{
                y.SetValue(i, kept[i]);
            }}
            PipeBarrier<PIPE_ALL>();
        }}
        """
# The binding, which is host code and may, appends to a file.
WRITE = """
    if (FILE *f = fopen("{path}", "a")) {{
        fputs("\\n# edited\\n", f);
        fclose(f);
    }}
    """
STORE, LAUNCH = "Narrow(yOut, y, count);", "EXEC_NPU_CMD("


@pytest.fixture(scope="module")
def honest(backward, tmp_path_factory):
    """(specification, workspace) with a truth and an operator that nobody has verified."""
    folder = tmp_path_factory.mktemp("trust")
    (folder / "square.py").write_text(SPEC)
    status, report, out, err = backward(folder / "square.py", "--no-verify", folder=folder)
    assert status == 0 and report is None, out + err
    return folder / "square.py", folder / "square_grad"


def cheat(backward, honest, before, insert):
    """Verifies the workspace with `insert` before a place of the description; (status, report, output)."""
    spec, workspace = honest
    description = workspace / "square_grad.ascendc.py"
    text = description.read_text()
    assert text.count(before) == 1
    edited = text.replace(before, insert.replace("\\", "\\\\") + before)
    description.write_text(edited)
    try:
        status, report, out, err = backward(spec, "--resume", folder=workspace.parent)
        assert "was edited: it stays" in err
        return status, report, out + err
    finally:
        description.write_text(text)


def rejected(status, report):
    assert status == 1 and report["precision"]["status"] == "FAIL"
    assert [c["status"] for c in report["precision"]["cases"]] == ["passed"]  # the record alone shows nothing
    anew = next(c for c in report["precision"]["further_cases"] if "drawn anew" in c["label"])
    assert anew["verdict"] == "FAIL" and not anew["precision"][0]["pass"]
    assert all(len(report["seal"][k]) == 64 for k in ("truth", "verifier"))


def truth_of(workspace):
    entry = json.loads((workspace / "backward_ref.json").read_text())["records"][0]
    path = workspace / entry["file"]
    return path, torch.load(path)["gradients"][0]


def test_a_kernel_that_keeps_results(backward, honest):
    _, truth = truth_of(honest[1])
    values = ", ".join(f"{v!r}f" for v in truth.tolist())
    status, report, out = cheat(backward, honest, STORE, KEPT.format(values=values))
    assert status == 1 and report["precision"]["status"] == "FAIL", out
    assert [c["status"] for c in report["precision"]["cases"]] == ["passed"]  # the record alone shows nothing
    anew = next(c for c in report["precision"]["further_cases"] if "drawn anew" in c["label"])
    assert anew["verdict"] == "FAIL" and not anew["precision"][0]["pass"]
    assert all(len(report["seal"][k]) == 64 for k in ("truth", "verifier"))


def test_a_kernel_that_reads_the_truth(backward, honest):
    path, _ = truth_of(honest[1])
    status, report, out = cheat(backward, honest, STORE, f'fclose(fopen("{path}", "rb"));\n        ')
    assert status == 1 and report["precision"]["status"] != "PASS", out
    assert "lang-system" in [c["check"] for c in report["checks"] if c["severity"] == "error"]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["forward_spec.py", "backward_ref.json", "model.py", "square_grad.ascendc.py", "verification.json"])
@pytest.mark.parametrize("cage", ["full", "filter"])
def test_an_operator_that_writes_into_the_workspace(backward, honest, monkeypatch, name, cage):
    """In the full cage nothing can be written; without bubblewrap it can, and is seen."""
    monkeypatch.setenv("OPWRIGHT_CAGE", cage)
    path = honest[1] / name
    before = path.read_text() if path.exists() else None
    _, report, out = cheat(backward, honest, LAUNCH, WRITE.format(path=path))
    assert report["precision"]["cases"][0]["status"] != "not run", out
    changed = [c["text"] for c in report["checks"] if c["check"] == "workspace-changed"]
    if name == "verification.json":
        assert not changed and "# edited" not in path.read_text()  # written last
        return
    if name != "square_grad.ascendc.py":
        after = path.read_text()
        path.write_text(before)
        assert ("# edited" in after) == bool(changed)
    assert not changed or (report["precision"]["status"] == "FAIL" and name in changed[0])
    assert changed or cage == "full"


def test_a_truth_that_was_changed_is_computed_again(backward, honest):
    spec, workspace = honest
    path, _ = truth_of(workspace)
    before = path.read_bytes()
    torch.save({"gradients": [torch.zeros(32, dtype=torch.float64)]}, path)
    status, _, out, err = backward(spec, "--resume", "--no-verify", folder=workspace.parent)
    assert status == 0 and path.read_bytes() == before, out + err


# ---- interruptions ----------------------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("word", ["truth: READY", "gradient: ", "build: "])
def test_interrupted_and_resumed(backward, tmp_path, word):
    """Killed when a stage has told that it is done: nothing is claimed, and --resume gives what an undisturbed run gives."""
    spec, workspace = tmp_path / "square.py", tmp_path / "square_grad"
    spec.write_text(SPEC)
    assert backward(spec, folder=tmp_path)[0] == 0
    truths = {p.name: p.read_bytes() for p in (workspace / "truth").iterdir()}
    cli = os.environ.get("OPWRIGHT_CLI", "build/opwright")
    env = {**os.environ, "OPWRIGHT_PYTHON": os.environ.get("OPWRIGHT_PYTHON", sys.executable)}
    with subprocess.Popen([cli, "backward", str(spec), "--output-dir", str(tmp_path)], stderr=subprocess.PIPE, text=True, env=env) as run:
        for line in run.stderr:  # unbuffered: a wrapper sees each stage as it comes
            if word in line:
                run.send_signal(signal.SIGKILL)
                break
    assert run.returncode == -signal.SIGKILL and not (workspace / "verification.json").exists()
    status, report, out, err = backward(spec, "--resume", folder=tmp_path)
    assert status == 0 and report["precision"]["status"] == "PASS", out + err
    assert {p.name: p.read_bytes() for p in (workspace / "truth").iterdir()} == truths


def test_resuming_after_files_went_missing(backward, honest):
    """A truth that lacks a record, or the recipe, is computed again; the rest is written in any case."""
    spec, workspace = honest
    want = {p.name: p.read_text() for p in workspace.glob("*.py")}
    for lost in ("truth/record_0000.pt", "backward_ref.json", "square_grad.ascendc.py"):
        (workspace / lost).unlink()
        assert backward(spec, "--resume", "--no-verify", folder=workspace.parent)[0] == 0
        assert (workspace / lost).exists()
    assert {p.name: p.read_text() for p in workspace.glob("*.py")} == want
