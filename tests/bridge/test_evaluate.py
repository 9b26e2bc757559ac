"""The run method, with a library of Python functions in place of a built operator."""

from __future__ import annotations

import struct
from types import ModuleType
from typing import Any, Callable, Optional

import pytest
import torch

from bridge import candidate, cases, evaluate
from bridge import reference as references
from bridge.errors import BridgeError

MODEL = """import torch
import torch_npu
import custom_ops_lib
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
    def forward(self, x, y):
        return custom_ops_lib.add_custom(x, y)
"""


class FakeLibrary:
    """Runs without dispatch, as the real one does: what it computes is not the candidate's doing."""

    def __init__(self, functions: dict[str, Callable[..., Any]]) -> None:
        self.functions, self.closed = functions, False

    def make_module(self, name: str) -> ModuleType:
        module = ModuleType(name)
        for key, f in self.functions.items():
            setattr(module, key, self._quiet(f))
        return module

    @staticmethod
    def _quiet(f: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any) -> Any:
            with torch._C._DisableTorchDispatch():
                return f(*args)

        return call

    def report(self) -> dict[str, Any]:
        return {"launches": [{"kernel": "add_custom"}]}

    def close(self) -> None:
        self.closed = True


def run(ref: str, case: Optional[dict[str, Any]] = None, model: str = MODEL, changes: Any = (), **functions: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Result, and blobs by name as lists of numbers."""
    library = FakeLibrary(functions or {"add_custom": torch.add})
    params = {"reference": ref, "model_src": model, "case": case or {"kind": "own", "trial": 0}, "changes": list(changes)}
    result, blobs = evaluate.run_case(params, lambda p: library)
    assert library.closed
    assert len(blobs) == len(result["blob_names"])
    return result, {name: bytes(b) for name, b in zip(result["blob_names"], blobs)}


def doubles(data: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(data) // 8}d", data))


def floats(data: bytes) -> list[float]:
    return list(struct.unpack(f"<{len(data) // 4}f", data))


# ---- good runs --------------------------------------------------------------------------------------------------------


def test_own_inputs(reference: Any) -> None:
    path = reference("return x + y", "torch.rand(2, 3), torch.rand(3)", "x, y")
    result, blobs = run(path)
    assert result["inputs"] == [{"dtype": "float32", "shape": [2, 3]}, {"dtype": "float32", "shape": [3]}]
    assert result["outputs"] == [{"dtype": "float32", "shape": [2, 3], "golden_dtype": "float64"}] and result["actual"] == result["eager_outputs"]
    assert result["candidate_error"] is None and result["fallback"] == [] and result["inputs_changed"] == []
    assert result["blob_names"] == ["golden0", "eager0", "actual0"] and blobs["eager0"] == blobs["actual0"]
    torch.manual_seed(1024)
    x, y = torch.rand(2, 3), torch.rand(3)
    assert doubles(blobs["golden0"]) == (x.double() + y.double()).flatten().tolist()
    assert floats(blobs["actual0"]) == (x + y).flatten().tolist()
    assert result["report"]["launches"] and set(result["times"]) == {"reference_s", "golden_s", "candidate_s"}


def test_trials_go_on_in_one_random_stream(reference: Any) -> None:
    path = reference("return x + y", "torch.rand(3), torch.rand(3)", "x, y")
    torch.manual_seed(1024)
    expected = [(torch.rand(3) + torch.rand(3)).tolist() for _ in range(3)]
    assert [floats(run(path, {"kind": "own", "trial": trial})[1]["eager0"]) for trial in range(3)] == expected


def test_weights_are_the_same(reference: Any) -> None:
    path = reference("return x + self.w", "torch.rand(3)", "x", init="self.w = nn.Parameter(torch.rand(3))")
    model = MODEL.replace("super().__init__()", "super().__init__()\n        self.w = torch.nn.Parameter(torch.rand(3))") \
        .replace("forward(self, x, y)", "forward(self, x)").replace("(x, y)\n", "(x, self.w)\n")
    result, blobs = run(path, model=model)
    assert blobs["actual0"] == blobs["eager0"] and result["fallback"] == []


def test_sized_case(reference: Any) -> None:
    path = reference("return (x + y) * a", "torch.randint(-3, 4, (2, 3)).float(), torch.rand(3), 1.0", "x, y, a")
    model = MODEL.replace("x, y)", "x, y, a)")
    seen: list[Any] = []

    def op(x: Any, y: Any, a: float) -> Any:
        seen.append((x.dtype, tuple(x.shape), sorted(set(x.flatten().tolist())), a))
        return (x + y) * a

    result, blobs = run(path, {"kind": "sized", "variant": "float16", "symbols": {"s0": 31, "s1": 7}, "scalars": {"a": 0.5},
                               "inputs": [{"shape": [31, 7]}, {"shape": [7]}], "layout": "contiguous", "profile": "own"}, model, add_custom=op)
    assert seen[0][:2] == (torch.float16, (31, 7)) and seen[0][3] == 0.5
    assert set(seen[0][2]) <= {-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0}
    assert result["outputs"][0] == {"dtype": "float16", "shape": [31, 7], "golden_dtype": "float64"}
    assert blobs["eager0"] == blobs["actual0"] and len(blobs["golden0"]) == 31 * 7 * 8


def test_scalars_reach_both_models(reference: Any) -> None:
    path = reference("return x * double + self.double", "torch.rand(3), 2.0", "x, double", init="self.double = double", init_args="double",
                     init_inputs="3.0")
    model = MODEL.replace("__init__(self)", "__init__(self, d)").replace("super().__init__()", "super().__init__()\n        self.d = d") \
        .replace("x, y)", "x, double)").replace("(x, double)\n", "(x, double, self.d)\n")
    model = model.replace("add_custom(x, double)", "add_custom(x, double, self.d)")
    from bridge import trace

    graph = trace.build_graph(path, [])
    names = [s["id"] for s in graph["scalars"]]
    assert len(set(names)) == 2 and "double" not in names
    case = {"kind": "sized", "variant": "float32", "scalars": {names[0]: 5.0, names[1]: 7.0}}
    _, blobs = run(path, case, model, add_custom=lambda x, a, b: x * a + b)
    assert blobs["actual0"] == blobs["eager0"] and min(floats(blobs["eager0"])) >= 7


def test_golden_starts_from_rounded_inputs(reference: Any) -> None:
    path = reference("return x + y", "torch.tensor([0.1]), torch.tensor([0.0])", "x, y")
    _, blobs = run(path, {"kind": "sized", "variant": "float16", "inputs": [{"shape": [1]}, {"shape": [1]}]})
    assert doubles(blobs["golden0"]) == [torch.tensor(0.1).half().double().item()]


def test_strided_inputs(reference: Any) -> None:
    path = reference("return x + y", "torch.rand(4, 5), torch.rand(5)", "x, y")
    strides: list[Any] = []

    def op(x: Any, y: Any) -> Any:
        strides.append((x.stride(), y.stride(), x.is_contiguous()))
        return x + y

    case = {"kind": "sized", "variant": "float32", "inputs": [{"shape": [4, 5]}, {"shape": [5]}], "layout": "strided"}
    result, blobs = run(path, case, add_custom=op)
    assert strides[0][2] is False and strides[0][0] == (2, 9) and strides[0][1] == (2,)
    assert torch.tensor(floats(blobs["actual0"])).isfinite().all() and blobs["actual0"] == blobs["eager0"]
    _, plain = run(path, {**case, "layout": "contiguous"})
    assert plain["golden0"] == blobs["golden0"]


@pytest.mark.parametrize("variant", ["float16", "bfloat16", "float32"])
def test_edge_values(variant: str) -> None:
    t = torch.ones(200, dtype=getattr(torch, variant))
    cases.mix_edges(t, torch.Generator().manual_seed(1), True)
    info = torch.finfo(t.dtype)
    assert t.isnan().any() and (t == float("inf")).any() and (t == -float("inf")).any() and (t == info.max).any() and (t == info.tiny).any()
    zeros = t[t == 0]
    assert len(zeros) >= 2 and torch.signbit(zeros).any() and not torch.signbit(zeros).all()
    assert ((t != 0) & (t.abs().double() < info.tiny)).any() and (t == 1).sum() >= 180
    small = torch.ones(3, dtype=t.dtype)
    cases.mix_edges(small, torch.Generator().manual_seed(1), True)
    cases.mix_edges(small[:0], torch.Generator().manual_seed(1), True)
    modest = torch.ones(200, dtype=t.dtype)
    cases.mix_edges(modest, torch.Generator().manual_seed(1), False)
    assert modest.isnan().any() and (modest == float("inf")).any() and not (modest.abs() == info.max).any()


def test_parameters_in_other_sizes(reference: Any) -> None:
    path = reference("return x + self.m.w", "torch.rand(2, 3)", "x", init="self.m = nn.Module()\nself.m.w = nn.Parameter(torch.rand(3))")
    model = MODEL.replace("super().__init__()", "super().__init__()\n        self.m = torch.nn.Module()\n        self.m.w = torch.nn.Parameter(torch.rand(3))") \
        .replace("forward(self, x, y)", "forward(self, x)").replace("(x, y)\n", "(x, self.m.w)\n")
    result, blobs = run(path, {"kind": "sized", "variant": "bfloat16", "inputs": [{"shape": [4, 9]}, {"shape": [9], "path": "self.m.w"}]}, model)
    assert result["outputs"][0]["shape"] == [4, 9] and blobs["actual0"] == blobs["eager0"]


def test_size_zero(reference: Any) -> None:
    path = reference("return x + y", "torch.rand(4, 5), torch.rand(5)", "x, y")
    result, blobs = run(path, {"kind": "sized", "variant": "float32", "inputs": [{"shape": [0, 5]}, {"shape": [5]}]})
    assert result["outputs"][0]["shape"] == [0, 5] and blobs == {"golden0": b"", "eager0": b"", "actual0": b""}


def test_integers_are_exact(reference: Any) -> None:
    path = reference("return x + y, x > y", "torch.arange(3), torch.tensor([1, 1, 1 << 60])", "x, y")
    model = MODEL.replace("return custom_ops_lib.add_custom(x, y)", "return custom_ops_lib.add_custom(x, y), custom_ops_lib.gt(x, y)")
    result, blobs = run(path, model=model, add_custom=torch.add, gt=torch.gt)
    assert [o["golden_dtype"] for o in result["outputs"]] == ["int64", "int64"] and result["output_kinds"] == {"actual": "tuple", "outputs": "tuple"}
    assert struct.unpack("<3q", blobs["golden0"]) == (1, 2, 2 + (1 << 60)) and struct.unpack("<3q", blobs["golden1"]) == (0, 0, 0)
    assert len(blobs["actual1"]) == 3


def test_integers_of_rounded_numbers(reference: Any) -> None:
    """3.001953125 / 0.7 and 3.00390625 / 0.7 are one float16: the own dtype finds the largest elsewhere than float64."""
    path = reference("return (x / y).max(-1)[1]", "torch.tensor([3.001953125, 3.00390625]).half(), torch.tensor([0.7]).half()", "x, y")
    result, blobs = run(path, add_custom=lambda x, y: (x / y).max(-1)[1])
    assert result["outputs"][0]["golden_dtype"] == "int64"
    assert struct.unpack("<q", blobs["golden0"]) == (1,) and struct.unpack("<q", blobs["eager0"]) == (0,)


def test_reference_without_float64(reference: Any) -> None:
    path = reference("if x.dtype == torch.float64:\n    raise TypeError('no doubles')\nreturn x + y", "torch.rand(3), torch.rand(3)", "x, y")
    result, blobs = run(path)
    assert "no doubles" in result["golden_note"] and doubles(blobs["golden0"]) == floats(blobs["eager0"])


def test_reference_without_half(reference: Any) -> None:
    path = reference("if x.dtype == torch.float16:\n    raise RuntimeError('not implemented for Half')\nreturn x + y",
                     "torch.rand(3), torch.rand(3)", "x, y")
    result, _ = run(path, {"kind": "sized", "variant": "float16", "inputs": [{"shape": [3]}, {"shape": [3]}]})
    assert "not implemented" in result["golden_note"] and result["eager_outputs"][0]["dtype"] == "float16"


def test_want_only_what_is_asked(reference: Any) -> None:
    path = reference("return x + y", "torch.rand(3), torch.rand(3)", "x, y")
    params = {"reference": path, "model_src": "", "case": {"kind": "own"}, "want": ["golden"]}
    result, blobs = evaluate.run_case(params, lambda p: pytest.fail("no candidate was wanted"))
    assert result["blob_names"] == ["golden0"] and len(blobs) == 1 and result["actual"] is None


# ---- the candidate ----------------------------------------------------------------------------------------------------


def test_devices_are_no_ops(reference: Any) -> None:
    path = reference("return x + y", "torch.rand(3), torch.rand(3)", "x, y")
    model = MODEL.replace("        return custom", """        dev = torch.device("npu:0")
        self.npu(); self.to("npu"); self.to(device="npu")
        torch.npu.synchronize(); torch_npu.npu.set_device(0)
        x = x.npu().to("npu:0").to(dev)
        z = torch.empty(3, device="npu")
        z = torch.zeros_like(x, device=dev)
        assert x.is_npu
        y = y.to(x.device).contiguous().view(3).clone()
        return custom""")
    result, blobs = run(path, model=model)
    assert result["candidate_error"] is None and result["fallback"] == [] and blobs["actual0"] == blobs["eager0"]


def test_fallback_is_named(reference: Any) -> None:
    path = reference("return x + y", "torch.rand(3), torch.rand(3)", "x, y")
    model = MODEL.replace("return custom_ops_lib.add_custom(x, y)", "z = custom_ops_lib.add_custom(x, y)\n        return torch.relu(z) + 0")
    result, _ = run(path, model=model)
    assert result["fallback"] == ["aten.relu.default", "aten.add.Tensor"]
    model = MODEL.replace("(x, y)\n", "(x.half().float(), y)\n")
    result, _ = run(path, model=model)
    assert result["fallback"] == [] and result["conversions"] == ["float32 -> float16", "float16 -> float32"]


def test_changed_inputs_are_named(reference: Any) -> None:
    path = reference("return x + y", "torch.rand(3), torch.tensor([float('nan'), 1, 2])", "x, y")
    result, _ = run(path, add_custom=lambda x, y: x.add_(y))
    assert result["inputs_changed"] == ["x"]
    assert run(path)[0]["inputs_changed"] == []


def test_changed_arguments_are_compared(reference: Any) -> None:
    """Behind the results comes what arguments become that the reference writes and does not return."""
    path = reference("x.add_(y)\nreturn x * 2", "torch.rand(3), torch.rand(3)", "x, y")
    own, _ = run(path, model=MODEL)
    assert own["changes"] == ["x"] and own["eager_outputs"] == [{"dtype": "float32", "shape": [3]}, {"dtype": "float32", "shape": [3], "is_input": True}]

    def ask(write: bool) -> tuple[dict[str, Any], dict[str, Any]]:
        def add(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
            return (x.add_(y) if write else x + y) * 2

        return run(path, case={"kind": "own", "trial": 0}, changes=["x"], add_custom=add)

    result, blobs = ask(write=True)
    assert len(result["actual"]) == 2 and result["inputs_changed"] == []
    assert blobs["actual1"] == blobs["eager1"] and blobs["actual0"] == blobs["eager0"] and len(doubles(blobs["golden1"])) == 3
    result, blobs = ask(write=False)
    assert blobs["actual1"] != blobs["eager1"]


def test_a_reference_may_return_nothing_but_what_it_changes(reference: Any) -> None:
    path = reference("x.add_(y)", "torch.rand(3), torch.rand(3)", "x, y")
    result, blobs = run(path, model=MODEL.replace("return ", ""), changes=["x"], add_custom=lambda x, y: x.add_(y))
    assert result["candidate_error"] is None and result["output_kinds"] == {"actual": "none", "outputs": "none"}
    assert blobs["actual0"] == blobs["eager0"] and result["inputs_changed"] == []
    with pytest.raises(BridgeError, match="returns a NoneType"):
        run(reference("x + y", "torch.rand(3), torch.rand(3)", "x, y"))


def test_candidate_cannot_reach_the_reference_inputs(reference: Any) -> None:
    path = reference("return x + y", "torch.rand(3), torch.rand(3)", "x, y")
    honest = run(path)[1]["golden0"]
    assert run(path, add_custom=lambda x, y: x.zero_())[1]["golden0"] == honest


@pytest.mark.parametrize("old, new, stage, words, line", [
    ("import custom_ops_lib", "import custom_ops_libb", "import", "custom_ops_libb", 3),
    ("class ModelNew", "class Model", "import", "ModelNew", 0),
    ("class ModelNew(torch.nn.Module):", "class ModelNew(:", "import", "SyntaxError", 4),
    ("super().__init__()", "1 / 0", "construct", "ZeroDivisionError", 6),
    ("add_custom(x, y)", "missing(x, y)", "forward", "missing", 8),
    ("add_custom(x, y)", "add_custom(x)", "forward", "TypeError", 8),
    ("add_custom(x, y)", "add_custom(x, y).shape", "forward", "not a tensor", 0),
    ("custom_ops_lib.add_custom(x, y)", "torch_npu.npu_add(x, y)", "forward", "kernel_src", 8),
    ("(self, x, y)", "(self, x)", "forward", "TypeError", 0),
])
def test_candidate_errors(reference: Any, old: str, new: str, stage: str, words: str, line: int) -> None:
    path = reference("return x + y", "torch.rand(3), torch.rand(3)", "x, y")
    result, blobs = run(path, model=MODEL.replace(old, new))
    error = result["candidate_error"]
    assert (error["stage"], error["line"]) == (stage, line) and words in error["message"] and error["file"] == "model_src", error
    assert result["actual"] is None and blobs == {} and result["report"]["launches"]


def test_runtime_names_its_stage(reference: Any) -> None:
    class OperatorError(RuntimeError):
        stage = "tiling"

    def op(x: Any, y: Any) -> Any:
        raise OperatorError("do tiling failed")

    path = reference("return x + y", "torch.rand(3), torch.rand(3)", "x, y")
    assert run(path, add_custom=op)[0]["candidate_error"] == {"stage": "tiling", "message": "do tiling failed", "file": "model_src", "line": 8}


def test_wrong_shapes_are_the_comparison_s_business(reference: Any) -> None:
    path = reference("return x + y", "torch.rand(3), torch.rand(3)", "x, y")
    result, _ = run(path, add_custom=lambda x, y: [x, y])
    assert len(result["actual"]) == 2 and len(result["outputs"]) == 1
    assert result["blob_names"] == ["golden0", "eager0", "actual0", "actual1"]


# ---- the reference ----------------------------------------------------------------------------------------------------


def test_reference_that_fails(reference: Any) -> None:
    path = reference("y = x + y\nreturn y @ y @ y @ missing", "torch.rand(3), torch.rand(3)", "x, y")
    with pytest.raises(BridgeError) as caught:
        run(path)
    assert caught.value.line == 8 and caught.value.code == "bad_input"


@pytest.mark.parametrize("case, words", [
    ({"kind": "odd"}, "odd"), ({"kind": "own", "trial": -1}, "trial"), ({"kind": "sized", "variant": "float99"}, "float99"),
    ({"kind": "sized", "variant": "float32", "inputs": [{"shape": [3]}]}, "1 tensors"),
    ({"kind": "sized", "variant": "float32", "inputs": [{"shape": [-3]}, {"shape": [3]}]}, "not an input"),
    ({"kind": "sized", "variant": "float32", "scalars": {"beta": 1}}, "beta"),
    ({"kind": "sized", "variant": "float32", "layout": "upside down"}, "upside down"),
])
def test_bad_cases(reference: Any, case: Any, words: str) -> None:
    path = reference("return x + y", "torch.rand(3), torch.rand(3)", "x, y")
    with pytest.raises(BridgeError) as caught:
        run(path, case)
    assert words in caught.value.message


def test_sample_of_huge_inputs_is_small(reference: Any) -> None:
    path = reference("return x + y", "torch.rand(1 << 20, 1 << 14) - 5, torch.randint(0, 9, (1 << 14,))", "x, y")
    inputs = cases.sample_inputs(references.load(path))
    assert inputs[0].numel() < 1 << 22 and inputs[0].shape[1] == inputs[1].shape[0] and inputs[0].max() < -4 and inputs[1].max() <= 8


def test_bytes_of_every_dtype() -> None:
    for dtype in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8, torch.int32, torch.int64, torch.uint8, torch.bool):
        t = torch.arange(6).to(dtype).view(2, 3).t()
        data = bytes(evaluate.tensor_bytes(t))
        assert len(data) == 6 * t.element_size()
        assert torch.equal(torch.frombuffer(bytearray(data), dtype=dtype).view(3, 2), t.contiguous())


def test_fresh_copies_keep_layout() -> None:
    base = torch.arange(20.0)
    t = base[1:].as_strided((3, 2), (5, 2))
    c = candidate.fresh(t)
    assert torch.equal(c, t) and c.stride() == t.stride() and c.data_ptr() != t.data_ptr() and c.storage_offset() == 1


# ---- where outputs come from ------------------------------------------------------------------------------------------


def checksum(address: int, n_bytes: int) -> int:
    import ctypes
    import zlib

    return zlib.crc32(ctypes.string_at(address, n_bytes))


class WatchedLibrary(FakeLibrary):
    """Its functions' results count as written by a launch."""

    def __init__(self, functions: dict[str, Callable[..., Any]]) -> None:
        from bridge.origin import Origins, storage_of

        self.origins = Origins(checksum)

        def noted(f: Callable[..., Any]) -> Callable[..., Any]:
            def call(*args: Any) -> Any:
                result = f(*args)
                self.origins.wrote(*storage_of(result))
                return result

            return call

        super().__init__({name: noted(f) for name, f in functions.items()})


ORIGINS = [
    ("return custom_ops_lib.add_custom(x, y)", "kernel"),
    ("return custom_ops_lib.add_custom(x, y).view(3, 2)", "kernel"),
    ("return custom_ops_lib.add_custom(x, y).t().contiguous()", "kernel"),
    ("return custom_ops_lib.add_custom(x, y).to(torch.float64)", "kernel"),
    ("out = torch.empty(2, 2, 3)\n        out[0].copy_(custom_ops_lib.add_custom(x, y))\n        "
     "out[1].copy_(custom_ops_lib.add_custom(y, x))\n        return out", "kernel"),
    ("custom_ops_lib.add_custom(x, y)\n        return x", "input"),
    ("custom_ops_lib.add_custom(x, y)\n        return x.clone()", "other"),
    ("custom_ops_lib.add_custom(x, y)\n        return torch.zeros(2, 3)", "other"),
    ("z = custom_ops_lib.add_custom(x, y)\n        return torch.tensor(z.tolist())", "other"),
    ("z = custom_ops_lib.add_custom(x, y)\n        z.numpy()[0, 0] = 7\n        return z", "other"),
    ("z = custom_ops_lib.add_custom(x, y)\n        z.copy_(x)\n        return z", "other"),
    ("z = custom_ops_lib.add_custom(x, y)\n        w = torch.tensor([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])\n        w[0].copy_(z[0])\n        return w",
     "other"),
]


@pytest.mark.parametrize("body, origin", ORIGINS)
def test_origins(reference: Any, body: str, origin: str) -> None:
    path = reference("return x + y", "torch.rand(2, 3), torch.rand(2, 3)", "x, y")
    model = MODEL.replace("return custom_ops_lib.add_custom(x, y)", body)
    params = {"reference": path, "model_src": model, "want": ["actual"]}
    result, _ = evaluate.run_case(params, lambda p: WatchedLibrary({"add_custom": torch.add}))
    assert result["candidate_error"] is None and [a["origin"] for a in result["actual"]] == [origin]


def test_reference_that_returns_its_input(reference: Any) -> None:
    path = reference("return x + y, x, y.t()", "torch.rand(2, 3), torch.rand(2, 3)", "x, y")
    result, _ = evaluate.run_case({"reference": path, "model_src": MODEL, "want": ["eager"]}, lambda p: FakeLibrary({}))
    assert [t.get("is_input", False) for t in result["eager_outputs"]] == [False, True, True]


def test_a_result_kept_from_the_call_before_is_wrong(reference: Any) -> None:
    path = reference("return x + y", "torch.rand(2, 3), torch.rand(2, 3)", "x, y")
    kept = MODEL.replace("return custom", "key = (x.data_ptr(), y.data_ptr())\n        if key not in KEPT:\n            "
                         "KEPT[key] = custom").replace("(x, y)\n", "(x, y)\n        return KEPT[key]\n").replace("class", "KEPT = {}\nclass", 1)
    kept = kept.replace("def forward(self, x, y)\n        return KEPT[key]\n", "def forward(self, x, y)")
    case = {"kind": "own", "trial": 4}
    _, blobs = run(path, case, kept)
    assert blobs["actual0"] == blobs["eager0"]
    _, blobs = run(path, {**case, "again": True}, kept)
    assert blobs["actual0"] != blobs["eager0"]
    _, blobs = run(path, {**case, "again": True})
    assert blobs["actual0"] == blobs["eager0"]


def test_inputs_are_told_apart(reference: Any) -> None:
    path = reference("return x + y", "torch.rand(2, 3), torch.rand(2, 3)", "x, y")
    digests = [run(path, {"kind": "own", "trial": t})[0]["inputs_digest"] for t in (0, 1, 0)]
    assert digests[0] == digests[2] != digests[1]


def test_own_call_that_the_cpu_cannot_do_in_its_dtype(write: Any) -> None:
    """Pooling of three dimensions has no half kernel on the CPU: float32, rounded, stands in for a file's own inputs, too."""
    path = write("import torch\nclass Model(torch.nn.Module):\n    def forward(self, x):\n        return torch.nn.functional.avg_pool3d(x, 2)\n"
                 "def get_inputs():\n    return [torch.rand(1, 2, 4, 4, 4).half()]\n")
    ref = evaluate.reference.load(path)
    answer = evaluate.Answer(ref, evaluate.cases.make(ref, {"kind": "own"}, 1))
    evaluate.run_reference(answer, 1, True)
    assert answer.eager[0].dtype == torch.float16 and answer.golden[0].dtype == torch.float64
    assert torch.allclose(answer.eager[0].double(), answer.golden[0], atol=1e-3)
