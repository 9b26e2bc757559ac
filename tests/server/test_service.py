"""The protocol as the existing clients speak it (formats, section 3)."""
import json
import os
import re
import subprocess
import threading
import urllib.request

import pytest

from conftest import ADD, CLI, REFERENCE, REJECTED, item, quick, slow, wait_for


def existing_client(service, payload, stream):
    """Posts and reads as the established Python client does: nothing but urllib, line by line."""
    request = urllib.request.Request(url=service.url + ("/verify_stream" if stream else "/verify"), data=json.dumps(payload).encode("utf-8"),
                                     method="POST", headers={"Content-Type": "application/json"})
    with urllib.request.urlopen(request, timeout=600) as response:
        if not stream:
            return json.loads(response.read().decode("utf-8"))
        assert response.headers["Content-Type"] == "application/x-ndjson"
        return [json.loads(line) for line in (raw.decode("utf-8").strip() for raw in response) if line]


def test_verify(shared):
    answer = existing_client(shared, item(), stream=False)
    assert answer["exit_code"] == 0 and answer["reference_path"] == str(REFERENCE) and answer["kernel_code_path"] == str(ADD)
    (result,) = answer["result"]
    assert result["compiled"] is True and result["correctness"] is True and result["verdict"] == "PASS" and result["op"] == "add"
    assert result["backend"] == "sim" and result["performance"] is None
    assert answer["summary"].startswith("PASS add") and "verifying on sim:" in answer["logs"] and "case 5 of 5" in answer["logs"]


def test_stream(shared):
    lines = existing_client(shared, item(no_cache=True), stream=True)
    kinds = [line["type"] for line in lines]
    assert kinds.count("meta") == 1 and kinds.count("result") == 1 and kinds[-1] == "result" and set(kinds) == {"log", "meta", "result"}
    meta = lines[kinds.index("meta")]
    assert meta["op"] == "add" and meta["language"] == "ascendc" and meta["devices"][0].startswith("sim:") and meta["reference_path"] == str(REFERENCE)
    last = lines[-1]
    assert last["exit_code"] == 0 and last["result"][0]["verdict"] == "PASS" and isinstance(last["summary"], str)
    assert last["kernel_code_path"] == str(ADD)
    assert all(line["data"].endswith("\n") for line in lines if line["type"] == "log")


def test_what_is_not_modelled_is_neither_pass_nor_fail(shared):
    answer = existing_client(shared, item("gap", REJECTED.parent / "not_modelled.py"), stream=False)
    (result,) = answer["result"]
    assert answer["exit_code"] == 1 and result["verdict"] == "NOT_MODELLED" and result["correctness"] is False
    assert answer["summary"].startswith("NOT_MODELLED gap") and any(c.get("not_modelled") for c in result["checks"])


def test_stream_comes_as_it_happens(shared, tmp_path):
    """The first lines arrive while the job still runs."""
    mark = tmp_path / "mark"
    with shared.open("/verify_stream", slow("live", 3, mark)) as response:
        first = json.loads(response.readline())
        assert "verifying on" in first["data"] or "waiting" in first["data"]
        number = json.loads(response.readline())["job"]
        assert shared.job(number)["state"] == "running"
        rest = [json.loads(line) for line in response]
    assert rest[-1]["type"] == "result"


def test_batch_keeps_the_order(shared):
    names = [f"op_{i}" for i in range(12)]
    status, answers = shared.call("/verify_batch", {"items": [quick(n) for n in names]})
    assert status == 200 and [a["op"] for a in answers] == names
    for a in answers:
        assert a["exit_code"] == 1 and a["result"][0]["op"] == a["op"] and a["result"][0]["verdict"] == "REJECTED" and a["summary"].startswith("REJECTED")
    assert shared.call("/verify_batch", {"items": []}) == (200, [])


def test_sources_in_the_request(shared):
    status, answer = shared.call("/verify", {"op": "add", "reference_src": REFERENCE.read_text(), "kernel_code_src": ADD.read_text(), "standard": "ecosystem"})
    assert status == 200 and answer["exit_code"] == 0, answer
    assert answer["result"][0]["standard"] == "ecosystem" and answer["reference_path"] == "add_torch_reference.py"
    assert answer["kernel_code_path"] == "add.py"


