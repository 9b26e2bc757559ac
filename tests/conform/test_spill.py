"""The spill area of TPipe in global memory: what goes there, what comes back, and that it waits for the vector unit by itself."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core import UB, Machine, Run, build, kernel_text

SPILL = """
    TPipe pipe; pipe.InitSpmBuffer(g, 1024);
    Adds(a, a, (T)1, 96);
    pipe.WriteSpmBuffer(a, DataCopyParams(2, 2, 1, 3), 16);
    Duplicate(a, (T)0, 96);
    pipe.WriteSpmBuffer(b, 70);
    pipe.ReadSpmBuffer(d, 32, 16);
    pipe.ReadSpmBuffer(d[64], DataCopyParams(2, 1, 1, 0), 0);
    Adds(d, d, (T)2, 96);
    uint32_t shape[] = {24}; b.SetShapeInfo(ShapeInfo(1, shape, DataFormat::ND)); pipe.WriteSpmBuffer(b, 0, 200);
"""
OUT = "TPipe pipe; pipe.InitSpmBuffer(g, 256); pipe.WriteSpmBuffer(a, %s);"
TYPES = [("half", 2, np.float16), ("float", 4, np.float32)]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    snippets = [(SPILL, [(t, t, t) for t, _, _ in TYPES])] + [(OUT % call, [("float", "float", "float")]) for call in ("64", "64, 8", "8, -8")]
    return Machine(build([kernel_text(snippets)], tmp_path_factory.mktemp("spill"))[0])


@pytest.mark.parametrize("number", [0, 1])
def test_there_and_back(machine: Machine, number: int) -> None:
    _, size, kind = TYPES[number]
    block = 32 // size
    image = np.zeros(UB, np.uint8)
    a = np.arange(96, dtype=kind)
    b = np.arange(100, 200, dtype=kind)
    image[65536:65536 + 96 * size] = a.view(np.uint8)
    image[131072:131072 + 100 * size] = b.view(np.uint8)
    out, _, gm, found = machine.run(number, Run(image, {0: 64, 16: 0, 17: 65536, 18: 131072, 19: 163840}, image, gm=np.zeros(65536, np.uint8)))
    assert not found
    area = np.zeros(512, kind)
    area[16:16 + 2 * block] = a[:2 * block] + 1
    area[16 + 5 * block:16 + 7 * block] = a[3 * block:5 * block] + 1
    area[:70 // block * block] = b[:70 // block * block]
    got = out[:96 * size].view(kind)
    assert (got[:32] == area[16:48] + 2).all()
    assert (got[64:64 + block] == area[:block] + 2).all() and (got[64 + block:64 + 2 * block] == area[2 * block:3 * block] + 2).all()
    area[200:200 + 24 // block * block] = b[:24 // block * block]
    assert (gm[:256 * size].view(kind) == area[:256]).all()


@pytest.mark.parametrize(("number", "checks"), [(2, []), (3, ["spm-out-of-range"]), (4, ["spm-out-of-range"])])
def test_range(machine: Machine, number: int, checks: list[str]) -> None:
    image = np.zeros(UB, np.uint8)
    found = machine.run(number, Run(image, {0: 64, 16: 0, 17: 65536, 18: 131072, 19: 163840}, image))[3]
    assert [c for c, _ in found if c.startswith("spm")] == checks
