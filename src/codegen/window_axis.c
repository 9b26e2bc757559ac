/* Where the taps of each axis are: member functions AtH, TapsH, CountH, and what the columns' taps are picked with. */
#include "codegen/window_emit.h"

static const char *table_name(const GenPass *gp, uint32_t access) {
    return gp->p->access.at[access].tensor_name;
}

static const char *table_offset(Gen *gen, const GenPass *gp, uint32_t access) {
    bool minus;
    const char *offset = gen_kernel_size(gen, gp, gp->p->access.at[access].view.offset, &minus);
    return offset[0] == '0' ? "" : arena_printf(gen->a, "%s + ", offset);
}

/* ---- taps
 * -------------------------------------------------------------------------------------------------------- */

static void write_pool(const WindowAxis *x, char c, Cxx *cx) {
    cxx_comment(cx, "Input index of tap t of output o; taps from begin to end lie inside.");
    cxx_function(cx, "__aicore__ inline int64_t At%c(uint64_t o, uint64_t t)", c);
    cxx_line(cx, "return static_cast<int64_t>(o * stride%c_ + t * dilation%c_) - static_cast<int64_t>(padding%c_);", c, c, c);
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_function(cx, "__aicore__ inline void Taps%c(uint64_t o, uint64_t &begin, uint64_t &end)", c);
    cxx_line(cx, "const uint64_t first = o * stride%c_;", c);
    cxx_line(cx, "begin = first < padding%c_ ? (padding%c_ - first + dilation%c_ - 1) / dilation%c_ : 0;", c, c, c, c);
    cxx_line(cx, "end = first < in%c_ + padding%c_ ? Least(taps%c_, (in%c_ + padding%c_ - first - 1) / dilation%c_ + 1) : 0;", c, c, c, c, c, c);
    cxx_close(cx, "");
    cxx_blank(cx);
    if (!window_is_divided(x)) return;
    cxx_function(cx, "__aicore__ inline float Count%c(uint64_t o)", c);
    if (x->divisor == WINDOW_BY_TAPS_INSIDE) {
        cxx_line(cx, "uint64_t begin, end;");
        cxx_line(cx, "Taps%c(o, begin, end);", c);
        cxx_line(cx, "return static_cast<float>(static_cast<int32_t>(end - begin));");
    } else {
        cxx_comment(cx, "Padding counts; what a window has beyond it does not.");
        cxx_line(cx, "return static_cast<float>(static_cast<int32_t>(Least(taps%c_, in%c_ + 2 * padding%c_ - o * stride%c_)));", c, c, c, c);
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_adaptive(const WindowAxis *x, char c, Cxx *cx) {
    cxx_comment(cx, "Output o takes the elements of its share of the input, rounded outwards.");
    cxx_function(cx, "__aicore__ inline int64_t At%c(uint64_t o, uint64_t t)", c);
    cxx_line(cx, "return static_cast<int64_t>(o * in%c_ / out%c_ + t);", c, c);
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_function(cx, "__aicore__ inline void Taps%c(uint64_t o, uint64_t &begin, uint64_t &end)", c);
    cxx_line(cx, "begin = 0;");
    cxx_line(cx, "end = ((o + 1) * in%c_ + out%c_ - 1) / out%c_ - o * in%c_ / out%c_;", c, c, c, c, c);
    cxx_close(cx, "");
    cxx_blank(cx);
    if (!window_is_divided(x)) return;
    cxx_function(cx, "__aicore__ inline float Count%c(uint64_t o)", c);
    cxx_line(cx, "uint64_t begin, end;");
    cxx_line(cx, "Taps%c(o, begin, end);", c);
    cxx_line(cx, "return static_cast<float>(static_cast<int32_t>(end - begin));");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* Rows of tables come to UB with the tile. */
static void write_table(Gen *gen, const GenPass *gp, const WindowAxis *x, char c, Cxx *cx) {
    const char *type = gen_io_type(gen, &gp->p->access.at[x->index]);
    cxx_function(cx, "__aicore__ inline int64_t At%c(uint64_t o, uint64_t t)", c);
    cxx_line(cx, "return index%c_.Get<%s>().GetValue(static_cast<uint32_t>((o - table%c_) * taps%c_ + t));", c, type, c, c);
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_function(cx, "__aicore__ inline float Weight%c(uint64_t o, uint64_t t)", c);
    cxx_line(cx, "return weight%c_.Get<float>().GetValue(static_cast<uint32_t>((o - table%c_) * taps%c_ + t));", c, c, c);
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_function(cx, "__aicore__ inline void Taps%c(uint64_t, uint64_t &begin, uint64_t &end)", c);
    cxx_line(cx, "begin = 0;");
    cxx_line(cx, "end = taps%c_;", c);
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_comment(cx, "Indices and weights of n outputs from o on.");
    cxx_function(cx, "__aicore__ inline void LoadTable%c(uint64_t o, uint32_t n)", c);
    cxx_open(cx, "if (table%c_ == o && has%c_)", c, c);
    cxx_line(cx, "return;");
    cxx_close(cx, "");
    cxx_line(cx, "const DataCopyExtParams params{1, static_cast<uint32_t>(n * taps%c_ * sizeof(float)), 0, 0, 0};", c);
    cxx_line(cx, "Wait<HardEvent::S_MTE2>();");
    cxx_line(cx, "DataCopyPad(index%c_.Get<%s>(), %sGm_[%so * taps%c_], params, DataCopyPadExtParams<%s>{});", c, type, table_name(gp, x->index),
             table_offset(gen, gp, x->index), c, type);
    cxx_line(cx, "DataCopyPad(weight%c_.Get<float>(), %sGm_[%so * taps%c_], params, DataCopyPadExtParams<float>{});", c, table_name(gp, x->weight),
             table_offset(gen, gp, x->weight), c);
    cxx_line(cx, "Wait<HardEvent::MTE2_S>();");
    cxx_line(cx, "table%c_ = o;", c);
    cxx_line(cx, "has%c_ = true;", c);
    cxx_close(cx, "");
    cxx_blank(cx);
}

void window_write_axes(Gen *gen, const GenPass *gp, Cxx *cx) {
    const WindowPlan *w = window_plan(gp->p);
    for (int i = w->has_depth ? 0 : 1; i < 3; i++) {
        const WindowAxis *x = &w->axis[i];
        if (x->kind == WINDOW_POOL) write_pool(x, WINDOW_LETTER[i], cx);
        else if (x->kind == WINDOW_ADAPTIVE) write_adaptive(x, WINDOW_LETTER[i], cx);
        else if (i != WINDOW_COLS) write_table(gen, gp, x, WINDOW_LETTER[i], cx);
    }
}

/* ---- columns
 * ----------------------------------------------------------------------------------------------------- */

static void write_find_cols(Gen *gen, const GenPass *gp, Cxx *cx) {
    const WindowAxis *x = &window_plan(gp->p)->axis[WINDOW_COLS];
    if (x->kind != WINDOW_TABLE) {
        cxx_line(cx, "const int64_t first = AtW(col_, 0), last = AtW(col_ + nCols_ - 1, tapsW_ - 1);");
        cxx_line(cx, "firstCol_ = first < 0 ? 0 : static_cast<uint64_t>(first);");
        cxx_line(cx, "width_ = static_cast<uint32_t>(Least<uint64_t>(static_cast<uint64_t>(last), inW_ - 1) - firstCol_) + 1;");
        return;
    }
    const char *type = gen_io_type(gen, &gp->p->access.at[x->index]);
    cxx_line(cx, "firstCol_ = 0;");
    cxx_line(cx, "width_ = static_cast<uint32_t>(inW_);");
    cxx_open(cx, "if (colsPerTile_ < outW_)");
    cxx_line(cx, "LocalTensor<%s> at = picked_.Get<%s>();", type, type);
    cxx_line(cx, "int64_t least = static_cast<int64_t>(inW_) - 1, most = 0;");
    cxx_open(cx, "for (uint64_t t = 0; t < tapsW_; t++)");
    cxx_line(cx, "Wait<HardEvent::V_MTE2>();");
    cxx_line(cx, "Wait<HardEvent::S_MTE2>();");
    cxx_line(cx, "DataCopyPad(at, %sGm_[%st * outW_ + col_], DataCopyExtParams{1, static_cast<uint32_t>(nCols_ * sizeof(%s)), 0, 0, 0}, "
             "DataCopyPadExtParams<%s>{});", table_name(gp, x->index), table_offset(gen, gp, x->index), type, type);
    cxx_line(cx, "Wait<HardEvent::MTE2_S>();");
    cxx_open(cx, "for (uint32_t c = 0; c < nCols_; c++)");
    cxx_line(cx, "const int64_t col = at.GetValue(c);");
    cxx_line(cx, "least = col >= 0 ? Least(least, col) : least;");
    cxx_line(cx, "most = col > most ? col : most;");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_line(cx, "Wait<HardEvent::S_V>();");
    cxx_line(cx, "firstCol_ = static_cast<uint64_t>(Least(least, most));");
    cxx_line(cx, "width_ = static_cast<uint32_t>(most - firstCol_ + 1);");
    cxx_close(cx, "");
}

static void write_locate_cols(Gen *gen, const GenPass *gp, Cxx *cx) {
    const WindowPlan *w = window_plan(gp->p);
    cxx_comment(cx, "What holds for all tiles of a block of columns: the input columns they need, offsets of the taps%s.",
                window_is_divided(&w->axis[WINDOW_COLS]) ? ", divisors" : "");
    cxx_function(cx, "__aicore__ inline void LocateCols()");
    cxx_line(cx, "nCols_ = static_cast<uint32_t>(Least<uint64_t>(colsPerTile_, outW_ - col_));");
    write_find_cols(gen, gp, cx);
    cxx_line(cx, "DropBlock();");
    cxx_line(cx, "MakeOffsets(0);");
    if (window_is_divided(&w->axis[WINDOW_COLS])) {
        cxx_line(cx, "LocalTensor<float> scale = colScale_.Get<float>();");
        cxx_line(cx, "Wait<HardEvent::V_S>();");
        cxx_open(cx, "for (uint32_t c = 0; c < nCols_; c++)");
        cxx_line(cx, "scale.SetValue(c, 1.0f / CountW(col_ + c));");
        cxx_close(cx, "");
        cxx_line(cx, "Wait<HardEvent::S_V>();");
    }
    if (w->place >= 0) {
        cxx_comment(cx, "A window of nothing but -inf is at its first element.");
        cxx_line(cx, "LocalTensor<int32_t> firstPlace = firstPlace_.Get<int32_t>();");
        cxx_line(cx, "Wait<HardEvent::V_S>();");
        cxx_open(cx, "for (uint32_t c = 0; c < outPitch_; c++)");
        cxx_line(cx, "const uint64_t o = Least<uint64_t>(col_ + c, outW_ - 1);");
        cxx_line(cx, "uint64_t begin, end;");
        cxx_line(cx, "TapsW(o, begin, end);");
        cxx_line(cx, "firstPlace.SetValue(c, static_cast<int32_t>(AtW(o, begin)));");
        cxx_close(cx, "");
        cxx_line(cx, "Wait<HardEvent::S_V>();");
        cxx_line(cx, "Duplicate(rows_.Get<float>(), EMPTY, rowPitch_);");
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* Indices in `to`: those outside become -1 or width_, which is what stands beside the row; then bytes. */
static void write_clamp(Cxx *cx, const char *n, bool places) {
    cxx_line(cx, "Maxs(to, to, static_cast<int32_t>(-1), %s);", n);
    cxx_line(cx, "Mins(to, to, static_cast<int32_t>(width_), %s);", n);
    if (places) cxx_line(cx, "Adds(places_.Get<int32_t>()[i * outPitch_], to, static_cast<int32_t>(firstCol_), %s);", n);
    cxx_line(cx, "Adds(to, to, static_cast<int32_t>(EDGE), %s);", n);
    cxx_line(cx, "Muls(to, to, static_cast<int32_t>(sizeof(float)), %s);", n);
}

static void write_make_offsets(Gen *gen, const GenPass *gp, Cxx *cx) {
    const WindowPlan *w = window_plan(gp->p);
    const WindowAxis *x = &w->axis[WINDOW_COLS];
    bool places = w->place >= 0;
    cxx_comment(cx, "Bytes from which Gather takes the taps from `first` on.");
    cxx_function(cx, "__aicore__ inline void MakeOffsets(uint32_t first)");
    cxx_line(cx, "const uint32_t n = Least<uint32_t>(tapChunk_, static_cast<uint32_t>(tapsW_) - first);");
    cxx_line(cx, "madeTap_ = first;");
    if (x->kind == WINDOW_TABLE) cxx_line(cx, "Wait<HardEvent::V_MTE2>();");
    if (x->kind == WINDOW_ADAPTIVE) cxx_line(cx, "Wait<HardEvent::V_S>();");
    cxx_open(cx, "for (uint32_t i = 0; i < n; i++)");
    cxx_line(cx, "LocalTensor<int32_t> to = offsets_.Get<int32_t>()[i * outPitch_];");
    if (x->kind == WINDOW_POOL) {
        cxx_line(cx, "CreateVecIndex(to, static_cast<int32_t>(0), outPitch_);");
        cxx_line(cx, "Muls(to, to, static_cast<int32_t>(strideW_), outPitch_);");
        cxx_line(cx, "Adds(to, to, static_cast<int32_t>(AtW(col_, first + i) - static_cast<int64_t>(firstCol_)), outPitch_);");
        write_clamp(cx, "outPitch_", places);
    } else if (x->kind == WINDOW_ADAPTIVE) {
        cxx_open(cx, "for (uint32_t c = 0; c < outPitch_; c++)");
        cxx_line(cx, "const uint64_t o = Least<uint64_t>(col_ + c, outW_ - 1);");
        cxx_line(cx, "uint64_t begin, end;");
        cxx_line(cx, "TapsW(o, begin, end);");
        cxx_line(cx, "to.SetValue(c, first + i < end ? static_cast<int32_t>(AtW(o, first + i) - static_cast<int64_t>(firstCol_)) : -1);");
        cxx_close(cx, "");
        cxx_line(cx, "Wait<HardEvent::S_V>();");
        write_clamp(cx, "outPitch_", places);
    } else {
        const char *type = gen_io_type(gen, &gp->p->access.at[x->index]);
        cxx_line(cx, "const DataCopyExtParams params{1, static_cast<uint32_t>(nCols_ * sizeof(float)), 0, 0, 0};");
        cxx_line(cx, "const uint64_t at = (first + i) * outW_ + col_;");
        cxx_line(cx, "DataCopyPad(to, %sGm_[%sat], params, DataCopyPadExtParams<%s>{});", table_name(gp, x->index), table_offset(gen, gp, x->index), type);
        cxx_line(cx, "DataCopyPad(weightW_.Get<float>()[i * outPitch_], %sGm_[%sat], params, DataCopyPadExtParams<float>{});",
                 table_name(gp, x->weight), table_offset(gen, gp, x->weight));
        cxx_line(cx, "Wait<HardEvent::MTE2_V>();");
        cxx_line(cx, "Adds(to, to, -static_cast<int32_t>(firstCol_), nCols_);");
        write_clamp(cx, "nCols_", places);
    }
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

void window_write_columns(Gen *gen, const GenPass *gp, Cxx *cx) {
    write_make_offsets(gen, gp, cx);
    write_locate_cols(gen, gp, cx);
}
