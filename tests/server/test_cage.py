"""The service with the whole cage on (bubblewrap and system-call filter), where this machine allows it: what descriptions and references
try is told through the result, since nothing they do reaches anything else."""
import ast
import json
import os
import pathlib
import runpy
import socket

import pytest

from conftest import ADD, REFERENCE, Service, alive, item, quick, wait_for

SECTIONS = ("project_json_src", "host_tiling_src", "host_operator_src", "kernel_src", "python_bind_src", "model_src")
TRY = '''
import json, os, shutil, signal, socket, sys, time
report = {}
def attempt(name, what):
    try:
        report[name] = repr(what())
    except BaseException as e:
        report[name] = type(e).__name__ + (f" {e.errno}" if isinstance(e, OSError) else "")
'''
TELL = "\nraise RuntimeError('REPORT' + json.dumps(report) + 'END')\n"


@pytest.fixture(scope="module")
def caged(tmp_path_factory):
    service = Service(tmp_path_factory.mktemp("caged"), "--devices", "sim:0", "--time-limit", "5", "--memory-limit", "4000", env={"OPWRIGHT_CAGE": ""})
    if not service.health()["cage"].startswith("full"):
        cage = service.health()["cage"]
        service.stop()
        pytest.skip(f"the cage here is {cage}")
    yield service.when_warm()
    service.stop()


def verify(service, desc, reference=None, op="foreign", **more):
    """The result object, and the answer it came in."""
    body = {"op": op, "kernel_code_src": desc, "no_cache": True, **more}
    body.update({"reference_src": reference} if reference else {"reference_path": str(REFERENCE)})
    status, answer = service.call("/verify", body)
    assert status == 200, answer
    return answer["result"][0], answer


def told(answer):
    """What TRY found out."""
    text = answer["result"][0]["error_message"]
    return json.loads(text[text.index("REPORT") + 6: text.rindex("END")])


def still_works(service):
    answer = service.call("/verify", item(no_cache=True))[1]
    assert answer["exit_code"] == 0, answer["summary"]


def add_with(**changed):
    """The classic add with sections changed."""
    sources = {**{k: v for k, v in runpy.run_path(str(ADD)).items() if k in SECTIONS}, **changed}
    return "".join(f"{key} = {text!r}\n" for key, text in sources.items())


def test_classic_add(caged):
    answer = caged.call("/verify", item())[1]
    assert answer["exit_code"] == 0 and answer["result"][0]["verdict"] == "PASS", answer["summary"]


def test_files(caged, tmp_path):
    """Outside all is to be read, nothing to be written; inside, the temporary folder is."""
    for name in ("kept.txt", "folder"):
        (tmp_path / name).write_text("as it was\n") if "." in name else (tmp_path / name).mkdir()
    code = TRY + f'''
out = {str(tmp_path)!r}
attempt("read", lambda: open(out + "/kept.txt").read())
attempt("append", lambda: open(out + "/kept.txt", "a"))
attempt("new", lambda: open(out + "/new.txt", "w"))
attempt("remove", lambda: os.remove(out + "/kept.txt"))
attempt("rename", lambda: os.rename(out + "/folder", out + "/other"))
attempt("mode", lambda: os.chmod(out + "/kept.txt", 0o777))
attempt("link", lambda: os.symlink("/etc", out + "/etc"))
attempt("etc", lambda: open("/etc/opwright-test", "w"))
attempt("home", lambda: open(os.path.expanduser("~/opwright-test"), "w"))
attempt("tmp", lambda: open("/tmp/opwright-test", "w"))
attempt("proc", lambda: open("/proc/sys/kernel/hostname", "w"))
attempt("inside", lambda: open(os.environ["TMPDIR"] + "/mine", "w").write("x"))
''' + TELL
    result, answer = verify(caged, code)
    found = told(answer)
    assert result["verdict"] == "FAIL" and [c["check"] for c in result["checks"]] == ["description"]
    assert found.pop("read") == repr("as it was\n") and found.pop("inside") == "1"
    assert {k: v for k, v in found.items() if v not in ("OSError 30", "PermissionError 1", "PermissionError 13")} == {}
    assert (tmp_path / "kept.txt").read_text() == "as it was\n" and sorted(p.name for p in tmp_path.iterdir()) == ["folder", "kept.txt"]
    assert not pathlib.Path("/etc/opwright-test").exists() and not pathlib.Path("/tmp/opwright-test").exists()


