"""`opwright new` from outside: what it writes means in PyTorch what the formula says, and nothing is half written."""
import ast
import importlib.util
import os
import random
import subprocess
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).resolve().parents[2]
CLI = os.environ.get("OPWRIGHT_CLI", str(ROOT / "build" / "opwright"))
DIMS = ["--dim", "M=6", "--dim", "N=5"]
INPUTS = {"x": "float32[M,N]", "y": "float32[N]", "i": "int32[M,N]", "j": "int32[M,1]", "m": "bool[M,N]", "s": "float32[]"}


def new(tmp_path, formula, *more, inputs=None, name="f"):
    names = {n.id for n in ast.walk(ast.parse(formula)) if isinstance(n, ast.Name)}
    declared = inputs or {n: spec for n, spec in INPUTS.items() if n in names}
    argv = [CLI, "new", "--formula", formula, "--name", name, "--output-dir", str(tmp_path), *more]
    for n, spec in declared.items():
        argv += ["--input", f"{n}:{spec}"]
    used = "".join(declared.values())
    for k in range(0, len(DIMS), 2):
        if DIMS[k + 1][0] in used:
            argv += DIMS[k : k + 2]
    return subprocess.run(argv, capture_output=True, text=True)


def load(path):
    spec = importlib.util.spec_from_file_location("reference", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def run(tmp_path, formula, *more, **kw):
    done = new(tmp_path, formula, *more, **kw)
    assert done.returncode == 0, done.stderr
    module = load(tmp_path / "f.py")
    torch.manual_seed(0)
    inputs = module.get_inputs()
    return module.Model(*module.get_init_inputs())(*inputs), inputs, (tmp_path / "f.py").read_text()


def random_expression(rng, depth):
    """Operators, parentheses and unary signs at random, on one float, integer or bool level."""
    if depth == 0:
        return rng.choice(["x", "y", "s", "2", "0.5", "alpha"])
    kind = rng.random()
    inner = lambda: random_expression(rng, depth - 1)
    if kind < 0.2:
        return rng.choice("-+") + inner()
    if kind < 0.45:
        return f"({inner()})"
    return f"{inner()} {rng.choice(['+', '-', '*', '/', '**'])} {inner()}"


def test_grouping_is_pythons(tmp_path):
    rng = random.Random(7)
    n = 0
    for k in range(150):
        formula = "x + " + random_expression(rng, rng.randint(1, 4)) + " + y + s"
        more = ["--scalar", "alpha:float=0.5"] if "alpha" in formula else []
        done = new(tmp_path, "z = " + formula, *more, "--force")
        if done.returncode != 0:  # a part made of numbers only may have no value: 2 ** 0.5 ** -..., 1 / (2 - 2)
            assert "finite" in done.stderr or "64 bits" in done.stderr or "zero" in done.stderr, done.stderr
            continue
        n += 1
        text = (tmp_path / "f.py").read_text()
        line = next(l for l in text.splitlines() if l.startswith("        z = "))
        assert ast.dump(ast.parse(line.strip())) == ast.dump(ast.parse("z = " + formula)), (formula, line)
    assert n > 100


@pytest.mark.parametrize("formula, expected", [
    ("i // j * 3 % 7", lambda i, j: i // j * 3 % 7),
    ("i * 2 - j > 30", lambda i, j: i * 2 - j > 30),
    ("~m & (x > y) | (i == j)", lambda x, y, i, j, m: ~m & (x > y) | (i == j)),
    ("m and x or not y", lambda x, y, m: torch.logical_or(torch.logical_and(m, x), torch.logical_not(y))),
    ("where(m, x, y)", lambda x, y, m: torch.where(m, x, y)),
    ("where(m, 1, 0.5) + s", lambda m, s: torch.where(m, 1, 0.5) + s),
    ("max(x, y) + min(0.3, x) + max(y, -0.1)", lambda x, y: torch.maximum(x, y) + x.clamp(max=0.3) + y.clamp(min=-0.1)),
    ("clamp(x, y, 1)", lambda x, y: torch.clamp(x, min=y).clamp(max=1)),
    ("x * sqrt(2 / pi)", lambda x: x * (2 / torch.pi) ** 0.5),
    ("-x ** 2", lambda x: -(x**2)),
    ("float16(x * 3)", lambda x: (x * 3).half()),
    ("swish(x) + gelu(y)", lambda x, y: torch.nn.functional.silu(x) + torch.nn.functional.gelu(y)),
])
def test_values(tmp_path, formula, expected):
    got, inputs, _ = run(tmp_path, formula)
    want = expected(*inputs)
    assert got.dtype == want.dtype
    torch.testing.assert_close(got, want)


def functions():
    """Every tensor row of the table: name, pattern, arguments, result."""
    rows = []
    for line in (ROOT / "src/cli/formula.def").read_text().splitlines():
        if line.startswith("FORMULA_FN("):
            name, pattern, args, result = [w.strip().strip('"') for w in line[len("FORMULA_FN(") :].split(",")[:4]]
            rows.append((name, pattern, args, result))
    assert len(rows) > 50
    return rows


@pytest.mark.parametrize("name, pattern, args, result", functions())
def test_every_function_runs(tmp_path, name, pattern, args, result):
    for spec in ["float32[M,N]", "float16[M,N]", "bfloat16[M,N]"] + (["int32[M,N]"] if args != "FLOATS" else []):
        inputs, words = {}, []
        for k, letter in enumerate(pattern):
            if letter == "N":
                words.append(str(k + 1))
                continue
            words.append(f"v{k}")
            inputs[words[-1]] = "bool[M,N]" if args == "CONDITION" and k == 0 else spec
        got, drawn, _ = run(tmp_path, f"{name}({', '.join(words)})", "--force", inputs=inputs)
        assert tuple(got.shape) == (6, 5)
        assert got.is_floating_point() == (result == "FLOAT" or (result == "WIDEST" and spec[0] != "i"))
        if name != "pow" and not (name.startswith("exp") and spec[0] == "i"):  # e^100 and 100^100 overflow
            assert torch.isfinite(got.double()).all()
        if result != "FLOAT" or spec[0] == "i" or name == "where":
            continue
        assert got.dtype == drawn[0].dtype


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"])
@pytest.mark.parametrize("shape, size", [("[]", ()), ("[0]", (0,)), ("[M]", (6,)), ("[M,1,3]", (6, 1, 3))])
def test_inputs(tmp_path, dtype, shape, size):
    got, inputs, _ = run(tmp_path, "x == x", inputs={"x": dtype + shape})
    assert inputs[0].dtype == getattr(torch, dtype) and tuple(inputs[0].shape) == size
    assert got.all()
    if inputs[0].numel() and dtype.lstrip("u").startswith("int"):
        assert inputs[0].min() >= 1 and inputs[0].max() <= 100


def test_scalars_and_outputs(tmp_path):
    got, inputs, text = run(tmp_path, "h = x * alpha; z = h + n; w = where(m, h, z)", "--scalar", "alpha:float=25e-2",
                            "--scalar", "n:int=3", "--output", "w,z")
    x, m, alpha, n = inputs
    assert (alpha, n) == (0.25, 3)
    torch.testing.assert_close(got[0], torch.where(m, x * 0.25, x * 0.25 + 3))
    torch.testing.assert_close(got[1], x * 0.25 + 3)
    assert "alpha: float, n: int" in text


@pytest.mark.parametrize("formula", ["log(x)", "sqrt(x * y)", "rsqrt(x + 1)", "log(1 - x)", "sqrt(1 - x * x)", "log(x / (1 - x))", "x ** 0.5"])
def test_domains(tmp_path, formula):
    got, _, _ = run(tmp_path, formula)
    assert torch.isfinite(got).all()


def test_nothing_is_overwritten_or_half_written(tmp_path):
    assert new(tmp_path, "x + y").returncode == 0
    before = (tmp_path / "f.py").read_bytes()
    again = new(tmp_path, "x - y")
    assert again.returncode == 2 and "--force" in again.stderr
    assert (tmp_path / "f.py").read_bytes() == before
    assert new(tmp_path, "x - y", "--force").returncode == 0
    assert (tmp_path / "f.py").read_bytes() != before
    folder = tmp_path / "deep" / "er"
    assert new(folder, "x + y", inputs={"x": "float32[M,N]", "y": "float32[M]"}).returncode == 2
    assert not folder.exists()
    assert new(folder, "x + y").returncode == 0
    assert sorted(p.name for p in folder.iterdir()) == ["f.py"]


def test_unwritable_folder(tmp_path):
    (tmp_path / "file").write_text("")
    done = new(tmp_path / "file", "x + y")
    assert done.returncode == 2 and "file" in done.stderr


@pytest.mark.parametrize("argv, part", [
    ([], "--formula is missing"),
    (["--formula", "z = x"], "add --input x"),
    (["--formula", "z = x + (y", "--input", "x:half[2]", "--input", "y:half[2]"], "    z = x + (y\n                ^"),
    (["--formula", "z = x", "--input", "x:float16(M)"], "--input:1:10"),
    (["--formula", "z = x", "--input", "x:float16[M]", "--name", "Up"], "--name"),
    (["--formula", "z = x", "--input", "x:float16[M]", "--name", "../up"], "--name"),
    (["--formula", "z = x", "--input", "x:float16[M]", "more"], "`more`"),
    (["--formula", "z = x", "--input", "x:float16[M]", "--scalar", "k:float=1"], "`k` does not appear"),
    (["--bogus"], "opwright new --help"),
])
def test_command_line_errors(tmp_path, argv, part):
    done = subprocess.run([CLI, "new", *argv], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 2
    assert part in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_help_lists_every_function():
    done = subprocess.run([CLI, "new", "--help"], capture_output=True, text=True)
    assert done.returncode == 0
    for name, *_ in functions():
        assert f" {name} " in done.stdout
