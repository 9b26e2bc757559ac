/* The kernel class of a select pass. */
#include "codegen/select_emit.h"

#include <string.h>

typedef struct Ctx {
    Gen *gen;
    const GenPass *gp;
    const SelectPlan *plan;
    bool values, rows, columns, coordinates, fills;
    Cxx *cx;
} Ctx;

static const PlanAccess *store_of(const Ctx *c, const SelectResult *r) {
    return &c->gp->p->access.at[r->store];
}

static Ctx context(Gen *gen, const GenPass *gp, Cxx *cx) {
    const SelectPlan *p = select_plan(gp->p);
    Ctx c = {.gen = gen, .gp = gp, .plan = p, .cx = cx};
    c.values = select_has(p, SELECT_VALUES);
    c.rows = select_has(p, SELECT_ROWS);
    c.columns = select_has(p, SELECT_COLUMN) || (c.rows && p->shape.rank == 1);
    c.coordinates = select_has_coordinates(p);
    for (size_t i = 0; i < p->results.n; i++) c.fills |= p->results.at[i].kind != SELECT_COUNT;
    c.rows = c.rows && c.coordinates;
    return c;
}

/* What elements of an access are computed in. */
static const char *own_type(const PlanAccess *acc) {
    return gen_is_bool(acc) ? "half" : gen_is_float(acc) ? "float" : "int32_t";
}

/* ---- Init
 * -------------------------------------------------------------------------------------------------------- */

static void write_buffers(Ctx *c) {
    Cxx *cx = c->cx;
    uint32_t rank = c->plan->shape.rank;
    cxx_line(cx, "pipe->InitBuffer(maskQueue_, 2, TILE);");
    if (c->values) cxx_line(cx, "pipe->InitBuffer(valueQueue_, 1, TILE * sizeof(int64_t));");
    cxx_line(cx, "pipe->InitBuffer(resultQueue_, 1, %s);", c->rows ? arena_printf(c->gen->a, "(TILE > PIECE * %u ? TILE : PIECE * %u) * sizeof(int64_t)", rank, rank)
                                                                  : "TILE * sizeof(int64_t)");
    cxx_line(cx, "pipe->InitBuffer(countQueue_, 1, GetBlockNum() * BLOCK);");
    cxx_line(cx, "pipe->InitBuffer(truth_, TILE * sizeof(half));");
    cxx_line(cx, "pipe->InitBuffer(isNamed_, TILE / 8);");
    cxx_line(cx, "pipe->InitBuffer(order_, TILE * sizeof(int32_t));");
    cxx_line(cx, "pipe->InitBuffer(found_, TILE * sizeof(int32_t));");
    if (c->values) {
        cxx_line(cx, "pipe->InitBuffer(wide_, TILE * sizeof(float));");
        cxx_line(cx, "pipe->InitBuffer(picked_, TILE * sizeof(float));");
    }
    if (c->coordinates) {
        cxx_line(cx, "pipe->InitBuffer(places_, %u * TILE * sizeof(int32_t));", rank);
        cxx_line(cx, "pipe->InitBuffer(real_, TILE * sizeof(float));");
        cxx_line(cx, "pipe->InitBuffer(part_, TILE * sizeof(int32_t));");
    }
    if (c->rows) {
        cxx_line(cx, "pipe->InitBuffer(turned_, PIECE * %u * sizeof(int32_t));", rank);
        cxx_line(cx, "pipe->InitBuffer(from_, PIECE * %u * sizeof(int32_t));", rank);
    }
}

static void write_init(Ctx *c) {
    gen_open_init(c->gen, c->gp, c->cx);
    gen_bind_tensors(c->gen, c->gp, c->cx);
    cxx_line(c->cx, "countsGm_.SetGlobalBuffer((__gm__ int32_t *)scratch);");
    write_buffers(c);
    cxx_close(c->cx, "");
    cxx_blank(c->cx);
}

