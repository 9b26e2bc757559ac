"""`opwright verify` against a service."""
import http.server
import json
import os
import pathlib
import re
import runpy
import subprocess
import threading
import time

import pytest

from conftest import ADD, CLI, REFERENCE, REJECTED, ROOT, slow, wait_for

DESCRIPTIONS = ROOT / "tests" / "verify" / "descriptions"
SECTIONS = ("project_json_src", "host_tiling_src", "host_operator_src", "kernel_src", "python_bind_src", "model_src")


def verify(url, *options, op="add", reference=REFERENCE, kernel=ADD, env=None, cwd=None):
    env = {**os.environ, **(env or {})}
    if not cwd and "--result_json_path" not in options:
        options = (*options, "--result_json_path", "")
    if url:
        env["ASCEND_VERIFY_URL"] = url
    return subprocess.run([str(CLI), "verify", "--op", op, "--reference_path", str(reference), "--kernel_code_path", str(kernel), *options],
                          capture_output=True, text=True, timeout=120, env=env, cwd=cwd)


def literal(tmp_path, name):
    """A description of the folder as plain assignments, as most are written."""
    sources = runpy.run_path(str(DESCRIPTIONS / name))
    path = tmp_path / name
    path.write_text("".join(f"{key} = {sources[key]!r}\n" for key in SECTIONS))
    return path


def test_pass(shared, tmp_path):
    out = tmp_path / "result.json"
    run = verify(f"{shared.url}/verify", "--result_json_path", str(out))
    assert run.returncode == 0 and run.stdout.startswith("PASS add"), run.stderr
    answer = json.loads(out.read_text())
    assert answer["exit_code"] == 0 and answer["result"][0]["verdict"] == "PASS" and answer["reference_path"] == str(REFERENCE)
    (record,) = json.loads((tmp_path / "traj.json").read_text())
    assert record["idx"] == 0 and record["code"] == ADD.read_text() and record["result"] == answer
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", record["timestamp"])


def test_stream(shared, tmp_path):
    """--stream switches to /verify_stream; a URL that ends so does the same."""
    shared.call("/verify", {"op": "add", "reference_path": str(REFERENCE), "kernel_code_path": str(ADD)})
    for url, options in ((f"{shared.url}/verify", ["--stream", "--verbose"]), (f"{shared.url}/verify_stream", ["--verbose"]), (shared.url + "/", ["--stream", "--verbose"])):
        run = verify(url, *options)
        assert run.returncode == 0 and run.stdout.startswith("PASS add"), run.stderr
        assert "cache" in run.stderr or "verifying on sim:" in run.stderr, run.stderr


def test_url_option_wins(shared):
    assert verify("http://127.0.0.1:1/verify", "--url", f"{shared.url}/verify").returncode == 0


def test_relative_paths(shared, tmp_path):
    (tmp_path / "ref.py").write_text(REFERENCE.read_text())
    assert verify(f"{shared.url}/verify", reference="ref.py", kernel=os.path.relpath(ADD, tmp_path), cwd=tmp_path).returncode == 0
    answer = json.loads((tmp_path / "result.json").read_text())
    assert answer["reference_path"] == str(tmp_path / "ref.py"), "result.json in the working folder unless another place is named"
    assert json.loads((tmp_path / "traj.json").read_text())[0]["result"] == answer


def test_failures(shared, tmp_path):
    out = tmp_path / "result.json"
    run = verify(f"{shared.url}/verify", "--result_json_path", str(out), kernel=REJECTED)
    assert run.returncode == 1 and run.stdout.startswith("REJECTED add")
    run = verify(f"{shared.url}/verify", "--result_json_path", str(out), reference=REFERENCE.parent / "raises.py")
    assert run.returncode == 2
    records = json.loads((tmp_path / "traj.json").read_text())
    assert [r["idx"] for r in records] == [0, 1] and [r["result"]["exit_code"] for r in records] == [1, 2]


def test_static_rules_come_first(tmp_path):
    """A violation is answered without a service, in the same form."""
    out = tmp_path / "result.json"
    run = verify("http://127.0.0.1:1/verify", "--result_json_path", str(out), op="pair_sum", kernel=literal(tmp_path, "commented_launch.py"))
    assert run.returncode == 1 and run.stdout.startswith("REJECTED pair_sum"), run.stderr
    answer = json.loads(out.read_text())
    (result,) = answer["result"]
    assert answer["exit_code"] == 1 and result["compiled"] is False and result["correctness"] is False and result["error_message"]
    (check,) = [c for c in result["checks"] if c["severity"] == "error"]
    assert check["stage"] == "rules" and check["source"] == "python_bind_src" and check["text_zh"] and check["hint"]
    assert json.loads((tmp_path / "traj.json").read_text())[0]["result"] == answer


def test_the_service_says_the_same(shared, tmp_path):
    kernel = literal(tmp_path, "commented_launch.py")
    run = verify("http://127.0.0.1:1/verify", "--result_json_path", str(tmp_path / "a.json"), op="pair_sum", kernel=kernel)
    assert run.returncode == 1
    mine = json.loads((tmp_path / "a.json").read_text())["result"][0]
    theirs = shared.call("/verify", {"op": "pair_sum", "reference_path": str(REFERENCE), "kernel_code_path": str(kernel)})[1]["result"][0]
    assert set(mine) <= set(theirs) | {"hint"}
    for key in ("verdict", "compiled", "correctness", "error_message", "op", "category"):
        assert mine[key] == theirs[key], key
    assert [c["check"] for c in mine["checks"]] == [c["check"] for c in theirs["checks"]]


