"""`opwright verify --local` end to end: every description in descriptions/ goes wrong in one way, and the verdict, the
check and the place in the user's source must say so."""
import json
import os
import pathlib
import re
import runpy
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CLI = pathlib.Path(os.environ.get("OPWRIGHT_CLI", ROOT / "build" / "opwright"))
DESCRIPTIONS = HERE / "descriptions"
REFERENCES = HERE / "references"

pytestmark = pytest.mark.skipif(not CLI.exists(), reason=f"{CLI} is not built")


def verify(tmp_path, description, reference="sum.py", *options, env=None):
    """Exit status, the result object (None when nothing could be judged), and what was printed."""
    out = tmp_path / "result.json"
    path = description if isinstance(description, pathlib.Path) else DESCRIPTIONS / description
    done = subprocess.run(
        [str(CLI), "verify", "--local", "--op", "pair_sum", "--reference_path", str(REFERENCES / reference), "--kernel_code_path", str(path),
         "--result_json_path", str(out), "--time-limit", "20", "--memory-limit", "1500", *options],
        capture_output=True, text=True, timeout=300, env={**os.environ, **(env or {})})
    text = done.stdout + done.stderr
    assert "AddressSanitizer" not in text and "runtime error" not in text, text
    (result,) = json.loads(out.read_text())["result"] if out.exists() else [None]
    return done.returncode, result if result and result["verdict"] else None, text


def line_of(description, section, piece):
    """Line in the section where piece stands."""
    source = runpy.run_path(str(DESCRIPTIONS / description))[section]
    assert piece in source
    return source[: source.index(piece)].count("\n") + 1


def test_pass(tmp_path):
    status, result, text = verify(tmp_path, "pair_sum.py")
    assert status == 0, text
    assert text.strip().splitlines()[-1].startswith("PASS") or "PASS pair_sum" in text
    assert result["verdict"] == "PASS" and result["compiled"] is True and result["correctness"] is True
    assert result["performance"] is None, "a simulated time must not be shown as a measured one"
    assert result["index"] == 0 and result["op"] == "pair_sum" and result["language"] == "ascendc" and result["backend"] == "sim"
    assert result["compile_info"] == "" and result["correctness_info"] == "" and result["checks"] == []
    assert [c["verdict"] for c in result["cases"]] == ["PASS"] * 5
    (precision,) = result["precision"]
    assert precision["n"] == 37 * 131 and precision["n_wrong"] == 0 and precision["standard"] == "seed"
    assert result["launches"][0]["op"] == "PairSumCustom" and result["launches"][0]["block_dim"] == 2
    assert result["stages"]["build"]["kernel"] > 0 and result["stages"]["total"] > 0


def local(cwd, *options, description=DESCRIPTIONS / "torch_fallback.py", reference=REFERENCES / "sum.py"):
    return subprocess.run([str(CLI), "verify", "--local", "--op", "pair_sum", "--reference_path", str(reference), "--kernel_code_path",
                           str(description), *options], capture_output=True, text=True, cwd=cwd, timeout=300)


def test_answers_are_kept_as_those_of_a_service(tmp_path):
    """result.json in the working folder unless another place is named, and every answer in traj.json beside it."""
    assert local(tmp_path).returncode == 1
    answer = json.loads((tmp_path / "result.json").read_text())
    assert set(answer) == {"exit_code", "reference_path", "kernel_code_path", "result", "summary"} and answer["exit_code"] == 1
    assert answer["summary"].startswith("REJECTED pair_sum") and answer["result"][0]["verdict"] == "REJECTED"
    assert answer["kernel_code_path"] == str(DESCRIPTIONS / "torch_fallback.py")
    assert local(tmp_path, "--backend", "sim", description=DESCRIPTIONS / "pair_sum.py", reference=REFERENCES / "raises.py").returncode == 2
    answer = json.loads((tmp_path / "result.json").read_text())
    assert answer["exit_code"] == 2 and answer["result"][0]["verdict"] is None and answer["result"][0]["error_message"], "no old answer is left to mislead"
    first, second = json.loads((tmp_path / "traj.json").read_text())
    assert first["idx"] == 0 and second["idx"] == 1 and second["result"] == answer and first["code"] == (DESCRIPTIONS / "torch_fallback.py").read_text()
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", first["timestamp"])
    assert local(tmp_path, "--result_json_path", "deep/er/r.json").returncode == 1
    assert len(json.loads((tmp_path / "deep" / "er" / "traj.json").read_text())) == 1
    before = sorted(p.name for p in tmp_path.iterdir())
    assert local(tmp_path, "--result_json_path", "").returncode == 1
    assert sorted(p.name for p in tmp_path.iterdir()) == before and len(json.loads((tmp_path / "traj.json").read_text())) == 2


