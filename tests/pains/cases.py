"""The table of known pains: what a kernel does wrong, and what must be said about it.

KERNELS run on the simulator. The body stands in a kernel with x, y, z of n floats, a workspace `ws`, tensors xg, yg, zg of them, and
16 KB of UB each in a, b and c (TBuf, no queue). `expect` is the check; `says` is part of its text. HOST changes a section of the right
description tests/verify/descriptions/pair_sum.py and is only built. ELSEWHERE names the test that has the case already; HARDWARE is
what only a card can show, with the reason, which docs/check.md
repeats. IDS are all of them.
"""
from typing import NamedTuple


class Kernel(NamedTuple):
    body: str
    expect: str
    says: str = ""
    n: int = 256
    blocks: int = 1
    ws: int = 0
    options: str = "no-hazards"
    severity: str = "error"
    plain: bool = False  # no tensors are made before the body


class Host(NamedTuple):
    changes: dict  # section: (piece, what takes its place)
    expect: str
    says: str


IDS = ("F01 F02 F03 F05 F06 F07 F09 F10 F11 F13 F14 F15 F16 F18 F20 F21 F24 F25 F26 F27 F28 F30 F31 F32 F33 F34 F36 F37 F38 F39 F41 F42 F43 F44 F46 F48 F50 F51 F52 F53 F54 "
       "F55 F56 F59 F61 F62 F63 F64 F66 F67 F68 F69 F70 F72 F73 F74 F75 F76 F77 F78 F79 F80 F82 F83 F84 F85 F87 F88 F90 F91 F92 F93 F94 F95 F96 F97 F99").split()

