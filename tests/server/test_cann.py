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
