"""What the scalar unit's headers work out: ends of element types, division by a constant, switched-off printing."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core import ROOT, UB, Machine, Run, build, kernel_text
from numbers_ref import NP

PARAMS = {16: 0, 17: 65536, 18: 131072, 19: 163840}
ENDS = """
    int k = 0;
    #define E(name) RES(k, ow_bits(NumericLimits<T>::name())); NumericLimits<T>::name(d[k * 64], 40); k++;
    E(Max) E(Lowest) E(Min)
"""
SPECIAL = ENDS + "E(Infinity) E(NegativeInfinity) E(QuietNaN) E(SignalingNaN) E(DeNormMin)"
DIVIDE = """
    uint64_t by = (uint64_t)P(10), x = (uint64_t)P(11);
    uint32_t m, h; GetUintDivMagicAndShift<uint32_t>(m, h, (uint32_t)by);
    RES(0, ((((uint64_t)(uint32_t)x * m >> 32) + (uint32_t)x) >> h));
    uint64_t m8, h8; GetUintDivMagicAndShift<uint64_t>(m8, h8, by);
    RES(1, (uint64_t)((((unsigned __int128)x * m8 >> 64) + x) >> h8));
    Nop<2>(); RES(2, GetRuntimeUBSize());
"""


def run(machine: Machine, number: int, params: dict[int, int]) -> tuple[np.ndarray, list[int]]:
    image = np.zeros(UB, np.uint8)
    out, results, _, found = machine.run(number, Run(image, {**PARAMS, **params}, image))
    assert not found
    return out, [int(x) for x in results]


def bits_of(t: str) -> list[int]:
    if t in ("half", "float"):
        f = np.finfo(NP[t])
        values = [f.max, f.min, f.tiny, np.inf, -np.inf, np.nan]
        width, digits = (16, 10) if t == "half" else (32, 23)
        whole = [int(np.array(v, NP[t]).view(f"uint{width}")) for v in values]
        return [*whole, (whole[3] | 1 << (digits - 2)), 1]
    i = np.iinfo(NP[t])
    return [int(np.array(v, NP[t]).view(f"uint{i.bits}")) for v in (i.max, i.min, i.min)]


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    ends = [(ENDS.replace("NumericLimits<T>::name(d[k * 64], 40); ", ""), [(t, t, "uint32_t") for t in ("int8_t", "uint8_t")])]
    ends += [(ENDS, [(t, t, "uint32_t") for t in ("int16_t", "uint16_t", "int32_t", "uint32_t")]), (SPECIAL, [("half", "half", "uint32_t"), ("float", "float", "uint32_t")]),
             (DIVIDE, [("float", "float", "uint32_t")])]
    return Machine(build([kernel_text(ends)], tmp_path_factory.mktemp("numbers"))[0])


@pytest.mark.parametrize("number,t", enumerate(["int8_t", "uint8_t", "int16_t", "uint16_t", "int32_t", "uint32_t", "half", "float"]))
def test_ends_of_types(machine: Machine, number: int, t: str) -> None:
    out, results = run(machine, number, {})
    want, size = bits_of(t), np.dtype(NP[t]).itemsize
    assert results[:len(want)] == want
    if size > 1:
        for k, w in enumerate(want):
            row = out[k * 64 * size:(k + 1) * 64 * size].view(f"uint{8 * size}")
            assert (row[:40] == w).all() and (row[40:] == 0).all()


@pytest.mark.parametrize("by", [1, 2, 3, 7, 10, 641, 65536, 1000003, 2**31 - 1])
def test_division_by_a_constant(machine: Machine, by: int) -> None:
    for n in (0, 1, by - 1, by, by + 1, 123456789, 2**31 - 1, 2**32 - 1, 2**63 - 1):
        _, results = run(machine, 8, {10: by, 11: n})
        assert results[0] == n % 2**32 // by and results[1] == n // by and results[2] == 192 * 1024, n


def test_dump_off(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    code = 'PRINTF("seen %d\\n", 5); DumpTensor(d, 3, 8); ASSERT(false); ascendc_assert(1 == 2, "no"); RES(0, 7);'
    image = np.zeros(UB, np.uint8)
    for off in (False, True):
        text = ("#define ASCENDC_DUMP 0\n" if off else "") + kernel_text([(code, [("float", "float", "uint32_t")])])
        machine = Machine(build([text], tmp_path / str(off))[0])
        _, results, _, found = machine.run(0, Run(image, PARAMS, image))
        assert ([f[0] for f in found] == []) is off and bool(results[0] == 7) is off
