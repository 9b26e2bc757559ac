/* Data movement: where a tile lies, copies of lines, rows and columns, vectors that stay, gathering. */
#include "codegen/emit.h"
#include "codegen/kernel.h"

#include <string.h>

bool gen_is_queued(const PlanAccess *acc) {
    return acc->is_store || acc->cls == PLAN_LINE || acc->cls == PLAN_ROW || acc->cls == PLAN_COLUMN;
}

/* A term of an index: " + i0_ * xStride0_". Nothing when the stride is 0. */
void gen_add_term(Gen *gen, const GenPass *gp, StrBuf *sb, const char *index, const Size *stride) {
    bool minus;
    const char *by = gen_kernel_size(gen, gp, stride, &minus);
    if (strcmp(by, "0") == 0) return;
    strbuf_add(sb, sb->n_bytes ? (minus ? " - " : " + ") : minus ? "0 - " : "");
    if (strcmp(by, "1") == 0) strbuf_add(sb, index);
    else strbuf_printf(sb, "%s * %s", index, by);
}

/* First element of the tile in acc's tensor, without the column term when its columns are gathered. */
const char *gen_tile_start(Gen *gen, const GenPass *gp, const PlanAccess *acc, bool with_col) {
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    uint32_t rank = gp->p->space.rank;
    bool minus;
    const char *offset = gen_kernel_size(gen, gp, acc->view.offset, &minus);
    if (strcmp(offset, "0") != 0) strbuf_add(&sb, offset);
    for (uint32_t d = 0; d + 2 < rank; d++)
        gen_add_term(gen, gp, &sb, arena_printf(gen->a, "i%u_", d), acc->view.stride[d]);
    gen_add_term(gen, gp, &sb, "row_", acc->view.stride[rank - 2]);
    if (with_col) gen_add_term(gen, gp, &sb, "col_", acc->view.stride[rank - 1]);
    return sb.n_bytes ? sb.text : "0";
}

const char *gen_gather_start(Gen *gen, const GenPass *gp, const PlanAccess *acc) {
    return gen_tile_start(gen, gp, acc, true);
}

static const char *line_start(Gen *gen, const GenPass *gp, const PlanAccess *acc) {
    bool minus;
    const char *offset = gen_kernel_size(gen, gp, acc->view.offset, &minus);
    return strcmp(offset, "0") == 0 ? "start" : arena_printf(gen->a, "%s + start", offset);
}

static void write_locate(Gen *gen, const GenPass *gp, Cxx *cx) {
    uint32_t n_outer = gp->p->space.rank - 2;
    cxx_comment(
        cx, "Tiles are numbered down the rows of a run first, then by outer index, then by column block.");
    cxx_function(cx, "__aicore__ inline void Locate(uint64_t tile)");
    cxx_line(cx, "row_ = tile %% rowBlocks_ * rowsPerTile_;");
    cxx_line(cx, "uint64_t rest = tile / rowBlocks_;");
    for (uint32_t d = n_outer; d-- > 0;) {
        cxx_line(cx, "i%u_ = rest %% outer%u_;", d, d);
        cxx_line(cx, "rest /= outer%u_;", d);
    }
    cxx_line(cx, "col_ = rest * colsPerTile_;");
    cxx_line(cx, "nRows_ = static_cast<uint32_t>(Least<uint64_t>(rowsPerTile_, rows_ - row_));");
    cxx_line(cx, "nCols_ = static_cast<uint32_t>(Least<uint64_t>(colsPerTile_, cols_ - col_));");
    cxx_close(cx, "");
    cxx_blank(cx);
    (void)gen;
}

/* ---- row copies
 * -------------------------------------------------------------------------------------------------- */

typedef enum { STEP_FORWARD, STEP_SAME, STEP_BACK, STEP_SHORT } RowStep;

/* Do rows begin before the one before them ends, as windows that overlap do? Views of whole dimensions step by what they skip, so
 * a step that is a number is the only one that can be less than a row. */
static bool rows_overlap(const GenPass *gp, const PlanAccess *acc) {
    int64_t step, columns;
    return size_is_const(acc->view.stride[gp->p->space.rank - 2], &step) &&
           !(size_is_const(gp->p->space.dim[gp->p->space.rank - 1], &columns) && columns <= step);
}

static RowStep row_step(Gen *gen, const GenPass *gp, const PlanAccess *acc) {
    bool minus;
    const char *by = gen_kernel_size(gen, gp, acc->view.stride[gp->p->space.rank - 2], &minus);
    return strcmp(by, "0") == 0 ? STEP_SAME : minus ? STEP_BACK : rows_overlap(gp, acc) ? STEP_SHORT : STEP_FORWARD;
}

