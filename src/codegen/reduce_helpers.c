/* Member functions of reduce classes: operands of different shapes beside each other, folding a tile to rows
 * or columns, pieces of memory that are rows, columns or numbers, and what cores tell each other. Only those
 * in use are written. */
#include "codegen/reduce_emit.h"

#include <string.h>

const char *reduce_op_name(int op) {
    static const char *const NAMES[OP_N] = {"ADD", "SUB", "MUL", "DIV", "MAX", "MIN"};
    return NAMES[op];
}

int reduce_op_of(KirOp op) {
    switch (op) {
    case KIR_ADD_F:
    case KIR_ADD_I:
        return OP_ADD;
    case KIR_SUB_F:
    case KIR_SUB_I:
        return OP_SUB;
    case KIR_MUL_F:
    case KIR_MUL_I:
        return OP_MUL;
    case KIR_DIV_F:
        return OP_DIV;
    case KIR_MAX_F:
    case KIR_MAX_I:
        return OP_MAX;
    case KIR_MIN_F:
    case KIR_MIN_I:
        return OP_MIN;
    default:
        return -1;
    }
}

bool reduce_is_tile_op(KirOp op) {
    return op >= KIR_TSUM_F && op <= KIR_TPROD_I;
}
bool reduce_is_exchange(KirOp op) {
    return op >= KIR_XSUM_F && op <= KIR_XPROD_I;
}
bool reduce_is_int(KirOp op) {
    return (op >= KIR_TSUM_I && op <= KIR_TPROD_I) || op >= KIR_XSUM_I;
}

/* Rows of kir.def come in the order sum, max, min, product. */
int reduce_fold_of(KirOp op) {
    static const int FOLDS[] = {OP_ADD, OP_MAX, OP_MIN, OP_MUL};
    if (reduce_is_tile_op(op)) return FOLDS[(op - KIR_TSUM_F) % 4];
    return reduce_is_exchange(op) ? FOLDS[(op - KIR_XSUM_F) % 4] : -1;
}

const char *reduce_identity_text(Gen *gen, KirOp op) {
    static const double F[OP_N] =
        {[OP_ADD] = 0, [OP_MUL] = 1, [OP_MAX] = -__builtin_inf(), [OP_MIN] = __builtin_inf()},
                        I[OP_N] = {[OP_ADD] = 0, [OP_MUL] = 1, [OP_MAX] = INT32_MIN, [OP_MIN] = INT32_MAX};
    bool is_int = reduce_is_int(op);
    return gen_literal(gen->a, (is_int ? I : F)[reduce_fold_of(op)], !is_int);
}

/* ---- what is in use
 * ---------------------------------------------------------------------------------------------- */

typedef struct Uses {
    uint32_t ops; /* bits */
    bool strided, expand_row, expand_blocks, fold_float, fold_lanes, fold_rows, exchange, to_one;
    bool piece_in, piece_out, mask_in, mask_out, line_mask_in, line_mask_out;
} Uses;

static void see_step(const PlanPass *p, const ReduceStep *st, Uses *u) {
    const ReducePlan *r = reduce_plan(p);
    const KirInsn *in = &p->kir->insns.at[st->insn];
    uint32_t shape = r->shape_of[st->insn];
    if (reduce_is_strided_op(in->op))
        for (int s = 0; s < 2; s++)
            if (r->shape_of[in->src[s]] != shape) {
                u->strided = true;
                u->ops |= 1u << reduce_op_of(in->op);
            }
    if ((in->op == KIR_EXPAND_F || in->op == KIR_EXPAND_I) && shape <= SHAPE_TILE) {
        bool row = r->shape_of[in->src[0]] == SHAPE_COLS;
        u->expand_row |= row;
        u->expand_blocks |= !row;
    }
    if (reduce_is_tile_op(in->op)) {
        bool lanes = reduce_is_int(in->op) || reduce_fold_of(in->op) == OP_MUL;
        u->ops |= 1u << reduce_fold_of(in->op);
        u->fold_rows |= r->axis == REDUCE_ROWS;
        u->fold_float |= r->axis != REDUCE_ROWS && !lanes;
        u->fold_lanes |= r->axis != REDUCE_ROWS && lanes;
        u->to_one |= r->axis == REDUCE_BOTH;
    }
    if (reduce_is_exchange(in->op)) {
        u->ops |= 1u << reduce_fold_of(in->op);
        u->exchange = true;
    }
}

