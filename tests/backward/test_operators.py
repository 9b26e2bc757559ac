"""Gradient operators from specifications: generated, run on the simulator, and judged against the sealed truth."""

from pathlib import Path

import pytest

SPECS = sorted((Path(__file__).parent / "specs").glob("*.py"))
SAMPLE = {"act_gelu_erf"}
ACCEPTED = {"PASS", "PASS_WITHIN_TOLERANCE"}  # the second where a gradient happens to be a subnormal half


@pytest.mark.parametrize("spec", [pytest.param(s, marks=[] if s.stem in SAMPLE else [pytest.mark.slow], id=s.stem) for s in SPECS])
def test_spec(backward, tmp_path, spec):
    status, report, out, err = backward(spec, folder=tmp_path)
    assert report is not None, err
    assert report["precision"]["status"] in ACCEPTED, out
    assert (status == 0) == (report["precision"]["status"] == "PASS")
    for dtype, row in report["precision"]["per_dtype"].items():
        assert row["failed"] == 0 and row["passed"] > 0, (dtype, row)
    assert all(c.get("outputs") for c in report["precision"]["cases"])
    assert all("control" in o for c in report["precision"]["cases"] for o in c["outputs"])
