"""Reference files to graphs: what docs/graph.md promises, kind by kind."""

from __future__ import annotations

import json
from typing import Any

import pytest
import torch

from bridge import names, recorder, trace
from bridge.errors import BridgeError


def ops(graph: Any) -> list[str]:
    return [n["op"] for n in graph["nodes"]]


def shapes(graph: Any) -> dict[str, Any]:
    return {i["id"]: i["shape"] for i in graph["inputs"]}


def refused(graph_of: Any, *args: Any, **kwargs: Any) -> BridgeError:
    with pytest.raises(BridgeError) as caught:
        graph_of(*args, **kwargs)
    assert caught.value.message and caught.value.file.endswith("ref.py")
    return caught.value


# ---- structure --------------------------------------------------------------------------------------------------------


def test_pointwise_chain(graph_of: Any) -> None:
    g = graph_of("return torch.relu(x + y) * 2", "torch.rand(4, 5), torch.rand(5)", "x, y")
    assert ops(g) == ["aten.add.Tensor", "aten.relu.default", "aten.mul.Tensor"]
    assert g["schema"] == 1 and g["variants"] == ["float16", "bfloat16", "float32"] and g["own_variant"] == 2
    assert g["nodes"][0]["args"] == [{"ref": "x"}, {"ref": "y"}] and g["nodes"][2]["args"] == [{"ref": "n1"}, 2]
    assert g["nodes"][0]["dtype"] == g["variants"] and g["inputs"][0]["dtype"] == g["variants"]
    assert g["outputs"] == [{"ref": "n2", "name": "y1"}] or g["outputs"][0]["name"] not in shapes(g)
    assert g["symbols"] == {"s0": {"hint": 4}, "s1": {"hint": 5}}
    assert json.loads(json.dumps(g, allow_nan=False)) == g


def test_lines_and_text(graph_of: Any) -> None:
    g = graph_of("a = x + 1\nreturn torch.relu(a)")
    assert [n["at"]["line"] for n in g["nodes"]] == [7, 8]
    assert "x + 1" in g["nodes"][0]["at"]["text"] and "relu" in g["nodes"][1]["at"]["text"]


@pytest.mark.parametrize("expression, op", [
    ("F.gelu(x)", "gelu.default"), ("F.gelu(x, approximate='tanh')", "gelu.default"), ("F.mish(x)", "mish.default"),
    ("F.silu(x)", "silu.default"), ("F.elu(x)", "elu.default"), ("F.selu(x)", "elu.default"), ("F.hardswish(x)", "hardswish.default"),
    ("F.softplus(x)", "softplus.default"), ("torch.logit(x, 1e-6)", "logit.default"), ("torch.addcmul(x, x, x)", "addcmul.default"),
    ("torch.lerp(x, x, 0.3)", "lerp.Scalar"), ("torch.square(x)", "square.default"), ("x ** 2", "pow.Tensor_Scalar"),
    ("F.leaky_relu(x, 0.2)", "leaky_relu.default"), ("nn.GELU()(x)", "gelu.default"), ("torch.clamp(x, 0, 1)", "clamp.default"),
])
def test_named_operators_stay_whole(graph_of: Any, expression: str, op: str) -> None:
    assert ops(graph_of(f"return {expression}")) == ["aten." + op]


def test_other_operators_are_decomposed(graph_of: Any) -> None:
    assert "aten.mish.default" not in ops(graph_of("return F.mish(x)", keep=()))
    g = graph_of("return F.layer_norm(x, (5,))")
    assert "aten.layer_norm.default" not in ops(g) and g["inputs"][0]["shape"] == ["s0", 5]
    assert "aten.selu.default" in ops(graph_of("return F.selu(x)", keep=("aten.selu.default",)))


def test_several_outputs_and_their_kind(graph_of: Any) -> None:
    g = graph_of("return x + 1, torch.relu(x), x")
    assert g["output_kind"] == "tuple" and [o["ref"] for o in g["outputs"]] == ["n0", "n1", "x"]
    assert len({o["name"] for o in g["outputs"]}) == 3
    assert graph_of("return [x + 1]")["output_kind"] == "list" and graph_of("return x + 1")["output_kind"] == "tensor"


