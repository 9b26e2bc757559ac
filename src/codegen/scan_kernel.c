/* Members of a class whose tiles follow each other: where a tile lies, the scan of a tile, what lines carry from tile to
 * tile and from core to core.
 *
 * A tile is scanned as a sequence of steps, each a number of lanes side by side in UB: when rows are scanned a step is a row.
 * When columns are, the tile is turned first (TransDataTo5HD), so that its rows are the lanes and a step is a column; few rows
 * are cut into pieces, each a lane, and the pieces' ends are scanned among themselves. */
#include "codegen/kernel.h"
#include "lower/scan.h"

#include <string.h>

static const struct {
    KirOp on_floats, on_ints;
    const char *name, *join; /* of the function; the instruction that joins two */
    const char *identity_f, *identity_i;
} JOINS[] = {
    {KIR_CUMSUM_F, KIR_CUMSUM_I, "Sum", "Add", "0.0f", "0"},
    {KIR_CUMPROD_F, KIR_CUMPROD_I, "Prod", "Mul", "1.0f", "1"},
    {KIR_CUMMAX_F, KIR_CUMMAX_I, "Max", "Max", "FloatFromBits(0xFF800000)", "-2147483647 - 1"},
    {KIR_CUMMIN_F, KIR_CUMMIN_I, "Min", "Min", "FloatFromBits(0x7F800000)", "2147483647"},
    {KIR_CUMLOGSUM_F, KIR_N_OPS, "LogSum", NULL, "-3.40282347e38f", NULL},
};
#define N_JOINS (sizeof JOINS / sizeof JOINS[0])

static bool any_program_uses(const Gen *gen, const GenPass *gp, KirOp op) {
    for (size_t i = 0; op != KIR_N_OPS && i < gen->plan->programs.n; i++)
        if (scan_uses(gen->plan->programs.at[i]->passes.at[gp->index], op)) return true;
    return false;
}

/* ---- tiles
 * ------------------------------------------------------------------------------------------------------- */

void gen_scan_init(Gen *gen, const GenPass *gp, Cxx *cx) {
    (void)gen;
    cxx_line(cx, "pitch_ = RoundUp(colsPerTile_, 64);");
    if (scan_runs_along_columns(gp->p)) cxx_line(cx, "lanes_ = rowsPerTile_ * pieces_;");
    cxx_line(cx, "const uint64_t core = GetBlockIdx();");
    if (!scan_is_nested(gp->p)) {
        cxx_line(cx, "carriesGm_.SetGlobalBuffer((__gm__ float *)scratch);");
        cxx_open(cx, "if (coresPerLine_ > 1)");
        cxx_comment(cx, "Fewer lines than cores: each takes a contiguous part of one line.");
        cxx_line(cx, "const uint64_t line = core / coresPerLine_;");
        cxx_line(cx, "part_ = static_cast<uint32_t>(core %% coresPerLine_);");
        cxx_line(cx, "const uint64_t least = lineTiles_ / coresPerLine_, more = lineTiles_ %% coresPerLine_;");
        cxx_line(cx, "begin_ = line * lineTiles_ + part_ * least + Least<uint64_t>(part_, more);");
        cxx_line(cx, "end_ = line < nLines_ ? begin_ + least + (part_ < more ? 1 : 0) : begin_;");
        cxx_else(cx);
    }
    cxx_comment(cx, "A contiguous share of the lines; the first cores take one more.");
    cxx_line(cx, "begin_ = (core * linesPerCore_ + Least<uint64_t>(core, extraLines_)) * lineTiles_;");
    cxx_line(cx, "end_ = begin_ + (linesPerCore_ + (core < extraLines_ ? 1 : 0)) * lineTiles_;");
    if (!scan_is_nested(gp->p)) cxx_close(cx, "");
}

void gen_scan_members(Gen *gen, const GenPass *gp, Cxx *cx) {
    (void)gen;
    if (!scan_is_nested(gp->p)) {
        cxx_line(cx, "GlobalTensor<float> carriesGm_;");
        cxx_line(cx, "uint32_t part_ = 0; // of a line that cores share");
    }
    if (scan_runs_along_columns(gp->p)) cxx_line(cx, "uint32_t lanes_; // rows of a tile, or pieces of them");
    cxx_line(cx, "bool hasCarry_ = false; // the tile is not the first of its line");
    cxx_line(cx, "bool isAhead_ = false; // only what lines come to is wanted");
}

