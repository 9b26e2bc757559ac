"""`opwright explain` as people use it: files, pipes, languages, JSON, odd input."""
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
CLI = pathlib.Path(os.environ.get("OPWRIGHT_CLI", ROOT / "build" / "opwright"))

pytestmark = pytest.mark.skipif(not CLI.exists(), reason=f"{CLI} is not built")

LOG = ("[FAIL] NPU function error: AclrtSynchronizeDeviceWithTimeout, error code is 507035\n"
       "EZ9999: Inner Error!\n"
       "errorStr: VEC instruction error: the ub address out of bounds.CCU instruction address check error.\n"
       "The process exits for this inner error, and the current working operator name is aclnnMaskedSelect.\n")


def explain(*args, text=b"", **env):
    done = subprocess.run([str(CLI), "explain", *args], input=text if isinstance(text, bytes) else text.encode(), capture_output=True,
                          env={**{k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}, **env}, timeout=60)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def test_pipe():
    status, out, _ = explain(text=LOG)
    assert status == 0
    assert out.index("device-ub-out-of-bounds") < out.index("rt-507035") < out.index("device-masked-select")
    assert "opwright verify --local" in out


def test_file_and_language(tmp_path):
    path = tmp_path / "a.log"
    path.write_text(LOG)
    assert "原因" in explain(str(path), LANG="zh_CN.UTF-8")[1]
    assert "cause:" in explain(str(path), "--lang", "en", LANG="zh_CN.UTF-8")[1]
    assert explain("--lang", "fr", str(path))[0] == 2


def test_json():
    status, out, _ = explain("--json", text=LOG)
    answer = json.loads(out)
    assert status == 0 and answer["recognised"]
    assert [m["level"] for m in answer["matches"]] == sorted((m["level"] for m in answer["matches"]), key=["cause", "general", "sign", "echo"].index)
    assert answer["matches"][0]["checks"][0] == "ub-past-end"


def test_unknown_input_says_what_to_try():
    status, out, _ = explain(text="hello\n")
    assert status == 1 and "errorStr" in out and "opwright doctor" in out
    assert json.loads(explain("--json", text="")[1]) == {"recognised": False, "matches": [], "facts": "", "lines": 1}


def test_any_bytes():
    status, out, _ = explain("--json", text=bytes(range(256)) * 40 + b"\nerror: unknown type name 'T'\xff\n")
    assert status == 0 and json.loads(out)["matches"][0]["excerpt"] == "error: unknown type name 'T'?"


def test_errors(tmp_path):
    assert explain(str(tmp_path / "gone"))[0] == 2
    assert explain(str(tmp_path))[0] == 2
    assert explain("a", "b")[0] == 2
    assert explain("--what")[0] == 2
    status, _, err = explain("/dev/zero")
    assert status == 2 and "64 MiB" in err


def test_result_object(tmp_path):
    path = tmp_path / "r.json"
    path.write_text(json.dumps({"exit_code": 1, "result": [{"checks": [{"check": "gm-out-of-bounds", "severity": "error", "source": "kernel_src",
                                                                      "line": 40, "text": "writes past z", "hint": "shorter tail"}]}]}))
    status, out, _ = explain(str(path))
    assert status == 0 and "gm-out-of-bounds" in out and "kernel_src:40" in out and "shorter tail" in out


def test_a_large_log_is_quick():
    text = ("some ordinary line of a log with nothing in it, 507 times\n" * 200000 + LOG).encode()
    status, out, _ = explain(text=text)
    assert status == 0 and "line 200003" in out
