"""PyTorch glue of gradient operators: loss.backward() through the registered forward runs the generated operators on the simulator."""

import importlib.util
import shutil
import sys

import pytest
import torch

SPECS = {
    "affine": '''import torch


def forward(x, weight, bias):
    return torch.tanh(x * weight) + bias


BACKWARD_SPEC = {
    "wrt": ["x", "weight", "bias"],
    "inputs": {"x": {"shape": ["N", "C"]}, "weight": {"shape": ["C"]}, "bias": {"shape": ["C"]}},
    "cases": [{"N": 9, "C": 40}],
    "dtypes": ["fp32", "bf16"],
    "grad_output": "explicit",
    "input_profiles": ["standard"],
}
''',
    "squares": '''def forward(x, target):
    return (x - target).square().mean()


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {"x": {"shape": ["N", "C"]}, "target": {"shape": ["N", "C"]}},
    "cases": [{"N": 5, "C": 33}],
    "input_profiles": ["standard"],
}
''',
}


@pytest.fixture(scope="module")
def workspaces(backward, tmp_path_factory):
    folder = tmp_path_factory.mktemp("glue")
    for name, text in SPECS.items():
        make(backward, folder, name, text, *(["--with-forward"] if name == "affine" else []))
    return folder


def make(backward, folder, name, text, *options):
    (folder / f"{name}.py").write_text(text)
    _, report, out, err = backward(folder / f"{name}.py", *options, folder=folder)
    assert report is not None and report["precision"]["status"].startswith("PASS"), out + err
    assert ("forward" in report) == ("--with-forward" in options)


def load(folder, name):
    path = folder / f"{name}_grad" / f"{name}_grad_autograd.py"
    if path.stem in sys.modules:
        return sys.modules[path.stem]
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[path.stem] = module
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def affine(workspaces):
    return load(workspaces, "affine").affine


@pytest.fixture
def squares(workspaces):
    return load(workspaces, "squares").squares


def leaf(*shape, dtype=torch.float32, seed=0):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed)).to(dtype).requires_grad_()


def gradients(function, arguments, wanted, weight):
    return torch.autograd.grad((function(*arguments) * weight).sum(), wanted)


def plain(x, weight, bias):
    return torch.tanh(x * weight) + bias


@pytest.mark.parametrize("dtype, tolerance", [(torch.float32, 1e-5), (torch.bfloat16, 2e-2)])
def test_gradients_are_those_of_pytorch(affine, dtype, tolerance):
    x, w, b = leaf(7, 100, dtype=dtype), leaf(100, dtype=dtype, seed=1), leaf(100, dtype=dtype, seed=2)
    grad = leaf(7, 100, dtype=dtype, seed=3).detach()
    before = x.detach().clone()
    assert torch.allclose(affine(x, w, b).double(), plain(x.double(), w.double(), b.double()), tolerance, tolerance)
    got = gradients(affine, (x, w, b), (x, w, b), grad)
    want = gradients(plain, [t.double() for t in (x, w, b)], (x, w, b), grad.double())
    for g, t in zip(got, want):
        assert g.dtype == dtype and torch.allclose(g.double(), t.double(), tolerance, tolerance)
    assert torch.equal(before, x.detach())


def test_one_input_alone_strides_and_an_input_used_twice(affine):
    w, b = leaf(6, seed=1), torch.zeros(6)
    frozen = leaf(6, 11).detach().t()  # not contiguous, no gradient wanted
    assert torch.allclose(gradients(affine, (frozen, w, b), (w,), 1.0)[0], gradients(plain, (frozen, w, b), (w,), 1.0)[0], 1e-5, 1e-5)
    x = leaf(1, 6)
    twice = gradients(lambda t: affine(t, t.reshape(6), b), (x,), (x,), 1.0)[0]
    assert torch.allclose(twice, gradients(lambda t: plain(t, t.reshape(6), b), (x,), (x,), 1.0)[0], 1e-5, 1e-5)


