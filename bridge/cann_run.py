"""Runs a built operator on an NPU: `python bridge/cann_run.py JOB.json`, started by src/cann in a process of its own.

The job: {mode: "check" | "time", reference, model_src, model_file (its place, or ""), model_class, library (the extension's name), module_dir, opp, op, seed, trials, want_golden, warmup, runs, out}.
`check` runs the candidate on the device and then the reference on the CPU, and writes the answers of docs/bridge.md (run):
out/check.json, a list, and out/trial<i>.bin, their blobs one after the other. `time` writes out/time.json:
{performance, baseline or null, baseline_error}, milliseconds by events of the device. What keeps the device from being used at all
is {"unavailable": text} in either file.
"""

from __future__ import annotations

import importlib
import json
import linecache
import os
import statistics
import sys
from types import ModuleType
from typing import Any, Callable

import worker  # beside this file

worker.load_package()


def main(path: str) -> int:
    with open(path, encoding="utf-8") as f:
        job = json.load(f)
    out = os.path.join(job["out"], job["mode"] + ".json")
    try:
        device = open_device()
    except Exception as exc:  # noqa: BLE001 - a broken installation raises anything
        return write(out, {"unavailable": f"{type(exc).__name__}: {exc}"})
    return write(out, check(job, device) if job["mode"] == "check" else measure(job, device))


def write(path: str, value: Any) -> int:
    """Whole or not at all: the file's presence says that the run came to its end."""
    with open(path + ".part", "w", encoding="utf-8") as f:
        json.dump(value, f)
    os.rename(path + ".part", path)
    return 0


def open_device() -> Any:
    import torch
    import torch_npu  # noqa: F401 - registers the device

    torch.npu.set_device("npu:0")  # type: ignore[attr-defined]  # the only visible one
    return torch.device("npu:0")


def synchronize() -> None:
    import torch

    torch.npu.synchronize()  # type: ignore[attr-defined]


def load_candidate(job: dict[str, Any]) -> type:
    """ModelNew of model_src, with the built binding as its library."""
    import torch
    from opwright_bridge import candidate  # type: ignore[import-not-found]

    sys.path.insert(0, job["module_dir"])
    source, name = job["model_src"], candidate.MODEL_FILE
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    module = ModuleType("opwright_candidate")
    sys.modules[module.__name__] = module
    if job["model_file"]:  # it finds the extension by its own place
        vars(module)["__file__"] = job["model_file"]
    try:
        importlib.import_module(job["library"])
        exec(compile(source, name, "exec", dont_inherit=True), vars(module))
    except BaseException as exc:
        raise candidate.from_exception(exc, "import") from exc
    cls = vars(module).get(job["model_class"])
    if not (isinstance(cls, type) and issubclass(cls, torch.nn.Module)):
        raise candidate.CandidateError("import", f"model_src does not define class {job['model_class']}(torch.nn.Module)")
    return cls


def on_device(values: list[Any], device: Any) -> list[Any]:
    import torch

    return [v.to(device) if isinstance(v, torch.Tensor) else v for v in values]


def construct(cls: Callable[..., Any], init_inputs: list[Any], seed: int, device: Any) -> Any:
    from opwright_bridge import cases

    cases.set_seed(seed)
    return cls(*on_device(init_inputs, device)).to(device)


# ---- correctness ------------------------------------------------------------------------------------------------------


def check(job: dict[str, Any], device: Any) -> Any:
    from opwright_bridge import cases, evaluate, reference

    ref = reference.load(job["reference"])
    answers = []
    for trial in range(job["trials"]):
        # As in a run on the simulator the last trial calls the model a second time.
        case = cases.make(ref, {"kind": "own", "trial": trial, "again": trial == job["trials"] - 1}, job["seed"])
        answers.append(evaluate.Answer(ref, case))
        run_candidate(answers[-1], job, device)
        if answers[-1].error is not None:
            break
    want = ["eager", "actual"] + (["golden"] if job["want_golden"] else [])
    for answer in answers:  # after every call of the candidate: this changes what PyTorch says of devices
        if answer.error is None:
            evaluate.run_reference(answer, job["seed"], job["want_golden"])
            take_actual(answer)
    return [save(answer, i, want, job["out"]) for i, answer in enumerate(answers)]