def test_results_of_one_node(graph_of: Any) -> None:
    g = graph_of("v, i = torch.max(x, 1)\nreturn v, i")
    node = g["nodes"][-1]
    assert node["op"] == "aten.max.dim" and [r["id"] for r in node["results"]] == ["n0_0", "n0_1"]
    assert [o["ref"] for o in g["outputs"]] == ["n0_0", "n0_1"] and node["results"][1]["dtype"] == ["int64"] * 3


def test_dead_code_and_unused_parameters_are_left_out(graph_of: Any) -> None:
    g = graph_of("y = torch.exp(x)\nreturn x * self.w", init="self.w = nn.Parameter(torch.rand(5))\nself.unused = nn.Parameter(torch.rand(3))")
    assert ops(g) == ["aten.mul.Tensor"] and [i["id"] for i in g["inputs"]] == ["x", "w"]


def test_output_is_input_or_view(graph_of: Any) -> None:
    assert graph_of("return x")["outputs"][0]["ref"] == "x"
    g = graph_of("return x.t()")
    assert ops(g) in (["aten.t.default"], ["aten.permute.default"], ["aten.transpose.int"]) and g["nodes"][0]["shape"] == ["s1", "s0"]
    assert graph_of("return x.clone()")["outputs"][0]["ref"] == "x"


# ---- sizes ------------------------------------------------------------------------------------------------------------


def test_equal_sizes_are_not_merged(graph_of: Any) -> None:
    g = graph_of("return x + 1, y * 2", "torch.rand(4, 4), torch.rand(4, 4)", "x, y")
    assert shapes(g) == {"x": ["s0", "s1"], "y": ["s2", "s3"]}


def test_sizes_are_merged_when_the_program_demands_it(graph_of: Any) -> None:
    assert shapes(graph_of("return x + y", "torch.rand(4, 4), torch.rand(4, 4)", "x, y")) == {"x": ["s0", "s1"], "y": ["s0", "s1"]}
    g = graph_of("return x + y.t()", "torch.rand(4, 4), torch.rand(4, 4)", "x, y")
    assert shapes(g) == {"x": ["s0", "s1"], "y": ["s1", "s0"]}


def test_broadcasting(graph_of: Any) -> None:
    g = graph_of("return x * b", "torch.rand(8, 3, 4, 6), torch.rand(3, 1, 1)", "x, b")
    assert shapes(g) == {"x": ["s0", "s1", "s2", "s3"], "b": ["s1", 1, 1]}
    g = graph_of("return a * b", "torch.rand(4, 1, 7), torch.rand(1, 4, 7)", "a, b")
    assert shapes(g) == {"a": ["s0", 1, "s1"], "b": [1, "s2", "s1"]} and g["nodes"][0]["shape"] == ["s0", "s2", "s1"]


def test_view_sizes(graph_of: Any) -> None:
    g = graph_of("return torch.relu(x.reshape(x.shape[0], -1))", "torch.rand(2, 3, 4)")
    assert g["nodes"][-1]["shape"] == ["s0", "s1*s2"] and g["nodes"][0]["args"][1][0] == {"size": "s0"}
    g = graph_of("return torch.relu(x[:, 1:, ::2])", "torch.rand(4, 6, 9)")
    assert g["nodes"][-1]["shape"] == ["s0", "s1 - 1", "(s2 + 1)//2"]


def test_static_sizes_are_told(graph_of: Any) -> None:
    g = graph_of("return torch.relu(x.view(-1, 7))", "torch.rand(4, 7)")
    assert g["inputs"][0]["shape"][1] == 7 and any("can only be 7" in n for n in g["notes"])


def test_size_zero_and_one(graph_of: Any) -> None:
    g = graph_of("return torch.relu(x) + y", "torch.rand(0, 5), torch.rand(1, 5)", "x, y")
    assert shapes(g) == {"x": ["s0", "s1"], "y": [1, "s1"]} and g["inputs"][0]["hint_shape"] == [0, 5] and g["symbols"]["s0"] == {"hint": 0}
    assert any("size of 0" in n for n in g["notes"])