def test_a_record_that_cannot_be_kept(tmp_path):
    (tmp_path / "traj.json").write_text("{")
    done = local(tmp_path)
    assert done.returncode == 2 and "traj.json" in done.stderr and "REJECTED" in done.stdout
    assert (tmp_path / "traj.json").read_text() == "{"
    if os.getuid():
        (tmp_path / "closed").mkdir(mode=0o500)
        done = local(tmp_path / "closed")
        assert done.returncode == 1 and "no result.json is written" in done.stderr


@pytest.mark.parametrize("standard", ["multikernelbench", "ecosystem"])
def test_standards(tmp_path, standard):
    status, result, text = verify(tmp_path, "pair_sum.py", "sum.py", "--standard", standard)
    assert status == 0, text
    assert result["standard"] == standard and result["precision"][0]["MARE"] == 0
    assert (result["precision"][0].get("MARE_limit") is not None) == (standard == "ecosystem")


# description: verdict, compiled, {check: (section, piece of the source whose line is named, or None)}
FAULTS = {
    "wrong_result.py": ("FAIL", True, {"output-mismatch": ("kernel_src", None)}),
    "no_tail.py": ("FAIL", True, {"gm-out-of-bounds": ("kernel_src", "DataCopy(x, gx[at], n)")}),
    "error_in_json.py": ("FAIL", False, {"description": ("project_json_src", '"input_desc"')}),
    "error_in_tiling.py": ("FAIL", False, {"compile": ("host_tiling_src", "no_such_type")}),
    "error_in_host.py": ("FAIL", False, {"compile": ("host_operator_src", "shore")}),
    "error_in_kernel.py": ("FAIL", False, {"compile": ("kernel_src", "AddEverything")}),
    "error_in_binding.py": ("FAIL", False, {"compile": ("python_bind_src", "EXEC_NPU_CMD")}),
    "error_in_model.py": ("REJECTED", False, {"model-syntax": ("model_src", "def forward")}),
    "crash_in_binding.py": ("FAIL", True, {"run-crash": ("python_bind_src", None)}),
    "crash_in_kernel.py": ("FAIL", True, {"run-crash": ("kernel_src", "DataCopyPad(y")}),
    "null_gm.py": ("FAIL", True, {"gm-null": ("kernel_src", "DataCopyPad(y")}),
    "endless_loop.py": ("FAIL", True, {"run-timeout": ("kernel_src", None)}),
    "endless_in_binding.py": ("FAIL", True, {"run-timeout": ("python_bind_src", None)}),
    "memory_hog.py": ("FAIL", True, {"run-crash": ("python_bind_src", None)}),
    "torch_fallback.py": ("REJECTED", False, {"model-computes": ("model_src", "torch.add")}),
    "hidden_fallback.py": ("REJECTED", True, {"torch-fallback": ("model_src", None)}),
    "commented_launch.py": ("REJECTED", False, {"bind-no-launch": ("python_bind_src", None)}),
    "dead_launch.py": ("REJECTED", True, {"kernel-not-launched": ("python_bind_src", None)}),
    "not_written.py": ("FAIL", True, {"output-not-written": ("kernel_src", None), "output-mismatch": ("kernel_src", None)}),
    "half_written.py": ("FAIL", True, {"output-not-written": ("kernel_src", None)}),
    "two_outputs.py": ("FAIL", True, {"output-count": ("python_bind_src", None)}),
    "wrong_shape.py": ("FAIL", True, {"output-shape": ("python_bind_src", None)}),
    "wrong_dtype.py": ("FAIL", True, {"candidate-forward": ("model_src", "pair_sum")}),
    "tiling_fails.py": ("FAIL", True, {"candidate-tiling": (None, None)}),
    "no_such_function.py": ("FAIL", True, {"candidate-forward": ("model_src", "pair_some")}),
    "changes_input.py": ("FAIL", True, {"gm-write-input": ("kernel_src", "DataCopyPad(gx[at]")}),
    "kernel_empty.py": ("REJECTED", False, {"kernel-empty": ("kernel_src", None)}),
    "not_modelled.py": ("NOT_MODELLED", False, {"not-modelled": ("kernel_src", "lib/matmul_intf.h")}),
    "no_queue_order.py": ("FAIL", True, {"que-empty": ("kernel_src", "x = qx.DeQue")}),
}


