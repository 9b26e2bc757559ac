"""What the service refuses, and how it says so."""
import json
import os
import socket
import subprocess
import threading
import time
import urllib.error

import pytest

from conftest import ADD, CLI, REFERENCE, item, quick, slow, wait_for

PATHS = {"reference_path": "/r.py", "kernel_code_path": "/k.py"}


@pytest.mark.parametrize("body, field", [
    (b"", "body"), (b"{", "body"), (b'{"op":"a"} x', "body"), (b"\xff\xfe", "body"), (b"[1]", "body"), (b"null", "body"), (b"7", "body"),
    (b'{"op": "a\\u0000b"}', "body"), (b"[" * 100000, "body"), ({}, "op"), ({"op": None, **PATHS}, "op"), ({"op": 7, **PATHS}, "op"),
    ({"op": "", **PATHS}, "op"), ({"op": "a\nb", **PATHS}, "op"), ({"op": "x" * 201, **PATHS}, "op"), ({"op": "a"}, "reference_path"),
    ({"op": "a", "reference_path": "/r.py"}, "kernel_code_path"), ({"op": "a", **PATHS, "reference_path": ["/r.py"]}, "reference_path"),
    ({"op": "a", **PATHS, "kernel_code_src": 1}, "kernel_code_src"), ({"op": "a", **PATHS, "kernel_code_src": ""}, "kernel_code_src"),
    ({"op": "a", **PATHS, "reference_path": "/" + "x" * 5000}, "reference_path"), ({"op": "a", **PATHS, "language": "cuda"}, "language"),
    ({"op": "a", **PATHS, "devices": 3}, "devices"), ({"op": "a", **PATHS, "devices": [3]}, "devices[0]"),
    ({"op": "a", **PATHS, "devices": ["sim:0", "gpu:1"]}, "devices[1]"), ({"op": "a", **PATHS, "devices": ["sim:-1"]}, "devices[0]"),
    ({"op": "a", **PATHS, "no_cache": "yes"}, "no_cache"), ({"op": "a", **PATHS, "standard": "loose"}, "standard"),
    ({"op": "a", **PATHS, "chip": "Ascend1"}, "chip"), ({"op": "a", **PATHS, "strict": 1}, "strict"),
    ({"op": "a", **PATHS, "schedule": "backwards"}, "schedule"), ({"op": "a", **PATHS, "toolchain": "a9"}, "toolchain"),
])
def test_bad_requests_name_the_field(shared, body, field):
    for path in ("/verify", "/verify_stream"):
        status, answer = shared.call(path, body)
        assert status == 400 and answer["error"]["field"] == field, answer
        assert answer["error"]["code"] == "bad_input" and answer["detail"].startswith(field + ": ")


@pytest.mark.parametrize("body, field", [
    ({}, "items"), ({"items": {}}, "items"), ({"items": [3]}, "items[0]"), ({"items": [item(), {"op": "x"}]}, "items[1].reference_path"),
    ({"items": [item(), item(devices=[4])]}, "items[1].devices[0]"), ({"items": [item(op=f"o{i}") for i in range(1001)]}, "items"), ([], "body"),
])
def test_bad_batches_name_the_item(shared, body, field):
    before = len(shared.jobs()["finished"])
    status, answer = shared.call("/verify_batch", json.dumps(body).encode())
    assert status == 400 and answer["error"]["field"] == field, answer
    assert len(shared.jobs()["finished"]) == before, "a batch is taken whole or not at all"


def test_paths_and_methods(shared):
    assert shared.call("/nothing")[0] == 404
    assert shared.call("/verify", method="GET")[0] == 405
    assert shared.call("/healthz", b"{}")[0] == 405
    assert shared.call("/jobs/1", b"{}", method="PUT")[0] == 405
    assert shared.call("/healthz", method="HEAD") == (200, "")


