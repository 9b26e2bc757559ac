"""The real worker process over its descriptors: every way a request can end, and the next one still works."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Iterator, Optional

import pytest

from bridge import child, frames

WORKER = Path(__file__).resolve().parents[2] / "bridge" / "worker.py"
GOOD = """import torch
class Model(torch.nn.Module):
    def forward(self, x):
        return torch.relu(x)
def get_inputs():
    return [torch.rand(3)]
"""


class Worker:
    def __init__(self, python: str = sys.executable) -> None:
        request_read, self.request = os.pipe()
        self.reply, reply_write = os.pipe()
        move = f'exec 3<&{request_read} 4>&{reply_write}; exec "$0" "$@"'
        self.process = subprocess.Popen(["bash", "-c", move, python, str(WORKER)], pass_fds=(request_read, reply_write),
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        os.close(request_read)
        os.close(reply_write)
        self.n = 0

    def send(self, data: bytes) -> None:
        os.write(self.request, data)

    def receive(self) -> tuple[dict[str, Any], list[bytes]]:
        head = frames.read_exact(self.reply, 4)
        assert head is not None
        value, sizes = frames.decode_json(frames.read_exact(self.reply, frames.check_length(head)) or b"")
        return value, [frames.read_exact(self.reply, n) or b"" for n in sizes]

    def call(self, method: str, params: Optional[dict[str, Any]] = None, **limits: float) -> dict[str, Any]:
        self.n += 1
        frames.write_frame(self.request, {"id": self.n, "method": method, "params": params or {}, "limits": limits})
        value, self.blobs = self.receive()
        assert value["id"] == self.n and isinstance(value["log"], str) and ("result" in value) != ("error" in value)
        return value

    def close(self) -> int:
        os.close(self.request)
        out = self.process.communicate(timeout=20)[0]
        os.close(self.reply)
        assert b"Traceback" not in out, out
        return self.process.returncode


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    w = Worker()
    yield w
    assert w.close() == 0


@pytest.fixture
def load(worker: Worker, write: Any) -> Any:
    def call(text: str, **limits: float) -> dict[str, Any]:
        return worker.call("load_reference", {"path": write(text)}, **limits)

    yield call
    assert call(GOOD)["result"]["class"] == "Model"  # whatever happened, the worker is well


def test_hello(worker: Worker) -> None:
    result = worker.call("hello")["result"]
    assert result["threads"] == 1 and result["torch"] and result["python"] and isinstance(result["supported"], bool)


def test_unknown_methods(worker: Worker) -> None:
    for method in ("nothing", "__init__", "hello ", ""):
        assert worker.call(method)["error"]["code"] == "bad_input"


def test_trace_through_the_worker(worker: Worker, write: Any) -> None:
    graph = worker.call("trace", {"path": write(GOOD, "my_relu.py"), "ops": ["aten.relu.default"]})["result"]["graph"]
    assert graph["name"] == "my_relu" and [n["op"] for n in graph["nodes"]] == ["aten.relu.default"]


def test_blobs(worker: Worker, write: Any) -> None:
    case = {"kind": "sized", "variant": "float32", "inputs": [{"shape": [300000]}]}
    reply = worker.call("run", {"reference": write(GOOD), "case": case, "want": ["golden", "eager"]})
    assert reply["result"]["blob_names"] == ["golden0", "eager0"] and [len(b) for b in worker.blobs] == [2400000, 1200000]
    golden, eager = struct.unpack("<300000d", worker.blobs[0]), struct.unpack("<300000f", worker.blobs[1])
    assert golden == eager and max(golden) < 1


def test_segfault(load: Any) -> None:
    error = load("import ctypes\nprint('so far')\nimport sys; sys.stdout.flush()\nctypes.string_at(0)\n")["error"]
    assert error["code"] == "child_died" and error["signal"] == signal.SIGSEGV and "SIGSEGV" in error["message"]


def test_what_was_printed_before_death_is_kept(load: Any) -> None:
    reply = load("import os\nos.write(1, b'out')\nos.write(2, b'err')\nos.abort()\n")
    assert reply["log"].startswith("outerr") and reply["error"]["signal"] == signal.SIGABRT


@pytest.mark.parametrize("status", [0, 1, 77])
def test_exit_without_an_answer(load: Any, status: int) -> None:
    error = load(f"import os\nos._exit({status})\n")["error"]
    assert error["code"] == "child_died" and f"status {status}" in error["message"]


def test_endless_loop(load: Any) -> None:
    start = time.monotonic()
    reply = load("print('in', flush=True)\nwhile True: pass\n", wall_s=0.5)
    assert reply["error"]["code"] == "timeout" and reply["log"] == "in\n" and time.monotonic() - start < 5


def test_endless_printing(load: Any) -> None:
    reply = load("while True: print('x' * 1000)\n", wall_s=0.7)
    assert reply["error"]["code"] == "timeout"
    assert child.LOG_HEAD_BYTES < len(reply["log"]) < child.LOG_HEAD_BYTES + child.LOG_TAIL_BYTES + 100 and "left out" in reply["log"]


def test_endless_grandchildren(load: Any) -> None:
    """They keep the log open and must not outlive the request."""
    start = time.monotonic()
    load("import os, time\nif os.fork() == 0:\n    time.sleep(300)\nraise SystemExit\n", wall_s=5)
    assert time.monotonic() - start < 10


@pytest.mark.parametrize("code", ["x = torch.ones(1 << 34)", "x = [torch.ones(1 << 24) for _ in range(1000)]", "x = bytearray(1 << 34)"])
def test_memory(load: Any, code: str) -> None:
    error = load(f"import torch\n{code}\n", memory_mb=256)["error"]
    assert error["code"] == "child_died" and "memory" in error["message"]


def test_noise_stays_in_the_log(load: Any) -> None:
    text = GOOD + "import os, sys\nprint('hello \\u00e9')\nprint('warn', file=sys.stderr)\nos.write(1, b'\\xff\\xfe{}')\n"
    reply = load(text)
    assert reply["result"]["class"] == "Model" and "hello é" in reply["log"] and "warn" in reply["log"]


def test_the_protocol_is_out_of_reach(load: Any) -> None:
    text = "import os\nfor fd in (3, 4):\n    try:\n        os.write(fd, b'garbage')\n    except OSError: pass\n"
    assert load(text + GOOD)["result"]["class"] == "Model"


def test_garbage_in_the_reply_file(load: Any) -> None:
    """Foreign code that finds the file the answer goes to spoils its own answer only."""
    text = """import os
