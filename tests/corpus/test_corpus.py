"""Reference files of every family, each the whole road: generated, built, run, compared with PyTorch, without a finding.

A folder is a family. Each of its files runs with --slow; the sample here always does."""

from __future__ import annotations

from pathlib import Path

import pytest

from road import generate

FOLDER = Path(__file__).resolve().parent
SAMPLE = {
    "index/embedding", "index/gather_long", "index/index_two",
    "int64/column",
    "layout/pad_constant", "layout/repeat",
    "pooling/avg2d_ceil", "pooling/max2d_indices",
    "scan/cumsum_signed", "scan/cumsum_reverse_few", "scan/cummax_rows",
    "resize/bilinear_up",
    "sort/sort_rows", "sort/topk",
    "scatter/index_add",
    "tri/triu_offsets",
}
FILES = sorted(p.relative_to(FOLDER).with_suffix("").as_posix() for p in FOLDER.glob("*/*.py"))


@pytest.mark.parametrize("name", [n if n in SAMPLE else pytest.param(n, marks=pytest.mark.slow) for n in FILES])
def test_file(tmp_path, name):
    path = FOLDER / f"{name}.py"
    road = generate(tmp_path, {path.stem: path.read_text()}, "--strict")[path.stem]
    assert road.verdict == "PASS", (road.failed_cases(), road.failed_outputs(), road.error[-1500:])
    assert not road.result.get("findings"), road.result["findings"]


def test_sample_exists():
    assert SAMPLE <= set(FILES)
