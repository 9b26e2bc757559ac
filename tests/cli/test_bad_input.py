"""Bad input and missing tools: one clear message with its place, exit status 2, and nothing written."""
import os
import re
import resource
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("OPWRIGHT_CLI", str(ROOT / "build" / "opwright"))
ADD = ROOT / "examples/handwritten/add.py"

HEAD = "import torch\nimport torch.nn as nn\n"
INPUTS = "def get_inputs():\n    return [torch.rand(4, 8), torch.rand(4, 8)]\n"


def model(body, inputs=INPUTS):
    return f"{HEAD}class Model(nn.Module):\n    def forward(self, x, y):\n        {body}\n{inputs}"


def of_dtype(dtype):
    return model("return x + y", f"def get_inputs():\n    return [torch.ones(4, 8).to(torch.{dtype}) for _ in 'xy']\n")


GOOD = model("return x + y")
# name: (text or bytes, verdict in the table, line the message names or 0, words it holds)
FILES = {
    "no_model": (HEAD + INPUTS, "BAD_INPUT", 1, ["no class named Model", "forward"]),
    "import_error": ("import nosuchmodule\n" + GOOD, "BAD_INPUT", 1, ["nosuchmodule", "pip install nosuchmodule"]),
    "import_raises": (HEAD + "raise ValueError('bad thing')\n", "BAD_INPUT", 3, ["ValueError: bad thing"]),
    "import_exits": (HEAD + "import sys\nsys.exit(0)\n", "BAD_INPUT", 4, ["SystemExit"]),
    "crashes": (HEAD + "import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n", "BAD_INPUT", 0, ["SIGSEGV"]),
    "hangs": (HEAD + "while True:\n    pass\n", "BAD_INPUT", 0, ["not done after 6 s"]),
    "syntax_error": (HEAD + "class Model(nn.Module:\n    pass\n", "BAD_INPUT", 3, ["not valid Python"]),
    "no_get_inputs": (model("return x + y", ""), "BAD_INPUT", 5, ["get_inputs", "def get_inputs(): return ["]),
    "dict_inputs": (model("return x + y", "def get_inputs():\n    return {'x': torch.rand(2)}\n"), "BAD_INPUT", 6, ["dict", "list"]),
    "raising_inputs": (model("return x + y", "def get_inputs():\n    return [undefined]\n"), "BAD_INPUT", 7, ["NameError", "undefined"]),
    "too_few_inputs": (model("return x + y", "def get_inputs():\n    return [torch.rand(2)]\n"), "BAD_INPUT", 6, ["1 value", "2"]),
    "no_forward": (HEAD + "class Model(nn.Module):\n    pass\n" + INPUTS, "BAD_INPUT", 3, ["no forward"]),
    "no_module": (HEAD + "class Model:\n    pass\n" + INPUTS, "BAD_INPUT", 3, ["not a torch.nn.Module"]),
    "constructor_needs_more": (GOOD.replace("    def forward", "    def __init__(self, k):\n        super().__init__()\n    def forward"),
                               "BAD_INPUT", 3, ["get_init_inputs", "k"]),
    "returns_nothing": (model("x + y"), "UNSUPPORTED", 4, ["forward returns a NoneType"]),
    "no_tensor": (HEAD + "class Model(nn.Module):\n    def forward(self, k):\n        return torch.ones(3) * k\n"
                  "def get_inputs():\n    return [2]\n", "UNSUPPORTED", 4, ["no tensor"]),
    "bare_function": (HEAD + "def scaled(x, y):\n    return torch.relu(x) * y\n", "BAD_INPUT", 3,
                      ["function scaled", "class Model(torch.nn.Module)", "return scaled(x, y)", "def get_inputs(): return ["]),
    "bare_module": (HEAD + "class Swish(nn.Module):\n    def forward(self, x):\n        return x * torch.sigmoid(x)\n", "BAD_INPUT", 3,
                    ["module Swish", "rename Swish to Model", "def get_inputs(): return ["]),
    "unsupported_op": (model("z = x * 2\n        return torch.mm(z, y.t())"), "UNSUPPORTED", 6,
                       ["aten.mm", "torch.mm(z, y.t())", "opwright ops"]),
    "decides_by_values": (model("if x.sum() > 0:\n            return x + y\n        return x - y"), "UNSUPPORTED", 5,
                          ["data-dependent", "torch.where"]),
    "number_from_values": (model("return x * int(y.max().item())"), "UNSUPPORTED", 5, ["data-dependent"]),
    "dtype_float64": (model("return (x + y).double()"), "UNSUPPORTED", 5, ["float64", "float32"]),
    "dtype_complex": (of_dtype("complex64"), "UNSUPPORTED", 5, ["complex"]),
    "empty": ("", "BAD_INPUT", 1, ["no class named Model"]),
    "binary": (bytes(range(256)) * 8, "BAD_INPUT", 0, ["UTF-8"]),
    "nul_bytes": (GOOD.encode() + b"\0", "BAD_INPUT", 0, ["not valid Python"]),
    "utf16": (GOOD.encode("utf-16"), "BAD_INPUT", 1, ["UTF-8"]),
}
PLACES = {"folder": ["this is a folder"], "missing": ["no such file"]}