def test_the_reference_is_foreign_too(caged, tmp_path):
    reference = TRY + f'attempt("new", lambda: open({str(tmp_path / "mark")!r}, "w"))\nattempt("socket", lambda: socket.socket())\n' + TELL
    answer = verify(caged, ADD.read_text(), reference, op="reference")[1]
    assert answer["exit_code"] == 2 and answer["result"][0]["verdict"] is None
    assert told(answer) == {"new": "OSError 30", "socket": "PermissionError 13"} and not (tmp_path / "mark").exists()


def test_network(caged, tmp_path):
    """Neither a new connection nor the service itself nor local sockets of the machine, which no view keeps from being connected to;
    pairs of the process's own work."""
    with socket.socket(socket.AF_UNIX) as listening, socket.socket(socket.AF_UNIX) as named:
        listening.bind("\0opwright-cage-test")
        listening.listen()
        named.bind(str(tmp_path / "socket"))
        named.listen()
        code = TRY + f'''
for family in ("AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET"):
    attempt(family, lambda: socket.socket(getattr(socket, family), socket.SOCK_RAW if family > "AF_N" else socket.SOCK_STREAM))
attempt("service", lambda: socket.create_connection(("127.0.0.1", {caged.port}), 2))
attempt("name", lambda: socket.getaddrinfo("example.org", 80))
attempt("named", lambda: socket.socket(socket.AF_UNIX).connect({str(tmp_path / "socket")!r}))
attempt("datagrams", lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM))
attempt("abstract", lambda: socket.socket(socket.AF_UNIX).connect("\\0opwright-cage-test"))
attempt("pair", lambda: len(socket.socketpair()))
''' + TELL
        found = told(verify(caged, code)[1])
    assert found.pop("pair") == "2" and found.pop("abstract") == "PermissionError 13"
    assert set(found) == {"AF_INET", "AF_INET6", "AF_NETLINK", "AF_PACKET", "service", "name", "named", "datagrams"}
    assert all(v.startswith(("PermissionError", "gaierror", "OSError")) for v in found.values()), found


def test_other_processes_and_privileges(caged):
    code = TRY + f'''
attempt("seen", lambda: any("serve" in open(f"/proc/{{p}}/cmdline").read() for p in os.listdir("/proc") if p.isdigit()))
attempt("service", lambda: os.kill({caged.process.pid}, 0))
attempt("fds", lambda: [f for f in range(1024) if os.path.exists("/proc/self/fd/%d" % f) and os.readlink("/proc/self/fd/%d" % f).startswith("socket:")])
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *args):
    return (getattr(libc, name)(*args), ctypes.get_errno())
attempt("ptrace", lambda: call("ptrace", 16, 1, 0, 0))
attempt("unshare", lambda: call("unshare", 0x10000000))
attempt("mount", lambda: call("mount", b"none", b"/", b"tmpfs", 0, None))
for who in (1, os.getppid()):
    attempt(f"mem {{who == 1}}", lambda: open(f"/proc/{{who}}/mem", "r+b"))
    attempt(f"fd {{who == 1}}", lambda: [os.open(f"/proc/{{who}}/fd/{{n}}", os.O_WRONLY) for n in range(5) if os.path.lexists(f"/proc/{{who}}/fd/{{n}}")])
    attempt(f"environ {{who == 1}}", lambda: open(f"/proc/{{who}}/environ").read())
attempt("setuid", lambda: "NoNewPrivs:\\t1" in open("/proc/self/status").read())
''' + TELL
    found = told(verify(caged, code)[1])
    assert found["seen"] == "False" and found["service"].startswith("ProcessLookupError") and found["setuid"] == "True", found
    assert found["fds"] == "[]", "no socket of the service is in reach"
    hidden = {k: v for k, v in found.items() if k.split()[0] in ("mem", "fd", "environ")}
    assert len(hidden) == 6 and set(hidden.values()) == {"PermissionError 13"}, "neither the worker's memory nor its answers are in reach"
    assert all(ast.literal_eval(found[k])[0] == -1 for k in ("ptrace", "unshare", "mount")), found


