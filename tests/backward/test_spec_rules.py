"""Every rule of the contract of a backward specification: what is wrong is named with its verdict, its line and a cure."""

import sys
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from bridge import backward_spec, backward_truth  # noqa: E402

GOOD = '''import torch


def forward(x, w=None, scale=2.0):
    return (x * scale).tanh() if w is None else x * w


BACKWARD_SPEC = {
    "wrt": ["x"],
    "inputs": {"x": {"shape": ["N", 8]}},
    "cases": [{"N": 3}],
    "input_profiles": ["standard"],
}
'''

# (what is written instead of what, verdict, words of the message)
BAD = [
    ("def forward(x, w=None, scale=2.0)", "def backward(x)", "FORWARD_SPEC_MISSING", "no function `forward`"),
    ("BACKWARD_SPEC = {", "SPEC = {", "FORWARD_SPEC_MISSING", "no BACKWARD_SPEC"),
    ("BACKWARD_SPEC = {", "BACKWARD_SPEC = 3 or {", "SPEC_INVALID", "not a dict"),
    ("import torch", "import torch, no_such_module_at_all", "SPEC_INVALID", "no_such_module_at_all"),
    ("def forward(x", "def forward(x x", "SPEC_INVALID", "not valid Python"),
    ('"cases": [', '"case": [', "SPEC_INVALID", "no field 'case'"),
    ('"wrt": ["x"],', "", "SPEC_INVALID", "wrt is missing or empty"),
    ('["x"]', "[]", "SPEC_INVALID", "wrt is missing or empty"),
    ('["x"]', '"x"', "SPEC_INVALID", "wrt is the text"),
    ('["x"]', '["q"]', "SPEC_INVALID", "'q', which is no input"),
    ('["x"]', '["x", "x"]', "SPEC_INVALID", "twice"),
    ('{"x": {"shape": ["N", 8]}}', "{}", "SPEC_INVALID", "inputs is missing or empty"),
    ('{"x": {"shape": ["N", 8]}}', '{"w": {"shape": [8]}}', "SPEC_INVALID", "no entry for forward's parameter 'x'"),
    ('{"x": {"shape": ["N", 8]}}', '{"x": {"shape": ["N", 8]}, "z": {"shape": [1]}}', "SPEC_INVALID", "'z', which forward does not take"),
    ('{"shape": ["N", 8]}', '{"size": [8]}', "SPEC_INVALID", "'x' has no shape"),
    ('["N", 8]', '["N", -8]', "SPEC_INVALID", "the shape of 'x'"),
    ('["N", 8]', '["N", 8.0]', "SPEC_INVALID", "the shape of 'x'"),
    ('["N", 8]}', '["N", 8], "dtype": "complex64"}', "SPEC_INVALID", "the dtype of 'x'"),
    ('["N", 8]}', '["N", 8], "dtype": "int64"}', "SPEC_INVALID", "'x', which holds int64"),
    ('["N", 8]}', '["N", 8], "range": [0, 1]}', "SPEC_INVALID", "the range of 'x'"),
    ('{"N": 3}', "{}", "SPEC_INVALID", "gives no size to the symbol 'N'"),
    ('{"N": 3}', '{"N": 3, "M": 2}', "SPEC_INVALID", "sets 'M'"),
    ('{"N": 3}', '{"N": "three"}', "SPEC_INVALID", "sets 'N' to 'three'"),
    ('"cases": [{"N": 3}]', '"cases": {"N": 3}', "SPEC_INVALID", "not a list of dicts"),
    ('"cases"', '"dtypes": ["float8"],\n    "cases"', "SPEC_INVALID", "dtypes has 'float8'"),
    ('"cases"', '"dtypes": [],\n    "cases"', "SPEC_INVALID", "dtypes is []"),
    ('"cases"', '"grad_output": "random",\n    "cases"', "SPEC_INVALID", "grad_output is 'random'"),
    ('["standard"]', '["normal"]', "SPEC_INVALID", "input_profiles has 'normal'"),
    ('"cases"', '"seed": -1,\n    "cases"', "SPEC_INVALID", "seed is -1"),
    ("def forward(x, w=None, scale=2.0)", "def forward(*x)", "SPEC_INVALID", "no name of its own"),
    ("(x * scale).tanh() if w is None else x * w", "(x * scale).detach()", "NOT_DIFFERENTIABLE", "no output of forward depends on x"),
    ("(x * scale).tanh() if w is None else x * w", "x.argmax(-1)", "NOT_DIFFERENTIABLE", "no output of forward depends on x"),
    ("(x * scale).tanh() if w is None else x * w", "x / 0.0", "ALL_DEGENERATE", "has a finite gradient"),
    ("(x * scale).tanh() if w is None else x * w", "x @ x", "SPEC_INVALID", "forward raised an exception"),
    ("(x * scale).tanh() if w is None else x * w", "3.0", "SPEC_INVALID", "forward returns float"),
    ("(x * scale).tanh() if w is None else x * w", "(x, x * x)", "", ""),
    ('"cases"', '"grad_output": "explicit",\n    "cases"', "", ""),
]


