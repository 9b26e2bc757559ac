"""Which cases a reference takes."""

from __future__ import annotations

from typing import Any

from bridge.admit import admit


def case(*shapes: list[int], layout: str = "contiguous", **model: list[int]) -> dict[str, Any]:
    inputs: list[dict[str, Any]] = [{"shape": s} for s in shapes]
    return {"kind": "sized", "variant": "float32", "layout": layout,
            "inputs": inputs + [{"path": f"self.{k}", "shape": v} for k, v in model.items()]}


def refusals(path: str, *specs: dict[str, Any]) -> list[Any]:
    return admit({"path": path, "cases": list(specs)})[0]["refusals"]


def test_a_slice_that_is_not_used_rules_sizes_out(write):
    path = write("import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        x.narrow(0, 2, 1)\n        return x + 1\n"
                 "def get_inputs():\n    return [torch.randn(3, 5)]\ndef get_init_inputs():\n    return []\n")
    good, small, large = refusals(path, case([3, 5]), case([2, 5]), case([70, 1]))
    assert good is None and large is None
    assert "exceeds dimension size" in small


def test_a_view_takes_no_strided_input(write):
    path = write("import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return x.view(-1) * 2\n"
                 "def get_inputs():\n    return [torch.randn(3, 5)]\ndef get_init_inputs():\n    return []\n")
    plain, strided = refusals(path, case([3, 5]), case([3, 5], layout="strided"))
    assert plain is None
    assert "view" in strided


def test_parameters_take_the_case_shape(write):
    path = write("import torch\nclass Model(torch.nn.Module):\n    def __init__(self):\n        super().__init__()\n"
                 "        self.w = torch.nn.Parameter(torch.ones(5))\n    def forward(self, x):\n        return x * self.w\n"
                 "def get_inputs():\n    return [torch.randn(3, 5)]\ndef get_init_inputs():\n    return []\n")
    assert refusals(path, case([3, 5], w=[5]), case([2, 9], w=[9])) == [None, None]
    assert "broadcast" in refusals(path, case([3, 5], w=[5]), case([2, 9], w=[8]))[1]


def test_a_reference_that_takes_nothing_is_left_to_its_real_run(write):
    path = write("import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        raise ValueError('no')\n"
                 "def get_inputs():\n    return [torch.randn(3, 5)]\ndef get_init_inputs():\n    return []\n")
    assert refusals(path, case([3, 5]), case([1, 1])) == [None, None]
