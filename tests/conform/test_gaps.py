"""A function that is not modelled compiles, and ends the kernel with its name: never as a pass, a fail or a compiler's riddle."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import api_table
from core import UB, Machine, Run, build, kernel_text


def test_every_gap_is_named(tmp_path: Path) -> None:
    names = api_table.gap_names(api_table.read())
    assert names
    text = kernel_text([(f"{name}(d, a, 7u); RES(0, 1);", [("float", "float", "uint32_t")]) for name in names])
    machine = Machine(build([text], tmp_path)[0])
    image = np.zeros(UB, np.uint8)
    for i, name in enumerate(names):
        _, results, _, found = machine.run(i, Run(image, {16: 0, 17: 65536, 18: 131072, 19: 163840}, image))
        assert [(check, said.split()[0]) for check, said in found] == [("not-modelled", name)], name
        assert results[0] == 0, f"{name}: the kernel went on"
