"""Files whose inputs come in groups."""

from __future__ import annotations

import json

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensor

from bridge import cases, groups, reference
from bridge.errors import BridgeError
from bridge.trace import trace

TEXT = """
import json, os, torch
class Model(torch.nn.Module):
    def forward(self, x, dims, alpha, mode=None):
        return torch.permute(x, dims) * alpha
def get_input_groups():
    with open(os.path.join(os.path.dirname(__file__), "groups.json")) as f:
        rows = [json.loads(line) for line in f]
    return [[torch.randn(r["shape"], dtype=getattr(torch, r["dtype"])), r["dims"], r["alpha"], None] for r in rows]
"""
ROWS = [
    {"shape": [5, 7], "dims": [1, 0], "alpha": 2.0, "dtype": "float32"},
    {"shape": [5, 7, 3], "dims": [0, 2, 1], "alpha": 2.0, "dtype": "float32"},
    {"shape": [9, 4], "dims": [1, 0], "alpha": 3.5, "dtype": "float16"},
    {"shape": [9, 1], "dims": [1, 0], "alpha": 3.5, "dtype": "float32"},
    {"shape": [1 << 20, 1 << 14], "dims": [1, 0], "alpha": 1.5, "dtype": "float32"},  # 64 GiB
    {"shape": [5, 7], "dims": [0, 1], "alpha": 2.0, "dtype": "float32"},
]


@pytest.fixture
def path(tmp_path):
    (tmp_path / "groups.json").write_text("\n".join(map(json.dumps, ROWS)))
    file = tmp_path / "ref.py"
    file.write_text(TEXT)
    return str(file)


def test_groups_of_one_graph_are_told(path):
    reply = trace({"path": path, "ops": []})[0]
    assert [m["group"] for m in reply["groups"]] == [0, 2, 3, 4]
    assert reply["groups"][1] == {"group": 2, "variant": 0, "symbols": {"s0": 9, "s1": 4}, "scalars": {"alpha": 3.5}}
    assert reply["graph"]["variants"][reply["groups"][0]["variant"]] == "float32"


def test_groups_with_fewest_sizes_of_1_come_first(path):
    assert groups.groups({"path": path})[0]["order"] == [0, 1, 2, 4, 5, 3]


def test_another_group_by_name(path):
    reply = trace({"path": path + "#1", "ops": []})[0]
    assert reply["graph"]["name"] == "ref_g1"
    assert [m["group"] for m in reply["groups"]] == [1]
    assert [m["group"] for m in trace({"path": path + "#5", "ops": []})[0]["groups"]] == [5]


def test_kinds_differ_by_more_than_sizes_and_numbers(path):
    kinds = groups.groups({"path": path})[0]["kinds"]
    assert kinds[0] == kinds[3] == kinds[4]
    assert len({kinds[0], kinds[1], kinds[2], kinds[5]}) == 4


def test_one_group_is_made_without_the_others(path):
    ref = reference.load(path)
    case = cases.make(ref, {"kind": "own", "group": 2}, 1)
    x = case.arguments[0]
    assert not isinstance(x, FakeTensor) and x.shape == (9, 4) and x.dtype == torch.float16
    assert torch.equal(x, cases.make(reference.load(path), {"kind": "own", "group": 2}, 1).arguments[0])


def test_a_group_that_is_not_there(path):
    with pytest.raises(BridgeError, match="no group 9"):
        trace({"path": path + "#9", "ops": []})


def test_values_that_the_file_looks_at(tmp_path):
    file = tmp_path / "ref.py"
    file.write_text("import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n"
                    "def get_input_groups():\n    x = torch.randn(40)\n    x[x > 0.5] = 1\n    return [[x], [torch.zeros(3)]]\n")
    assert [m["group"] for m in trace({"path": str(file), "ops": []})[0]["groups"]] == [0, 1]
    x = cases.make(reference.load(str(file)), {"kind": "own", "group": 0}, 1).arguments[0]
    assert not isinstance(x, FakeTensor) and float(x.max()) == 1.0


