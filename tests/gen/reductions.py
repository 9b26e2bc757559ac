"""Random modules with reductions, the same ones for a seed: pointwise work, one or two reductions along random dimensions,
pointwise work on what they give. Sizes are fixed by the module, so that each has few cases; values keep sums away from 0."""

from __future__ import annotations

import random
from typing import List, Tuple

SIZES = (1, 2, 3, 7, 8, 31, 63, 64, 65, 127, 128, 129, 250, 257, 513)
LARGEST = 60000

BEFORE = ("x", "x * y", "x + y.abs()", "torch.exp(-x.abs()) + 0.1", "torch.sigmoid(x) + y * y", "x.clamp(0.1, 4)", "torch.where(y > 1, x, y)")
# Of values that are positive; {d} the dimensions, {k} keepdim.
REDUCTIONS = ("{v}.sum(dim={d}, keepdim={k})", "{v}.mean(dim={d}, keepdim={k})", "{v}.amax(dim={d}, keepdim={k})",
              "{v}.amin(dim={d}, keepdim={k})", "{v}.var(dim={d}, keepdim={k}, correction=0) + 1", "torch.logsumexp({v}, dim={d}, keepdim={k})",
              "torch.linalg.vector_norm({v}, dim={d}, keepdim={k})")
ONE_DIM = ("torch.softmax({v}, dim={d})", "{v} / {v}.sum(dim={d}, keepdim=True)", "{v} - torch.logsumexp({v}, dim={d}, keepdim=True) - 3",
           "{v} / {v}.amax(dim={d}, keepdim=True)")
EXACT = ("{v}.argmax(dim={d}, keepdim={k})", "{v}.argmin(dim={d}, keepdim={k})", "({v} > 1).any(dim={d}, keepdim={k})",
         "({v} > 0.2).all(dim={d}, keepdim={k})")
AFTER = ("r", "r * 2 + 1", "torch.sqrt(r.abs() + 0.5)", "r, r * 0.5")


def random_shape(rng: random.Random) -> List[int]:
    shape: List[int] = []
    for _ in range(rng.choice((1, 2, 2, 3, 3, 4, 5))):
        room = LARGEST
        for n in shape:
            room //= n
        shape.append(rng.choice([n for n in SIZES if n <= max(1, room)]))
    rng.shuffle(shape)
    return shape


def random_dims(rng: random.Random, rank: int) -> Tuple[int, ...]:
    dims = [d for d in range(rank) if rng.random() < 0.45] or [rng.randrange(rank)]
    return tuple(d if rng.random() < 0.7 else d - rank for d in dims)


def random_reduction(seed: int) -> str:
    rng = random.Random(seed)
    shape = random_shape(rng)
    rank = len(shape)
    dims, one, keep = random_dims(rng, rank), rng.randrange(rank), rng.random() < 0.5
    kind = rng.random()
    if kind < 0.45:
        expression = rng.choice(REDUCTIONS).format(v="v", d=dims, k=keep)
    elif kind < 0.75:
        expression = rng.choice(ONE_DIM).format(v="v", d=one)
    elif kind < 0.87:
        expression = rng.choice(EXACT).format(v="v", d=one, k=keep)
    else:
        expression = f"v / (1 + {rng.choice(REDUCTIONS[:5]).format(v='v', d=dims, k=True)})"
    after = "r" if kind >= 0.75 and kind < 0.87 else rng.choice(AFTER)
    size = ", ".join(map(str, shape))
    return (f"import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x, y):\n        x = x * torch.ones({size})\n"
            f"        v = {rng.choice(BEFORE)}\n        r = {expression}\n        return {after}\n\n\ndef get_inputs():\n"
            f"    return [torch.rand({size}) * 2 + 0.1, torch.rand({size}) + 0.5]\n\n\ndef get_init_inputs():\n    return []\n")
