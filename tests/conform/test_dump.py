"""DumpTensor and DumpAccChkPoint print what a tensor holds."""

from __future__ import annotations

import ctypes
from pathlib import Path
from typing import Any

import numpy as np

from core import UB, Machine, Run, build, kernel_text

CODE = ("uint32_t sh[2] = {2, 3}; DumpTensor(d, 5, 4); DumpTensor(d, 6, 6, ShapeInfo(2, sh)); DumpAccChkPoint(d, 7, 2, 2); "
        "GlobalTensor<float> x; x.SetGlobalBuffer((__gm__ float *)c.gm); DumpTensor(x, 8, 2); DumpTensor(d.template ReinterpretCast<int32_t>(), 9, 8000); "
        "asc_dump((__gm__ float *)c.gm, 10, 2); asc_dump((__ubuf__ float *)d.GetPhyAddr(4), 11, 2); asc_dump_ubuf((__ubuf__ int32_t *)d.GetPhyAddr(), 12, 8000);")


def test_values_are_printed(tmp_path: Path, capfd: Any) -> None:
    machine = Machine(build([kernel_text([(CODE, [("float", "float", "uint32_t")])])], tmp_path)[0])
    image = np.zeros(UB, np.uint8)
    image[:24] = np.array([0.5, -1.0, 2.0, 3.0, 4.0, 5.0], np.float32).view(np.uint8)
    gm = np.zeros(65536, np.uint8)
    gm[:8] = np.array([7.0, 8.0], np.float32).view(np.uint8)
    out, _, _, found = machine.run(0, Run(image, {16: 0, 17: 65536, 18: 131072, 19: 163840}, image, gm=gm))
    ctypes.CDLL(None).fflush(None)
    text = capfd.readouterr().out
    assert not found and (out == image).all()
    assert "desc=5" in text and "data_type=float32, position=UB, dump_size=4\n[0.500000, -1.000000, 2.000000, 3.000000]" in text
    assert "[[0.500000, -1.000000, 2.000000],\n[3.000000, 4.000000, 5.000000]]" in text
    assert "DumpAccChkPoint: desc=7" in text and "\n[2.000000, 3.000000]\n" in text
    assert "position=GM, dump_size=2\n[7.000000, 8.000000]" in text
    assert "asc_dump: desc=10" in text and text.count("position=GM, dump_size=2\n[7.000000, 8.000000]") == 2
    assert "asc_dump: desc=11" in text and "position=UB, dump_size=2\n[4.000000, 5.000000]" in text
    assert "desc=9" not in text and "desc=12" not in text  # more than 30 KB is not printed
