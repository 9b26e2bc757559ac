"""`opwright search` and `opwright index` as people and agents use them, and the hints after a failure."""
import json
import pathlib
import re
import time

from conftest import ROOT


def test_everything_has_a_place_and_lines(place):
    golden = place.golden("group_norm_swish", "void f() {\n    WholeReduceSum(mean, x);\n    Muls(y, x, scale);\n}")
    lessons = place.lessons("add", ("507035 vector core exception: ub address out of bounds", "-InitBuffer(q, 2, n)\n+InitBuffer(q, 1, n)",
                                    "尾块越界：缓冲区按对齐后的长度申请"))
    hits = place.search("group_norm_swish")
    assert hits[0]["kind"] == "golden" and hits[0]["path"] == str(golden)
    hit = place.search("Muls(y, x, scale)")[0]
    lines = golden.read_text().splitlines()
    assert hit["path"] == str(golden) and any("Muls" in line for line in lines[hit["first_line"] - 1:hit["last_line"]])
    assert hit["snippet"].splitlines()[0] == lines[hit["first_line"] - 1]
    for query in ("尾块越界", "越界", "ub address out of bounds", "InitBuffer(q, 1, n)", "507035"):
        assert place.search(query)[0]["path"] == str(lessons), query
    doc = place.search("--kind", "doc", "verdict NOT_MODELLED")[0]
    assert doc["path"].startswith(str(ROOT)) and doc["kind"] == "doc"
    assert all(h["kind"] in ("golden", "issue") for h in place.search("--kind", "golden,issue", "x"))


def test_the_name_comes_first(place):
    place.golden("softmax", "Exp(a, b);")
    place.golden("log_softmax", "Exp(a, b); Ln(a, b); // softmax softmax softmax")
    place.golden("other", "// softmax softmax softmax softmax softmax")
    assert [h["name"] for h in place.search("softmax", "--kind", "golden")] == ["softmax", "log_softmax", "other"]
    assert place.search("log softmax")[0]["name"] == "log_softmax"
    assert place.search("LogSoftmax")[0]["name"] == "log_softmax"


def test_text_for_people(place):
    place.golden("softmax", "Exp(a, b); \x1b[31m")
    done = place.run("search", "softmax", "--limit", "1")
    assert done.returncode == 0 and done.stdout.startswith("golden  ") and "softmax.py:" in done.stdout and "\x1b" not in done.stdout
    done = place.run("search", "qqqqqq", "zzzzzz")
    assert done.returncode == 1 and done.stdout == "" and "nothing" in done.stderr
    assert place.run("search", "-", text="soft\0max softmax\n").returncode == 0


def test_bad_input(place):
    for argv, word in ((["search"], "nothing to search"), (["search", " "], "nothing to search"), (["search", "x", "--kind", "lesson"], "lesson"),
                       (["search", "x", "--limit", "0"], "--limit"), (["search", "x", "--limit", "many"], "--limit"), (["index"], "--help"),
                       (["index", "grow"], "grow"), (["index", "add"], "folder"), (["index", "add", "no/such"], "no/such"),
                       (["index", "remove", "."], "not added"), (["index", "list", "x"], "unexpected"), (["index", "list", "--kind", "doc"], "--kind")):
        done = place.run(*argv)
        assert done.returncode == 2 and word in done.stderr and done.stdout == "", (argv, done)


def test_own_folders(place):
    place.put("ops-nn/src/kernel.cpp", "// marimba kernel\n")
    place.put("ops-nn/docs/引言.md", "# 引言\n木琴\n")
    place.run("index", "update")
    done = place.run("index", "add", "ops-nn")
    assert done.returncode == 0 and "2 read" in done.stdout, done
    assert place.search("marimba")[0]["kind"] == "example"
    assert place.search("木琴")[0]["title"] == "引言"
    assert "0 read" in place.run("index", "update").stdout
    place.put("ops-nn/src/kernel.cpp", "// celesta kernel\n")
    assert "1 read" in place.run("index", "update").stdout
    assert not place.search("marimba") and place.search("celesta")
    assert str(place.folder / "ops-nn") in place.run("index", "list").stdout
    assert place.run("index", "rebuild").returncode == 0 and place.search("celesta")
    assert place.run("index", "remove", "ops-nn").returncode == 0 and not place.search("celesta")


