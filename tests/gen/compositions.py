"""Random modules that put stages of several families one after the other, the same ones for a seed: pointwise work,
reductions, normalisations, gathers and scatters, scans, sorts, layouts, pooling, resizing. Sizes are fixed by the module.
Values stay between about 0.1 and 10 and no stage subtracts what is nearly equal, so that a correct operator passes whatever
the order of rounding. Indices of computed values are left out: where two values round to one, either index is right."""

from __future__ import annotations

import math
import random
from typing import Callable, List, Optional, Tuple

Shape = Tuple[int, ...]
SIZES = (1, 2, 3, 5, 7, 8, 16, 17, 31, 33, 64, 65, 127, 200, 257, 1031)
LARGEST = 40000


class Chain:
    """Statements so far; `v` is always the last value, of shape `shape`, positive and tame."""

    def __init__(self, rng: random.Random, shape: Shape) -> None:
        self.rng, self.shape = rng, shape
        self.lines: List[str] = []
        self.inputs: List[str] = [f"torch.rand{shape} * 2 + 0.1"]

    def add(self, text: str, shape: Shape) -> None:
        self.lines.append(f"v = {text}")
        self.shape = shape

    def new_input(self, text: str) -> str:
        self.inputs.append(text)
        return f"x{len(self.inputs) - 1}"

    def axis(self) -> int:
        return self.rng.randrange(len(self.shape))

    def with_axis(self, axis: int, n: int) -> Shape:
        return self.shape[:axis] + (n,) + self.shape[axis + 1:]


def pointwise(c: Chain) -> bool:
    text = c.rng.choice(("torch.sigmoid(v) + 0.1", "v * 0.5 + 0.2", "torch.sqrt(v)", "torch.exp(-v) + 0.1", "torch.where(v > 1, v, v * v + 0.1)",
                         "v.clamp(0.2, 3)", "F.silu(v) + 0.1", "F.gelu(v) + 0.2", "torch.tanh(v) + 0.1", "v / (v + 0.5)"))
    c.add(text, c.shape)
    return True


def binary(c: Chain) -> bool:
    """With another tensor that broadcasts along some dimensions."""
    other = tuple(1 if c.rng.random() < 0.4 else n for n in c.shape)[c.rng.randrange(len(c.shape) + 1):]
    if not other:
        return False
    c.add(c.rng.choice(("v + {}", "v * {}", "v / {}", "torch.maximum(v, {})")).format(c.new_input(f"torch.rand{other} + 0.5")), c.shape)
    return True


def reduction(c: Chain) -> bool:
    rank = len(c.shape)
    dims = tuple(d for d in range(rank) if c.rng.random() < 0.4) or (c.rng.randrange(rank),)
    keep = rank == len(dims) or c.rng.random() < 0.5
    text = c.rng.choice(("v.mean(dim={d}, keepdim={k})", "v.amax(dim={d}, keepdim={k})", "v.amin(dim={d}, keepdim={k})",
                         "v.var(dim={d}, keepdim={k}, correction=0) + 0.5", "torch.logsumexp(v * 0.5, dim={d}, keepdim={k}) + 1",
                         "torch.linalg.vector_norm(v, dim={d}, keepdim={k}) * 0.2 + 0.1"))
    kept = tuple(1 if d in dims else n for d, n in enumerate(c.shape))
    c.add(text.format(d=dims, k=keep), kept if keep else tuple(n for d, n in enumerate(c.shape) if d not in dims))
    return True


def back(c: Chain) -> bool:
    """A reduction that the value itself is then divided by or scaled with."""
    d = c.axis()
    text = c.rng.choice(("torch.softmax(v, dim={d}) * 3 + 0.2", "v / v.mean(dim={d}, keepdim=True)", "v / (v.amax(dim={d}, keepdim=True) + 0.1)",
                         "v * torch.rsqrt(v.pow(2).mean({d}, keepdim=True) + 1e-3)", "v * v.sum({d}, keepdim=True).sigmoid() + 0.1",
                         "F.layer_norm(v, v.shape[-1:]).abs().clamp(max=4) + 1", "F.log_softmax(v, dim={d}).abs() + 0.1"))
    c.add(text.format(d=d), c.shape)
    return True


def picked(c: Chain) -> bool:
    """Gathers: index_select, an embedding's rows, take_along_dim, advanced indices."""
    d, n = c.axis(), c.rng.choice((1, 3, 8, 20, 67))
    if math.prod(c.shape) // c.shape[d] * n > LARGEST:
        return False
    if c.rng.random() < 0.6 or len(c.shape) < 2:
        index = c.new_input(f"torch.randint(0, {c.shape[d]}, ({n},))")
        c.add(f"v.index_select({d}, {index})" if c.rng.random() < 0.5 or d else f"v[{index}]", c.with_axis(d, n))
        return True
    shape = c.with_axis(d, n)
    c.add(f"torch.gather(v, {d}, {c.new_input(f'torch.randint(0, {c.shape[d]}, {shape})')})", shape)
    return True


def scattered(c: Chain) -> bool:
    """Not of a single row: where sizes change, a million of its numbers may go to one sum, which loses digits in PyTorch, too."""
    d, n = c.axis(), c.rng.choice((9, 30, 100))
    if len(c.shape) < 2:
        return False
    index = c.new_input(f"torch.randint(0, {n}, ({c.shape[d]},))")
    if math.prod(c.shape) // c.shape[d] * n > LARGEST:
        return False
    shape = c.with_axis(d, n)
    c.add(f"torch.ones{shape}.to(v.dtype).index_add({d}, {index}, v) * 0.3", shape)
    return True


