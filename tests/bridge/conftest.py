"""The bridge is imported as a package from the repository's root; modules are written to a temporary folder."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Callable

import pytest

ROOT = Path(__file__).resolve().parents[2]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., str]:
    """write(text, name="ref.py") -> path of a file with that text."""

    def write_file(text: str, name: str = "ref.py") -> str:
        path = tmp_path / name
        path.write_text(text)
        return str(path)

    return write_file


@pytest.fixture
def reference(write: Callable[..., str]) -> Callable[..., str]:
    """reference(forward body, inputs, ...) -> path of a reference file."""

    def make(body: str, inputs: str = "torch.rand(4, 5)", args: str = "x", init: str = "", init_args: str = "", init_inputs: str = "",
             top: str = "", name: str = "ref.py") -> str:
        lines = ["import torch", "import torch.nn as nn", "import torch.nn.functional as F", top, "class Model(nn.Module):"]
        if init or init_args:
            lines += [f"    def __init__(self{', ' + init_args if init_args else ''}):", "        super(Model, self).__init__()"]
            lines += ["        " + line for line in init.split("\n")]
        lines += [f"    def forward(self, {args}):"] + ["        " + line for line in body.split("\n")]
        lines += ["def get_inputs():", f"    return [{inputs}]", "def get_init_inputs():", f"    return [{init_inputs}]"]
        return write("\n".join(lines) + "\n", name)

    return make


@pytest.fixture
def graph_of(reference: Callable[..., str]) -> Callable[..., Any]:
    """graph_of(body, ...) -> traced graph, with the operators of KEEP whole."""
    from bridge import trace

    def make(body: str, *args: Any, keep: tuple[str, ...] = KEEP, **kwargs: Any) -> Any:
        return trace.build_graph(reference(body, *args, **kwargs), list(keep))

    return make


KEEP = tuple("aten." + name for name in """
add.Tensor add.Scalar sub.Tensor mul.Tensor mul.Scalar div.Tensor gelu.default relu.default elu.default silu.default mish.default
hardswish.default softplus.default logit.default addcmul.default lerp.Scalar lerp.Tensor where.self clamp.default clamp.Tensor
square.default pow.Tensor_Scalar maximum.default sigmoid.default tanh.default leaky_relu.default gt.Scalar lt.Scalar masked_fill.Scalar
bitwise_and.Tensor neg.default exp.default
""".split())