def test_damaged_files_are_told_and_left_alone(place):
    place.lessons("add", ("error one", "", "lesson one"))
    broken = place.put("skill root/reference/issues/sub.json", '[\n{"op": "sub", "error": "xylophone"\n')
    done = place.run("index", "rebuild")
    assert done.returncode == 0 and "sub.json" in done.stdout and "line" in done.stdout
    assert broken.read_text().startswith("[\n{") and place.search("lesson one")


def test_no_place_for_the_index(place):
    blocked = place.put("a file", "")
    done = place.run("search", "x", XDG_CACHE_HOME=str(blocked))
    assert done.returncode == 2 and "OPWRIGHT_INDEX_DIR" in done.stderr


REJECTED = '''project_json_src = """[{"op": "AddCustom", "language": "cpp", "input_desc": [], "output_desc": []}]"""
host_tiling_src = host_operator_src = kernel_src = python_bind_src = ""
model_src = "import torch\\n"
'''


def timeless(text):
    return re.sub(r"\d+\.\d s", "T s", text)


def test_failed_verify_ends_with_hints(place):
    place.lessons("add", ("project_json_src: `output_desc` names no output", "", "output_desc was empty: name each output"))
    desc = place.put("add.py", REJECTED)
    place.run("index", "update")
    argv = ("verify", "--op", "add", "--reference_path", ROOT / "examples/add.py", "--kernel_code_path", desc, "--local", "--result_json_path", "r.json")
    done = place.run(*argv)
    assert done.returncode == 1 and "may help:" in done.stdout, done
    tail = done.stdout[done.stdout.index("may help:"):].splitlines()
    assert 2 <= len(tail) <= 4 and any("add.json" in line for line in tail)
    quiet = place.run(*argv, OPWRIGHT_HINTS="0")
    assert quiet.returncode == 1 and "may help" not in quiet.stdout and timeless(done.stdout).startswith(timeless(quiet.stdout))
    assert "may help" not in json.dumps(json.loads((place.folder / "r.json").read_text()))


def test_hints_never_fail_a_verify(place):
    """No index, a place that cannot be written, a broken index: the verdict is the same."""
    desc = place.put("add.py", REJECTED)
    argv = ("verify", "--op", "add", "--reference_path", ROOT / "examples/add.py", "--kernel_code_path", desc, "--local")
    plain = place.run(*argv, OPWRIGHT_HINTS="0")
    blocked = place.put("blocked", "")
    done = place.run(*argv, XDG_CACHE_HOME=str(blocked), XDG_DATA_HOME=str(blocked))
    assert (done.returncode, timeless(done.stdout), done.stderr) == (plain.returncode, timeless(plain.stdout), plain.stderr)
    place.run("index", "update")
    index = next(pathlib.Path(place.folder / "cache").rglob("*.sqlite"))
    index.write_bytes(b"rubbish" * 1000)
    done = place.run(*argv)
    assert done.returncode == 1 and timeless(done.stdout).startswith(timeless(plain.stdout)) and done.stderr == plain.stderr


def test_unsupported_op_ends_with_hints(place):
    place.golden("linalg_svdvals", "// singular values")
    place.run("index", "update")
    ref = place.put("svd.py", "import torch\nimport torch.nn as nn\nclass Model(nn.Module):\n    def forward(self, x):\n"
                    "        return torch.linalg.svdvals(x)\ndef get_inputs():\n    return [torch.rand(4, 8)]\n")
    done = place.run("gen", ref, "--quiet")
    assert done.returncode == 2 and "may help:" in done.stderr, done


def test_the_index_comes_by_itself(place):
    """A verification on a new machine makes the index beside its work."""
    place.lessons("add", ("x", "", "violin"))
    place.run("verify", "--op", "add", "--reference_path", ROOT / "examples/add.py", "--kernel_code_path", place.put("add.py", REJECTED), "--local")
    for _ in range(100):
        if place.search("--no-update", "violin"):
            break
        time.sleep(0.1)
    assert place.search("--no-update", "violin")