def test_schema_meta_function_and_tracing(affine, squares):
    x, w, b = leaf(4, 24), leaf(24, seed=1), torch.zeros(24)
    torch.library.opcheck(torch.ops.opwright.affine.default, (x, w, b))
    torch.library.opcheck(torch.ops.opwright.affine_grad.default, (x.detach(), w.detach(), b, torch.ones(4, 24)))
    torch.library.opcheck(torch.ops.opwright.squares.default, (x, x.detach() + 1))
    compiled = torch.compile(lambda t: affine(t, w, b).square().sum(), backend="aot_eager")
    assert torch.allclose(torch.autograd.grad(compiled(x), x)[0], torch.autograd.grad(plain(x, w, b).square().sum(), x)[0], 1e-5, 1e-5)


def test_gradcheck(affine, squares):
    x, w, b = leaf(3, 5, dtype=torch.float64), leaf(5, dtype=torch.float64, seed=1), torch.zeros(5, dtype=torch.float64)
    assert torch.autograd.gradcheck(affine, (x, w, b))
    assert torch.autograd.gradcheck(squares, (x, leaf(3, 5, dtype=torch.float64, seed=4).detach()))


def test_a_loss_may_be_scaled(squares):
    """The operator has no incoming gradient: of a scalar it is one factor."""
    x, target = leaf(5, 33), leaf(5, 33, seed=1)
    got = torch.autograd.grad(3.0 * squares(x, target.detach()), x)[0]
    assert torch.allclose(got, torch.autograd.grad(3.0 * torch.nn.functional.mse_loss(x, target), x)[0], 1e-5, 1e-7)


ROWS = '''def forward(x, weight):
    y = x.float() * weight
    return y.square().sum(-1), y.abs()


BACKWARD_SPEC = {
    "wrt": ["x", "weight"],
    "inputs": {"x": {"shape": ["N", "C"]}, "weight": {"shape": ["C"], "dtype": "fp32"}},
    "cases": [{"N": 5, "C": 33}],
    "dtypes": ["fp16", "fp32"],
    "input_profiles": ["standard"],
}
'''


@pytest.mark.slow
def test_outputs_that_are_no_scalars(backward, tmp_path):
    """Of the sum of all outputs: incoming gradients must be one number, whatever it is. x may be 16 bits wide beside weights that are not."""
    make(backward, tmp_path, "rows_abs", ROWS)
    rows_abs = load(tmp_path, "rows_abs").rows_abs

    def reference(x, weight):
        y = x.float() * weight
        return y.square().sum(-1), y.abs()

    for dtype, tolerance in ((torch.float32, 1e-5), (torch.float16, 2e-3)):
        x, weight = leaf(5, 33, dtype=dtype), leaf(33, seed=1)
        outputs, want = rows_abs(x, weight), reference(x.detach().float().requires_grad_(), weight)
        assert [(t.shape, t.dtype) for t in outputs] == [(t.shape, t.dtype) for t in want]
        for scale in (1.0, -2.5):
            got = torch.autograd.grad([scale * t for t in rows_abs(x, weight)], (x, weight), [torch.ones(5), torch.ones(5, 33)])
            wide = x.detach().float().requires_grad_()
            true = torch.autograd.grad([scale * t for t in reference(wide, weight)], (wide, weight), [torch.ones(5), torch.ones(5, 33)])
            assert [g.dtype for g in got] == [dtype, torch.float32]
            assert all(torch.allclose(g.float(), t, tolerance, tolerance) for g, t in zip(got, true))
        with pytest.raises(RuntimeError, match='needs the specification with "grad_output": "explicit"'):
            torch.autograd.grad(rows_abs(x, weight)[0], (x, weight), torch.arange(5.0))
        with pytest.raises(RuntimeError, match="explicit"):  # the other output has a gradient of zeros then
            rows_abs(x, weight)[0].sum().backward()
        torch.library.opcheck(torch.ops.opwright.rows_abs.default, (x, weight))
        torch.library.opcheck(torch.ops.opwright.rows_abs_grad.default, (x.detach(), weight.detach()))


def test_what_has_no_gradient_says_so(affine, squares):
    with pytest.raises(RuntimeError, match="no gradient by target"):
        squares(leaf(2, 6), leaf(2, 6, seed=1)).backward()
    with pytest.raises(RuntimeError, match="x must have 2 dimensions"):
        affine(leaf(6), leaf(6, seed=1), leaf(6, seed=2))


