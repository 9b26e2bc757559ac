"""`opwright check`: the same judgement as verify, for people, for programs and for editors."""
import json
import os
import pathlib
import runpy
import subprocess

import pytest

from sarif_form import must_be_sarif

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CLI = pathlib.Path(os.environ.get("OPWRIGHT_CLI", ROOT / "build" / "opwright"))
DESCRIPTIONS = ROOT / "tests" / "verify" / "descriptions"
REFERENCE = ROOT / "tests" / "verify" / "references" / "sum.py"

pytestmark = pytest.mark.skipif(not CLI.exists(), reason=f"{CLI} is not built")


def check(path, *options, reference=REFERENCE):
    given = ["--reference", str(reference)] if reference else []
    done = subprocess.run([str(CLI), "check", str(path), *given, "--quiet", *options], capture_output=True, text=True, timeout=300)
    assert "AddressSanitizer" not in done.stderr and "runtime error" not in done.stderr, done.stderr
    return done.returncode, done.stdout, done.stderr


def plain(tmp_path, name, **changed):
    """A description as a file of string literals, which has lines of its own."""
    sources = {k: v for k, v in runpy.run_path(str(DESCRIPTIONS / name)).items() if k.endswith("_src")}
    for section, (old, new) in changed.items():
        assert old in sources[section]
        sources[section] = sources[section].replace(old, new)
    path = tmp_path / name
    path.write_text("# a description\n" + "".join(f"{k} = r'''{v}'''\n" for k, v in sources.items()))
    return path


def test_text_names_both_lines(tmp_path):
    path = plain(tmp_path, "error_in_kernel.py")
    status, out, _ = check(path)
    assert status == 1 and out.startswith("FAIL error_in_kernel: not built")
    line = next(i for i, text in enumerate(path.read_text().splitlines(), 1) if "AddEverything" in text)
    assert f"({path.name}:{line}): [compile]" in out and "fix: " in out and "see: docs/check.md#build" in out


def test_chinese(tmp_path):
    _, out, _ = check(DESCRIPTIONS / "half_written.py", "--lang", "zh", "--shape", "33x100,33x100")
    assert "[output-not-written] 输出 z" in out and "处理: " in out and "说明: docs/check.md#uninitialised-memory" in out


def test_json_is_the_result_with_a_page_for_every_check():
    status, out, _ = check(DESCRIPTIONS / "half_written.py", "--json", "--shape", "33x100,33x100", "--shape", "1x7,1x7")
    result = json.loads(out)
    assert status == 1 and result["verdict"] == "FAIL" and result["model"] == {"schedule": "in-order", "strict": False, "exact": False}
    assert [c["label"] for c in result["cases"]] == ["float32 33x100,33x100", "float32 1x7,1x7"]
    headings = {line[3:].strip().lower().replace(" ", "-") for line in (ROOT / "docs" / "check.md").read_text().splitlines() if line.startswith("## ")}
    for c in result["checks"]:
        assert c["page"].startswith("docs/check.md#") and c["page"].split("#")[1] in headings


def test_every_page_exists():
    headings = {line[3:].strip().lower().replace(" ", "-") for line in (ROOT / "docs" / "check.md").read_text().splitlines() if line.startswith("## ")}
    for line in (ROOT / "src" / "verify" / "pages.def").read_text().splitlines():
        if line.startswith("PAGE("):
            assert line.split('"')[3] in headings, line


def sarif(path, *options, **kwargs):
    status, out, _ = check(path, "--sarif", *options, **kwargs)
    log = json.loads(out)
    must_be_sarif(log)
    assert log["version"] == "2.1.0" and log["$schema"].endswith("sarif-2.1.0.json") and len(log["runs"]) == 1
    run = log["runs"][0]
    rules = run["tool"]["driver"]["rules"]
    assert len({r["id"] for r in rules}) == len(rules) and run["tool"]["driver"]["name"] == "opwright"
    for r in run["results"]:
        assert rules[r["ruleIndex"]]["id"] == r["ruleId"] and r["level"] in ("error", "warning", "note") and r["message"]["text"]
        for place in r["locations"]:
            artifact = place["physicalLocation"]["artifactLocation"]
            assert run["artifacts"][artifact["index"]]["location"]["uri"] == artifact["uri"] and " " not in artifact["uri"]
            region = place["physicalLocation"].get("region")
            assert region is None or region["startLine"] >= 1 and region.get("startColumn", 1) >= 1
    return status, run