static Uses find_uses(const PlanPass *p) {
    const ReducePlan *r = reduce_plan(p);
    Uses u = {0};
    for (uint32_t s = 0; s < 2 * r->n_phases + 1; s++)
        for (size_t t = 0; t < r->section[s].n; t++)
            if (!r->section[s].at[t].joins) see_step(p, &r->section[s].at[t], &u);
    for (size_t i = 0; i < p->access.n; i++) {
        const PlanAccess *acc = &p->access.at[i];
        bool tile = reduce_is_tile_access(p, acc), is_bool = gen_is_bool(acc);
        if (acc->cls == PLAN_NUMBER) continue;
        u.line_mask_in |= tile && is_bool && !acc->is_store;
        u.line_mask_out |= tile && is_bool && acc->is_store;
        u.mask_in |= !tile && is_bool && !acc->is_store;
        u.mask_out |= !tile && is_bool && acc->is_store;
        u.piece_in |= !tile && !is_bool && !acc->is_store;
        u.piece_out |= !tile && !is_bool && acc->is_store;
    }
    return u;
}

bool reduce_is_tile_access(const PlanPass *p, const PlanAccess *acc) {
    return acc->cls != PLAN_NUMBER && reduce_access_shape(p, acc) == SHAPE_TILE;
}

static bool has_piece(const PlanPass *p, bool store) {
    for (size_t i = 0; i < p->access.n; i++)
        if (p->access.at[i].is_store == store && p->access.at[i].cls != PLAN_NUMBER &&
            !reduce_is_tile_access(p, &p->access.at[i]))
            return true;
    return reduce_plan(p)->n_exchanges > 0;
}
bool reduce_has_piece_in(const PlanPass *p) {
    return has_piece(p, false);
}
bool reduce_has_piece_out(const PlanPass *p) {
    return has_piece(p, true);
}

bool reduce_pieces_are_cols(const PlanPass *p) {
    if (reduce_plan(p)->axis == REDUCE_ROWS) return true;
    for (size_t i = 0; i < p->access.n; i++)
        if (p->access.at[i].cls != PLAN_NUMBER && reduce_access_shape(p, &p->access.at[i]) == SHAPE_COLS)
            return true;
    return false;
}

uint32_t reduce_piece_bytes(const Gen *gen, const PlanPass *p) {
    uint32_t bytes = 4;
    (void)gen;
    for (size_t i = 0; i < p->access.n; i++)
        if (p->access.at[i].dtype[0] == DTYPE_I64 && !reduce_is_tile_access(p, &p->access.at[i])) bytes = 8;
    return bytes;
}

/* HW: AllocTensor page: at most 8 buffers per TPosition. */
uint32_t reduce_queue_depth(const PlanPass *p) {
    uint32_t in = reduce_has_piece_in(p), out = reduce_has_piece_out(p);
    for (size_t i = 0; i < p->access.n; i++)
        if (reduce_is_tile_access(p, &p->access.at[i])) *(p->access.at[i].is_store ? &out : &in) += 1;
    return in <= 4 && out <= 4 ? 2 : 1;
}

bool reduce_uses_member(const PlanPass *p, const char *name) {
    for (size_t i = 0; i < p->scalars.n; i++)
        if (p->scalars.at[i].kind == PLAN_MEMBER && strcmp(p->scalars.at[i].name, name) == 0) return true;
    return false;
}

/* ---- operands of different shapes
 * -------------------------------------------------------------------------------- */

