"""The CANN backend through the command line and through the service, against the stand-in for the vendor's toolkit in tests/cann."""
import json
import os
import pathlib
import subprocess

import pytest

from conftest import ADD, CLI, REJECTED, ROOT, item

STAND_IN = ROOT / "tests" / "cann"
REFERENCE = ROOT / "examples" / "add.py"


@pytest.fixture(scope="module")
def machine(tmp_path_factory):
    """Environment of a machine with a toolkit, torch_npu, and the devices npu:0 and npu:3."""
    dev = tmp_path_factory.mktemp("dev")
    for name in ("davinci0", "davinci3", "davinci_manager"):
        (dev / name).touch()
    env = {k: v for k, v in os.environ.items() if not k.startswith(("ASCEND_", "STAND_IN_"))}
    return {**env, "OPWRIGHT_DEV_DIR": str(dev), "ASCEND_TOOLKIT_HOME": str(STAND_IN), "PATH": f"{STAND_IN / 'bin'}:{env['PATH']}",
            "PYTHONPATH": str(STAND_IN / "python"), "OPWRIGHT_NPU_HELPER": str(STAND_IN / "pytorch_npu_helper.hpp")}


def verify(env, cwd, *options, kernel=ADD, reference=REFERENCE):
    """Exit status, what was printed, and the answer that was written, if any."""
    done = subprocess.run([str(CLI), "verify", "--backend", "cann", "--op", "add", "--reference_path", str(reference), "--kernel_code_path", str(kernel),
                           *options], capture_output=True, text=True, env=env, cwd=cwd, timeout=300)
    out = pathlib.Path(cwd) / "result.json"
    return done.returncode, done.stdout + done.stderr, json.loads(out.read_text()) if out.exists() else None


def test_command_line(machine, tmp_path):
    status, text, answer = verify({**machine, "STAND_IN_DEVICE": "3"}, tmp_path, "--devices", "npu:3", "--verbose")
    assert status == 0 and text.startswith("PASS add: 5 of 5 cases pass"), text
    (result,) = answer["result"]
    assert result["backend"] == "cann" and result["device"] == "npu:3" and result["performance"]["num_trials"] == 100 and result["speedup"] > 0
    (record,) = json.loads((tmp_path / "traj.json").read_text())
    assert record["result"] == answer and record["code"] == ADD.read_text()
    assert "msopgen" in text and "build.sh" in text, "each step is told"


def test_what_is_missing_is_named(machine, tmp_path):
    """Exit status 3, and the answer says the same."""
    bare = {k: v for k, v in machine.items() if k != "ASCEND_TOOLKIT_HOME"}
    bare.update(PATH=os.environ["PATH"], OPWRIGHT_DEV_DIR=str(tmp_path), HOME=str(tmp_path))
    status, text, answer = verify(bare, tmp_path)
    assert status == 3, text
    for word in ("CANN toolkit", "ASCEND_TOOLKIT_HOME", "msopgen", "/dev/davinci", "opwright doctor", "--backend sim"):
        assert word in text, text
    assert answer["exit_code"] == 3 and answer["result"][0]["verdict"] == "INFRA_ERROR" and answer["result"][0]["backend"] == "cann"
    status, text, _ = verify(machine, tmp_path, "--devices", "npu:1")
    assert status == 3 and "npu:1" in text and "npu:0" in text
    done = subprocess.run([str(CLI), "serve", "--port", "0", "--devices", "npu:0", "--state-dir", str(tmp_path / "s")], env=bare, capture_output=True, text=True)
    assert done.returncode == 3 and "msopgen" in done.stderr, done.stderr


@pytest.mark.parametrize("options, word", [
    (["--devices", "npu:0,npu:3"], "one NPU"), (["--devices", "sim:0"], "one NPU"), (["--devices", "gpu"], "one NPU"), (["--stream"], "--stream"),
    (["--backend", "gpu"], "sim or cann"), (["--backend", "sim", "--devices", "npu:0"], "--devices")])
def test_wrong_command_lines(machine, tmp_path, options, word):
    status, text, answer = verify(machine, tmp_path, *options)
    assert status == 2 and word in text and answer is None, text


