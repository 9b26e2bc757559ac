/* Member functions that bring operands into the form the instructions take: slots, masks, columns, gathered
 * rows. Only those a pass needs are written. */
#include "codegen/kernel.h"

static bool any_load(const GenPass *gp, PlanClass c, bool (*is)(const PlanAccess *)) {
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (!acc->is_store && acc->cls == c && is(acc)) return true;
    }
    return false;
}

static bool is_line_bool(const PlanAccess *acc) {
    return !acc->is_store && gen_is_bool(acc) && (acc->cls == PLAN_LINE || acc->cls == PLAN_ROW);
}
static bool is_bool_store(const PlanAccess *acc) {
    return acc->is_store && gen_is_bool(acc);
}
static bool is_any(const PlanAccess *acc) {
    (void)acc;
    return true;
}

static void write_slot(Gen *gen, const GenPass *gp, Cxx *cx) {
    bool needed = false, both = false;
    for (size_t v = 0; v < gen->plan->variants.n; v++) {
        const PlanPass *p = plan_pass(gen->plan, gp->index, v);
        for (size_t i = 0; i < p->access.n; i++) {
            if (plan_narrow_slot(p, &p->access.at[i]) == UINT32_MAX || gen_is_converted_int(&p->access.at[i])) continue;
            needed = true;
            both |= gen_is_ever_wide(gen, &p->access.at[i]);
        }
    }
    if (!needed) return;
    cxx_comment(
        cx, both ? "The float32 form of an operand: its own buffer, or a work slot when it is 16 bits wide."
                 : "The float32 form of a 16-bit operand.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline LocalTensor<float> Slot(const LocalTensor<T> &io, uint32_t slot)");
    if (both) {
        cxx_open(cx, "if constexpr (IsSameType<T, float>::value)");
        cxx_line(cx, "return io;");
        cxx_else(cx);
        cxx_line(cx, "return work_.Get<float>()[slot * tileLength_];");
        cxx_close(cx, "");
    } else {
        cxx_line(cx, "return work_.Get<float>()[slot * tileLength_];");
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

void gen_mask_from_bytes(Cxx *cx) {
    cxx_comment(cx, "A bool tensor is one byte per element, a mask one bit.");
    cxx_function(cx, "__aicore__ inline void MaskFromBytes(const LocalTensor<uint8_t> &mask, const "
                     "LocalTensor<uint8_t> &bytes, int32_t count)");
    cxx_line(cx, "LocalTensor<half> scratch = half_.Get<half>();");
    cxx_line(cx, "Cast(scratch, bytes, RoundMode::CAST_NONE, count);");
    cxx_line(cx, "CompareScalar(mask, scratch, static_cast<half>(0), CMPMODE::NE, count);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

void gen_bytes_from_mask(Cxx *cx) {
    cxx_function(cx, "__aicore__ inline void BytesFromMask(const LocalTensor<uint8_t> &bytes, const "
                     "LocalTensor<uint8_t> &mask, int32_t count)");
    cxx_line(cx, "LocalTensor<half> scratch = half_.Get<half>();");
    cxx_line(cx, "Duplicate(scratch, static_cast<half>(1), count);");
    cxx_line(
        cx, "Select(scratch, mask, scratch, static_cast<half>(0), SELMODE::VSEL_TENSOR_SCALAR_MODE, count);");
    cxx_line(cx, "Cast(bytes, scratch, RoundMode::CAST_NONE, count);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- columns
 * ----------------------------------------------------------------------------------------------------- */

static void write_wide_column(Gen *gen, const GenPass *gp, Cxx *cx) {
    bool needed = false, wide = false;
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (acc->is_store || acc->cls != PLAN_COLUMN || (gen_is_float(acc) && gen_is_always_wide(gen, acc)) ||
            acc->dtype[0] == DTYPE_I32)
            continue;
        needed = true;
        wide |= gen_is_float(acc) && gen_is_ever_wide(gen, acc);
    }
    if (!needed) return;
    cxx_comment(cx,
                "The numbers of a column in the type they are computed in, at the places they have in src.");
    cxx_line(cx, "template <typename To, typename T>");
    cxx_function(cx, "__aicore__ inline LocalTensor<To> WideColumn(const LocalTensor<T> &src, uint32_t count)");
    if (wide) {
        cxx_open(cx, "if constexpr (IsSameType<T, To>::value)");
        cxx_line(cx, "return src;");
        cxx_else(cx);
    }
    cxx_line(cx, "LocalTensor<To> dst = columnWide_.Get<To>();");
    cxx_line(cx, "Cast(dst, src, RoundMode::CAST_NONE, count);");
    cxx_line(cx, "return dst;");
    if (wide) cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static bool is_dense_column(const GenPass *gp, const PlanAccess *acc) {
    return !acc->is_store && acc->cls == PLAN_COLUMN && plan_column_is_dense(gp->p, acc);
}

static void write_expand_rows(Cxx *cx) {
    cxx_comment(cx, "Row r of dst becomes src[r]: 32-byte blocks of each number first, then rows of 64 "
                    "elements at a time.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx,
                 "__aicore__ inline void ExpandRows(const LocalTensor<T> &dst, const LocalTensor<T> &src)");
    cxx_line(cx, "LocalTensor<T> blocks = columnBlocks_.Get<T>();");
    cxx_line(cx, "Brcb(blocks, src, static_cast<uint8_t>(RoundUp(nRows_, 8) / 8), {1, 8});");
    cxx_line(cx, "const CopyRepeatParams params{1, 0, static_cast<uint16_t>(pitch_ * sizeof(T) / 32), 1};");
    cxx_open(cx, "for (uint32_t col = 0; col < pitch_; col += 64)");
    cxx_line(cx, "Copy(dst[col], blocks, 64, static_cast<uint8_t>(nRows_), params);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_scalar_wait(Cxx *cx) {
    cxx_comment(cx, "The scalar unit may read what copies and vector instructions have written so far.");
    cxx_function(cx, "__aicore__ inline void WaitForScalarReads()");
    cxx_line(cx,
             "const event_t copied = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_S));");
    cxx_line(cx, "SetFlag<HardEvent::MTE2_S>(copied);");
    cxx_line(cx, "WaitFlag<HardEvent::MTE2_S>(copied);");
    cxx_line(cx,
             "const event_t computed = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));");
    cxx_line(cx, "SetFlag<HardEvent::V_S>(computed);");
    cxx_line(cx, "WaitFlag<HardEvent::V_S>(computed);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* The buffers read may be written again by vector instructions, and by copies that wait for those. */
static void write_scalar_done(Cxx *cx) {
    cxx_comment(cx, "What the scalar unit has read may be overwritten from here on.");
    cxx_function(cx, "__aicore__ inline void EndScalarReads()");
    cxx_line(cx, "const event_t done = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_V));");
    cxx_line(cx, "SetFlag<HardEvent::S_V>(done);");
    cxx_line(cx, "WaitFlag<HardEvent::S_V>(done);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

void gen_scalar_reads(Cxx *cx) {
    write_scalar_wait(cx);
    write_scalar_done(cx);
}

static void write_fill_rows(Cxx *cx, bool rows, bool tile) {
    gen_scalar_reads(cx);
    if (rows) {
        cxx_comment(cx, "Row r of dst becomes element r * step of src.");
        cxx_line(cx, "template <typename T>");
        cxx_function(cx, "__aicore__ inline void FillRows(const LocalTensor<T> &dst, const LocalTensor<T> "
                         "&src, uint32_t step)");
        cxx_line(cx, "WaitForScalarReads();");
        cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
        cxx_line(cx, "Duplicate(dst[row * pitch_], src.GetValue(row * step), pitch_);");
        cxx_close(cx, "");
        cxx_line(cx, "EndScalarReads();");
        cxx_close(cx, "");
        cxx_blank(cx);
    }
    if (!tile) return;
    cxx_comment(cx, "All rows of the tile have the same number.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void FillTile(const LocalTensor<T> &dst, const LocalTensor<T> &src)");
    cxx_line(cx, "WaitForScalarReads();");
    cxx_line(cx, "Duplicate(dst, src.GetValue(0), nRows_ * pitch_);");
    cxx_line(cx, "EndScalarReads();");
    cxx_close(cx, "");
    cxx_blank(cx);
}

bool gen_fills_rows(const GenPass *gp) {
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (!acc->is_store && acc->cls == PLAN_COLUMN && !plan_column_is_dense(gp->p, acc)) return true;
    }
    return false;
}

static void write_columns(Gen *gen, const GenPass *gp, Cxx *cx) {
    bool dense = false, rows = false, tile = false;
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (acc->is_store || acc->cls != PLAN_COLUMN) continue;
        bool same = acc->n_by == 0 && size_is(acc->view.stride[gp->p->space.rank - 2], 0);
        dense |= is_dense_column(gp, acc);
        tile |= same;
        rows |= !same && !is_dense_column(gp, acc);
    }
    write_wide_column(gen, gp, cx);
    if (dense) write_expand_rows(cx);
    if (rows || tile) write_fill_rows(cx, rows, tile);
}

/* ---- gathering
 * --------------------------------------------------------------------------------------------------- */

static bool steps_back(Gen *gen, const GenPass *gp, const PlanAccess *acc) {
    bool minus;
    gen_kernel_size(gen, gp, acc->view.stride[gp->p->space.rank - 1], &minus);
    return minus;
}

static void write_block_offsets(Cxx *cx, bool forward, bool back) {
    cxx_comment(cx, "Byte offsets of the 32-byte blocks of a stage, for Gather.");
    cxx_function(cx, "__aicore__ inline void MakeBlockOffsets()");
    if (forward) {
        cxx_line(cx, "LocalTensor<int32_t> offsets = blockOffsets_.Get<int32_t>();");
        cxx_line(cx, "CreateVecIndex(offsets, 0, STAGE_COLS);");
        cxx_line(cx, "Muls(offsets, offsets, static_cast<int32_t>(BLOCK_BYTES), STAGE_COLS);");
    }
    if (back) {
        cxx_line(cx, "LocalTensor<int32_t> back = blockOffsetsBack_.Get<int32_t>();");
        cxx_line(cx, "CreateVecIndex(back, 0, STAGE_COLS);");
        cxx_line(cx, "Muls(back, back, -static_cast<int32_t>(BLOCK_BYTES), STAGE_COLS);");
        cxx_line(cx, "Adds(back, back, static_cast<int32_t>((STAGE_COLS - 1) * BLOCK_BYTES), STAGE_COLS);");
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* Io is the type in memory, T the one that Gather moves: bytes are gathered as pairs. */
static void write_gather_rows(Cxx *cx, bool back) {
    if (back)
        cxx_comment(
            cx,
            "The same for columns that run backwards, colStep elements apart: the last column comes first.");
    else
        cxx_comment(cx, "Gathers columns that lie colStep elements apart. Each arrives in a 32-byte block of "
                        "its own, together with the same "
                        "column of the next GROUP - 1 rows where rows are neighbours in memory.");
    cxx_line(cx, "template <typename T, typename Io, uint32_t GROUP>");
    cxx_function(cx,
                 "__aicore__ inline void %s(const LocalTensor<T> &dst, const GlobalTensor<Io> &src, uint64_t "
                 "start, uint64_t rowStep, uint64_t colStep)",
                 back ? "GatherRowsBack" : "GatherRows");
    cxx_line(cx, "constexpr uint32_t IN_BLOCK = BLOCK_BYTES / sizeof(Io);");
    cxx_line(cx, "LocalTensor<uint32_t> offsets = %s.Get<uint32_t>();",
             back ? "blockOffsetsBack_" : "blockOffsets_");
    cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row += GROUP)");
    cxx_line(cx, "const uint32_t group = Least(GROUP, nRows_ - row);");
    cxx_open(cx, "for (uint32_t col = 0; col < nCols_; col += STAGE_COLS)");
    cxx_line(cx, "const uint32_t n = Least(STAGE_COLS, nCols_ - col);");
    cxx_line(cx, "LocalTensor<Io> stage = stageQueue_.AllocTensor<Io>();");
    cxx_line(cx, "DataCopyExtParams params;");
    cxx_line(cx, "params.blockCount = static_cast<uint16_t>(n);");
    cxx_line(cx, "params.blockLen = group * sizeof(Io);");
    cxx_line(cx, "params.srcStride = static_cast<uint32_t>((colStep - group) * sizeof(Io));");
    cxx_line(cx, "params.dstStride = 0;");
    if (back) {
        cxx_line(cx, "const uint64_t first = start + row * rowStep - (col + n - 1) * colStep;");
        cxx_line(cx, "DataCopyPad(stage[(STAGE_COLS - n) * IN_BLOCK], src[first], params, "
                     "DataCopyPadExtParams<Io>{});");
    } else {
        cxx_line(cx, "const uint64_t first = start + row * rowStep + col * colStep;");
        cxx_line(cx, "DataCopyPad(stage, src[first], params, DataCopyPadExtParams<Io>{});");
    }
    cxx_line(cx, "stageQueue_.EnQue(stage);");
    cxx_line(cx, "stage = stageQueue_.DeQue<Io>();");
    cxx_open(cx, "for (uint32_t i = 0; i < group; i++)");
    cxx_line(cx, "Gather(dst[(row + i) * pitch_ + col], stage.template ReinterpretCast<T>(), offsets, "
                 "static_cast<uint32_t>(i * sizeof(Io)), n);");
    cxx_close(cx, "");
    cxx_line(cx, "stageQueue_.FreeTensor(stage);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_mask_from_pairs(Cxx *cx) {
    cxx_comment(cx, "scratch holds pairs of bytes of which the first is the element.");
    cxx_function(cx, "__aicore__ inline void MaskFromPairs(const LocalTensor<uint8_t> &mask, int32_t count)");
    cxx_line(cx, "LocalTensor<uint16_t> pairs = half_.Get<uint16_t>();");
    cxx_line(cx, "ShiftLeft(pairs, pairs, static_cast<uint16_t>(8), count);");
    cxx_line(cx, "ShiftRight(pairs, pairs, static_cast<uint16_t>(8), count);");
    cxx_line(cx, "LocalTensor<half> scratch = half_.Get<half>();");
    cxx_line(cx, "Cast(scratch, pairs.ReinterpretCast<int16_t>(), RoundMode::CAST_NONE, count);");
    cxx_line(cx, "CompareScalar(mask, scratch, static_cast<half>(0), CMPMODE::NE, count);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_gather_target(Cxx *cx) {
    cxx_comment(cx, "Where rows are gathered to: in place, or scratch when they are widened afterwards.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline LocalTensor<T> GatherTarget(const LocalTensor<float> &dst)");
    cxx_open(cx, "if constexpr (IsSameType<T, float>::value)");
    cxx_line(cx, "return dst;");
    cxx_else(cx);
    cxx_line(cx, "return half_.Get<T>();");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_gathering(Gen *gen, const GenPass *gp, Cxx *cx) {
    bool forward = false, back = false, split = false;
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (acc->is_store || (acc->cls != PLAN_STRIDED && acc->cls != PLAN_PICKED)) continue;
        split |= gen_is_float(acc) && !gen_is_always_wide(gen, acc);
        if (acc->cls == PLAN_PICKED) continue;
        bool is_back = steps_back(gen, gp, acc);
        back |= is_back;
        forward |= !is_back;
    }
    bool each = gen_picks(gp, false);
    if (forward || back || each) write_block_offsets(cx, forward || each, back);
    if (forward) write_gather_rows(cx, false);
    if (back) write_gather_rows(cx, true);
    if (split) write_gather_target(cx);
    if (any_load(gp, PLAN_STRIDED, gen_is_bool) || any_load(gp, PLAN_PICKED, gen_is_bool)) write_mask_from_pairs(cx);
}

static void write_count_rows(Cxx *cx) {
    cxx_comment(cx, "first + row * rowStep + col * colStep for the elements of the tile.");
    cxx_function(cx, "__aicore__ inline void CountRows(const LocalTensor<int32_t> &dst, int64_t first, int32_t rowStep, int32_t colStep)");
    cxx_line(cx, "CreateVecIndex(dst, static_cast<int32_t>(0), pitch_);");
    cxx_line(cx, "Muls(dst, dst, colStep, static_cast<int32_t>(pitch_));");
    cxx_line(cx, "Adds(dst, dst, static_cast<int32_t>(first), static_cast<int32_t>(pitch_));");
    cxx_open(cx, "for (uint32_t row = 1; row < nRows_; row++)");
    cxx_line(cx, "Adds(dst[row * pitch_], dst, static_cast<int32_t>(row) * rowStep, static_cast<int32_t>(pitch_));");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

void gen_kernel_conversions(Gen *gen, const GenPass *gp, Cxx *cx) {
    write_slot(gen, gp, cx);
    if (gen_any(gp, is_line_bool)) gen_mask_from_bytes(cx);
    if (gen_any(gp, is_bool_store)) gen_bytes_from_mask(cx);
    if (any_load(gp, PLAN_COLUMN, is_any)) write_columns(gen, gp, cx);
    write_gathering(gen, gp, cx);
    if (gen_has_class(gp, PLAN_COUNTED)) write_count_rows(cx);
    gen_int_conversions(gp, cx);
}
