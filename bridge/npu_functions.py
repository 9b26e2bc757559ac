"""What references call that the PyTorch of a CPU lacks: functions of torch_npu, written with PyTorch as their documentation
defines them, and operators of aten that only devices have. They stand in while a reference runs, never for a candidate.
"""

from __future__ import annotations

import contextlib
import sys
from types import ModuleType
from typing import Any, Callable, Iterator

import torch

from .npu_fused import FUSED

aten = torch.ops.aten


def apply_adam(beta1_power: float, beta2_power: float, lr: float, beta1: float, beta2: float, epsilon: float, grad: torch.Tensor,
               use_locking: bool = False, use_nesterov: bool = False, *, out: tuple[torch.Tensor, torch.Tensor, torch.Tensor]) -> Any:
    """One step of Adam on out = (var, m, v), which it changes; 16-bit tensors are computed in float32."""
    var, m, v, g = (_wide(t) for t in (*out, grad))
    m = beta1 * m + (1 - beta1) * g
    v = beta2 * v + (1 - beta2) * g * g
    rate = lr * (1 - beta2_power) ** 0.5 / (1 - beta1_power)
    step = beta1 * m + (1 - beta1) * g if use_nesterov else m
    for old, new in zip(out, (var - rate * step / (torch.sqrt(v) + epsilon), m, v)):
        old.copy_(new)
    return out


def iou(bboxes: torch.Tensor, gtboxes: torch.Tensor, mode: int = 0) -> torch.Tensor:
    """How far boxes (x1, y1, x2, y2) cover each other, a row for each of gtboxes: the common area over that of both (mode 0) or of gtboxes' (mode 1)."""
    if mode not in (0, 1):
        raise ValueError(f"mode is 0 (over the union) or 1 (over gtboxes), not {mode}")
    box, truth = bboxes.float().unsqueeze(0), gtboxes.float().unsqueeze(1)
    low, high = torch.maximum(box[..., :2], truth[..., :2]), torch.minimum(box[..., 2:], truth[..., 2:])
    common = torch.prod((high - low).clamp(min=0), -1)
    whole = _area(box) + _area(truth) - common if mode == 0 else _area(truth)
    return (common / whole.clamp(min=1e-10)).to(bboxes.dtype)


def _area(box: torch.Tensor) -> torch.Tensor:
    return (box[..., 2] - box[..., 0]) * (box[..., 3] - box[..., 1])


def dynamic_quant(x: torch.Tensor, *, smooth_scales: torch.Tensor | None = None, group_index: torch.Tensor | None = None,
                  dst_type: torch.dtype | None = None) -> tuple[torch.Tensor, torch.Tensor]:
    """Each row as int8 and the scale that it was divided by, which takes its largest magnitude to 127."""
    if group_index is not None or dst_type not in (None, torch.int8):
        raise NotImplementedError("npu_dynamic_quant: groups and other types than int8 are not known here, write them with torch functions")
    wide = x.float() if smooth_scales is None else x.float() * smooth_scales.float()
    scale = (wide.abs().amax(-1, keepdim=True) / 127.0).clamp(min=1e-10)
    return torch.round(wide / scale).clamp(-128, 127).to(torch.int8), scale.squeeze(-1)


def _wide(t: torch.Tensor) -> torch.Tensor:
    return t.float() if t.dtype in (torch.float16, torch.bfloat16) else t


FUNCTIONS: dict[str, Callable[..., Any]] = {"npu_apply_adam": apply_adam, "npu_dynamic_quant": dynamic_quant, "npu_iou": iou, **FUSED}
OPERATORS: dict[str, tuple[str, Callable[..., Any]]] = {
    "relu_backward": ("(Tensor grad_output, Tensor self) -> Tensor", lambda grad_output, self: aten.threshold_backward(grad_output, self, 0))}
LIBRARY = torch.library.Library("aten", "FRAGMENT")
for _name, (_schema, _function) in OPERATORS.items():
    if not hasattr(aten, _name):
        LIBRARY.define(_name + _schema)
        LIBRARY.impl(_name, _function, "CompositeImplicitAutograd")


@contextlib.contextmanager
def standing_in() -> Iterator[None]:
    """`import torch_npu` gives FUNCTIONS."""
    module = ModuleType("torch_npu")
    module.__getattr__ = _unknown  # type: ignore[method-assign]
    for name, function in FUNCTIONS.items():
        setattr(module, name, function)
    before = sys.modules.get("torch_npu")
    sys.modules["torch_npu"] = module
    try:
        yield
    finally:
        if before is None:
            del sys.modules["torch_npu"]
        else:
            sys.modules["torch_npu"] = before


def _unknown(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    raise AttributeError(f"torch_npu.{name} is not known here ({', '.join(FUNCTIONS)} are): the reference runs on the CPU, write it with torch functions")
