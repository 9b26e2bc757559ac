"""opwright golden: the effects of the existing save script on the same files, versions, and running the store again."""
import json

import pytest

from conftest import ADD, REFERENCE

ITEM = {"index": 0, "op": "mse_loss", "category": "custom", "language": "ascendc", "compiled": True, "correctness": True,
        "performance": {"mean": 0.177, "median": 0.176, "std": 1e-05, "min": 0.1, "max": 3.0, "num_trials": 100},
        "hardware": "ai_core-Ascend910B4", "compile_info": "行 1\n\"x\"", "speedup": 1.06}


def shapes(store, code):
    return {"object": {"exit_code": 0, "reference_path": str(REFERENCE), "kernel_code_path": str(code), "result": [ITEM], "summary": "text"},
            "list": [ITEM], "bare": ITEM}


@pytest.mark.parametrize("shape", ["object", "list", "bare"])
def test_the_three_shapes(store, shape):
    code = store.write("我的 kernel.py", "# 核\nproject_json_src = ''\n")
    result = store.write("结果.json", shapes(store, code)[shape])
    paths = [] if shape == "object" else ["--kernel_code_path", "我的 kernel.py", "--op", "other_name"]
    store.run("golden", "save", "--result_path", result, *paths)
    item = store.info()["mse_loss"]  # the result's own name counts
    assert item.pop("saved_at").endswith("Z")
    assert item == ITEM and list(item) == list(ITEM)
    assert (store.golden / "mse_loss.py").read_bytes() == code.read_bytes()
    text = (store.golden / "info.json").read_text(encoding="utf-8")
    assert text == json.dumps(json.loads(text), indent=4, ensure_ascii=False)  # byte for byte as Python writes it


def test_what_is_there_stays_byte_for_byte(store):
    code = store.write("k.py", "x = 1\n")
    store.golden.mkdir(parents=True)
    (store.golden / "info.json").write_text('{"old": {"t": 0.10, "u": 1E5},\n\n "mse_loss": {"hardware": "h", "performance": {"mean": 9}}}', encoding="utf-8")
    (store.golden / "mse_loss.py").write_text("# by an older tool\n")
    store.run("golden", "save", "--result_path", store.write("r.json", ITEM), "--kernel_code_path", code)
    text = (store.golden / "info.json").read_text(encoding="utf-8")
    assert text.startswith('{"old": {"t": 0.10, "u": 1E5},\n\n "mse_loss": {\n        "index": 0,')
    versions = store.json("golden", "show", "mse_loss", "--json")["versions"]
    assert sorted((v["current"], len(v["results"])) for v in versions) == [(False, 1), (True, 1)]
    diff = store.run("golden", "diff", "mse_loss", status=1).stdout
    assert "\n-# by an older tool\n+x = 1\n" in diff


@pytest.mark.parametrize("change", [{"correctness": False}, {"compiled": False}, {"compiled": None}, {"correctness": "true"}])
def test_no_solution_is_refused(store, change):
    result = store.write("r.json", {**ITEM, **change})
    out = store.run("golden", "save", "--result_path", result, "--kernel_code_path", store.write("k.py", ""), status=2)
    assert "nothing was saved" in out.stderr and not store.root.exists()


@pytest.mark.parametrize("result, words", [("", "empty"), ("{\n\"result\": [", "line 2"), ("[]", "list of results is empty"), ({"result": {}}, "is no result"),
                                           ("3", "is no result"), ({**ITEM, "op": "../up"}, "cannot be an operator's name"), ({**ITEM, "op": 3}, "`op` is not a text"),
                                           ({k: v for k, v in ITEM.items() if k != "op"}, "--op"), ({**ITEM, "kernel_code_path": "/none.py"}, "/none.py")])
def test_bad_results(store, result, words):
    out = store.run("golden", "save", "--result_path", store.write("r.json", result), "--kernel_code_path", store.write("k.py", ""), status=2)
    assert words in out.stderr and not store.root.exists()