def test_no_dimensions(graph_of: Any) -> None:
    g = graph_of("return x + y", "torch.rand(4), torch.tensor(2.5)", "x, y")
    assert shapes(g) == {"x": ["s0"], "y": []}


def test_decisions_on_sizes_are_told(graph_of: Any) -> None:
    g = graph_of("if x.shape[0] > 3:\n    x = x + 1\nreturn x * 2")
    assert ops(g) == ["aten.add.Tensor", "aten.mul.Tensor"] and any("line 7" in n and "decision" in n for n in g["notes"])


def test_numbers_from_sizes(graph_of: Any) -> None:
    try:
        g = graph_of("return x * x.shape[-1] ** -0.5")
    except BridgeError as exc:
        assert "number computed from sizes" in exc.message and exc.line == 7 and tuple(map(int, torch.__version__.split(".")[:2])) < (2, 6)
        g = graph_of("return x * int(x.shape[-1]) ** -0.5")
        assert g["inputs"][0]["shape"][1] == 5
        return
    assert ops(g) == ["aten.full.default", "aten.sqrt.default", "aten.reciprocal.default", "aten.mul.Tensor"] and not g["notes"]
    g = graph_of("return torch.full_like(x, 1.0 / x.shape[-1]) + x")
    assert ops(g)[-2:] == ["aten.expand.default", "aten.add.Tensor"] and g["inputs"][0]["shape"] == ["s0", "s1"] and not g["notes"]


def test_a_number_that_is_not_computed_fixes_its_sizes(graph_of: Any) -> None:
    g = graph_of("return x.clamp(max=x.shape[-1] / 3.0)")
    assert any("depends on sizes" in n for n in g["notes"]) and g["inputs"][0]["shape"] == ["s0", 5]


def test_fractions_of_sizes_are_computed_in_the_operator(graph_of: Any) -> None:
    g = graph_of("return x * (2.0 / (x.shape[-1] - 1))")
    assert not any("depends on sizes" in n for n in g["notes"])
    assert ops(g) == ["aten.full.default", "aten.full.default", "aten.div.Tensor", "aten.mul.Tensor"]
    assert g["nodes"][1]["args"][1]["size"].replace(" ", "") in ("s1-1", "-1+s1")
    assert g["nodes"][3]["args"][1] == {"ref": g["nodes"][2]["id"]}


def test_strides_of_the_example(graph_of: Any) -> None:
    g = graph_of("return x + 1", "torch.rand(4, 5).t()")
    assert g["inputs"][0]["contiguous"] is False and g["inputs"][0]["hint_stride"] == [1, 5] and g["inputs"][0]["hint_shape"] == [5, 4]


def test_huge_inputs_cost_nothing(graph_of: Any) -> None:
    assert graph_of("return torch.relu(x)", "torch.rand(1 << 20, 1 << 20)")["symbols"]["s0"]["hint"] == 1 << 20


# ---- dtypes -----------------------------------------------------------------------------------------------------------


def test_integers_and_bools(graph_of: Any) -> None:
    g = graph_of("return a & b", "torch.rand(4) > 0.5, torch.rand(4) > 0.5", "a, b")
    assert g["variants"] == ["bool"] and g["nodes"][0]["dtype"] == ["bool"]
    assert graph_of("return x + 1", "torch.arange(5, dtype=torch.int32)")["variants"] == ["int32"]


def test_mixed_inputs_keep_what_is_not_floating(graph_of: Any) -> None:
    g = graph_of("return torch.where(m, x, i)", "torch.rand(4) > 0.5, torch.rand(4), torch.arange(4, dtype=torch.int32)", "m, x, i")
    by = {i["id"]: i["dtype"] for i in g["inputs"]}
    assert by == {"m": ["bool"] * 3, "x": g["variants"], "i": ["int32"] * 3}


def test_own_variant(graph_of: Any) -> None:
    g = graph_of("return x + 1", "torch.rand(4).half()")
    assert g["variants"][g["own_variant"]] == "float16"


def test_variant_that_differs_is_left_out(graph_of: Any) -> None:
    g = graph_of("if x.dtype == torch.float16:\n    x = x * 2\nreturn x + 1")
    assert g["variants"] == ["bfloat16", "float32"] and any("no float16 variant" in n for n in g["notes"])


