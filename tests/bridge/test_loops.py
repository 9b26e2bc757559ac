"""Programs that decide on values are known by what they do, never by what they are called."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import torch

from bridge import boxes, loops, reference, trace
from bridge.errors import BridgeError

CORPUS = (Path(__file__).resolve().parents[1] / "corpus" / "boxes" / "keep_apart.py").read_text()


def graph_of(tmp_path: Any, text: str) -> dict[str, Any]:
    path = tmp_path / "anything.py"
    path.write_text(text)
    return trace.build_graph(str(path), ["opwright.keep_apart.default", "opwright.in_order.default"])


def test_found_by_what_it_does(tmp_path: Any) -> None:
    graph = graph_of(tmp_path, CORPUS.replace("boxes", "a").replace("scores", "b").replace("common", "c"))
    assert "opwright.keep_apart.default" in [n["op"] for n in graph["nodes"]]
    assert graph["symbols"] == {"s0": {"hint": 300}} and any("decides on values" in n for n in graph["notes"])


@pytest.mark.parametrize("old, new", [(">= overlap", "> overlap"), ("scores > least", "scores >= least"), ("min=1e-6", "min=1e-9"), ("descending=True", "descending=False"),
                                      ("places[n] = i", "places[n] = i + 1"), ("is_out |=", "is_out ="), ("dtype=torch.int32)", "dtype=torch.int64)"),
                                      ("area = (right - left)", "area = (right - left + 1)")])
def test_nearly_is_not_enough(tmp_path: Any, old: str, new: str) -> None:
    assert old in CORPUS
    path = tmp_path / "anything.py"
    path.write_text(CORPUS.replace(old, new))
    ref = reference.load(str(path))
    assert loops.find(ref, [], ref.get_inputs()) is None


def test_refused_without_one(tmp_path: Any) -> None:
    with pytest.raises(BridgeError) as error:
        graph_of(tmp_path, CORPUS.replace(">= overlap", "> overlap"))
    assert error.value.code == "unsupported" and error.value.line >= 6


def test_with_data() -> None:
    """Of four boxes the second overlaps the first, the fourth has too low a score."""
    rows = torch.tensor([[0.0, 0, 2, 2], [0, 0, 2, 1.5], [5, 5, 6, 6], [9, 9, 10, 10]])
    kept, n = boxes.nms(rows, torch.tensor([0.9, 0.95, 0.5, 0.1]), 3, 0.7, 0.2)
    assert kept.tolist() == [1, 2, 0] and int(n) == 2 and kept.dtype == torch.int32
