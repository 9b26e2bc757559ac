/* The scatter family's text: the class of the pointwise family with member functions that make updates. A tile is a piece of
 * the result; the indices go by PICK_COLS at a time, and those that name places of the tile are picked out in their order. */
#include "codegen/emit.h"

#include "base/names.h"
#include "codegen/kernel.h"

#include <string.h>

/* ---- fields
 * ------------------------------------------------------------------------------------------------------ */

static const PlanAccess *index_of(const GenPass *gp, const PlanUpdate *u) {
    return &gp->p->access.at[u->index];
}

static const PlanAccess *source_of(const GenPass *gp, const PlanUpdate *u) {
    return u->source == UINT32_MAX ? NULL : &gp->p->access.at[u->source];
}

/* Updates of a run along the named dimension. */
static const Size *update_count(const GenPass *gp, const PlanUpdate *u) {
    return index_of(gp, u)->view.shape.dim[gp->p->named - 1];
}

/* Does the index end before the space does along dimension d? */
static bool is_limited(const GenPass *gp, const PlanUpdate *u, uint32_t d) {
    const GraphView *v = &index_of(gp, u)->view;
    return d + 1 != gp->p->named && !size_equal(v->shape.dim[d], gp->p->space.dim[d]);
}

static void make_fields(Gen *gen, GenPass *gp) {
    gen_make_fields(gen, gp);
    for (size_t i = 0; i < gp->p->updates.n; i++) {
        const PlanUpdate *u = &gp->p->updates.at[i];
        const char *camel = names_camel(gen->a, index_of(gp, u)->name);
        gen_add_size(gen, gp, arena_printf(gen->a, "%sCount", camel), update_count(gp, u), "indices of a run");
        for (uint32_t d = 0; d < gp->p->space.rank; d++)
            if (is_limited(gp, u, d))
                gen_add_size(gen, gp, arena_printf(gen->a, "%sLimit%u", camel, d), index_of(gp, u)->view.shape.dim[d], "where updates end along a dimension");
    }
    gen_sort_fields(gen, gp);
}

/* ---- buffers
 * ----------------------------------------------------------------------------------------------------- */

/* The widest type of a source. */
static const char *source_type(Gen *gen, const GenPass *gp) {
    const char *type = NULL;
    for (size_t i = 0; i < gp->p->updates.n; i++) {
        const PlanAccess *source = source_of(gp, &gp->p->updates.at[i]);
        if (!source || (type && !gen_is_always_wide(gen, source))) continue;
        type = gen_io_type(gen, source);
    }
    return type;
}

static const char *buffer_bytes(Gen *gen, const GenPass *gp, const char *name) {
    static const char *const PLACES[] = {"order_", "at_", "from_"};
    for (size_t i = 0; i < sizeof PLACES / sizeof PLACES[0]; i++)
        if (strcmp(name, PLACES[i]) == 0) return "PICK_COLS * sizeof(int32_t)";
    if (strcmp(name, "wide_") == 0) return "SOURCE_ELEMENTS * sizeof(float)";
    if (strcmp(name, "sourceQueue_") == 0) return arena_printf(gen->a, "SOURCE_ELEMENTS * sizeof(%s)", source_type(gen, gp));
    return NULL;
}

static void prepare(Gen *gen, const GenPass *gp, Cxx *cx) {
    (void)gen;
    if (gp->p->updates.n) cxx_line(cx, "CreateVecIndex(order_.Get<int32_t>(), 0, PICK_COLS);");
}

/* ---- what updates share
 * ------------------------------------------------------------------------------------------ */