def test_variant_that_fails_is_left_out(graph_of: Any) -> None:
    g = graph_of("assert x.dtype != torch.bfloat16, 'not that one'\nreturn x + 1")
    assert g["variants"] == ["float16", "float32"] and any("not that one" in n for n in g["notes"])


def test_explicit_casts(graph_of: Any) -> None:
    g = graph_of("return (x > 0).float()")
    assert g["nodes"][-1]["dtype"] == ["float32"] * 3
    g = graph_of("return (x > 0).to(x.dtype)")
    assert g["nodes"][-1]["dtype"] == g["variants"] == ["float16", "bfloat16", "float32"]


@pytest.mark.parametrize("wide, back", [("x.float()", "y.to(x.dtype)"), ("x.to(torch.float32)", "y.type_as(x)"), ("x.to('cpu', torch.float32)", "y.to(x)")])
def test_conversions_between_floating_dtypes(graph_of: Any, wide: str, back: str) -> None:
    """They change nothing for float32; all dtypes are one list of nodes all the same."""
    for own in ("torch.randn(3)", "torch.randn(3).half()"):
        g = graph_of(f"y = {wide}\ny = y * y\nreturn {back}", own)
        assert g["variants"] == ["float16", "bfloat16", "float32"], g["notes"]
        assert [n["op"] in recorder.CASTS for n in g["nodes"]] == [True, False, True]
        assert [n["dtype"] for n in g["nodes"]] == [["float32"] * 3, ["float32"] * 3, g["variants"]]


# ---- numbers ----------------------------------------------------------------------------------------------------------


def test_scalar_from_forward(graph_of: Any) -> None:
    g = graph_of("return x * alpha + 0.5", "torch.rand(4), 0.5", "x, alpha")
    assert g["scalars"] == [{"id": "alpha", "name": "alpha", "type": "float", "value": 0.5, "from": "argument", "arg_index": 1}]
    assert g["nodes"][0]["args"][1] == {"scalar": "alpha"} and g["nodes"][1]["args"][1] == 0.5
    assert g["model"]["call_args"] == ["x", "alpha"]


def test_scalar_from_constructor(graph_of: Any) -> None:
    g = graph_of("return F.leaky_relu(x, self.slope) + self.act.alpha", init="self.slope = slope\nself.act = nn.ELU(alpha)",
                 init_args="slope, alpha, n", init_inputs="0.2, 0.7, 3")
    assert [(s["id"], s["from"], s["arg_index"]) for s in g["scalars"]] == [("slope", "init", 0), ("alpha", "init", 1)]
    assert g["model"]["call_args"] == ["x", "self.slope", "self.act.alpha"]


def test_scalar_equal_to_a_default(graph_of: Any) -> None:
    g = graph_of("return F.elu(x, self.alpha)", init="self.alpha = alpha", init_args="alpha", init_inputs="1.0")
    assert g["nodes"][0]["args"] == [{"ref": "x"}, {"scalar": "alpha"}]


def test_number_that_is_part_of_the_program(graph_of: Any) -> None:
    g = graph_of("return torch.cumsum(x, d)", "torch.rand(4, 5), 1", "x, d")
    assert g["scalars"] == [] and any(n.startswith("d:") for n in g["notes"])
    g = graph_of("return x.view(-1, k) + 1", "torch.rand(4, 6), 3", "x, k")
    assert g["scalars"] == [] and any(n.startswith("k:") for n in g["notes"])
    g = graph_of("return x + 1 if flag else x", "torch.rand(4), True", "x, flag")
    assert g["scalars"] == [] and ops(g) == ["aten.add.Tensor"] and any(n.startswith("flag:") for n in g["notes"])


def test_number_computed_from_an_argument(graph_of: Any) -> None:
    g = graph_of("return x * alpha + (1 - alpha)", "torch.rand(4), 0.25", "x, alpha")
    assert g["scalars"] == [] and any("computed from it" in n for n in g["notes"]) and g["nodes"][1]["args"][1] == 0.75