def send(service, head, body=b"", chunks=0, limit_s=30):
    """Raw bytes; whatever comes back until the other side closes."""
    got = b""
    with socket.create_connection(("127.0.0.1", service.port), limit_s) as s:
        s.settimeout(limit_s)
        try:
            s.sendall(head)
            for _ in range(chunks):
                s.sendall(body)
            if not chunks:
                s.sendall(body)
        except OSError:
            pass
        try:
            while part := s.recv(65536):
                got += part
        except OSError:
            pass
    return got


def test_large_bodies(serve):
    s = serve("--devices", "sim:0", "--body-limit", "1")
    megabyte = b"x" * (1 << 20)
    status, answer = s.call("/verify", megabyte + b"y")
    assert status == 413 and "1048576" in answer["detail"]
    # 100 MB by length: answered from the header alone
    head = b"POST /verify HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: 104857600\r\n\r\n"
    assert b" 413 " in send(s, head, megabyte)[:40]
    # 100 MB without a length: cut off, and not kept
    head = b"POST /verify HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
    send(s, head, b"100000\r\n" + megabyte + b"\r\n", chunks=100)
    with open(f"/proc/{s.process.pid}/status") as f:
        peak_mb = next(int(line.split()[1]) for line in f if line.startswith("VmHWM")) / 1024
    if "AddressSanitizer" not in s.text():
        assert peak_mb < 60 or os.environ.get("OPWRIGHT_SANITIZED"), peak_mb
    assert s.call("/healthz")[0] == 200