def test_service(serve, machine):
    """NPUs are the pool where they can be used; a job that names one gets it, and its limits are those of an NPU."""
    s = serve(env=machine).when_warm()
    health = s.health()
    assert [d["name"] for d in health["devices"]] == ["npu:0", "npu:3"] and health["backends"] == ["cann"]
    status, answer = s.call("/verify", item(reference=REFERENCE, devices=["npu:0"]), timeout=300)
    assert status == 200 and answer["exit_code"] == 0, answer
    (result,) = answer["result"]
    assert result["backend"] == "cann" and result["device"] == "npu:0" and result["performance"]["mean"] > 0
    assert "verifying on npu:0" in answer["logs"] and "msopgen: done" in answer["logs"]
    again = s.call("/verify", item(reference=REFERENCE, devices=["npu:0"]), timeout=300)[1]
    assert again["cached"] and again["result"] == answer["result"]
    answer = s.call("/verify", item("rejected", kernel=REJECTED, reference=REFERENCE, devices=["0"]), timeout=300)[1]
    assert answer["exit_code"] == 1 and answer["result"][0]["verdict"] == "REJECTED" and answer["result"][0]["backend"] == "cann"


def test_pool_of_both_kinds(serve, machine):
    s = serve("--devices", "sim:0,npu:0", env=machine).when_warm()
    body = item("rejected", kernel=REJECTED, reference=REFERENCE)
    assert s.call("/verify", {**body, "devices": ["npu:0"]}, timeout=300)[1]["result"][0]["backend"] == "cann"
    answer = s.call("/verify", body)[1]
    assert answer["result"][0]["backend"] == "sim" and not answer["cached"], "a result of one kind does not stand for the other"
    assert s.call("/verify", {**body, "devices": ["npu:0", "sim:0"]})[0] == 400
    assert s.call("/verify", {**body, "devices": ["npu:3"]})[0] == 400
    for option in ({"strict": True}, {"exact": True}, {"schedule": "lazy"}):  # the simulator's: an NPU cannot run so
        status, answer = s.call("/verify", {**body, "devices": ["npu:0"], **option}, timeout=300)
        (result,) = answer["result"]
        assert status == 200 and answer["exit_code"] == 2 and result["backend"] == "cann" and result["verdict"] is None, answer
        assert next(iter(option)) in result["error_message"] and "simulator" in result["error_message"]


KERNEL = """#include "kernel_operator.h"
#include "tiling.h"
template <typename T> __global__ __aicore__ void add(GM_ADDR x, GM_ADDR y, GM_ADDR z, int64_t n) { /* the stand-in adds */ }
extern "C" void launch_add(GM_ADDR x, GM_ADDR y, GM_ADDR z, int64_t n, int64_t blocks, void *stream)
{
    add<float><<<blocks, nullptr, stream>>>(x, y, z, n);
}
"""
BINDING = """#include <torch/extension.h>
#include "torch_npu/csrc/core/npu/NPUStream.h"
#include "tiling.h"
torch::Tensor add(const torch::Tensor &x, const torch::Tensor &y)
{
    auto z = torch::empty_like(x);
    launch_add(x.data_ptr(), y.data_ptr(), z.data_ptr(), x.numel(), 8, c10_npu::getCurrentNPUStream().stream(false));
    return z;
}
PYBIND11_MODULE(benchmark_ops, m) { m.def("add", &add, "x + y"); }
"""
MODEL = """import sys
from pathlib import Path
import torch
sys.path.insert(0, str(Path(__file__).resolve().parent / "kernel" / "build"))
import benchmark_ops as ops


class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        return ops.add(x, y)
"""
HEADER = "#include <cstdint>\nextern \"C\" void launch_add(void *x, void *y, void *z, int64_t n, int64_t blocks, void *stream);\n"


def direct(tmp_path, name="direct.json", fence=False, **changed):
    """A direct-launch description, its files and fields changed as asked."""
    files = {"ModelNew.py": MODEL, "kernel/add.cpp": KERNEL, "kernel/pybind11.cpp": BINDING, "kernel/tiling.h": HEADER}
    files.update(changed.pop("files", {}))
    spec = {"name": "add", "entry": {"model": "ModelNew.py::ModelNew"}, "build": {"type": "ascendc_direct_launch"},
            "sources": [{"path": p, "content": t} for p, t in files.items()], **changed}
    text = json.dumps(spec, indent=1)
    path = tmp_path / name
    path.write_text(f"```json\n{text}\n```\n" if fence else text)
    return path