def test_negated_number(graph_of: Any) -> None:
    g = graph_of("return torch.exp(-k * x) + k", "torch.rand(4), 3", "x, k")
    assert [(s["id"], s["type"], s["value"]) for s in g["scalars"]] == [("k", "int", 3)] and g["model"]["call_args"] == ["x", "k"]
    assert g["nodes"][0]["args"][1] == {"scalar": "k", "negated": True} and g["nodes"][2]["args"][1] == {"scalar": "k"}


def test_constants(graph_of: Any) -> None:
    g = graph_of("return x * torch.tensor(2.0) + float('inf')")
    assert g["nodes"][0]["args"][1] == 2.0 and g["nodes"][1]["args"][1] == {"const": "inf"}
    g = graph_of("return x * torch.tensor([1., 2., 3., 4., 5.])")
    assert g["inputs"][1]["kind"] == "buffer" and g["inputs"][1]["path"].startswith("torch.tensor([1.0")
    g = graph_of("return x * W", top="W = torch.rand(5)")
    assert g["inputs"][1]["path"] == "W" and "W = torch.rand(5)" in g["model"]["module_code"]
    assert graph_of("return x * torch.tensor([2., 3.]).sum()")["nodes"][0]["args"][1] == 5.0


# ---- parameters and the model -----------------------------------------------------------------------------------------


def test_parameters_buffers_and_attributes(graph_of: Any) -> None:
    g = graph_of("return (x * self.lin.weight + self.shift) * self.scale",
                 init="self.lin = nn.Linear(5, 4)\nself.register_buffer('shift', torch.zeros(5))\nself.scale = torch.ones(4, 1)")
    by = {i["id"]: (i["kind"], i.get("path")) for i in g["inputs"]}
    assert by == {"x": ("argument", None), "lin_weight": ("parameter", "self.lin.weight"), "shift": ("buffer", "self.shift"),
                  "scale": ("buffer", "self.scale")}
    assert g["model"]["call_args"] == [f"self.{p}" if i else p for i, p in enumerate(["x", "shift", "scale", "lin.weight"])] \
        or set(g["model"]["call_args"]) == {"x", "self.shift", "self.scale", "self.lin.weight"}


def test_shared_parameter_is_one_input(graph_of: Any) -> None:
    g = graph_of("return x * self.a + self.b", init="self.a = nn.Parameter(torch.rand(5))\nself.b = self.a")
    assert [i["id"] for i in g["inputs"]] == ["x", "a"]


def test_path_through_containers(graph_of: Any) -> None:
    g = graph_of("return x * self.net[1].weight * self.ps[0]",
                 init="self.net = nn.Sequential(nn.ReLU(), nn.LayerNorm(5))\nself.ps = nn.ParameterList([nn.Parameter(torch.rand(5))])")
    assert set(g["model"]["call_args"]) == {"x", "self.net[1].weight", "self.ps[0]"}


def make_model_new(graph: Any, forward: str) -> type:
    """ModelNew as the generator writes it, with a forward of the test's own."""
    m = graph["model"]
    body = m["init_code"] or "pass"
    text = "import torch\n" + m["module_code"] + "\nclass ModelNew(torch.nn.Module):\n" + \
        "".join("    " + line + "\n" for line in body.split("\n")) + f"    def forward(self, {m['forward_params']}):\n        return {forward}\n"
    space: dict[str, Any] = {}
    exec(text, space)
    return space["ModelNew"]


def test_model_new_has_the_same_parameters(graph_of: Any) -> None:
    g = graph_of(
        "return x * self.b1.lin.weight + self.b2 + LIMIT", init_args="n, scale=2.0", init_inputs="5",
        init="self.b1 = Block(n)\nself.b2 = nn.Parameter(torch.randn(n) * scale * helper(3))\nself.arr = np.ones(3)",
        top="import numpy as np, os\nimport math\nfrom typing import List\nLIMIT = 2\nOTHER = os.sep\n"
            "def helper(k): return math.sqrt(k)\ndef not_needed(): pass\n"
            "class Block(nn.Module):\n    def __init__(self, n):\n        super().__init__()\n        self.lin = nn.Linear(n, 4)\n"
            "    def forward(self, x):\n        return torch.relu(self.lin(x))")
    code = g["model"]["module_code"] + g["model"]["init_code"]
    for word in ("relu", "not_needed", "OTHER", "List", "get_inputs", "LIMIT"):
        assert word not in code, word
    assert "import numpy as np" in code and ", os" not in code and "super(ModelNew, self)" in code
    ModelNew = make_model_new(g, "x")
    from bridge import reference

    ref = reference.load(g["file"])
    torch.manual_seed(7)
    a = ref.cls(5)
    torch.manual_seed(7)
    b = ModelNew(5)
    assert [k for k, _ in a.named_parameters()] == [k for k, _ in b.named_parameters()]
    assert all(torch.equal(p, q) for p, q in zip(a.parameters(), b.parameters()))