bool gen_repeats_row(Gen *gen, const GenPass *gp, const PlanAccess *acc) {
    return gp->emit->kernel_class == gen_kernel_class && gp->p->schedule == PLAN_ROWS && !acc->is_store && acc->cls == PLAN_ROW &&
           !acc->n_by && !gp->p->ordered && acc->dtype[0] != DTYPE_I64 && row_step(gen, gp, acc) == STEP_SAME && !size_is(gp->p->space.dim[gp->p->space.rank - 2], 1);
}

static bool repeats_rows(Gen *gen, const GenPass *gp) {
    for (size_t i = 0; i < gp->p->access.n; i++)
        if (gen_repeats_row(gen, gp, &gp->p->access.at[i])) return true;
    return false;
}

static bool has_row_step(Gen *gen, const GenPass *gp, bool forward) {
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (acc->is_store || acc->cls != PLAN_ROW || acc->n_by || gen_repeats_row(gen, gp, acc)) continue;
        bool one_run =
            row_step(gen, gp, acc) == STEP_FORWARD || size_is(gp->p->space.dim[gp->p->space.rank - 2], 1);
        if (one_run == forward) return true;
    }
    return false;
}

void gen_copy_rows(Gen *gen, const GenPass *gp, Cxx *cx) {
    if (has_row_step(gen, gp, true)) {
        cxx_comment(cx,
                    "nRows_ pieces of nCols_ elements, rowStep elements apart in GM and pitch_ apart in UB.");
        cxx_line(cx, "template <typename T>");
        cxx_function(cx, "__aicore__ inline void CopyRows(const LocalTensor<T> &dst, const GlobalTensor<T> "
                         "&src, uint64_t rowStep)");
        cxx_line(cx, "DataCopyExtParams params;");
        cxx_line(cx, "params.blockCount = static_cast<uint16_t>(nRows_);");
        cxx_line(cx, "params.blockLen = nCols_ * sizeof(T);");
        cxx_line(cx, "params.srcStride = static_cast<uint32_t>((rowStep - nCols_) * sizeof(T));");
        cxx_line(cx, "params.dstStride = (pitch_ * sizeof(T) - RoundUp(params.blockLen, 32)) / 32;");
        cxx_line(cx, "DataCopyPad(dst, src, params, DataCopyPadExtParams<T>{});");
        cxx_close(cx, "");
        cxx_blank(cx);
    }
    if (has_row_step(gen, gp, false)) {
        cxx_comment(cx, "Row by row: the step is 0, less than a row, or leads backwards as a negative number modulo 2^64.");
        cxx_line(cx, "template <typename T>");
        cxx_function(cx, "__aicore__ inline void CopyEachRow(const LocalTensor<T> &dst, const "
                         "GlobalTensor<T> &src, uint64_t start, uint64_t rowStep)");
        cxx_line(cx,
                 "const DataCopyExtParams params{1, static_cast<uint32_t>(nCols_ * sizeof(T)), 0, 0, 0};");
        cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
        cxx_line(
            cx,
            "DataCopyPad(dst[row * pitch_], src[start + row * rowStep], params, DataCopyPadExtParams<T>{});");
        cxx_close(cx, "");
        cxx_close(cx, "");
        cxx_blank(cx);
    }
}

