"""Graphs of results whose size depends on values."""

from __future__ import annotations

from typing import Any

import pytest

from bridge import trace
from bridge.errors import BridgeError

OPS = ["opwright.selected_count.default", "opwright.selected.default", "opwright.coordinate.default", "opwright.coordinates.default",
       "aten.index_select.default", "aten.sum.default", "aten.sum.dim_IntList", "aten.mean.default", "aten.sort.default"]


def graph_of(tmp_path: Any, body: str, inputs: str = "torch.randn(5, 7), torch.rand(5, 7) > 0.5") -> dict[str, Any]:
    path = tmp_path / "selected.py"
    path.write_text(f"import torch\nclass Model(torch.nn.Module):\n    def forward(self, x, m):\n        {body}\ndef get_inputs():\n    return [{inputs}]\n")
    return trace.build_graph(str(path), OPS)


def nodes_of(graph: dict[str, Any]) -> list[str]:
    return [n["op"] for n in graph["nodes"]]


def test_cut_outputs(tmp_path: Any) -> None:
    """Sizes are what they are at most, one count for each mask stands behind the results."""
    graph = graph_of(tmp_path, "return x[m], x.sum(), torch.nonzero(m).t(), torch.nonzero(x[0])")
    assert [o.get("cut") for o in graph["outputs"]] == [{"dim": 0, "count": 4}, None, {"dim": 1, "count": 4}, {"dim": 0, "count": 5}, None, None]
    assert [o.get("is_count", False) for o in graph["outputs"]] == [False] * 4 + [True] * 2
    shapes = {n["id"]: n["shape"] for n in graph["nodes"]}
    assert [shapes[o["ref"]] for o in graph["outputs"]] == [["s0*s1"], [], [2, "s0*s1"], ["s1", 1], [1], [1]]


def test_rows(tmp_path: Any) -> None:
    graph = graph_of(tmp_path, "return x[m[:, 0]]")
    assert "aten.index_select.default" in nodes_of(graph) and graph["outputs"][0]["cut"] == {"dim": 0, "count": 1}


def test_mean_is_over_the_count(tmp_path: Any) -> None:
    graph = graph_of(tmp_path, "y = x[m]\n        return (y * 2).mean(), y.sum() / y.shape[0]")
    assert all("cut" not in o for o in graph["outputs"])
    assert "aten.mean.default" not in nodes_of(graph) and nodes_of(graph).count("aten.where.self") == 2


@pytest.mark.parametrize("body", ["return torch.sort(x[m])", "return x[m].reshape(-1, 2)", "return torch.nonzero(m).view(2, -1)", "return torch.nonzero(m).reshape(-1)", "return torch.cat([x[m], x[0]])", "return x[:x[m].shape[0]]", "return torch.bincount(m.reshape(-1).int())",
                                  "y = x[m]\n        return x if y.shape[0] > 3 else x + 1"])
def test_refused(tmp_path: Any, body: str) -> None:
    with pytest.raises(BridgeError) as error:
        graph_of(tmp_path, body)
    assert error.value.code == "unsupported" and error.value.line >= 4