/* ---- Process
 * ----------------------------------------------------------------------------------------------------- */

static void write_result(Ctx *c, const SelectResult *r) {
    Cxx *cx = c->cx;
    const PlanAccess *store = store_of(c, r), *source = &c->gp->p->access.at[r->source];
    if (r->kind == SELECT_VALUES)
        cxx_line(cx, "PickValues<%s>(%sGm_[done_], %sGm_[start], n, found);", own_type(source), store->tensor_name, source->tensor_name);
    else if (r->kind == SELECT_ROWS && c->rows)
        cxx_line(cx, "StoreRows(%sGm_[done_ * RANK], found);", store->tensor_name);
    else if (r->kind != SELECT_COUNT)
        cxx_line(cx, "StoreConverted(%sGm_[done_], places%s, found);", store->tensor_name,
                 c->coordinates && r->dim ? arena_printf(c->gen->a, "[%u * TILE]", r->dim) : "");
}

static void write_tile_results(Ctx *c) {
    Cxx *cx = c->cx;
    if (c->columns || c->rows) {
        cxx_line(cx, "LocalTensor<int32_t> places = found_.Get<int32_t>();");
        cxx_line(cx, "Adds(places, places, static_cast<int32_t>(start), found);");
    }
    if (c->coordinates) {
        cxx_line(cx, "FindPlaces(found);");
        if (c->columns) cxx_line(cx, "places = places_.Get<int32_t>();");
    }
    for (size_t i = 0; i < c->plan->results.n; i++) write_result(c, &c->plan->results.at[i]);
}

static void write_fill_calls(Ctx *c) {
    Cxx *cx = c->cx;
    if (!c->fills) return;
    cxx_comment(cx, "The outputs have room for as many elements as the mask has: those that nothing comes to are 0.");
    cxx_line(cx, "const uint64_t empty = total > begin ? Least(total, end) : begin;");
    for (size_t i = 0; i < c->plan->results.n; i++) {
        const SelectResult *r = &c->plan->results.at[i];
        const PlanAccess *store = store_of(c, r);
        const char *rank = r->kind == SELECT_ROWS && c->rows ? " * RANK" : "";
        if (r->kind != SELECT_COUNT) cxx_line(cx, "Clear(%sGm_, empty%s, end%s);", store->tensor_name, rank, rank);
    }
}

