"""Every row of the API truth table that says it is modelled, against a reference of its own: each element type, edge shapes,
special values, masks; and nothing outside the destination may change. A row without a case fails, and so does the reverse."""

from __future__ import annotations

import importlib
import zlib
from pathlib import Path

import numpy as np
import pytest

import api_table
from cases import CASES
from core import Machine, Run, build, kernel_text
from numbers_ref import from_raw, raw
from cases import load

for name in ("cases_vector", "cases_cast", "cases_quant", "cases_reorder", "cases_copy", "cases_scalar"):
    importlib.import_module(name)

FAMILIES = ("vector", "reorder", "copy", "system")
ROWS = {(r["api"], r["form"]): r for r in api_table.read() if r["family"] in FAMILIES and r["kind"] == "function" and api_table.is_modelled(r)}
# Rows that say nothing a single call in one block could show; where they are tested.
ELSEWHERE: dict[str, str] = {}
exec((Path(__file__).parent / "elsewhere.py").read_text(), ELSEWHERE)


def types_of(key: tuple[str, str]) -> list[tuple[str, str, str]]:
    case = CASES[key]
    if case.types is not None:
        return case.types
    out = []
    for t in (ROWS[key]["types"] or "float").split():
        d, _, s = t.partition(":")
        out.append((d, s or d, "uint32_t"))
    return out


KEYS = sorted(k for k in CASES if k in ROWS)
HALVES = [KEYS[0::2], KEYS[1::2]]  # two libraries, compiled side by side


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> list[Machine]:
    texts = [kernel_text([(CASES[k].code, types_of(k)) for k in half]) for half in HALVES]
    return [Machine(library) for library in build(texts, tmp_path_factory.mktemp("conform"))]


def number_of(half: list[tuple[str, str]], key: tuple[str, str], t: tuple[str, str, str]) -> int:
    """Which case of the library it is: as kernel_text numbers them."""
    before = sum(len(types_of(k)) for k in half[:half.index(key)])
    return before + types_of(key).index(t)


def test_rows_and_cases_match() -> None:
    elsewhere = ELSEWHERE["ELSEWHERE"]
    missing = sorted(k for k in ROWS if k not in CASES and k not in elsewhere)
    assert not missing, f"rows without a case: {missing}"
    stale = sorted(k for k in [*CASES, *elsewhere] if k not in ROWS)
    assert not stale, f"cases without a modelled row: {stale}"
    for where in elsewhere.values():
        assert (api_table.ROOT / where).exists(), where


def differences(run: Run, out: np.ndarray, gm: np.ndarray) -> list[str]:
    wrong = out != run.want
    for start, end in run.free:
        wrong[start:end] = False
    said = []
    for at, t, near in run.typed:
        if len(at) == 0:
            continue
        got_bits, want_bits = load(out, t, at), load(run.want, t, at)
        got, want = from_raw(t, got_bits), from_raw(t, want_bits)
        same = (got_bits == want_bits) | (np.isnan(got.astype(np.float64)) & np.isnan(want.astype(np.float64)))
        if near is not None:
            with np.errstate(all="ignore"):
                same |= near(got, want)
        for i in range(np.dtype(raw(t)).itemsize):
            wrong[at + i] = ~same
        bad = np.flatnonzero(~same)
        if len(bad):
            i = bad[0]
            said.append(f"{len(bad)} of {len(at)} {t}, first at byte {at[i]}: {got[i]!r} ({int(got_bits[i]):#x}), expected {want[i]!r} ({int(want_bits[i]):#x})")
    if not said and wrong.any():
        i = int(np.flatnonzero(wrong)[0])
        said.append(f"{int(wrong.sum())} bytes of UB differ, first at {i}: {out[i:i + 16].tolist()} expected {run.want[i:i + 16].tolist()}")
    if run.want_gm is not None and (gm != run.want_gm).any():
        i = int(np.flatnonzero(gm != run.want_gm)[0])
        said.append(f"{int((gm != run.want_gm).sum())} bytes of global memory differ, first at {i}: {gm[i:i + 16].tolist()} expected {run.want_gm[i:i + 16].tolist()}")
    return said


@pytest.mark.parametrize("key", KEYS, ids=[f"{a}-{f}" for a, f in KEYS])
def test_row(key: tuple[str, str], machines: list[Machine]) -> None:
    said = []
    which = 0 if key in HALVES[0] else 1
    n_runs = 0
    for t in types_of(key):
        number = number_of(HALVES[which], key, t)
        rng = np.random.default_rng(zlib.crc32(f"{key}{t}".encode()))
        for run in CASES[key].runs(rng, t):
            n_runs += 1
            out, results, gm, found = machines[which].run(number, run)
            wrong = differences(run, out, gm)
            if run.results and list(results[:len(run.results)]) != run.results:
                wrong.append(f"results {list(results[:len(run.results)])}, expected {run.results}")
            extra = [text for check, text in found if check not in run.findings]
            lacking = run.findings - {check for check, _ in found}
            wrong += [f"finding: {text}" for text in extra] + [f"no finding {check}" for check in sorted(lacking)]
            said += [f"{t}, {run.what}: {w}" for w in wrong]
    assert n_runs > 0
    assert not said, "\n".join(said[:12])
