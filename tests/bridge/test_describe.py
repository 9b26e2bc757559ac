"""Description files: what is read from them, and the rules of model_src."""

from __future__ import annotations

from typing import Any

import pytest

from bridge import describe, model_rules
from bridge.errors import BridgeError

PARTS = {name: f"text of {name}\nsecond line\n" for name in describe.SOURCES}

GOOD = """import torch
import torch_npu
import custom_ops_lib
class ModelNew(torch.nn.Module):
    def __init__(self, n):
        super().__init__()
        self.w = torch.nn.Parameter(torch.randn(n) * 2)
        self.lin = torch.nn.Linear(n, n)
    def forward(self, x, k: int = 3):
        rows = x.shape[0] * k - 1
        x = x.view(rows, -1).permute(1, 0).contiguous()
        y = torch.empty_like(x)
        w = self.lin.weight.t()
        out = custom_ops_lib.add_custom(x, self.w, w, y, float(k) / 2)
        return out.reshape(rows, -1)[0]
"""


def written(parts: dict[str, str]) -> str:
    return "".join(f"{name} = '''{text}'''\n" for name, text in parts.items())


def test_sources_and_lines(write: Any) -> None:
    result, _ = describe.load_desc({"path": write(written({**PARTS, "model_src": GOOD}))})
    assert result["sources"] == {**PARTS, "model_src": GOOD} and result["rules"] == []
    assert result["lines"] == {name: 1 + 3 * i for i, name in enumerate(describe.SOURCES)}


def test_computed_strings(write: Any) -> None:
    text = written({k: v for k, v in PARTS.items() if k != "kernel_src"})
    text += "import json\nN = 8\nkernel_src = f'''\nint n = {N};\n'''\nmodel_src = '''\\\nimport torch\nx\n'''\n"
    text += "project_json_src = json.dumps([1])\nhost_tiling_src = 'a' + 'b'\n"
    result, _ = describe.load_desc({"path": write(text)})
    assert result["sources"]["kernel_src"] == "\nint n = 8;\n" and result["sources"]["project_json_src"] == "[1]"
    lines, where = result["lines"], text.split("\n")
    assert lines["project_json_src"] == 0 and lines["host_tiling_src"] == 0
    assert where[lines["model_src"] - 1] == "import torch" and where[lines["kernel_src"] - 1] == "kernel_src = f'''"


@pytest.mark.parametrize("change, line, words", [
    (lambda t: t.replace("kernel_src", "kernel"), 1, "does not define kernel_src"),
    (lambda t: t + "kernel_src = 5\n", 1, "kernel_src is int"),
    (lambda t: t + "1 / 0\n", 19, "ZeroDivisionError"),
    (lambda t: t + "'''", 19, "not valid Python"),
    (lambda t: "x = 1\n", 1, "not a description"),
])
def test_files_that_are_none(write: Any, change: Any, line: int, words: str) -> None:
    with pytest.raises(BridgeError) as caught:
        describe.load_desc({"path": write(change(written(PARTS)))})
    assert words in caught.value.message and caught.value.code == "bad_input"
    assert caught.value.line == line or words.startswith("kernel_src is")


def rules(text: str) -> list[tuple[str, int]]:
    found = model_rules.check(text)
    assert all(v["message"] and v["hint"] for v in found)
    return [(v["rule"], v["line"]) for v in found]


@pytest.mark.parametrize("old, new, rule, line", [
    ("class ModelNew(torch.nn.Module):", "class ModelNew(:", "model-syntax", 4),
    ("class ModelNew", "class Model", "model-class", 1),
    ("class ModelNew(torch.nn.Module)", "class ModelNew(object)", "model-class", 4),
    ("import custom_ops_lib\n", "custom_ops_lib = None\n", "model-import", 1),
    ("custom_ops_lib.add_custom(x, self.w, w, y, float(k) / 2)", "x", "model-call", 4),
    ("return out.reshape", "return torch.relu(out).reshape", "model-computes", 15),
    ("return out.reshape", "return torch.nn.functional.gelu(out).reshape", "model-computes", 15),
    ("return out.reshape", "return torch.ops.aten.relu(out).reshape", "model-computes", 15),
    ("return out.reshape", "return self.lin(out).reshape", "model-computes", 15),
    ("return out.reshape", "return out.sum(0).reshape", "model-computes", 15),
    ("return out.reshape", "return (out + 1).reshape", "model-computes", 15),
    ("return out.reshape", "return (2 * out).reshape", "model-computes", 15),
    ("return out.reshape", "return (-out).reshape", "model-computes", 15),
    ("return out.reshape", "return (out @ w).reshape", "model-computes", 15),
    ("return out.reshape", "return (self.w * 2).reshape", "model-computes", 15),
    ("return out.reshape", "out += 1\n        return out.reshape", "model-computes", 15),
    ("return out.reshape", "return out.relu_().reshape", "model-computes", 15),
    ("return out.reshape", "return getattr(torch, 'relu')(out).reshape", "model-computes", 15),
    ("return out.reshape", "return torch_npu.npu_gelu(out).reshape", "model-computes", 15),
    ("import torch_npu", "import torch.nn.functional as F\nact = F.relu", "", 0),
])
def test_model_rules(old: str, new: str, rule: str, line: int) -> None:
    assert old in GOOD
    found = rules(GOOD.replace(old, new))
    assert found == ([(rule, line)] if rule else []), found


@pytest.mark.parametrize("forward, extra", [
    ("act(x)", "import torch.nn.functional as F\nact = F.relu\n"),
    ("relu(x)", "from torch import relu\n"),
    ("helper(x)", "def helper(t):\n    return torch.relu(t)\n"),
    ("self.part(x)", ""),
    ("self.act(x)", ""),
    ("self.stack[0](x)", ""),
])
def test_detours_are_seen(forward: str, extra: str) -> None:
    text = f"""import torch
import custom_ops_lib
{extra}
class Part(torch.nn.Module):
    def forward(self, x):
        return torch.exp(x)
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.part = Part()
        self.act = torch.nn.GELU()
        self.stack = torch.nn.ModuleList([torch.nn.ReLU()])
    def forward(self, x):
        x = custom_ops_lib.f(x)
        return {forward}
"""
    assert {r for r, _ in rules(text)} == {"model-computes"}


@pytest.mark.parametrize("importing", [
    "import custom_ops_lib as lib", "from custom_ops_lib import add_custom as f\nclass lib: add_custom = f",
    "import importlib\nlib = importlib.import_module('custom_ops_lib')",
])
def test_ways_to_import(importing: str) -> None:
    call = "f" if "import add_custom" in importing else "lib.add_custom"
    text = f"import torch\n{importing}\nclass ModelNew(torch.nn.Module):\n    def forward(self, x):\n        return {call}(x)\n"
    assert rules(text) == []
