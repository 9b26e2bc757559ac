"""Every check has a case that trips it and one near it that does not. The ids are read from the sources; where a table of checks has a
test that goes over all of its rows with both, that test stands for them, the others are named one by one. What had no test is below."""
import json
import os
import pathlib
import re
import runpy
import shutil
import stat
import subprocess

import pytest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
CLI = pathlib.Path(os.environ.get("OPWRIGHT_CLI", ROOT / "build" / "opwright"))
PAIR_SUM = HERE / "descriptions" / "pair_sum.py"
SUM = HERE / "references" / "sum.py"
ADD = "AscendC::Add(z, x, y, n);"

needs_cli = pytest.mark.skipif(not CLI.exists(), reason=f"{CLI} is not built")

# table: what its rows are called there, and the test that has two bodies for each row and fails when a row lacks one
TABLES = {
    "src/sim/checks.def": (r'^CHECK\(\w+, "([a-z0-9-]+)"', "tests/unit/sim/checks_test.c", "every_check_has_a_pair"),
    "src/verify/lang.def": (r'^LANG\(\w+, "([a-z0-9-]+)"', "tests/unit/verify/lang_test.c", "test_every_rule_has_a_case"),
    "src/desc/rules.def": (r'^RULE\(\w+, "((?!model-|direct-)[a-z0-9-]+)"', "tests/unit/desc/load_test.c", "test_every_rule_has_a_case"),
    "src/runtime/findings.def": (r'^FINDING\(\w+, "([a-z0-9-]+)"', "tests/unit/runtime/call_test.c", "each_finding_trips_and_its_neighbour_does_not"),
}
PASSES = ("tests/verify/test_verify.py", 'result["checks"] == []')  # a description without any finding
HERE_ = "tests/verify/test_check_ids.py"
MODEL = ("tests/bridge/test_describe.py", 'result["rules"] == []')

# check: (file, words) of a case that trips it, and of one that does not
CASES = {
    **{rule: (("tests/bridge/test_describe.py", rule), MODEL) for rule in ("model-syntax", "model-class", "model-import", "model-call", "model-computes")},
    "direct-no-launch": (("tests/unit/desc/direct_test.c", "direct-no-launch"), ("tests/unit/desc/direct_test.c", "<<<")),
    "direct-launch": (("tests/server/test_cann.py", '["direct-launch"]'), PASSES),
    **{check: (("tests/unit/verify/judge_test.c", check), ("tests/unit/verify/judge_test.c", "VERDICT_PASS, NULL"))
       for check in ("output-count", "output-shape", "output-dtype", "output-mismatch", "torch-fallback", "input-changed", "kernel-not-launched",
                     "not-modelled-dtype", "out-of-memory", "run-timeout", "run-crash")},
    **{check: (("tests/verify/test_verify.py", f'"{check}"'), PASSES) for check in ("candidate-forward", "candidate-tiling", "description", "compile")},
    **{check: ((HERE_, f'"{check}"'), PASSES) for check in ("candidate-import", "candidate-construct", "candidate-launch", "compile-timeout", "infrastructure")},
    "schedule-dependent": ((HERE_, "in_the_open = False"), (HERE_, "in_the_open = True")),
    "golden-note": ((HERE_, "is left out"), PASSES),
}


def of_sources():
    """Ids that stand in the code itself, in each of the ways it has of naming one."""
    ways = [r'(?:\.|->)check = "([a-z0-9-]+)"', r'(?:add_diag|fail_output)\(\s*\w+,\s*(?:out,\s*)?"([a-z0-9-]+)"', r'"((?:candidate|run)-[a-z]+)"', r'conclude\(v, \w+, "([a-z0-9-]+)"']
    return {name for path in (ROOT / "src" / "verify").glob("*.c") for way in ways for name in re.findall(way, path.read_text())}


def test_every_check_has_both():
    covered = set()
    for table, (pattern, path, test) in TABLES.items():
        ids = set(re.findall(pattern, (ROOT / table).read_text(), re.M))
        assert len(ids) > 5 and test in (ROOT / path).read_text(), table
        covered |= ids
    rules = set(re.findall(r'^RULE\(\w+, "([a-z0-9-]+)"', (ROOT / "src/desc/rules.def").read_text(), re.M))
    assert (rules | of_sources()) - covered == set(CASES) - covered
    for check, cases in CASES.items():
        for path, words in cases:
            assert words in (ROOT / path).read_text(), (check, path, words)