def test_direct_launch(machine, tmp_path):
    env = {**machine, "PATH": os.environ["PATH"], "STAND_IN_LOG": str(tmp_path / "log")}  # it needs no msopgen
    status, text, answer = verify(env, tmp_path, "--verbose", kernel=direct(tmp_path, fence=True))
    assert status == 0 and text.startswith("PASS add: 5 of 5 cases pass"), text
    (result,) = answer["result"]
    assert result["backend"] == "cann" and result["performance"]["num_trials"] == 100 and result["speedup"] > 0 and result["compiled"] is True
    assert (tmp_path / "log").read_text() == "bisheng kernel/add.cpp\n"


@pytest.mark.parametrize("mode, files, verdict, check, source, line", [
    ("kernel-error", {}, "FAIL", "compile", "kernel/add.cpp", 6),
    pytest.param("", {"kernel/pybind11.cpp": BINDING.replace("benchmark_ops,", "TORCH_EXTENSION_NAME,").replace("torch::Tensor add", "\ntorch::Tensor add")}, "FAIL", "compile", "kernel/pybind11.cpp", 1, marks=pytest.mark.slow),
    ("", {"kernel/pybind11.cpp": BINDING.replace("return z", "return torch::add(x, y)")}, "REJECTED", "bind-computes", "kernel/pybind11.cpp", 8),
    ("", {"kernel/add.cpp": KERNEL.replace("    add<float>", "    // add<float>")}, "REJECTED", "direct-no-launch", None, 0),
    ("", {"ModelNew.py": MODEL.replace("ops.add(x, y)", "ops.add(x, y) + torch.relu(x)")}, "REJECTED", "model-computes", "ModelNew.py", 10),
    pytest.param("wrong", {}, "FAIL", "output-mismatch", "kernel_src", 0, marks=pytest.mark.slow),
])
def test_direct_launch_faults(machine, tmp_path, mode, files, verdict, check, source, line):
    status, text, answer = verify({**machine, "STAND_IN_MODE": mode}, tmp_path, kernel=direct(tmp_path, files=files))
    (result,) = answer["result"]
    assert status == 1 and result["verdict"] == verdict, text
    found = next(c for c in result["checks"] if c["severity"] == "error")
    assert (found["check"], found.get("source"), found.get("line", 0)) == (check, source, line), text


@pytest.mark.parametrize("changed, field", [
    ({"sources": []}, "sources"), ({"sources": [{"path": "../x.cpp", "content": ""}]}, "sources[0].path"), ({"entry": {"model": "Other.py::ModelNew"}}, "entry.model"),
    ({"entry": {"model": "ModelNew.py"}}, "entry.model"), ({"build": {"kernel_sources": ["none.cpp"]}}, "build.kernel_sources[0]"), ({"build": {"module_name": "a b"}}, "build.module_name")])
def test_direct_launch_form(machine, tmp_path, changed, field):
    status, text, answer = verify(machine, tmp_path, kernel=direct(tmp_path, **changed))
    assert status == 1 and answer["result"][0]["verdict"] == "FAIL" and f"{field}:" in text, text


@pytest.mark.slow
def test_direct_launch_through_the_service(serve, machine, tmp_path):
    s = serve("--devices", "npu:0,sim:0", env=machine).when_warm()
    answer = s.call("/verify", item(kernel=direct(tmp_path), reference=REFERENCE, devices=["npu:0"]), timeout=300)[1]
    assert answer["exit_code"] == 0, answer["summary"]


def test_direct_launch_elsewhere(machine, tmp_path):
    """The simulator says that it does not run this; without the compiler that is named."""
    path = direct(tmp_path)
    status, text, answer = verify(machine, tmp_path, "--backend", "sim", kernel=path)
    assert status == 1 and answer["result"][0]["verdict"] == "NOT_MODELLED" and "--backend cann" in text, text
    assert [c["check"] for c in answer["result"][0]["checks"]] == ["direct-launch"]
    bare = tmp_path / "toolkit"
    bare.mkdir()
    status, text, _ = verify({**machine, "ASCEND_TOOLKIT_HOME": str(bare)}, tmp_path, kernel=path)
    assert status == 3 and "bisheng" in text, text