def test_wide_dtypes_go_in_words(tmp_path):
    """float64 and complex arguments are views of int32 and float32 for the operator, float64 results the other way round."""
    file = tmp_path / "ref.py"
    file.write_text("import torch\nclass Model(torch.nn.Module):\n    def forward(self, x, c):\n        return x * 2, x > 0.1, torch.logical_not(c)\n"
                    "def get_input_groups():\n    return [[torch.zeros(n, dtype=torch.float64), torch.zeros(n, dtype=torch.complex64)] for n in (3, 5)]\n")
    reply = trace({"path": str(file), "ops": []})[0]
    graph = reply["graph"]
    assert [(i["dtype"], i["shape"]) for i in graph["inputs"]] == [(["int32"], ["s0", 2]), (["float32"], ["s1", 2])]
    assert graph["model"]["call_args"] == ["x.unsqueeze(-1).view(torch.int32)", "c.unsqueeze(-1).view(torch.float32)"]
    assert graph["model"]["results"] == [".view(torch.float64).squeeze(-1)", "", ""]
    assert [m["group"] for m in reply["groups"]] == [0, 1]
    assert any("computed in float32, not float64" in note and "x * 2" in note for note in graph["notes"])


def test_complex_arithmetic_is_refused(tmp_path):
    file = tmp_path / "ref.py"
    file.write_text("import torch\nclass Model(torch.nn.Module):\n    def forward(self, c):\n        return (c * c).real\n"
                    "def get_inputs():\n    return [torch.zeros(3, dtype=torch.complex64)]\n")
    with pytest.raises(BridgeError, match="complex") as caught:
        trace({"path": str(file), "ops": []})
    assert caught.value.line == 4


def test_numbers_that_the_file_draws(tmp_path):
    """A mean is drawn and read: few elements have data though 16 GiB of them would not fit."""
    file = tmp_path / "ref.py"
    file.write_text("import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x * 2\n"
                    "def get_input_groups():\n    out = []\n    for n in (1 << 31, 5, 1 << 31):\n"
                    "        mean = float(torch.empty(1).uniform_(3, 4).item())\n        out.append([torch.normal(mean, 1.0, (2, n)) + 1])\n    return out\n")
    assert [m["group"] for m in trace({"path": str(file), "ops": []})[0]["groups"]] == [0, 1, 2]
    x = cases.make(reference.load(str(file)), {"kind": "own", "group": 1}, 1).arguments[0]
    assert x.shape == (2, 5) and float(x.mean()) > 2


def test_a_list_of_tensors_is_one_argument(tmp_path):
    file = tmp_path / "ref.py"
    file.write_text("import torch\nclass Model(torch.nn.Module):\n    def forward(self, parts, dim, scale):\n        return torch.cat(parts, dim) * scale\n"
                    "def get_input_groups():\n    return [[[torch.rand(3, 4), torch.rand(n, 4)], 0, 2.0] for n in (5, 6)] + [[[torch.rand(2, 2)] * 3, 1, 2.0]]\n")
    reply = trace({"path": str(file), "ops": []})[0]
    assert [i["name"] for i in reply["graph"]["inputs"]] == ["parts0", "parts1"]
    assert reply["graph"]["model"]["call_args"] == ["parts[0]", "parts[1]", "scale"]
    assert [m["group"] for m in reply["groups"]] == [0, 1]
    case = cases.make(ref := reference.load(str(file)), {"kind": "own", "group": 1}, 1)
    parts, dim, scale = ref.nested(case.arguments)
    assert [p.shape for p in parts] == [(3, 4), (6, 4)] and (dim, scale) == (0, 2.0)


def test_groups_with_another_number_of_parts_are_other_graphs(tmp_path):
    """How many results a split gives depends on a size: the graph says which sizes it is for."""
    file = tmp_path / "ref.py"
    file.write_text("import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return torch.split(x, 4)\n"
                    "def get_input_groups():\n    return [[torch.rand(n, 3)] for n in (8, 7, 9, 12, 5)]\n")
    reply = trace({"path": str(file), "ops": []})[0]
    assert {"x": "(s0 + 3)//4", "y": 2, "node": 0} in reply["graph"]["equal"]
    assert [m["group"] for m in reply["groups"]] == [0, 1, 4]
    assert [m["group"] for m in trace({"path": f"{file}#2", "ops": []})[0]["groups"]] == [2, 3]
