"""Deaths and departures: clients, workers, the service itself."""
import json
import os
import signal
import socket
import subprocess
import threading
import time

import pytest

from conftest import CLI, alive, item, quick, slow, wait_for


def in_background(service, request, path="/verify"):
    out = {}

    def go():
        try:
            out["status"], out["answer"] = service.call(path, request, timeout=120)
        except OSError as e:
            out["error"] = e

    t = threading.Thread(target=go)
    t.out = out
    t.start()
    return t


def running(service, n=1):
    return wait_for(lambda: (lambda r: r if len(r) == n else None)(service.jobs()["running"]))


def worker_pid(service):
    return service.health()["devices"][0]["pid"]


def session_members(pid):
    """Processes of the worker's session and what descends from them."""
    rows = {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as f:
                    state, parent, _, session = f.read().rsplit(")", 1)[1].split()[:4]
            except OSError:
                continue
            if state != "Z":
                rows[int(name)] = (int(parent), int(session))
    found = {p for p, (_, session) in rows.items() if session == pid}
    while more := {p for p, (parent, _) in rows.items() if parent in found and p not in found}:
        found |= more
    return found


def test_client_leaves_amid_a_stream(serve, tmp_path):
    s = serve("--devices", "sim:0").when_warm()
    body = json.dumps(slow("left", 1.5)).encode()
    with socket.create_connection(("127.0.0.1", s.port)) as c:
        c.sendall(b"POST /verify_stream HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
        assert b"200" in c.recv(100)
        c.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")  # leave with a reset
    (job,) = running(s)
    assert s.when_finished(job["id"])["state"] == "done", "the job goes on without its client"
    assert s.call("/verify", quick("after"))[0] == 200


def test_many_clients_leave(serve):
    s = serve("--devices", "sim:0").when_warm()
    for i in range(30):
        body = json.dumps(slow(f"gone{i}", 0.01)).encode()
        c = socket.create_connection(("127.0.0.1", s.port))
        path = b"/verify" if i % 2 else b"/verify_stream"
        c.sendall(b"POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n" % (path, len(body)) + body)
        if i % 3:
            time.sleep(0.01)
        c.close()
    wait_for(lambda: not s.jobs()["queued"] and not s.jobs()["running"])
    assert s.call("/verify", quick("after"))[0] == 200


def test_cancel(serve, tmp_path):
    s = serve("--devices", "sim:0").when_warm()
    first = in_background(s, slow("first", 60, tmp_path / "mark"))
    wait_for((tmp_path / "mark").exists)
    (job,) = running(s)
    second = in_background(s, slow("second", 60), "/verify")
    waiting = wait_for(lambda: s.jobs()["queued"])[0]
    third = in_background(s, quick("third"))
    wait_for(lambda: len(s.jobs()["queued"]) == 2)
    members = session_members(worker_pid(s))
    assert len(members) >= 3, "the service's worker, the Python worker, its child"
    assert s.call(f"/jobs/{waiting['id']}", method="DELETE") == (202, {"id": waiting["id"], "cancelled": True})
    second.join(10)
    assert s.call(f"/jobs/{job['id']}", method="DELETE")[0] == 202
    first.join(10)
    third.join(60)
    for t, when in ((first, "ran"), (second, "waited")):
        answer = t.out["answer"]
        assert answer["exit_code"] == 3 and answer["result"][0]["verdict"] == "INFRA_ERROR" and f"cancelled while it {when}" in answer["summary"]
    assert third.out["answer"]["exit_code"] == 1
    assert not [p for p in members if alive(p)], "nothing of the cancelled job is left"
    assert s.job(job["id"])["state"] == "cancelled"
    s.when_warm()
    assert s.call(f"/jobs/{job['id']}", method="DELETE")[0] == 409 and s.call("/jobs/12345", method="DELETE")[0] == 404


def test_worker_dies_once(serve, tmp_path):
    s = serve("--devices", "sim:0").when_warm()
    mark = tmp_path / "mark"
    t = in_background(s, slow("once", 1.5, mark))
    wait_for(mark.exists)
    members = session_members(worker_pid(s))
    os.kill(worker_pid(s), signal.SIGKILL)
    t.join(60)
    answer = t.out["answer"]
    assert answer["result"][0]["verdict"] == "FAIL" and "was killed by signal 9" in answer["logs"] and "trying once more" in answer["logs"]
    assert mark.read_text() == "once\nonce\n" and not [p for p in members if alive(p)]


def test_worker_dies_each_time(serve, tmp_path):
    s = serve("--devices", "sim:0").when_warm()
    mark = tmp_path / "mark"
    t = in_background(s, slow("twice", 30, mark))
    for i in range(2):
        wait_for(lambda: mark.exists() and mark.read_text().count("twice") == i + 1)
        os.kill(worker_pid(s), signal.SIGKILL)
    t.join(60)
    answer = t.out["answer"]
    assert answer["exit_code"] == 3 and answer["result"][0]["verdict"] == "INFRA_ERROR" and "and so did the one before it" in answer["result"][0]["error_message"]
    assert s.call("/verify", quick("after"))[1]["exit_code"] == 1
    text = s.call("/metrics")[1]
    assert "opwright_worker_restarts_total 2" in text


def test_idle_worker_dies(serve):
    s = serve("--devices", "sim:0").when_warm()
    old = worker_pid(s)
    os.kill(old, signal.SIGKILL)
    wait_for(lambda: worker_pid(s) not in (0, old))
    s.when_warm()
    answer = s.call("/verify", quick("after"))[1]
    assert answer["exit_code"] == 1 and "killed" not in answer["logs"]


def test_job_limit(serve):
    s = serve("--devices", "sim:0", "--job-limit", "2").when_warm()
    members = session_members(worker_pid(s))
    answer = s.call("/verify", slow("endless", 100))[1]
    assert answer["exit_code"] == 3 and answer["result"][0]["verdict"] == "INFRA_ERROR" and "not done within 2 s" in answer["result"][0]["error_message"]
    wait_for(lambda: worker_pid(s) not in members | {0})
    s.when_warm()
    assert not [p for p in members if alive(p)]


def test_stage_limit(serve):
    s = serve("--devices", "sim:0", "--time-limit", "2").when_warm()
    request = slow("endless", 100)
    answer = s.call("/verify", request)[1]
    assert answer["exit_code"] == 1 and answer["result"][0]["verdict"] == "FAIL"


@pytest.mark.parametrize("stage", ["load", "build", "run"])
def test_service_killed_and_restarted(serve, tmp_path, stage):
    """Killed while a job is at a stage and another waits: the one is reported as aborted, the other runs again."""
    s = serve("--devices", "sim:0").when_warm()
    mark = tmp_path / "mark"
    if stage == "load":
        request = slow("cut", 60, mark)
    else:
        request = item("cut", no_cache=True)
    first = in_background(s, request)
    (job,) = running(s)
    second = in_background(s, slow("waits", 0.1))
    wait_for(lambda: s.jobs()["queued"])
    number = s.jobs()["queued"][0]["id"]
    if stage == "load":
        wait_for(mark.exists)
    if stage == "run":
        wait_for(lambda: "build: done" in s.call(f"/jobs/{job['id']}/log")[1], step_s=0.005)
    members = session_members(worker_pid(s)) | {worker_pid(s)}
    s.kill()
    first.join(10)
    second.join(10)
    assert "error" in first.out and "error" in second.out, "clients see the connection end"
    wait_for(lambda: not [p for p in members if alive(p)], 10)
    s.start()
    aborted = s.when_finished(job["id"])
    if stage != "run" or aborted["state"] != "done":
        assert aborted["state"] == "aborted" and aborted["verdict"] == "INFRA_ERROR" and "ended while this job ran" in aborted["summary"]
    again = s.when_finished(number)
    assert again["state"] == "done" and again["op"] == "waits" and "restarted while this job waited" in again["logs"]
    assert s.call("/verify", quick("next"))[1]["job"] > number, "numbers go on"


def test_results_and_cache_survive(serve):
    s = serve("--devices", "sim:0").when_warm()
    _, answer = s.call("/verify", quick("kept"))
    assert s.terminate() == 0
    s.start()
    assert s.job(answer["job"])["result"] == answer["result"]
    assert s.jobs()["finished"][0]["op"] == "kept"
    assert s.call("/verify", quick("kept"))[1]["cached"] is True


def test_damaged_records(serve):
    s = serve("--devices", "sim:0")
    s.kill()
    live = s.tmp / "state" / "live"
    for name, text in (("00000007.json", "{"), ("00000008.json", '{"id":8}'), ("00000009.json", '{"id":9,"request":{"op":3},"state":"queued","key":"x"}'), ("x.json", "{}"),
                       (".00000010.tmp", "{"), ("00000011.json", "[]")):
        (live / name).write_text(text)
    s.start()
    assert s.jobs() == {"queued": [], "running": [], "finished": []}
    assert s.when_warm().call("/verify", quick("x"))[1]["job"] == 12


def test_drain(serve):
    """SIGTERM: what was accepted is finished, nothing new is taken."""
    s = serve("--devices", "sim:0").when_warm()
    threads = [in_background(s, slow(f"last{i}", 1.5)) for i in range(2)]
    wait_for(lambda: len(s.jobs()["queued"]) == 1)
    s.process.send_signal(signal.SIGTERM)
    wait_for(lambda: s.health()["status"] == "draining")
    status, answer = s.call("/verify", quick("late"))
    assert status == 503 and answer["error"]["code"] == "closing"
    for t in threads:
        t.join(60)
        assert t.out["status"] == 200 and t.out["answer"]["result"][0]["verdict"] == "FAIL"
    assert s.process.wait(20) == 0


def test_second_signal_stops(serve):
    s = serve("--devices", "sim:0").when_warm()
    ran = in_background(s, slow("ran", 60))
    running(s)
    with s.open("/verify_stream", slow("streams", 0.1)) as stream:
        stream.readline()
        waited = in_background(s, slow("waited", 0.1))
        wait_for(lambda: len(s.jobs()["queued"]) == 2)
        members = session_members(worker_pid(s))
        for _ in range(2):
            s.process.send_signal(signal.SIGTERM)
            time.sleep(0.3)
        assert s.process.wait(20) == 0
        last = [json.loads(line) for line in stream][-1]
    assert last["type"] == "error" and "stopping" in last["message"]
    ran.join(10)
    waited.join(10)
    assert ran.out["answer"]["result"][0]["verdict"] == "INFRA_ERROR" and "was stopped while this job ran" in ran.out["answer"]["summary"]
    assert waited.out["status"] == 503
    assert not [p for p in members if alive(p)]
    s.start()
    jobs = wait_for(lambda: (lambda j: j if len(j["finished"]) == 3 else None)(s.jobs()))
    assert {j["op"]: j["state"] for j in jobs["finished"]} == {"ran": "aborted", "streams": "done", "waited": "done"}


def test_one_service_for_one_state_folder(serve):
    s = serve("--devices", "sim:0")
    run = subprocess.run([str(CLI), "serve", "--port", "0", "--state-dir", str(s.tmp / "state")], capture_output=True, text=True, timeout=30)
    assert run.returncode == 2 and "another service" in run.stderr and "--state-dir" in run.stderr


def test_port_in_use(serve, tmp_path):
    s = serve("--devices", "sim:0")
    run = subprocess.run([str(CLI), "serve", "--port", str(s.port), "--state-dir", str(tmp_path / "other")], capture_output=True, text=True, timeout=30)
    assert run.returncode == 2 and "cannot listen" in run.stderr


def test_no_python(serve):
    """Without PyTorch the service stands, says so, and every job gets an answer."""
    s = serve("--devices", "sim:0", env={"OPWRIGHT_PYTHON": "/bin/false"})
    answer = s.call("/verify", quick("x"))[1]
    assert answer["exit_code"] == 2 and answer["result"][0]["verdict"] is None and "Python" in answer["result"][0]["error_message"]
    device = s.health()["devices"][0]
    assert device["warm"] is False and device["python"]


def test_nothing_is_left_behind(serve):
    s = serve("--devices", "sim:0").when_warm()
    s.call("/verify", item())
    with_worker = session_members(worker_pid(s))
    assert s.terminate() == 0
    assert not [p for p in with_worker if alive(p)]
    assert not list((s.tmp / "state" / "live").iterdir())
    assert not (s.tmp / "state" / "tmp").exists() or not list((s.tmp / "state" / "tmp").iterdir())


def test_both_records_of_a_job(serve, tmp_path):
    """A service killed in the moment after a job finished leaves both its records; one that lost power may have cut the newer one off."""
    s = serve("--devices", "sim:0").when_warm()
    for name in ("whole", "cut"):
        assert s.call("/verify", quick(name))[1]["exit_code"] == 1
    wait_for(lambda: not os.listdir(tmp_path / "state" / "live"))
    s.kill()
    for number in (1, 2):
        record = json.loads((tmp_path / "state" / "jobs" / f"{number:08}.json").read_text())
        for key in ("result", "exit_code", "verdict", "finished_at", "took_s"):
            record.pop(key)
        (tmp_path / "state" / "live" / f"{number:08}.json").write_text(json.dumps({**record, "state": "queued", "stage": "waiting"}))
    (tmp_path / "state" / "jobs" / "00000002.json").write_text("")
    s.start()
    assert s.when_finished(2)["op"] == "cut" and s.job(1)["op"] == "whole"
    assert "restarted" in s.job(2)["logs"] and "restarted" not in s.job(1)["logs"], "one is done, the other runs again"
    assert sorted(j["id"] for j in s.jobs()["finished"]) == [1, 2]
    wait_for(lambda: not os.listdir(tmp_path / "state" / "live"))
    assert "job 2" in s.text()


def test_memory_goes_back(serve):
    s = serve("--devices", "sim:0", "--queue-limit", "2000").when_warm()

    def resident_mb():
        with open(f"/proc/{s.process.pid}/status") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmRSS")) / 1024

    before = resident_mb()
    batch = in_background(s, {"items": [slow(f"m{i}", 60) for i in range(1000)]}, "/verify_batch")
    wait_for(lambda: len(s.jobs()["queued"]) == 999)
    assert os.environ.get("OPWRIGHT_SANITIZED") or resident_mb() < before + 30, "each of them is small"
    for j in reversed(s.jobs()["queued"]):
        s.call(f"/jobs/{j['id']}", method="DELETE")
    s.call("/jobs/1", method="DELETE")
    batch.join()
    assert [a["exit_code"] for a in batch.out["answer"]] == [3] * 1000
    if not os.environ.get("OPWRIGHT_SANITIZED"):
        wait_for(lambda: resident_mb() < before + 10, 30, 0.5)
