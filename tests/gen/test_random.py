"""Random pointwise modules through the whole road: each passes, or is refused with the line of the file. A seed is a module;
to look at one again: `python -c "from modules import random_module; print(random_module(SEED))"` in this folder."""

from __future__ import annotations

import pytest

from modules import random_module
from road import LOCATION, Road, generate

QUICK = [4, 10, 28, 103, 253]  # a few of many kinds: broadcasts, gathered and masked operands, several outputs
MANY = range(1000, 1100)
BATCH = 10


def wrong(road: Road) -> str:
    """What is wrong with it; empty when it passed, or was refused in the way users can act on."""
    if road.verdict == "PASS":
        return ""
    if road.verdict == "REFUSED" and LOCATION.search(road.error):
        return ""
    return f"{road.name}: {road.verdict} {road.failed_cases()[:3]} outputs {road.failed_outputs()}\n{road.error[-1500:]}"


def check(folder, seeds) -> None:
    roads = generate(folder, {f"random_{seed}": random_module(seed) for seed in seeds})
    failures = [text for text in map(wrong, roads.values()) if text]
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("seed", QUICK)
def test_a_few(tmp_path, seed):
    check(tmp_path, [seed])


@pytest.mark.slow
@pytest.mark.parametrize("first", MANY[::BATCH])
def test_many(tmp_path, first):
    check(tmp_path, range(first, first + BATCH))


def test_modules_run_in_pytorch():
    """The modules themselves are right, and the same for a seed."""
    for seed in range(300):
        text = random_module(seed)
        assert text == random_module(seed)
        scope: dict = {}
        exec(text, scope)  # pylint: disable=exec-used
        scope["Model"](*scope["get_init_inputs"]())(*scope["get_inputs"]())
