"""Random modules of several families through the whole road: one operator each, and right. A seed is a module; to look at one
again: `python -c "from compositions import random_composition; print(random_composition(SEED))"` in this folder."""

from __future__ import annotations

import pytest

from compositions import STAGES, random_composition
from road import generate

QUICK = [1, 15, 40]
MANY = range(1000, 1100)
BATCH = 10


def check(folder, seeds) -> None:
    roads = generate(folder, {f"chain_{seed}": random_composition(seed) for seed in seeds}, "--strict")
    failures = [f"{r.name}: {r.verdict} {r.failed_cases()[:3]}\n{r.error[-1500:]}" for r in roads.values() if r.verdict != "PASS"]
    assert not failures, "\n".join(failures)


def test_a_few(tmp_path):
    check(tmp_path, QUICK)


@pytest.mark.slow
@pytest.mark.parametrize("first", MANY[::BATCH])
def test_many(tmp_path, first):
    check(tmp_path, range(first, first + BATCH))


def test_modules_run_in_pytorch():
    """The modules themselves are right, the same for a seed, and use every stage."""
    text = ""
    for seed in range(200):
        module = random_composition(seed)
        assert module == random_composition(seed)
        scope: dict = {}
        exec(module, scope)  # pylint: disable=exec-used
        result = scope["Model"]()(*scope["get_inputs"]())
        assert all(t.isfinite().all() and t.abs().max() < 1000 for t in (result if isinstance(result, tuple) else (result,)))
        text += module
    assert all(word in text for word in ("softmax", "index_add", "cumsum", "sort", "topk", "permute", "cat", "roll", "pool2d", "interpolate", "gather"))
    assert len(STAGES) == len(set(STAGES))
