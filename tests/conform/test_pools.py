"""Pools whose memory is used twice, and a pool of the kernel's own (EXTERN_IMPL_BUFPOOL)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from core import UB, Machine, Run, build, kernel_text

# HW: examples, tbufpool_management; `step` is what its loop leaves out: with it each buffer has its own descriptor
POOL = """
template <int step> class OwnPool {
public:
    OwnPool() { Init(); }
    template <class T> bool InitBuffer(T &que, uint8_t num, uint32_t len)
    {
        auto first = this->GetBufHandle(this->GetCurBufSize());
        auto at = this->GetCurAddr();
        que.InitStartBufHandle(first, num, len);
        for (uint32_t i = 0; i < num; i++) que.InitBufHandle(this, i, step ? this->GetBufHandle(this->GetCurBufSize() + i) : first, at + i * len, len);
        this->SetCurAddr(at + num * len);
        this->SetCurBufSize(this->GetCurBufSize() + num);
        return true;
    }
    template <TPosition pos> bool InitBuffer(TBuf<pos> &buf, uint32_t len)
    {
        auto handle = this->GetBufHandle(this->GetCurBufSize());
        buf.InitStartBufHandle(handle, 1, len);
        buf.InitBufHandle(this, 0, handle, this->GetCurAddr(), len);
        this->SetCurAddr(this->GetCurAddr() + len);
        this->SetCurBufSize(this->GetCurBufSize() + 1);
        return true;
    }
    EXTERN_IMPL_BUFPOOL(OwnPool, TPosition::VECCALC, 16);
};
struct Ctx;
template <class I, class O> inline void add_rows(I &in, O &out, GlobalTensor<float> &g, int rows, int from, int to)
{
    for (int i = 0; i < rows; i++) {
        LocalTensor<float> a = in.template AllocTensor<float>();
        DataCopy(a, g[from + i * 64], 64); in.EnQue(a);
        a = in.template DeQue<float>();
        LocalTensor<float> b = out.template AllocTensor<float>();
        Adds(b, a, 1.0f, 64); out.EnQue(b); in.FreeTensor(a);
        b = out.template DeQue<float>();
        DataCopy(g[to + i * 64], b, 64); out.FreeTensor(b);
    }
}
"""
TWICE = """
    TPipe pipe; TBufPool<TPosition::VECCALC> p1, p2; TQue<TPosition::VECIN, 1> i1, i2; TQue<TPosition::VECOUT, 1> o1, o2;
    pipe.InitBufPool(p1, 1024); pipe.InitBufPool(p2, 1024, p1);
    p1.InitBuffer(i1, 2, 256); p1.InitBuffer(o1, 2, 256); add_rows(i1, o1, g, 4, 0, 4096); p1.Reset();
    %s add_rows(i2, o2, g, 4, 256, 4352); p2.Reset();
"""
SAME, SWAPPED = "p2.InitBuffer(i2, 2, 256); p2.InitBuffer(o2, 2, 256);", "p2.InitBuffer(o2, 2, 256); p2.InitBuffer(i2, 2, 256);"
OWN = """
    TPipe pipe; OwnPool<%d> pool; TQue<TPosition::VECIN, 1> in; TQue<TPosition::VECOUT, 1> out; TBuf<TPosition::VECCALC> buf;
    pipe.InitBufPool(pool, 2048);
    pool.InitBuffer(in, 2, 256); pool.InitBuffer(buf, 256); pool.InitBuffer(out, 2, 256);
    RES(0, pool.GetCurBufSize()); RES(1, buf.Get<float>().ow.addr - 512 + 1280 == pool.GetCurAddr()); RES(2, buf.Get<float>().GetSize());
    add_rows(in, out, g, 8, 0, 4096);
    pool.Reset(); RES(3, pool.GetCurBufSize()); RES(4, pool.GetCurAddr());
"""
# eight rows through fresh pools: eight event ids of V to MTE2 that nobody gives back
LOST = """
    TPipe pipe; TBufPool<TPosition::VECCALC> p; pipe.InitBufPool(p, 1024);
    for (int k = 0; k < %d; k++) {
        TQue<TPosition::VECIN, 1> in; TQue<TPosition::VECOUT, 1> out;
        p.InitBuffer(in, 1, 256); p.InitBuffer(out, 1, 256); add_rows(in, out, g, 1, k * 64, 4096 + k * 64); p.Reset();
    }
"""


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Machine:
    text = kernel_text([(code, [("float", "float", "float")]) for code in (TWICE % SAME, OWN % 1, OWN % 0, LOST % 8, LOST % 9, TWICE % SWAPPED)])
    return Machine(build([text.replace("struct Ctx {", POOL + "struct Ctx {", 1)], tmp_path_factory.mktemp("pools"))[0])


def run(machine: Machine, number: int) -> tuple[np.ndarray, list[int], list[str]]:
    image = np.zeros(UB, np.uint8)
    gm = np.zeros(16384, np.float32)
    gm[:512] = np.arange(512)
    _, results, after, found = machine.run(number, Run(image, {16: 0, 17: 65536, 18: 131072, 19: 163840}, image, gm=gm.view(np.uint8)))
    return after.view(np.float32)[4096:4608], [int(x) for x in results], [check for check, _ in found]


def test_memory_of_two_pools(machine: Machine) -> None:
    for _ in range(3):  # each schedule
        after, _, found = run(machine, 0)
        assert not found and (after == np.arange(512) + 1).all()


def test_reset_orders_one_pipe(machine: Machine) -> None:
    """The flags that Reset waits for hold V, not the load into what a store still reads."""
    assert run(machine, 5)[2] == ["race-write-after-read"]


def test_own_pool(machine: Machine) -> None:
    for _ in range(3):
        after, results, found = run(machine, 1)
        assert not found and (after == np.arange(512) + 1).all()
        assert results[:5] == [5, 1, 64, 0, 0]


def test_descriptor_left_out(machine: Machine) -> None:
    assert run(machine, 2)[2]


def test_reset_keeps_event_ids(machine: Machine) -> None:
    assert run(machine, 3)[2] == []
    assert "que-event-ids" in run(machine, 4)[2]