static void write_apply(Cxx *cx, uint32_t ops) {
    static const char *const CALLS[OP_N] = {"Add", "Sub", "Mul", "Div", "Max", "Min"};
    StrBuf names;
    strbuf_init(&names, cx->sb.arena);
    for (int i = 0; i < OP_N; i++)
        if (ops >> i & 1) strbuf_printf(&names, "%s%s", names.n_bytes ? ", " : "", reduce_op_name(i));
    cxx_line(cx, "enum class Op { %s };", names.text);
    cxx_blank(cx);
    cxx_line(cx, "template <Op OP, typename T, typename... Args>");
    cxx_function(
        cx, "__aicore__ static inline void Apply(const LocalTensor<T> &dst, const LocalTensor<T> &a, const "
            "LocalTensor<T> &b, Args... args)");
    bool first = true;
    for (int i = 0; i < OP_N; i++) {
        if (!(ops >> i & 1)) continue;
        bool last = !(ops >> (i + 1));
        if (first && last) {
            cxx_line(cx, "%s(dst, a, b, args...);", CALLS[i]);
            break;
        }
        if (first) cxx_open(cx, "if constexpr (OP == Op::%s)", reduce_op_name(i));
        else if (last) cxx_else(cx);
        else {
            cx->depth--;
            cxx_open(cx, "} else if constexpr (OP == Op::%s)", reduce_op_name(i));
        }
        cxx_line(cx, "%s(dst, a, b, args...);", CALLS[i]);
        first = false;
        if (last) cxx_close(cx, "");
    }
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_along(Cxx *cx) {
    cxx_comment(cx, "How an operand lies beside a tile of rows x pitch: as the tile itself, one row that all "
                    "rows share, a "
                    "32-byte block for each row, one block for all.");
    cxx_line(cx, "enum class Like { TILE, ROW, BLOCKS, BLOCK };");
    cxx_blank(cx);
    cxx_line(cx, "template <Like L>");
    cxx_function(cx, "__aicore__ static inline uint32_t RowStep(uint32_t pitch)");
    cxx_line(cx, "return L == Like::TILE ? pitch : L == Like::BLOCKS ? 8 : 0;");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_strided(Cxx *cx) {
    cxx_comment(cx, "One instruction takes 64 columns of all rows, or up to 255 x 64 columns of one row when "
                    "rows are long or "
                    "few; HW: a repeat steps over at most 255 blocks.");
    cxx_line(cx, "template <Op OP, Like A, Like B, typename T>");
    cxx_function(cx, "__aicore__ inline void Beside(const LocalTensor<T> &dst, const LocalTensor<T> &a, "
                     "const LocalTensor<T> "
                     "&b, uint32_t rows, uint32_t pitch)");
    cxx_line(cx, "constexpr bool A_REPEATS = A == Like::BLOCKS || A == Like::BLOCK, B_REPEATS = B == "
                 "Like::BLOCKS || B == "
                 "Like::BLOCK;");
    cxx_line(cx, "BinaryRepeatParams params(1, A_REPEATS ? 0 : 1, B_REPEATS ? 0 : 1, 8, A_REPEATS ? 0 : 8, "
                 "B_REPEATS ? 0 : 8);");
    cxx_open(cx, "if (pitch <= LONGEST_STEP && rows * 64 >= pitch)");
    cxx_line(cx, "params.dstRepStride = static_cast<uint8_t>(pitch / 8);");
    cxx_line(cx, "params.src0RepStride = static_cast<uint8_t>(RowStep<A>(pitch) / 8);");
    cxx_line(cx, "params.src1RepStride = static_cast<uint8_t>(RowStep<B>(pitch) / 8);");
    cxx_open(cx, "for (uint32_t col = 0; col < pitch; col += 64)");
    cxx_line(cx,
             "Apply<OP>(dst[col], a[A_REPEATS ? 0 : col], b[B_REPEATS ? 0 : col], static_cast<uint64_t>(64), "
             "static_cast<uint8_t>(rows), params);");
    cxx_close(cx, "");
    cxx_line(cx, "return;");
    cxx_close(cx, "");
    cxx_open(cx, "for (uint32_t row = 0; row < rows; row++)");
    cxx_open(cx, "for (uint32_t col = 0; col < pitch; col += 255 * 64)");
    cxx_line(cx, "const uint8_t repeats = static_cast<uint8_t>(Least<uint32_t>(255, (pitch - col) / 64));");
    cxx_line(cx,
             "Apply<OP>(dst[row * pitch + col], a[row * RowStep<A>(pitch) + (A_REPEATS ? 0 : col)], b[row * "
             "RowStep<B>(pitch) + (B_REPEATS ? 0 : col)], static_cast<uint64_t>(64), repeats, params);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_expand(Cxx *cx) {
    cxx_comment(cx, "Repeats a row, blocks or one block over a tile.");
    cxx_line(cx, "template <Like L, typename T>");
    cxx_function(
        cx,
        "__aicore__ inline void Expand(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t rows, "
        "uint32_t pitch)");
    cxx_line(cx, "constexpr uint16_t SAME = L == Like::ROW ? 1 : 0;");
    cxx_open(cx, "if (pitch <= LONGEST_STEP && rows * 64 >= pitch)");
    cxx_line(cx, "const CopyRepeatParams params{1, SAME, static_cast<uint16_t>(pitch / 8), "
                 "static_cast<uint16_t>(RowStep<L>(pitch) / 8)};");
    cxx_open(cx, "for (uint32_t col = 0; col < pitch; col += 64)");
    cxx_line(cx, "Copy(dst[col], src[L == Like::ROW ? col : 0], static_cast<uint64_t>(64), "
                 "static_cast<uint8_t>(rows), params);");
    cxx_close(cx, "");
    cxx_line(cx, "return;");
    cxx_close(cx, "");
    cxx_line(cx, "const CopyRepeatParams params{1, SAME, 8, static_cast<uint16_t>(SAME * 8)};");
    cxx_open(cx, "for (uint32_t row = 0; row < rows; row++)");
    cxx_open(cx, "for (uint32_t col = 0; col < pitch; col += 255 * 64)");
    cxx_line(cx, "Copy(dst[row * pitch + col], src[row * RowStep<L>(pitch) + (L == Like::ROW ? col : 0)], "
                 "static_cast<uint64_t>(64), "
                 "static_cast<uint8_t>(Least<uint32_t>(255, (pitch - col) / 64)), params);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- folding
 * ----------------------------------------------------------------------------------------------------- */

static void write_fold_columns(Cxx *cx) {
    cxx_comment(cx, "Lanes past the last column get the value that changes nothing; then halves of each row "
                    "are joined until 64 "
                    "lanes are left, so that sums are as exact as those of a tree.");
    cxx_line(cx, "template <Op OP, typename T>");
    cxx_function(cx, "__aicore__ inline void FoldColumns(const LocalTensor<T> &dst, const LocalTensor<T> "
                     "&src, T identity, bool "
                     "inPlace)");
    cxx_open(cx, "if (nCols_ %% 64 != 0)");
    cxx_line(cx, "uint64_t tail[2] = {~static_cast<uint64_t>(0) << (nCols_ %% 64), 0};");
    cxx_line(cx, "const uint32_t last = nCols_ / 64 * 64;");
    cxx_line(cx, "const uint32_t together = pitch_ <= LONGEST_STEP ? nRows_ : 1;");
    cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row += together)");
    cxx_line(cx, "Duplicate(src[row * pitch_ + last], identity, tail, static_cast<uint8_t>(together), 1, "
                 "static_cast<uint8_t>(together > 1 ? pitch_ / 8 : 8));");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_line(cx, "uint32_t strips = RoundUp(nCols_, 64) / 64;");
    cxx_open(cx, "if (strips == 1 && !inPlace)");
    cxx_line(cx, "CopyStrip(dst, src);");
    cxx_close(cx, "");
    cxx_line(cx, "LocalTensor<T> from = src;");
    cxx_open(cx, "while (strips > 1)");
    cxx_line(cx, "const uint32_t half = (strips + 1) / 2;");
    cxx_line(cx, "JoinStrips<OP>(dst, from, from[half * 64], strips - half);");
    cxx_open(cx, "if (strips %% 2 != 0 && !inPlace)");
    cxx_line(cx, "CopyStrip(dst[half * 64 - 64], from[half * 64 - 64]);");
    cxx_close(cx, "");
    cxx_line(cx, "inPlace = true;");
    cxx_line(cx, "from = dst;");
    cxx_line(cx, "strips = half;");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_strips(Cxx *cx) {
    cxx_comment(cx, "The first strips of 64 columns of a with those of b, in all rows.");
    cxx_line(cx, "template <Op OP, typename T>");
    cxx_function(cx, "__aicore__ inline void JoinStrips(const LocalTensor<T> &dst, const LocalTensor<T> &a, "
                     "const LocalTensor<T> "
                     "&b, uint32_t strips)");
    cxx_open(cx, "if (pitch_ <= LONGEST_STEP && nRows_ >= strips)");
    cxx_line(cx, "const uint8_t step = static_cast<uint8_t>(pitch_ / 8);");
    cxx_open(cx, "for (uint32_t col = 0; col < strips * 64; col += 64)");
    cxx_line(cx,
             "Apply<OP>(dst[col], a[col], b[col], static_cast<uint64_t>(64), static_cast<uint8_t>(nRows_), "
             "BinaryRepeatParams(1, 1, 1, step, step, step));");
    cxx_close(cx, "");
    cxx_line(cx, "return;");
    cxx_close(cx, "");
    cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row++)");
    cxx_line(
        cx,
        "Apply<OP>(dst[row * pitch_], a[row * pitch_], b[row * pitch_], static_cast<int32_t>(strips * 64));");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
    cxx_line(cx, "template <typename T>");
    cxx_function(cx,
                 "__aicore__ inline void CopyStrip(const LocalTensor<T> &dst, const LocalTensor<T> &src)");
    cxx_line(cx, "const uint32_t together = pitch_ <= LONGEST_STEP ? nRows_ : 1;");
    cxx_line(cx, "const uint16_t step = static_cast<uint16_t>(together > 1 ? pitch_ / 8 : 8);");
    cxx_open(cx, "for (uint32_t row = 0; row < nRows_; row += together)");
    cxx_line(cx, "Copy(dst[row * pitch_], src[row * pitch_], static_cast<uint64_t>(64), "
                 "static_cast<uint8_t>(together), "
                 "CopyRepeatParams{1, 1, step, step});");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_whole(Cxx *cx, const PlanPass *p) {
    static const struct {
        KirOp op;
        const char *call, *order;
    } CALLS[] = {{KIR_TSUM_F, "WholeReduceSum", ""},
                 {KIR_TMAX_F, "WholeReduceMax", ", ReduceOrder::ORDER_ONLY_VALUE"},
                 {KIR_TMIN_F, "WholeReduceMin", ", ReduceOrder::ORDER_ONLY_VALUE"}};
    bool used[3] = {false};
    int n = 0, i_used = 0;
    for (size_t i = 0; i < p->kir->insns.n; i++)
        for (int k = 0; k < 3; k++) used[k] |= p->kir->insns.at[i].op == CALLS[k].op;
    for (int k = 0; k < 3; k++) n += used[k];
    cxx_comment(cx, "dst[row] from the 64 lanes of each row.");
    cxx_line(cx, "template <Op OP>");
    cxx_function(cx, "__aicore__ inline void JoinLanes(const LocalTensor<float> &dst, const "
                     "LocalTensor<float> &src, uint32_t rows, "
                     "uint32_t pitch)");
    cxx_line(cx, "const uint32_t together = pitch <= LONGEST_STEP ? rows : 1;");
    cxx_line(cx, "const int32_t step = static_cast<int32_t>(together > 1 ? pitch / 8 : 8);");
    cxx_open(cx, "for (uint32_t row = 0; row < rows; row += together)");
    for (int k = 0; k < 3; k++) {
        if (!used[k]) continue;
        const char *call =
            arena_printf(cx->sb.arena,
                         "%s(dst[row], src[row * pitch], 64, static_cast<int32_t>(together), 1, 1, "
                         "step%s);",
                         CALLS[k].call, CALLS[k].order);
        i_used++;
        if (n > 1 && i_used == 1)
            cxx_open(cx, "if constexpr (OP == Op::%s)", reduce_op_name(reduce_fold_of(CALLS[k].op)));
        else if (n > 1 && i_used == n) cxx_else(cx);
        else if (n > 1) {
            cx->depth--;
            cxx_open(cx, "} else if constexpr (OP == Op::%s)", reduce_op_name(reduce_fold_of(CALLS[k].op)));
        }
        cxx_line(cx, "%s", call);
        if (n > 1 && i_used == n) cxx_close(cx, "");
    }
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_lanes(Cxx *cx) {
    cxx_comment(cx, "The same for operations that no instruction does within a row: halves down to 8 lanes, "
                    "then lane by lane.");
    cxx_line(cx, "template <Op OP, typename T>");
    cxx_function(cx, "__aicore__ inline void JoinLanesByHalves(const LocalTensor<T> &dst, const "
                     "LocalTensor<T> &src, uint32_t "
                     "rows, uint32_t pitch)");
    cxx_line(cx, "const uint32_t together = pitch <= LONGEST_STEP ? rows : 1;");
    cxx_line(cx, "const uint8_t step = static_cast<uint8_t>(together > 1 ? pitch / 8 : 8), n = "
                 "static_cast<uint8_t>(rows);");
    cxx_line(cx, "LocalTensor<T> half = lanes_.Get<T>()[3 * MAX_ROWS];");
    cxx_open(cx, "for (uint32_t row = 0; row < rows; row += together)");
    cxx_line(cx,
             "Apply<OP>(half[row * 32], src[row * pitch], src[row * pitch + 32], static_cast<uint64_t>(32), "
             "static_cast<uint8_t>(together), BinaryRepeatParams(1, 1, 1, 4, step, step));");
    cxx_close(cx, "");
    cxx_line(cx, "Apply<OP>(src, half, half[16], static_cast<uint64_t>(16), n, BinaryRepeatParams(1, 1, 1, "
                 "2, 4, 4));");
    cxx_line(
        cx,
        "Apply<OP>(half, src, src[8], static_cast<uint64_t>(8), n, BinaryRepeatParams(1, 1, 1, 1, 2, 2));");
    cxx_line(cx, "LocalTensor<int32_t> starts = lanes_.Get<int32_t>();");
    cxx_line(cx, "LocalTensor<T> lane = lanes_.Get<T>()[MAX_ROWS];");
    cxx_line(cx, "CreateVecIndex(starts, 0, rows);");
    cxx_line(cx, "Muls(starts, starts, static_cast<int32_t>(8 * sizeof(T)), static_cast<int32_t>(rows));");
    cxx_line(cx, "Gather(dst, half, starts.ReinterpretCast<uint32_t>(), 0, rows);");
    cxx_open(cx, "for (uint32_t i = 1; i < 8; i++)");
    cxx_line(cx, "Gather(lane, half, starts.ReinterpretCast<uint32_t>(), static_cast<uint32_t>(i * "
                 "sizeof(T)), rows);");
    cxx_line(cx, "Apply<OP>(dst, dst, lane, static_cast<int32_t>(rows));");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_fold_rows(Cxx *cx) {
    cxx_comment(cx, "The upper half of the rows is joined with the lower one until one row is left, so that "
                    "sums are as exact as "
                    "those of a tree.");
    cxx_line(cx, "template <Op OP, typename T>");
    cxx_function(cx, "__aicore__ inline void FoldRows(const LocalTensor<T> &dst, const LocalTensor<T> &src, "
                     "bool inPlace)");
    cxx_line(cx, "LocalTensor<T> from = src;");
    cxx_open(cx, "if (nRows_ == 1 && !inPlace)");
    cxx_line(cx, "DataCopy(dst, src, pitch_);");
    cxx_close(cx, "");
    cxx_open(cx, "for (uint32_t rows = nRows_; rows > 1;)");
    cxx_line(cx, "const uint32_t half = (rows + 1) / 2;");
    cxx_line(cx, "Apply<OP>(dst, from, from[half * pitch_], static_cast<int32_t>((rows - half) * pitch_));");
    cxx_open(cx, "if (rows %% 2 != 0 && !inPlace)");
    cxx_line(cx, "DataCopy(dst[(half - 1) * pitch_], from[(half - 1) * pitch_], pitch_);");
    cxx_close(cx, "");
    cxx_line(cx, "inPlace = true;");
    cxx_line(cx, "from = dst;");
    cxx_line(cx, "rows = half;");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_to_one(Cxx *cx, bool lanes) {
    cxx_comment(cx, "One number of all rows' numbers.");
    cxx_line(cx, "template <Op OP, typename T>");
    cxx_function(cx, "__aicore__ inline void JoinRows(const LocalTensor<T> &numbers, T identity)");
    cxx_line(cx, "LocalTensor<T> all = lanes_.Get<T>()[2 * MAX_ROWS];");
    cxx_line(cx, "Duplicate(all, identity, static_cast<int32_t>(MAX_ROWS));");
    cxx_line(cx, "Apply<OP>(all, all, numbers, static_cast<int32_t>(nRows_));");
    cxx_line(cx, "Apply<OP>(all, all, all[64], static_cast<int32_t>(64));");
    cxx_line(cx,
             lanes ? "JoinLanesByHalves<OP>(numbers, all, 1, 64);" : "JoinLanes<OP>(numbers, all, 1, 64);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* ---- pieces
 * ------------------------------------------------------------------------------------------------------ */

static void write_piece_in(Cxx *cx) {
    cxx_comment(cx, "n elements that are neighbours in memory, in the type they are computed in.");
    cxx_line(cx, "template <typename To, typename T>");
    cxx_function(cx, "__aicore__ inline void LoadPiece(const LocalTensor<To> &dst, const GlobalTensor<T> "
                     "&src, uint32_t n)");
    cxx_line(cx, "LocalTensor<T> piece = pieceInQueue_.AllocTensor<T>();");
    cxx_line(cx,
             "DataCopyPad(piece, src, DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0}, "
             "DataCopyPadExtParams<T>{});");
    cxx_line(cx, "pieceInQueue_.EnQue(piece);");
    cxx_line(cx, "piece = pieceInQueue_.DeQue<T>();");
    cxx_open(cx, "if constexpr (IsSameType<T, To>::value)");
    cxx_line(cx, "DataCopy(dst, piece, RoundUp(n, 8));");
    cxx_else(cx);
    cxx_line(cx, "Cast(dst, piece, RoundMode::CAST_NONE, n);");
    cxx_close(cx, "");
    cxx_line(cx, "pieceInQueue_.FreeTensor(piece);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_mask_in(Cxx *cx) {
    cxx_function(cx, "__aicore__ inline void LoadMaskPiece(const LocalTensor<uint8_t> &mask, const "
                     "GlobalTensor<uint8_t> &src, "
                     "uint32_t n)");
    cxx_line(cx, "LocalTensor<uint8_t> piece = pieceInQueue_.AllocTensor<uint8_t>();");
    cxx_line(cx,
             "DataCopyPad(piece, src, DataCopyExtParams{1, n, 0, 0, 0}, DataCopyPadExtParams<uint8_t>{});");
    cxx_line(cx, "pieceInQueue_.EnQue(piece);");
    cxx_line(cx, "piece = pieceInQueue_.DeQue<uint8_t>();");
    cxx_line(cx, "MaskFromBytes(mask, piece, RoundUp(n, 128));");
    cxx_line(cx, "pieceInQueue_.FreeTensor(piece);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_piece_out(Cxx *cx) {
    cxx_line(cx, "template <typename T, typename From>");
    cxx_function(cx, "__aicore__ inline void StorePiece(const GlobalTensor<T> &dst, const LocalTensor<From> "
                     "&src, uint32_t n)");
    cxx_line(cx, "LocalTensor<T> piece = pieceOutQueue_.AllocTensor<T>();");
    cxx_open(cx, "if constexpr (IsSameType<T, From>::value)");
    cxx_line(cx, "DataCopy(piece, src, RoundUp(n, 8));");
    cxx_else(cx);
    cxx_line(cx, "constexpr RoundMode ROUND = sizeof(T) < sizeof(From) ? RoundMode::CAST_RINT : "
                 "RoundMode::CAST_NONE;");
    cxx_line(cx, "Cast(piece, src, ROUND, n);");
    cxx_close(cx, "");
    cxx_line(cx, "pieceOutQueue_.EnQue(piece);");
    cxx_line(cx, "piece = pieceOutQueue_.DeQue<T>();");
    cxx_line(cx,
             "DataCopyPad(dst, piece, DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0});");
    cxx_line(cx, "pieceOutQueue_.FreeTensor(piece);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_mask_out(Cxx *cx) {
    cxx_function(cx, "__aicore__ inline void StoreMaskPiece(const GlobalTensor<uint8_t> &dst, const "
                     "LocalTensor<uint8_t> &mask, "
                     "uint32_t n)");
    cxx_line(cx, "LocalTensor<uint8_t> piece = pieceOutQueue_.AllocTensor<uint8_t>();");
    cxx_line(cx, "BytesFromMask(piece, mask, RoundUp(n, 64));");
    cxx_line(cx, "pieceOutQueue_.EnQue(piece);");
    cxx_line(cx, "piece = pieceOutQueue_.DeQue<uint8_t>();");
    cxx_line(cx, "DataCopyPad(dst, piece, DataCopyExtParams{1, n, 0, 0, 0});");
    cxx_line(cx, "pieceOutQueue_.FreeTensor(piece);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_exchange(Gen *gen, const GenPass *gp, Cxx *cx) {
    const ReducePlan *r = reduce_plan(gp->p);
    (void)gen;
    cxx_comment(cx, "Where several cores share an item, each leaves its part in workspace, and all join the "
                    "parts in the same "
                    "order.");
    cxx_line(cx, "template <Op OP, typename T>");
    cxx_function(cx,
                 "__aicore__ inline void JoinCores(const LocalTensor<T> &part, T identity, uint32_t round)");
    cxx_open(cx, "if (coresPerItem_ == 1)");
    cxx_line(cx, "return;");
    cxx_close(cx, "");
    cxx_line(cx, "GlobalTensor<T> parts;");
    cxx_line(cx, "parts.SetGlobalBuffer((__gm__ T *)scratch_ + static_cast<uint64_t>(round) * GetBlockNum() "
                 "* pieceLength_);");
    const char *n = r->axis == REDUCE_ROWS ? "nCols_" : r->axis == REDUCE_COLS ? "nRows_" : "1";
    cxx_line(cx, "const uint32_t n = %s;", n);
    cxx_line(cx, "StorePiece(parts[GetBlockIdx() * pieceLength_], part, n);");
    cxx_line(cx, "SyncAll();");
    cxx_line(cx, "Duplicate(part, identity, static_cast<int32_t>(n));");
    cxx_line(cx, "const uint64_t first = GetBlockIdx() - part_;");
    cxx_open(cx, "for (uint32_t i = 0; i < coresPerItem_; i++)");
    cxx_line(cx, "LocalTensor<T> other = pieceInQueue_.AllocTensor<T>();");
    cxx_line(cx, "DataCopyPad(other, parts[(first + i) * pieceLength_], DataCopyExtParams{1, "
                 "static_cast<uint32_t>(n * "
                 "sizeof(T)), 0, 0, 0}, DataCopyPadExtParams<T>{});");
    cxx_line(cx, "pieceInQueue_.EnQue(other);");
    cxx_line(cx, "other = pieceInQueue_.DeQue<T>();");
    cxx_line(cx, "Apply<OP>(part, part, other, static_cast<int32_t>(n));");
    cxx_line(cx, "pieceInQueue_.FreeTensor(other);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

void reduce_write_helpers(Gen *gen, const GenPass *gp, Cxx *cx) {
    Uses u = find_uses(gp->p);
    if (u.ops) write_apply(cx, u.ops);
    if (u.strided || u.expand_row || u.expand_blocks) write_along(cx);
    if (u.strided) write_strided(cx);
    if (u.expand_row || u.expand_blocks) write_expand(cx);
    if (u.fold_float || u.fold_lanes) {
        write_strips(cx);
        write_fold_columns(cx);
    }
    if (u.fold_float) write_whole(cx, gp->p);
    if (u.fold_lanes) write_lanes(cx);
    if (u.fold_rows) write_fold_rows(cx);
    if (u.to_one) write_to_one(cx, u.fold_lanes && !u.fold_float);
    if (u.line_mask_in || u.mask_in) gen_mask_from_bytes(cx);
    if (u.line_mask_out || u.mask_out) gen_bytes_from_mask(cx);
    if (u.piece_in) write_piece_in(cx);
    if (u.mask_in) write_mask_in(cx);
    if (u.piece_out || u.exchange) write_piece_out(cx);
    if (u.mask_out) write_mask_out(cx);
    if (u.exchange) write_exchange(gen, gp, cx);
}