void gen_scan_locate(Gen *gen, const GenPass *gp, Cxx *cx) {
    const PlanPass *p = gp->p;
    bool columns = scan_runs_along_columns(p);
    uint32_t n_outer = p->space.rank - 2;
    cxx_comment(cx, "The tiles of a line have consecutive numbers%s.", p->backwards ? ", from its end" : "");
    cxx_function(cx, "__aicore__ inline void Locate(uint64_t tile)");
    cxx_line(cx, "%s_ = %stile %% lineTiles_%s * %sPerTile_;", columns ? "col" : "row", p->backwards ? "(lineTiles_ - 1 - " : "",
             p->backwards ? ")" : "", columns ? "cols" : "rows");
    cxx_line(cx, "uint64_t rest = tile / lineTiles_;");
    if (columns) {
        cxx_line(cx, "row_ = rest %% rowBlocks_ * rowsPerTile_;");
        cxx_line(cx, "rest /= rowBlocks_;");
    }
    for (uint32_t d = n_outer; d-- > 0;) {
        cxx_line(cx, "i%u_ = rest %% outer%u_;", d, d);
        cxx_line(cx, "rest /= outer%u_;", d);
    }
    if (!columns) cxx_line(cx, "col_ = rest * colsPerTile_;");
    cxx_line(cx, "nRows_ = static_cast<uint32_t>(Least<uint64_t>(rowsPerTile_, rows_ - row_));");
    cxx_line(cx, "nCols_ = static_cast<uint32_t>(Least<uint64_t>(colsPerTile_, cols_ - col_));");
    cxx_close(cx, "");
    cxx_blank(cx);
    (void)gen;
}

/* The rest of Process, and what runs through the tiles. */
void gen_scan_process(Gen *gen, const GenPass *gp, Cxx *cx) {
    bool vectors = gen_has_class(gp, PLAN_VECTOR), shares = !scan_is_nested(gp->p);
    if (scan_runs_along_columns(gp->p)) cxx_line(cx, "MakeLaneOffsets();");
    if (shares) {
        cxx_open(cx, "if (coresPerLine_ > 1)");
        cxx_comment(cx, "What a part comes to does not rest on what is before it: all cores find that out first.");
        cxx_open(cx, "if (begin_ < end_ && part_ + 1 < coresPerLine_)");
        cxx_line(cx, "isAhead_ = true;");
        cxx_line(cx, "RunTiles();");
        cxx_line(cx, "isAhead_ = false;");
        cxx_line(cx, "LeaveCarries();");
        cxx_close(cx, "");
        cxx_line(cx, "SyncAll();");
        cxx_line(cx, "TakeCarries();");
        cxx_close(cx, "");
    }
    cxx_line(cx, "RunTiles();");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_function(cx, "__aicore__ inline void RunTiles()");
    if (vectors) cxx_line(cx, "uint64_t loadedCol = cols_;");
    cxx_open(cx, "for (uint64_t tile = begin_; tile < end_; tile++)");
    cxx_open(cx, "if (tile %% lineTiles_ == 0)");
    cxx_line(cx, "hasCarry_ = false;");
    cxx_close(cx, "");
    cxx_line(cx, "Locate(tile);");
    if (vectors) {
        cxx_open(cx, "if (col_ != loadedCol)");
        cxx_line(cx, "LoadVectors();");
        cxx_line(cx, "loadedCol = col_;");
        cxx_close(cx, "");
    }
    cxx_line(cx, "CopyIn();");
    cxx_line(cx, "Compute();");
    cxx_line(cx, "CopyOut();");
    cxx_line(cx, "hasCarry_ = true;");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
    (void)gen;
}

/* ---- lanes
 * ------------------------------------------------------------------------------------------------------- */