def test_broken_reference_is_answered(shared):
    """Nothing to judge is still the usual form, with exit code 2 and no verdict."""
    status, answer = shared.call("/verify", item(reference=REFERENCE.parent / "raises.py"))
    (result,) = answer["result"]
    assert status == 200 and answer["exit_code"] == 2 and result["verdict"] is None and result["compiled"] is False
    assert "raises.py" in result["error_message"]


def test_missing_file(shared):
    status, answer = shared.call("/verify", item(kernel="/nowhere/add.py"))
    assert status == 200 and answer["exit_code"] == 2 and "kernel_code_path: cannot read /nowhere/add.py" in answer["result"][0]["error_message"]
    status, answers = shared.call("/verify_batch", {"items": [quick("good"), item("bad", kernel="/nowhere/add.py")]})
    assert status == 200 and [a["exit_code"] for a in answers] == [1, 2]


def test_cache(shared):
    request = quick("cached", kernel_code_src="not a description\n")
    _, first = shared.call("/verify", request)
    _, second = shared.call("/verify", request)
    assert first["cached"] is False and second["cached"] is True and first["result"] == second["result"] and first["summary"] == second["summary"]
    assert "from the cache" in second["logs"]
    _, third = shared.call("/verify", {**request, "no_cache": True})
    assert third["cached"] is False
    for change in ({"kernel_code_src": "not a description \n"}, {"op": "other"}, {"chip": "Ascend910B3"}, {"standard": "ecosystem"},
                   {"strict": True}, {"exact": True}, {"schedule": "lazy"}, {"toolchain": "none"}):
        assert shared.call("/verify", {**request, **change})[1].get("cached") is False, change


def test_a_changed_file_is_not_answered_from_the_cache(shared, tmp_path):
    path = tmp_path / "desc.py"
    path.write_text("x = 1\n")
    assert shared.call("/verify", item(kernel=path))[1]["cached"] is False
    assert shared.call("/verify", item(kernel=path))[1]["cached"] is True
    path.write_text("x = 2\n")
    assert shared.call("/verify", item(kernel=path))[1]["cached"] is False


def test_imported_modules_are_part_of_the_key(shared, tmp_path):
    (tmp_path / "pack" / "deep").mkdir(parents=True)
    files = {"pack/__init__.py": "", "pack/deep/part.py": "A = 1\n", "direct.py": "import math, indirect as i\n", "indirect.py": "try: import last\nexcept ImportError: pass\n",
             "last.py": "B = 1\n", "dynamic.py": "C = 1\n", "unrelated.py": "D = 1\n", "loop.py": "import loop, desc\n"}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    path = tmp_path / "desc.py"
    path.write_text("import os, loop, \\\n  not_there\nif 1:\n    from pack.deep import part\nfrom direct import i\nimport importlib; importlib.import_module('dynamic')\n")

    def cached():
        return shared.call("/verify", item("imports", kernel=path))[1]["cached"]

    assert [cached(), cached()] == [False, True]
    for name in ("pack/__init__.py", "pack/deep/part.py", "direct.py", "indirect.py", "last.py", "dynamic.py", "loop.py"):
        (tmp_path / name).write_text(files[name] + "# changed\n")
        assert [cached(), cached()] == [False, True], name
    (tmp_path / "unrelated.py").write_text("D = 2\n")
    assert cached()
    (tmp_path / "not_there.py").write_text("")
    assert not cached()
    reference = tmp_path / "ref.py"
    reference.write_text("import last\n" + REFERENCE.read_text())
    body = item("imports", reference=reference, kernel=REJECTED)
    assert [shared.call("/verify", body)[1]["cached"] for _ in range(2)] == [False, True]
    (tmp_path / "last.py").write_text("B = 3\n")
    assert shared.call("/verify", body)[1]["cached"] is False


