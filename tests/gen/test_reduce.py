"""Reductions through the whole road: random modules over random shapes and dimensions, each against PyTorch in float64 in
every dtype; and those forms whose text takes several ways (long rows, rows shared by cores, several axes)."""

from __future__ import annotations

import pytest

from reductions import random_reduction
from road import LOCATION, Road, generate

QUICK = [1, 5, 8, 16]
MANY = range(100, 200)
BATCH = 10

HEAD = "import torch\nimport torch.nn.functional as F\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x{more}):\n        return {body}\n\n\n"
TAIL = "def get_inputs():\n    return [{inputs}]\n\n\ndef get_init_inputs():\n    return []\n"


def module(body: str, *inputs: str) -> str:
    more = "".join(f", {name}" for name in "yz"[:len(inputs) - 1])
    return HEAD.format(more=more, body=body) + TAIL.format(inputs=", ".join(inputs))


# Forms with sizes that change from call to call: rows that fit, rows that do not, few rows for many cores.
FORMS = {
    "softmax_rows": module("torch.softmax(x, -1)", "torch.randn(64, 1000)"),
    "norm_columns": module("x / torch.sqrt(torch.mean(x * x, dim=1, keepdim=True) + 1e-5)", "torch.randn(3, 16, 60)"),
    "argmax_middle": module("torch.argmax(x, dim=1)", "torch.randn(5, 40, 33)"),
    "label_loss": module("F.cross_entropy(x, y)", "torch.randn(40, 30)", "torch.randint(0, 30, (40,))"),
}
SLOW_FORMS = {
    "batch_norm": module("F.batch_norm(x, None, None, training=True)", "torch.rand(6, 16, 10, 10)"),
    "group_norm": module("F.group_norm(x, 4)", "torch.rand(6, 16, 10, 10)"),
    "instance_norm": module("F.instance_norm(x)", "torch.rand(6, 16, 10, 10)"),
    "layer_norm": module("F.layer_norm(x, x.shape[2:])", "torch.rand(6, 16, 100)"),
    "huber": module("F.huber_loss(x, y)", "torch.randn(60, 70)", "torch.randn(60, 70)"),
    "triplet": module("F.triplet_margin_loss(x, y, z)", *["torch.randn(60, 70)"] * 3),
    "several_outputs": module("(x.sum(-1), x.amax(-1), torch.softmax(x, -1), x.var(-1))", "torch.rand(60, 70)"),
    "product": module("x.prod(1)", "torch.rand(20, 30) + 0.5"),
    "transposed": module("torch.softmax(x.transpose(1, 2), -1)", "torch.randn(4, 20, 30)"),
    "two_stages": module("x.amax(-1).sum()", "torch.rand(40, 50) + 1"),
}


def wrong(road: Road) -> str:
    if road.verdict == "PASS" or (road.verdict == "REFUSED" and LOCATION.search(road.error)):
        return ""
    return f"{road.name}: {road.verdict} {road.failed_cases()[:3]} outputs {road.failed_outputs()}\n{road.error[-1500:]}"


def check(roads) -> None:
    failures = [text for text in map(wrong, roads.values()) if text]
    assert not failures, "\n".join(failures)


def test_random_reductions(tmp_path):
    check(generate(tmp_path, {f"reduce_{seed}": random_reduction(seed) for seed in QUICK}))


@pytest.mark.slow
@pytest.mark.parametrize("first", MANY[::BATCH])
def test_many_random_reductions(tmp_path, first):
    check(generate(tmp_path, {f"reduce_{seed}": random_reduction(seed) for seed in range(first, first + BATCH)}))


def test_label_loss(tmp_path):
    roads = generate(tmp_path, {"label_loss": FORMS["label_loss"]})
    assert roads["label_loss"].verdict == "PASS", roads["label_loss"]


# A column of 2000 numbers of both signs is many tiles, the smaller the more is stored beside; what was infinite or NaN stays so.
MANY_TILES = HEAD.format(more="", body="x.sum(0), x.clamp(-1, 1) * 2") + """def get_inputs():
    x = torch.randn(2000, 1003)
    x[3, 1], x[900, 2], x[5, 3], x[1990, 3], x[17, 4] = float("inf"), float("-inf"), float("inf"), float("-inf"), float("nan")
    return [x]


def get_init_inputs():
    return []
"""


def test_sums_carried_from_tile_to_tile(tmp_path):
    road = generate(tmp_path, {"many_tiles": MANY_TILES})["many_tiles"]
    assert road.verdict == "PASS", (road.verdict, road.failed_cases()[:3], road.error[-1500:])


@pytest.mark.slow
@pytest.mark.parametrize("name", [n for n in FORMS if n != "label_loss"] + list(SLOW_FORMS))
def test_form(tmp_path, name):
    road = generate(tmp_path, {name: {**FORMS, **SLOW_FORMS}[name]})[name]
    assert road.verdict == "PASS", (road.verdict, road.failed_cases()[:3], road.error[-1500:])


def test_the_same_input_gives_the_same_text(tmp_path):
    texts = []
    for part in ("a", "b"):
        generate(tmp_path / part, {"softmax_rows": FORMS["softmax_rows"]}, "--no-verify")
        texts.append((tmp_path / part / "out" / "softmax_rows.ascendc.py").read_text().split("\n", 3)[3])
    assert texts[0] == texts[1]


def test_modules_run_in_pytorch():
    """The modules themselves are right, and the same for a seed."""
    for seed in range(300):
        text = random_reduction(seed)
        assert text == random_reduction(seed)
        scope: dict = {}
        exec(text, scope)  # pylint: disable=exec-used
        scope["Model"]()(*scope["get_inputs"]())
