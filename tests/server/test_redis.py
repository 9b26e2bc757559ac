"""Services and workers that share a queue: a real Redis on a free port of 127.0.0.1, with a folder of its own."""
import collections
import contextlib
import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import threading
import time

import pytest

from conftest import CLI, Service, alive, item, quick, slow, wait_for

SERVER = shutil.which("redis-server")
pytestmark = pytest.mark.skipif(not SERVER or not CLI.exists(), reason="needs redis-server and a built opwright")
PASSWORD = "s3cret/%-word"
CLAIM_S = 1.5


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Redis:
    def __init__(self, tmp):
        self.tmp, self.port, self.process = pathlib.Path(tmp), free_port(), None
        self.start()

    def start(self):
        self.process = subprocess.Popen(
            [SERVER, "--port", str(self.port), "--bind", "127.0.0.1", "--dir", str(self.tmp), "--appendonly", "yes", "--appendfsync", "always",
             "--save", "", "--requirepass", PASSWORD, "--logfile", str(self.tmp / "redis.log")], stdout=subprocess.DEVNULL)
        wait_for(self.answers)

    def answers(self):
        try:
            return self("PING") == b"PONG"
        except (OSError, RuntimeError):
            return False

    def __call__(self, *words):
        """One command; the answer as bytes, a number, None or a list."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=10) as c, c.makefile("rb") as f:
            def read():
                line = f.readline()
                kind, rest = line[:1], line[1:-2]
                if kind == b"-" or not line:
                    raise RuntimeError(rest.decode() or "closed")
                if kind == b"$":
                    return f.read(int(rest) + 2)[:-2] if int(rest) >= 0 else None
                if kind == b"*":
                    return [read() for _ in range(int(rest))]
                return int(rest) if kind == b":" else rest

            for command in (("AUTH", PASSWORD), words):
                parts = [w if isinstance(w, bytes) else str(w).encode() for w in command]
                c.sendall(b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts))
                answer = read()
            return answer

    @property
    def address(self):
        return f"redis://127.0.0.1:{self.port}/0"

    def kill(self):
        self.process.kill()
        self.process.wait()


class Worker:
    def __init__(self, redis, tmp, name, devices="sim:0"):
        self.state = pathlib.Path(tmp) / name
        self.path = pathlib.Path(tmp) / f"{name}.log"
        self.log = open(self.path, "ab")
        self.process = subprocess.Popen(
            [str(CLI), "worker", "--queue", redis.address, "--devices", devices, "--claim-after", str(CLAIM_S), "--state-dir", str(self.state)],
            stderr=self.log, stdout=self.log, env={**os.environ, "OPWRIGHT_QUEUE_PASSWORD": PASSWORD})

    def text(self):
        return self.path.read_text(errors="replace")

    def name(self, device="sim:0"):
        return f"{socket.gethostname()}/{self.process.pid}/{device}"

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            for _ in range(2):
                self.process.send_signal(signal.SIGTERM)
                time.sleep(0.2)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
                raise
        self.log.close()
        assert PASSWORD not in self.text()
        assert "Sanitizer" not in self.text() and "runtime error" not in self.text(), self.text()


class Farm:
    """One Redis, one service, and workers by name."""

    def __init__(self, tmp, stack):
        self.tmp, self.stack = tmp, stack
        self.redis = Redis(tmp)
        stack.callback(self.redis.kill)
        self.service = Service(tmp, "--queue", self.redis.address, env={"OPWRIGHT_QUEUE_PASSWORD": PASSWORD})
        stack.callback(self.service.stop)
        self.workers = {}

    def worker(self, name, devices="sim:0"):
        w = self.workers[name] = Worker(self.redis, self.tmp, name, devices)
        self.stack.callback(w.stop)
        return w

    def ensure(self, *names):
        """These workers run and nobody else holds a job."""
        for name in names:
            if name not in self.workers or self.workers[name].process.poll() is not None:
                self.worker(name)

    def keys(self, pattern):
        return self.redis("KEYS", "opwright:*" + pattern)

    def pending(self):
        return sum(self.redis("XLEN", k) for k in self.keys(":q:*"))

    def holder(self, op):
        """The worker that runs the job of this operator."""
        job = wait_for(lambda: next((j for j in self.service.jobs()["running"] if j["op"] == op), None))
        line = wait_for(lambda: [t for t in self.service.call(f"/jobs/{job['id']}/log")[1].splitlines() if t.endswith(" has it")])[-1]
        return next(w for w in self.workers.values() if f"/{w.process.pid}/" in line)


def post(farm, request):
    out = {}

    def go():
        out["answer"] = farm.service.call("/verify", request, timeout=60)

    t = threading.Thread(target=go)
    t.out = out
    t.start()
    return t


def answer(thread):
    thread.join(60)
    status, body = thread.out["answer"]
    assert status == 200, body
    return body


def verdict(body):
    return body["result"][0].get("verdict")


def judged(body):
    """A worker looked at it; what it thinks of these descriptions is not the matter here."""
    return verdict(body) not in (None, "INFRA_ERROR")


@pytest.fixture(scope="module")
def farm(tmp_path_factory):
    with contextlib.ExitStack() as stack:
        f = Farm(tmp_path_factory.mktemp("farm"), stack)
        f.ensure("a", "b")
        wait_for(lambda: sum(f.redis("ZCARD", k) for k in f.keys(":alive:sim")) == 2)
        yield f


@pytest.fixture(autouse=True)
def nothing_left(farm):
    yield
    wait_for(lambda: farm.pending() == 0, 10)



def test_add_passes_with_its_log(farm):
    with farm.service.open("/verify_stream", item()) as r:
        lines = [json.loads(line) for line in r]
    text = "".join(line["data"] for line in lines if line["type"] == "log")
    assert lines[-1]["type"] == "result" and verdict(lines[-1]) == "PASS", lines[-1]
    assert " has it" in text and "case 1 of" in text, text


def test_many_jobs_over_two_workers(farm):
    n = 80
    batch = {"items": [quick(f"many{i}", no_cache=True, devices=["sim:7"] if i % 2 else None) for i in range(n)]}
    status, answers = farm.service.call("/verify_batch", batch)
    assert status == 200 and [a["op"] for a in answers] == [f"many{i}" for i in range(n)]
    assert all(judged(a) for a in answers)
    logs = [farm.service.call(f"/jobs/{a['job']}/log")[1] for a in answers]
    assert all(log.count(" has it") == 1 for log in logs), "each was run once"
    by = collections.Counter(w for log in logs for w in ("a", "b") if farm.workers[w].name() in log)
    assert by["a"] + by["b"] == n and min(by.values()) > 0, by


def test_jobs_enter_the_queue_in_their_order(farm):
    for w in farm.workers.values():
        w.process.send_signal(signal.SIGSTOP)
    time.sleep(0.6)  # reads that wait are over, or hold one job each
    threads = []
    batch = {"items": [quick(f"order{i}", no_cache=True) for i in range(40)]}
    threads.append(threading.Thread(target=lambda: farm.service.call("/verify_batch", batch)))
    threads[0].start()
    key, = farm.keys(":q:sim")
    wait_for(lambda: farm.redis("XLEN", key) == 40)
    ops = []
    for _, fields in farm.redis("XRANGE", key, "-", "+"):
        body = json.loads(farm.redis("HGET", key.decode().replace(":q:sim", ":job:" + fields[1].decode()), "body"))
        assert "def " in body["kernel_code_text"] or "import" in body["kernel_code_text"], "the sources travel along"
        ops.append(body["request"]["op"])
    for w in farm.workers.values():
        w.process.send_signal(signal.SIGCONT)
    assert ops == [f"order{i}" for i in range(40)]
    threads[0].join(60)


def test_cancel(farm):
    running = [post(farm, slow(f"cancel{i}", 30)) for i in range(2)]
    wait_for(lambda: all(any(j["op"] == f"cancel{i}" for j in farm.service.jobs()["running"]) for i in range(2)))
    for i in range(2):
        farm.holder(f"cancel{i}")
    waiting = post(farm, quick("behind"))
    third = wait_for(lambda: next((j for j in farm.service.jobs()["running"] if j["op"] == "behind"), None))
    assert farm.service.call(f"/jobs/{third['id']}", method="DELETE")[0] == 202
    assert "cancelled while it waited" in answer(waiting)["summary"]
    for job in farm.service.jobs()["running"]:
        assert farm.service.call(f"/jobs/{job['id']}", method="DELETE")[0] == 202
    assert all("cancelled while it ran" in answer(t)["summary"] for t in running)
    start = time.monotonic()
    assert judged(farm.service.call("/verify", quick("after_cancel"))[1])
    assert time.monotonic() - start < 15, "the workers have let go of what was cancelled"


def test_redis_dies_amid_a_job_and_comes_back(farm):
    job = post(farm, slow("outage", 3))
    farm.holder("outage")
    farm.redis.kill()
    late = post(farm, quick("during", no_cache=True))
    time.sleep(1)
    farm.redis.start()
    body = answer(job)
    log = farm.service.call(f"/jobs/{body['job']}/log")[1]
    assert "the queue is away" in log and log.count(" has it") == 1, log
    assert judged(answer(late))


def test_redis_forgets_everything(farm):
    job = post(farm, slow("forgotten", 2))
    farm.holder("forgotten")
    farm.redis("FLUSHALL")
    body = answer(job)
    assert "sending it again" in body["logs"] and judged(body), body
    assert not [k for k in farm.keys(":job:*") if farm.redis("HEXISTS", k, "body")]


def test_worker_dies_and_a_second_result_is_dropped(farm):
    """The first holder is stopped until another has the job and its result, then wakes up with its own."""
    job = post(farm, slow("twice", 1))
    first = farm.holder("twice")
    first.process.send_signal(signal.SIGSTOP)
    body = answer(job)
    assert "attempt 2" in body["logs"] and judged(body), body
    first.process.send_signal(signal.SIGCONT)
    wait_for(lambda: "dropped" in first.text(), 10)
    assert farm.service.job(body["job"])["summary"].split() == body["summary"].split()


def test_long_job_stays_with_its_living_worker(farm):
    body = answer(post(farm, slow("long", 2 * CLAIM_S + 1)))
    assert body["logs"].count(" has it") == 1, body["logs"]


def test_abandoned_jobs_behind_many_living_ones(farm):
    """A made-up worker holds 30 jobs and cares for the first 25: the other five are taken over meanwhile."""
    for w in farm.workers.values():
        w.process.send_signal(signal.SIGSTOP)
    time.sleep(0.6)
    t = threading.Thread(target=lambda: farm.service.call("/verify_batch", {"items": [quick(f"held{i}", no_cache=True) for i in range(30)]}))
    t.start()
    key, = farm.keys(":q:sim")
    wait_for(lambda: farm.redis("XLEN", key) == 30)
    (_, entries), = farm.redis("XREADGROUP", "GROUP", "workers", "ghost", "COUNT", 30, "STREAMS", key, ">")
    ids = [e[0] for e in entries]
    assert len(ids) == 30
    for w in farm.workers.values():
        w.process.send_signal(signal.SIGCONT)

    def left():
        farm.redis("XCLAIM", key, "workers", "ghost", 0, *ids[:25], "JUSTID")
        return {e[0] for e in farm.redis("XRANGE", key, "-", "+")}

    wait_for(lambda: left() == set(ids[:25]), 20, 0.2)
    t.join(60)
    assert not t.is_alive()
    farm.redis("XGROUP", "DELCONSUMER", key, "workers", "ghost")


def test_device_no_worker_has(farm):
    status, body = farm.service.call("/verify", item(devices=["npu:0", "npu:1"]))
    assert status == 400 and "one device" in body["error"]["message"]
    job = post(farm, quick("npu", devices=["npu:3"], no_cache=True))
    number = wait_for(lambda: next((j["id"] for j in farm.service.jobs()["running"] if j["op"] == "npu"), None))
    wait_for(lambda: "no worker for npu:3" in farm.service.call(f"/jobs/{number}/log")[1])
    assert judged(farm.service.call("/verify", quick("beside", no_cache=True))[1])
    farm.service.call(f"/jobs/{number}", method="DELETE")
    answer(job)


def test_poison_job_is_given_up(farm):
    """A job that kills every worker that takes it, and the job behind it that must not suffer."""
    farm.ensure("c", "d")
    job = post(farm, slow("poison", 40))
    for _ in range(3):
        w = farm.holder("poison")
        w.kill()
        number = next(j["id"] for j in farm.service.jobs()["running"] if j["op"] == "poison")
        seen = farm.service.call(f"/jobs/{number}/log")[1].count(" has it")
        if seen < 3:
            wait_for(lambda: farm.service.call(f"/jobs/{number}/log")[1].count(" has it") > seen, 30)
    body = answer(job)
    assert verdict(body) == "INFRA_ERROR" and "given up" in body["summary"], body
    assert body["logs"].count(" has it") == 3
    assert judged(farm.service.call("/verify", quick("healthy", no_cache=True))[1])


def test_worker_ends_in_order(farm):
    """One signal: its job is finished first. Two: the job goes back and another has it at once."""
    farm.ensure("a", "b")
    job = post(farm, slow("handed", 4))
    first = farm.holder("handed")
    for _ in range(2):
        first.process.send_signal(signal.SIGTERM)
        time.sleep(0.2)
    assert first.process.wait(20) == 0
    body = answer(job)
    assert judged(body) and body["logs"].count(" has it") == 2, body["logs"]
    job = post(farm, slow("finished", 1.5))
    last = farm.holder("finished")
    last.process.send_signal(signal.SIGTERM)
    assert answer(job)["logs"].count(" has it") == 1
    assert last.process.wait(20) == 0


@pytest.mark.parametrize("command", ["serve", "worker"])
def test_clear_errors(farm, command, tmp_path):
    def run(url):
        p = subprocess.run([str(CLI), command, "--queue", url, "--state-dir", str(tmp_path)], capture_output=True, text=True, timeout=30)
        assert p.returncode == 2, p
        assert "hunter2" not in p.stderr
        return p.stderr

    assert "no Redis answers" in run(f"redis://:hunter2@127.0.0.1:{free_port()}")
    assert "login refused" in run(f"redis://:hunter2@127.0.0.1:{farm.redis.port}")
    assert "NOAUTH" in run(farm.redis.address)
    assert "TLS" in run("rediss://127.0.0.1")
    for bad in ("http://127.0.0.1", "redis://", "redis://h:0", "redis://h:70000", "redis://h/x", "redis://[::1"):
        assert "form redis://" in run(bad), bad


def test_password_is_seen_nowhere(farm):
    for process in [farm.service.process, *[w.process for w in farm.workers.values()]]:
        if alive(process.pid):
            for name in ("cmdline", "environ"):
                assert PASSWORD.encode() not in pathlib.Path(f"/proc/{process.pid}/{name}").read_bytes()
    assert PASSWORD not in farm.service.text()