@pytest.mark.parametrize("index", range(len(BAD)))
def test_rule(tmp_path, index):
    old, new, verdict, words = BAD[index]
    assert old in GOOD
    spec = tmp_path / "规格 file.py"
    spec.write_text(GOOD.replace(old, new, 1), encoding="utf-8")
    result, blobs = backward_truth.backward_truth({"path": str(spec), "workspace": str(tmp_path)})
    if not verdict:
        assert result["verdict"] == "READY", result
        return
    assert result["verdict"] == verdict and words in result["message"], result
    assert not blobs
    assert result["hint"] or "not valid Python" in words
    assert result["line"] > 0


def test_records_are_seeded_in_order(tmp_path):
    spec = tmp_path / "s.py"
    spec.write_text(GOOD.replace('"cases": [{"N": 3}],\n    "input_profiles": ["standard"],', '"dtypes": ["bf16", "fp32"], "seed": 7'))
    loaded = backward_spec.load(str(spec))
    records = loaded.records()
    assert [r.seed for r in records] == [7 + i for i in range(2 * 3 * 5)]
    assert [r.symbols["N"] for r in records[:15:5]] == [64, 128, 256]
    assert {r.dtype for r in records[:15]} == {"bfloat16"} and {r.dtype for r in records[15:]} == {"float32"}
    assert loaded.op == "s_grad"


def test_truth_is_float64_autograd_of_the_rounded_inputs(tmp_path):
    spec = tmp_path / "s.py"
    spec.write_text(GOOD.replace('"cases"', '"dtypes": ["float16"], "grad_output": "explicit", "cases"'))
    loaded = backward_spec.load(str(spec))
    files = {}
    recipe = backward_truth.prepare(loaded, files)
    for name, data in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(data)
    entry = recipe["records"][0]
    x = torch.randn(3, 8, generator=torch.Generator().manual_seed(1234)).half().double()
    g = torch.randn(3, 8, generator=torch.Generator().manual_seed(1234 + 500000)).half().double()
    want = 2.0 * (1.0 - torch.tanh(2.0 * x) ** 2) * g
    assert torch.allclose(backward_truth.load_truth(str(tmp_path), entry)[0], want, rtol=1e-12)
    assert backward_truth.kept(loaded, str(tmp_path)) is not None
    tampered = tmp_path / entry["file"]
    tampered.write_bytes(backward_truth.pack([want + 1]))
    with pytest.raises(ValueError, match="sealed"):
        backward_truth.load_truth(str(tmp_path), entry)
    assert backward_truth.kept(loaded, str(tmp_path)) is None


def test_missing_file(backward, tmp_path):
    status, _, _, err = backward(tmp_path / "none.py", folder=tmp_path)
    assert status == 2 and "FORWARD_SPEC_MISSING" in err


def test_unknown_target_lists_what_is_known(backward, tmp_path):
    spec = tmp_path / "s.py"
    spec.write_text(GOOD)
    status, _, _, err = backward(spec, "--target", "b200", folder=tmp_path)
    assert status == 2 and "b200" in err and "950pr" in err and "910c" in err


def test_target_is_stored(backward, tmp_path):
    spec = tmp_path / "s.py"
    spec.write_text(GOOD)
    assert backward(spec, "--target", "Ascend 950PR", "--no-verify", folder=tmp_path)[0] == 0
    assert (tmp_path / "s_grad" / "target.env").read_text() == "TARGET=a5\n"
