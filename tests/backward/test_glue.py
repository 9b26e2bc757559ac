"""PyTorch glue of gradient operators: loss.backward() through the registered forward runs the generated operator on the simulator."""

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
    "wrt": ["x", "weight"],
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
    "wrt": ["x", "target"],
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
        (folder / f"{name}.py").write_text(text)
        _, report, out, err = backward(folder / f"{name}.py", folder=folder)
        assert report is not None and report["precision"]["status"].startswith("PASS"), out + err
    return folder


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
    x, w, b = leaf(7, 100, dtype=dtype), leaf(100, dtype=dtype, seed=1), leaf(100, dtype=dtype, seed=2).detach()
    grad = leaf(7, 100, dtype=dtype, seed=3).detach()
    before = x.detach().clone()
    got = gradients(affine, (x, w, b), (x, w), grad)
    want = gradients(plain, [t.double() for t in (x, w, b)], (x, w), grad.double())
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
    assert torch.autograd.gradcheck(squares, (x, leaf(3, 5, dtype=torch.float64, seed=4)))


def test_a_loss_may_be_scaled(squares):
    """The operator has no incoming gradient: of a scalar it is one factor."""
    x, target = leaf(5, 33), leaf(5, 33, seed=1)
    got = torch.autograd.grad(3.0 * squares(x, target), (x, target))
    want = torch.autograd.grad(3.0 * torch.nn.functional.mse_loss(x, target), (x, target))
    assert all(torch.allclose(g, t, 1e-5, 1e-7) for g, t in zip(got, want))


def test_what_has_no_gradient_says_so(affine):
    x, w, b = leaf(2, 6), leaf(6, seed=1), leaf(6, seed=2)
    with pytest.raises(RuntimeError, match="no gradient by bias"):
        affine(x, w, b).sum().backward()
    with pytest.raises(RuntimeError, match="x must have 2 dimensions"):
        gradients(lambda t: affine(t, w, b.detach()), (leaf(6),), (w,), 1.0)


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