def scan(c: Chain) -> bool:
    d = c.axis()
    c.add(c.rng.choice((f"torch.cumsum(v, {d}) * {1 / c.shape[d]:.4f} + 0.1", f"torch.cummax(v, {d})[0]",
                        f"torch.cumsum(v.flip({d}), {d}).flip({d}) * {1 / c.shape[d]:.4f} + 0.1")), c.shape)
    return True


def sort(c: Chain) -> bool:
    d = len(c.shape) - 1
    if c.rng.random() < 0.5:
        c.add(f"torch.sort(v, dim={d}, descending={c.rng.random() < 0.5})[0]", c.shape)
        return True
    k = c.rng.randint(1, min(8, c.shape[d]))
    c.add(f"torch.topk(v, {k}, dim={d})[0]", c.with_axis(d, k))
    return True


def permuted(c: Chain) -> bool:
    order = list(range(len(c.shape)))
    c.rng.shuffle(order)
    c.add(f"v.permute({', '.join(map(str, order))})", tuple(c.shape[i] for i in order))
    return True


def joined(c: Chain) -> bool:
    d, n = c.axis(), c.rng.choice((1, 3, 16))
    if math.prod(c.shape) * (c.shape[d] + n) // c.shape[d] > LARGEST:
        return False
    other = c.new_input(f"torch.rand{c.with_axis(d, n)} + 0.2")
    c.add(f"torch.cat([v, {other}], dim={d})", c.with_axis(d, c.shape[d] + n))
    return True


def moved(c: Chain) -> bool:
    """Layouts that keep or cut the size of one axis: flip, roll, slices, repeats, padding."""
    d = c.axis()
    n, rank = c.shape[d], len(c.shape)
    kind = c.rng.choice(("flip", "roll", "narrow", "step", "pad", "repeat", "half"))
    if kind == "flip":
        c.add(f"v.flip({d})", c.shape)
    elif kind == "roll":
        c.add(f"torch.roll(v, {c.rng.randint(-3, 3)}, {d})", c.shape)
    elif kind == "narrow" and n > 2:
        c.add(f"v.narrow({d}, 1, {n - 2})", c.with_axis(d, n - 2))
    elif kind == "step" and n > 1:
        c.add(f"v[{':, ' * d}::2]", c.with_axis(d, (n + 1) // 2))
    elif kind == "pad" and math.prod(c.shape) // n * (n + 3) <= LARGEST:
        c.add(f"F.pad(v, ({'0, 0, ' * (rank - 1 - d)}1, 2), value=0.5)", c.with_axis(d, n + 3))
    elif kind == "repeat" and math.prod(c.shape) * 2 <= LARGEST:
        c.add(f"v.repeat_interleave(2, dim={d})", c.with_axis(d, 2 * n))
    elif kind == "half" and n > 1:
        c.add(f"v.chunk(2, dim={d})[0] * 1.5", c.with_axis(d, (n + 1) // 2))
    else:
        return False
    return True


def reshaped(c: Chain) -> bool:
    if len(c.shape) < 2:
        return False
    d = c.rng.randrange(len(c.shape) - 1)
    c.add(f"v.flatten({d}, {d + 1})", c.shape[:d] + (c.shape[d] * c.shape[d + 1],) + c.shape[d + 2:])
    return True


def windowed(c: Chain) -> bool:
    """Pooling and resizing of (N, C, H, W)."""
    if len(c.shape) != 4 or min(c.shape[2:]) < 3 or max(c.shape[2:]) > 70:
        return False
    n, m, h, w = c.shape
    kind = c.rng.choice(("max", "avg", "global", "nearest", "bilinear"))
    if kind in ("max", "avg"):
        c.add(f"F.{kind}_pool2d(v, 3, stride=2, padding=1)", (n, m, (h - 1) // 2 + 1, (w - 1) // 2 + 1))
    elif kind == "global":
        c.add("F.adaptive_avg_pool2d(v, 1)", (n, m, 1, 1))
    elif math.prod(c.shape) * 4 > LARGEST:
        return False
    else:
        c.add(f"F.interpolate(v, scale_factor=2, mode='{kind}')", (n, m, 2 * h, 2 * w))
    return True


STAGES: List[Callable[[Chain], bool]] = [pointwise, binary, reduction, back, picked, scattered, scan, sort, permuted, joined, moved, reshaped, windowed]


def random_shape(rng: random.Random) -> Shape:
    if rng.random() < 0.3:
        return (rng.choice((1, 2)), rng.choice((1, 3, 8)), rng.choice((7, 14, 15, 32)), rng.choice((7, 14, 17, 33)))
    shape: List[int] = []
    for _ in range(rng.choice((1, 2, 2, 3, 3))):
        shape.append(rng.choice([n for n in SIZES if n <= max(1, LARGEST // math.prod(shape))]))
    rng.shuffle(shape)
    return tuple(shape)


def random_composition(seed: int, stages: Optional[List[Callable[[Chain], bool]]] = None) -> str:
    """The text of a reference file; stages: those to choose from, all when left out."""
    rng = random.Random(seed)
    c = Chain(rng, random_shape(rng))
    want = rng.randint(2, 5)
    while want and c.shape:
        if rng.choice(stages or STAGES)(c):
            want -= 1
    names = ", ".join(f"x{i}" for i in range(len(c.inputs)))
    body = "\n        ".join(["v = x0", *c.lines, rng.choice(("return v", "return v", "return v * 2, v + 1"))])
    inputs = ", ".join(c.inputs)
    return ("import torch\nimport torch.nn.functional as F\n\n\nclass Model(torch.nn.Module):\n"
            f"    def forward(self, {names}):\n        {body}\n\n\ndef get_inputs():\n    return [{inputs}]\n\n\ndef get_init_inputs():\n    return []\n")