def test_model_without_state_needs_no_constructor(graph_of: Any) -> None:
    m = graph_of("return torch.relu(x)", init="self.act = nn.ReLU()")["model"]
    assert m == {"module_code": "", "init_code": "", "call_args": ["x"], "forward_params": "x"}


def test_forward_parameters_keep_defaults(graph_of: Any) -> None:
    g = graph_of("return x * k", args="x: torch.Tensor, k: float = 2.0")
    assert g["model"]["forward_params"] == "x, k=2.0"
    g = graph_of("return x[0] + x[1]", "torch.rand(3), torch.rand(3)", args="*x")
    assert g["model"]["call_args"] == ["x[0]", "x[1]"] and [i["id"] for i in g["inputs"]] == ["x0", "x1"]


def test_constructor_methods(write: Any) -> None:
    g = trace.build_graph(write("""
import torch
class Base(torch.nn.Module):
    limit = 3
    def __init__(self, n):
        super().__init__()
        self.w = torch.nn.Parameter(torch.empty(n))
        self._reset()
    def _reset(self):
        torch.nn.init.uniform_(self.w, -self.limit, self.limit)
    def other(self):
        return torch.relu(self.w)
class Model(Base):
    def forward(self, x):
        return x * self.other()
def get_inputs(): return [torch.rand(2, 5)]
def get_init_inputs(): return [5]
"""), ["aten.mul.Tensor"])
    code = g["model"]["init_code"]
    assert "_reset" in code and "limit = 3" in code and "relu" not in code
    torch.manual_seed(3)
    assert make_model_new(g, "x")(5).w.abs().max() <= 3


# ---- in place ---------------------------------------------------------------------------------------------------------


def run_graph(graph: Any, values: dict[str, torch.Tensor], sizes: dict[str, int]) -> list[torch.Tensor]:
    """Executes a graph node by node: the proof that it says what the module does."""
    env: dict[str, Any] = dict(values)

    def value(a: Any) -> Any:
        if isinstance(a, list):
            return [value(v) for v in a]
        if not isinstance(a, dict):
            return a
        if "ref" in a:
            return env[a["ref"]]
        if "size" in a:
            return eval(a["size"], {"Min": min, "Max": max}, sizes)
        return getattr(torch, a["dtype"]) if "dtype" in a else float(a["const"])

    for n in graph["nodes"]:
        space, name, overload = n["op"].split(".")
        op = getattr(getattr(getattr(torch.ops, space), name), overload)
        args = value(n["args"])
        if args and not isinstance(args[0], torch.Tensor) and any(isinstance(v, torch.Tensor) for v in args):
            args = [torch.tensor(a) if isinstance(a, float) and t.type.kind() == "TensorType" else a for a, t in zip(args, op._schema.arguments)]
        args = [torch.tensor(a) if isinstance(a, (int, float)) and str(t.type) == "Tensor" else a for a, t in zip(args, op._schema.arguments)]
        out = op(*args, **{k: value(v) for k, v in n["kwargs"].items()})
        if "results" in n:
            env.update({r["id"]: o for r, o in zip(n["results"], out)})
        else:
            env[n["id"]] = out
            assert list(out.shape) == value([{"size": s} if isinstance(s, str) else s for s in n["shape"]]), n
            assert str(out.dtype) == "torch." + n["dtype"][graph["own_variant"]], n
    return [env[o["ref"]] for o in graph["outputs"]]


