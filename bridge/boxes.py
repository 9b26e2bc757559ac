"""Boxes that do not overlap better ones.

`keep_apart` takes boxes in the order of their scores, rows (x1, y1, x2, y2) of float32, their places in the input and how many of them
count. It keeps a box unless its intersection over union with one that is kept already is no less than the threshold, `most` of them at most, and gives their places,
with 0 behind them, and their number.
"""

from __future__ import annotations

from typing import Any

import torch

LIBRARY = torch.library.Library("opwright", "FRAGMENT")
LIBRARY.define("keep_apart(Tensor boxes, Tensor places, Tensor count, SymInt most, float threshold) -> (Tensor, Tensor)")
LIBRARY.impl("keep_apart", lambda boxes, places, count, most, threshold: (places.new_empty([most]), places.new_empty([])), "Meta")


def nms(boxes: torch.Tensor, scores: torch.Tensor, max_output_size: Any, iou_threshold: Any, scores_threshold: Any,
        pad_to_max_output_size: bool = False) -> tuple[torch.Tensor, torch.Tensor]:
    """Of boxes whose score is greater than scores_threshold, best first, max_output_size places at most, 0 behind them, and how many they are: int32."""
    scores = scores.float().expand(boxes.shape[:1])
    counts = scores > scores_threshold
    _, order = torch.sort(torch.where(counts, scores, float("-inf")), descending=True, stable=True)
    ends = torch.stack(boxes.float().unbind(1)[:4], 1) if boxes.shape[1] != 4 else boxes.float()
    count = torch.sum(counts.to(torch.int32), dtype=torch.int32).reshape([1])
    kept, n = torch.ops.opwright.keep_apart(torch.index_select(ends, 0, order), order.to(torch.int32), count, max_output_size, iou_threshold)
    return kept, n


def _keep_apart(boxes: torch.Tensor, places: torch.Tensor, count: torch.Tensor, most: int, threshold: float) -> Any:
    """With data, for comparing programs: one box after the other."""
    kept, out = places.new_zeros([most]), torch.zeros(boxes.shape[0], dtype=torch.bool)
    x1, y1, x2, y2 = boxes.unbind(1)
    area, n = (x2 - x1) * (y2 - y1), 0
    for i in range(int(count)):
        if out[i] or n >= most:
            continue
        kept[n], n = places[i], n + 1
        width, height = torch.minimum(x2, x2[i]) - torch.maximum(x1, x1[i]), torch.minimum(y2, y2[i]) - torch.maximum(y1, y1[i])
        common = width.clamp(min=0) * height.clamp(min=0)
        out |= common / (area[i] + area - common).clamp(min=1e-6) >= threshold
    return kept, places.new_full([], n)


LIBRARY.impl("keep_apart", _keep_apart, "CPU")