@pytest.mark.parametrize("name", sorted(FAULTS))
def test_fault(tmp_path, name):
    verdict, compiled, checks = FAULTS[name]
    status, result, text = verify(tmp_path, name, "sum.py", *(("--time-limit", "8") if name.startswith("endless") else ()))
    assert status == 1, text
    assert result["verdict"] == verdict and result["compiled"] is compiled and result["correctness"] is False, text
    assert f"{verdict} pair_sum" in text
    for check, (section, piece) in checks.items():
        found = [c for c in result["checks"] if c["check"] == check and c["severity"] == "error"]
        assert found, (check, result["checks"])
        if section:
            assert any(c["source"] == section for c in found), found
        if piece:
            assert any(c.get("line") == line_of(name, section, piece) for c in found), (line_of(name, section, piece), found)
        for c in found:
            assert c["text"] and c["text_zh"] and c["hint"] if check != "description" else c["text"]
        assert f"[{check}]" in text
    assert result["error_message"]
    info = result["correctness_info" if compiled else "compile_info"]
    assert info.strip(), "old readers find the reason here"


def test_every_description_is_tested():
    assert {p.name for p in DESCRIPTIONS.glob("[a-z]*.py")} == set(FAULTS) | {"pair_sum.py"}


def test_mismatch_text_is_the_known_one(tmp_path):
    _, result, _ = verify(tmp_path, "wrong_result.py")
    info = result["correctness_info"]
    assert re.search(r"\[FAIL\] Output mismatch, max diff: [\d.]+, location: \(\d+, \d+\)", info), info
    assert re.search(r"Diff count: \d+ of 4847", info) and "Diff indices: (0, 0)" in info


def test_several_faults_in_one_build(tmp_path):
    """Host and binding are compiled beside the kernel: all errors come in one answer."""
    text = (DESCRIPTIONS / "error_in_host.py").read_text()
    path = DESCRIPTIONS / "error_in_host.py"
    sources = runpy.run_path(str(path))
    assert text
    both = tmp_path / "both.py"
    kernel = sources["kernel_src"].replace("AscendC::Add(z", "AscendC::Nothing(z")
    both.write_text("".join(f"{n} = {v!r}\n" for n, v in {**{k: sources[k] for k in sources if k.endswith("_src")}, "kernel_src": kernel}.items()))
    _, result, _ = verify(tmp_path, both)
    assert {c["source"] for c in result["checks"] if c["check"] == "compile"} >= {"kernel_src", "host_operator_src"}


def test_sources_that_python_computes(tmp_path):
    """A description may be any Python: what cannot be read without it is built once Python has read it."""
    path = tmp_path / "computed.py"
    path.write_text(f"import runpy\nbase = runpy.run_path({str(DESCRIPTIONS / 'pair_sum.py')!r})\n"
                    "globals().update({k: v for k, v in base.items() if k.endswith('_src')})\nkernel_src = ''.join([kernel_src, '\\n'])\n")
    status, result, text = verify(tmp_path, path)
    assert status == 0, text


