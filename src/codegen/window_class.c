/* The kernel class of a window pass. */
#include "codegen/window_emit.h"

#include <string.h>

static const PlanAccess *access_at(const GenPass *gp, int32_t i) {
    return i < 0 ? NULL : &gp->p->access.at[i];
}

static const PlanAccess *input_of(const GenPass *gp) {
    return &gp->p->access.at[window_plan(gp->p)->input];
}

static const char *offset_of(Gen *gen, const GenPass *gp, const PlanAccess *acc) {
    bool minus;
    const char *offset = gen_kernel_size(gen, gp, acc->view.offset, &minus);
    return offset[0] == '0' ? "" : arena_printf(gen->a, "%s + ", offset);
}

/* ---- buffers
 * ----------------------------------------------------------------------------------------------------- */

typedef struct Buf {
    const char *name, *bytes;
    bool is_in, is_out;
    const PlanAccess *narrow; /* only where its tensor has 16 bits */
} Buf;
typedef VEC(Buf) Bufs;

static void add_buf(Gen *gen, Bufs *list, const char *name, const char *bytes, const PlanAccess *narrow) {
    Buf b = {.name = name, .bytes = bytes, .narrow = narrow};
    if (!narrow || !gen_is_always_wide(gen, narrow)) vec_push(gen->a, list, b);
}

static Bufs buffers(Gen *gen, const GenPass *gp) {
    const WindowPlan *w = window_plan(gp->p);
    const PlanAccess *in = input_of(gp), *value = access_at(gp, w->value), *place = access_at(gp, w->place);
    Bufs list = {0};
    Buf queue = {.name = "blockQueue_", .bytes = arena_printf(gen->a, "blockRows_ * blockPitch_ * sizeof(%s)", gen_io_type(gen, in)), .is_in = true};
    vec_push(gen->a, &list, queue);
    if (value) {
        queue = (Buf){.name = "valueQueue_", .bytes = arena_printf(gen->a, "rowsPerTile_ * outPitch_ * sizeof(%s)", gen_io_type(gen, value)), .is_out = true};
        vec_push(gen->a, &list, queue);
    }
    if (place) {
        queue = (Buf){.name = "placeQueue_", .bytes = arena_printf(gen->a, "rowsPerTile_ * outPitch_ * sizeof(%s)", gen_io_type(gen, place)), .is_out = true};
        vec_push(gen->a, &list, queue);
    }
    add_buf(gen, &list, "wide_", "blockRows_ * blockPitch_ * sizeof(float)", in);
    if (!value || !gen_is_always_wide(gen, value)) add_buf(gen, &list, "values_", "rowsPerTile_ * outPitch_ * sizeof(float)", value);
    add_buf(gen, &list, "rows_", w->place >= 0 ? "rowPitch_ * sizeof(float)" : "rowsPerTile_ * rowPitch_ * sizeof(float)", NULL);
    add_buf(gen, &list, "offsets_", "tapChunk_ * outPitch_ * sizeof(int32_t)", NULL);
    add_buf(gen, &list, "picked_", "outPitch_ * sizeof(float)", NULL);
    if (window_is_divided(&w->axis[WINDOW_COLS])) add_buf(gen, &list, "colScale_", "outPitch_ * sizeof(float)", NULL);
    if (w->axis[WINDOW_COLS].kind == WINDOW_TABLE) add_buf(gen, &list, "weightW_", "tapChunk_ * outPitch_ * sizeof(float)", NULL);
    for (int i = 0; i < 2; i++) {
        char c = WINDOW_LETTER[i];
        if (w->axis[i].kind != WINDOW_TABLE) continue;
        const char *bytes = arena_printf(gen->a, "RoundUp(static_cast<uint32_t>(%staps%c_) * 4, 32)", i ? "rowsPerTile_ * " : "", c);
        add_buf(gen, &list, arena_printf(gen->a, "index%c_", c), bytes, NULL);
        add_buf(gen, &list, arena_printf(gen->a, "weight%c_", c), bytes, NULL);
    }
    if (!place) return list;
    add_buf(gen, &list, "places_", "tapChunk_ * outPitch_ * sizeof(int32_t)", NULL);
    add_buf(gen, &list, "firstPlace_", "outPitch_ * sizeof(int32_t)", NULL);
    add_buf(gen, &list, "best_", "outPitch_ * sizeof(float)", NULL);
    add_buf(gen, &list, "bestPlace_", "outPitch_ * sizeof(int32_t)", NULL);
    add_buf(gen, &list, "allPlaces_", "rowsPerTile_ * outPitch_ * sizeof(int32_t)", NULL);
    add_buf(gen, &list, "masks_", "2 * RoundUp(outPitch_ / 8, 32)", NULL);
    return list;
}