def test_slower_needs_force(store):
    code, result = store.write("k.py", "fast\n"), store.write("r.json", ITEM)
    save = ["golden", "save", "--result_path", result, "--kernel_code_path", code]
    store.run(*save)
    code.write_text("slow\n")
    store.write("r.json", {**ITEM, "performance": {"mean": 0.1, "median": 0.2}})
    assert "faster on Ascend910B4: 0.176 ms measured" in store.run(*save, status=2).stderr
    assert (store.golden / "mse_loss.py").read_text() == "fast\n" and store.info()["mse_loss"]["performance"]["median"] == 0.176
    store.run(*save, "--force")
    assert (store.golden / "mse_loss.py").read_text() == "slow\n" and store.info()["mse_loss"]["performance"]["median"] == 0.2
    assert [v["best_on"] for v in store.json("golden", "show", "mse_loss", "--json")["versions"] if not v["current"]] == ["ai_core-Ascend910B4"]


def test_in_a_large_store(store):
    """Ten thousand entries: the others stay as they are."""
    store.golden.mkdir(parents=True)
    (store.golden / "info.json").write_text(json.dumps({f"op_{i}": {**ITEM, "op": f"op_{i}"} for i in range(10000)}, indent=4, ensure_ascii=False), encoding="utf-8")
    store.run("golden", "save", "--result_path", store.write("r.json", {**ITEM, "op": "op_5000"}), "--kernel_code_path", store.write("k.py", "new"))
    info = store.info()
    assert len(info) == 10000 and list(info)[5000] == "op_5000" and "saved_at" in info["op_5000"] and info["op_9999"]["op"] == "op_9999"
    text = store.run("golden", "list").stdout.splitlines()
    assert len(text) == 10002


def save_op(store, op, code, reference=REFERENCE):
    result = store.write("r.json", {**ITEM, "op": op, "hardware": "sim-Ascend910B4", "backend": "sim", "performance": None})
    store.run("golden", "save", "--result_path", result, "--kernel_code_path", code, *(["--reference_path", reference] if reference else []))


def test_verify_runs_the_store_again(store):
    add = ADD.read_text(encoding="utf-8")
    save_op(store, "add", ADD)
    save_op(store, "broken", store.write("b.py", add.replace("Add(z", "Sub(z") if "Add(z" in add else add.replace("AscendC::Add(", "AscendC::Sub(")))
    save_op(store, "bare", ADD, reference=None)
    out = store.run("golden", "verify", "-j", "2", "--quiet", status=1).stdout
    assert out.splitlines()[-1] == "1 pass, 1 do not, 1 have no reference to run them against"
    rows = {r["op"]: r for r in store.json("golden", "verify", "bare", "--json", "--reference_dir", store.write("refs/bare.py", REFERENCE.read_text()).parent)}
    assert rows["bare"]["verdict"] == "PASS"
    verified = {op: store.json("golden", "show", op, "--json")["versions"][0]["verified"]["verdict"] for op in ("add", "broken", "bare")}
    assert verified == {"add": "PASS", "broken": "FAIL", "bare": "PASS"}


def test_rm(store):
    save_op(store, "add", ADD)
    save_op(store, "mul", ADD)
    store.run("golden", "rm", "add")
    assert list(store.info()) == ["mul"] and sorted(p.name for p in store.golden.glob("*.py")) == ["mul.py"]
    assert "no golden solution for `add`" in store.run("golden", "show", "add", status=2).stderr
    assert "no version" in store.run("golden", "rm", "mul", "--version", "ffff", status=2).stderr


def test_default_place(store):
    result, code = store.write("r.json", ITEM), store.write("k.py", "")
    env = {"ASCEND_SKILL_ROOT": "", "XDG_DATA_HOME": str(store.tmp / "data")}
    store.run("golden", "save", "--result_path", result, "--kernel_code_path", code, env=env)
    assert (store.tmp / "data/opwright/reference/golden_solutions/mse_loss.py").exists()
    store.run("golden", "save", "--result_path", result, "--kernel_code_path", code, "--output_dir", "另一个")
    assert (store.tmp / "另一个/info.json").exists()
