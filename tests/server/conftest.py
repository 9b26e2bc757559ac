"""A service of its own for each test that asks for one, on 127.0.0.1 and a free port, and a client made of urllib alone."""
import contextlib
import json
import os
import pathlib
import signal
import subprocess
import time
import urllib.error
import urllib.request

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CLI = pathlib.Path(os.environ.get("OPWRIGHT_CLI", ROOT / "build" / "opwright"))
REFERENCE = ROOT / "tests" / "verify" / "references" / "sum.py"
ADD = ROOT / "examples" / "handwritten" / "add.py"
REJECTED = ROOT / "tests" / "verify" / "descriptions" / "torch_fallback.py"

collect_ignore = [] if CLI.exists() else ["test_service.py", "test_limits.py", "test_life.py", "test_client.py", "test_dashboard.py", "test_cann.py", "test_cage.py"]


def pytest_configure(config):
    config.addinivalue_line("markers", "slow: takes long, or needs what is seldom installed")


def alive(pid):
    try:
        with open(f"/proc/{pid}/stat") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_for(what, limit_s=60, step_s=0.02):
    """Value of what() as soon as it is true."""
    end = time.monotonic() + limit_s
    while True:
        value = what()
        if value:
            return value
        assert time.monotonic() < end, "did not happen in time"
        time.sleep(step_s)


class Service:
    def __init__(self, tmp, *options, env=None):
        self.tmp, self.options = pathlib.Path(tmp), options
        # Descriptions of these tests leave marks in the test's own folder, which the full cage forbids; the filter stays on.
        self.env = {**os.environ, "OPWRIGHT_CAGE": "filter", **(env or {})}
        self.env.pop("ASCEND_VERIFY_DEVICE_POOL", None) if not env else None
        self.process = None
        self.start()

    def start(self):
        port_file = self.tmp / "port"
        port_file.unlink(missing_ok=True)
        self.log = open(self.tmp / "log", "ab")
        self.process = subprocess.Popen(
            [str(CLI), "serve", "--port", "0", "--port-file", str(port_file), "--state-dir", str(self.tmp / "state"), *self.options],
            stderr=self.log, stdout=self.log, env=self.env)
        wait_for(lambda: port_file.exists() or self.process.poll() is not None)
        assert self.process.poll() is None, self.text()
        self.port = int(port_file.read_text())

    def text(self):
        return (self.tmp / "log").read_text(errors="replace")

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def open(self, path, data=None, method=None, headers=None, timeout=120):
        if data is not None and not isinstance(data, bytes):
            data = json.dumps(data).encode("utf-8")
        request = urllib.request.Request(self.url + path, data=data, method=method or ("POST" if data is not None else "GET"),
                                         headers={"Content-Type": "application/json", **(headers or {})})
        return urllib.request.urlopen(request, timeout=timeout)

    def call(self, path, data=None, method=None, headers=None, timeout=120):
        """Status and decoded JSON (or text), also for errors."""
        try:
            with self.open(path, data, method, headers, timeout) as r:
                status, body, kind = r.status, r.read(), r.headers["Content-Type"]
        except urllib.error.HTTPError as e:
            with e:
                status, body, kind = e.code, e.read(), e.headers["Content-Type"]
        text = body.decode("utf-8")
        return status, json.loads(text) if kind == "application/json" and text else text

    def health(self):
        return self.call("/healthz")[1]

    def jobs(self):
        return self.call("/jobs")[1]

    def job(self, number):
        return self.call(f"/jobs/{number}")[1]

    def when_finished(self, number, limit_s=60):
        return wait_for(lambda: (lambda j: j if j["state"] not in ("queued", "running") else None)(self.job(number)), limit_s)

    def when_warm(self, limit_s=120):
        wait_for(lambda: all(d["warm"] for d in self.health()["devices"]), limit_s, 0.1)
        return self

    def kill(self):
        self.process.kill()
        self.process.wait()

    def terminate(self, limit_s=60):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(limit_s)

    def stop(self):
        for _ in range(2):
            if self.process.poll() is None:
                self.process.send_signal(signal.SIGTERM)
                time.sleep(0.1)
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.kill()
            raise
        finally:
            self.log.close()
        text = self.text()
        assert "AddressSanitizer" not in text and "runtime error" not in text and "LeakSanitizer" not in text, text


@pytest.fixture
def serve(tmp_path):
    """serve(options...) starts a service; it is ended with the test."""
    with contextlib.ExitStack() as stack:
        def start(*options, env=None, tmp=None):
            service = Service(tmp or tmp_path, *options, env=env)
            stack.callback(service.stop)
            return service
        yield start


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    """One service for the tests of a file that leave it as it was."""
    service = Service(tmp_path_factory.mktemp("service"), "--devices", "sim:0,sim:1")
    yield service
    service.stop()


def item(op="add", kernel=ADD, reference=REFERENCE, **more):
    """A request as the existing client sends it."""
    return {"op": op, "reference_path": str(reference), "kernel_code_path": str(kernel), "language": "ascendc", "devices": None, **more}


def quick(op, **more):
    """Done in a moment: a static rule is broken."""
    return item(op, kernel=REJECTED, **more)


def slow(op, seconds, mark=None, **more):
    """Takes a while: the description sleeps when it is read. Each has its own text, so that none answers for another."""
    note = f"open({str(mark)!r}, 'a').write('{op}\\n')\n" if mark else ""
    return {"op": op, "reference_path": str(REFERENCE), "kernel_code_src": f"# {op}\n{note}import time\ntime.sleep({seconds})\n", **more}
