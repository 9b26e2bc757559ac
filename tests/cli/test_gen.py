"""`opwright gen` from outside: the four files and what they hold, names, and which files it may replace."""
import ast
import json
import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("OPWRIGHT_CLI", str(ROOT / "build" / "opwright"))
SUFFIXES = [".ascendc.py", ".spec.json", ".design.md", ".result.json"]
SOURCES = ["project_json_src", "host_tiling_src", "host_operator_src", "kernel_src", "python_bind_src", "model_src"]
REFERENCE = """import torch
import torch.nn as nn


class Model(nn.Module):
    def __init__(self, alpha):
        super().__init__()
        self.alpha = alpha
        self.bias = nn.Parameter(torch.randn(40))

    def forward(self, x, gate):
        hidden = torch.relu(x + self.bias) * self.alpha
        return hidden * torch.sigmoid(gate), x > 0.5


def get_inputs():
    return [torch.randn(6, 40), torch.randn(6, 1)]


def get_init_inputs():
    return [0.75]
"""
ADD = """import torch
class Model(torch.nn.Module):
    def forward(self, x, y):
        return x + y
def get_inputs():
    return [torch.rand(4, 8), torch.rand(4, 8)]
"""


def run(*argv, **kw):
    return subprocess.run([CLI, *map(str, argv)], capture_output=True, text=True, timeout=600, **kw)


def sources(path):
    """The module-level strings of a description."""
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return {name: space[name] for name in SOURCES}


# ---- one good run -----------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A reference with a space and a Chinese folder in its path, generated and verified."""
    folder = tmp_path_factory.mktemp("gen") / "算子 库"
    folder.mkdir()
    reference = folder / "gated-scale_torch_reference.py"
    reference.write_text(REFERENCE)
    out = folder / "new" / "out"
    done = run("gen", "--output-dir", out, reference)
    assert done.returncode == 0, done.stdout + done.stderr
    assert reference.read_text() == REFERENCE
    return done, out, reference


def test_four_files(good):
    done, out, _ = good
    assert sorted(p.name for p in out.iterdir()) == sorted("gated_scale" + s for s in SUFFIXES)
    for suffix in SUFFIXES:
        assert f"{out}/gated_scale{suffix}\n" in done.stdout
    assert done.stdout.startswith("PASS gated_scale: ")
    stages = [line.split(":")[0].strip() for line in done.stderr.splitlines()]
    assert stages == ["trace", "cases", "build"]  # one line a stage


def test_description(good):
    _, out, reference = good
    path = out / "gated_scale.ascendc.py"
    text = path.read_text()
    assert list(sources(path)) == SOURCES
    assert [n.targets[0].id for n in ast.parse(text).body] == SOURCES
    assert reference.name in text.splitlines()[1] and str(out.parent) not in text  # no paths of a machine
    source = sources(path)
    project = json.loads(source["project_json_src"])[0]
    assert project["op"] == "GatedScaleCustom" and [d["name"] for d in project["input_desc"]] == ["x", "gate", "bias"]
    assert 'extern "C" __global__ __aicore__ void gated_scale_custom(' in source["kernel_src"]
    assert "EXEC_NPU_CMD(aclnnGatedScaleCustom" in source["python_bind_src"]
    assert "BEGIN_TILING_DATA_DEF(" in source["host_tiling_src"] and "OP_ADD(GatedScaleCustom" in source["host_operator_src"]
    assert "class ModelNew(" in source["model_src"]


def test_spec(good):
    _, out, _ = good
    spec = json.loads((out / "gated_scale.spec.json").read_text())
    assert (spec["name"], spec["op"], spec["chip"]) == ("gated_scale", "GatedScaleCustom", "Ascend910B4")
    assert isinstance(spec["category"], str) and spec["category"]
    floats = ["float16", "bfloat16", "float32"]
    inputs = {t["name"]: t for t in spec["inputs"]}
    assert list(inputs) == ["x", "gate", "bias"]
    assert all(t["dtype"] == floats and t["layout"] == "ND" and t["broadcast"] for t in inputs.values())
    assert inputs["x"]["shape"] == ["s0", "s1"] and inputs["bias"]["shape"] == ["s1"] and inputs["gate"]["shape"] == ["s0", 1]
    assert inputs["x"]["broadcast"] != inputs["bias"]["broadcast"] != inputs["gate"]["broadcast"]
    outputs = spec["outputs"]
    assert [t["dtype"] for t in outputs] == [floats, ["bool"] * 3] and all(t["shape"] == ["s0", "s1"] for t in outputs)
    for t in outputs:
        assert t["layout"] == "ND" and t["formula"].startswith(t["name"] + " = ") and "x" in t["formula"] and "\\" in t["latex"]
    assert "exp" in outputs[0]["formula"] and "> 0.5" in outputs[1]["formula"]
    assert spec["reduce"] == "none" and spec["constraints"]
    assert [a["name"] for a in spec["attributes"]] == ["alpha"]
    project = json.loads(sources(out / "gated_scale.ascendc.py")["project_json_src"])[0]
    assert [d["name"] for d in project["output_desc"]] == [t["name"] for t in outputs]


