/* The kernel class of a sort pass. */
#include "codegen/sort_emit.h"

#include <string.h>

typedef struct Ctx {
    Gen *gen;
    const GenPass *gp;
    const SortPlan *plan;
    const PlanAccess *in, *value, *place;
    const char *in_type, *value_type, *place_type;
    Cxx *cx;
} Ctx;

static Ctx context(Gen *gen, const GenPass *gp, Cxx *cx) {
    const SortPlan *p = sort_plan(gp->p);
    Ctx c = {.gen = gen, .gp = gp, .plan = p, .in = &gp->p->access.at[p->input], .cx = cx};
    c.value = p->value < 0 ? NULL : &gp->p->access.at[p->value];
    c.place = p->place < 0 ? NULL : &gp->p->access.at[p->place];
    c.in_type = gen_io_type(gen, c.in);
    c.value_type = c.value ? gen_io_type(gen, c.value) : NULL;
    c.place_type = c.place ? gen_io_type(gen, c.place) : NULL;
    return c;
}

/* ---- Init and Process
 * -------------------------------------------------------------------------------------------- */

static void write_init(Ctx *c) {
    gen_open_init(c->gen, c->gp, c->cx);
    gen_bind_tensors(c->gen, c->gp, c->cx);
    cxx_comment(c->cx, "Two halves, each a multiple of 512 bytes.");
    cxx_line(c->cx, "from_.SetGlobalBuffer((__gm__ float *)scratch + (rows_ * cols_ + 63) / 64 * 64 * RECORD);");
    cxx_line(c->cx, "to_.SetGlobalBuffer((__gm__ float *)scratch);");
    cxx_line(c->cx, "pipe->InitBuffer(loadQueue_, 1, CHUNK * sizeof(%s));", c->in_type);
    cxx_line(c->cx, "pipe->InitBuffer(recordQueue_, 1, CHUNK * RECORD * sizeof(float));");
    cxx_line(c->cx, "pipe->InitBuffer(mergedQueue_, 1, CHUNK * RECORD * sizeof(float));");
    if (c->value) cxx_line(c->cx, "pipe->InitBuffer(valueQueue_, 1, CHUNK * sizeof(%s));", c->value_type);
    if (c->place) cxx_line(c->cx, "pipe->InitBuffer(placeQueue_, 1, CHUNK * sizeof(%s));", c->place_type);
    cxx_line(c->cx, "pipe->InitBuffer(keys_, CHUNK * sizeof(float));");
    cxx_line(c->cx, "pipe->InitBuffer(places_, CHUNK * sizeof(int32_t));");
    cxx_line(c->cx, "pipe->InitBuffer(order_, CHUNK * sizeof(int32_t));");
    cxx_close(c->cx, "");
    cxx_blank(c->cx);
}

