"""`opwright doctor`: what it finds, what it makes of a machine that lacks something, and its exit status."""
import json
import os
import pathlib
import shutil
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLI = pathlib.Path(os.environ.get("OPWRIGHT_CLI", ROOT / "build" / "opwright"))

pytestmark = pytest.mark.skipif(not CLI.exists(), reason=f"{CLI} is not built")


def doctor(*args, **env):
    base = {k: v for k, v in os.environ.items() if not k.startswith(("LC_", "ASCEND_")) and k != "LANG"}
    done = subprocess.run([str(CLI), "doctor", *args], capture_output=True, text=True, timeout=180,
                          env={**base, "OPWRIGHT_HOME": os.environ.get("OPWRIGHT_HOME", str(ROOT)), **env})
    return done.returncode, done.stdout, done.stderr


def items(out):
    return {item["id"]: item for item in json.loads(out)["items"]}


@pytest.fixture(scope="module")
def here():
    return doctor("--json")


def test_the_simulator_works_here(here):
    status, out, _ = here
    found = items(out)
    assert status == 0 and json.loads(out)["backends"]["sim"] is True
    assert found["simulator"]["value"].startswith("PASS in")
    for name in ("home", "runtime", "compiler", "python", "torch"):
        assert found[name]["status"] in ("ok", "limited") and found[name]["value"]
    assert "jansson 2." in found["libraries"]["value"]
    assert "GiB free" in found["temp"]["value"]


def test_what_is_not_ok_says_how_to_mend_it(here):
    for item in items(here[1]).values():
        assert item["status"] in ("ok", "limited", "absent", "bad")
        assert bool(item["mend"]) == (item["status"] != "ok"), item


def test_no_compiler(tmp_path):
    status, out, _ = doctor("--json", OPWRIGHT_CXX="/no/such/compiler")
    found = items(out)
    assert status == 1 and found["compiler"]["status"] == "bad" and "OPWRIGHT_CXX" in found["compiler"]["value"]
    assert found["simulator"]["status"] == "bad" and json.loads(out)["backends"]["sim"] is False


def test_a_newer_compiler_under_its_number(tmp_path):
    """Distributions install g++-12 beside a plain g++ that is too old."""
    for name in ("g++", "clang++", "g++-998"):
        (tmp_path / name).write_text("#!/bin/sh\necho too old >&2\nexit 1\n")
        (tmp_path / name).chmod(0o755)
    for name in ("g++-999", "g++-997", "g++-x", "g++-"):
        (tmp_path / name).write_text(f"#!/bin/sh\n[ \"$1\" = --version ] && echo '{name} of the test' && exit\nexec {shutil.which('g++')} \"$@\"\n")
        (tmp_path / name).chmod(0o755)
    path = f"{tmp_path}:{os.environ['PATH']}"
    assert items(doctor("--json", PATH=path)[1])["compiler"]["value"] == "g++-999 of the test"
    (tmp_path / "g++-999").unlink()
    assert items(doctor("--json", PATH=path)[1])["compiler"]["value"] == "g++-997 of the test"


def test_no_python():
    status, out, _ = doctor("--json", OPWRIGHT_PYTHON="/no/such/python")
    found = items(out)
    assert status == 1 and found["python"]["status"] == "bad" and found["torch"]["status"] == "bad"
    assert "not tried" in found["simulator"]["value"]


def test_python_without_torch(tmp_path):
    python = tmp_path / "python"
    python.write_text('#!/bin/sh\n[ "$1" = --version ] && { echo Python 3.11.2; exit 0; }\nexec python3 -S -I "$@"\n')
    python.chmod(0o755)
    status, out, _ = doctor("--json", OPWRIGHT_PYTHON=str(python))
    found = items(out)
    assert status == 1 and found["python"]["status"] == "ok" and "3.11.2" in found["python"]["value"]
    assert found["torch"]["status"] == "bad" and "torch" in found["torch"]["mend"]


def test_cann_parts(tmp_path, here):
    assert json.loads(here[1])["backends"]["cann"] is False
    toolkit, dev, programs = tmp_path / "toolkit", tmp_path / "dev", tmp_path / "bin"
    for folder in (toolkit, dev, programs):
        folder.mkdir()
    (toolkit / "version.cfg").write_text("# header\nVersion=8.0.RC2\n")
    for name in ("davinci10", "davinci2", "davinci_manager", "davinci3x"):
        (dev / name).write_text("")
    (programs / "msopgen").write_text("#!/bin/sh\n")
    (programs / "msopgen").chmod(0o755)
    _, out, _ = doctor("--json", ASCEND_TOOLKIT_HOME=str(toolkit), OPWRIGHT_DEV_DIR=str(dev), PATH=f"{programs}:{os.environ['PATH']}",
                       OPWRIGHT_CXX="/no/such/compiler")
    found = items(out)
    assert found["toolkit"]["value"].startswith("8.0.RC2") and found["devices"]["value"] == "npu:2, npu:10"
    assert found["msopgen"]["status"] == "ok" and json.loads(out)["backends"]["cann"] is True
    _, out, _ = doctor("--json", ASCEND_TOOLKIT_HOME=str(toolkit), OPWRIGHT_DEV_DIR=str(dev), OPWRIGHT_CXX="/no/such/compiler")
    assert "msopgen" in json.loads(out)["cann_missing"] and "toolkit (" not in json.loads(out)["cann_missing"]


def test_text_in_both_languages():
    status, out, _ = doctor(OPWRIGHT_CXX="/no/such/compiler")
    assert status == 1 and "--backend sim: does not work" in out and "to mend it:" in out
    _, out, _ = doctor("--lang", "zh", OPWRIGHT_CXX="/no/such/compiler")
    assert "解决办法" in out and "--backend sim: 不可用" in out


def test_wrong_options():
    assert doctor("now")[0] == 2
    assert doctor("--lang", "fr")[0] == 2
    assert doctor("--what")[0] == 2