@pytest.mark.parametrize("body", [
    "y = x + 1\ny.add_(2)\ny *= 3\nreturn y",
    "y = x.clone()\ny[:, 1:3] = 7.0\nreturn y",
    "y = x.clone()\ny[1] += 2\nreturn y * 2",
    "y = x.clone()\nz = y.t()\ny.add_(1)\nreturn z + 0",
    "y = x.clone()\nz = y.view(-1)\nz[3:9].mul_(5)\nreturn y, z",
    "y = torch.zeros_like(x)\ny[:] = torch.relu(x)\nreturn y",
    "y = torch.empty_like(x)\ny.copy_(x[0])\nreturn y",
    "y = x * 2\ny[y > 1] = 0\nreturn y",
    "y = x * 2\ny.fill_(3)\nreturn y + x",
    "y = torch.relu(x)\nreturn F.relu_(y) + F.elu(y, inplace=True)",
    "o = torch.empty_like(x)\ntorch.add(x, 1, out=o)\nreturn o",
    "y = x.clone()\ny.diagonal().add_(1)\nreturn y",
    "y = x.clone().unsqueeze(0)\ny[0, 2].zero_()\nreturn y.squeeze(0)",
    "y = x.clone()\na, b = y[:2], y[1:]\na.add_(10)\nb.mul_(2)\nreturn y, a + 0, b + 0",
    "y = (x > 0.5)\ny |= x < 0.1\nreturn y",
    "i = torch.zeros(5, dtype=torch.int32)\ni += 3\nreturn x + i",
    "y = x.new_zeros(x.shape)\ny[..., ::2] = x[..., ::2]\nreturn y",
    "return nn.ReLU(inplace=True)(x * 2 - 1)",
    "return x.masked_fill(x > 0.5, -1.0).masked_fill_(x < 0.2, 9)",
    "x.add_(1)\nreturn x", "x += 1\nreturn x, x * 2", "x[0] = 1\nreturn x", "y = x.view(-1)\ny.mul_(2)\nreturn x",
    "return F.relu(x, inplace=True)", "torch.add(x, 1, out=x)\nreturn x",
])
def test_in_place_programs(graph_of: Any, body: str) -> None:
    from bridge import reference

    g = graph_of(body, "torch.rand(4, 5)")
    assert not any(n["op"].split(".")[1].endswith("_") for n in g["nodes"])
    model = reference.load(g["file"]).cls()
    for shape in ((4, 5), (6, 9)):
        x = torch.rand(shape)
        fixed = [s for s, h in zip(g["inputs"][0]["shape"], shape) if isinstance(s, int) and s != h]
        if fixed:
            continue
        expected = model(x.clone())
        expected = list(expected) if isinstance(expected, tuple) else [expected]
        actual = run_graph(g, {"x": x}, dict(zip([s for s in g["inputs"][0]["shape"]], shape)))
        assert all(torch.equal(a, e) for a, e in zip(actual, expected)), (body, shape)


@pytest.mark.parametrize("body", [
    "x.add_(1)\nreturn x * 2", "y = x * 2\nx += 1\nreturn y", "x[0] = 1\nreturn x[0]", "y = x.view(-1)\ny.mul_(2)\nreturn y",
    "torch.add(x, 1, out=x)\nreturn x + 0", "x[:, 1:3].copy_(x[:, :2] * 2)", "x.mul_(0.5).add_(1)\nreturn None",
])
def test_what_an_argument_becomes_is_an_output(graph_of: Any, body: str) -> None:
    from bridge import reference

    g = graph_of(body, "torch.rand(4, 5)")
    x = torch.rand(4, 5)
    given = x.clone()
    result = reference.load(g["file"]).cls()(given)
    results = [] if result is None else [result]
    assert g["output_kind"] == ("tensor" if results else "none")
    assert [o.get("changes") for o in g["outputs"]] == [None] * len(results) + ["x"]
    actual = run_graph(g, {"x": x}, dict(zip([s for s in g["inputs"][0]["shape"]], x.shape)))
    assert all(torch.equal(a, e) for a, e in zip(actual, [*results, given]))


def test_changing_a_buffer_is_refused(graph_of: Any) -> None:
    error = refused(graph_of, "self.n += 1\nreturn x + self.n", init="self.register_buffer('n', torch.zeros(1))")
    assert "a buffer of the module" in error.message and error.line == 10