/* An operand with the same row for all rows of a tile is read once, not once a row. */
static void write_repeat_row(Cxx *cx) {
    cxx_comment(cx, "The first row of a tile over the others: an operand that rows share is read from GM once.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void RepeatRow(const LocalTensor<T> &tile)");
    cxx_open(cx, "for (uint32_t row = 1; row < nRows_; row++)");
    cxx_line(cx, "DataCopy(tile[row * pitch_], tile, pitch_);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

void gen_copy_row_in(Gen *gen, const GenPass *gp, const PlanAccess *acc, const char *dst, Cxx *cx) {
    bool minus;
    const char *by = gen_kernel_size(gen, gp, acc->view.stride[gp->p->space.rank - 2], &minus);
    const char *start = gen_tile_start(gen, gp, acc, true);
    if (gen_repeats_row(gen, gp, acc))
        cxx_line(cx,
                 "DataCopyPad(%s, %sGm_[%s], DataCopyExtParams{1, static_cast<uint32_t>(nCols_ * sizeof(%s)), 0, 0, 0}, "
                 "DataCopyPadExtParams<%s>{});",
                 dst, acc->tensor_name, start, gen_io_type(gen, acc), gen_io_type(gen, acc));
    else if (size_is(gp->p->space.dim[gp->p->space.rank - 2], 1))
        cxx_line(cx, "CopyRows(%s, %sGm_[%s], nCols_);", dst, acc->tensor_name, start);
    else if (row_step(gen, gp, acc) == STEP_FORWARD)
        cxx_line(cx, "CopyRows(%s, %sGm_[%s], %s);", dst, acc->tensor_name, start, by);
    else
        cxx_line(cx, "CopyEachRow(%s, %sGm_, %s, %s%s);", dst, acc->tensor_name, start, minus ? "0 - " : "",
                 by);
}

/* One element for each row of the tile: in one piece, or every one in a block of its own. */
static void write_copy_column_in(Gen *gen, const GenPass *gp, const PlanAccess *acc, const char *dst,
                                 Cxx *cx) {
    const char *type = gen_io_type(gen, acc), *start = gen_tile_start(gen, gp, acc, false);
    bool minus;
    const char *by = gen_kernel_size(gen, gp, acc->view.stride[gp->p->space.rank - 2], &minus);
    const char *pad = arena_printf(gen->a, "DataCopyPadExtParams<%s>{}", type);
    const char *one = arena_printf(gen->a, "static_cast<uint32_t>(sizeof(%s))", type);
    if (plan_column_is_dense(gp->p, acc)) {
        cxx_line(cx,
                 "DataCopyPad(%s, %sGm_[%s], DataCopyExtParams{1, static_cast<uint32_t>(nRows_ * "
                 "sizeof(%s)), 0, 0, 0}, %s);",
                 dst, acc->tensor_name, start, type, pad);
    } else if (row_step(gen, gp, acc) == STEP_SAME) {
        cxx_line(cx, "DataCopyPad(%s, %sGm_[%s], DataCopyExtParams{1, %s, 0, 0, 0}, %s);", dst,
                 acc->tensor_name, start, one, pad);
    } else if (row_step(gen, gp, acc) != STEP_BACK) {
        cxx_line(cx,
                 "DataCopyPad(%s, %sGm_[%s], DataCopyExtParams{static_cast<uint16_t>(nRows_), %s, "
                 "static_cast<uint32_t>((%s - 1) * sizeof(%s)), 0, 0}, %s);",
                 dst, acc->tensor_name, start, one, by, type, pad);
    } else {
        cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
        cxx_line(cx,
                 "DataCopyPad(%s[row * BLOCK_BYTES / sizeof(%s)], %sGm_[%s - row * %s], DataCopyExtParams{1, "
                 "%s, 0, 0, 0}, %s);",
                 dst, type, acc->tensor_name, start, by, one, pad);
        cxx_close(cx, "");
    }
}

/* ---- CopyIn and CopyOut
 * ------------------------------------------------------------------------------------------ */

static void write_alloc_in(Gen *gen, const GenPass *gp, const PlanAccess *acc, Cxx *cx) {
    const char *type = gen_io_type(gen, acc);
    if (plan_packs_inputs(gp->p))
        cxx_line(cx, "LocalTensor<%s> %s = in[%s].ReinterpretCast<%s>();", type, acc->name,
                 gen_packed_offset(gen, gp, acc), type);
    else cxx_line(cx, "LocalTensor<%s> %s = %sQueue_.AllocTensor<%s>();", type, acc->name, acc->name, type);
}

static void write_copy_in(Gen *gen, const GenPass *gp, Cxx *cx) {
    bool flat = gp->p->schedule == PLAN_FLAT, packed = plan_packs_inputs(gp->p);
    bool any = false;
    for (size_t i = 0; i < gp->p->access.n; i++)
        any |= !gp->p->access.at[i].is_store && gen_is_queued(&gp->p->access.at[i]);
    cxx_function(cx, "__aicore__ inline void CopyIn(%s)",
                 !flat ? ""
                 : any ? "uint64_t start, uint32_t n"
                       : "uint64_t, uint32_t");
    if (packed) cxx_line(cx, "LocalTensor<uint8_t> in = inQueue_.AllocTensor<uint8_t>();");
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (acc->is_store || !gen_is_queued(acc)) continue;
        const char *type = gen_io_type(gen, acc);
        write_alloc_in(gen, gp, acc, cx);
        if (acc->n_by) gen_index_copy_in(gen, gp, acc, cx);
        else if (acc->cls == PLAN_LINE)
            cxx_line(cx,
                     "DataCopyPad(%s, %sGm_[%s], DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(%s)), "
                     "0, 0, 0}, "
                     "DataCopyPadExtParams<%s>{});",
                     acc->name, acc->tensor_name, line_start(gen, gp, acc), type, type);
        else if (acc->cls == PLAN_ROW) gen_copy_row_in(gen, gp, acc, acc->name, cx);
        else write_copy_column_in(gen, gp, acc, acc->name, cx);
        if (!packed) cxx_line(cx, "%sQueue_.EnQue(%s);", acc->name, acc->name);
    }
    if (packed) cxx_line(cx, "inQueue_.EnQue(in);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* From row to row of a store's tensor: the columns of the space, unless the pass fills only a part of its rows. */
static const char *store_step(Gen *gen, const GenPass *gp, const PlanAccess *acc) {
    uint32_t rank = gp->p->space.rank;
    bool minus;
    if (size_is(gp->p->space.dim[rank - 2], 1)) return "nCols_";
    return gen_kernel_size(gen, gp, acc->view.stride[rank - 2], &minus);
}

/* Does some store leave out a part of its tensor's rows? */
static bool stores_apart(const GenPass *gp) {
    uint32_t rank = gp->p->space.rank;
    for (size_t i = 0; i < gp->p->access.n; i++)
        if (gp->p->access.at[i].is_store && !size_is(gp->p->space.dim[rank - 2], 1) &&
            !size_equal(gp->p->access.at[i].view.stride[rank - 2], gp->p->space.dim[rank - 1]))
            return true;
    return false;
}

static void write_store_rows(Gen *gen, const GenPass *gp, const PlanAccess *acc, Cxx *cx) {
    const char *step = stores_apart(gp) ? arena_printf(gen->a, ", %s", store_step(gen, gp, acc)) : "";
    cxx_line(cx, "CopyRowsOut(%sGm_[%s], %s%s);", acc->tensor_name, gen_tile_start(gen, gp, acc, true), acc->name,
             step);
}

static void write_copy_rows_out(Cxx *cx, bool apart, bool ordered) {
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void CopyRowsOut(const GlobalTensor<T> &dst, const LocalTensor<T> &src%s)",
                 apart ? ", uint64_t rowStep" : "");
    if (ordered) {
        cxx_open(cx, "if (isAhead_)");
        cxx_line(cx, "return;");
        cxx_close(cx, "");
    }
    cxx_line(cx, "DataCopyExtParams params;");
    cxx_line(cx, "params.blockCount = static_cast<uint16_t>(nRows_);");
    cxx_line(cx, "params.blockLen = nCols_ * sizeof(T);");
    cxx_line(cx, "params.srcStride = (pitch_ * sizeof(T) - RoundUp(params.blockLen, 32)) / 32;");
    cxx_line(cx, "params.dstStride = static_cast<uint32_t>((%s - nCols_) * sizeof(T));", apart ? "rowStep" : "cols_");
    cxx_line(cx, "DataCopyPad(dst, src, params);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

void gen_copy_rows_out(Cxx *cx) {
    write_copy_rows_out(cx, false, false);
}

static void write_copy_out(Gen *gen, const GenPass *gp, Cxx *cx) {
    bool flat = gp->p->schedule == PLAN_FLAT, packed = plan_packs_outputs(gp->p);
    cxx_function(cx, "__aicore__ inline void CopyOut(%s)", flat ? "uint64_t start, uint32_t n" : "");
    if (packed) cxx_line(cx, "LocalTensor<uint8_t> out = outQueue_.DeQue<uint8_t>();");
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (!acc->is_store) continue;
        const char *type = gen_io_type(gen, acc);
        if (packed)
            cxx_line(cx, "LocalTensor<%s> %s = out[%s].ReinterpretCast<%s>();", type, acc->name,
                     gen_packed_offset(gen, gp, acc), type);
        else cxx_line(cx, "LocalTensor<%s> %s = %sQueue_.DeQue<%s>();", type, acc->name, acc->name, type);
        if (flat)
            cxx_line(cx,
                     "DataCopyPad(%sGm_[%s], %s, DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(%s)), "
                     "0, 0, 0});",
                     acc->tensor_name, line_start(gen, gp, acc), acc->name, type);
        else write_store_rows(gen, gp, acc, cx);
        if (!packed) cxx_line(cx, "%sQueue_.FreeTensor(%s);", acc->name, acc->name);
    }
    if (packed) cxx_line(cx, "outQueue_.FreeTensor(out);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- vectors that stay
 * ------------------------------------------------------------------------------------------- */

static void write_load_vector(Gen *gen, const PlanAccess *acc, const char *start, Cxx *cx) {
    const char *type = gen_io_type(gen, acc);
    cxx_block(cx);
    cxx_line(cx, "LocalTensor<%s> %s = vectorQueue_.AllocTensor<%s>();", type, acc->name, type);
    cxx_line(cx,
             "DataCopyPad(%s, %sGm_[%s], DataCopyExtParams{1, static_cast<uint32_t>(nCols_ * sizeof(%s)), 0, "
             "0, 0}, "
             "DataCopyPadExtParams<%s>{});",
             acc->name, acc->tensor_name, start, type, type);
    cxx_line(cx, "vectorQueue_.EnQue(%s);", acc->name);
    cxx_line(cx, "%s = vectorQueue_.DeQue<%s>();", acc->name, type);
    if (gen_is_bool(acc)) {
        cxx_line(cx, "LocalTensor<half> scratch = half_.Get<half>();");
        cxx_open(cx, "for (uint32_t row = 0; row < rowsPerTile_; row++)");
        cxx_line(cx, "Cast(scratch[row * pitch_], %s, RoundMode::CAST_NONE, pitch_);", acc->name);
        cxx_close(cx, "");
        cxx_line(cx,
                 "CompareScalar(keepMask_.Get<uint8_t>()[%u * tileLength_ / 8], scratch, "
                 "static_cast<half>(0), CMPMODE::NE, "
                 "RoundUp(rowsPerTile_ * pitch_, 128));",
                 acc->place.index);
    } else {
        const char *t = gen_is_float(acc) ? "float" : "int32_t";
        cxx_line(cx, "LocalTensor<%s> keep = keep_.Get<%s>()[%u * tileLength_];", t, t, acc->place.index);
        cxx_open(cx, "for (uint32_t row = 0; row < rowsPerTile_; row++)");
        if (gen_is_converted_int(acc)) gen_ints_in(cx, acc, "keep[row * pitch_]", acc->name, "pitch_");
        else if (gen_is_always_wide(gen, acc))
            cxx_line(cx, "DataCopy(keep[row * pitch_], %s, pitch_);", acc->name);
        else cxx_line(cx, "KeepRow(keep[row * pitch_], %s);", acc->name);
        cxx_close(cx, "");
    }
    cxx_line(cx, "vectorQueue_.FreeTensor(%s);", acc->name);
    cxx_close(cx, "");
}

static void write_keep_row(Cxx *cx) {
    cxx_line(cx, "template <typename T>");
    cxx_function(cx,
                 "__aicore__ inline void KeepRow(const LocalTensor<float> &dst, const LocalTensor<T> &src)");
    cxx_open(cx, "if constexpr (IsSameType<T, float>::value)");
    cxx_line(cx, "DataCopy(dst, src, pitch_);");
    cxx_else(cx);
    cxx_line(cx, "Cast(dst, src, RoundMode::CAST_NONE, pitch_);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_load_vectors(Gen *gen, const GenPass *gp, Cxx *cx) {
    bool mixed = false;
    if (!gen_has_class(gp, PLAN_VECTOR)) return;
    for (size_t i = 0; i < gp->p->access.n; i++)
        mixed |= gp->p->access.at[i].cls == PLAN_VECTOR && gen_is_float(&gp->p->access.at[i]) &&
                 !gen_is_always_wide(gen, &gp->p->access.at[i]);
    if (mixed) write_keep_row(cx);
    cxx_comment(
        cx, "Operands that all rows share: once for each column block, repeated over the rows of a tile.");
    cxx_function(cx, "__aicore__ inline void LoadVectors()");
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        bool minus;
        if (acc->cls != PLAN_VECTOR) continue;
        const char *offset = gen_kernel_size(gen, gp, acc->view.offset, &minus);
        write_load_vector(gen, acc,
                          strcmp(offset, "0") == 0 ? "col_" : arena_printf(gen->a, "%s + col_", offset), cx);
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

void gen_kernel_copy(Gen *gen, const GenPass *gp, Cxx *cx) {
    if (gp->p->schedule == PLAN_ROWS) {
        if (gp->p->ordered) gen_scan_locate(gen, gp, cx);
        else write_locate(gen, gp, cx);
        gen_copy_rows(gen, gp, cx);
        write_copy_rows_out(cx, stores_apart(gp), gp->p->ordered != 0);
        if (repeats_rows(gen, gp)) write_repeat_row(cx);
        write_load_vectors(gen, gp, cx);
    }
    gen_index_functions(gen, gp, cx);
    write_copy_in(gen, gp, cx);
    write_copy_out(gen, gp, cx);
}