@pytest.mark.parametrize("name, code, words", [
    ("fork bomb", "import os\nwhile True:\n    os.fork()\n", ("process",)),
    pytest.param("many children", "import os, time\nfor i in range(2000):\n    if os.fork() == 0:\n        time.sleep(100)\ntime.sleep(100)\n", ("process",), marks=pytest.mark.slow),
    ("100 GB", "x = bytearray(100 << 30)\nfor i in range(0, len(x), 4096):\n    x[i] = 1\n", ("emory",)),
    pytest.param("memory bit by bit", "x = []\nwhile True:\n    x.append(bytearray(b'x' * (64 << 20)))\n", ("emory",), marks=pytest.mark.slow),
    ("sleeps", "import time\nwhile True:\n    time.sleep(1)\n", ("5 s", "time")),
    pytest.param("spins", "import signal\nfor s in range(1, 32):\n    try: signal.signal(s, signal.SIG_IGN)\n    except (OSError, ValueError): pass\nwhile True:\n    pass\n", ("5 s", "time"), marks=pytest.mark.slow),
    ("SIGSEGV", "import os\nos.kill(os.getpid(), 11)\n", ("SIGSEGV",)),
    pytest.param("null", "import ctypes\nctypes.string_at(0)\n", ("SIGSEGV",), marks=pytest.mark.slow),
    ("kills all", "import os\nos.kill(-1, 9)\n", ("killed",)),
    pytest.param("exits", "import os\nos._exit(0)\n", ("exit", "ended", "died"), marks=pytest.mark.slow),
    ("large file", "import os\nf = open(os.environ['TMPDIR'] + '/big', 'wb')\nf.truncate(200 << 30)\n", ("File too large", "signal 25", "SIGXFSZ")),
    ("deletes", "import os, shutil\nshutil.rmtree(os.environ['TMPDIR'], ignore_errors=True)\nshutil.rmtree('.', ignore_errors=True)\n"
                "shutil.rmtree(os.path.dirname(__file__), ignore_errors=True)\n", ("not a description",)),
])
def test_what_descriptions_do(caged, name, code, words):
    """A verdict with its cause, and the service goes on as if nothing had been."""
    result, answer = verify(caged, code, op=name.replace(" ", "_"))
    text = answer["summary"] + (result["error_message"] or "")
    assert answer["exit_code"] in (1, 3) and result["verdict"] in ("FAIL", "INFRA_ERROR"), answer
    assert any(w in text for w in words), text
    assert caged.call("/verify", quick(f"after {name}"))[1]["exit_code"] == 1


@pytest.mark.slow
@pytest.mark.parametrize("name, code, words", [
    ("fork bomb", "import os\n        while True: os.fork()", ("process",)),
    ("SIGSEGV", "import os\n        os.kill(os.getpid(), 11)", ("SIGSEGV",)),
    ("100 GB", "bytearray(100 << 30)", ("emory",)),
    ("socket", "import socket\n        socket.create_connection(('127.0.0.1', 1))", ("PermissionError",)),
    ("deletes", "import os, shutil, tempfile\n        shutil.rmtree(tempfile.gettempdir(), ignore_errors=True)\n        raise RuntimeError('deleted')", ("deleted",)),
])
def test_what_candidates_do(caged, name, code, words):
    """The same from the stage that runs the kernel."""
    model = runpy.run_path(str(ADD))["model_src"]
    head, body = model.split("def forward(", 1)
    arguments, rest = body.split("\n", 1)
    desc = add_with(model_src=f"{head}def forward({arguments}\n        {code}\n{rest}")
    result, answer = verify(caged, desc, op="candidate_" + name.replace(" ", "_"))
    text = answer["summary"] + (result["error_message"] or "")
    assert result["compiled"] and answer["exit_code"] in (1, 3) and any(w in text for w in words), text
    still_works(caged)


def test_nothing_stays(caged):
    """What a job started or wrote is gone with it."""
    code = "import os, time\nopen(os.environ['TMPDIR'] + '/left', 'w')\nos.makedirs(os.environ['TMPDIR'] + '/a/b/c')\nos.chmod(os.environ['TMPDIR'] + '/a/b', 0)\nif os.fork() == 0:\n    os.setsid()\n    if os.fork() == 0:\n        time.sleep(1000)\n    os._exit(0)\n"

    def below():
        mine, rows = {caged.process.pid}, {}
        for p in filter(str.isdigit, os.listdir("/proc")):
            try:
                rows[int(p)] = int(pathlib.Path(f"/proc/{p}/stat").read_text().rsplit(")", 1)[1].split()[1])
            except OSError:
                pass
        while more := {p for p, parent in rows.items() if parent in mine and p not in mine}:
            mine |= more
        return {p for p in mine if alive(p)}

    def files():
        # Not rglob, which fails on a folder that goes away under it: here jobs tidy up while this looks.
        walk = os.walk(caged.tmp / "state" / "tmp")
        return sorted(os.path.join(folder, name) for folder, _, names in walk for name in names)

    still_works(caged)
    processes, before = len(below()), files()
    verify(caged, code, op="stays")
    wait_for(lambda: len(below()) <= processes, 20, 0.2)
    wait_for(lambda: files() == before)
    still_works(caged)
