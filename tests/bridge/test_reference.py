"""The contract of reference files, and what is said when a file does not keep it."""

from __future__ import annotations

import sys
from typing import Any

import pytest

from bridge import reference
from bridge.errors import BridgeError

GOOD = """import torch
class Model(torch.nn.Module):
    def __init__(self, k):
        super().__init__()
        self.k = k
    def forward(self, x, y=None):
        return x * self.k
def get_inputs():
    return [torch.rand(2, 3).t(), 2]
def get_init_inputs():
    return [3]
"""


def failing(write: Any, text: str) -> BridgeError:
    path = write(text)
    with pytest.raises(BridgeError) as caught:
        reference.load_reference({"path": path})
    assert caught.value.file == path
    return caught.value


def test_a_good_file(write: Any) -> None:
    result, blobs = reference.load_reference({"path": write(GOOD)})
    assert blobs == [] and result == {"class": "Model", "init_inputs": 1, "inputs": [
        {"kind": "tensor", "dtype": "float32", "shape": [3, 2], "stride": [1, 3]}, {"kind": "scalar", "value": 2}]}


def test_model_new_and_missing_init_inputs(write: Any) -> None:
    text = GOOD.replace("class Model", "class ModelNew").replace("(self, k)", "(self, k=3)").split("def get_init_inputs")[0]
    assert reference.load_reference({"path": write(text)})[0]["class"] == "ModelNew"


def test_get_inputs_that_needs_real_data(write: Any) -> None:
    text = GOOD.replace("torch.rand(2, 3).t(), 2", "torch.rand(2, 3), int((torch.rand(5) >= 0).sum().item())")
    assert reference.load_reference({"path": write(text)})[0]["inputs"][1] == {"kind": "scalar", "value": 5}


def test_imports_beside_the_file(write: Any) -> None:
    write("SCALE = 4\n", "opwright_test_neighbour.py")
    path = write("from opwright_test_neighbour import SCALE\n" + GOOD)
    assert reference.load_reference({"path": path})[0]["class"] == "Model"


@pytest.mark.parametrize("text, code, line, words", [
    ("import torch\nx = 1 / 0\n", "bad_input", 2, "ZeroDivisionError"),
    ("import torch\ndef f(:\n", "bad_input", 2, "not valid Python"),
    ("import torch\nimport no_such_module_here\n", "bad_input", 2, "no_such_module_here"),
    ("import sys\nsys.exit(3)\n", "bad_input", 2, "SystemExit"),
    ("x = '\x00'\n", "bad_input", 1, "not valid Python"),
    ("import torch\nclass Model:\n    pass\n", "bad_input", 2, "not a torch.nn.Module"),
    ("import torch\nclass Model(torch.nn.Module):\n    pass\n", "bad_input", 2, "no forward"),
    (GOOD.replace("def get_inputs", "def inputs"), "bad_input", 11, "no get_inputs"),
    (GOOD.replace("return [torch.rand(2, 3).t(), 2]", "return torch.rand(2)"), "bad_input", 8, "returned Tensor"),
    (GOOD.replace("return [torch.rand(2, 3).t(), 2]", "return {'x': 1}"), "bad_input", 8, "returned dict"),
    (GOOD.replace("torch.rand(2, 3).t(), 2", "{}"), "bad_input", 8, "is dict"),
    (GOOD.replace("torch.rand(2, 3).t(), 2", "[torch.rand(2), None, 3]"), "unsupported", 8, "is list"),
    (GOOD.replace("torch.rand(2, 3).t(), 2", "1 / 0"), "bad_input", 9, "get_inputs() raised"),
    (GOOD.replace("torch.rand(2, 3).t(), 2", "1, 2, 3"), "bad_input", 8, "returns 3 values"),
    (GOOD.replace("torch.rand(2, 3).t(), 2", ""), "bad_input", 8, "returns 0 values"),
    (GOOD.split("def get_init_inputs")[0], "bad_input", 2, "needs constructor arguments (k)"),
    (GOOD.replace("return [3]", "return 3"), "bad_input", 10, "get_init_inputs() returned int"),
    ("import torch\n", "bad_input", 1, "no class named Model"),
])
def test_errors(write: Any, text: str, code: str, line: int, words: str) -> None:
    error = failing(write, text)
    assert (error.code, error.line) == (code, line) and words in error.message, vars(error)


def test_unreadable_files(write: Any, tmp_path: Any) -> None:
    for path, code in ((str(tmp_path / "none.py"), "not_found"), (str(tmp_path), "io"), ("", "bad_input"), (None, "bad_input")):
        with pytest.raises(BridgeError) as caught:
            reference.load_reference({"path": path})
        assert caught.value.code == code
    (tmp_path / "latin.py").write_bytes(b"import torch\n# caf\xe9\n")
    with pytest.raises(BridgeError) as caught:
        reference.load(str(tmp_path / "latin.py"))
    assert caught.value.line == 2 and "UTF-8" in caught.value.hint


def test_constructor_that_fails(write: Any) -> None:
    ref = reference.load(write(GOOD.replace("self.k = k", "self.k = k / 0")))
    with pytest.raises(BridgeError) as caught:
        ref.construct([3])
    assert caught.value.line == 5 and "Model(3)" in caught.value.message


@pytest.mark.parametrize("text, words", [
    ("import torch\ndef my_gelu(x, y):\n    return x + y\n",
     ["def forward(self, x, y): return my_gelu(x, y)", "get_inputs", "torch.randn"]),
    ("import torch\nclass Act(torch.nn.Module):\n    def forward(self, x):\n        return x\n", ["rename Act to Model", "get_inputs"]),
    ("import torch\nact = torch.nn.GELU()\n", ["class Model", "get_inputs"]),
    ("import torch\nclass Act(torch.nn.Module):\n    def forward(self, x):\n        return x\ndef get_inputs(): return []\n",
     ["rename Act to Model"]),
])
def test_other_forms_are_told_what_to_write(write: Any, text: str, words: list[str]) -> None:
    error = failing(write, text)
    assert error.line > 0 and all(w in error.hint for w in words), error.hint


def test_vendor_import(write: Any, monkeypatch: Any) -> None:
    monkeypatch.delitem(sys.modules, "torch_npu", raising=False)  # a stand-in of another test
    error = failing(write, "import torch_npu\ny = torch_npu.npu_fused_infer_attention_score\n")
    assert "npu_fused_infer_attention_score is not known here" in error.message and error.line == 2
    assert "torch_npu" not in sys.modules