static void write_find(Cxx *cx) {
    cxx_comment(cx, "Of n indices those in [first, first + length), in their order: at_ gets their places from first on, from_ which of the n "
                    "they are.");
    cxx_line(cx, "template <bool WRAPS, typename I>");
    cxx_function(cx, "__aicore__ inline uint32_t FindUpdates(const GlobalTensor<I> &index, uint64_t size, uint32_t n, uint64_t first, uint32_t length)");
    cxx_line(cx, "LocalTensor<int32_t> place = place_.Get<int32_t>(), inside = inWindow_.Get<int32_t>();");
    cxx_line(cx, "LoadPlaces<WRAPS>(place, index, size, n);");
    cxx_line(cx, "Adds(place, place, -static_cast<int32_t>(first), n);");
    cxx_line(cx, "Maxs(inside, place, 0, n);");
    cxx_line(cx, "Mins(inside, inside, static_cast<int32_t>(length - 1), n);");
    cxx_line(cx, "Compare(isInside_.Get<uint8_t>(), place, inside, CMPMODE::EQ, RoundUp(n, 64));");
    cxx_line(cx, "LocalTensor<uint32_t> which = isInside_.Get<uint32_t>();");
    cxx_line(cx, "const GatherMaskParams params{1, 1, 8, 8};");
    cxx_line(cx, "uint64_t found = 0;");
    cxx_line(cx, "GatherMask(at_.Get<int32_t>(), place, which, true, n, params, found);");
    cxx_line(cx, "GatherMask(from_.Get<int32_t>(), order_.Get<int32_t>(), which, true, n, params, found);");
    cxx_line(cx, "WaitForScalarReads();");
    cxx_line(cx, "return static_cast<uint32_t>(found);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static bool has_source(const Gen *gen, const GenPass *gp, bool (*is)(const Gen *, const PlanAccess *)) {
    for (size_t i = 0; i < gp->p->updates.n; i++) {
        const PlanAccess *source = source_of(gp, &gp->p->updates.at[i]);
        if (source && (!is || is(gen, source))) return true;
    }
    return false;
}

static bool is_bool(const Gen *gen, const PlanAccess *acc) {
    (void)gen;
    return gen_is_bool(acc);
}

static bool is_int64(const Gen *gen, const PlanAccess *acc) {
    (void)gen;
    return gen_is_converted_int(acc);
}

static bool is_narrow(const Gen *gen, const PlanAccess *acc) {
    return gen_is_float(acc) && !gen_is_always_wide(gen, acc);
}

/* Sources in the type of the tile. */
static void write_widen_source(Gen *gen, const GenPass *gp, Cxx *cx) {
    bool bools = has_source(gen, gp, is_bool), narrow = has_source(gen, gp, is_narrow);
    if (bools) {
        cxx_function(cx, "__aicore__ inline LocalTensor<float> InTypeOfTile(const LocalTensor<uint8_t> &in, uint32_t n)");
        cxx_line(cx, "LocalTensor<half> bytes = place_.Get<half>();");
        cxx_line(cx, "LocalTensor<float> wide = wide_.Get<float>();");
        cxx_line(cx, "Cast(bytes, in, RoundMode::CAST_NONE, n);");
        cxx_line(cx, "Cast(wide, bytes, RoundMode::CAST_NONE, n);");
        cxx_line(cx, "return wide;");
        cxx_close(cx, "");
        cxx_blank(cx);
    }
    if (has_source(gen, gp, is_int64)) {
        cxx_function(cx, "__aicore__ inline LocalTensor<int32_t> InTypeOfTile(const LocalTensor<int64_t> &in, uint32_t n)");
        cxx_line(cx, "LocalTensor<int32_t> low = wide_.Get<int32_t>();");
        cxx_line(cx, "Cast(low, in, RoundMode::CAST_NONE, n);");
        cxx_line(cx, "return low;");
        cxx_close(cx, "");
        cxx_blank(cx);
    }
    if (!narrow) return;
    cxx_comment(cx, "16-bit sources as float32.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline LocalTensor<float> InTypeOfTile(const LocalTensor<T> &in, uint32_t n)");
    cxx_open(cx, "if constexpr (IsSameType<T, float>::value)");
    cxx_line(cx, "return in;");
    cxx_else(cx);
    cxx_line(cx, "LocalTensor<float> wide = wide_.Get<float>();");
    cxx_line(cx, "Cast(wide, in, RoundMode::CAST_NONE, n);");
    cxx_line(cx, "return wide;");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- one update
 * ---------------------------------------------------------------------------------------------------- */

typedef struct Writer {
    Gen *gen;
    const GenPass *gp;
    Cxx *cx;
    const PlanUpdate *u;
    const PlanAccess *index, *source;
    uint32_t number;        /* of the update */
    const char *type, *io;  /* of the tile, of the source */
    const char *find;       /* "FindUpdates<false>" */
    const char *count;      /* indices of a run */
    const char *size;       /* of the named dimension */
} Writer;

static const char *size_text(const Writer *w, const Size *s) {
    bool minus;
    return gen_kernel_size(w->gen, w->gp, s, &minus);
}

static const char *number_text(const Writer *w) {
    if (!w->u->number.is_runtime) return gen_literal(w->gen->a, w->u->number.value, w->u->is_float);
    const char *member = gen_scalar_member(w->gen, w->gp->p, w->u->number.index, w->u->is_float);
    return w->u->number.negate ? arena_printf(w->gen->a, "-%s", member) : member;
}

/* The queue's tensor `in`, filled by the copy, as `values`. */
static void write_take_source(const Writer *w, const char *n) {
    bool same = gen_is_always_wide(w->gen, w->source);
    cxx_line(w->cx, "sourceQueue_.EnQue(in);");
    cxx_line(w->cx, "in = sourceQueue_.DeQue<%s>();", w->io);
    cxx_line(w->cx, same ? "LocalTensor<%s> values = in;" : "LocalTensor<%s> values = InTypeOfTile(in, %s);", w->type, n);
    if (w->u->has_number) cxx_line(w->cx, "Muls(values, values, %s, %s);", number_text(w), n);
}

/* One row of the tile by one row of the source, or by the number. */
static const char *row_call(const Writer *w) {
    static const char *const BY_ROW[] = {[PLAN_ADD] = "Add", [PLAN_MULTIPLY] = "Mul", [PLAN_GREATEST] = "Max", [PLAN_LEAST] = "Min"},
                            *const BY_NUMBER[] = {[PLAN_ADD] = "Adds", [PLAN_MULTIPLY] = "Muls", [PLAN_GREATEST] = "Maxs", [PLAN_LEAST] = "Mins"};
    const char *by = w->source ? "values[j * pitch_]" : number_text(w);
    if (w->u->how == PLAN_SET && w->source) return "DataCopy(row, values[j * pitch_], pitch_);";
    if (w->u->how == PLAN_SET) return arena_printf(w->gen->a, "Duplicate(row, %s, pitch_);", by);
    return arena_printf(w->gen->a, "%s(row, row, %s, pitch_);", (w->source ? BY_ROW : BY_NUMBER)[w->u->how], by);
}

static void write_copy_rows(const Writer *w) {
    cxx_line(w->cx, "LocalTensor<%s> in = sourceQueue_.AllocTensor<%s>();", w->io, w->io);
    cxx_open(w->cx, "for (uint32_t j = 0; j < m; j++)");
    cxx_line(w->cx, "const uint64_t from = n + static_cast<uint64_t>(from_.Get<int32_t>().GetValue(i + j));");
    cxx_line(w->cx, "DataCopyPad(in[j * pitch_], %sGm_[%s], DataCopyExtParams{1, static_cast<uint32_t>(nCols_ * sizeof(%s)), 0, 0, 0}, DataCopyPadExtParams<%s>{});",
             w->source->tensor_name, gen_place(w->gen, w->gp, &w->source->view, "from", "col_"), w->io, w->io);
    cxx_close(w->cx, "");
    write_take_source(w, "m * pitch_");
}

/* Whole rows of the tile. */
static void write_rows(const Writer *w) {
    cxx_open(w->cx, "for (uint64_t n = 0; n < %s; n += PICK_COLS)", w->count);
    cxx_line(w->cx, "const uint32_t found = %s(%sGm_[%s], %s, static_cast<uint32_t>(Least<uint64_t>(PICK_COLS, %s - n)), row_, nRows_);",
             w->find, w->index->tensor_name, gen_place(w->gen, w->gp, &w->index->view, "n", NULL), w->size, w->count);
    if (w->source) {
        cxx_line(w->cx, "const uint32_t batch = SOURCE_ELEMENTS / pitch_;");
        cxx_open(w->cx, "for (uint32_t i = 0; i < found; i += batch)");
        cxx_line(w->cx, "const uint32_t m = Least(batch, found - i);");
        write_copy_rows(w);
        cxx_open(w->cx, "for (uint32_t j = 0; j < m; j++)");
        cxx_line(w->cx, "LocalTensor<%s> row = dst[at_.Get<int32_t>().GetValue(i + j) * pitch_];", w->type);
        cxx_line(w->cx, "%s", row_call(w));
        cxx_close(w->cx, "");
        cxx_line(w->cx, "sourceQueue_.FreeTensor(in);");
    } else {
        cxx_open(w->cx, "for (uint32_t i = 0; i < found; i++)");
        cxx_line(w->cx, "LocalTensor<%s> row = dst[at_.Get<int32_t>().GetValue(i) * pitch_];", w->type);
        cxx_line(w->cx, "%s", row_call(w));
    }
    cxx_close(w->cx, "");
    cxx_line(w->cx, "EndScalarReads();");
    cxx_close(w->cx, "");
}

/* One element of the tile by `by`, in scalar arithmetic. */
static void write_element(const Writer *w) {
    const char *by = w->source ? "values.GetValue(byLine ? k / width * apart + k % width : k)" : number_text(w);
    static const char *const SIGN[] = {[PLAN_ADD] = "+", [PLAN_MULTIPLY] = "*", [PLAN_GREATEST] = ">", [PLAN_LEAST] = "<"};
    if (w->u->how == PLAN_SET) {
        cxx_line(w->cx, "dst.SetValue(to, %s);", by);
    } else if (w->u->how == PLAN_ADD || w->u->how == PLAN_MULTIPLY) {
        cxx_line(w->cx, "dst.SetValue(to, dst.GetValue(to) %s %s);", SIGN[w->u->how], by);
    } else {
        cxx_line(w->cx, "const %s value = %s;", w->type, by);
        cxx_open(w->cx, "if (value %s dst.GetValue(to)%s)", SIGN[w->u->how], w->u->is_float ? " || value != value" : "");
        cxx_line(w->cx, "dst.SetValue(to, value);");
        cxx_close(w->cx, "");
    }
}

/* Updates that lie one after the other; `width` of them belong to a row of the tile each, from `row` on, or go to columns of
 * it. Their sources may have gaps. */
static void write_line(const Writer *w) {
    bool columns = plan_updates_columns(w->gp->p);
    Cxx *cx = w->cx;
    cxx_comment(cx, "Updates one after the other, width of them for %s%s", columns ? "each row of the tile from row on" : "the columns of the tile each time",
                w->source ? "; their sources are step elements apart from line to line." : ".");
    cxx_function(cx, "__aicore__ inline void Line%u(const LocalTensor<%s> &dst, uint64_t index, %suint64_t length, uint32_t width%s)", w->number,
                 w->type, w->source ? "uint64_t source, uint64_t step, " : "", columns ? ", uint32_t row" : "");
    if (w->source) {
        cxx_open(cx, "if (width == 0)");
        cxx_line(cx, "return;");
        cxx_close(cx, "");
    }
    cxx_line(cx, "LocalTensor<int32_t> at = at_.Get<int32_t>(), from = from_.Get<int32_t>();");
    if (w->source) {
        cxx_line(cx, "const bool byLine = step != width && width <= PICK_COLS;");
        cxx_line(cx, "const uint32_t apart = RoundUp(width, LINE_UNIT); // of lines in UB");
        cxx_line(cx, "const uint32_t most = byLine ? Least(PICK_COLS / width, SOURCE_ELEMENTS / apart) * width : PICK_COLS;");
    }
    cxx_line(cx, "uint32_t n = 0;");
    cxx_open(cx, "for (uint64_t start = 0; start < length; start += n)");
    cxx_line(cx, "n = static_cast<uint32_t>(Least<uint64_t>(%s, length - start));", w->source ? "most" : "PICK_COLS");
    if (w->source) {
        cxx_open(cx, "if (step != width && !byLine)");
        cxx_line(cx, "n = Least(n, width - static_cast<uint32_t>(start %% width));");
        cxx_close(cx, "");
        cxx_line(cx, "LocalTensor<%s> in = sourceQueue_.AllocTensor<%s>();", w->io, w->io);
        cxx_line(cx, "CopyLines(in, %sGm_[source + start / width * step + start %% width], byLine ? n / width : 1, byLine ? width : n, step);", w->source->tensor_name);
        write_take_source(w, "byLine ? n / width * apart : n");
    }
    cxx_line(cx, "const uint32_t found = %s(%sGm_[index + start], %s, n, %s);", w->find, w->index->tensor_name, w->size,
             columns ? "col_, nCols_" : "row_, nRows_");
    cxx_open(cx, "for (uint32_t i = 0; i < found; i++)");
    cxx_line(cx, "const uint32_t k = static_cast<uint32_t>(from.GetValue(i));");
    cxx_line(cx, "const uint32_t to = %s;", columns ? "(row + static_cast<uint32_t>((start + k) / width)) * pitch_ + at.GetValue(i)"
                                                    : "at.GetValue(i) * pitch_ + static_cast<uint32_t>((start + k) % width)");
    write_element(w);
    cxx_close(cx, "");
    cxx_line(cx, "EndScalarReads();");
    if (w->source) cxx_line(cx, "sourceQueue_.FreeTensor(in);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_copy_lines(Cxx *cx) {
    cxx_line(cx, "static constexpr uint32_t LINE_UNIT = 32; // elements: whole 32-byte blocks of any type");
    cxx_blank(cx);
    cxx_comment(cx, "Lines of n elements, step apart in GM, in UB from multiples of LINE_UNIT elements on.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void CopyLines(const LocalTensor<T> &dst, const GlobalTensor<T> &src, uint32_t lines, uint32_t n, uint64_t step)");
    cxx_line(cx, "DataCopyExtParams params;");
    cxx_line(cx, "params.blockCount = static_cast<uint16_t>(lines);");
    cxx_line(cx, "params.blockLen = n * sizeof(T);");
    cxx_line(cx, "params.srcStride = lines > 1 ? static_cast<uint32_t>((step - n) * sizeof(T)) : 0;");
    cxx_line(cx, "params.dstStride = (RoundUp(n, LINE_UNIT) * sizeof(T) - RoundUp(params.blockLen, 32)) / 32;");
    cxx_line(cx, "DataCopyPad(dst, src, params, DataCopyPadExtParams<T>{});");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* Line `row` or `n` of the index from column `col` on. */
static const char *line_call(const Writer *w, const char *row, const char *col, const char *tail) {
    const Size *step = w->source ? w->source->view.stride[w->gp->p->space.rank - 2] : NULL;
    const char *source = w->source ? arena_printf(w->gen->a, "%s, %s, ", gen_place(w->gen, w->gp, &w->source->view, row, col), size_text(w, step)) : "";
    return arena_printf(w->gen->a, "Line%u(dst, %s, %s%s);", w->number, gen_place(w->gen, w->gp, &w->index->view, row, col), source, tail);
}

/* The one line for all when `condition` holds ("": always, NULL: never), else a loop with a line each. */
static void write_lines(const Writer *w, const char *condition, const char *all, const char *loop, const char *one) {
    if (condition && condition[0]) cxx_open(w->cx, "if (%s)", condition);
    if (condition) cxx_line(w->cx, "%s", all);
    if (condition && !condition[0]) return;
    if (condition) cxx_else(w->cx);
    cxx_open(w->cx, "%s", loop);
    cxx_line(w->cx, "%s", one);
    cxx_close(w->cx, "");
    if (condition) cxx_close(w->cx, "");
}

/* Indices of several rows lie one after the other: "" always, NULL never. */
static const char *dense_text(const Writer *w, const Size *want) {
    const Size *have = w->index->view.stride[w->gp->p->space.rank - 2];
    if (size_is(have, 0)) return NULL;
    return size_equal(have, want) ? "" : arena_printf(w->gen->a, "%s == %s", size_text(w, have), size_text(w, want));
}

/* Columns that the index names, for each row of the tile. */
static void write_column_lines(const Writer *w) {
    Arena *a = w->gen->a;
    const char *width = arena_printf(a, "static_cast<uint32_t>(%s)", w->count);
    write_lines(w, dense_text(w, update_count(w->gp, w->u)), line_call(w, "row_", NULL, arena_printf(a, "rows * %s, %s, 0", w->count, width)),
                "for (uint32_t row = 0; row < rows; row++)", line_call(w, "(row_ + row)", NULL, arena_printf(a, "%s, %s, row", w->count, width)));
}

/* Rows that the index names, another for every column: all at once where the tile has all columns of the index. */
static void write_row_lines(const Writer *w) {
    Arena *a = w->gen->a;
    const Size *cols = w->index->view.shape.dim[w->gp->p->space.rank - 1];
    const char *dense = dense_text(w, cols), *whole = arena_printf(a, "cols == %s", size_text(w, cols));
    const char *condition = !dense ? NULL : dense[0] ? arena_printf(a, "%s && %s", whole, dense) : whole;
    write_lines(w, condition, line_call(w, "0", NULL, arena_printf(a, "%s * cols, cols", w->count)),
                arena_printf(a, "for (uint64_t n = 0; n < %s; n++)", w->count), line_call(w, "n", "col_", "cols, cols"));
}

static void write_limits(const Writer *w) {
    uint32_t rank = w->gp->p->space.rank;
    const Size *const *limit = w->index->view.shape.dim;
    for (uint32_t d = 0; d + 2 < rank; d++) {
        if (!is_limited(w->gp, w->u, d)) continue;
        cxx_open(w->cx, "if (i%u_ >= %s)", d, size_text(w, limit[d]));
        cxx_line(w->cx, "return;");
        cxx_close(w->cx, "");
    }
    bool columns = plan_updates_columns(w->gp->p);
    uint32_t d = columns ? rank - 2 : rank - 1;
    const char *at = columns ? "row_" : "col_", *n = columns ? "nRows_" : "nCols_", *what = columns ? "rows" : "cols";
    if (!is_limited(w->gp, w->u, d)) {
        cxx_line(w->cx, "const uint32_t %s = %s;", what, n);
        return;
    }
    cxx_open(w->cx, "if (%s >= %s)", at, size_text(w, limit[d]));
    cxx_line(w->cx, "return;");
    cxx_close(w->cx, "");
    cxx_line(w->cx, "const uint32_t %s = static_cast<uint32_t>(Least<uint64_t>(%s, %s - %s));", what, n, size_text(w, limit[d]), at);
}

static void write_update(Gen *gen, const GenPass *gp, uint32_t i, Cxx *cx) {
    const PlanUpdate *u = &gp->p->updates.at[i];
    Writer w = {.gen = gen, .gp = gp, .cx = cx, .u = u, .index = index_of(gp, u), .source = source_of(gp, u), .number = i};
    bool rows = plan_updates_rows(gp->p, u), columns = plan_updates_columns(gp->p);
    w.type = u->is_float ? "float" : "int32_t";
    w.io = w.source ? gen_io_type(gen, w.source) : NULL;
    w.find = u->wraps ? "FindUpdates<true>" : "FindUpdates<false>";
    w.count = size_text(&w, update_count(gp, u));
    w.size = columns ? "cols_" : "rows_";
    if (!rows) write_line(&w);
    cxx_function(cx, "__aicore__ inline void Update%u(const LocalTensor<%s> &dst)", i, w.type);
    if (rows) {
        write_rows(&w);
    } else {
        write_limits(&w);
        if (columns) write_column_lines(&w);
        else write_row_lines(&w);
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

static bool updates_elements(const GenPass *gp) {
    bool any = false;
    for (size_t i = 0; i < gp->p->updates.n; i++) any |= !plan_updates_rows(gp->p, &gp->p->updates.at[i]);
    return any;
}

static void members(Gen *gen, const GenPass *gp, Cxx *cx) {
    if (gp->p->updates.n == 0) return;
    gen_load_places(cx, gen_wraps(gp));
    if (!gen_fills_rows(gp)) gen_scalar_reads(cx);
    write_find(cx);
    write_widen_source(gen, gp, cx);
    if (has_source(gen, gp, NULL) && updates_elements(gp)) write_copy_lines(cx);
    for (uint32_t i = 0; i < gp->p->updates.n; i++) write_update(gen, gp, i, cx);
}

const Emit EMIT_scatter = {
    .fields = make_fields,
    .fits = gen_tile_fits,
    .host_needs = host_tile_needs,
    .host_uses_dtype = host_tile_uses_dtype,
    .host_tiles = host_write_tiles,
    .host_split = host_write_split,
    .kernel_needs = gen_tile_needs,
    .kernel_class = gen_kernel_class,
    .buffer_bytes = buffer_bytes,
    .prepare = prepare,
    .members = members,
    .design = design_tile_pass,
};