KERNELS = {
    # 2.1 data movement and alignment
    "F01": Kernel("for (int r = 0; r < 2; r++) { DataCopy(a, xg[r * 126], 128); DataCopy(zg[r * 126], a, 126); }", "copy-unaligned-count", "not a multiple of 32", n=252),
    "F02": Kernel("uint32_t at = GetBlockIdx() * 126; DataCopy(a, xg[at], 128); Adds(a, a, 1.0f + GetBlockIdx(), 128); DataCopyPad(zg[at], a, DataCopyExtParams(1, 512, 0, 0, 0));",
                  "gm-two-writers", "block 1 changes what block 0 wrote", n=254, blocks=2, options="-"),
    "F03": Kernel("for (int r = 0; r < 2; r++) { DataCopyPad(a, xg[r * 126], DataCopyExtParams(1, 504, 0, 0, 0), DataCopyPadExtParams<float>(false, 0, 0, 0)); "
                  "DataCopyPad(zg[r * 126], a, DataCopyExtParams(1, 512, 0, 0, 0)); }", "gm-out-of-bounds", "8 past its end", n=252),
    "F03_rows": Kernel("for (int r = 2; r-- > 0;) { Duplicate(a, 2.0f + r, 256); Flag<HardEvent::V_MTE3>(); DataCopyPad(zg[r * 126], a, DataCopyExtParams(1, 512, 0, 0, 0)); Flag<HardEvent::MTE3_V>(); }",
                       "gm-row-overlap", "hold what this block wrote before, and change", n=254, options="-", severity="warning"),
    "F05": Kernel("DataCopy(a, xg, 8); DataCopyPad(zg, a, DataCopyExtParams(1, 20, 0, 0, 0));", "gm-out-of-bounds", "past its end", n=5),
    "F06": Kernel("DataCopy(a, xg, 256); DataCopyPad(zg, a[3], DataCopyExtParams(1, 64, 0, 0, 0));", "ub-misaligned", "12 bytes past a multiple of 32"),
    "F07": Kernel("DataCopy(a, xg, 256); Adds(b, a[27], 1.0f, 27);", "ub-misaligned", "past a multiple of 32"),
    "F09": Kernel("int32_t row = 65536, width = 65536; uint64_t at = (uint64_t)(int64_t)(int32_t)((uint32_t)row * (uint32_t)width / 2 + 2147483648u - 64u); DataCopy(a, xg[at], 8);",
                  "gm-out-of-bounds", "of x, which has 1024 bytes"),
    "F14": Kernel("DataCopy(a, xg, 64); DataCopy(b, yg, 64); LocalTensor<uint8_t> m = c.ReinterpretCast<uint8_t>(); Compare(m, a, b, CMPMODE::LT, 50);", "compare-count-256",
                  "not a multiple of 256"),
    "F15": Kernel("LocalTensor<int16_t> p = a.ReinterpretCast<int16_t>(), q = b.ReinterpretCast<int16_t>(); Duplicate(p, (int16_t)5, 100); Not(q, p, 100); "
                  "DataCopyPad(zg, b, DataCopyExtParams(1, 224, 0, 0, 0));", "uninitialised-output", "local memory that nothing wrote"),
    # 2.2 synchronisation inside a core
    "F16": Kernel("DataCopy(a, xg, 256); Flag<HardEvent::MTE2_V>(); ReduceSum(b, a, c, 256); float s = b.GetValue(0); (void)s;", "race-read-after-write", "", options="-", severity="*"),
    "F18": Kernel("Duplicate(a, 0.0f, 8); a.SetValue(3, 7.0f); Adds(b, a, 1.0f, 8);", "race", "", options="-", severity="*"),
    "F20": Kernel("for (int r = 0; r < 2; r++) { DataCopy(a, xg[r * 128], 128); Flag<HardEvent::MTE2_MTE3>(); DataCopy(zg[r * 128], a, 128); }", "race-write-after-read", "", options="-",
                  severity="*"),
    "F21": Kernel("TQue<TPosition::VECIN, 1> q; pipe.InitBuffer(q, 1, 1024); LocalTensor<float> t = q.AllocTensor<float>(); DataCopy(t, xg, 256); DataCopy(zg, t, 256); q.FreeTensor(t);",
                  "race-read-after-write", "", options="-", severity="*"),
    "F24": Kernel("SetFlag<HardEvent::V_MTE3>(EVENT_ID0); SetFlag<HardEvent::V_MTE3>(EVENT_ID0); PipeBarrier<PIPE_ALL>();", "flag-set-twice", "is set again before it was waited for"),
    "F25": Kernel("WaitFlag<HardEvent::V_MTE3>(EVENT_ID2); DataCopy(zg, a, 256); PipeBarrier<PIPE_ALL>();", "flag-never-set", "waits for ever"),
    "F26": Kernel("SetFlag<HardEvent::V_MTE3>((event_t)8); WaitFlag<HardEvent::V_MTE3>((event_t)8);", "flag-id", "ids are 0 to 7"),
    "F27": Kernel("TQue<TPosition::VECIN, 2> q; pipe.InitBuffer(q, 2, 1024); for (int i = 0; i < 3; i++) q.AllocTensor<float>();", "que-pool-exhausted", "waits for ever"),
    "F28": Kernel("TPipe second; TBuf<TPosition::VECCALC> t; second.InitBuffer(t, 64);", "tpipe-twice", "a second TPipe"),
    "F30": Kernel("TBuf<TPosition::VECCALC> none; LocalTensor<float> t = none.Get<float>(); Duplicate(t, 1.0f, 8);", "que-not-initialised", "not given to InitBuffer"),
    # 2.3 capacity and workspace
    "F32": Kernel("TPipe pipe; TBuf<TPosition::VECCALC> p, q; pipe.InitBuffer(p, 131072); pipe.InitBuffer(q, 98304); LocalTensor<float> t = q.Get<float>(); Duplicate(t, 1.0f, 24576);",
                  "ub-past-end", "the chip has 196608", plain=True),
    "F33": Kernel("TPipe pipe; TBuf<TPosition::VECCALC> p, q; pipe.InitBuffer(p, 1024); pipe.InitBuffer(q, 190000); LocalTensor<float> t = p.Get<float>(); Duplicate(t, 1.0f, 64); "
                  "LocalTensor<uint8_t> m = q.Get<uint8_t>(); LocalTensor<float> d = q.Get<float>()[256]; Duplicate(q.Get<int32_t>(), 1, 64); "
                  "Select(d, m, t, 0.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, 64);", "ub-reserved", "the reserved last 8192 bytes", plain=True),
    "F34": Kernel("TPipe pipe; TBuf<TPosition::VECCALC> p; pipe.InitBuffer(p, 196928); LocalTensor<float> t = p.Get<float>(); Duplicate(t, 1.0f, 49232);", "ub-past-end", "196608",
                  plain=True),
    "F36": Kernel("TPipe pipe; TBuf<TPosition::VECCALC> p, q; pipe.InitBuffer(p, 160000); pipe.InitBuffer(q, 16384); LocalTensor<half> t = p.Get<half>(), w = q.Get<half>(); "
                  "Duplicate(t, (half)1, 70000); ReduceMax<half>(w, t, w[64], 70000, true);", "reduce-index-range", "16 bits", plain=True),
    "F38": Kernel("GlobalTensor<float> wg; wg.SetGlobalBuffer((__gm__ float *)ws, 256); Duplicate(a, 1.0f, 256); DataCopy(wg[64], a, 256);", "gm-out-of-bounds",
                  "of workspace, which has 1024 bytes: 256 past its end", ws=1024),
    # 2.4 several cores
    "F41": Kernel("uint32_t rows = N / 8, mine = rows / GetBlockNum(), at = GetBlockIdx() * mine * 8; DataCopy(a, xg[at], mine * 8); DataCopy(zg[at], a, mine * 8);", "output-not-written",
                  "written by no block", n=8 * 25, blocks=4),
    "F42": Kernel("DataCopy(a, xg, 256); DataCopy(zg, a, 256);", "gm-same-by-blocks", "repeat each other's work", blocks=8, options="-", severity="warning"),
    "F44": Kernel("SyncAll();", "sync-all-blocks", "blocks that are not resident never arrive", blocks=60),
    "F46": Kernel("SyncAll<false>();", "sync-all-mix", "waits for ever"),
    "F48": Kernel("if (GetBlockIdx() < 2) zg.SetValue(GetBlockIdx(), 1.0f);", "gm-cache-line-shared", "", n=2, blocks=2, options="-", severity="*"),
    "F52": Kernel("DataCopy(a, xg, 256); SetAtomicAdd<float>(); DataCopy(zg, a, 256); SetAtomicNone();", "uninitialised-accumulate", "which nothing wrote"),
    # 2.5 API contract and numerics
    "F59": Kernel("DataCopy(a, xg, 256); ReduceSum(a, a, c, 256); Muls(b, a, 0.5f, 256); DataCopy(zg, b, 256);", "reduce-source-reused", "has put its result into", severity="warning"),
    "F62": Kernel("DataCopy(a, xg, 64); Cast(b, a, RoundMode::CAST_NONE, 64); DataCopy(zg, b, 64);", "uninitialised-output", "local memory that nothing wrote", n=64),
    "F68": Kernel("Duplicate(a, -INF, 64); Duplicate(b, -INF, 64); Sub(c, a, b, 64); Exp(c, c, 64); DataCopy(zg, c, 64);", "first-nan", "result of Sub", n=64, options="no-hazards,watch:1e30",
                  severity="note"),
    "F90": Kernel("LocalTensor<half> h = a.ReinterpretCast<half>(); Duplicate(h, (half)12, 64); Exp(h, h, 64); Muls(h, h, (half)0, 64);", "first-infinity", "result of Exp",
                  options="no-hazards,watch:1e30", severity="note"),
    "F84": Kernel("Duplicate(a, INF, 64); Duplicate(b, 0.0f, 64); Mul(c, a, b, 64);", "first-nan", "result of Mul", options="no-hazards,watch:1e30", severity="note"),
    "F84_sum": Kernel("DataCopy(a, xg, 64); SetValueAt(a, 5, NAN_); ReduceSum(b, a, c, 64); DataCopy(zg, b, 64);", "first-nan", "result of ReduceSum", n=64, options="no-hazards,watch:1e30", severity="note"),
    "F90_softmax": Kernel("DataCopy(a, xg, 64); SetValueAt(a, 5, INF); SoftMaxTiling t{}; SoftMax<float>(b, a, t, SoftMaxShapeInfo{1, 64, 1, 64});", "first-nan", "result of SoftMax", n=64,
                          options="no-hazards,watch:1e30", severity="note"),
    # what else is written wrong
    "counter_mode_left_on": Kernel("Duplicate(a, 1.0f, 256); SetMaskCount(); uint64_t m[2] = {~0ull, 0}; Adds(c, a, 1.0f, m, 4, {1, 1, 8, 8});", "mask-mode", "is taken as the number of elements",
                                   severity="warning"),
    "counter_mode_by_lanes": Kernel("Duplicate(a, 1.0f, 256); SetMaskCount(); SetVectorMask<float>(40); Adds<float, false>(c, a, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8});", "mask-mode",
                                    "1099511627775, is taken as the number", severity="warning"),
    "counter_mode_not_on": Kernel("Duplicate(a, 1.0f, 256); SetMaskNorm(); SetVectorMask<float, MaskMode::COUNTER>(0, 100); Adds<float, false>(c, a, 1.0f, MASK_PLACEHOLDER, 1, {1, 1, 8, 8}); ResetMask();",
                                  "mask-mode", "the number of elements 100", severity="warning"),
    "work_of_ReduceMax": Kernel("TBuf<TPosition::VECCALC> w; pipe.InitBuffer(w, 256); LocalTensor<float> t = w.Get<float>(); DataCopy(a, xg, 2048); ReduceMax<float>(b, a, t, 2048, true);",
                                "ub-out-of-bounds", "sharedTmpBuffer bytes 0..287 of a buffer of 256", n=2048),
    "work_of_ReduceSum": Kernel("TBuf<TPosition::VECCALC> w; pipe.InitBuffer(w, 96); LocalTensor<float> t = w.Get<float>(); DataCopy(a, xg, 2048); ReduceSum<float>(b, a, t, 64, 32, 8);",
                                "ub-out-of-bounds", "sharedTmpBuffer bytes 0..127 of a buffer of 96", n=2048),
    "work_read_afterwards": Kernel("DataCopy(a, xg, 256); DataCopy(c, yg, 256); ReduceMax<float>(b, a, c, 256, false); Adds(a, c, 1.0f, 256); DataCopy(zg, a, 256);", "uninitialised-output",
                                   "bytes 0..31 of z"),
    "atomics_left_on": Kernel("Duplicate(a, 1.0f, 256); DataCopy(zg, a, 256); PipeBarrier<PIPE_ALL>(); SetAtomicAdd<float>(); DataCopy(zg, a, 256);", "atomic-left-on", "", severity="note"),
    "tail_one_short": Kernel("for (int i = 0; i * 32 < N - 1; i++) { uint32_t k = N - 1 - i * 32 < 32 ? N - 1 - i * 32 : 32; DataCopyPad(a, xg[i * 32], {1, k * 4, 0, 0, 0}, {false, 0, 0, 0.0f}); "
                             "DataCopyPad(zg[i * 32], a, {1, k * 4, 0, 0, 0}); }", "output-not-written", "elements 99..99", n=100),
    "no_WaitFlag": Kernel("DataCopy(a, xg, 256); SetFlag<HardEvent::MTE2_V>(EVENT_ID0); Adds(b, a, 1.0f, 256);", "flag-left-set", "MTE2_V"),
    "EnQue_twice": Kernel("TQue<TPosition::VECIN, 1> q; pipe.InitBuffer(q, 1, 1024); LocalTensor<float> t = q.AllocTensor<float>(); q.EnQue(t); q.EnQue(t);", "que-wrong-state", "already enqueued"),
    "FreeTensor_twice": Kernel("TQue<TPosition::VECIN, 1> q; pipe.InitBuffer(q, 1, 1024); LocalTensor<float> t = q.AllocTensor<float>(); q.FreeTensor(t); q.FreeTensor(t);", "que-free-twice", ""),
    "DeQue_before_EnQue": Kernel("TQue<TPosition::VECOUT, 1> q; pipe.InitBuffer(q, 1, 1024); LocalTensor<float> t = q.DeQue<float>();", "que-empty", "waits for ever"),
    "blockLen_in_elements": Kernel("DataCopyPad(a, xg, {1, N, 0, 0, 0}, {false, 0, 0, 0.0f}); DataCopyPad(zg, a, {1, N * 4, 0, 0, 0});", "uninitialised-output", "nothing wrote", n=100),
    "stride_in_blocks": Kernel("DataCopyPad(a, xg, {4, 64, 4, 0, 0}, {false, 0, 0, 0.0f});", "gm-out-of-bounds", "12 past its end", n=64),
    "padding_too_wide": Kernel("DataCopyPad(a, xg, {1, 20, 0, 0, 0}, {true, 0, 27, 0.0f});", "copy-pad-limit", "at most 32"),
    "blocks_4096": Kernel("DataCopyPad(a, xg, {4096, 4, 0, 0, 0}, {false, 0, 0, 0.0f});", "copy-limit", "at most 4095", n=8192),
    "Cast_without_rounding": Kernel("DataCopy(a, xg, 64); Cast(b.ReinterpretCast<int32_t>(), a, RoundMode::CAST_NONE, 64);", "cast-round-mode", "has no mode CAST_NONE", n=64),
    "Gather_by_elements": Kernel("DataCopy(a, xg, 256); CreateVecIndex(b.ReinterpretCast<int32_t>(), (int32_t)0, 256); Gather(c, a, b.ReinterpretCast<uint32_t>(), 0, 256);", "gather-offset",
                                 "not a multiple of the element size"),
    "moved_onto_itself": Kernel("Duplicate(a, 1.0f, 256); Adds(a[8], a, 1.0f, 128);", "overlap", "overlap in part"),
    "SyncAll_in_a_branch": Kernel("if (GetBlockIdx() != 0) SyncAll();", "sync-all-missing", "for block 0, which has ended", blocks=4),
    "Get_past_InitBuffer": Kernel("TBuf<TPosition::VECCALC> w; pipe.InitBuffer(w, 256); LocalTensor<float> t = w.Get<float>(256);", "tbuf-length", "from a buffer of 256"),
    "guarded_UB": Kernel("CheckLocalMemoryIA({1, (uint32_t)(a.GetPhyAddr() / 32), (uint32_t)((a.GetPhyAddr() + 1024) / 32), false, false, false, true, false, false, true}); Duplicate(a[16], 1.0f, 8);",
                         "local-memory-guard", "V writes UB bytes 32..1055"),
    "guarded_reads": Kernel("CheckLocalMemoryIA({0, 0, 8, true, false, false, false, false, false, true}); a.SetValue(16, 1.0f); float s = a.GetValue(16); (void)s;", "local-memory-guard", "S reads"),
    "copy_with_store_atomics": Kernel("Duplicate(a, 1.0f, 8); SetStoreAtomicConfig<AtomicDtype::ATOMIC_F32, AtomicOp::ATOMIC_SUM>(); DataCopy(zg, a, 8);", "not-modelled", "SetStoreAtomicConfig"),
    "guard_register": Kernel("CheckLocalMemoryIA({4, 0, 8, true, true, true, true, true, true, true});", "local-memory-guard", "registers 0 to 3"),
    # 2.6 launch, 2.7 backward
    "F78": Kernel("", "block-dim", "it must be 1 to 65535", blocks=65536),
    "F83": Kernel("GlobalTensor<float> wg; wg.SetGlobalBuffer((__gm__ float *)ws, 256); DataCopy(a, wg, 256); DataCopy(zg, a, 256);", "uninitialised-output", "nothing wrote", ws=1024),
}