def run(*argv, **kw):
    return subprocess.run([CLI, *map(str, argv)], capture_output=True, text=True, timeout=300, **kw)


@pytest.fixture(scope="module")
def many(tmp_path_factory):
    """One run over all of them: {name: (message, verdict)}, and what it left."""
    folder = tmp_path_factory.mktemp("bad")
    paths = []
    for name, (text, *_) in FILES.items():
        paths.append(folder / f"{name}.py")
        paths[-1].write_bytes(text if isinstance(text, bytes) else text.encode())
    (folder / "folder.py").mkdir()
    paths += [folder / "folder.py", folder / "missing.py"]
    before = sorted(p.name for p in folder.iterdir())
    done = run("gen", "--output-dir", folder / "out", "--time-limit", "6", *paths)
    assert done.returncode == 2
    messages = re.split(r"^\[ *\d+/\d+\] .*\n", done.stderr, flags=re.M)
    rows = done.stdout.splitlines()[2:]
    assert len(messages) == len(paths) + 1 and len(rows) == len(paths), done.stderr + done.stdout
    after = sorted(p.name for p in folder.iterdir())
    return {p.stem: (m, row.split()[-1]) for p, m, row in zip(paths, messages, rows)}, before, after


@pytest.mark.parametrize("name", FILES)
def test_reference_files(many, name):
    message, verdict = many[0][name]
    _, expected, line, words = FILES[name]
    assert verdict == expected, message
    assert message.count("opwright: ") == 1 and re.search(rf"{name}\.py{f':{line}:' if line else ''}", message), message
    for word in words:
        assert word in message


@pytest.mark.parametrize("name", PLACES)
def test_places(many, name):
    message, _ = many[0][name]
    assert message.count("opwright: ") == 1 and f"{name}.py" in message
    assert all(word in message for word in PLACES[name])


def test_nothing_is_written(many):
    assert many[1] == many[2]


def fails(done, *words):
    """Exit status 2, and one message with these words and a cure."""
    assert done.returncode == 2, (done.returncode, done.stdout, done.stderr)
    assert done.stderr.count("opwright: ") == 1 and done.stdout == "", done.stderr
    assert all(word in done.stderr for word in words), done.stderr
    return True


@pytest.fixture
def good(tmp_path):
    path = tmp_path / "good.py"
    path.write_text(GOOD)
    return path


def test_no_pytorch(tmp_path, good):
    python = tmp_path / "python-without-torch"
    python.write_text(f"#!/bin/sh\nexec {sys.executable} -S -E \"$@\"\n")
    python.chmod(0o755)
    fails(run("gen", "--output-dir", tmp_path / "out", good, env={**os.environ, "OPWRIGHT_PYTHON": str(python)}), "PyTorch", "pip install torch")
    fails(run("gen", "--output-dir", tmp_path / "out", good, env={**os.environ, "OPWRIGHT_PYTHON": str(tmp_path / "none")}), "OPWRIGHT_PYTHON")
    assert not (tmp_path / "out").exists()


def test_no_compiler(tmp_path, good):
    bin = tmp_path / "bin"
    bin.mkdir()
    (bin / "python3").symlink_to(sys.executable)
    env = {k: v for k, v in os.environ.items() if k != "OPWRIGHT_CXX"}
    env.setdefault("OPWRIGHT_PYTHON", sys.executable)
    fails(run("gen", "--quiet", "--output-dir", tmp_path / "out", good, env={**env, "PATH": str(bin)}), "C++ compiler", "g++")
    assert not (tmp_path / "out").exists()