static void write_process(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_function(cx, "__aicore__ inline void Process()");
    cxx_line(cx, "const uint64_t core = GetBlockIdx(), cores = GetBlockNum();");
    cxx_line(cx, "const uint64_t runs = (cols_ + CHUNK - 1) / CHUNK;");
    cxx_open(cx, "for (uint64_t task = core; task < rows_ * runs; task += cores)");
    cxx_line(cx, "SortChunk(task / runs, task %% runs * CHUNK);");
    cxx_close(cx, "");
    cxx_comment(cx, "Four runs become one until a row is one run.");
    cxx_open(cx, "for (uint64_t length = CHUNK; length < cols_; length *= 4)");
    cxx_line(cx, "SyncAll();");
    cxx_line(cx, "const GlobalTensor<float> swap = from_;");
    cxx_line(cx, "from_ = to_;");
    cxx_line(cx, "to_ = swap;");
    cxx_line(cx, "const uint64_t groups = (cols_ + 4 * length - 1) / (4 * length);");
    cxx_open(cx, "for (uint64_t task = core; task < rows_ * groups; task += cores)");
    cxx_line(cx, "MergeRuns(task / groups, task %% groups * 4 * length, length);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- a chunk
 * ----------------------------------------------------------------------------------------------------- */

static const char *offset_of(Ctx *c, const PlanAccess *acc) {
    bool minus;
    const char *offset = gen_kernel_size(c->gen, c->gp, acc->view.offset, &minus);
    return strcmp(offset, "0") == 0 ? "" : arena_printf(c->gen->a, "%s + ", offset);
}

/* Between float32 and the type in memory. */
static void write_float_copy(Ctx *c, bool in) {
    const PlanAccess *acc = in ? c->in : c->value;
    Cxx *cx = c->cx;
    bool wide = gen_is_always_wide(c->gen, acc), narrow = !gen_is_ever_wide(c->gen, acc);
    cxx_line(cx, "template <typename To, typename From>");
    cxx_function(cx, "__aicore__ inline void %s(const LocalTensor<To> &dst, const LocalTensor<From> &src, uint32_t n)", in ? "WidenCopy" : "NarrowCopy");
    if (!wide && !narrow) cxx_open(cx, "if constexpr (IsSameType<To, From>::value)");
    if (!narrow) cxx_line(cx, "DataCopy(dst, src, RoundUp(n, 8));");
    if (!wide && !narrow) cxx_else(cx);
    if (!wide) cxx_line(cx, "Cast(dst, src, RoundMode::CAST_%s, n);", in ? "NONE" : "RINT");
    if (!wide && !narrow) cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_load(Ctx *c) {
    Cxx *cx = c->cx;
    bool down = c->plan->descending;
    write_float_copy(c, true);
    cxx_comment(cx, down ? "The values of a piece of a row, as float32, and their places; then what comes after all of them."
                         : "The values of a piece of a row from its end, as float32, and their places; then what comes after all of them.");
    cxx_function(cx, "__aicore__ inline void Load(const LocalTensor<float> &keys, const LocalTensor<int32_t> &places, uint64_t row, "
                     "uint64_t start, uint32_t n)");
    cxx_line(cx, "LocalTensor<%s> loaded = loadQueue_.AllocTensor<%s>();", c->in_type, c->in_type);
    cxx_line(cx, "DataCopyPad(loaded, %sGm_[%srow * cols_ + %s], DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(%s)), 0, 0, 0}, "
                 "DataCopyPadExtParams<%s>{});",
             c->in->tensor_name, offset_of(c, c->in), down ? "start" : "cols_ - start - n", c->in_type, c->in_type);
    cxx_line(cx, "loadQueue_.EnQue(loaded);");
    cxx_line(cx, "loaded = loadQueue_.DeQue<%s>();", c->in_type);
    const char *to = "keys";
    if (!down) {
        cxx_line(cx, "LocalTensor<int32_t> order = order_.Get<int32_t>();");
        cxx_line(cx, "LocalTensor<float> straight = places.ReinterpretCast<float>();");
        cxx_line(cx, "CreateVecIndex(order, 0, n);");
        cxx_line(cx, "Muls(order, order, -static_cast<int32_t>(sizeof(float)), n);");
        cxx_line(cx, "Adds(order, order, static_cast<int32_t>((n - 1) * sizeof(float)), n);");
        to = "straight";
    }
    cxx_line(cx, "WidenCopy(%s, loaded, n);", to);
    cxx_line(cx, "loadQueue_.FreeTensor(loaded);");
    if (!down) cxx_line(cx, "Gather(keys, straight, order.ReinterpretCast<uint32_t>(), 0, n);");
    cxx_line(cx, "const uint32_t whole = RoundUp(n, 8), padded = RoundUp(n, 32);");
    cxx_open(cx, "if (n < whole)");
    cxx_line(cx, "uint64_t tail[2] = {0xFFu << (n %% 8) & 0xFFu, 0};");
    cxx_line(cx, "Duplicate(keys[whole - 8], FloatFromBits(0xFF800000), tail, 1, 1, 8);");
    cxx_close(cx, "");
    cxx_open(cx, "if (whole < padded)");
    cxx_line(cx, "Duplicate(keys[whole], FloatFromBits(0xFF800000), static_cast<int32_t>(padded - whole));");
    cxx_close(cx, "");
    if (down) {
        cxx_line(cx, "CreateVecIndex(places, static_cast<int32_t>(start), padded);");
    } else {
        cxx_line(cx, "CreateVecIndex(places, 0, padded);");
        cxx_line(cx, "Muls(places, places, -1, padded);");
        cxx_line(cx, "Adds(places, places, static_cast<int32_t>(cols_ - 1 - start), padded);");
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_merge_level(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_comment(cx, "Four sorted runs of `length` records become one, all along; at the end there may be fewer, or a shorter one.");
    cxx_function(cx, "__aicore__ inline void MergeLevel(const LocalTensor<float> &to, const LocalTensor<float> &from, uint32_t count, uint32_t length)");
    cxx_line(cx, "const uint32_t step = length * RECORD, groups = count / (4 * length), rest = count %% (4 * length);");
    cxx_open(cx, "if (groups > 0)");
    cxx_line(cx, "const uint16_t n = static_cast<uint16_t>(length);");
    cxx_line(cx, "const uint16_t lengths[4] = {n, n, n, n};");
    cxx_line(cx, "MrgSort(to, MrgSortSrcList<float>(from, from[step], from[2 * step], from[3 * step]), "
                 "MrgSort4Info(lengths, false, 15, static_cast<uint16_t>(groups)));");
    cxx_close(cx, "");
    cxx_line(cx, "const LocalTensor<float> last = from[groups * 4 * step], end = to[groups * 4 * step];");
    cxx_open(cx, "if (rest > length)");
    cxx_line(cx, "const uint32_t runs = (rest + length - 1) / length;");
    cxx_line(cx, "uint16_t lengths[4] = {0, 0, 0, 0};");
    cxx_open(cx, "for (uint32_t i = 0; i < runs; i++)");
    cxx_line(cx, "lengths[i] = static_cast<uint16_t>(Least(length, rest - i * length));");
    cxx_close(cx, "");
    cxx_line(cx, "MrgSort(end, MrgSortSrcList<float>(last, last[step], last[runs > 2 ? 2 * step : 0], last[runs > 3 ? 3 * step : 0]), "
                 "MrgSort4Info(lengths, false, static_cast<uint16_t>((1u << runs) - 1), 1));");
    cxx_else(cx);
    cxx_open(cx, "if (rest > 0)");
    cxx_line(cx, "DataCopy(end, last, rest * RECORD);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_sort_chunk(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_function(cx, "__aicore__ inline void SortChunk(uint64_t row, uint64_t start)");
    cxx_line(cx, "const uint32_t n = static_cast<uint32_t>(Least<uint64_t>(CHUNK, cols_ - start)), padded = RoundUp(n, 32);");
    cxx_line(cx, "LocalTensor<float> keys = keys_.Get<float>();");
    cxx_line(cx, "LocalTensor<int32_t> places = places_.Get<int32_t>();");
    cxx_line(cx, "LocalTensor<float> spare = recordQueue_.AllocTensor<float>(), records = mergedQueue_.AllocTensor<float>();");
    cxx_line(cx, "Load(keys, places, row, start, n);");
    cxx_comment(cx, "Levels go back and forth between the two buffers; the last ends in `records`.");
    cxx_line(cx, "bool isSpare = false;");
    cxx_open(cx, "for (uint32_t length = 32; length < padded; length *= 4)");
    cxx_line(cx, "isSpare = !isSpare;");
    cxx_close(cx, "");
    cxx_line(cx, "Sort32(isSpare ? spare : records, keys, places.ReinterpretCast<uint32_t>(), static_cast<int32_t>(padded / 32));");
    cxx_open(cx, "for (uint32_t length = 32; length < padded; length *= 4)");
    cxx_line(cx, "MergeLevel(isSpare ? records : spare, isSpare ? spare : records, padded, length);");
    cxx_line(cx, "isSpare = !isSpare;");
    cxx_close(cx, "");
    cxx_line(cx, "recordQueue_.FreeTensor(spare);");
    cxx_open(cx, "if (cols_ <= CHUNK)");
    cxx_line(cx, "Store(row, records, 0, n);");
    cxx_line(cx, "mergedQueue_.FreeTensor(records);");
    cxx_else(cx);
    cxx_line(cx, "LeaveRecords(row * cols_ + start, records, n);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_function(cx, "__aicore__ inline void LeaveRecords(uint64_t start, LocalTensor<float> &records, uint32_t n)");
    cxx_line(cx, "mergedQueue_.EnQue(records);");
    cxx_line(cx, "records = mergedQueue_.DeQue<float>();");
    cxx_line(cx, "DataCopyPad(to_[start * RECORD], records, DataCopyExtParams{1, static_cast<uint32_t>(n * RECORD * sizeof(float)), 0, 0, 0});");
    cxx_line(cx, "mergedQueue_.FreeTensor(records);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- runs in workspace
 * ------------------------------------------------------------------------------------------- */

static void write_merge_window(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_comment(cx, "Merges windows of up to four runs until one of them is used up; taken[i] records of window i are done then.");
    cxx_function(cx, "__aicore__ inline void MergeWindows(const LocalTensor<float> &to, const LocalTensor<float> &windows, "
                     "const uint16_t (&lengths)[4], uint32_t live, uint16_t (&taken)[4])");
    cxx_open(cx, "if (live == 1)");
    cxx_line(cx, "DataCopy(to, windows, RoundUp(lengths[0] * RECORD, 8));");
    cxx_line(cx, "taken[0] = lengths[0];");
    cxx_line(cx, "return;");
    cxx_close(cx, "");
    cxx_line(cx, "constexpr uint32_t STEP = WINDOW * RECORD;");
    cxx_line(cx, "MrgSort(to, MrgSortSrcList<float>(windows, windows[STEP], windows[live > 2 ? 2 * STEP : 0], windows[live > 3 ? 3 * STEP : 0]), "
                 "MrgSort4Info(lengths, true, static_cast<uint16_t>((1u << live) - 1), 1));");
    cxx_line(cx, "const event_t merged = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));");
    cxx_line(cx, "SetFlag<HardEvent::V_S>(merged);");
    cxx_line(cx, "WaitFlag<HardEvent::V_S>(merged);");
    cxx_line(cx, "GetMrgSortResult(taken[0], taken[1], taken[2], taken[3]);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_merge_runs(Ctx *c) {
    Cxx *cx = c->cx;
    write_merge_window(c);
    cxx_comment(cx, "The runs of `length` records from `base` on, four or fewer, become one: a window of each at a time, so that the record "
                    "that comes next is always there.");
    cxx_function(cx, "__aicore__ inline void MergeRuns(uint64_t row, uint64_t base, uint64_t length)");
    cxx_line(cx, "uint64_t at[4], rest[4];");
    cxx_open(cx, "for (uint32_t i = 0; i < 4; i++)");
    cxx_line(cx, "at[i] = Least(base + i * length, cols_);");
    cxx_line(cx, "rest[i] = Least(length, cols_ - at[i]);");
    cxx_close(cx, "");
    cxx_line(cx, "uint64_t done = 0;");
    cxx_open(cx, "while (rest[0] + rest[1] + rest[2] + rest[3] > 0)");
    cxx_line(cx, "LocalTensor<float> windows = recordQueue_.AllocTensor<float>();");
    cxx_line(cx, "uint16_t lengths[4] = {0, 0, 0, 0}, taken[4] = {0, 0, 0, 0};");
    cxx_line(cx, "uint32_t run[4] = {0, 0, 0, 0}, live = 0;");
    cxx_open(cx, "for (uint32_t i = 0; i < 4; i++)");
    cxx_open(cx, "if (rest[i] > 0)");
    cxx_line(cx, "lengths[live] = static_cast<uint16_t>(Least<uint64_t>(WINDOW, rest[i]));");
    cxx_line(cx, "DataCopyPad(windows[live * WINDOW * RECORD], from_[(row * cols_ + at[i]) * RECORD], DataCopyExtParams{1, "
                 "static_cast<uint32_t>(lengths[live] * RECORD * sizeof(float)), 0, 0, 0}, DataCopyPadExtParams<float>{});");
    cxx_line(cx, "run[live++] = i;");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_line(cx, "recordQueue_.EnQue(windows);");
    cxx_line(cx, "windows = recordQueue_.DeQue<float>();");
    cxx_line(cx, "LocalTensor<float> records = mergedQueue_.AllocTensor<float>();");
    cxx_line(cx, "MergeWindows(records, windows, lengths, live, taken);");
    cxx_line(cx, "recordQueue_.FreeTensor(windows);");
    cxx_line(cx, "uint32_t n = 0;");
    cxx_open(cx, "for (uint32_t i = 0; i < live; i++)");
    cxx_line(cx, "at[run[i]] += taken[i];");
    cxx_line(cx, "rest[run[i]] -= taken[i];");
    cxx_line(cx, "n += taken[i];");
    cxx_close(cx, "");
    cxx_open(cx, "if (4 * length >= cols_)");
    cxx_line(cx, "Store(row, records, done, n);");
    cxx_line(cx, "mergedQueue_.FreeTensor(records);");
    cxx_else(cx);
    cxx_line(cx, "LeaveRecords(row * cols_ + base + done, records, n);");
    cxx_close(cx, "");
    cxx_line(cx, "done += n;");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- results
 * ----------------------------------------------------------------------------------------------------- */

static void write_store_values(Ctx *c) {
    Cxx *cx = c->cx;
    cxx_line(cx, "LocalTensor<%s> values = valueQueue_.AllocTensor<%s>();", c->value_type, c->value_type);
    cxx_line(cx, "LocalTensor<float> keys = keys_.Get<float>();");
    cxx_line(cx, "Gather(keys, records, order.ReinterpretCast<uint32_t>(), 0, count);");
    cxx_line(cx, "NarrowCopy(values, keys, count);");
    cxx_line(cx, "valueQueue_.EnQue(values);");
    cxx_line(cx, "values = valueQueue_.DeQue<%s>();", c->value_type);
    cxx_line(cx, "DataCopyPad(%sGm_[row * wanted_ + low - first_], values, DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(%s)), 0, 0, 0});",
             c->value->tensor_name, c->value_type);
    cxx_line(cx, "valueQueue_.FreeTensor(values);");
}

static void write_store_places(Ctx *c) {
    Cxx *cx = c->cx;
    bool wide = gen_is_always_wide(c->gen, c->place);
    const char *places = wide ? "stored" : "places";
    cxx_line(cx, "LocalTensor<%s> stored = placeQueue_.AllocTensor<%s>();", c->place_type, c->place_type);
    if (!wide) cxx_line(cx, "LocalTensor<int32_t> places = places_.Get<int32_t>();");
    cxx_line(cx, "Gather(%s, records.ReinterpretCast<int32_t>(), order.ReinterpretCast<uint32_t>(), sizeof(float), count);", places);
    if (!wide) cxx_line(cx, "Cast(stored, places, RoundMode::CAST_NONE, count);");
    cxx_line(cx, "placeQueue_.EnQue(stored);");
    cxx_line(cx, "stored = placeQueue_.DeQue<%s>();", c->place_type);
    cxx_line(cx, "DataCopyPad(%sGm_[row * wanted_ + low - first_], stored, DataCopyExtParams{1, static_cast<uint32_t>(count * sizeof(%s)), 0, 0, 0});",
             c->place->tensor_name, c->place_type);
    cxx_line(cx, "placeQueue_.FreeTensor(stored);");
}

static void write_store(Ctx *c) {
    Cxx *cx = c->cx;
    bool down = c->plan->descending;
    if (c->value) write_float_copy(c, false);
    cxx_comment(cx, "n records of a row, of which `done` are stored already: those among the wanted ones%s.", down ? "" : ", from the last to the first");
    cxx_function(cx, "__aicore__ inline void Store(uint64_t row, const LocalTensor<float> &records, uint64_t done, uint32_t n)");
    cxx_line(cx, "const uint64_t begin = %s;", down ? "done" : "cols_ - done - n");
    cxx_line(cx, "const uint64_t low = begin > first_ ? begin : first_, high = Least(begin + n, first_ + wanted_);");
    cxx_open(cx, "if (low >= high)");
    cxx_line(cx, "return;");
    cxx_close(cx, "");
    cxx_line(cx, "const uint32_t count = static_cast<uint32_t>(high - low);");
    cxx_line(cx, "const uint32_t from = static_cast<uint32_t>(%s);", down ? "low - begin" : "begin + n - 1 - low");
    cxx_line(cx, "LocalTensor<int32_t> order = order_.Get<int32_t>();");
    cxx_line(cx, "constexpr int32_t STEP = RECORD * sizeof(float);");
    cxx_line(cx, "CreateVecIndex(order, 0, count);");
    cxx_line(cx, "Muls(order, order, %sSTEP, count);", down ? "" : "-");
    cxx_line(cx, "Adds(order, order, static_cast<int32_t>(from * STEP), count);");
    if (c->value) write_store_values(c);
    if (c->place) write_store_places(c);
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- the class
 * --------------------------------------------------------------------------------------------------- */

static void write_members(Ctx *c) {
    Cxx *cx = c->cx;
    gen_declare_tensors(c->gen, c->gp, cx);
    cxx_line(cx, "GlobalTensor<float> from_, to_; // records in workspace");
    cxx_line(cx, "TQue<TPosition::VECIN, 1> loadQueue_, recordQueue_;");
    cxx_line(cx, "TQue<TPosition::VECOUT, 1> mergedQueue_%s%s;", c->value ? ", valueQueue_" : "", c->place ? ", placeQueue_" : "");
    cxx_line(cx, "TBuf<TPosition::VECCALC> keys_, places_, order_;");
    cxx_blank(cx);
    gen_declare_fields(c->gp, cx);
}

void sort_write_class(Gen *gen, const GenPass *gp, Cxx *cx) {
    Ctx c = context(gen, gp, cx);
    cxx_comment(cx, "Rows of records, each a value and its place: chunks of them are sorted in UB, then runs merged by way of workspace.%s",
                c.plan->descending ? "" : " The greatest "
                                          "come first there and equal ones keep their order, so rows are taken from the end and stored from the end.");
    gen_open_class(gp, cx);
    write_init(&c);
    write_process(&c);
    cxx_label(cx, "private:");
    cxx_line(cx, "static constexpr uint32_t CHUNK = %u; // records in UB at a time", SORT_CHUNK);
    cxx_line(cx, "static constexpr uint32_t WINDOW = CHUNK / 4; // records of each of four runs");
    cxx_line(cx, "static constexpr uint32_t RECORD = 2; // floats: the value, and the bits of its place");
    cxx_blank(cx);
    write_load(&c);
    write_merge_level(&c);
    write_sort_chunk(&c);
    write_merge_runs(&c);
    write_store(&c);
    write_members(&c);
    cxx_close(cx, ";");
    cxx_blank(cx);
}