HOST = {
    "F10": Host({"kernel_src": ("AscendC::Add(z, x, y, n);", "AscendC::DataCopy(gz[0], gx[0], 8); AscendC::Add(z, x, y, n);")}, "compile", "DataCopy"),
    "F11": Host({"kernel_src": ("AscendC::Add(z, x, y, n);", "AscendC::DataCopy(x, (__gm__ float *)nullptr, 8);")}, "compile", "DataCopy"),
    "F31": Host({"kernel_src": ("TQue<QuePosition::VECIN, 2> qx, qy;", "TQue<QuePosition::VECIN, 0> qx, qy;")}, "compile", "depth"),
    "F66": Host({"kernel_src": ("AscendC::Add(z, x, y, n);", "uint32_t k = n; float f = static_cast<float>(k); AscendC::Adds(z, x, f, n);")}, "lang-unsigned-to-float", "unsigned int to float"),
    "F66 libm": Host({"kernel_src": ("AscendC::Add(z, x, y, n);", "float f = __builtin_expf(1.0f); double d = f; AscendC::Adds(z, x, f, n);")}, "lang-libm", "expf"),
    "F67": Host({"kernel_src": ("AscendC::Add(z, x, y, n);", "AscendC::SetFlag<AscendC::HardEvent::V_S>(AscendC::EVENT_ID0);")}, "lang-global-name", "EVENT_ID0"),
    "F67 name": Host({"kernel_src": ("AscendC::Add(z, x, y, n);", "AscendC::SyncFunc(z, x, y, n);")}, "compile", "SyncFunc"),
    "F69": Host({"host_operator_src": ("context->SetBlockDim", "const gert::Shape *s = context->GetInputShape(0); context->SetBlockDim")}, "compile", "gert::"),
    "F70": Host({"python_bind_src": ("EXEC_NPU_CMD(aclnnPairSumCustom, x, y, z)", "EXEC_NPU_CMD(aclnnPairSumCustom, x, false, z)")}, "compile", ""),
    "F74": Host({"kernel_src": ("void pair_sum_custom(", "void pairsum_custom(")}, "kernel-entry", "pair_sum_custom"),
    "F74 header": Host({"host_operator_src": ("pair_sum_custom_tiling.h", "PairSum_tiling.h")}, "compile", "PairSum_tiling.h"),
}

