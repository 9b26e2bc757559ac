/* The kernel class of an nms pass. */
#include "codegen/nms_emit.h"

#include <string.h>

typedef struct Ctx {
    Gen *gen;
    const GenPass *gp;
    const NmsPlan *plan;
    const char *rows, *places, *count, *kept, *n_kept; /* tensors; NULL: not wanted */
    Cxx *cx;
} Ctx;

static const char *tensor_of(const GenPass *gp, int32_t access) {
    return access < 0 ? NULL : gp->p->access.at[access].tensor_name;
}

static void write_init(Ctx *c) {
    Cxx *cx = c->cx;
    gen_open_init(c->gen, c->gp, cx);
    gen_bind_tensors(c->gen, c->gp, cx);
    cxx_line(cx, "pipe->InitBuffer(rowQueue_, 1, 4 * BLOCK * sizeof(float));");
    cxx_line(cx, "pipe->InitBuffer(placeQueue_, 1, BLOCK * sizeof(int32_t));");
    cxx_line(cx, "pipe->InitBuffer(keptQueue_, 1, BLOCK * sizeof(int32_t));");
    cxx_line(cx, "pipe->InitBuffer(own_, 5 * BLOCK * sizeof(float));");
    cxx_line(cx, "pipe->InitBuffer(later_, 5 * BLOCK * sizeof(float));");
    cxx_line(cx, "pipe->InitBuffer(work_, 2 * BLOCK * sizeof(float));");
    cxx_line(cx, "pipe->InitBuffer(spare_, BLOCK * sizeof(float));");
    cxx_line(cx, "pipe->InitBuffer(which_, BLOCK * sizeof(uint32_t));");
    cxx_line(cx, "pipe->InitBuffer(isNear_, BLOCK / 8);");
    cxx_line(cx, "pipe->InitBuffer(isOut_, (boxes_ + BLOCK - 1) / BLOCK * (BLOCK / 8) + 32);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_process(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_function(cx, "__aicore__ inline void Process()");
    cxx_open(cx, "if (GetBlockIdx() > 0)");
    cxx_line(cx, "return;");
    cxx_close(cx, "");
    cxx_line(cx, "const uint32_t count = Count(), blocks = (count + BLOCK - 1) / BLOCK;");
    cxx_line(cx, "LocalTensor<float> own = own_.Get<float>(), later = later_.Get<float>();");
    cxx_comment(cx, "Lanes past the end of the boxes are computed, too.");
    cxx_line(cx, "Duplicate(own, 0.0f, 5 * BLOCK);");
    cxx_line(cx, "Duplicate(later, 0.0f, 5 * BLOCK);");
    cxx_line(cx, "Duplicate(isOut_.Get<int16_t>(), static_cast<int16_t>(0), static_cast<int32_t>(blocks * (BLOCK / 16) + 16));");
    cxx_line(cx, "uint32_t total = 0;");
    cxx_open(cx, "for (uint32_t block = 0; block < blocks && total < most_; block++)");
    cxx_line(cx, "LoadBoxes(own, block, count);");
    cxx_line(cx, "const uint32_t kept = KeepOfBlock(own, block, count, static_cast<uint32_t>(most_ - total));");
    cxx_line(cx, "total += kept;");
    cxx_open(cx, "for (uint32_t next = block + 1; next < blocks && total < most_; next++)");
    cxx_line(cx, "LoadBoxes(later, next, count);");
    cxx_open(cx, "for (uint32_t i = 0; i < kept; i++)");
    cxx_line(cx, "MarkOverlaps(later, 0, RoundUp(Least(BLOCK, count - next * BLOCK), 64), own, which_.Get<uint32_t>().GetValue(i), next * BLOCK);");
    cxx_close(cx, "");
    cxx_line(cx, "EndScalarReads();");
    cxx_close(cx, "");
    if (c->kept) cxx_line(cx, "StoreKept(total - kept, kept);");
    cxx_close(cx, "");
    if (c->kept) cxx_line(cx, "Clear(total);");
    if (c->n_kept) cxx_line(cx, "StoreTotal(total);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_waits(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_comment(cx, "The scalar unit may read what copies and vector instructions have written so far.");
    cxx_function(cx, "__aicore__ inline void WaitForScalarReads()");
    cxx_line(cx, "const event_t copied = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_S));");
    cxx_line(cx, "SetFlag<HardEvent::MTE2_S>(copied);");
    cxx_line(cx, "WaitFlag<HardEvent::MTE2_S>(copied);");
    cxx_line(cx, "const event_t computed = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));");
    cxx_line(cx, "SetFlag<HardEvent::V_S>(computed);");
    cxx_line(cx, "WaitFlag<HardEvent::V_S>(computed);");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_comment(cx, "What the scalar unit has read may be overwritten by vector instructions and copies from here on.");
    cxx_function(cx, "__aicore__ inline void EndScalarReads()");
    cxx_line(cx, "const event_t done = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_V));");
    cxx_line(cx, "SetFlag<HardEvent::S_V>(done);");
    cxx_line(cx, "WaitFlag<HardEvent::S_V>(done);");
    cxx_line(cx, "const event_t free = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE2));");
    cxx_line(cx, "SetFlag<HardEvent::S_MTE2>(free);");
    cxx_line(cx, "WaitFlag<HardEvent::S_MTE2>(free);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_load(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_comment(cx, "How many of the boxes count.");
    cxx_function(cx, "__aicore__ inline uint32_t Count()");
    cxx_line(cx, "LocalTensor<int32_t> number = placeQueue_.AllocTensor<int32_t>();");
    cxx_line(cx, "DataCopyPad(number, %sGm_, DataCopyExtParams{1, sizeof(int32_t), 0, 0, 0}, DataCopyPadExtParams<int32_t>{});", c->count);
    cxx_line(cx, "WaitForScalarReads();");
    cxx_line(cx, "const uint32_t count = static_cast<uint32_t>(number.GetValue(0));");
    cxx_line(cx, "EndScalarReads();");
    cxx_line(cx, "placeQueue_.FreeTensor(number);");
    cxx_line(cx, "return count;");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_comment(cx, "Left, top, right and bottom ends of a block's boxes, and their areas, BLOCK of each.");
    cxx_function(cx, "__aicore__ inline void LoadBoxes(const LocalTensor<float> &to, uint32_t block, uint32_t count)");
    cxx_line(cx, "const uint32_t n = Least(BLOCK, count - block * BLOCK);");
    cxx_line(cx, "LocalTensor<float> rows = rowQueue_.AllocTensor<float>();");
    cxx_line(cx, "DataCopyPad(rows, %sGm_[block * BLOCK * 4], DataCopyExtParams{1, static_cast<uint32_t>(n * 4 * sizeof(float)), 0, 0, 0}, "
                 "DataCopyPadExtParams<float>{});",
             c->rows);
    cxx_line(cx, "rowQueue_.EnQue(rows);");
    cxx_line(cx, "rows = rowQueue_.DeQue<float>();");
    cxx_line(cx, "uint64_t kept = 0;");
    cxx_open(cx, "for (uint32_t i = 0; i < 4; i++)");
    cxx_comment(cx, "Patterns 3 to 6 take the first to the fourth of four elements.");
    cxx_line(cx, "GatherMask(to[i * BLOCK], rows, static_cast<uint8_t>(3 + i), true, n * 4, GatherMaskParams{1, 1, 8, 0}, kept);");
    cxx_close(cx, "");
    cxx_line(cx, "rowQueue_.FreeTensor(rows);");
    cxx_line(cx, "LocalTensor<float> area = to[4 * BLOCK], height = work_.Get<float>();");
    cxx_line(cx, "Sub(area, to[2 * BLOCK], to, static_cast<int32_t>(n));");
    cxx_line(cx, "Sub(height, to[3 * BLOCK], to[BLOCK], static_cast<int32_t>(n));");
    cxx_line(cx, "Mul(area, area, height, static_cast<int32_t>(n));");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_mark(Ctx *c) {
    Cxx *cx = c->cx;
    const char *threshold = c->plan->is_scalar ? gen_scalar_member(c->gen, c->gp->p, 0, true) : gen_literal(c->gen->a, c->plan->threshold, true);
    cxx_comment(cx, "Sets the bits, from number `first` on, of the boxes from `from`, a multiple of 256, to `to` of a block that overlap box i of `of`: intersection over union is "
                    "no less than the threshold.");
    cxx_function(cx, "__aicore__ inline void MarkOverlaps(const LocalTensor<float> &boxes, uint32_t from, uint32_t to, const LocalTensor<float> &of, uint32_t i, uint32_t first)");
    cxx_line(cx, "const int32_t n = static_cast<int32_t>(to - from);");
    cxx_line(cx, "const float left = of.GetValue(i), top = of.GetValue(BLOCK + i), right = of.GetValue(2 * BLOCK + i);");
    cxx_line(cx, "const float bottom = of.GetValue(3 * BLOCK + i), area = of.GetValue(4 * BLOCK + i);");
    cxx_line(cx, "LocalTensor<float> width = work_.Get<float>(), other = work_.Get<float>()[BLOCK];");
    cxx_line(cx, "LocalTensor<uint8_t> isNear = isNear_.Get<uint8_t>();");
    cxx_line(cx, "LocalTensor<uint16_t> isOut = isOut_.Get<uint16_t>()[(first + from) / 16];");
    cxx_line(cx, "Mins(width, boxes[2 * BLOCK + from], right, n);");
    cxx_line(cx, "Maxs(other, boxes[from], left, n);");
    cxx_line(cx, "Sub(width, width, other, n);");
    cxx_line(cx, "Maxs(width, width, 0.0f, n);");
    cxx_line(cx, "LocalTensor<float> height = spare_.Get<float>();");
    cxx_line(cx, "Mins(height, boxes[3 * BLOCK + from], bottom, n);");
    cxx_line(cx, "Maxs(other, boxes[BLOCK + from], top, n);");
    cxx_line(cx, "Sub(height, height, other, n);");
    cxx_line(cx, "Maxs(height, height, 0.0f, n);");
    cxx_line(cx, "Mul(width, width, height, n);");
    cxx_line(cx, "Adds(other, boxes[4 * BLOCK + from], area, n);");
    cxx_line(cx, "Sub(other, other, width, n);");
    cxx_line(cx, "Maxs(other, other, LEAST_UNION, n);");
    cxx_line(cx, "Div(width, width, other, n);");
    cxx_line(cx, "CompareScalar(isNear, width, %s, CMPMODE::GE, static_cast<uint32_t>(n));", threshold);
    cxx_line(cx, "Or(isOut, isOut, isNear.ReinterpretCast<uint16_t>(), n / 16);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_keep(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_comment(cx, "Keeps boxes of a block, at most `room`: which_ are their numbers in the block. Returns how many they are.");
    cxx_function(cx, "__aicore__ inline uint32_t KeepOfBlock(const LocalTensor<float> &own, uint32_t block, uint32_t count, uint32_t room)");
    cxx_line(cx, "const uint32_t n = Least(BLOCK, count - block * BLOCK);");
    cxx_line(cx, "LocalTensor<uint32_t> isOut = isOut_.Get<uint32_t>()[block * (BLOCK / 32)];");
    if (c->kept) {
        cxx_line(cx, "LocalTensor<int32_t> places = placeQueue_.AllocTensor<int32_t>(), kept = keptQueue_.AllocTensor<int32_t>();");
        cxx_line(cx, "DataCopyPad(places, %sGm_[block * BLOCK], DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(int32_t)), 0, 0, 0}, "
                     "DataCopyPadExtParams<int32_t>{});",
                 c->places);
    }
    cxx_line(cx, "uint32_t found = 0;");
    cxx_line(cx, "WaitForScalarReads();");
    cxx_open(cx, "for (uint32_t i = 0; i < n && found < room; i++)");
    cxx_open(cx, "if ((isOut.GetValue(i / 32) >> (i %% 32) & 1) != 0)");
    cxx_line(cx, "continue;");
    cxx_close(cx, "");
    cxx_line(cx, "which_.Get<uint32_t>().SetValue(found, i);");
    if (c->kept) cxx_line(cx, "kept.SetValue(found, places.GetValue(i));");
    cxx_line(cx, "found++;");
    cxx_line(cx, "EndScalarReads();");
    cxx_line(cx, "MarkOverlaps(own, i / 256 * 256, RoundUp(n, 64), own, i, block * BLOCK);");
    cxx_line(cx, "WaitForScalarReads();");
    cxx_close(cx, "");
    cxx_line(cx, "EndScalarReads();");
    if (c->kept) {
        cxx_line(cx, "placeQueue_.FreeTensor(places);");
        cxx_line(cx, "const event_t written = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));");
        cxx_line(cx, "SetFlag<HardEvent::S_MTE3>(written);");
        cxx_line(cx, "WaitFlag<HardEvent::S_MTE3>(written);");
        cxx_line(cx, "keptQueue_.EnQue(kept);");
    }
    cxx_line(cx, "return found;");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_results(Ctx *c) {
    Cxx *cx = c->cx;
    if (c->kept) {
        cxx_function(cx, "__aicore__ inline void StoreKept(uint32_t at, uint32_t n)");
        cxx_line(cx, "LocalTensor<int32_t> kept = keptQueue_.DeQue<int32_t>();");
        cxx_open(cx, "if (n > 0)");
        cxx_line(cx, "DataCopyPad(%sGm_[at], kept, DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(int32_t)), 0, 0, 0});", c->kept);
        cxx_close(cx, "");
        cxx_line(cx, "keptQueue_.FreeTensor(kept);");
        cxx_line(cx, "const event_t copied = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE3_S));");
        cxx_line(cx, "SetFlag<HardEvent::MTE3_S>(copied);");
        cxx_line(cx, "WaitFlag<HardEvent::MTE3_S>(copied);");
        cxx_close(cx, "");
        cxx_blank(cx);
        cxx_comment(cx, "0 behind what is kept.");
        cxx_function(cx, "__aicore__ inline void Clear(uint32_t total)");
        cxx_open(cx, "for (uint64_t at = total; at < most_; at += BLOCK)");
        cxx_line(cx, "Store(%sGm_[at], 0, static_cast<uint32_t>(Least<uint64_t>(BLOCK, most_ - at)));", c->kept);
        cxx_close(cx, "");
        cxx_close(cx, "");
        cxx_blank(cx);
    }
    if (c->n_kept) {
        cxx_function(cx, "__aicore__ inline void StoreTotal(uint32_t total)");
        cxx_line(cx, "Store(%sGm_, static_cast<int32_t>(total), 1);", c->n_kept);
        cxx_close(cx, "");
        cxx_blank(cx);
    }
    cxx_function(cx, "__aicore__ inline void Store(const GlobalTensor<int32_t> &to, int32_t number, uint32_t n)");
    cxx_line(cx, "LocalTensor<int32_t> out = keptQueue_.AllocTensor<int32_t>();");
    cxx_line(cx, "Duplicate(out, number, static_cast<int32_t>(n));");
    cxx_line(cx, "keptQueue_.EnQue(out);");
    cxx_line(cx, "out = keptQueue_.DeQue<int32_t>();");
    cxx_line(cx, "DataCopyPad(to, out, DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(int32_t)), 0, 0, 0});");
    cxx_line(cx, "keptQueue_.FreeTensor(out);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_members(Ctx *c) {
    Cxx *cx = c->cx;
    gen_declare_tensors(c->gen, c->gp, cx);
    cxx_line(cx, "TQue<TPosition::VECIN, 1> rowQueue_, placeQueue_;");
    cxx_line(cx, "TQue<TPosition::VECOUT, 1> keptQueue_;");
    cxx_line(cx, "TBuf<TPosition::VECCALC> own_, later_, work_, spare_, isNear_;");
    cxx_line(cx, "TBuf<TPosition::VECCALC> isOut_; // a bit for each box: some kept one overlaps it");
    cxx_line(cx, "TBuf<TPosition::VECCALC> which_; // boxes of the block at hand that are kept");
    cxx_blank(cx);
    gen_declare_fields(c->gp, cx);
}

void nms_write_class(Gen *gen, const GenPass *gp, Cxx *cx) {
    const NmsPlan *p = nms_plan(gp->p);
    Ctx c = {.gen = gen,
             .gp = gp,
             .plan = p,
             .rows = tensor_of(gp, (int32_t)p->rows),
             .places = tensor_of(gp, (int32_t)p->places),
             .count = tensor_of(gp, (int32_t)p->count),
             .kept = tensor_of(gp, p->kept),
             .n_kept = tensor_of(gp, p->n_kept),
             .cx = cx};
    cxx_comment(cx, "Boxes in the order of their scores: one is kept unless it overlaps one that is.");
    gen_open_class(gp, cx);
    write_init(&c);
    write_process(&c);
    cxx_label(cx, "private:");
    cxx_line(cx, "static constexpr uint32_t BLOCK = %u; // boxes in UB at a time", NMS_BLOCK);
    cxx_line(cx, "static constexpr float LEAST_UNION = 1e-6f;");
    cxx_blank(cx);
    write_waits(&c);
    write_load(&c);
    write_mark(&c);
    write_keep(&c);
    write_results(&c);
    write_members(&c);
    cxx_close(cx, ";");
    cxx_blank(cx);
}