def take_actual(answer: Any) -> None:
    """What the candidate gave and changed, now that it is known what the reference changes."""
    from opwright_bridge import candidate, evaluate

    try:
        evaluate.take_actual(answer, *answer.given)
    except candidate.CandidateError as exc:
        answer.error, answer.actual = exc, None


def save(answer: Any, index: int, want: list[str], out: str) -> dict[str, Any]:
    blobs = answer.blobs(want) if answer.error is None else []
    with open(os.path.join(out, f"trial{index}.bin"), "wb") as f:
        for blob in blobs:
            f.write(blob)
    result = answer.to_json(want)
    if answer.error is not None:
        result["blob_names"] = []
    return {"result": result, "blobs": [len(b) for b in blobs]}


def run_candidate(answer: Any, job: dict[str, Any], device: Any) -> None:
    """Fills the candidate's part; its failures are results."""
    import torch
    from opwright_bridge import candidate
    from torch.utils._pytree import tree_map

    case = answer.case
    stage = "import"
    watch = candidate.Watch()
    try:
        cls = load_candidate(job)
        stage = "construct"
        with torch.no_grad():
            model = construct(cls, case.init_inputs, job["seed"], device)
            synchronize()
            stage = "forward"
            for earlier in case.earlier:
                model(*answer.ref.nested(on_device(earlier, device)))
            arguments = on_device(case.arguments, device)
            with watch:
                result = model(*answer.ref.nested(arguments))
            synchronize()
        answer.given = tree_map(lambda a: a.detach().cpu() if isinstance(a, torch.Tensor) else a, (result, arguments))
    except Exception as exc:  # noqa: BLE001 - foreign code raises anything
        answer.error = candidate.from_exception(exc, stage)
        answer.actual = None
    answer.fallback, answer.conversions = watch.seen, watch.conversions
    answer.report = {"launches": [{"op": job["op"]}] if library_is_mapped(job["opp"]) else []}


def library_is_mapped(opp: str) -> bool:
    """Whether a library of the private package is in this process: it gets there with the first call of its operator."""
    with open("/proc/self/maps", encoding="utf-8", errors="replace") as f:
        return any(os.path.realpath(opp) + "/" in line for line in f)


# ---- time -------------------------------------------------------------------------------------------------------------


def measure(job: dict[str, Any], device: Any) -> Any:
    from opwright_bridge import cases, reference

    ref = reference.load(job["reference"])
    case = cases.make(ref, {"kind": "own", "trial": 0}, job["seed"])
    arguments = ref.nested(on_device(case.arguments, device))
    result: dict[str, Any] = {"performance": time_model(load_candidate(job), case, arguments, job, device), "baseline": None, "baseline_error": ""}
    try:
        result["baseline"] = time_model(ref.cls, case, arguments, job, device)
    except Exception as exc:  # noqa: BLE001 - the reference may use what the device does not have
        result["baseline_error"] = f"{type(exc).__name__}: {exc}"
    return result


def time_model(cls: Callable[..., Any], case: Any, arguments: list[Any], job: dict[str, Any], device: Any) -> dict[str, Any]:
    import torch

    npu = torch.npu  # type: ignore[attr-defined]
    times = []
    with torch.no_grad():
        model = construct(cls, case.init_inputs, job["seed"], device)
        for _ in range(job["warmup"]):
            model(*arguments)
            synchronize()
        for _ in range(job["runs"]):
            start, end = npu.Event(enable_timing=True), npu.Event(enable_timing=True)
            start.record()
            model(*arguments)
            end.record()
            synchronize()
            times.append(float(start.elapsed_time(end)))
    return {"mean": statistics.fmean(times), "median": statistics.median(times), "std": statistics.stdev(times) if len(times) > 1 else 0.0,
            "min": min(times), "max": max(times), "num_trials": len(times)}


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: cann_run.py JOB.json")
    sys.exit(main(sys.argv[1]))