def test_a_build_that_is_gone_or_old(workspaces):
    name = "affine_grad"
    shutil.copytree(workspaces / name, workspaces / "copy" / name)
    module = load(workspaces, "affine")
    description, build = workspaces / "copy" / name / f"{name}.ascendc.py", workspaces / "copy" / name / "build"
    assert module._simulated(str(build), str(description)).name == "affine_grad_custom"  # the folder may move
    description.write_text(description.read_text() + "\n# edited\n")
    with pytest.raises(RuntimeError, match="edited after"):
        module._simulated.__wrapped__(str(build), str(description))
    shutil.rmtree(build)
    with pytest.raises(RuntimeError, match="run `opwright backward` again"):
        module._simulated.__wrapped__(str(build), str(description))


# ---- training ---------------------------------------------------------------------------------------------------------


def train(layers, steps, rate, sizes):
    """Losses of a two-layer network: linear maps by PyTorch, `layers` (hidden, output, loss) between them."""
    hidden, output, loss_of = layers
    rows, n_in, n_hidden, n_out = sizes
    parameters = [leaf(n_in, n_hidden, seed=1), leaf(n_hidden, seed=2), leaf(n_hidden, seed=3), leaf(n_hidden, n_out, seed=4)]
    x, losses = leaf(rows, n_in, seed=5).detach(), []
    target = torch.softmax(3 * leaf(rows, n_out, seed=6).detach(), -1)
    for _ in range(steps):
        first, weight, bias, second = parameters
        loss = loss_of(output(hidden(x @ first, weight, bias) @ second), target)
        losses.append(loss.item())
        with torch.no_grad():
            for p, g in zip(parameters, torch.autograd.grad(loss, parameters)):
                p -= rate * g
    return torch.tensor(losses)


def test_five_steps_of_training_follow_pytorch(affine, squares):
    ours = train((affine, torch.nn.Identity(), squares), 5, 0.1, (8, 12, 24, 6))
    theirs = train((plain, torch.nn.Identity(), torch.nn.functional.mse_loss), 5, 0.1, (8, 12, 24, 6))
    assert torch.allclose(ours, theirs, 1e-5, 1e-6) and theirs[-1] < theirs[0]


LAYERS = {
    "hidden_norm": ("x, weight, bias", "F.layer_norm(x, x.shape[-1:], weight, bias)"),
    "hidden_gelu": ("x", "F.gelu(x)"),
    "output_softmax": ("x", "F.softmax(x, -1)"),
}


@pytest.mark.slow
def test_fifty_steps_of_training_follow_pytorch(backward, tmp_path):
    """Layer norm, GELU and softmax: forward and backward are generated operators."""
    for name, (arguments, body) in LAYERS.items():
        inputs = {a: {"shape": ["C"] if a in ("weight", "bias") else ["N", "C"]} for a in arguments.split(", ")}
        spec = {"wrt": list(inputs), "inputs": inputs, "cases": [{"N": 16, "C": 24}], "grad_output": "explicit", "input_profiles": ["standard"]}
        text = f"import torch.nn.functional as F\n\n\ndef forward({arguments}):\n    return {body}\n\n\nBACKWARD_SPEC = {spec!r}\n"
        make(backward, tmp_path, name, text, "--with-forward")
    norm, gelu, softmax = (getattr(load(tmp_path, name), name) for name in LAYERS)
    functional, sizes = torch.nn.functional, (16, 10, 24, 7)

    def reference(x, weight, bias):
        return functional.gelu(functional.layer_norm(x, x.shape[-1:], weight, bias))

    ours = train((lambda *a: gelu(norm(*a)), softmax, functional.mse_loss), 50, 2.0, sizes)
    theirs = train((reference, lambda t: functional.softmax(t, -1), functional.mse_loss), 50, 2.0, sizes)
    assert torch.allclose(ours, theirs, 1e-3, 1e-6), (ours, theirs)
    assert theirs[-1] < 0.5 * theirs[0]