static void write_process(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_function(cx, "__aicore__ inline void Process()");
    cxx_line(cx, "const uint64_t tiles = (elements_ + TILE - 1) / TILE, core = GetBlockIdx(), cores = GetBlockNum();");
    cxx_line(cx, "const uint64_t begin = tiles * core / cores * TILE, end = Least(tiles * (core + 1) / cores * TILE, elements_);");
    cxx_line(cx, "CreateVecIndex(order_.Get<int32_t>(), 0, TILE);");
    if (c->rows) cxx_line(cx, "MakeRowOffsets();");
    cxx_line(cx, "int32_t named = 0;");
    cxx_open(cx, "for (uint64_t start = begin; start < end; start += TILE)");
    cxx_line(cx, "named += Find(start, static_cast<uint32_t>(Least<uint64_t>(TILE, end - start)));");
    cxx_close(cx, "");
    cxx_line(cx, "%sTellOthers(named);", c->fills ? "const uint64_t total = " : "");
    if (c->plan->results.n > 1 || !select_has(c->plan, SELECT_COUNT)) {
        cxx_open(cx, "for (uint64_t start = begin; start < end; start += TILE)");
        cxx_line(cx, "const uint32_t n = static_cast<uint32_t>(Least<uint64_t>(TILE, end - start)), found = Find(start, n);");
        cxx_open(cx, "if (found > 0)");
        write_tile_results(c);
        cxx_line(cx, "done_ += found;");
        cxx_close(cx, "");
        cxx_close(cx, "");
    }
    write_fill_calls(c);
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- the mask
 * ---------------------------------------------------------------------------------------------------- */

static void write_find(Ctx *c) {
    Cxx *cx = c->cx;
    const char *mask = c->gp->p->access.at[c->plan->mask].tensor_name;
    cxx_comment(cx, "Which of n elements from `start` on the mask names: one bit each, their places from `start` on side by side, and how many they are.");
    cxx_function(cx, "__aicore__ inline uint32_t Find(uint64_t start, uint32_t n)");
    cxx_line(cx, "LocalTensor<uint8_t> mask = maskQueue_.AllocTensor<uint8_t>();");
    cxx_line(cx, "DataCopyPad(mask, %sGm_[start], DataCopyExtParams{1, n, 0, 0, 0}, DataCopyPadExtParams<uint8_t>{});", mask);
    cxx_line(cx, "maskQueue_.EnQue(mask);");
    cxx_line(cx, "mask = maskQueue_.DeQue<uint8_t>();");
    cxx_line(cx, "LocalTensor<half> truth = truth_.Get<half>();");
    cxx_line(cx, "Cast(truth, mask, RoundMode::CAST_NONE, n);");
    cxx_line(cx, "maskQueue_.FreeTensor(mask);");
    cxx_line(cx, "CompareScalar(isNamed_.Get<uint8_t>(), truth, static_cast<half>(0), CMPMODE::NE, RoundUp(n, 128));");
    cxx_line(cx, "uint64_t found = 0;");
    cxx_line(cx, "GatherMask(found_.Get<int32_t>(), order_.Get<int32_t>(), isNamed_.Get<uint32_t>(), true, n, GatherMaskParams{1, 1, 8, 8}, found);");
    cxx_line(cx, "return static_cast<uint32_t>(found);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_tell(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_comment(cx, "Leaves how many elements this core has found, and waits for the others: done_ becomes what the cores before it found.%s",
                c->fills ? " Returns what all of them found." : "");
    cxx_function(cx, "__aicore__ inline %s TellOthers(int32_t named)", c->fills ? "uint64_t" : "void");
    cxx_line(cx, "StoreNumber(countsGm_[GetBlockIdx() * PER_BLOCK], named, PER_BLOCK);");
    cxx_line(cx, "SyncAll();");
    cxx_line(cx, "LocalTensor<int32_t> counts = countQueue_.AllocTensor<int32_t>();");
    cxx_line(cx, "const uint32_t cores = GetBlockNum();");
    cxx_line(cx, "DataCopyPad(counts, countsGm_, DataCopyExtParams{1, cores * BLOCK, 0, 0, 0}, DataCopyPadExtParams<int32_t>{});");
    cxx_line(cx, "const event_t read = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::MTE2_S));");
    cxx_line(cx, "SetFlag<HardEvent::MTE2_S>(read);");
    cxx_line(cx, "WaitFlag<HardEvent::MTE2_S>(read);");
    cxx_line(cx, "int32_t total = 0;");
    cxx_open(cx, "for (uint32_t i = 0; i < cores; i++)");
    cxx_open(cx, "if (i == GetBlockIdx())");
    cxx_line(cx, "done_ = total;");
    cxx_close(cx, "");
    cxx_line(cx, "total += counts.GetValue(i * PER_BLOCK);");
    cxx_close(cx, "");
    cxx_line(cx, "countQueue_.FreeTensor(counts);");
    for (size_t i = 0; i < c->plan->results.n; i++) {
        const SelectResult *r = &c->plan->results.at[i];
        if (r->kind != SELECT_COUNT) continue;
        cxx_open(cx, "if (GetBlockIdx() == 0)");
        cxx_line(cx, "StoreNumber(%sGm_, total, 1);", store_of(c, r)->tensor_name);
        cxx_close(cx, "");
    }
    if (c->fills) cxx_line(cx, "return total;");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_function(cx, "__aicore__ inline void StoreNumber(const GlobalTensor<int32_t> &to, int32_t number, uint32_t n)");
    cxx_line(cx, "LocalTensor<int32_t> block = resultQueue_.AllocTensor<int32_t>();");
    cxx_line(cx, "Duplicate(block, number, PER_BLOCK);");
    cxx_line(cx, "resultQueue_.EnQue(block);");
    cxx_line(cx, "block = resultQueue_.DeQue<int32_t>();");
    cxx_line(cx, "DataCopyPad(to, block, DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(int32_t)), 0, 0, 0});");
    cxx_line(cx, "resultQueue_.FreeTensor(block);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- results
 * ----------------------------------------------------------------------------------------------------- */

static void write_store_converted(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_comment(cx, "Stores n elements in the type of the tensor.");
    cxx_line(cx, "template <typename To, typename From>");
    cxx_function(cx, "__aicore__ inline void StoreConverted(const GlobalTensor<To> &to, const LocalTensor<From> &from, uint32_t n)");
    cxx_line(cx, "LocalTensor<To> out = resultQueue_.AllocTensor<To>();");
    cxx_open(cx, "if constexpr (IsSameType<To, From>::value)");
    cxx_line(cx, "DataCopy(out, from, RoundUp(n, 16));");
    cxx_else(cx);
    cxx_line(cx, "constexpr RoundMode ROUND = IsSameType<From, int32_t>::value ? RoundMode::CAST_NONE : RoundMode::CAST_RINT;");
    cxx_line(cx, "Cast(out, from, ROUND, n);");
    cxx_close(cx, "");
    cxx_line(cx, "Store(to, out, n);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_store(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void Store(const GlobalTensor<T> &to, LocalTensor<T> &out, uint32_t n)");
    cxx_line(cx, "resultQueue_.EnQue(out);");
    cxx_line(cx, "out = resultQueue_.DeQue<T>();");
    cxx_line(cx, "DataCopyPad(to, out, DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0});");
    cxx_line(cx, "resultQueue_.FreeTensor(out);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_pick_values(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_comment(cx, "What the mask names of n elements, computed as T: 16-bit floats as float32, int64 as int32, bool as half.");
    cxx_line(cx, "template <typename T, typename To, typename From>");
    cxx_function(cx, "__aicore__ inline void PickValues(const GlobalTensor<To> &to, const GlobalTensor<From> &from, uint32_t n, uint32_t found)");
    cxx_line(cx, "LocalTensor<From> in = valueQueue_.AllocTensor<From>();");
    cxx_line(cx, "DataCopyPad(in, from, DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(From)), 0, 0, 0}, DataCopyPadExtParams<From>{});");
    cxx_line(cx, "valueQueue_.EnQue(in);");
    cxx_line(cx, "in = valueQueue_.DeQue<From>();");
    cxx_line(cx, "LocalTensor<T> picked = picked_.Get<T>();");
    cxx_line(cx, "const GatherMaskParams params{1, 1, 8, 8};");
    cxx_line(cx, "uint64_t kept = 0;");
    cxx_open(cx, "if constexpr (IsSameType<T, From>::value)");
    cxx_line(cx, "GatherMask(picked, in, Pattern<T>(), true, n, params, kept);");
    cxx_else(cx);
    cxx_line(cx, "LocalTensor<T> wide = wide_.Get<T>();");
    cxx_line(cx, "Cast(wide, in, RoundMode::CAST_NONE, n);");
    cxx_line(cx, "GatherMask(picked, wide, Pattern<T>(), true, n, params, kept);");
    cxx_close(cx, "");
    cxx_line(cx, "valueQueue_.FreeTensor(in);");
    cxx_line(cx, "StoreConverted(to, picked, found);");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_comment(cx, "The bits of the mask, in words as wide as the elements.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline auto Pattern()");
    cxx_open(cx, "if constexpr (sizeof(T) == sizeof(uint16_t))");
    cxx_line(cx, "return isNamed_.Get<uint16_t>();");
    cxx_else(cx);
    cxx_line(cx, "return isNamed_.Get<uint32_t>();");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_clear(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void Clear(const GlobalTensor<T> &to, uint64_t begin, uint64_t end)");
    cxx_open(cx, "for (uint64_t at = begin; at < end; at += TILE)");
    cxx_line(cx, "LocalTensor<T> zeros = resultQueue_.AllocTensor<T>();");
    cxx_line(cx, "Duplicate(zeros.template ReinterpretCast<int16_t>(), static_cast<int16_t>(0), static_cast<int32_t>(TILE * sizeof(T) / sizeof(int16_t)));");
    cxx_line(cx, "Store(to[at], zeros, static_cast<uint32_t>(Least<uint64_t>(TILE, end - at)));");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- places along dimensions
 * ------------------------------------------------------------------------------------- */

static void write_divide(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_comment(cx, "rest / by, and what is left in `rest`: a quotient by way of float32, one of what that leaves, then at most 1 more or less.");
    cxx_function(cx, "__aicore__ inline void Divide(const LocalTensor<int32_t> &quotient, const LocalTensor<int32_t> &rest, int32_t by, uint32_t n)");
    cxx_line(cx, "LocalTensor<float> real = real_.Get<float>();");
    cxx_line(cx, "LocalTensor<int32_t> part = part_.Get<int32_t>();");
    cxx_line(cx, "const float reciprocal = 1.0f / static_cast<float>(by);");
    cxx_line(cx, "Duplicate(quotient, 0, static_cast<int32_t>(n));");
    cxx_open(cx, "for (uint32_t i = 0; i < 2; i++)");
    cxx_line(cx, "Cast(real, rest, RoundMode::CAST_RINT, n);");
    cxx_line(cx, "Muls(real, real, reciprocal, n);");
    cxx_line(cx, "Cast(part, real, RoundMode::CAST_FLOOR, n);");
    cxx_line(cx, "Add(quotient, quotient, part, n);");
    cxx_line(cx, "Muls(part, part, by, n);");
    cxx_line(cx, "Sub(rest, rest, part, n);");
    cxx_close(cx, "");
    cxx_comment(cx, "-1 where rest is negative, then -1 where it is not less than `by`.");
    cxx_line(cx, "ShiftRight(part, rest, 31, n);");
    cxx_line(cx, "Add(quotient, quotient, part, n);");
    cxx_line(cx, "Muls(part, part, by, n);");
    cxx_line(cx, "Sub(rest, rest, part, n);");
    cxx_line(cx, "Muls(part, rest, -1, n);");
    cxx_line(cx, "Adds(part, part, by - 1, n);");
    cxx_line(cx, "ShiftRight(part, part, 31, n);");
    cxx_line(cx, "Sub(quotient, quotient, part, n);");
    cxx_line(cx, "Muls(part, part, by, n);");
    cxx_line(cx, "Add(rest, rest, part, n);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_find_places(Ctx *c) {
    Cxx *cx = c->cx;
    uint32_t rank = c->plan->shape.rank;
    write_divide(c);
    cxx_comment(cx, "The numbers of elements as places along each dimension, %u times TILE of them.", rank);
    cxx_function(cx, "__aicore__ inline void FindPlaces(uint32_t n)");
    cxx_line(cx, "LocalTensor<int32_t> number = found_.Get<int32_t>(), places = places_.Get<int32_t>();");
    for (uint32_t d = rank - 1; d > 0; d--) {
        cxx_line(cx, "DataCopy(places[%u * TILE], number, RoundUp(n, 8));", d);
        cxx_line(cx, "Divide(%s, places[%u * TILE], static_cast<int32_t>(size%u_), n);", d == 1 ? "places" : "number", d, d);
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_rows(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_comment(cx, "Where in places_ each element of a piece of rows comes from, in bytes.");
    cxx_function(cx, "__aicore__ inline void MakeRowOffsets()");
    cxx_line(cx, "LocalTensor<int32_t> from = from_.Get<int32_t>(), row = turned_.Get<int32_t>();");
    cxx_open(cx, "for (uint32_t at = 0; at < PIECE * RANK; at += PIECE)");
    cxx_line(cx, "CreateVecIndex(from[at], static_cast<int32_t>(at), PIECE);");
    cxx_line(cx, "Divide(row[at], from[at], RANK, PIECE);");
    cxx_close(cx, "");
    cxx_line(cx, "Muls(from, from, static_cast<int32_t>(TILE), PIECE * RANK);");
    cxx_line(cx, "Add(from, from, row, PIECE * RANK);");
    cxx_line(cx, "Muls(from, from, static_cast<int32_t>(sizeof(int32_t)), PIECE * RANK);");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_comment(cx, "A row of places for each of n elements.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void StoreRows(const GlobalTensor<T> &to, uint32_t n)");
    cxx_line(cx, "LocalTensor<int32_t> places = places_.Get<int32_t>(), turned = turned_.Get<int32_t>();");
    cxx_open(cx, "for (uint32_t at = 0; at < n; at += PIECE)");
    cxx_line(cx, "const uint32_t count = Least(PIECE, n - at) * RANK;");
    cxx_line(cx, "Gather(turned, places, from_.Get<uint32_t>(), at * static_cast<uint32_t>(sizeof(int32_t)), count);");
    cxx_line(cx, "StoreConverted(to[at * RANK], turned, count);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- the class
 * --------------------------------------------------------------------------------------------------- */

static void write_constants(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_line(cx, "static constexpr uint32_t TILE = %u; // elements of the mask at a time", select_tile(c->plan));
    cxx_line(cx, "static constexpr uint32_t BLOCK = 32, PER_BLOCK = BLOCK / sizeof(int32_t);");
    if (c->rows) {
        cxx_line(cx, "static constexpr uint32_t PIECE = %u; // rows of places put together at a time", SELECT_PIECE);
        cxx_line(cx, "static constexpr uint32_t RANK = %u; // dimensions of the mask", c->plan->shape.rank);
    }
    cxx_blank(cx);
}

static void write_members(Ctx *c) {
    Cxx *cx = c->cx;
    gen_declare_tensors(c->gen, c->gp, cx);
    cxx_line(cx, "GlobalTensor<int32_t> countsGm_; // a block for each core");
    cxx_line(cx, "TQue<TPosition::VECIN, 2> maskQueue_;");
    cxx_line(cx, "TQue<TPosition::VECIN, 1> countQueue_%s;", c->values ? ", valueQueue_" : "");
    cxx_line(cx, "TQue<TPosition::VECOUT, 1> resultQueue_;");
    cxx_line(cx, "TBuf<TPosition::VECCALC> truth_, isNamed_, order_, found_%s%s%s;", c->values ? ", wide_, picked_" : "",
             c->coordinates ? ", places_, real_, part_" : "", c->rows ? ", turned_, from_" : "");
    cxx_line(cx, "uint64_t done_; // elements named before those at hand");
    cxx_blank(cx);
    gen_declare_fields(c->gp, cx);
}

void select_write_class(Gen *gen, const GenPass *gp, Cxx *cx) {
    Ctx c = context(gen, gp, cx);
    cxx_comment(cx, "What a mask names, side by side: a core counts its part of the mask, learns from the others where its results begin, and stores them.");
    gen_open_class(gp, cx);
    write_init(&c);
    write_process(&c);
    cxx_label(cx, "private:");
    write_constants(&c);
    write_find(&c);
    write_tell(&c);
    if (c.values) write_pick_values(&c);
    if (c.coordinates) write_find_places(&c);
    if (c.rows) write_rows(&c);
    if (c.values || c.columns || c.rows) write_store_converted(&c);
    if (c.values || c.columns || c.rows) write_store(&c);
    if (c.fills) write_clear(&c);
    write_members(&c);
    cxx_close(cx, ";");
    cxx_blank(cx);
}