def test_a_later_assignment_counts(tmp_path):
    """The early build guesses from the text; a file whose text misleads is built again."""
    base = (DESCRIPTIONS / "pair_sum.py").read_text()
    path = tmp_path / "late.py"
    path.write_text(base + "\nkernel_src = kernel_src.replace('AscendC::Add(z', 'AscendC::Sub(z')\n")
    status, result, text = verify(tmp_path, path)
    assert status == 1 and result["checks"][0]["check"] == "output-mismatch", text
    assert "equals the reference with a subtraction in place of the addition" in text


def test_a_lack_of_digits_is_not_explained_by_a_slip(tmp_path):
    """What is close to the reference is also close to the reference changed a little."""
    reference = tmp_path / "sum.py"
    reference.write_text((REFERENCES / "sum.py").read_text().replace("x + y", "x + y + 5e-4 * y"))
    status, result, text = verify(tmp_path, "pair_sum.py", str(reference), "--standard", "ecosystem")
    assert status == 1 and result["checks"][0]["check"] == "output-mismatch" and "equals the reference" not in text, text


@pytest.mark.parametrize("reference, words", [("raises.py", "the reference is out of order"), ("no_inputs.py", "get_inputs")])
def test_a_broken_reference_is_no_verdict(tmp_path, reference, words):
    status, result, text = verify(tmp_path, "pair_sum.py", reference)
    assert status == 2 and result is None, text
    assert words in text and reference in text
    assert "raises.py:9" in text or reference != "raises.py"


@pytest.mark.parametrize("missing", ["reference", "description"])
def test_missing_file(tmp_path, missing):
    if missing == "reference":
        status, result, text = verify(tmp_path, "pair_sum.py", "not_there.py")
    else:
        status, result, text = verify(tmp_path, tmp_path / "not_there.py")
    assert status == 2 and result is None and "not_there.py" in text, text


@pytest.mark.parametrize("content, words", [("kernel_src = 'x'\n", "project_json_src"), ("raise ValueError('broken')\n", "broken"), ("x = (\n", "")])
def test_no_description(tmp_path, content, words):
    path = tmp_path / "other.py"
    path.write_text(content)
    status, result, text = verify(tmp_path, path)
    assert status == 1 and result["verdict"] == "FAIL" and result["compiled"] is False, text
    assert words in text and "other.py" in text


def test_no_compiler(tmp_path):
    status, result, text = verify(tmp_path, "pair_sum.py", env={"OPWRIGHT_CXX": "/nonexistent/g++"})
    assert status == 2 and "OPWRIGHT_CXX" in text and "apt-get install" in text, text


def test_no_python(tmp_path):
    status, result, text = verify(tmp_path, "pair_sum.py", env={"OPWRIGHT_PYTHON": "/nonexistent/python"})
    assert status == 2 and "/nonexistent/python" in text, text


def test_keep_build(tmp_path):
    work = tmp_path / "tmp"
    work.mkdir()
    _, result, text = verify(tmp_path, "pair_sum.py", "sum.py", "--keep-build", env={"TMPDIR": str(work)})
    kept = pathlib.Path(result["build_dir"])
    assert (kept / "kernel_0.cpp").exists() and (kept / "host.so").exists() and str(kept) in text


def test_nothing_is_left_behind(tmp_path):
    work = tmp_path / "tmp"
    work.mkdir()
    for name in ("pair_sum.py", "error_in_kernel.py", "crash_in_kernel.py"):
        verify(tmp_path, name, env={"TMPDIR": str(work)})
    assert list(work.iterdir()) == []


# ---- cheats -----------------------------------------------------------------------------------------------------------

FORWARD = "return custom_ops_lib.pair_sum(x, y)"
WRONG = ("AscendC::Add(", "AscendC::Sub(")  # a kernel that does not do it


def cheat(tmp_path, model=None, binding=None, wrong=True):
    """pair_sum with forward replaced by `model`, or with `binding` before the return of the binding."""
    text = (DESCRIPTIONS / "pair_sum.py").read_text()
    if wrong:
        assert WRONG[0] in text
        text = text.replace(*WRONG)
    if model:
        assert FORWARD in text
        text = text.replace(FORWARD, model)
    if binding:
        assert "    return z;\n" in text
        text = text.replace("    return z;\n", "    " + binding.replace("OUT", "z") + "\n    return z;\n")
    path = tmp_path / "cheat.py"
    path.write_text(text)
    return path


