"""What the forward operator saves for the gradient: which values are proposed, the modules with them, and the operators."""

import importlib.util
import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bridge import backward_saved, backward_spec, backward_truth  # noqa: E402

# body of forward(x, w) with x [N, C] and w [C], and the operators whose results are worth saving
PROPOSED = [
    ("torch.nn.functional.layer_norm(x, x.shape[-1:], w)", ["aten.native_layer_norm.default"] * 2),
    ("x / x.norm() * w", ["aten.linalg_vector_norm.default"]),
    ("torch.softmax(x * w, -1)", ["aten._softmax.default"]),
    ("torch.tanh(x * w)", ["aten.tanh.default"]),
    ("torch.tanh(x * w) + x", []),  # neither small nor a result of forward
    ("torch.nn.functional.gelu(x * w)", []),
]


def load(tmp_path, body):
    path = tmp_path / "proposed.py"
    path.write_text(f"import torch\n\n\ndef forward(x, w):\n    return {body}\n\n\n"
                    'BACKWARD_SPEC = {"wrt": ["x", "w"], "inputs": {"x": {"shape": ["N", "C"]}, "w": {"shape": ["C"]}}, '
                    '"cases": [{"N": 3, "C": 5}, {"N": 4, "C": 16}], "grad_output": "explicit"}\n')
    return backward_spec.load(str(path))


def module(folder, name, text):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(f"saved_{path.parent.name}", path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


@pytest.mark.parametrize("body, operators", PROPOSED)
def test_modules_with_saved_values_give_the_same_gradients(tmp_path, body, operators):
    spec = load(tmp_path, body)
    saved = backward_saved.candidates(spec)
    assert [s.op for s in saved] == operators
    (tmp_path / "forward_spec.py").write_text(spec.source)
    gradient = module(tmp_path, "model.py", backward_truth.model_source(spec, saved, spec.cases[1]))
    forward = module(tmp_path, "forward/model.py", backward_truth.forward_source(spec, saved, spec.cases[1]))
    x, w = [t.double() for t in forward.get_inputs()]
    g = torch.randn(4, 16, dtype=torch.float64)
    assert len(gradient.get_inputs()) == 3 + len(saved) and x.shape == (4, 16)
    found = forward.Model()(x, w)
    outputs, values = (found[0], list(found[1:])) if saved else (found, [])
    assert torch.equal(outputs, spec.forward(x, w)) and len(values) == len(saved)
    leaves = [x.clone().requires_grad_(), w.clone().requires_grad_()]
    want = torch.autograd.grad(spec.forward(*leaves), leaves, g)
    assert all(torch.allclose(a, b, 1e-12, 1e-12) for a, b in zip(gradient.Model()(x, w, *values, g), want))
    if saved:  # they are used, not computed again
        other = gradient.Model()(x, w, *[v * 1.5 + 0.1 for v in values], g)
        assert not torch.allclose(other[0], want[0])


def test_choices_are_none_alone_and_all(tmp_path):
    sizes = [len(c) for c in backward_saved.choices(load(tmp_path, PROPOSED[0][0]))]
    assert sizes == [0, 1, 1, 2]


@pytest.mark.slow
def test_a_norm_that_would_cost_another_pass_is_saved(backward, tmp_path):
    """The norm of a tensor that does not fit UB: with it the gradient reads x twice, not three times."""
    spec = tmp_path / "scaled.py"
    spec.write_text('def forward(x):\n    return x / x.norm()\n\n\nBACKWARD_SPEC = {"wrt": ["x"], "inputs": {"x": {"shape": ["N", "C"]}}, '
                    '"cases": [{"N": 9, "C": 300}, {"N": 256, "C": 4096}], "dtypes": ["fp16", "bf16", "fp32"], "grad_output": "explicit", "input_profiles": ["standard"]}\n')
    status, report, out, err = backward(spec, "--with-forward", folder=tmp_path)
    assert report["precision"]["status"].startswith("PASS"), out + err
    assert "forward saves 1 value" in err
    path = tmp_path / "scaled_grad" / "scaled_grad_autograd.py"
    glue = importlib.util.spec_from_file_location(path.stem, path)
    ops = importlib.util.module_from_spec(glue)
    sys.modules[path.stem] = ops
    glue.loader.exec_module(ops)
    assert str(torch.ops.opwright.scaled_grad.default._schema) == \
        "opwright::scaled_grad(Tensor x, Tensor saved_linalg_vector_norm_0_0, Tensor grad_output) -> Tensor[]"
    x, g = torch.randn(7, 50, requires_grad=True), torch.randn(7, 50)
    got, want = (torch.autograd.grad((f * g).sum(), x)[0] for f in (ops.scaled(x), x / x.norm()))
    assert torch.allclose(got, want, 1e-5, 1e-7)
    for dtype, tolerance in ((torch.float16, 2e-3), (torch.bfloat16, 2e-2)):  # the norm is float32, whatever x is
        half = x.detach().to(dtype).requires_grad_()
        assert [t.dtype for t in torch.ops.opwright.scaled(half)] == [dtype, torch.float32]
        got, want = (torch.autograd.grad((f * g.to(f.dtype)).sum(), t)[0] for f, t in ((ops.scaled(half), half), (x / x.norm(), x)))
        assert got.dtype == dtype and torch.allclose(got.float(), want, tolerance, 1e-2 * tolerance)
    torch.library.opcheck(torch.ops.opwright.scaled.default, (x,))
    assert torch.autograd.gradcheck(ops.scaled, (torch.randn(3, 4, dtype=torch.float64, requires_grad=True),))