def test_identical_requests_run_once(shared, tmp_path):
    mark = tmp_path / "mark"
    request = slow("twin", 1.5, mark)
    answers = []
    threads = [threading.Thread(target=lambda: answers.append(shared.call("/verify", request)[1])) for _ in range(6)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(answers) == 6 and sum(not a["cached"] for a in answers) == 1
    assert mark.read_text() == "twin\n"


def test_fifo_with_places(serve, tmp_path):
    """One device: jobs start in the order of their arrival, and each is told every change of its place."""
    s = serve("--devices", "sim:0").when_warm()
    mark = tmp_path / "mark"
    streams = []
    for i in range(4):
        r = s.open("/verify_stream", slow(f"job{i}", 0.7, mark))
        r.first = r.readline()
        streams.append(r)
    logs = [[json.loads(line) for line in [r.first, *r]] for r in streams]
    assert mark.read_text().split() == [f"job{i}" for i in range(4)]
    places = [[int(m.group(1)) for line in lines if (m := re.match(r"waiting: (\d+) operators? ahead", line.get("data", "")))] for lines in logs]
    assert places == [[], [0], [1, 0], [2, 1, 0]]


def test_named_devices(serve, tmp_path):
    """A job that names a device waits for it; a later one takes the free device meanwhile."""
    s = serve("--devices", "sim:0,sim:1").when_warm()
    mark = tmp_path / "mark"
    threads, seen = [], {}

    def go(name, devices, seconds):
        seen[name] = s.call("/verify", slow(name, seconds, mark, devices=devices))[1]

    for name, devices, seconds in (("a", ["sim:0"], 6), ("b", ["sim:0"], 0.1), ("c", None, 0.1), ("d", "sim:1", 0.1), ("both", ["sim:1", "sim:0"], 0.1)):
        threads.append(threading.Thread(target=go, args=(name, devices, seconds)))
        threads[-1].start()
        wait_for(lambda: mark.exists() and sum(len(v) for v in s.jobs().values()) == len(threads))
    for t in threads:
        t.join()
    order = mark.read_text().split()
    assert order[0] == "a" and set(order[1:3]) == {"c", "d"} and order[3:] == ["b", "both"]
    assert "verifying on sim:0\n" in seen["b"]["logs"] and "verifying on sim:1\n" in seen["c"]["logs"] and "sim:0, sim:1" in seen["both"]["logs"]


def test_npu_names_of_old_scripts(shared):
    """Without an NPU the simulated core stands in, and that is said in the log and in the result."""
    for name in ("npu:1", "1", "NPU: 1"):
        _, answer = shared.call("/verify", quick("npu", devices=[name], no_cache=True))
        assert "npu:1 is not here: sim:1, a simulated AI Core, stands in for it" in answer["logs"], answer
        assert answer["result"][0]["backend"] == "sim"
    status, answer = shared.call("/verify", quick("npu", devices=["sim:7"]))
    assert status == 400 and answer["error"]["field"] == "devices" and "sim:0, sim:1" in answer["detail"]


def test_device_pool_from_the_environment(serve):
    s = serve(env={"ASCEND_VERIFY_DEVICE_POOL": "sim:3, sim:1", "ASCEND_VERIFY_MAX_INFLIGHT": "1"})
    health = s.health()
    assert [d["name"] for d in health["devices"]] == ["sim:3", "sim:1"] and health["max_inflight"] == 1
    run = subprocess.run([str(CLI), "serve", "--port", "0"], env={**os.environ, "ASCEND_VERIFY_DEVICE_POOL": "npu:0", "XDG_STATE_HOME": str(s.tmp / "x")},
                         capture_output=True, text=True)
    assert run.returncode == 3 and "npu:0" in run.stderr and "--devices" in run.stderr


def test_two_hundred_at_once(shared):
    """Nothing is lost, nothing done twice, every answer belongs to its request."""
    before = shared.call("/jobs")[1]
    answers = {}
    lock = threading.Lock()

    def go(i):
        if i % 2:
            answer = shared.call("/verify", quick(f"many_{i}"), timeout=300)[1]
        else:
            answer = existing_client(shared, quick(f"many_{i}"), stream=True)[-1]
        with lock:
            assert i not in answers
            answers[i] = answer

    threads = [threading.Thread(target=go, args=(i,)) for i in range(200)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len(answers) == 200
    for i, a in answers.items():
        assert a["exit_code"] == 1 and a["result"][0]["op"] == f"many_{i}" and a["summary"].startswith(f"REJECTED many_{i}:"), a
    numbers = [a["job"] for a in answers.values()]
    assert len(set(numbers)) == 200
    jobs = shared.jobs()
    assert not jobs["queued"] and not jobs["running"] and before is not None


def test_jobs(shared):
    _, answer = shared.call("/verify", quick("listed"))
    newest = shared.jobs()["finished"][0]
    assert newest["id"] == answer["job"] and newest["op"] == "listed" and newest["verdict"] == "REJECTED" and newest["state"] == "done" and newest["errors"]
    job = shared.job(answer["job"])
    assert job["result"] == answer["result"] and job["request"]["op"] == "listed" and job["logs"] == answer["logs"]
    assert shared.call(f"/jobs/{answer['job']}/log")[1] == answer["logs"]
    assert shared.call(f"/jobs/{answer['job']}/log?follow=1&from=3")[1] == answer["logs"][3:]
    for path in ("/jobs/999999", "/jobs/x", "/jobs/-1", "/jobs/1x", "/jobs/"):
        assert shared.call(path)[0] == 404, path


def test_health(shared):
    h = shared.when_warm().health()
    assert h["status"] == "ok" and re.fullmatch(r"\d+\.\d+\.\d+", h["version"]) and h["backends"] == ["sim"] and h["cage"]
    assert [d["name"] for d in h["devices"]] == ["sim:0", "sim:1"] and all("PyTorch" in d["python"] for d in h["devices"])


def test_metrics(shared):
    shared.call("/verify", quick("metrics", no_cache=True))
    status, text = shared.call("/metrics")
    assert status == 200
    values = {}
    for line in text.splitlines():
        assert line.startswith(("# HELP opwright_", "# TYPE opwright_")) or re.fullmatch(r'opwright_\w+(\{\w+="[^"]*"\})? [-+0-9.e]+', line), line
        if not line.startswith("#"):
            values[line.rsplit(" ", 1)[0]] = float(line.rsplit(" ", 1)[1])
    assert values['opwright_jobs_total{verdict="REJECTED"}'] > 0 and values["opwright_devices"] == 2 and values["opwright_queue_length"] == 0
    buckets = [v for k, v in values.items() if k.startswith("opwright_job_seconds_bucket")]
    assert buckets == sorted(buckets) and buckets[-1] == values["opwright_job_seconds_count"]


def stand_in(tmp_path):
    """Environment with the stand-in for the vendor's toolkit and two devices (tests/cann/README.md)."""
    here = ADD.parents[2] / "tests" / "cann"
    dev = tmp_path / "dev"
    dev.mkdir()
    for name in ("davinci0", "davinci3", "davinci_manager"):
        (dev / name).touch()
    return {"OPWRIGHT_DEV_DIR": str(dev), "OPWRIGHT_NPU_HELPER": str(here / "pytorch_npu_helper.hpp"), "ASCEND_TOOLKIT_HOME": str(here),
            "PYTHONPATH": str(here / "python"), "PATH": f"{here / 'bin'}:{os.environ['PATH']}"}


def test_npus(serve, tmp_path):
    """With NPUs the pool is theirs, and their results are not those of the simulated core."""
    env = stand_in(tmp_path)
    s = serve(env=env)
    health = s.health()
    assert [d["name"] for d in health["devices"]] == ["npu:0", "npu:3"] and health["backends"] == ["cann"]
    status, answer = s.call("/verify", item(devices=["npu:0"]))
    result = answer["result"][0]
    assert status == 200 and answer["exit_code"] == 0 and result["backend"] == "cann" and result["performance"]["mean"] > 0, answer
    assert "verifying on npu:0" in answer["logs"]
    assert s.call("/verify", item())[1]["cached"] is True, "the same kind of device"
    status, answer = s.call("/verify", item(devices=["npu:1"]))
    assert status == 400 and "npu:0, npu:3" in answer["detail"]
    s.terminate()
    s.options = ("--devices", "sim:0,npu:0")
    s.start()
    assert s.health()["backends"] == ["sim", "cann"]
    answer = s.call("/verify", item())[1]
    assert answer["cached"] is False and answer["result"][0]["backend"] == "sim", "a job that names no device goes to the first one's kind"
    assert s.call("/verify", item(devices=["npu:0"]))[1]["cached"] is True
    status, answer = s.call("/verify", item(devices=["npu:0", "sim:0"]))
    assert status == 400 and "NPUs and simulated" in answer["detail"]