CHEATS = {  # model: verdict, check
    "z = custom_ops_lib.pair_sum(x, y)\n        return torch.tensor([a + b for a, b in zip(x.flatten().tolist(), y.flatten().tolist())]).view(x.shape)":
        ("REJECTED", "output-not-from-kernel"),
    "custom_ops_lib.pair_sum(x, y)\n        return x": ("REJECTED", "output-not-from-kernel"),
    "import sys\n        for n in list(sys.modules):\n            if n.endswith('.evaluate'):\n                "
    "sys.modules[n]._eager = lambda answer, model, seed: ('tensor', list(answer.actual))\n        return custom_ops_lib.pair_sum(x, y)":
        ("FAIL", "output-mismatch"),
    "torch.Tensor.__add__ = lambda a, b: a.__sub__(b)\n        return custom_ops_lib.pair_sum(x, y)": ("FAIL", "output-mismatch"),
    "import os\n        os._exit(0)\n        return custom_ops_lib.pair_sum(x, y)": ("FAIL", "run-crash"),
    "print('PASS pair_sum: 5 of 5 cases pass')\n        return custom_ops_lib.pair_sum(x, y)": ("FAIL", "output-mismatch"),
}


@pytest.mark.parametrize("model", sorted(CHEATS))
def test_cheat_in_the_model(tmp_path, model):
    verdict, check = CHEATS[model]
    status, result, text = verify(tmp_path, cheat(tmp_path, model))
    assert status == 1 and result["verdict"] == verdict, text
    assert check in [c["check"] for c in result["checks"]], text


def test_results_of_the_first_call_kept(tmp_path):
    """A result from before, right for the first call of a process: the last trial calls twice."""
    kept = "type(self).kept = getattr(type(self), 'kept', None)\n        if type(self).kept is None:\n            " \
           "type(self).kept = custom_ops_lib.pair_sum(x, y)\n        return type(self).kept"
    status, result, text = verify(tmp_path, cheat(tmp_path, kept, wrong=False))
    assert status == 1 and result["verdict"] == "FAIL" and [c["verdict"] for c in result["cases"]] == ["PASS"] * 4 + ["FAIL"], text


BINDINGS = {
    "float *a = x.data_ptr<float>(), *b = y.data_ptr<float>(), *c = OUT.data_ptr<float>();\n"
    "    for (int64_t i = 0; i < x.numel(); i++) c[i] = a[i] + b[i];": ("FAIL", "run-crash"),
    "at::Tensor a = x.cpu(), b = y.cpu(), c = OUT.cpu();\n    float *pa = a.data_ptr<float>(), *pb = b.data_ptr<float>(), *pc = c.data_ptr<float>();\n"
    "    for (int64_t i = 0; i < x.numel(); i++) pc[i] = pa[i] + pb[i];\n    OUT.copy_(c);": ("REJECTED", "output-not-from-kernel"),
}


@pytest.mark.parametrize("binding", sorted(BINDINGS))
def test_cheat_in_the_binding(tmp_path, binding):
    verdict, check = BINDINGS[binding]
    status, result, text = verify(tmp_path, cheat(tmp_path, binding=binding))
    assert status == 1 and result["verdict"] == verdict, text
    assert check in [c["check"] for c in result["checks"]], text


def test_inputs_no_seed_reaches(tmp_path):
    """The reference and the candidate run apart, each making the inputs; where these differ, both run in one process."""
    reference = tmp_path / "unseeded.py"
    reference.write_text((REFERENCES / "sum.py").read_text() + "\n\n_made = get_inputs\n\n\ndef get_inputs():\n    import os\n"
                         "    return [t + os.urandom(1)[0] for t in _made()]\n")
    status, result, text = verify(tmp_path, "pair_sum.py", reference)
    assert status == 0, text