def test_design(good):
    _, out, _ = good
    text = (out / "gated_scale.design.md").read_text()
    parts = {p.split("\n")[0]: p for p in re.split(r"^## ", text, flags=re.M)[1:]}
    assert ["Prototype", "Formula", "Iteration space", "Tiles and cores", "Instructions"] == [h for h in parts if h != "Notes"]
    for name in ("GatedScaleCustom", "aclnnGatedScaleCustom", "`x`", "`bias`", "`gate`", "alpha"):
        assert name in parts["Prototype"]
    tiles = parts["Tiles and cores"]
    assert "bytes of UB" in tiles and re.search(r"tiles on \d+ cores", tiles)
    kernel = sources(out / "gated_scale.ascendc.py")["kernel_src"]
    buffers = re.findall(r"^\| `(\w+_)` \|", tiles, flags=re.M)
    assert len(buffers) >= 4 and all(b in kernel for b in buffers)  # the plan is of buffers the kernel has
    steps = re.findall(r"^\| \d+ \| `(\w+)\(", parts["Instructions"], flags=re.M)
    assert "Exp" in steps and all(re.search(rf"\b{s}\b", kernel) for s in steps)


def test_result(good):
    _, out, reference = good
    result = json.loads((out / "gated_scale.result.json").read_text())
    assert result["verdict"] == "PASS" and result["compiled"] is True and result["correctness"] is True
    assert result["standard"] == "ecosystem" and result["backend"] == "sim" and result["performance"] is None
    assert result["reference_path"] == str(reference) and result["kernel_code_path"] == str(out / "gated_scale.ascendc.py")
    labels = [c["label"] for c in result["cases"]]
    assert len({label.split()[0] for label in labels}) == 3 and len(labels) == len(set(labels)) > 15
    assert any("strided" in label for label in labels) and any("edge" in label for label in labels)
    assert len(result["precision"]) == 2 and all(p["pass"] for p in result["precision"])


def test_what_is_written_is_what_was_verified(good):
    _, out, reference = good
    done = run("verify", "--op", "gated_scale", "--reference_path", reference, "--kernel_code_path", out / "gated_scale.ascendc.py", "--local",
               "--result_json_path", out.parent / "r.json")
    assert done.returncode == 0 and done.stdout.startswith("PASS"), done.stdout + done.stderr
    assert json.loads((out.parent / "r.json").read_text())["result"][0]["verdict"] == "PASS"


# ---- names, places, and files that are there already ------------------------------------------------------------------------

NAMES = {
    "my op.py": "my_op", "3add.py": "op_3add", "two-words.py": "two_words", "class.py": "class", "half.py": "half", "a.b.py": "a_b",
    "BiasGelu.py": "bias_gelu", "foo_torch_reference.py": "foo", "torch.py": "torch", "_x.py": "x", "int.py": "int", "no_ending": "no_ending",
    "-dash.py": "dash", "l" * 120 + ".py": "l" * 120, "link.py": "link",
}


