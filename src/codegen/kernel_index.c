/* Accesses steered by index tensors: where a row or an element of the tensor begins, rows copied one by one, columns
 * picked from a window of the tensor in UB or copied one by one. */
#include "codegen/kernel.h"

#include "base/names.h"

#include <ctype.h>
#include <string.h>

static const char *pascal(Gen *gen, const char *name) {
    char *s = arena_strdup(gen->a, names_camel(gen->a, name));
    s[0] = (char)toupper((unsigned char)s[0]);
    return s;
}

const char *gen_index_function(Gen *gen, const PlanAccess *acc, const char *verb) {
    return arena_printf(gen->a, verb[0] ? "%s%s" : "%s%sAt", verb, pascal(gen, acc->name));
}

const char *gen_place(Gen *gen, const GenPass *gp, const GraphView *view, const char *row, const char *col) {
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    uint32_t rank = gp->p->space.rank;
    bool minus;
    const char *offset = gen_kernel_size(gen, gp, view->offset, &minus);
    if (strcmp(offset, "0") != 0) strbuf_add(&sb, offset);
    for (uint32_t d = 0; d + 2 < rank; d++)
        gen_add_term(gen, gp, &sb, arena_printf(gen->a, "i%u_", d), view->stride[d]);
    gen_add_term(gen, gp, &sb, row, view->stride[rank - 2]);
    if (col) gen_add_term(gen, gp, &sb, col, view->stride[rank - 1]);
    return sb.n_bytes ? sb.text : "0";
}

/* "XAt(row, col)": a place in x. Indices that change with the column are left out when columns are picked from a window. */
static void write_place(Gen *gen, const GenPass *gp, const PlanAccess *acc, Cxx *cx) {
    bool window = plan_picks_from_window(gp->p, acc), picked = acc->cls == PLAN_PICKED && !window;
    const char *col = picked ? "col" : acc->cls == PLAN_ROW ? "col_" : NULL;
    if (window) cxx_comment(cx, "Where the dimension begins that columns of a row are picked from.");
    else cxx_comment(cx, "The element of %s that the index tensor%s name%s.", acc->tensor_name, acc->n_by > 1 ? "s" : "", acc->n_by > 1 ? "" : "s");
    cxx_function(cx, "__aicore__ inline uint64_t %s(uint64_t row%s)", gen_index_function(gen, acc, ""), picked ? ", uint64_t col" : "");
    StrBuf sum;
    strbuf_init(&sum, gen->a);
    strbuf_add(&sum, gen_place(gen, gp, &acc->view, "row", col));
    if (strcmp(sum.text, "0") == 0) strbuf_init(&sum, gen->a);
    for (uint32_t i = 0; i < acc->n_by; i++) {
        const PlanIndex *by = &acc->by[i];
        const PlanAccess *index = &gp->p->access.at[by->access];
        bool runs = plan_index_runs(gp->p, by), minus;
        if (runs && window) continue;
        const char *at = gen_place(gen, gp, &index->view, "row", runs ? "col" : NULL), *name = acc->n_by > 1 ? arena_printf(gen->a, "at%u", i) : "at";
        if (by->wraps) {
            cxx_line(cx, "const int64_t %sIndex = %sGm_.GetValue(%s);", name, index->tensor_name, at);
            cxx_line(cx, "const uint64_t %s = static_cast<uint64_t>(%sIndex < 0 ? %sIndex + static_cast<int64_t>(%s) : %sIndex);", name,
                     name, name, gen_kernel_size(gen, gp, by->size, &minus), name);
        } else {
            cxx_line(cx, "const uint64_t %s = static_cast<uint64_t>(%sGm_.GetValue(%s));", name, index->tensor_name, at);
        }
        gen_add_term(gen, gp, &sum, name, by->stride);
    }
    bool uses_row = false;
    for (uint32_t i = 0; i < acc->n_by; i++)
        uses_row |= !size_is(gp->p->access.at[acc->by[i].access].view.stride[gp->p->space.rank - 2], 0);
    if (!uses_row && size_is(acc->view.stride[gp->p->space.rank - 2], 0)) cxx_line(cx, "(void)row;");
    cxx_line(cx, "return %s;", sum.n_bytes ? sum.text : "0");
    cxx_close(cx, "");
    cxx_blank(cx);
}