def test_large_headers(shared):
    head = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX-Long: " + b"a" * 200000 + b"\r\n\r\n"
    assert send(shared, head)[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 413", b"HTTP/1.1 400")
    assert send(shared, b"nonsense\r\n\r\n")[:12] in (b"", b"HTTP/1.1 400", b"HTTP/1.0 400")
    assert shared.call("/healthz")[0] == 200


def test_slow_senders_are_cut(serve):
    s = serve("--devices", "sim:0", "--receive-limit", "2")
    start = time.monotonic()
    with socket.create_connection(("127.0.0.1", s.port)) as c:
        c.settimeout(0.3)
        c.sendall(b"POST /verify HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n")
        closed = False
        while not closed and time.monotonic() - start < 15:
            try:  # one byte now and then, so that it is never idle
                c.sendall(b" ")
                closed = c.recv(100) == b""
            except TimeoutError:
                pass
            except OSError:
                closed = True
    assert closed and 1.5 < time.monotonic() - start < 8
    # A request that is being worked on is not cut.
    assert s.when_warm().call("/verify", slow("long", 4))[0] == 200


def test_full_queue(serve):
    s = serve("--devices", "sim:0", "--queue-limit", "2").when_warm()
    threads = [threading.Thread(target=s.call, args=("/verify", slow(f"q{i}", 2))) for i in range(3)]
    for i, t in enumerate(threads):
        t.start()
        wait_for(lambda: sum(len(v) for v in s.jobs().values()) == i + 1)
    with pytest.raises(urllib.error.HTTPError) as e:
        s.open("/verify", slow("one too many", 0))
    assert e.value.code == 429 and int(e.value.headers["Retry-After"]) > 0 and "queue" in json.loads(e.value.read())["detail"]
    assert s.call("/verify_batch", {"items": [quick("x"), quick("y")]})[0] == 429
    for t in threads:
        t.join()
    assert s.call("/verify", quick("room again"))[0] == 200


def test_root(serve, tmp_path):
    root, outside = tmp_path / "root", tmp_path / "rootless"
    for d in (root / "sub", outside):
        d.mkdir(parents=True)
    (root / "ref.py").write_text(REFERENCE.read_text())
    (root / "sub" / "desc.py").write_text(ADD.read_text())
    (outside / "desc.py").write_text("secret\n")
    (root / "out.py").symlink_to(outside / "desc.py")
    (root / "outdir").symlink_to(outside)
    (root / "up.py").symlink_to("../rootless/desc.py")
    (root / "in.py").symlink_to("sub/desc.py")
    os.mkfifo(root / "pipe.py")
    s = serve("--devices", "sim:0", "--root", str(root))
    good = {"op": "add", "reference_path": "ref.py", "language": "ascendc"}
    for kernel in (str(outside / "desc.py"), "../rootless/desc.py", f"{root}/../rootless/desc.py", "sub/../../rootless/desc.py", "out.py", "outdir/desc.py", "up.py",
                   "/etc/passwd", "/proc/self/environ", "missing.py", ".", "sub", "pipe.py", f"{root}", "/", "//etc/passwd", f"/proc/self/root{outside}/desc.py"):
        for path, body in (("/verify", {**good, "kernel_code_path": kernel}), ("/verify_batch", {"items": [{**good, "kernel_code_path": kernel}]})):
            status, answer = s.call(path, body)
            assert status == 403, (kernel, answer)
            assert answer["error"]["field"].endswith("kernel_code_path") and "secret" not in json.dumps(answer)
    assert s.jobs() == {"queued": [], "running": [], "finished": []}
    for kernel in ("sub/desc.py", f"{root}/sub/desc.py", "in.py", "./sub/../sub/desc.py"):
        status, answer = s.call("/verify", {**good, "kernel_code_path": kernel})
        assert status == 200 and answer["exit_code"] == 0 and answer["kernel_code_path"] == kernel, answer


def test_token(serve, tmp_path):
    token = tmp_path / "token"
    token.write_text("correct-horse-battery\n")
    s = serve("--devices", "sim:0", "--token-file", str(token), "--host", "0.0.0.0")
    for headers in ({}, {"Authorization": "Bearer wrong-horse-battery"}, {"Authorization": "Bearer correct-horse-batter"}, {"Authorization": "correct-horse-battery"},
                    {"Authorization": "Bearer "}):
        for path, data in (("/verify", item()), ("/jobs", None), ("/metrics", None), ("/jobs/1/log", None)):
            status, answer = s.call(path, data, headers=headers)
            assert status == 401 and answer["error"]["code"] == "token", (headers, path)
    good = {"Authorization": "Bearer correct-horse-battery"}
    assert s.call("/verify", quick("x"), headers=good)[0] == 200 and s.call("/jobs", headers=good)[0] == 200
    assert s.call("/healthz")[0] == 200 and s.call("/")[0] == 200


def test_other_addresses_need_a_token(tmp_path):
    for host, text in (("0.0.0.0", "--token-file"), ("::", "--token-file"), ("example.org", "not an address")):
        run = subprocess.run([str(CLI), "serve", "--port", "0", "--host", host, "--state-dir", str(tmp_path)], capture_output=True, text=True, timeout=30)
        assert run.returncode == 2 and text in run.stderr
    (tmp_path / "token").write_text("short\n")
    run = subprocess.run([str(CLI), "serve", "--port", "0", "--token-file", str(tmp_path / "token"), "--state-dir", str(tmp_path)], capture_output=True, text=True)
    assert run.returncode == 2 and "16 characters" in run.stderr


@pytest.mark.parametrize("headers", [
    {"Origin": "http://evil.example"}, {"Origin": "null"}, {"Host": "evil.example"}, {"Host": "evil.example:80", "Origin": "http://evil.example:80"},
    {"Sec-Fetch-Site": "cross-site"}, {"Host": "127.evil.example"}, {"Host": "localhost.evil.example"},
])
def test_pages_of_other_sites_cannot_start_jobs(shared, headers):
    status, answer = shared.call("/verify", item(), headers={"Content-Type": "text/plain", **headers})
    assert status == 403 and answer["error"]["code"] == "forbidden"


def test_own_page_may(shared):
    assert shared.call("/verify", quick("own page"), headers={"Origin": shared.url})[0] == 200


def test_too_many_connections_at_rest(serve):
    """Connections that send nothing do not keep others out."""
    s = serve("--devices", "sim:0", "--receive-limit", "3")
    held = [socket.create_connection(("127.0.0.1", s.port)) for _ in range(300)]
    assert s.call("/healthz")[0] == 200
    for c in held:
        c.close()
