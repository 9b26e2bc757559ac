"""Modules at the edges: odd sizes and offsets, names that generated code uses itself, many tensors, views of views. Those that
once broke run always, the rest with --slow."""

from __future__ import annotations

from typing import NamedTuple

import pytest

from road import generate


class Hard(NamedTuple):
    name: str
    args: str
    body: str
    inputs: str


BROKE = [
    # An input loaded only after an output was stored: the load was taken for the store.
    Hard("late_load", "m", "return m.new_zeros([3, 43]), m.reshape(43, 3), ~m", "torch.rand(3, 43) > 0.5"),
    # One value in several outputs: the copy's buffer still held something else.
    Hard("copied_outputs", "m, o",
         "return m.reciprocal(), torch.true_divide(m, o), m.deg2rad(), torch.true_divide(m, True), (m / o).add(0)",
         "torch.rand(3, 43) > 0.5, torch.rand(3, 43) > 0.3"),
    # Outputs share a buffer, and float32 takes other instructions than the 16-bit types.
    Hard("packed_outputs", "x, y", "return x + y, x - y, x * y, x / y, torch.tanh(x), torch.erf(y), torch.log1p(x * x), x > y",
         "torch.randn(33, 65), torch.randn(65)"),
    # A gathered operand goes into the buffer of one that is done with.
    Hard("gather_into_free", "a, c", "return torch.minimum(a.diagonal(dim1=-2, dim2=-1), torch.lerp((c * 2).abs(), c.abs(), 0.25))",
         "torch.randn(5, 5), torch.randn(5)"),
    # Names of locals and members, and the name of a second view that an output has as well.
    Hard("names", "t0, m0, count, count_in, y, xIn, x, tile, row_, start, core, xGm",
         "return t0 + m0 * count - count_in + y, xIn * x + tile, y[:, 1:] * y[:, :-1], row_ + start - core + xGm",
         "*[torch.randn(33, 65) for _ in range(12)]"),
    # Not every layout and size is one the reference takes.
    Hard("view_and_narrow", "x", "x.narrow(0, 2, 1)\n        return x.view(-1) + 1", "torch.randn(3, 43)"),
]

REST = [
    Hard("odd_slice", "x", "return x[:, 0:3] * 2 + x[:, 5:8]", "torch.randn(129, 11)"),
    Hard("narrow_rows", "x, b", "return x + b", "torch.randn(70001, 7), torch.randn(7)"),
    Hard("both_broadcast", "a, b", "return a * b", "torch.randn(5, 1, 33, 1), torch.randn(1, 17, 33, 1)"),
    Hard("permuted_out", "x", "return (x * 2).permute(2, 0, 1), x.exp().transpose(0, 1)", "torch.randn(3, 40, 70)"),
    Hard("many_in", "a, b, c, d, e, f, g, h, i, j, k", "return a + b - c + d - e + f - g + h - i + j - k",
         "*[torch.randn(33, 65) for _ in range(11)]"),
    Hard("rank8", "x, y", "return x * y", "torch.randn(2, 3, 2, 3, 2, 3, 2, 5), torch.randn(3, 1, 3, 2, 1, 2, 1)"),
    Hard("zero_d", "x, y", "return x * 2 + y", "torch.randn(()), torch.randn(())"),
    Hard("zero_d_mix", "x, y", "return x * y", "torch.randn(()), torch.randn(3, 50)"),
    Hard("numbers_only", "x, k", "return torch.full_like(x, 3.0) * k", "torch.randn(7, 9), 2.5"),
    Hard("two_views", "x", "return x[:, 1:] - x[:, :-1] + x.t()[:-1].t()", "torch.randn(31, 31)"),
    Hard("bool_odd", "x, m", "return (x > 0) & m, ~m", "torch.randn(3, 333), torch.rand(3, 1) > 0.5"),
    Hard("int_div", "x, y", "return x // y, x % y, torch.div(x, y, rounding_mode='trunc')",
         "torch.randint(-2**31, 2**31 - 1, (1000,), dtype=torch.int32), torch.randint(1, 2**31 - 1, (1000,), dtype=torch.int32)"),
    Hard("column", "x, c", "return x * c + c", "torch.randn(1000, 129), torch.randn(1000, 1)"),
    Hard("transpose", "x", "return x.t() * 2", "torch.randn(700, 300)"),
    Hard("flip_bool", "m, x", "return torch.where(m.flip(0), x, x.flip(1))", "torch.rand(30, 41) > 0.5, torch.randn(30, 41)"),
    Hard("select", "x", "return x[-1] + x[..., -1:].squeeze(-1)[0]", "torch.randn(5, 9, 1)"),
    Hard("step", "x", "return x[::2, ::3] + 1", "torch.randn(64, 99)"),
    Hard("select_ub", "x, y", "m = x > y; a = torch.where(m, x, y); b = torch.where(m, y * 2, x); c = torch.where(a > b, a, b); "
         "return torch.nn.functional.gelu(c) * torch.sigmoid(a) * torch.tanh(b)", "torch.randn(1055, 1039), torch.randn(1055, 1039)"),
    Hard("expand_self", "x", "return x.unsqueeze(0) - x.unsqueeze(1)", "torch.randn(123)"),
    Hard("mixed", "x, i", "return x * i, i + 1", "torch.randn(40, 50), torch.randint(-9, 9, (50,), dtype=torch.int32)"),
    Hard("empty", "x", "return x + 1", "torch.randn(0, 5)"),
    Hard("identity", "x", "return x", "torch.randn(7, 5)"),
]


def text_of(hard: Hard) -> str:
    return (f"import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, {hard.args}):\n        {hard.body}\n\n\n"
            f"def get_inputs():\n    return [{hard.inputs}]\n\n\ndef get_init_inputs():\n    return []\n")


@pytest.mark.parametrize("hard", [*BROKE, *[pytest.param(h, marks=pytest.mark.slow) for h in REST]], ids=lambda h: h.name)
def test_hard(tmp_path, hard):
    road = generate(tmp_path, {hard.name: text_of(hard)})[hard.name]
    assert road.verdict == "PASS", (road.failed_cases(), road.failed_outputs(), road.error[-1500:])


def test_reduced_sizes_are_those_an_op_takes(tmp_path):
    """Rows are fewer than the file's, but no fewer than are asked for."""
    hard = Hard("top_of_columns", "x", "return torch.topk(x, 150, dim=0)", "torch.randn(300, 128)")
    road = generate(tmp_path, {hard.name: text_of(hard)}, "--max-bytes", "64K")[hard.name]
    assert road.verdict == "PASS", (road.failed_cases(), road.error[-1500:])
    labels = [c["label"] for c in road.result["cases"]]
    assert any("instead of s0=300 s1=128" in label for label in labels), labels