void gen_index_copy_in(Gen *gen, const GenPass *gp, const PlanAccess *acc, Cxx *cx) {
    const char *type = gen_io_type(gen, acc);
    bool column = acc->cls == PLAN_COLUMN;
    cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
    cxx_line(cx, "DataCopyPad(%s[row * %s], %sGm_[%s(row_ + row)], DataCopyExtParams{1, static_cast<uint32_t>(%ssizeof(%s)), 0, 0, 0}, DataCopyPadExtParams<%s>{});",
             acc->name, column ? arena_printf(gen->a, "BLOCK_BYTES / sizeof(%s)", type) : "pitch_", acc->tensor_name,
             gen_index_function(gen, acc, ""), column ? "" : "nCols_ * ", type, type);
    cxx_close(cx, "");
    (void)gp;
}

/* ---- picking
 * ----------------------------------------------------------------------------------------------------- */

static const char *picked_type(const Gen *gen, const PlanAccess *acc) {
    /* Gather moves bytes as pairs; of an int64 the lower half counts */
    return gen_is_bool(acc) ? "uint16_t" : gen_ints_gathered_type(gen, acc);
}

/* Element by element, each into a 32-byte block of its own, then together. */
static void write_pick_each(Gen *gen, const GenPass *gp, const PlanAccess *acc, Cxx *cx) {
    const char *io = gen_io_type(gen, acc), *type = picked_type(gen, acc);
    cxx_comment(cx, "Every element lies somewhere else: it arrives in a 32-byte block of its own.");
    cxx_function(cx, "__aicore__ inline void %s(const LocalTensor<%s> &dst)", gen_index_function(gen, acc, "Pick"), type);
    cxx_line(cx, "const DataCopyExtParams one{1, sizeof(%s), 0, 0, 0};", io);
    cxx_line(cx, "LocalTensor<uint32_t> offsets = blockOffsets_.Get<uint32_t>();");
    cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
    cxx_open(cx, "for (uint32_t col = 0; col < nCols_; col += STAGE_COLS)");
    cxx_line(cx, "const uint32_t n = Least(STAGE_COLS, nCols_ - col);");
    cxx_line(cx, "LocalTensor<%s> stage = stageQueue_.AllocTensor<%s>();", io, io);
    cxx_open(cx, "for (uint32_t i = 0; i < n; i++)");
    cxx_line(cx, "DataCopyPad(stage[i * BLOCK_BYTES / sizeof(%s)], %sGm_[%s(row_ + row, col_ + col + i)], one, DataCopyPadExtParams<%s>{});",
             io, acc->tensor_name, gen_index_function(gen, acc, ""), io);
    cxx_close(cx, "");
    cxx_line(cx, "stageQueue_.EnQue(stage);");
    cxx_line(cx, "stage = stageQueue_.DeQue<%s>();", io);
    cxx_line(cx, "Gather(dst[row * pitch_ + col], stage%s, offsets, 0, n);",
             gen_is_bool(acc) || gen_is_converted_int(acc) ? arena_printf(gen->a, ".ReinterpretCast<%s>()", type) : "");
    cxx_line(cx, "stageQueue_.FreeTensor(stage);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
    (void)gp;
}

static const PlanIndex *running_index(const GenPass *gp, const PlanAccess *acc) {
    uint32_t i = 0;
    while (!plan_index_runs(gp->p, &acc->by[i])) i++;
    return &acc->by[i];
}

static void write_pick_rows(Gen *gen, const GenPass *gp, const PlanAccess *acc, Cxx *cx) {
    const PlanIndex *by = running_index(gp, acc);
    const PlanAccess *index = &gp->p->access.at[by->access];
    bool minus;
    cxx_function(cx, "__aicore__ inline void %s(const LocalTensor<%s> &dst)", gen_index_function(gen, acc, "Pick"), gen_io_type(gen, acc));
    cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
    cxx_line(cx, "PickRow<%s>(dst[row * pitch_], %sGm_[%s(row_ + row)], %s, %sGm_[%s]);", by->wraps ? "true" : "false", acc->tensor_name,
             gen_index_function(gen, acc, ""), gen_kernel_size(gen, gp, by->size, &minus), index->tensor_name,
             gen_place(gen, gp, &index->view, "(row_ + row)", "col_"));
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

void gen_load_places(Cxx *cx, bool wraps) {
    cxx_comment(cx, "n indices as int32%s.", wraps ? "; with WRAPS negative ones count from the end" : "");
    cxx_line(cx, "template <bool WRAPS, typename I>");
    cxx_function(cx, "__aicore__ inline void LoadPlaces(const LocalTensor<int32_t> &place, const GlobalTensor<I> &index, uint64_t size, uint32_t n)");
    cxx_line(cx, "LocalTensor<I> in = indexQueue_.AllocTensor<I>();");
    cxx_line(cx, "DataCopyPad(in, index, DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(I)), 0, 0, 0}, DataCopyPadExtParams<I>{});");
    cxx_line(cx, "indexQueue_.EnQue(in);");
    cxx_line(cx, "in = indexQueue_.DeQue<I>();");
    cxx_open(cx, "if constexpr (IsSameType<I, int64_t>::value)");
    cxx_line(cx, "Cast(place, in, RoundMode::CAST_NONE, n);");
    cxx_else(cx);
    cxx_line(cx, "DataCopy(place, in, RoundUp(n, 8));");
    cxx_close(cx, "");
    cxx_line(cx, "indexQueue_.FreeTensor(in);");
    if (wraps) {
        cxx_open(cx, "if constexpr (WRAPS)");
        cxx_line(cx, "LocalTensor<int32_t> sign = inWindow_.Get<int32_t>();");
        cxx_line(cx, "ShiftRight(sign, place, 31, n); // -1 or 0");
        cxx_line(cx, "Muls(sign, sign, -static_cast<int32_t>(size), n);");
        cxx_line(cx, "Add(place, place, sign, n);");
        cxx_close(cx, "");
    } else {
        cxx_line(cx, "(void)size;");
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_keep_inside(Cxx *cx) {
    static const char *const BITS[] = {"float", "half"};
    cxx_comment(cx, "Replaces the elements of dst that isInside marks. Select moves bits of 32 or 16.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void KeepInside(const LocalTensor<T> &dst, const LocalTensor<uint8_t> &isInside, const LocalTensor<T> &src, uint32_t n)");
    cxx_open(cx, "if constexpr (sizeof(T) == sizeof(float))");
    for (int i = 0; i < 2; i++) {
        cxx_line(cx, "LocalTensor<%s> to = dst.template ReinterpretCast<%s>();", BITS[i], BITS[i]);
        cxx_line(cx, "Select(to, isInside, src.template ReinterpretCast<%s>(), to, SELMODE::VSEL_TENSOR_TENSOR_MODE, n);", BITS[i]);
        if (i == 0) cxx_else(cx);
    }
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* The window stays until another one is asked for: rows and accesses that pick from the same piece share its copy. */
static void write_bring_window(Cxx *cx) {
    cxx_comment(cx, "length elements of src in UB, unless they are there already.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline LocalTensor<T> BringWindow(const GlobalTensor<T> &src, uint32_t length)");
    cxx_open(cx, "if (src.GetPhyAddr() != windowAt_ || length * sizeof(T) != windowBytes_)");
    cxx_line(cx, "FreeWindow();");
    cxx_line(cx, "LocalTensor<T> in = windowQueue_.AllocTensor<T>();");
    cxx_line(cx, "DataCopyPad(in, src, DataCopyExtParams{1, static_cast<uint32_t>(length * sizeof(T)), 0, 0, 0}, DataCopyPadExtParams<T>{});");
    cxx_line(cx, "windowQueue_.EnQue(in);");
    cxx_line(cx, "window_ = windowQueue_.DeQue<uint8_t>();");
    cxx_line(cx, "windowAt_ = src.GetPhyAddr();");
    cxx_line(cx, "windowBytes_ = length * sizeof(T);");
    cxx_close(cx, "");
    cxx_line(cx, "return window_.ReinterpretCast<T>();");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_function(cx, "__aicore__ inline void FreeWindow()");
    cxx_open(cx, "if (windowBytes_ > 0)");
    cxx_line(cx, "windowQueue_.FreeTensor(window_);");
    cxx_close(cx, "");
    cxx_line(cx, "windowBytes_ = 0;");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_place_range(Cxx *cx) {
    cxx_comment(cx, "The least and the greatest of n places below size, in float32: some more where that has not all digits.");
    cxx_function(cx, "__aicore__ inline void PlaceRange(const LocalTensor<int32_t> &place, uint64_t size, uint32_t n, uint64_t &low, uint64_t &high)");
    cxx_line(cx, "LocalTensor<float> wide = inWindow_.Get<float>(), ends = range_.Get<float>(), work = ends[16];");
    cxx_line(cx, "Cast(wide, place, RoundMode::CAST_RINT, n);");
    cxx_line(cx, "ReduceMin(ends, wide, work, n, false);");
    cxx_line(cx, "ReduceMax(ends[8], wide, work, n, false);");
    cxx_line(cx, "WaitForScalarReads();");
    cxx_line(cx, "low = static_cast<uint64_t>(static_cast<int32_t>(ends.GetValue(0)));");
    cxx_line(cx, "high = static_cast<uint64_t>(static_cast<int32_t>(ends.GetValue(8)));");
    cxx_line(cx, "EndScalarReads();");
    cxx_line(cx, "low -= low >> 23;");
    cxx_line(cx, "high = Least(high + (high >> 23), size - 1);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_pick_row(Cxx *cx) {
    cxx_comment(cx, "dst[c] = src[index[c]] for the columns of a row. Of the size elements that an index can name those between the least and the "
                    "greatest index pass through UB a window at a time; the first window leaves wrong values for columns of later ones, which "
                    "these replace. Where indices of a few columns lie close together, each such piece has windows of its own.");
    cxx_line(cx, "template <bool WRAPS, typename T, typename I>");
    cxx_function(cx, "__aicore__ inline void PickRow(const LocalTensor<T> &dst, const GlobalTensor<T> &src, uint64_t size, const GlobalTensor<I> &index)");
    cxx_line(cx, "constexpr uint32_t WINDOW = WINDOW_BYTES / sizeof(T);");
    cxx_line(cx, "LocalTensor<int32_t> place = place_.Get<int32_t>();");
    cxx_open(cx, "for (uint32_t begin = 0, end = 0; begin < nCols_; begin = end)");
    cxx_line(cx, "uint64_t low = 0, high = size - 1;");
    cxx_line(cx, "end = nCols_;");
    cxx_open(cx, "if (size > WINDOW)");
    cxx_line(cx, "const uint32_t n = Least(PICK_COLS, nCols_ - begin);");
    cxx_line(cx, "LoadPlaces<WRAPS>(place, index[begin], size, n);");
    cxx_line(cx, "Maxs(place, place, 0, n);");
    cxx_line(cx, "Mins(place, place, static_cast<int32_t>(size - 1), n);");
    cxx_line(cx, "PlaceRange(place, size, n, low, high);");
    cxx_line(cx, "const bool isClose = high / WINDOW - low / WINDOW < 2;");
    cxx_line(cx, "end = isClose ? begin + n : nCols_;");
    cxx_line(cx, "low = isClose ? low / WINDOW * WINDOW : 0;");
    cxx_line(cx, "high = isClose ? high : size - 1;");
    cxx_close(cx, "");
    cxx_open(cx, "for (uint64_t first = low; first <= high; first += WINDOW)");
    cxx_line(cx, "const uint32_t length = static_cast<uint32_t>(Least<uint64_t>(WINDOW, size - first));");
    cxx_line(cx, "LocalTensor<T> window = BringWindow(src[first], length);");
    cxx_open(cx, "for (uint32_t col = begin; col < end; col += PICK_COLS)");
    cxx_line(cx, "const uint32_t n = Least(PICK_COLS, end - col);");
    cxx_line(cx, "LoadPlaces<WRAPS>(place, index[col], size, n);");
    cxx_line(cx, "PickPiece(dst[col], window, place, first, length, n, first == low);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_pick_piece(Cxx *cx) {
    cxx_comment(cx, "n columns from one window, which holds length elements from first on.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void PickPiece(const LocalTensor<T> &dst, const LocalTensor<T> &window, const LocalTensor<int32_t> &place, "
                     "uint64_t first, uint32_t length, uint32_t n, bool isFirst)");
    cxx_line(cx, "LocalTensor<int32_t> inside = inWindow_.Get<int32_t>();");
    cxx_line(cx, "LocalTensor<uint8_t> isInside = isInside_.Get<uint8_t>();");
    cxx_line(cx, "LocalTensor<T> picked = picked_.Get<T>();");
    cxx_line(cx, "Adds(place, place, -static_cast<int32_t>(first), n);");
    cxx_line(cx, "Maxs(inside, place, 0, n);");
    cxx_line(cx, "Mins(inside, inside, static_cast<int32_t>(length - 1), n);");
    cxx_open(cx, "if (!isFirst)");
    cxx_line(cx, "Compare(isInside, place, inside, CMPMODE::EQ, RoundUp(n, 64));");
    cxx_close(cx, "");
    cxx_line(cx, "Muls(inside, inside, static_cast<int32_t>(sizeof(T)), n); // bytes");
    cxx_line(cx, "Gather(isFirst ? dst : picked, window, inside.ReinterpretCast<uint32_t>(), 0, n);");
    cxx_open(cx, "if (!isFirst)");
    cxx_line(cx, "KeepInside(dst, isInside, picked, n);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

bool gen_wraps(const GenPass *gp) {
    bool wraps = false;
    for (size_t i = 0; i < gp->p->updates.n; i++) wraps |= gp->p->updates.at[i].wraps;
    for (size_t i = 0; i < gp->p->access.n; i++)
        if (plan_picks_from_window(gp->p, &gp->p->access.at[i])) wraps |= running_index(gp, &gp->p->access.at[i])->wraps;
    return wraps;
}

void gen_index_functions(Gen *gen, const GenPass *gp, Cxx *cx) {
    bool window = false, wraps = false;
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (acc->n_by == 0) continue;
        write_place(gen, gp, acc, cx);
        if (!plan_picks_from_window(gp->p, acc)) continue;
        window = true;
        wraps |= running_index(gp, acc)->wraps;
    }
    if (window) {
        if (gp->p->updates.n == 0) gen_load_places(cx, wraps); /* updates bring it */
        if (!gp->p->updates.n && !gen_fills_rows(gp)) gen_scalar_reads(cx);
        write_keep_inside(cx);
        write_bring_window(cx);
        write_place_range(cx);
        write_pick_piece(cx);
        write_pick_row(cx);
    }
    for (size_t i = 0; i < gp->p->access.n; i++) {
        const PlanAccess *acc = &gp->p->access.at[i];
        if (acc->cls != PLAN_PICKED) continue;
        if (plan_picks_from_window(gp->p, acc)) write_pick_rows(gen, gp, acc, cx);
        else write_pick_each(gen, gp, acc, cx);
    }
}

bool gen_picks(const GenPass *gp, bool from_window) {
    for (size_t i = 0; i < gp->p->access.n; i++)
        if (gp->p->access.at[i].cls == PLAN_PICKED && plan_picks_from_window(gp->p, &gp->p->access.at[i]) == from_window) return true;
    return false;
}