def test_names_of_files(tmp_path):
    for name in NAMES:
        if name != "link.py":
            (tmp_path / name).write_text(ADD)
    (tmp_path / "link.py").symlink_to("my op.py")
    done = run("gen", "--no-verify", "--output-dir", "out", *["./" + n for n in NAMES], cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert sorted(p.name for p in (tmp_path / "out").iterdir()) == sorted(n + s for n in NAMES.values() for s in SUFFIXES[:3])
    rows = done.stdout.splitlines()
    assert [r.split()[0] for r in rows[2:]] == list(NAMES.values()) and all(r.endswith("  written") for r in rows[2:])
    edges = {r.index("-", len(r.split()[0]) + 2) for r in rows[2:]}  # the column of cases stands in one line
    assert len(edges) == 1
    for name in NAMES.values():  # types, kernels and classes are identifiers
        source = sources(tmp_path / "out" / (name + ".ascendc.py"))
        assert re.search(r"void [a-z]\w*_custom\(", source["kernel_src"])
        assert re.fullmatch(r"[A-Z][A-Za-z0-9]*Custom", json.loads(source["project_json_src"])[0]["op"])


def test_a_name_without_latin_letters_can_be_given(tmp_path):
    (tmp_path / "加法.py").write_text(ADD)
    done = run("gen", "--no-verify", "--name", "jia_fa", tmp_path / "加法.py")
    assert done.returncode == 0 and (tmp_path / "jia_fa.ascendc.py").exists(), done.stderr
    assert "加法.py" in (tmp_path / "jia_fa.ascendc.py").read_text().splitlines()[1]
    too_long = run("gen", "--no-verify", "--name", "x" * 250, tmp_path / "加法.py")
    assert too_long.returncode == 2 and "--name" in too_long.stderr
    odd = run("gen", "--no-verify", "--name", "../up", tmp_path / "加法.py")
    assert odd.returncode == 2 and "../up" in odd.stderr
    assert len(list(tmp_path.iterdir())) == 4


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """A folder where gen has written five operators; then two are touched by hand."""
    folder = tmp_path_factory.mktemp("again")
    for name in ("same", "edited", "hand", "moved", "cut"):
        (folder / f"{name}.py").write_text(ADD)
    out = folder / "out"
    done = run("gen", "--no-verify", "--output-dir", out, *sorted(folder.glob("*.py")))
    assert done.returncode == 0, done.stderr
    (out / "edited.ascendc.py").write_text((out / "edited.ascendc.py").read_text().replace("DataCopyPad", "DataCopyPad ", 1))
    (out / "hand.ascendc.py").write_bytes((ROOT / "examples/handwritten/add.py").read_bytes())
    (folder / "other").mkdir()
    (folder / "other/x_moved.py").write_text(ADD)
    (out / "same.result.json").write_text('{"verdict": "PASS"}')
    return folder, out


def test_only_its_own_files_are_replaced(written):
    folder, out = written
    before = {p.name: p.read_bytes() for p in out.iterdir()}
    done = run("gen", "--no-verify", "--output-dir", out, *[folder / f"{n}.py" for n in ("edited", "hand", "same")])
    assert done.returncode == 2
    assert [r.split()[-1] for r in done.stdout.splitlines()[2:]] == ["BAD_INPUT", "BAD_INPUT", "written"]
    assert "edited.ascendc.py: the file was edited" in done.stderr and "hand.ascendc.py: the file exists and was not written by gen" in done.stderr
    assert done.stderr.count("--force") == 2
    after = {p.name: p.read_bytes() for p in out.iterdir()}
    assert before.pop("same.result.json") and "same.result.json" not in after  # it spoke of what is no longer there
    assert before == after


def test_another_reference_of_the_same_name(written):
    folder, out = written
    done = run("gen", "--no-verify", "--output-dir", out, "--name", "moved", folder / "other/x_moved.py")
    assert done.returncode == 2 and "from another reference, moved.py" in done.stderr
    done = run("gen", "--no-verify", "--output-dir", out, "--name", "moved", "--force", folder / "other/x_moved.py")
    assert done.returncode == 0 and "x_moved.py" in (out / "moved.ascendc.py").read_text()


def test_one_name_twice_in_a_command(written):
    folder, _ = written
    (folder / "other/same.py").write_text(ADD)
    done = run("gen", "--no-verify", "--output-dir", folder / "twice", folder / "same.py", folder / "same.py", folder / "other/same.py")
    assert done.returncode == 2
    assert [r.split()[-1] for r in done.stdout.splitlines()[2:]] == ["written", "BAD_INPUT", "BAD_INPUT"]
    assert done.stderr.count("an earlier file of this command has written") == 2


# ---- cases the reference does not take -------------------------------------------------------------------------------


@pytest.mark.parametrize("body", ["if not x.numel():\n            raise ValueError('nothing to add')\n        return x + y",
                                  "if type(x) is torch.Tensor and not x.numel():\n            raise ValueError('found out late')\n        return x + y"])
def test_a_reference_that_takes_no_empty_tensors(tmp_path, body):
    """Whether it says so of sizes alone or only when it runs: such cases are named apart, neither passed nor failed."""
    path = tmp_path / "picky.py"
    path.write_text(ADD.replace("return x + y", body))
    done = run("gen", path, "--output-dir", tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    result = json.loads((tmp_path / "picky.result.json").read_text())
    left = [c["label"] for c in result["cases_left_out"]]
    assert left and all("=0" in label for label in left), result["cases_left_out"]
    assert not set(left) & {c["label"] for c in result["cases"]}
    n, late = len(result["cases"]), f", {len(left)} left out" if "late" in body else ", standard"
    assert f"{n} of {n} cases pass{late}" in done.stdout
