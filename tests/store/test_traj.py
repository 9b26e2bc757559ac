"""opwright traj: the effects of the existing scripts on the same files, and lessons that enter only after a replay."""
import json
import subprocess

import pytest

from conftest import ADD, REFERENCE

GOOD = ADD.read_text(encoding="utf-8")


def changed(*pairs, text=GOOD):
    for old, new in pairs:
        assert old in text
        text = text.replace(old, new)
    return text


SUB = ("AscendC::Add(", "AscendC::Sub(")
WRONG = changed(SUB)


def record(code, exit_code, summary, **more):
    return {"idx": 0, "timestamp": "2026-01-01T00:00:00Z", "code": code, "result": {"exit_code": exit_code, "summary": summary, **more}}


TRAJ = [
    record("a\nb\nc\n", 1, {"correctness": False, "reason": "不对"}),
    record("a\nB\nc\n", 0, {"correctness": True}, kernel_code_path="/x/my op.py"),
    record("a\nb", 1, "text", result=[{"compile_info": " e1\n", "correctness_info": "e2 "}]),
    record("", 0, {"correctness": False}, result={"compile_info": "c"}),
    record("a\nb\nC\n", 0, "text", reference_path="/r.py"),
    record("late\n", 3, None),
]


def test_stats_pairs_show_summarize(store):
    traj = store.write("任务/traj.json", TRAJ)
    stats = store.json("traj", "stats", "--traj_path", "任务/traj.json")
    assert stats == {"traj_path": str(traj), "total": 6, "error_count": 4, "error_indices": [0, 2, 3, 5], "correct_count": 2, "correct_indices": [1, 4]}
    assert list(stats) == ["traj_path", "total", "error_count", "error_indices", "correct_count", "correct_indices"]
    store.run("traj", "stats", "--traj_path", traj, "--output", "out/s.json")
    assert json.loads((store.tmp / "out/s.json").read_text()) == stats

    store.run("traj", "pairs", "--traj_path", traj)
    pairs = json.loads((store.tmp / "error_fix_pairs.json").read_text(encoding="utf-8"))
    fields = ["idx", "code_pair_name", "op", "error_idx", "correct_idx", "error_code", "code_diff", "error", "summary"]
    assert [list(p)[:9] for p in pairs] == [fields] * 4
    assert [(p["idx"], p["code_pair_name"], p["error"]) for p in pairs] == [
        (0, "my op_1_0", "不对"), (1, "my op_4_2", "e1\ne2"), (2, "my op_4_3", "c"), (3, "my op_4_5", "")]  # the last: the nearest, none follows
    assert pairs[0]["code_diff"] == "--- error_idx_0\n+++ correct_idx_1\n@@ -1,3 +1,3 @@\n a\n-b\n+B\n c\n"
    assert "reference_path" not in pairs[0] and pairs[1]["reference_path"] == "/r.py"

    store.run("traj", "summarize", "--idx", "1", "--summary", "学到 \"x\"\n两行")
    assert store.json("traj", "show", "--json_path", "error_fix_pairs.json", "--idx", "1") == {**pairs[1], "summary": "学到 \"x\"\n两行"}
    store.run("traj", "pairs", "--traj_path", traj, "--op", "named")  # again: what was written about the same change stays
    again = json.loads((store.tmp / "error_fix_pairs.json").read_text(encoding="utf-8"))
    assert [p["summary"] for p in again] == ["", "学到 \"x\"\n两行", "", ""] and again[0]["code_pair_name"] == "named_1_0"
    text = (store.tmp / "error_fix_pairs.json").read_text(encoding="utf-8")
    assert text == json.dumps(again, indent=2, ensure_ascii=False)


def test_bad_files(store):
    for text, words in (("[{\"idx\": 0},\n{\"code", "line 2"), ("{}", "not a list"), ("", "empty")):
        path = store.write("t.json", text)
        for command in (["stats", "--traj_path", path], ["pairs", "--traj_path", path], ["show", "--json_path", path, "--idx", 0],
                        ["summarize", "--pairs_path", path, "--idx", 0, "--summary", "x"], ["save", "--op", "o", "--pairs_path", path]):
            assert words in store.run("traj", *command, status=2).stderr
            assert path.read_text() == text
    path = store.write("t.json", [{}])
    assert "no record 7" in store.run("traj", "show", "--json_path", path, "--idx", 7, status=2).stderr
    assert "needs a value" in store.run("traj", "show", "--json_path", status=2).stderr
    assert store.run("traj", "pairs", "--traj_path", path).stdout.startswith("no pairs")
    store.write("error_fix_pairs.json", "[broken")
    assert "left as it is" in store.run("traj", "pairs", "--traj_path", store.write("t.json", TRAJ), status=2).stderr
    assert (store.tmp / "error_fix_pairs.json").read_text() == "[broken"


def make_pair(store, wrong, right, **more):
    """A pair as the existing script makes it."""
    name = store.write("w.py", wrong), store.write("x.py", right)
    diff = subprocess.run(["diff", "-u", "--label", "error_idx_0", "--label", "correct_idx_1", *name], capture_output=True, text=True).stdout
    return {"idx": 0, "code_pair_name": "add_1_0", "op": "add", "error_idx": 0, "correct_idx": 1, "error_code": wrong, "code_diff": diff, "error": "E",
            "summary": "Sub instead of Add", **more}