static void write_lane_offsets(const GenPass *gp, Cxx *cx) {
    bool back = gp->p->backwards;
    cxx_comment(cx, "For Gather: the lane 1, 2, 4 and 8 pieces %s in the same row, or one that changes nothing; then the %s "
                    "lane of each row.",
                back ? "after each" : "before each", back ? "first" : "last");
    cxx_function(cx, "__aicore__ inline void MakeLaneOffsets()");
    cxx_line(cx, "LocalTensor<uint32_t> offsets = lanesAside_.Get<uint32_t>();");
    cxx_open(cx, "for (uint32_t lane = 0; pieces_ > 1 && lane < PIECES; lane++)");
    cxx_line(cx, "const uint32_t piece = lane %% pieces_;");
    cxx_open(cx, "for (uint32_t level = 0; level < 4; level++)");
    cxx_line(cx, "const uint32_t shift = 1u << level;");
    if (back) cxx_line(cx, "const uint32_t from = piece + shift < pieces_ ? lane + shift : PIECES;");
    else cxx_line(cx, "const uint32_t from = piece >= shift ? lane - shift : PIECES;");
    cxx_line(cx, "offsets.SetValue(level * PIECES + lane, from * sizeof(float));");
    cxx_close(cx, "");
    cxx_line(cx, "offsets.SetValue(4 * PIECES + lane, (lane - piece%s) * sizeof(float));", back ? "" : " + pieces_ - 1");
    cxx_close(cx, "");
    cxx_line(cx, "const event_t written = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_V));");
    cxx_line(cx, "SetFlag<HardEvent::S_V>(written);");
    cxx_line(cx, "WaitFlag<HardEvent::S_V>(written);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_levels(Cxx *cx) {
    cxx_function(cx, "__aicore__ inline uint32_t Levels(uint32_t steps)");
    cxx_line(cx, "uint32_t levels = 0;");
    cxx_open(cx, "for (uint32_t shift = 1; shift < steps; shift *= 2)");
    cxx_line(cx, "levels++;");
    cxx_close(cx, "");
    cxx_line(cx, "return levels;");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_turn(Cxx *cx, bool to_steps) {
    if (to_steps) cxx_comment(cx, "Rows, or pieces of them, become lanes: dst[step][lane] = src[lane][step], 16 lanes by 8 steps at a time.");
    else cxx_comment(cx, "The way back, 8 lanes by 16 steps at a time.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void %s(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t steps)",
                 to_steps ? "TurnToSteps" : "TurnToRows");
    cxx_line(cx, "const uint32_t length = pitch_ / pieces_;");
    cxx_line(cx, "TransDataTo5HDParams params;");
    cxx_line(cx, "params.repeatTimes = static_cast<uint8_t>(steps / %u);", to_steps ? 8 : 16);
    if (to_steps) {
        cxx_line(cx, "params.srcRepStride = 1;");
        cxx_line(cx, "params.dstRepStride = static_cast<uint16_t>(lanes_);");
    } else {
        cxx_comment(cx, "A single repeat would add the strides, too.");
        cxx_line(cx, "params.srcRepStride = static_cast<uint16_t>(steps > 16 ? 2 * lanes_ : 0);");
        cxx_line(cx, "params.dstRepStride = steps > 16 ? 2 : 0;");
    }
    cxx_line(cx, "uint64_t to[16], from[16];");
    cxx_open(cx, "for (uint32_t lane = 0; lane < lanes_; lane += %u)", to_steps ? 16 : 8);
    cxx_open(cx, "for (uint32_t i = 0; i < 16; i++)");
    if (to_steps) {
        cxx_line(cx, "from[i] = reinterpret_cast<uint64_t>(src[(lane + i) * length].GetPhyAddr());");
        cxx_line(cx, "to[i] = reinterpret_cast<uint64_t>(dst[i / 2 * lanes_ + lane + i %% 2 * 8].GetPhyAddr());");
    } else {
        cxx_line(cx, "from[i] = reinterpret_cast<uint64_t>(src[i * lanes_ + lane].GetPhyAddr());");
        cxx_line(cx, "to[i] = reinterpret_cast<uint64_t>(dst[(lane + i / 2) * length + i %% 2 * 8].GetPhyAddr());");
    }
    cxx_close(cx, "");
    cxx_line(cx, "TransDataTo5HD<T>(to, from, params);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_pattern(Cxx *cx) {
    cxx_comment(cx, "One step, repeated over a chunk.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline LocalTensor<T> Repeated(const LocalTensor<T> &step)");
    cxx_line(cx, "LocalTensor<T> pattern = pattern_.Get<T>();");
    cxx_line(cx, "const uint32_t wide = lanes_ < 64 ? 64 : lanes_;");
    cxx_open(cx, "for (uint32_t at = 0; at < wide; at += lanes_)");
    cxx_line(cx, "DataCopy(pattern[at], step, lanes_);");
    cxx_close(cx, "");
    cxx_line(cx, "const CopyRepeatParams params{1, 1, static_cast<uint16_t>(wide / 8), 0};");
    cxx_open(cx, "for (uint32_t at = 0; at < wide; at += 64)");
    cxx_line(cx, "Copy(pattern[wide + at], pattern[at], 64, static_cast<uint8_t>(CHUNK / wide - 1), params);");
    cxx_close(cx, "");
    cxx_line(cx, "return pattern;");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_fill_tail(Cxx *cx) {
    cxx_comment(cx, "Lines are scanned from their ends, so what lies behind the last column must change nothing.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void FillTail(const LocalTensor<T> &tile, T value, uint32_t width)");
    cxx_line(cx, "const uint32_t whole = RoundUp(nCols_, 8);");
    cxx_line(cx, "uint64_t tail[2] = {0xFFu << (nCols_ %% 8) & 0xFFu, 0};");
    cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
    cxx_open(cx, "if (nCols_ < whole)");
    cxx_line(cx, "Duplicate(tile[row * pitch_ + whole - 8], value, tail, 1, 1, 8);");
    cxx_close(cx, "");
    cxx_open(cx, "if (whole < width)");
    cxx_line(cx, "Duplicate(tile[row * pitch_ + whole], value, static_cast<int32_t>(width - whole));");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_positions(const GenPass *gp, Cxx *cx) {
    cxx_function(cx, "__aicore__ inline void Positions(const LocalTensor<int32_t> &dst)");
    if (scan_runs_along_columns(gp->p)) {
        cxx_line(cx, "CreateVecIndex(dst, static_cast<int32_t>(col_), pitch_);");
        cxx_open(cx, "for (uint32_t row = 1; row < nRows_; row++)");
        cxx_line(cx, "DataCopy(dst[row * pitch_], dst, pitch_);");
    } else {
        cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
        cxx_line(cx, "Duplicate(dst[row * pitch_], static_cast<int32_t>(row_ + row), pitch_);");
    }
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- scans
 * ------------------------------------------------------------------------------------------------------- */

static void write_identity(const Gen *gen, const GenPass *gp, size_t j, Cxx *cx) {
    bool floats = any_program_uses(gen, gp, JOINS[j].on_floats), ints = any_program_uses(gen, gp, JOINS[j].on_ints);
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline T %sOfNone()", JOINS[j].name);
    if (floats && ints) {
        cxx_open(cx, "if constexpr (IsSameType<T, float>::value)");
        cxx_line(cx, "return %s;", JOINS[j].identity_f);
        cxx_else(cx);
        cxx_line(cx, "return %s;", JOINS[j].identity_i);
        cxx_close(cx, "");
    } else cxx_line(cx, "return %s;", floats ? JOINS[j].identity_f : JOINS[j].identity_i);
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_join(size_t j, Cxx *cx) {
    if (!JOINS[j].join) cxx_comment(cx, "log(exp(a) + exp(b)) is the greater and log(1 + exp(-|a - b|)); dst may be a.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void %sJoin(const LocalTensor<T> &dst, const LocalTensor<T> &a, const LocalTensor<T> &b, uint32_t count)",
                 JOINS[j].name);
    if (JOINS[j].join) {
        cxx_line(cx, "%s(dst, a, b, static_cast<int32_t>(count));", JOINS[j].join);
    } else {
        cxx_line(cx, "LocalTensor<T> greater = greater_.Get<T>();");
        cxx_open(cx, "for (uint32_t at = 0; at < count; at += CHUNK)");
        cxx_line(cx, "const int32_t n = Least(CHUNK, count - at);");
        cxx_line(cx, "Max(greater, a[at], b[at], n);");
        cxx_line(cx, "Sub(dst[at], a[at], b[at], n);");
        cxx_line(cx, "Abs(dst[at], dst[at], n);");
        cxx_line(cx, "Muls(dst[at], dst[at], -1.0f, n);");
        cxx_line(cx, "Exp(dst[at], dst[at], n);");
        cxx_line(cx, "Adds(dst[at], dst[at], 1.0f, n);");
        cxx_line(cx, "Ln(dst[at], dst[at], n);");
        cxx_line(cx, "Add(dst[at], dst[at], greater, n);");
        cxx_close(cx, "");
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_steps(size_t j, bool back, Cxx *cx) {
    const char *s = JOINS[j].name;
    cxx_comment(cx, "Every step takes in the one `shift` %s it, and shift doubles from level to level, so that each comes to be "
                    "a tree of all it stands for. Levels go from dst to other and back, the last to dst; src may be what the first "
                    "does not write.",
                back ? "after" : "before");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx,
                 "__aicore__ inline void %sSteps(const LocalTensor<T> &dst, const LocalTensor<T> &other, const LocalTensor<T> &src, "
                 "uint32_t steps, uint32_t lanes)",
                 s);
    cxx_line(cx, "uint32_t level = Levels(steps);");
    cxx_open(cx, "if (level == 0)");
    cxx_line(cx, "DataCopy(dst, src, lanes);");
    cxx_close(cx, "");
    cxx_line(cx, "LocalTensor<T> from = src;");
    cxx_open(cx, "for (uint32_t shift = 1; shift < steps; shift *= 2)");
    cxx_line(cx, "level--;");
    cxx_line(cx, "LocalTensor<T> to = level %% 2 == 0 ? dst : other;");
    cxx_line(cx, "const uint32_t first = shift * lanes, rest = (steps - shift) * lanes;");
    if (back) {
        cxx_line(cx, "%sJoin(to, from, from[first], rest);", s);
        cxx_line(cx, "DataCopy(to[rest], from[rest], first);");
    } else {
        cxx_line(cx, "DataCopy(to, from, first);");
        cxx_line(cx, "%sJoin(to[first], from[first], from, rest);", s);
    }
    cxx_line(cx, "from = to;");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_pieces(size_t j, Cxx *cx) {
    const char *s = JOINS[j].name;
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void %sAll(const LocalTensor<T> &line, const LocalTensor<T> &step, uint32_t count)", s);
    cxx_line(cx, "LocalTensor<T> pattern = Repeated(step);");
    cxx_open(cx, "for (uint32_t at = 0; at < count; at += CHUNK)");
    cxx_line(cx, "%sJoin(line[at], line[at], pattern, Least(CHUNK, count - at));", s);
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_comment(cx, "The ends of pieces are scanned within each row; then every piece takes in what stands before it.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void %sPieces(const LocalTensor<T> &line, const LocalTensor<T> &end, const LocalTensor<T> &carry, uint32_t count)", s);
    cxx_line(cx, "LocalTensor<uint32_t> offsets = lanesAside_.Get<uint32_t>();");
    cxx_line(cx, "LocalTensor<T> ends = lanesAside_.Get<T>()[5 * PIECES], shifted = ends[PIECES + 8], before = shifted[PIECES];");
    cxx_line(cx, "DataCopy(ends, end, PIECES);");
    cxx_line(cx, "Duplicate(ends[PIECES], %sOfNone<T>(), 8);", s);
    cxx_open(cx, "for (uint32_t level = 0; 1u << level < pieces_; level++)");
    cxx_line(cx, "Gather(shifted, ends, offsets[level * PIECES], 0, PIECES);");
    cxx_line(cx, "%sJoin(ends, ends, shifted, PIECES);", s);
    cxx_close(cx, "");
    cxx_line(cx, "Gather(before, ends, offsets, 0, PIECES);");
    cxx_line(cx, "Gather(shifted, ends, offsets[4 * PIECES], 0, PIECES);");
    cxx_open(cx, "if (hasCarry_)");
    cxx_line(cx, "%sJoin(before, before, carry, PIECES);", s);
    cxx_line(cx, "%sJoin(carry, carry, shifted, PIECES);", s);
    cxx_else(cx);
    cxx_line(cx, "DataCopy(carry, shifted, PIECES);");
    cxx_close(cx, "");
    cxx_line(cx, "%sAll(line, before, count);", s);
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_columns(size_t j, bool back, Cxx *cx) {
    const char *s = JOINS[j].name;
    write_pieces(j, cx);
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void Cum%s(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t which)", s);
    cxx_line(cx, "const uint32_t steps = pieces_ > 1 ? pitch_ / pieces_ : RoundUp(nCols_, 16), count = steps * lanes_;");
    cxx_line(cx, "LocalTensor<T> line = steps_.Get<T>(), carry = carry_.Get<T>()[which * CARRY_LENGTH];");
    if (back) cxx_line(cx, "FillTail(src, %sOfNone<T>(), steps * pieces_);", s);
    cxx_line(cx, "LocalTensor<T> turned = Levels(steps) %% 2 == 0 ? line : dst;");
    cxx_line(cx, "TurnToSteps(turned, src, steps);");
    cxx_line(cx, "%sSteps(line, dst, turned, steps, lanes_);", s);
    cxx_open(cx, "if (pieces_ > 1)");
    cxx_line(cx, "%sPieces(line, line[%s], carry, count);", s, back ? "0" : "count - lanes_");
    cxx_else(cx);
    cxx_open(cx, "if (hasCarry_)");
    cxx_line(cx, "%sAll(line, carry, count);", s);
    cxx_close(cx, "");
    cxx_line(cx, "DataCopy(carry, line%s, lanes_);", back ? "" : "[(nCols_ - 1) * lanes_]");
    cxx_close(cx, "");
    cxx_line(cx, "TurnToRows(dst, line, steps);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_rows(size_t j, bool back, Cxx *cx) {
    const char *s = JOINS[j].name;
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void Cum%s(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t which)", s);
    cxx_line(cx, "LocalTensor<T> carry = carry_.Get<T>()[which * CARRY_LENGTH];");
    cxx_line(cx, "%sSteps(dst, steps_.Get<T>(), src, nRows_, pitch_);", s);
    cxx_open(cx, "for (uint32_t row = 0; hasCarry_ && row < nRows_; row++)");
    cxx_line(cx, "%sJoin(dst[row * pitch_], dst[row * pitch_], carry, pitch_);", s);
    cxx_close(cx, "");
    cxx_line(cx, "DataCopy(carry, dst%s, pitch_);", back ? "" : "[(nRows_ - 1) * pitch_]");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- carries between cores
 * --------------------------------------------------------------------------------------- */

static void write_leave(const GenPass *gp, Cxx *cx) {
    bool columns = scan_runs_along_columns(gp->p);
    cxx_comment(cx, "Cores that share a line tell each other what their parts come to.");
    cxx_function(cx, "__aicore__ inline void LeaveCarries()");
    cxx_line(cx, "const uint32_t n = %s;", columns ? "nRows_ * pieces_" : "nCols_");
    cxx_open(cx, "for (uint32_t which = 0; which < SCANS; which++)");
    cxx_line(cx, "LocalTensor<float> out = carryOutQueue_.AllocTensor<float>();");
    cxx_line(cx, "DataCopy(out, carry_.Get<float>()[which * CARRY_LENGTH], RoundUp(n, 8));");
    cxx_line(cx, "carryOutQueue_.EnQue(out);");
    cxx_line(cx, "out = carryOutQueue_.DeQue<float>();");
    cxx_line(cx, "DataCopyPad(carriesGm_[(GetBlockIdx() * SCANS + which) * CARRY_LENGTH], out, "
                 "DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0});");
    cxx_line(cx, "carryOutQueue_.FreeTensor(out);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_take(const GenPass *gp, size_t j, Cxx *cx) {
    bool columns = scan_runs_along_columns(gp->p);
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void Take%s(uint32_t which)", JOINS[j].name);
    cxx_line(cx, "const uint32_t n = %s;", columns ? "nRows_ * pieces_" : "nCols_");
    cxx_line(cx, "LocalTensor<T> carry = carry_.Get<T>()[which * CARRY_LENGTH];");
    cxx_open(cx, "for (uint32_t part = 0; part < part_; part++)");
    cxx_line(cx, "const uint64_t core = GetBlockIdx() - part_ + part;");
    cxx_line(cx, "LocalTensor<float> other = carryInQueue_.AllocTensor<float>();");
    cxx_line(cx, "DataCopyPad(other, carriesGm_[(core * SCANS + which) * CARRY_LENGTH], "
                 "DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0}, DataCopyPadExtParams<float>{});");
    cxx_line(cx, "carryInQueue_.EnQue(other);");
    cxx_line(cx, "other = carryInQueue_.DeQue<float>();");
    cxx_open(cx, "if (part == 0)");
    cxx_line(cx, "DataCopy(carry, other.template ReinterpretCast<T>(), RoundUp(n, 8));");
    cxx_else(cx);
    cxx_line(cx, "%sJoin(carry, carry, other.template ReinterpretCast<T>(), RoundUp(n, 8));", JOINS[j].name);
    cxx_close(cx, "");
    cxx_line(cx, "carryInQueue_.FreeTensor(other);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_take_all(const Gen *gen, const GenPass *gp, Cxx *cx) {
    cxx_function(cx, "__aicore__ inline void TakeCarries()");
    cxx_open(cx, "if (begin_ >= end_)");
    cxx_line(cx, "return;");
    cxx_close(cx, "");
    cxx_line(cx, "Locate(begin_);");
    for (uint32_t which = 0; which < scan_count(gp->p); which++)
        for (size_t i = 0; i < gp->p->kir->insns.n; i++) {
            const KirInsn *in = &gp->p->kir->insns.at[i];
            for (size_t j = 0; j < N_JOINS; j++)
                if ((in->op == JOINS[j].on_floats || in->op == JOINS[j].on_ints) && in->mode == which)
                    cxx_line(cx, "Take%s<%s>(%u);", JOINS[j].name, in->op == JOINS[j].on_floats ? "float" : "int32_t", which);
        }
    cxx_line(cx, "hasCarry_ = part_ > 0;");
    cxx_close(cx, "");
    cxx_blank(cx);
    (void)gen;
}

static void write_constants(const Gen *gen, const GenPass *gp, Cxx *cx) {
    bool columns = scan_runs_along_columns(gp->p);
    cxx_line(cx, "static constexpr uint32_t CARRY_LENGTH = %u; // elements", scan_carry_length(gp->p));
    cxx_line(cx, "static constexpr uint32_t SCANS = %u; // each with its own carry", scan_count(gp->p));
    if (columns || any_program_uses(gen, gp, KIR_CUMLOGSUM_F))
        cxx_line(cx, "static constexpr uint32_t CHUNK = %u; // elements of a tile at a time", SCAN_CHUNK);
    if (columns) cxx_line(cx, "static constexpr uint32_t PIECES = %u; // of the rows of a tile, when they are few", SCAN_PIECES);
    if (columns) cxx_line(cx, "static constexpr uint32_t LANE_BYTES = %u;", SCAN_LANE_BYTES);
    cxx_blank(cx);
}

void gen_scan_functions(Gen *gen, const GenPass *gp, Cxx *cx) {
    const PlanPass *p = gp->p;
    bool columns = scan_runs_along_columns(p), back = p->backwards, shares = !scan_is_nested(p);
    if (!p->ordered) return;
    write_constants(gen, gp, cx);
    if (columns) write_lane_offsets(gp, cx);
    write_levels(cx);
    if (columns) {
        write_turn(cx, true);
        write_turn(cx, false);
        write_pattern(cx);
        if (back) write_fill_tail(cx);
    }
    if (any_program_uses(gen, gp, KIR_POSITION_I)) write_positions(gp, cx);
    for (size_t j = 0; j < N_JOINS; j++) {
        if (!any_program_uses(gen, gp, JOINS[j].on_floats) && !any_program_uses(gen, gp, JOINS[j].on_ints)) continue;
        if (columns) write_identity(gen, gp, j, cx);
        write_join(j, cx);
        write_steps(j, back, cx);
        if (columns) write_columns(j, back, cx);
        else write_rows(j, back, cx);
        if (shares) write_take(gp, j, cx);
    }
    if (!shares) return;
    write_leave(gp, cx);
    write_take_all(gen, gp, cx);
}
