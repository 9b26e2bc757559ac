"""Runs one case of a built description in this process, without a fork and without limits: for a debugger.

`python one.py params.json`: params as the `run` method has them (docs/bridge.md). Prints what was found and how far the outputs are from
the reference; exit status 0 when nothing was found and they agree (allclose 1e-2).
"""
import importlib
import importlib.util
import json
import os
import sys


def main() -> int:
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [p for p in sys.path if os.path.abspath(p or os.getcwd()) != here]
    spec = importlib.util.spec_from_file_location("opwright_bridge", os.path.join(here, "__init__.py"), submodule_search_locations=[here])
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["opwright_bridge"] = module
    spec.loader.exec_module(module)
    evaluate = importlib.import_module("opwright_bridge.evaluate")
    torch = importlib.import_module("torch")
    torch.set_num_threads(1)
    with open(sys.argv[1], encoding="utf-8") as f:
        params = json.load(f)
    params["want"] = ["eager", "actual"]
    params.pop("trail", None)
    ref = evaluate.reference.load(params["reference"])
    case = evaluate.cases.make(ref, params["case"], params["seed"])
    answer = evaluate.Answer(ref, case)
    evaluate.run_candidate(answer, params, evaluate.open_library, params["seed"])
    for f in answer.report.get("findings", []):
        print(f"{f['severity']} {f['file']}:{f['line']}: [{f['check']}] {f['text']}")
    if answer.error is not None:
        print(f"{answer.error.stage}: {answer.error.message}")
        return 1
    evaluate.run_reference(answer, params["seed"], False)
    agree = all(f["severity"] != "error" for f in answer.report.get("findings", []))
    for k, (got, want) in enumerate(zip(answer.actual or [], answer.eager)):
        same = got.shape == want.shape and torch.allclose(got.double(), want.double(), 1e-2, 1e-2)
        off = (got.double() - want.double()).abs().max().item() if got.shape == want.shape and got.numel() else float("nan")
        print(f"output {k}: {list(got.shape)} {'agrees' if same else 'differs'}, largest difference {off:g}")
        agree = agree and same
    return 0 if agree else 1


if __name__ == "__main__":
    sys.exit(main())