def test_admission(store):
    call = next(line for line in GOOD[GOOD.index("model_src"):].splitlines() if "return " in line)
    one_block = ("int64_t cores = platform.GetCoreNumAiv();", "int64_t cores = 1;")
    cases = [
        ("admitted", WRONG, GOOD, {}),
        ("single-block", WRONG, changed(one_block), {}),
        ("test-constants", WRONG, changed(("tiling.set_total(total);", "tiling.set_total(37 * 131);")), {}),
        ("falls-back", WRONG, GOOD.replace(call, call.replace("return ", "z = ") + "\n        return x + y"), {}),
        ("still-fails", WRONG, changed(("AscendC::Add(", "AscendC::Mul(")), {}),
        ("wrong-passes", changed(("// buffers per queue", "// buffers")), GOOD, {}),
        ("no-summary", WRONG, GOOD, {"summary": "  ", "error": "other"}),
        ("no-reference", WRONG, GOOD, {"reference_path": "/nowhere.py"}),
        ("damaged-diff", WRONG, GOOD, {"code_diff": "@@ -1 +1 @@\n-not there\n+x\n"}),
    ]
    pairs = [make_pair(store, wrong, right, **{"reference_path": str(REFERENCE), **more}) for _, wrong, right, more in cases]
    store.write("error_fix_pairs.json", pairs)
    out = store.json("traj", "save", "--op", "add", "--json", "--quiet", "--unverified")
    assert [o["outcome"] for o in out] == [name for name, *_ in cases]
    lessons = json.loads((store.issues / "add.json").read_text(encoding="utf-8"))
    assert len(lessons) == 1 and list(lessons[0]) == ["op", "error", "code_diff", "summary", "replay"]
    replay = lessons[0]["replay"]
    assert replay["wrong"] == "FAIL" and replay["right"] == "PASS" and replay["fresh_cases"] >= 2 and replay["checks"] == ["output-mismatch"]
    apart = json.loads((store.issues / "unverified/add.json").read_text(encoding="utf-8"))
    assert {(o["why"], o["verified"]) for o in apart} == {(name, False) for name, *_ in cases if name != "admitted"}


def test_lessons_are_added(store):
    """A second save adds; one of the same change takes the new summary; a broken file is kept aside."""
    old = {"op": "add", "error": "e", "code_diff": "d", "summary": "by hand"}
    store.write("skill root/reference/issues/add.json", [old])
    store.write("error_fix_pairs.json", [make_pair(store, WRONG, GOOD)])
    refused = store.run("traj", "save", "--op", "add", "--quiet", status=1)
    assert "no-reference" in refused.stdout and json.loads((store.issues / "add.json").read_text()) == [old]
    store.run("traj", "save", "--op", "add", "--unverified", "--quiet")
    store.write("error_fix_pairs.json", [make_pair(store, WRONG, GOOD, summary="better")])
    store.run("traj", "save", "--op", "add", "--unverified", "--quiet")
    (apart,) = json.loads((store.issues / "unverified/add.json").read_text())
    assert apart["summary"] == "better" and json.loads((store.issues / "add.json").read_text()) == [old]
    store.write("skill root/reference/issues/unverified/add.json", "[{\n")
    assert "line 2" in store.run("traj", "save", "--op", "add", "--unverified", "--quiet").stderr
    assert [p.read_text() for p in (store.issues / "unverified").glob("*.broken-*")] == ["[{\n"]


def test_auto(store):
    checks = [{"check": "gm-oob", "severity": "error", "source": "kernel_src", "line": 7, "api": "DataCopyPad", "text": "past the end\nmore", "text_zh": "越界",
               "hint": "bound the copy", "hint_zh": "限制长度"}, {"check": "note-only", "severity": "note", "text": "n"}]
    traj = [record(WRONG, 1, "text", result=[{"checks": checks, "correctness_info": "x"}]),
            record(WRONG, 1, "text", result=[{"compile_info": "rtDeviceSynchronize execute failed, error code 507035: aivec error"}]),
            record(GOOD, 0, "text")]
    path = store.write("traj.json", traj)
    store.run("traj", "auto", "--traj_path", path)
    one, two = [p["summary"] for p in json.loads((store.tmp / "error_fix_pairs.json").read_text(encoding="utf-8"))]
    assert one == ("Cause: [gm-oob] past the end (kernel_src:7, DataCopyPad). Fix: bound the copy. Changed sections: kernel_src. "
                   "Now called: Add. No longer called: Sub.")
    assert two.startswith("Cause: ") and "vector core" in two.lower() and "Now called: Add" in two
    store.run("traj", "auto", "--traj_path", path, "--lang", "zh", "--output", "zh.json")
    assert json.loads((store.tmp / "zh.json").read_text(encoding="utf-8"))[0]["summary"].startswith("原因: [gm-oob] 越界 (kernel_src:7, DataCopyPad)。修复: 限制长度。")