static void write_init_buffers(Gen *gen, const GenPass *gp, Cxx *cx) {
    Bufs list = buffers(gen, gp);
    for (size_t i = 0; i < list.n; i++) {
        const Buf *b = &list.at[i];
        bool maybe = b->narrow && gen_is_ever_wide(gen, b->narrow);
        if (maybe) cxx_open(cx, "if constexpr (sizeof(%s) < sizeof(float))", gen_io_type(gen, b->narrow));
        cxx_line(cx, "pipe->InitBuffer(%s, %s%s);", b->name, b->is_in || b->is_out ? "2, " : "", b->bytes);
        if (maybe) cxx_close(cx, "");
    }
}

/* ---- Init, Process
 * ----------------------------------------------------------------------------------------------- */

static void write_init(Gen *gen, const GenPass *gp, Cxx *cx) {
    gen_open_init(gen, gp, cx);
    cxx_line(cx, "outPitch_ = RoundUp(colsPerTile_, 64);");
    cxx_line(cx, "rowPitch_ = blockPitch_ + 2 * EDGE;");
    cxx_comment(cx, "A contiguous share of the tiles; the first cores take one more.");
    cxx_line(cx, "const uint64_t core = GetBlockIdx(), cores = GetBlockNum();");
    cxx_line(cx, "tileBegin_ = core * (nTiles_ / cores) + Least<uint64_t>(core, nTiles_ %% cores);");
    cxx_line(cx, "tileEnd_ = tileBegin_ + nTiles_ / cores + (core < nTiles_ %% cores ? 1 : 0);");
    cxx_blank(cx);
    gen_bind_tensors(gen, gp, cx);
    write_init_buffers(gen, gp, cx);
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_process(const GenPass *gp, Cxx *cx) {
    bool places = window_plan(gp->p)->place >= 0;
    cxx_function(cx, "__aicore__ inline void Process()");
    cxx_open(cx, "for (uint64_t tile = tileBegin_; tile < tileEnd_; tile++)");
    cxx_line(cx, "Locate(tile);");
    if (places) {
        cxx_line(cx, "JoinWindows();");
    } else {
        cxx_line(cx, "JoinRows();");
        cxx_line(cx, "JoinCols();");
    }
    cxx_line(cx, "CopyOut();");
    cxx_close(cx, "");
    cxx_line(cx, "DropBlock();");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_wait(Cxx *cx) {
    cxx_line(cx, "template <HardEvent EVENT>");
    cxx_function(cx, "__aicore__ inline void Wait()");
    cxx_line(cx, "const event_t id = static_cast<event_t>(GetTPipePtr()->FetchEventID(EVENT));");
    cxx_line(cx, "SetFlag<EVENT>(id);");
    cxx_line(cx, "WaitFlag<EVENT>(id);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_locate(const GenPass *gp, Cxx *cx) {
    const WindowPlan *w = window_plan(gp->p);
    cxx_comment(cx, "Tiles are numbered down the rows of a plane first, then by plane, then by block of columns.");
    cxx_function(cx, "__aicore__ inline void Locate(uint64_t tile)");
    cxx_line(cx, "row_ = tile %% rowBlocks_ * rowsPerTile_;");
    cxx_line(cx, "nRows_ = static_cast<uint32_t>(Least<uint64_t>(rowsPerTile_, outH_ - row_));");
    cxx_line(cx, "uint64_t rest = tile / rowBlocks_;");
    if (w->has_depth) {
        cxx_line(cx, "depth_ = rest %% outD_;");
        cxx_line(cx, "rest /= outD_;");
    }
    cxx_line(cx, "item_ = rest %% outer_;");
    cxx_line(cx, "const uint64_t col = rest / outer_ * colsPerTile_;");
    cxx_open(cx, "if (col != col_ || tile == tileBegin_)");
    cxx_line(cx, "col_ = col;");
    cxx_line(cx, "LocateCols();");
    cxx_close(cx, "");
    if (w->axis[WINDOW_DEPTH].kind == WINDOW_TABLE) cxx_line(cx, "LoadTableD(depth_, 1);");
    if (w->axis[WINDOW_ROWS].kind == WINDOW_TABLE) cxx_line(cx, "LoadTableH(row_, nRows_);");
    if (w->axis[WINDOW_ROWS].kind == WINDOW_TABLE) {
        cxx_line(cx, "uint64_t least, most;");
        cxx_line(cx, "lastRow_ = RowsUnder(row_ + nRows_ - 1, least, most) ? most : 0;");
    } else {
        cxx_line(cx, "lastRow_ = Least(static_cast<uint64_t>(AtH(row_ + nRows_ - 1, tapsH_ - 1)), inH_ - 1);");
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- input rows in UB
 * -------------------------------------------------------------------------------------------- */

static void write_block(Gen *gen, const GenPass *gp, Cxx *cx) {
    const PlanAccess *in = input_of(gp);
    const char *type = gen_io_type(gen, in);
    bool narrow = !gen_is_always_wide(gen, in), both = narrow && gen_is_ever_wide(gen, in);
    cxx_function(cx, "__aicore__ inline void DropBlock()");
    cxx_open(cx, "if (blockEnd_ > blockBegin_)");
    cxx_line(cx, "blockQueue_.FreeTensor(block_);");
    cxx_close(cx, "");
    cxx_line(cx, "blockBegin_ = blockEnd_ = 0;");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_comment(cx, "Brings in input rows from `first` on, to the last that the tile needs of the plane, which is `last`.");
    cxx_function(cx, "__aicore__ inline void Load(uint64_t first, uint64_t last)");
    cxx_line(cx, "DropBlock();");
    cxx_line(cx, "const uint32_t n = last > first ? static_cast<uint32_t>(Least<uint64_t>(blockRows_, last - first + 1)) : 1;");
    cxx_line(cx, "DataCopyExtParams params;");
    cxx_line(cx, "params.blockCount = static_cast<uint16_t>(n);");
    cxx_line(cx, "params.blockLen = width_ * sizeof(%s);", type);
    cxx_line(cx, "params.srcStride = static_cast<uint32_t>((inW_ - width_) * sizeof(%s));", type);
    cxx_line(cx, "params.dstStride = (blockPitch_ * sizeof(%s) - RoundUp(params.blockLen, 32)) / 32;", type);
    cxx_line(cx, "LocalTensor<%s> block = blockQueue_.AllocTensor<%s>();", type, type);
    cxx_line(cx, "DataCopyPad(block, %sGm_[%sfirst * inW_ + firstCol_], params, DataCopyPadExtParams<%s>{});", in->tensor_name, offset_of(gen, gp, in), type);
    cxx_line(cx, "blockQueue_.EnQue(block);");
    cxx_line(cx, "block_ = blockQueue_.DeQue<%s>();", type);
    if (narrow) {
        if (both) cxx_open(cx, "if constexpr (sizeof(%s) < sizeof(float))", type);
        cxx_open(cx, "for (uint32_t row = 0; row < n; row++)");
        cxx_line(cx, "Widen(wide_.Get<float>()[row * blockPitch_], block_[row * blockPitch_], width_);");
        cxx_close(cx, "");
        if (both) cxx_close(cx, "");
    }
    cxx_line(cx, "blockBegin_ = first;");
    cxx_line(cx, "blockEnd_ = first + n;");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_comment(cx, "An input row, of all planes one after the other, in float32.");
    cxx_function(cx, "__aicore__ inline LocalTensor<float> RowAt(uint64_t row, uint64_t last)");
    cxx_open(cx, "if (row < blockBegin_ || row >= blockEnd_)");
    cxx_line(cx, "Load(row, last);");
    cxx_close(cx, "");
    cxx_line(cx, "const uint32_t at = static_cast<uint32_t>(row - blockBegin_) * blockPitch_;");
    cxx_line(cx, "return %s;", both ? "Wide(block_, at)" : narrow ? "wide_.Get<float>()[at]" : "block_[at]");
    cxx_close(cx, "");
    cxx_blank(cx);
    if (!both) return;
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline LocalTensor<float> Wide(const LocalTensor<T> &block, uint32_t at)");
    cxx_open(cx, "if constexpr (IsSameType<T, float>::value)");
    cxx_line(cx, "return block[at];");
    cxx_else(cx);
    cxx_line(cx, "return wide_.Get<float>()[at];");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_rows_under(const GenPass *gp, Cxx *cx) {
    bool table = window_plan(gp->p)->axis[WINDOW_ROWS].kind == WINDOW_TABLE;
    cxx_comment(cx, "First and last input row of a plane that output row o takes. False: none.");
    cxx_function(cx, "__aicore__ inline bool RowsUnder(uint64_t o, uint64_t &least, uint64_t &most)");
    cxx_line(cx, "uint64_t begin, end;");
    cxx_line(cx, "TapsH(o, begin, end);");
    if (table) {
        cxx_line(cx, "least = inH_;");
        cxx_line(cx, "most = 0;");
        cxx_open(cx, "for (uint64_t t = begin; t < end; t++)");
        cxx_line(cx, "const int64_t at = AtH(o, t);");
        cxx_line(cx, "least = at >= 0 ? Least(least, static_cast<uint64_t>(at)) : least;");
        cxx_line(cx, "most = at > static_cast<int64_t>(most) ? static_cast<uint64_t>(at) : most;");
        cxx_close(cx, "");
        cxx_line(cx, "return least < inH_;");
    } else {
        cxx_open(cx, "if (begin >= end)");
        cxx_line(cx, "return false;");
        cxx_close(cx, "");
        cxx_line(cx, "least = static_cast<uint64_t>(AtH(o, begin));");
        cxx_line(cx, "most = static_cast<uint64_t>(AtH(o, end - 1));");
        cxx_line(cx, "return true;");
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- joining
 * ----------------------------------------------------------------------------------------------------- */

/* Loops over the planes of the window of the tile's depth; leaves `plane`. */
static void open_depth(const WindowPlan *w, Cxx *cx) {
    if (!w->has_depth) return;
    cxx_line(cx, "uint64_t begin, end;");
    cxx_line(cx, "TapsD(depth_, begin, end);");
    cxx_open(cx, "for (uint64_t t = begin; t < end; t++)");
    if (w->axis[WINDOW_DEPTH].kind == WINDOW_TABLE) {
        cxx_open(cx, "if (AtD(depth_, t) < 0)");
        cxx_line(cx, "continue;");
        cxx_close(cx, "");
    }
}

static const char *plane_text(const WindowPlan *w) {
    return w->has_depth ? "item_ * inD_ + static_cast<uint64_t>(AtD(depth_, t))" : "item_";
}

/* The product of the weights of a row and its plane; NULL: 1. */
static const char *row_weight(Gen *gen, const WindowPlan *w) {
    bool d = w->axis[WINDOW_DEPTH].kind == WINDOW_TABLE, h = w->axis[WINDOW_ROWS].kind == WINDOW_TABLE;
    if (!d && !h) return NULL;
    return arena_printf(gen->a, "%s%s%s", d ? "planeWeight" : "", d && h ? " * " : "", h ? "WeightH(o, t)" : "");
}

static void write_join_rows(Gen *gen, const GenPass *gp, Cxx *cx) {
    const WindowPlan *w = window_plan(gp->p);
    bool depth_table = w->axis[WINDOW_DEPTH].kind == WINDOW_TABLE;
    const char *weight = row_weight(gen, w);
    cxx_comment(cx, "The input rows of every output row joined, as they lie.");
    cxx_function(cx, "__aicore__ inline void JoinRows()");
    cxx_line(cx, "LocalTensor<float> rows = rows_.Get<float>();");
    cxx_line(cx, "Duplicate(rows, EMPTY, static_cast<int32_t>(nRows_ * rowPitch_));");
    open_depth(w, cx);
    cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
    cxx_line(cx, "JoinRow(rows[row * rowPitch_ + EDGE], %s, row_ + row%s);", plane_text(w), depth_table ? ", WeightD(depth_, t)" : "");
    cxx_close(cx, "");
    if (w->has_depth) cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_function(cx, "__aicore__ inline void JoinRow(const LocalTensor<float> &dst, uint64_t plane, uint64_t o%s)", depth_table ? ", float planeWeight" : "");
    cxx_line(cx, "uint64_t least, most, begin, end;");
    cxx_open(cx, "if (!RowsUnder(o, least, most))");
    cxx_line(cx, "return;");
    cxx_close(cx, "");
    cxx_line(cx, "const uint64_t first = plane * inH_, last = first + lastRow_;");
    cxx_open(cx, "if (most - least < blockRows_ && (first + least < blockBegin_ || first + most >= blockEnd_))");
    cxx_line(cx, "Load(first + least, last);");
    cxx_close(cx, "");
    cxx_line(cx, "TapsH(o, begin, end);");
    cxx_open(cx, "for (uint64_t t = begin; t < end; t++)");
    if (w->axis[WINDOW_ROWS].kind == WINDOW_TABLE) {
        cxx_open(cx, "if (AtH(o, t) < 0)");
        cxx_line(cx, "continue;");
        cxx_close(cx, "");
    }
    const char *row = "RowAt(first + static_cast<uint64_t>(AtH(o, t)), last)";
    if (weight) cxx_line(cx, "Axpy(dst, %s, %s, static_cast<int32_t>(width_));", row, weight);
    else cxx_line(cx, "%s(dst, dst, %s, static_cast<int32_t>(width_));", w->fold == WINDOW_MAX ? "Max" : "Add", row);
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* What a joined output row is multiplied by; NULL: nothing. */
static const char *row_scale(Gen *gen, const GenPass *gp) {
    const WindowPlan *w = window_plan(gp->p);
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    for (int i = 0; i < 3; i++) {
        const char *count = NULL;
        int64_t number = 0;
        if (w->axis[i].divisor == WINDOW_BY_NUMBER && size_is_const(w->axis[i].number, &number))
            count = gen_literal(gen->a, (double)number, true);
        else if (window_is_divided(&w->axis[i]) && i == WINDOW_ROWS) count = "CountH(row_ + row)";
        else if (window_is_divided(&w->axis[i]) && i == WINDOW_DEPTH) count = "CountD(depth_)";
        if (count) strbuf_printf(&sb, "%s%s", sb.n_bytes ? " * " : "", count);
    }
    return sb.n_bytes ? arena_printf(gen->a, strchr(sb.text, '*') ? "1.0f / (%s)" : "1.0f / %s", sb.text) : NULL;
}

static void write_values(Gen *gen, const GenPass *gp, Cxx *cx) {
    const PlanAccess *value = access_at(gp, window_plan(gp->p)->value);
    if (!value) {
        cxx_line(cx, "LocalTensor<float> values = values_.Get<float>();");
        return;
    }
    cxx_line(cx, "LocalTensor<%s> out = valueQueue_.AllocTensor<%s>();", gen_io_type(gen, value), gen_io_type(gen, value));
    cxx_line(cx, "LocalTensor<float> values = Values(out);");
}

static void write_values_slot(Gen *gen, const GenPass *gp, Cxx *cx) {
    const PlanAccess *value = access_at(gp, window_plan(gp->p)->value);
    if (!value) return;
    bool narrow = !gen_is_always_wide(gen, value), both = narrow && gen_is_ever_wide(gen, value);
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline LocalTensor<float> Values(const LocalTensor<T> &out)");
    if (both) {
        cxx_open(cx, "if constexpr (IsSameType<T, float>::value)");
        cxx_line(cx, "return out;");
        cxx_else(cx);
    }
    cxx_line(cx, narrow ? "return values_.Get<float>();" : "return out;");
    if (both) cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* Rounds a row and gives the tile to the queue. */
static void write_enqueue(Gen *gen, const GenPass *gp, Cxx *cx) {
    const PlanAccess *value = access_at(gp, window_plan(gp->p)->value);
    if (!value) return;
    if (!gen_is_always_wide(gen, value)) {
        cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
        cxx_line(cx, "Narrow(out[row * outPitch_], values[row * outPitch_], static_cast<int32_t>(nCols_));");
        cxx_close(cx, "");
    }
    cxx_line(cx, "valueQueue_.EnQue(out);");
}

static void write_join_cols(Gen *gen, const GenPass *gp, Cxx *cx) {
    const WindowPlan *w = window_plan(gp->p);
    const WindowAxis *x = &w->axis[WINDOW_COLS];
    const char *scale = row_scale(gen, gp), *fold = w->fold == WINDOW_MAX ? "Max" : "Add";
    bool table = x->kind == WINDOW_TABLE, divided = window_is_divided(x);
    cxx_comment(cx, "Each tap of the columns picked from the joined rows.");
    cxx_function(cx, "__aicore__ inline void JoinCols()");
    cxx_line(cx, "LocalTensor<float> rows = rows_.Get<float>(), picked = picked_.Get<float>();");
    cxx_line(cx, "LocalTensor<uint32_t> offsets = offsets_.Get<uint32_t>();");
    write_values(gen, gp, cx);
    cxx_line(cx, "const int32_t count = static_cast<int32_t>(nCols_);");
    cxx_open(cx, "for (uint32_t first = 0; first < tapsW_; first += tapChunk_)");
    cxx_open(cx, "if (first != madeTap_)");
    cxx_line(cx, "MakeOffsets(first);");
    cxx_close(cx, "");
    cxx_line(cx, "const uint32_t n = Least<uint32_t>(tapChunk_, static_cast<uint32_t>(tapsW_) - first);");
    cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
    cxx_line(cx, "LocalTensor<float> dst = values[row * outPitch_];");
    cxx_line(cx, "const uint32_t from = row * rowPitch_ * sizeof(float);");
    cxx_open(cx, "for (uint32_t i = 0; i < n; i++)");
    cxx_line(cx, "LocalTensor<float> tap = first + i == 0 ? dst : picked;");
    cxx_line(cx, "Gather(tap, rows, offsets[i * outPitch_], from, nCols_);");
    if (table) cxx_line(cx, "Mul(tap, tap, weightW_.Get<float>()[i * outPitch_], count);");
    cxx_open(cx, "if (first + i > 0)");
    cxx_line(cx, "%s(dst, dst, picked, count);", fold);
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_close(cx, "");
    if (scale || divided) {
        cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
        cxx_line(cx, "LocalTensor<float> dst = values[row * outPitch_];");
        if (divided) cxx_line(cx, "Mul(dst, dst, colScale_.Get<float>(), count);");
        if (scale) cxx_line(cx, "Muls(dst, dst, %s, count);", scale);
        cxx_close(cx, "");
    }
    write_enqueue(gen, gp, cx);
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- with places
 * ------------------------------------------------------------------------------------------------- */

static void write_take(Cxx *cx) {
    cxx_comment(cx, "Where value is larger than best, or NaN, it and its place are taken.");
    cxx_function(cx, "__aicore__ inline void Take(const LocalTensor<float> &best, const LocalTensor<int32_t> &bestPlace, const LocalTensor<float> &value, "
                     "const LocalTensor<int32_t> &place)");
    cxx_line(cx, "LocalTensor<uint8_t> larger = masks_.Get<uint8_t>(), isNan = larger[RoundUp(outPitch_ / 8, 32)];");
    cxx_line(cx, "LocalTensor<uint16_t> bits = larger.ReinterpretCast<uint16_t>();");
    cxx_line(cx, "LocalTensor<float> to = bestPlace.ReinterpretCast<float>();");
    cxx_line(cx, "Compare(larger, value, best, CMPMODE::GT, outPitch_);");
    cxx_line(cx, "Compare(isNan, value, value, CMPMODE::NE, outPitch_);");
    cxx_line(cx, "Or(bits, bits, isNan.ReinterpretCast<uint16_t>(), static_cast<int32_t>(outPitch_ / 16));");
    cxx_line(cx, "Select(best, larger, value, best, SELMODE::VSEL_TENSOR_TENSOR_MODE, outPitch_);");
    cxx_line(cx, "Select(to, larger, place.ReinterpretCast<float>(), to, SELMODE::VSEL_TENSOR_TENSOR_MODE, outPitch_); // bits");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_best_of_row(Cxx *cx) {
    cxx_comment(cx, "The largest of each window's columns in one input row, the first of equal ones, into best_ and bestPlace_.");
    cxx_function(cx, "__aicore__ inline void FindBest(const LocalTensor<float> &src, int32_t rowPlace)");
    cxx_line(cx, "LocalTensor<float> row = rows_.Get<float>(), best = best_.Get<float>(), picked = picked_.Get<float>();");
    cxx_line(cx, "LocalTensor<int32_t> place = bestPlace_.Get<int32_t>();");
    cxx_line(cx, "Muls(row[EDGE], src, 1.0f, static_cast<int32_t>(width_));");
    cxx_line(cx, "Duplicate(best, EMPTY, static_cast<int32_t>(outPitch_));");
    cxx_line(cx, "DataCopy(place, firstPlace_.Get<int32_t>(), outPitch_);");
    cxx_open(cx, "for (uint32_t first = 0; first < tapsW_; first += tapChunk_)");
    cxx_open(cx, "if (first != madeTap_)");
    cxx_line(cx, "MakeOffsets(first);");
    cxx_close(cx, "");
    cxx_line(cx, "const uint32_t n = Least<uint32_t>(tapChunk_, static_cast<uint32_t>(tapsW_) - first);");
    cxx_open(cx, "for (uint32_t i = 0; i < n; i++)");
    cxx_line(cx, "Gather(picked, row, offsets_.Get<uint32_t>()[i * outPitch_], 0, outPitch_);");
    cxx_line(cx, "Take(best, place, picked, places_.Get<int32_t>()[i * outPitch_]);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_line(cx, "Adds(place, place, rowPlace, static_cast<int32_t>(outPitch_));");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_join_windows(Gen *gen, const GenPass *gp, Cxx *cx) {
    const WindowPlan *w = window_plan(gp->p);
    const char *type = gen_io_type(gen, access_at(gp, w->place));
    write_take(cx);
    write_best_of_row(cx);
    cxx_comment(cx, "Row by row of each window, so that of equal elements the first is kept.");
    cxx_function(cx, "__aicore__ inline void JoinWindows()");
    write_values(gen, gp, cx);
    cxx_line(cx, "LocalTensor<int32_t> places = allPlaces_.Get<int32_t>();");
    cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
    cxx_line(cx, "bool isFirst = true;");
    open_depth(w, cx);
    cxx_line(cx, "JoinWindow(values[row * outPitch_], places[row * outPitch_], %s, %s, row_ + row, isFirst);", plane_text(w),
             w->has_depth ? "static_cast<uint64_t>(AtD(depth_, t))" : "0");
    if (w->has_depth) cxx_close(cx, "");
    cxx_close(cx, "");
    write_enqueue(gen, gp, cx);
    cxx_line(cx, "LocalTensor<%s> placeOut = placeQueue_.AllocTensor<%s>();", type, type);
    cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
    if (gp->p->access.at[w->place].dtype[0] == DTYPE_I64)
        cxx_line(cx, "Cast(placeOut[row * outPitch_], places[row * outPitch_], RoundMode::CAST_NONE, nCols_);");
    else cxx_line(cx, "DataCopy(placeOut[row * outPitch_], places[row * outPitch_], outPitch_);");
    cxx_close(cx, "");
    cxx_line(cx, "placeQueue_.EnQue(placeOut);");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_function(cx, "__aicore__ inline void JoinWindow(const LocalTensor<float> &dst, const LocalTensor<int32_t> &place, uint64_t plane, uint64_t depth, "
                     "uint64_t o, bool &isFirst)");
    cxx_line(cx, "uint64_t least, most, begin, end;");
    cxx_open(cx, "if (!RowsUnder(o, least, most))");
    cxx_line(cx, "return;");
    cxx_close(cx, "");
    cxx_line(cx, "const uint64_t first = plane * inH_, last = first + lastRow_;");
    cxx_open(cx, "if (most - least < blockRows_ && (first + least < blockBegin_ || first + most >= blockEnd_))");
    cxx_line(cx, "Load(first + least, last);");
    cxx_close(cx, "");
    cxx_line(cx, "TapsH(o, begin, end);");
    cxx_open(cx, "for (uint64_t t = begin; t < end; t++)");
    cxx_line(cx, "const uint64_t at = static_cast<uint64_t>(AtH(o, t));");
    cxx_line(cx, "FindBest(RowAt(first + at, last), static_cast<int32_t>((depth * inH_ + at%s) * inW_));", w->plane_rows ? " % planeRows_" : "");
    cxx_open(cx, "if (isFirst)");
    cxx_line(cx, "DataCopy(dst, best_.Get<float>(), outPitch_);");
    cxx_line(cx, "DataCopy(place, bestPlace_.Get<int32_t>(), outPitch_);");
    cxx_line(cx, "isFirst = false;");
    cxx_else(cx);
    cxx_line(cx, "Take(dst, place, best_.Get<float>(), bestPlace_.Get<int32_t>());");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- out, members
 * ------------------------------------------------------------------------------------------------ */

static void write_copy_out(Gen *gen, const GenPass *gp, Cxx *cx) {
    const WindowPlan *w = window_plan(gp->p);
    cxx_function(cx, "__aicore__ inline void CopyOut()");
    cxx_line(cx, "const uint64_t at = ((%s) * outH_ + row_) * outW_ + col_;", w->has_depth ? "item_ * outD_ + depth_" : "item_");
    for (int i = 0; i < 2; i++) {
        const PlanAccess *acc = access_at(gp, i ? w->place : w->value);
        if (!acc) continue;
        const char *queue = i ? "placeQueue_" : "valueQueue_", *name = i ? "place" : "value";
        cxx_line(cx, "LocalTensor<%s> %s = %s.DeQue<%s>();", gen_io_type(gen, acc), name, queue, gen_io_type(gen, acc));
        cxx_line(cx, "CopyRowsOut(%sGm_[at], %s);", acc->tensor_name, name);
        cxx_line(cx, "%s.FreeTensor(%s);", queue, name);
    }
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void CopyRowsOut(const GlobalTensor<T> &dst, const LocalTensor<T> &src)");
    cxx_line(cx, "DataCopyExtParams params;");
    cxx_line(cx, "params.blockCount = static_cast<uint16_t>(nRows_);");
    cxx_line(cx, "params.blockLen = nCols_ * sizeof(T);");
    cxx_line(cx, "params.srcStride = (outPitch_ * sizeof(T) - RoundUp(params.blockLen, 32)) / 32;");
    cxx_line(cx, "params.dstStride = static_cast<uint32_t>((outW_ - nCols_) * sizeof(T));");
    cxx_line(cx, "DataCopyPad(dst, src, params);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_members(Gen *gen, const GenPass *gp, Cxx *cx) {
    const WindowPlan *w = window_plan(gp->p);
    Bufs list = buffers(gen, gp);
    gen_declare_tensors(gen, gp, cx);
    for (size_t i = 0; i < list.n; i++)
        cxx_line(cx, "%s %s;", list.at[i].is_in ? "TQue<TPosition::VECIN, 1>" : list.at[i].is_out ? "TQue<TPosition::VECOUT, 1>" : "TBuf<TPosition::VECCALC>",
                 list.at[i].name);
    cxx_line(cx, "LocalTensor<%s> block_; // input rows from blockBegin_ to blockEnd_", gen_io_type(gen, input_of(gp)));
    cxx_blank(cx);
    gen_declare_fields(gp, cx);
    cxx_line(cx, "uint64_t tileBegin_, tileEnd_; // of this core");
    cxx_line(cx, "uint64_t blockBegin_ = 0, blockEnd_ = 0;");
    cxx_line(cx, "uint64_t item_, %srow_, col_ = 0, firstCol_, lastRow_;", w->has_depth ? "depth_, " : "");
    for (int i = 0; i < 2; i++)
        if (w->axis[i].kind == WINDOW_TABLE) {
            cxx_line(cx, "uint64_t table%c_ = 0; // first output of the table in UB", WINDOW_LETTER[i]);
            cxx_line(cx, "bool has%c_ = false;", WINDOW_LETTER[i]);
        }
    cxx_line(cx, "uint32_t nRows_, nCols_, width_, outPitch_, rowPitch_, madeTap_;");
}

static void write_class_comment(Gen *gen, const GenPass *gp, Cxx *cx) {
    for (size_t i = 0; i < gp->p->outputs.n; i++)
        if (gp->p->outputs.at[i] < gen->g->n_outputs) cxx_comment(cx, "%s", gen_formula_text(gen, gp->p->outputs.at[i]));
    cxx_comment(cx, "A tile is rowsPerTile x colsPerTile of the output. The input rows under it stand in UB as a block; rows of a window are "
                    "joined as they lie, then its columns by Gather. Taps outside the input find %s beside the row.",
                window_plan(gp->p)->fold == WINDOW_MAX ? "-inf" : "0");
}

void window_write_class(Gen *gen, const GenPass *gp, Cxx *cx) {
    const WindowPlan *w = window_plan(gp->p);
    write_class_comment(gen, gp, cx);
    gen_open_class(gp, cx);
    write_init(gen, gp, cx);
    write_process(gp, cx);
    cxx_label(cx, "private:");
    cxx_line(cx, "static constexpr uint32_t EDGE = %u; // elements beside a joined row", WINDOW_EDGE);
    cxx_line(cx, "const float EMPTY = %s; // what taps outside the input find", w->fold == WINDOW_MAX ? "FloatFromBits(0xFF800000)" : "0.0f");
    cxx_blank(cx);
    write_wait(cx);
    window_write_axes(gen, gp, cx);
    write_rows_under(gp, cx);
    write_locate(gp, cx);
    window_write_columns(gen, gp, cx);
    write_block(gen, gp, cx);
    write_values_slot(gen, gp, cx);
    if (w->place >= 0) {
        write_join_windows(gen, gp, cx);
    } else {
        write_join_rows(gen, gp, cx);
        write_join_cols(gen, gp, cx);
    }
    write_copy_out(gen, gp, cx);
    write_members(gen, gp, cx);
    cxx_close(cx, ";");
    cxx_blank(cx);
}
