"""Losses as what the generator's family reduce knows: one look at the logits, then a sum over what came of each row."""

from __future__ import annotations

from typing import Any

import torch

aten = torch.ops.aten
NONE, MEAN, SUM = 0, 1, 2

LIBRARY = torch.library.Library("opwright", "FRAGMENT")
LIBRARY.define("label_loss(Tensor self, Tensor target, Tensor? weight, int reduction, int ignore_index) -> (Tensor, Tensor)")


def rows_of(x: Any) -> list[Any]:
    """The shape of x without its classes."""
    return [*x.shape[:1], *x.shape[2:]] if x.dim() > 1 else []


def _meta(x: Any, target: Any, weight: Any, reduction: Any, ignore_index: Any) -> Any:
    shape = rows_of(x)
    return x.new_empty(shape), x.new_empty(shape)


LIBRARY.impl("label_loss", _meta, "Meta")
LIBRARY.define("label_grad(Tensor self, Tensor target, Tensor grad, Tensor? weight, int reduction, int ignore_index) -> Tensor")
LIBRARY.impl("label_grad", lambda x, target, grad, weight, reduction, ignore_index: torch.empty_like(x), "Meta")


def cross_entropy(x: Any, target: Any, weight: Any = None, reduction: int = MEAN, ignore_index: Any = -100, label_smoothing: float = 0.0) -> Any:
    """Each row's loss and weight, in place of a matrix of logarithms that is written and read again."""
    shape = rows_of(x)
    if label_smoothing != 0.0 or target.is_floating_point() or target.dim() != len(shape):
        return NotImplemented
    if any(a != b for a, b in zip(target.shape, shape)):  # sizes that are asked so are equal from here on
        return NotImplemented
    rows, weights = torch.ops.opwright.label_loss(x, target, weight, NONE, int(ignore_index))
    if reduction == NONE:
        return rows
    return rows.sum() / weights.sum() if reduction == MEAN else rows.sum()


def nll_backward(grad: Any, x: Any, target: Any, weight: Any, reduction: int, ignore_index: Any, total_weight: Any) -> Any:
    """The gradient stands at the label of each row, zeros elsewhere. What rows weigh together is summed of the labels: it does not wait for
    the loss."""
    shape = rows_of(x)
    if x.dim() < 2 or any(a != b for a, b in zip(target.shape, shape)):
        return NotImplemented
    ignore_index = int(ignore_index)
    if reduction == MEAN:
        if weight is None:
            weights = (target != ignore_index).to(torch.float32)
        else:
            like = weight.reshape([1, -1, *[1] * (x.dim() - 2)]).expand(x.shape)
            weights = torch.ops.opwright.label_loss(like, target, weight, NONE, ignore_index)[1]
        grad = grad / weights.sum()
    rows = (-grad).to(x.dtype).expand(shape)
    return torch.ops.opwright.label_grad(x, target, rows, weight, NONE, ignore_index)


def decompositions() -> dict[Any, Any]:
    """By operator, in the form of PyTorch's decomposition tables."""
    return {aten.cross_entropy_loss.default: cross_entropy, aten.nll_loss_backward.default: nll_backward,
            aten.nll_loss2d_backward.default: nll_backward}