def test_no_room(tmp_path, good):
    """A file that may not grow stands in for a full disk: none of the four files is there afterwards."""
    for out in (tmp_path / "new", tmp_path / "old"):
        if out.name == "old":
            out.mkdir()
        done = run("gen", "--quiet", "--no-verify", "--output-dir", out, good,
                   preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (12000, 12000)))
        fails(done, "good.ascendc.py", "File too large")
        assert not out.exists() or list(out.iterdir()) == []


def test_output_folder(tmp_path, good):
    (tmp_path / "file").write_text("mine")
    fails(run("gen", "--output-dir", tmp_path / "file", good), "file", "folder is wanted")
    fails(run("gen", "--output-dir", tmp_path / "file/below", good), "file")
    fails(run("gen", "--output-dir", "", good), "--output-dir")
    if os.geteuid() != 0:
        locked = tmp_path / "locked"
        locked.mkdir(mode=stat.S_IRUSR | stat.S_IXUSR)
        fails(run("gen", "--output-dir", locked / "new", good), "cannot be written to")
        good.chmod(0)
        fails(run("gen", good), "cannot be read")
    assert (tmp_path / "file").read_text() == "mine"


@pytest.mark.parametrize("argv, words", [
    (["gen"], ["no reference file", "--help"]),
    (["gen", "--bogus", "x.py"], ["--bogus", "opwright gen --help"]),
    (["gen", "x.py", "--name"], ["--name needs a value"]),
    (["gen", "--name", "a", "x.py", "y.py"], ["--name", "one reference"]),
    (["gen", "--chip", "Ascend1", "x.py"], ["Ascend1", "Ascend910B4"]),
    (["gen", "--standard", "loose", "x.py"], ["loose", "ecosystem"]),
    (["gen", "--time-limit", "soon", "x.py"], ["--time-limit", "soon"]),
    (["gen", "--dump", "all", "x.py"], ["--dump", "all"]),
    (["ops", "more"], ["more"]),
    (["ops", "--yaml"], ["--yaml", "opwright ops --help"]),
    (["verify", "--local"], ["--op"]),
    (["verify", "--op", "add", "--reference_path", "none.py", "--kernel_code_path", ADD, "--local"], ["none.py", "no such file"]),
    (["verify", "--op", "add", "--reference_path", ADD, "--kernel_code_path", ROOT / "examples", "--local"], ["this is a folder"]),
    (["verify", "--op", "add", "--reference_path", ADD, "--kernel_code_path", ADD, "--local", "--result_json_path", ROOT / "docs"],
     ["docs", "folder"]),
])
def test_command_lines(tmp_path, argv, words):
    fails(run(*argv, cwd=tmp_path), *words)
    assert list(tmp_path.iterdir()) == []


def test_unknown_command_and_help():
    assert run().returncode == 2 and run("generate").returncode == 2
    for command in ("gen", "verify", "new", "ops"):
        done = run(command, "--help")
        assert done.returncode == 0 and done.stdout.startswith(f"usage: opwright {command}") and done.stderr == ""
        source = (ROOT / "src/cli" / {"verify": "verify_cmd"}.get(command, command)).with_suffix(".c").read_text()
        for option in re.findall(r'{"([\w-]+)", (?:no|required)_argument', source):
            assert option == "help" or f"--{option}" in done.stdout, f"{command} --help does not name --{option}"


def test_lost_output():
    with open("/dev/full", "w") as full:
        done = subprocess.run([CLI, "ops"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and "standard output" in done.stderr


def descendants(mark):
    """Living processes that have the mark in their environment."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if mark.encode() in Path(f"/proc/{pid}/environ").read_bytes() and ") Z " not in Path(f"/proc/{pid}/stat").read_text():
                found.append(pid)
        except OSError:
            pass
    return found


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupt(tmp_path, good, number):
    scratch, out = tmp_path / "scratch", tmp_path / "out"
    scratch.mkdir()
    env = {**os.environ, "TMPDIR": str(scratch)}
    process = subprocess.Popen([CLI, "gen", "--output-dir", str(out), str(good)], env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    for line in process.stderr:  # with the compilers at work
        if "cases" in line:
            break
    assert list(scratch.iterdir()) and descendants(f"TMPDIR={scratch}")
    process.send_signal(number)
    process.communicate(timeout=60)
    assert process.returncode == -number
    assert list(scratch.iterdir()) == [] and not out.exists()
    for _ in range(100):
        if not descendants(str(scratch)):
            return
        time.sleep(0.1)
    pytest.fail(f"still alive: {descendants(str(scratch))}")