def test_no_service():
    run = verify("http://127.0.0.1:1/verify")
    assert run.returncode == 2 and "no verification service at http://127.0.0.1:1/verify" in run.stderr and "--local" in run.stderr and "opwright serve" in run.stderr


def test_refused(shared):
    run = verify(f"{shared.url}/verify", "--devices", "sim:0,sim:9")
    assert run.returncode == 2 and "devices: sim:9 is not in the device pool" in run.stderr
    run = verify(f"{shared.url}/elsewhere")
    assert run.returncode == 2 and "404" in run.stderr
    run = verify("file:///etc/passwd")
    assert run.returncode == 2


def test_token_and_sources(serve, tmp_path):
    token = tmp_path / "token"
    token.write_text("correct-horse-battery\n")
    root = tmp_path / "root"
    root.mkdir()
    s = serve("--devices", "sim:0", "--token-file", str(token), "--root", str(root))
    run = verify(f"{s.url}/verify")
    assert run.returncode == 2 and "401" in run.stderr and "--token-file" in run.stderr
    run = verify(f"{s.url}/verify", "--token-file", str(token))
    assert run.returncode == 2 and "403" in run.stderr, "the files are not below the root"
    run = verify(f"{s.url}/verify", "--token-file", str(token), "--send-sources")
    assert run.returncode == 0, run.stderr
    assert verify(f"{s.url}/verify", "--send-sources", env={"ASCEND_VERIFY_TOKEN": "correct-horse-battery"}).returncode == 0


def test_full_queue_is_waited_for(serve):
    s = serve("--devices", "sim:0", "--queue-limit", "1").when_warm()
    threads = [threading.Thread(target=s.call, args=("/verify", slow(f"q{i}", 3))) for i in range(2)]
    for i, t in enumerate(threads):
        t.start()
        wait_for(lambda: sum(len(v) for v in s.jobs().values()) == i + 1)
    run = verify(f"{s.url}/verify", "--stream", "--verbose", kernel=REJECTED)
    assert run.returncode == 1 and run.stdout.startswith("REJECTED"), run.stderr
    for t in threads:
        t.join()


def test_service_ends_amid_a_stream(serve, tmp_path):
    s = serve("--devices", "sim:0").when_warm()
    path = tmp_path / "slow.py"
    path.write_text("import time\ntime.sleep(60)\n")
    out = {}
    t = threading.Thread(target=lambda: out.update(run=verify(f"{s.url}/verify", "--stream", kernel=path)))
    t.start()
    wait_for(lambda: s.jobs()["running"])
    s.kill()
    t.join(30)
    assert out["run"].returncode in (2, 3) and not out["run"].stdout.strip()
    s.start()


class OldService(http.server.BaseHTTPRequestHandler):
    """Answers as the established service does: no field of ours, a stream in pieces that cut lines and characters."""
    seen = []

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.seen.append((self.path, body))
        answer = {"exit_code": 1, "reference_path": "/r", "kernel_code_path": "/k", "result": [{"compiled": True, "correctness": False}], "summary": "不对"}
        if self.path == "/verify":
            text = json.dumps({**answer, "logs": ""}, ensure_ascii=False).encode()
        else:
            lines = [{"type": "log", "data": "等待"}, {"type": "log", "data": "一\n二\n"}, {"type": "future", "x": 1}, {"type": "meta"}, {"type": "result", **answer}]
            text = "\n\nnot json\n".join(json.dumps(line, ensure_ascii=False) for line in lines).encode()
        self.send_response(200)
        self.end_headers()
        for i in range(0, len(text), 7):
            self.wfile.write(text[i:i + 7])
            self.wfile.flush()
            time.sleep(0.001)

    def log_message(self, *args):
        pass


@pytest.mark.parametrize("stream", [False, True])
def test_an_old_service(tmp_path, stream):
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OldService)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    OldService.seen.clear()
    out = tmp_path / "result.json"
    run = verify(f"http://127.0.0.1:{server.server_port}/verify", "--devices", "npu:0, npu:1", "--result_json_path", str(out), "--verbose", *(["--stream"] if stream else []))
    server.shutdown()
    assert run.returncode == 1 and "不对" in run.stdout, run.stderr
    ((path, body),) = OldService.seen
    assert path == ("/verify_stream" if stream else "/verify") and body["devices"] == ["npu:0", "npu:1"] and body["language"] == "ascendc"
    assert set(body) <= {"op", "reference_path", "kernel_code_path", "language", "devices", "standard", "chip"}
    answer = json.loads(out.read_text())
    assert answer["exit_code"] == 1 and answer["summary"] == "不对" and answer["result"][0]["compiled"] is True and "type" not in answer


def test_no_cache(shared):
    for options, cached in (([], None), ([], True), (["--no-cache"], False)):
        run = verify(f"{shared.url}/verify", "--stream", "--verbose", *options, op="again", kernel=REJECTED)
        assert run.returncode == 1 and cached in (None, "from the cache" in run.stderr), run.stderr


def test_how_the_simulator_runs_is_asked_of_the_service(shared, tmp_path):
    out = tmp_path / "r.json"
    run = verify(f"{shared.url}/verify", "--strict", "--exact", "--schedule", "random:7", "--toolchain", "a5", "--result_json_path", str(out))
    assert run.returncode == 0, run.stderr + run.stdout
    assert json.loads(out.read_text())["result"][0]["model"] == {"schedule": "random:7", "strict": True, "exact": True}
    run = verify(None, "--backend", "cann", "--strict")
    assert run.returncode == 2 and "the simulator's" in run.stderr
