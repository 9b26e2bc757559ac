"""Layouts, coordinates and tensors of a TensorTrait: what the compiler works out, and that such a tensor computes as a plain one does."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest

from core import UB, Machine, Run, build, kernel_text

COORDS = """
    auto l = MakeLayout(MakeShape(MakeShape(2, 3), 4), MakeStride(MakeStride(1, 8), 24));
    static_assert(is_layout<decltype(l)>::value && is_layout_v<decltype(l)> && !is_layout_v<int>);
    int k = 0;
    for (int i = 0; i < 24; i++) RES(0, c.res.GetValue(0) * 31 % 1000003 + Crd2Idx(i, l));
    for (int x = 0; x < 2; x++) for (int y = 0; y < 3; y++) for (int z = 0; z < 4; z++) RES(1, c.res.GetValue(1) * 31 % 1000003 + l(MakeCoord(MakeCoord(x, y), z)));
    RES(2, Std::get<1>(l.GetShape())); RES(3, Std::get<0>(l.GetStride<1>())); RES(4, Crd2Idx(5, 7, 3)); RES(5, MakeLayout(MakeShape(4, 6), MakeStride(8, 1)).GetSize());
"""
SIZES = """
    using Row = Layout<Shape<Std::Int<4>, Std::Int<8>>, Stride<Std::Int<16>, Std::Int<1>>>;
    using Cut = Layout<Shape<Shape<Std::Int<16>, Std::Int<2>>, Shape<Std::Int<8>, Std::Int<3>>>, Stride<Stride<Std::Int<8>, Std::Int<128>>, Stride<Std::Int<1>, Std::Int<256>>>>;
    using Flat = Layout<Shape<Std::Int<16>, Std::Int<16>, Std::Int<16>>, Stride<Std::Int<0>, Std::Int<0>, Std::Int<0>>>;
    static_assert(Row::size == 64 && Cut::size == 768 && Flat::size == 0);
    using Tt = TensorTrait<float, TPosition::VECCALC, Row>;
    static_assert(is_tensorTrait<Tt>::value && is_tensorTrait_v<TensorTrait<half>> && !is_tensorTrait_v<half>);
    static_assert(ow_same<Tt::LiteType, float> && ow_same<LocalTensor<Tt>::PrimType, float> && ow_same<PrimT<Tt>, float> && Tt::tPos == TPosition::VECCALC);
    auto made = MakeTensorTrait<half, TPosition::VECIN>(Row());
    static_assert(ow_same<decltype(made), TensorTrait<half, TPosition::VECIN, Row>>);
    LocalMemAllocator<Hardware::UB> memory;
    LocalTensor<Tt> first = memory.Alloc<Tt>(), second = memory.Alloc<Tt>(), there(512);
    RES(0, first.GetSize()); RES(1, second.ow.addr); RES(2, there.GetLength()); RES(3, there.ow.addr); RES(4, there[8].ow.addr); RES(5, there.GetPosition() == (int)TPosition::VECCALC);
"""
# as CALLS on plain tensors, on tensors of a trait
CALLS = """
    Add(d, a, b, n); Muls(d, d, us, n); Adds(d, d, us, bits, r, up); Exp(a, d, n); ReduceMax(d, a, b, (int32_t)n); Relu(b, a, n); Max(d, a, b, lanes, r, bp); MulAddDst(d, a, b, n);
    Cast(b.template ReinterpretCast<I>(), d, RoundMode::CAST_RINT, (uint32_t)n);
    PipeBarrier<PIPE_ALL>(); DataCopy(g, d, 64); PipeBarrier<PIPE_ALL>(); DataCopy(a, g, 64); PipeBarrier<PIPE_ALL>();
    DataCopyPad(a, g, DataCopyExtParams(1, 12, 0, 0, 0), DataCopyPadExtParams<float>(true, 0, 1, us)); PipeBarrier<PIPE_ALL>();
    WholeReduceSum(b, d, 64, 1, 1, 1, 8); PipeBarrier<PIPE_ALL>();
    RES(0, a.GetSize()); RES(1, a[3].GetLength()); a.SetValue(5, 2.0f); RES(2, (int)a.GetValue(5));