ELSEWHERE = {
    "F13": ("HARDWARE", "stale lanes of L1 and L0 in a matrix product"),
    "F37": ("tests/kernel/adv_faults.cpp", "tmp-too-small"),
    "F39": ("tests/kernel/sync_space.cpp", "sync-all-workspace"),
    "F43": ("HARDWARE", "a hard SyncAll of a mixed kernel on fewer cores than the chip has"),
    "F50": ("HARDWARE", "offsets applied twice, by a Matmul object's tiling and by hand"),
    "F51": ("tests/unit/verify/fingerprint_test.c", "periodic"),
    "F53": ("tests/kernel/two_writers.cpp", "gm-two-writers"),
    "F54": ("tests/unit/verify/fingerprint_test.c", "1/ln 10"),
    "F55": ("tests/unit/verify/fingerprint_test.c", "small-errors"),
    "F56": ("tests/bridge/test_near_miss.py", "in place of sigmoid"),
    "F61": ("tests/unit/verify/fingerprint_test.c", "inverted"),
    "F63": ("tests/unit/verify/fingerprint_test.c", "small-errors"),
    "F64": ("tests/unit/verify/fingerprint_test.c", "narrowed"),
    "F72": ("tests/unit/runtime/call_test.c", "tiling"),
    "F73": ("HARDWARE", "the tiling function of a matrix product that is not the output"),
    "F75": ("HARDWARE", "an operator name longer than the vendor's build takes"),
    "F76": ("tests/unit/desc/load_test.c", "op-name-builtin"),
    "F77": ("tests/gen/test_hard_cases.py", "empty"),
    "F79": ("HARDWARE", "a binary built for another chip"),
    "F80": ("tests/unit/runtime/call_test.c", "strided"),
    "F82": ("tests/backward/test_glue.py", "test_what_has_no_gradient_says_so"),
    "F85": ("tests/backward/specs/add_column.py", '"b": {"shape": ["N", 1]}'),
    "F87": ("tests/backward/test_spec_rules.py", "test_truth_is_float64_autograd_of_the_rounded_inputs"),
    "F88": ("tests/unit/verify/compare_test.c", "the output is not near zero"),
    "F91": ("tests/backward/specs/amax_last.py", "Ties share the gradient"),
    "F92": ("tests/verify/test_verify.py", "not_written"),
    "F93": ("tests/bridge/test_evaluate.py", "again"),
    "F94": ("tests/verify/test_verify.py", "hidden_fallback"),
    "F95": ("tests/bridge/test_evaluate.py", "scalars"),
    "F96": ("tests/bridge/test_evaluate.py", "def test"),
    "F97": ("tests/verify/test_verify.py", "crash_in_kernel"),
    "F99": ("tests/verify/test_verify.py", 'result["performance"] is None'),
}