def described(tmp_path, **changed):
    sources = {k: v for k, v in runpy.run_path(str(PAIR_SUM)).items() if k.endswith("_src")}
    for section, changes in changed.items():
        for old, new in changes:
            assert old in sources[section], old
            sources[section] = sources[section].replace(old, new)
    path = tmp_path / "pair_sum.py"
    path.write_text("".join(f"{k} = r'''{v}'''\n" for k, v in sources.items()))
    return path


def check(path, *options, reference=SUM, env=None):
    done = subprocess.run([str(CLI), "check", str(path), "--reference", str(reference), "--json", "--quiet", *options], capture_output=True, text=True, timeout=300,
                          env={**os.environ, **(env or {})})
    return json.loads(done.stdout)


def only(result, check_id):
    found = [c for c in result["checks"] if c["check"] == check_id]
    assert found and all(c["text"] and c["text_zh"] for c in found), result["checks"]
    return found[0]


@needs_cli
@pytest.mark.parametrize("check_id, section, changes, words", [
    ("candidate-import", "model_src", [("import torch_npu", "import torch_npu\nimport no_such_module_at_all")], "no_such_module_at_all"),
    ("candidate-construct", "model_src", [("    def forward", "    def __init__(self):\n        super().__init__()\n        self.n = [][1]\n\n    def forward")], "IndexError"),
    ("candidate-launch", "host_operator_src", [("GetWorkspaceSizes(1)[0] = 0", "GetWorkspaceSizes(1)[0] = 1ull << 50")], "workspace of 1125899906842624 bytes"),
])
def test_what_stops_before_the_kernel(tmp_path, check_id, section, changes, words):
    result = check(described(tmp_path, **{section: changes}), "--shape", "5x7,5x7")
    assert result["verdict"] == "FAIL" and words in only(result, check_id)["text"], result["checks"]


@needs_cli
@pytest.mark.parametrize("in_the_open", [False, True])
def test_numbers_that_depend_on_the_order(tmp_path, in_the_open):
    """y is loaded beside the addition that takes it: in program order it comes right. With a flag between them it always does."""
    in_the_open = "SetFlag<HardEvent::MTE2_V>(EVENT_ID7); WaitFlag<HardEvent::MTE2_V>(EVENT_ID7);" if in_the_open else ""
    path = described(tmp_path, kernel_src=[
        ("        DataCopyPad(y, gy[at], shape, pad);\n", ""), ("uint32_t count;", "uint32_t count, now;"), ("            In(at, n);", "            now = at; In(at, n);"),
        (ADD, "DataCopyPad(y, gy[now], DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(DTYPE_Y)), 0, 0, 0}, DataCopyPadExtParams<DTYPE_Y>{false, 0, 0, 0});" + in_the_open + ADD)])
    result = check(path, "--schedule", "all", "--shape", "5x131,5x131")
    if in_the_open:
        assert result["verdict"] == "PASS" and not [c for c in result["checks"] if c["check"].startswith(("race", "schedule"))], result["checks"]
    else:
        assert result["verdict"] == "FAIL" and "not under the schedule lazy" in only(result, "schedule-dependent")["text"]
        assert only(result, "race-read-after-write")["line"] > 0


@needs_cli
@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
@pytest.mark.parametrize("check_id, verdict, does", [("compile-timeout", "FAIL", "sleep 60"), ("infrastructure", "INFRA_ERROR", "kill -9 $$")])
def test_compilers_that_fail(tmp_path, check_id, verdict, does):
    """One that is not done in time is the description's fault, one that is killed ours."""
    fake = tmp_path / "g++"
    fake.write_text(f'#!/bin/sh\ncase "$*" in *"-o "*kernel_0.so*) {does};; esac\nexec g++ "$@"\n'.replace("exec g++", f"exec {shutil.which('g++')}"))
    fake.chmod(fake.stat().st_mode | stat.S_IXUSR)
    result = check(PAIR_SUM, "--time-limit", "6", "--shape", "5x7,5x7", env={"OPWRIGHT_CXX": str(fake)})
    assert result["verdict"] == verdict, result
    only(result, check_id)


@needs_cli
def test_case_the_reference_does_not_take(tmp_path):
    """Left out and said so; the others decide."""
    reference = tmp_path / "picky.py"
    reference.write_text(SUM.read_text().replace("        return x + y", "        if x.numel() == 0:\n            raise ValueError('nothing to add')\n        return x + y"))
    result = check(PAIR_SUM, "--shape", "0x7,0x7", "--shape", "5x7,5x7", reference=reference)
    note = only(result, "golden-note")
    assert "is left out" in note["text"] and "nothing to add" in note["text"] and note["severity"] == "note" and note["hint_zh"], note