for fd in range(3, 64):
    try:
        if 'memfd' in os.readlink(f'/proc/self/fd/{fd}'):
            os.write(fd, b'\\xff' * 100)
    except OSError: pass
"""
    assert load(text + GOOD)["error"]["code"] == "child_died"


def test_exceptions_name_the_line(load: Any) -> None:
    error = load("import torch\n\nraise ValueError('why')\n")["error"]
    assert (error["code"], error["line"]) == ("bad_input", 3) and "why" in error["message"] and "Traceback" in error["trace"]


@pytest.mark.parametrize("text", ["raise KeyboardInterrupt\n", "import sys\nsys.exit(0)\n", "raise BaseException('odd')\n",
                                  "import sys\nsys.stdout.close()\nsys.stderr.close()\n", "import threading, time\n"
                                  "threading.Thread(target=time.sleep, args=(100,)).start()\n"])
def test_unusual_ends(load: Any, text: str) -> None:
    assert "error" in load(text, wall_s=20)


def test_state_does_not_leak(load: Any) -> None:
    load("import torch\ntorch.relu = None\ntorch.set_default_dtype(torch.float64)\nimport os\nos.environ['X_LEAK'] = '1'\n")
    reply = load("import torch, os\nassert torch.relu and 'X_LEAK' not in os.environ\n" + GOOD)
    assert reply["result"]["inputs"][0]["dtype"] == "float32"


def test_trail(worker: Worker, write: Any, tmp_path: Path) -> None:
    trail = tmp_path / "trail"
    trail.write_bytes(struct.pack("=32sII32s", b"kernel_src", 57, 3, b"DataCopy"))
    path = write("import os\nos.abort()\n")
    error = worker.call("load_reference", {"path": path, "trail": str(trail)})["error"]
    assert error["trail"] == {"file": "kernel_src", "line": 57, "api": "DataCopy", "block": 3}
    trail.write_bytes(bytes(72))
    assert "trail" not in worker.call("load_reference", {"path": path, "trail": str(trail)})["error"]
    assert "trail" not in worker.call("load_reference", {"path": path, "trail": "/nowhere"})["error"]


def test_quit_and_closed_pipe() -> None:
    w = Worker()
    frames.write_frame(w.request, {"id": 1, "method": "quit"})
    assert w.process.wait(20) == 0
    w.process.stdout.close()  # type: ignore[union-attr]
    assert Worker().close() == 0


@pytest.mark.parametrize("data", [b"\xff\xff\xff\xff", struct.pack("<I", 5) + b"hello", struct.pack("<I", 2) + b"[]", b"\x01",
                                  struct.pack("<I", 14) + b'{"blobs":[-1]}', struct.pack("<I", 200) + b'{"id":1}'])
def test_spoiled_requests_end_the_worker(data: bytes) -> None:
    w = Worker()
    w.send(data)
    os.close(w.request)
    assert w.process.wait(20) == 1 and b"worker:" in w.process.stdout.read()  # type: ignore[union-attr]


def test_started_by_hand() -> None:
    r = subprocess.run([sys.executable, str(WORKER)], capture_output=True, text=True, close_fds=True)
    assert r.returncode == 2 and "started by opwright" in r.stderr


def test_without_torch(tmp_path: Path) -> None:
    (tmp_path / "torch").mkdir()
    (tmp_path / "torch" / "__init__.py").write_text("raise ImportError('libtorch.so is missing')\n")
    script = tmp_path / "python"
    script.write_text(f"#!/bin/sh\nPYTHONPATH={tmp_path} exec {sys.executable} \"$@\"\n")
    script.chmod(0o755)
    w = Worker(str(script))
    for method in ("hello", "trace"):
        error = w.call(method)["error"]
        assert error["code"] == "no_python" and "libtorch.so" in error["message"] and "-m pip install torch" in error["hint"]
    assert w.close() == 0


def test_json_that_is_not_ascii(load: Any) -> None:
    assert json.loads(json.dumps(load("# \u4f60\u597d\nraise ValueError('\u9519\u8bef')\n")))["error"]["message"].endswith("错误")