def test_sarif_regions_are_lines_of_the_file(tmp_path):
    path = plain(tmp_path, "error_in_kernel.py")
    (tmp_path / "a b").mkdir()
    path = path.rename(tmp_path / "a b" / "op.py")
    status, run = sarif(path)
    assert status == 1
    (result,) = [r for r in run["results"] if r["ruleId"] == "compile"]
    place = result["locations"][0]
    line = place["physicalLocation"]["region"]["startLine"]
    assert "AddEverything" in path.read_text().splitlines()[line - 1]
    assert place["physicalLocation"]["artifactLocation"]["uri"].endswith("/a%20b/op.py")
    assert place["logicalLocations"][0]["fullyQualifiedName"].startswith("kernel_src:")


@pytest.mark.parametrize("name", ["no_tail", "crash_in_kernel", "no_queue_order"])
def test_sarif_of_findings(name):
    """Findings with other places, counts and without lines."""
    status, run = sarif(DESCRIPTIONS / f"{name}.py")
    assert run["results"] and status == (0 if run["properties"]["verdict"] == "PASS" else 1)


@pytest.mark.parametrize("change,why", [
    (lambda log: log.pop("runs"), "lacks runs"), (lambda log: log["runs"][0].update(columnKind="bytes"), "columnKind"),
    (lambda log: log["runs"][0]["results"].append({"ruleId": "x"}), "lacks message"), (lambda log: log["runs"][0]["results"].append({"message": {"text": "x"}, "severity": "error"}), "no severity"),
    (lambda log: log["runs"][0]["results"].append({"message": {"text": "x"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a b"}}}]}), "no URI"),
    (lambda log: log["runs"][0]["results"].append({"message": {"text": "x"}, "occurrenceCount": 0}), "at least 1"),
    (lambda log: log["runs"][0]["tool"]["driver"]["rules"].extend([{"id": "x"}, {"id": "x"}]), "twice")])
def test_what_is_no_sarif_is_refused(change, why):
    log = {"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "t", "rules": []}}, "results": []}]}
    must_be_sarif(log)
    change(log)
    with pytest.raises(AssertionError, match=why):
        must_be_sarif(log)


def test_sarif_of_a_clean_description():
    status, run = sarif(DESCRIPTIONS / "pair_sum.py")
    assert status == 0 and run["results"] == [] and run["properties"]["verdict"] == "PASS"


def test_ledger_of_ub():
    """Every InitBuffer with its line; the sum is what the buffers hold."""
    status, out, _ = check(DESCRIPTIONS / "pair_sum.py", "--json")
    result = json.loads(out)
    source = runpy.run_path(str(DESCRIPTIONS / "pair_sum.py"))["kernel_src"].splitlines()
    ledger = result["ub_ledger"]
    assert status == 0 and ledger["bytes"] == 196608
    assert [u["what"] for u in ledger["uses"]] == ["TQue VECIN", "TQue VECIN", "TQue VECOUT"]
    for use in ledger["uses"]:
        assert "InitBuffer" in source[use["line"] - 1] and use["bytes"] % 32 == 0 and use["hidden"] is False
    _, text, _ = check(DESCRIPTIONS / "pair_sum.py")
    total = sum(u["count"] * u["bytes"] for u in ledger["uses"])
    assert f"UB: {total} of 196608 bytes in buffers" in text


def test_static_needs_no_reference():
    status, out, _ = check(DESCRIPTIONS / "pair_sum.py", "--static", reference=None)
    assert status == 0 and out.startswith("BUILT pair_sum: it builds; nothing was run")
    status, out, _ = check(DESCRIPTIONS / "pair_sum.py", "--static", "--json", reference=None)
    assert json.loads(out)["verdict"] is None and json.loads(out)["correctness"] is False
    status, out, _ = check(DESCRIPTIONS / "error_in_host.py", "--static", reference=None)
    assert status == 1 and out.startswith("FAIL")


def test_strict_turns_warnings_into_errors(tmp_path):
    """A tiling size that is not that of the structure is told, and fails only under --strict."""
    path = plain(tmp_path, "pair_sum.py", host_operator_src=("->SetDataSize(data.GetDataSize())", "->SetDataSize(data.GetDataSize() + 8)"))
    status, out, _ = check(path)
    assert status == 0 and "warning host_operator_src: [tiling-data-size]" in out, out
    status, out, _ = check(path, "--strict")
    assert status == 1 and "error host_operator_src: [tiling-data-size]" in out


@pytest.mark.parametrize("options, words", [
    ([], "no description"), (["a.py"], "--reference is missing"), (["a.py", "--reference", "b.py", "--schedule", "often"], "no schedule `often`"),
    (["a.py", "--reference", "b.py", "--toolchain", "a9"], "--toolchain takes"), ([str(DESCRIPTIONS / "pair_sum.py"), "--reference", str(DESCRIPTIONS.parent / "references" / "sum.py"), "--chip", "Ascend950"], "no chip is called Ascend950"), (["a.py", "--static", "--shape", "3"], "--static runs nothing"),
    (["a.py", "--reference", "b.py", "--json", "--sarif"], "not both"),
])
def test_usage(options, words):
    done = subprocess.run([str(CLI), "check", *options], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2 and words in done.stderr


@pytest.mark.parametrize("shape", ["3y4", "3x", ",3", "-1", "99999999999x2", "3x4,"])
def test_bad_shape(shape):
    status, _, err = check(DESCRIPTIONS / "pair_sum.py", "--shape", shape)
    assert status == 2 and "--shape takes sizes" in err


@pytest.mark.parametrize("spoil, check_id, words", [
    ("AscendC::Ln(z, x, n); AscendC::Add(z, z, y, n);", "first-nan", "result of Ln"),
    ("AscendC::Muls(z, x, 3.0e5f, n); AscendC::Add(z, z, y, n);", "first-out-of-range", "result of Muls"),
    ("AscendC::Muls(z, x, 3.0e38f, n); AscendC::Muls(z, z, 100.0f, n);", "first-infinity", "is "),
])
def test_bisect_names_the_first_instruction(tmp_path, spoil, check_id, words):
    path = plain(tmp_path, "pair_sum.py", kernel_src=("AscendC::Add(z, x, y, n);", spoil))
    status, out, _ = check(path, "--bisect", "--json", "--shape", "37x131,37x131")
    found = [c for c in json.loads(out)["checks"] if c["check"] == check_id]
    assert status == 1 and len(found) == 1 and words in found[0]["text"] and found[0]["severity"] == "note", out
    source = runpy.run_path(str(path))["kernel_src"].splitlines()
    assert spoil.split("(")[0] in source[found[0]["line"] - 1]


# Line by line: what a number does not fit into, or nothing. Results stay right.
NUMBERS = [
    ("AscendC::Add(z, x, y, (uint64_t)64, (uint8_t)(n * 0 + 256), {1, 1, 1, 8, 8, 8});", "256 does not fit into uint8_t: an argument becomes 0"),
    ("AscendC::Add(z, x, y, (uint64_t)64, static_cast<uint8_t>(n * 0 + 258), {1, 1, 1, 8, 8, 8});", "258 does not fit into uint8_t: an argument becomes 2"),
    ("uint8_t r = n * 0 + 257;", "an argument becomes 1"),
    ("AscendC::Add(z, x, y, (uint64_t)64, r, {1, 1, 1, 8, 8, 8});", None),
    ("AscendC::DataCopyParams p; p.blockCount = (uint16_t)(n + 65536);", "does not fit into uint16_t"),
    ("AscendC::Add(z, x, y, (uint64_t)64, (uint8_t)(n * 0 + 2), {1, 1, 1, 8, 8, 8});", None),
    ("uint16_t low = (uint16_t)(n + 65536);", None),  # no argument of an instruction
    ("int32_t w = (int32_t)n + 65536, at = w * w;", "is beyond 'int'"),
    ("int64_t v = (int64_t)n + 65536, far = v * v;", None),
    ("uint32_t h = n * 2654435761u + low + p.blockCount;", None),  # defined to wrap
    ("AscendC::Add(z, x, y, n + (at == 3) + (far == 3) + (h == 3));", None),
]


def test_numbers_of_the_scalar_unit_that_do_not_fit(tmp_path):
    """As warnings: results may come right all the same."""
    path = plain(tmp_path, "pair_sum.py", kernel_src=("AscendC::Add(z, x, y, n);", "\n".join(line for line, _ in NUMBERS)))
    lines = runpy.run_path(str(path))["kernel_src"].splitlines()
    status, out, _ = check(path, "--json", "--shape", "5x131,5x131")
    found = {lines[c["line"] - 1].strip(): c for c in json.loads(out)["checks"]}
    assert status == 0 and list(found) == [line for line, words in NUMBERS if words], out
    for line, words in NUMBERS:
        if words:
            assert words in found[line]["text"] and found[line]["severity"] == "warning" and found[line]["hint_zh"], out
            assert found[line]["check"] == ("integer-overflow" if "int32_t w" in line else "argument-narrowed")


def test_what_is_not_modelled_is_a_verdict_of_its_own():
    """Neither PASS nor FAIL, in every form and however strict."""
    for options in ([], ["--strict"], ["--schedule", "lazy"]):
        status, out, _ = check(DESCRIPTIONS / "not_modelled.py", *options)
        assert status == 1 and out.startswith("NOT_MODELLED not_modelled") and "see: docs/check.md#not-modelled" in out, out
    _, out, _ = check(DESCRIPTIONS / "not_modelled.py", "--json")
    result = json.loads(out)
    assert result["verdict"] == "NOT_MODELLED" and result["correctness"] is False and any(c.get("not_modelled") for c in result["checks"])
    _, run = sarif(DESCRIPTIONS / "not_modelled.py")
    assert run["properties"]["verdict"] == "NOT_MODELLED"