# ---- what is refused --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("body, words", [
    ("if x.sum() > 0:\n    return x\nreturn -x", "data-dependent"),
    ("return x * x.max().item()", "data-dependent"),
    ("return x * float(x[0, 0])", "data-dependent"),
    ("return torch.sort(x[x > 0])", "depends on values"),
    ("return F.dropout(x, 0.5)", "dropout"),
    ("return x + torch.rand_like(x)", "random"),
    ("return x + torch.randn(5)", "random"),
    ("return torch.bernoulli(x)", "random"),
    ("y = x + 1\ny.unsqueeze_(0)\nreturn y", "unsqueeze_"),
    ("return torch.fft.fft(x).real", ""),
    ("return x.to_sparse()", ""),
    ("return 3", "returns a int"),
    ("return {'a': x}", "returns a dict"),
    ("return (x, None)", "NoneType"),
    ("return x + undefined_name", "undefined_name"),
    ("return x @ torch.rand(4, 4).t()", ""),
])
def test_refusals_name_the_line(graph_of: Any, body: str, words: str) -> None:
    error = refused(graph_of, body)
    assert error.code in ("unsupported", "bad_input") and words in error.message and error.line >= 6, vars(error)


def test_dropout_that_does_nothing(graph_of: Any) -> None:
    assert ops(graph_of("return F.dropout(x, 0.5, training=False) + 1")) == ["aten.add.Tensor"]
    assert ops(graph_of("return self.d(x) + 1", init="self.d = nn.Dropout(0.0)")) == ["aten.add.Tensor"]
    assert ops(graph_of("return self.d(x) + 1", init="self.d = nn.Dropout(0.5)\nself.eval()")) == ["aten.add.Tensor"]


def test_no_tensor_argument(graph_of: Any) -> None:
    assert "takes no tensor" in refused(graph_of, "return torch.ones(3)", "2.0").message


# ---- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path, name", [
    ("a/bias_gelu.py", "bias_gelu"), ("add_torch_reference.py", "add"), ("BiasGelu_reference.py", "bias_gelu"), ("3d-conv.py", "op_3d_conv"),
    ("HTTPAdd.py", "http_add"), ("x__y.py", "x_y"),
])
def test_operator_names(path: str, name: str) -> None:
    assert names.operator_name(path) == name


def test_input_names_are_identifiers(graph_of: Any) -> None:
    g = graph_of("return float_ + default + n0 + s1 + _x", ", ".join(["torch.rand(3)"] * 5), "float_, default, n0, s1, _x")
    ids = [i["id"] for i in g["inputs"]]
    assert len(set(ids)) == 5 and not any(names.is_reserved(i) for i in ids) and g["model"]["call_args"] == ["float_", "default", "n0", "s1", "_x"]


def test_bad_parameters() -> None:
    with pytest.raises(BridgeError):
        trace.trace({"path": "x.py", "ops": "aten.add.Tensor"})


def test_kernels_that_take_no_symbolic_sizes(graph_of):
    """PyTorch's kernel for lerp refuses sizes that may change where strides differ; its decomposition tells the result."""
    graph = graph_of("return torch.lerp(a, b.diagonal(dim1=-2, dim2=-1).movedim(-1, 1), 0.25)",
                     "torch.randn(1, 127, 100), torch.randn(1, 1, 127, 127)", "a, b", keep=("aten.lerp.Scalar",))
    assert graph["nodes"][-1]["op"] == "aten.lerp.Scalar"


def test_kernels_without_a_decomposition_are_named(graph_of, monkeypatch):
    monkeypatch.delitem(recorder.LIKE_RESULT, "aten.softshrink_backward.default")  # as it is with an operator nobody listed
    with pytest.raises(BridgeError, match="aten.softshrink_backward.default cannot be traced") as caught:
        graph_of("return torch.ops.aten.softshrink_backward(x, y, 0.4)", "torch.rand(4, 5), torch.rand(4, 5)", "x, y",
                 keep=("aten.softshrink_backward.default",))
    assert caught.value.code == "unsupported" and caught.value.line