"""
PLAIN = "using I = int32_t;" + CALLS
TRAIT = """
    using X = TensorTrait<float>; using I = TensorTrait<int32_t>;
    auto pd = d, pa = a, pb = b; auto pg = g;
    { LocalTensor<X> d, a, b; d.ow = pd.ow; a.ow = pa.ow; b.ow = pb.ow; GlobalTensor<X> g; g.SetGlobalBuffer(pg.GetPhyAddr(0), 16384); %s }
""" % CALLS
INT4 = """
    LocalTensor<int4b_t> t(TPosition::VECCALC, 64, 128); RES(0, t.GetSize()); RES(1, t.GetLength()); RES(2, t[64].ow.addr); RES(3, t.ReinterpretCast<int8_t>().GetSize());
    t.SetValue(3, int4b_t(-3)); t.SetValue(2, int4b_t(5)); RES(4, (int8_t)t.GetValue(3)); RES(5, (int8_t)t.GetValue(2)); RES(6, t.ReinterpretCast<uint8_t>().GetValue(1));
    GlobalTensor<int4b_t> q; q.SetGlobalBuffer((__gm__ int4b_t *)c.gm, 512); q.SetValue(7, int4b_t(-8)); RES(7, (int8_t)q.GetValue(7)); RES(8, (int64_t)((uint8_t *)q[64].GetPhyAddr(0) - (uint8_t *)c.gm));
"""
PARAMS = {0: 64, 1: 64, 2: 0, 3: 1, 4: 1, 5: 1, 6: 1, 7: 8, 8: 8, 9: 8, 16: 0, 17: 65536, 18: 131072, 19: 163840}


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    text = kernel_text([(code, [("float", "float", "uint32_t")]) for code in (COORDS, SIZES, PLAIN, TRAIT, INT4)])
    return Machine(build([text], tmp_path_factory.mktemp("trait"))[0])


def run(machine: Machine, number: int, image: np.ndarray) -> tuple[np.ndarray, list[int], np.ndarray, list[tuple[str, str]]]:
    out, results, gm, found = machine.run(number, Run(image, {**PARAMS, 10: int(np.float32(0.25).view(np.uint32))}, image))
    return out, [int(x) for x in results], gm, found


def test_coordinates(machine: Machine) -> None:
    _, results, _, found = run(machine, 0, np.zeros(UB, np.uint8))
    assert not found
    column = row = 0
    for i in range(24):
        column = (column * 31 % 1000003 + i % 2 + i // 2 % 3 * 8 + i // 6 * 24)
    for x, y, z in itertools.product(range(2), range(3), range(4)):
        row = row * 31 % 1000003 + x + 8 * y + 24 * z
    assert results[:6] == [column, row, 4, 24, 15, 32]


def test_static_sizes(machine: Machine) -> None:
    _, results, _, found = run(machine, 1, np.zeros(UB, np.uint8))
    assert not found and results[:6] == [64, 256, 256, 512, 544, 1]


def test_trait_computes_as_plain(machine: Machine) -> None:
    rng = np.random.default_rng(5)
    image = rng.standard_normal(UB // 4).astype(np.float32).view(np.uint8).copy()
    plain, trait = run(machine, 2, image), run(machine, 3, image)
    assert not plain[3] and not trait[3]
    assert (plain[0] == trait[0]).all() and plain[1] == trait[1] and (plain[2] == trait[2]).all()
    assert (plain[0] != image).any() and plain[2].any() and plain[1][2] == 2


def test_int4(machine: Machine) -> None:
    image = np.zeros(UB, np.uint8)
    out, results, gm, found = run(machine, 4, image)
    assert not found and results[:9] == [128, 64, 96, 64, -3, 5, 0xD5, -8, 32]
    assert out[65] == 0xD5 and gm[3] == 0x80
