/* kernel_src: helpers that several families use, the classes of all passes, the entry. */
#include "codegen/emit.h"
#include "codegen/kernel.h"

#include <ctype.h>
#include <string.h>

/* ---- free functions
 * ---------------------------------------------------------------------------------------------- */

static void write_widen(Cxx *cx) {
    cxx_comment(
        cx, "16-bit operands are computed in float32: the copy of a float32 operand is the operand itself.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void Widen(const LocalTensor<float> &dst, const LocalTensor<T> &src, "
                     "int32_t count)");
    cxx_open(cx, "if constexpr (!IsSameType<T, float>::value)");
    cxx_line(cx, "Cast(dst, src, RoundMode::CAST_NONE, count);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_narrow(Cxx *cx) {
    cxx_comment(cx, "Rounds to nearest even; a float32 result has been computed in place.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void Narrow(const LocalTensor<T> &dst, const LocalTensor<float> "
                     "&src, int32_t count)");
    cxx_open(cx, "if constexpr (!IsSameType<T, float>::value)");
    cxx_line(cx, "Cast(dst, src, RoundMode::CAST_RINT, count);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_narrow_copy(Cxx *cx) {
    cxx_comment(cx, "For a result that is also needed elsewhere, or is an input.");
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline void NarrowCopy(const LocalTensor<T> &dst, const LocalTensor<float> "
                     "&src, int32_t count)");
    cxx_open(cx, "if constexpr (IsSameType<T, float>::value)");
    cxx_line(cx, "DataCopy(dst, src, count);");
    cxx_else(cx);
    cxx_line(cx, "Cast(dst, src, RoundMode::CAST_RINT, count);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_to_float(Cxx *cx) {
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline float NumberToFloat(T value)");
    cxx_open(cx, "if constexpr (IsSameType<T, bfloat16_t>::value)");
    cxx_line(cx, "return ToFloat(value);");
    cxx_else(cx);
    cxx_line(cx, "return static_cast<float>(value);");
    cxx_close(cx, "");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_float_from_bits(Cxx *cx) {
    cxx_comment(cx, "Infinities and NaN have no literals.");
    cxx_function(cx, "__aicore__ inline float FloatFromBits(uint32_t bits)");
    cxx_line(cx, "return *reinterpret_cast<float *>(&bits);");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_small(Cxx *cx) {
    cxx_function(cx, "__aicore__ inline uint32_t RoundUp(uint32_t n, uint32_t unit)");
    cxx_line(cx, "return (n + unit - 1) / unit * unit;");
    cxx_close(cx, "");
    cxx_blank(cx);
}

static void write_min(Cxx *cx) {
    cxx_line(cx, "template <typename T>");
    cxx_function(cx, "__aicore__ inline T Least(T a, T b)");
    cxx_line(cx, "return a < b ? a : b;");
    cxx_close(cx, "");
    cxx_blank(cx);
}

/* Functions that several families call, and what the text of classes must say for one to be written. */
static const struct {
    const char *name;
    uint32_t need; /* KERNEL_ bit; 0: any family may call it */
    void (*write)(Cxx *cx);
} COMMON[] = {
    {"RoundUp", 0, write_small},
    {"Least", 0, write_min},
    {"FloatFromBits", KERNEL_FLOAT_BITS, write_float_from_bits},
    {"NumberToFloat", KERNEL_TO_FLOAT, write_to_float},
    {"Widen", KERNEL_WIDEN, write_widen},
    {"Narrow", KERNEL_NARROW, write_narrow},
    {"NarrowCopy", KERNEL_NARROW_COPY, write_narrow_copy},
};

static bool is_word_char(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

static bool has_word(const char *text, const char *word) {
    size_t n = strlen(word);
    for (const char *at = strstr(text, word); at; at = strstr(at + n, word))
        if ((at == text || !is_word_char(at[-1])) && !is_word_char(at[n])) return true;
    return false;
}

/* Free functions of the families, then the classes. */
static const char *bodies(Gen *gen) {
    Cxx cx;
    bool done[32] = {false};
    cxx_init(&cx, gen->a);
    for (size_t i = 0; i < gen->n_passes; i++) {
        const Emit *e = gen->pass[i].emit;
        if (e->kernel_helpers && !done[emit_index(e)]) e->kernel_helpers(gen, &cx);
        done[emit_index(e)] = true;
    }
    for (size_t i = 0; i < gen->n_passes; i++) gen->pass[i].emit->kernel_class(gen, &gen->pass[i], &cx);
    return cx.sb.text;
}

/* ---- what every class has
 * ------------------------------------------------------------------------------------------ */

void gen_open_init(Gen *gen, const GenPass *gp, Cxx *cx) {
    const PlanAccess **t = ARENA_ARRAY(gen->a, gp->p->access.n, const PlanAccess *);
    size_t n = gen_pass_tensors(gp, t), n_suffix = strlen(gp->suffix);
    StrBuf args;
    strbuf_init(&args, gen->a);
    for (size_t i = 0; i < n; i++) strbuf_printf(&args, "GM_ADDR %s, ", t[i]->tensor_name);
    if (emit_scratch(gen, gp)) strbuf_add(&args, "GM_ADDR scratch, ");
    cxx_function(cx, "__aicore__ inline void Init(%sconst %s &tiling, TPipe *pipe)", args.text, gen->tiling_type);
    for (size_t i = 0; i < gp->fields.n; i++) {
        const char *name = gp->fields.at[i].name;
        cxx_line(cx, "%.*s_ = tiling.%s;", (int)(strlen(name) - n_suffix), name, name);
    }
}

void gen_bind_tensors(Gen *gen, const GenPass *gp, Cxx *cx) {
    const PlanAccess **t = ARENA_ARRAY(gen->a, gp->p->access.n, const PlanAccess *);
    size_t n = gen_pass_tensors(gp, t);
    for (size_t i = 0; i < n; i++)
        cxx_line(cx, "%sGm_.SetGlobalBuffer((__gm__ %s *)%s);", t[i]->tensor_name, gen_io_type(gen, t[i]), t[i]->tensor_name);
}

void gen_declare_tensors(Gen *gen, const GenPass *gp, Cxx *cx) {
    const PlanAccess **t = ARENA_ARRAY(gen->a, gp->p->access.n, const PlanAccess *);
    size_t n = gen_pass_tensors(gp, t);
    for (size_t i = 0; i < n; i++) cxx_line(cx, "GlobalTensor<%s> %sGm_;", gen_io_type(gen, t[i]), t[i]->tensor_name);
}

void gen_declare_fields(const GenPass *gp, Cxx *cx) {
    size_t n_suffix = strlen(gp->suffix);
    for (size_t i = 0; i < gp->fields.n; i++) {
        const GenField *f = &gp->fields.at[i];
        cxx_line(cx, "%s %.*s_; // %s", f->type, (int)(strlen(f->name) - n_suffix), f->name, f->what);
    }
}

/* Where 16-bit types are cast without it, a pass needs no Widen: its text tells. */
static void write_common(Gen *gen, const char *text, Cxx *cx) {
    uint32_t needs = 0;
    for (size_t i = 0; i < gen->n_passes; i++)
        if (gen->pass[i].emit->kernel_needs) needs |= gen->pass[i].emit->kernel_needs(gen, &gen->pass[i]);
    for (size_t i = 0; i < sizeof COMMON / sizeof COMMON[0]; i++)
        if ((needs & COMMON[i].need) == COMMON[i].need && has_word(text, COMMON[i].name)) COMMON[i].write(cx);
}

/* ---- entry
 * ------------------------------------------------------------------------------------------------------- */

/* Arguments of Init: the pass's tensors, temps and scratch by their own names. */
static const char *init_args(Gen *gen, const GenPass *gp) {
    const PlanAccess **t = ARENA_ARRAY(gen->a, gp->p->access.n, const PlanAccess *);
    size_t n = gen_pass_tensors(gp, t);
    StrBuf names;
    strbuf_init(&names, gen->a);
    for (size_t k = 0; k < n; k++) strbuf_printf(&names, "%s, ", t[k]->tensor_name);
    if (emit_scratch(gen, gp)) strbuf_printf(&names, "scratch%s, ", gp->suffix);
    return names.text;
}

static void write_workspace(Gen *gen, Cxx *cx) {
    if (!emit_has_workspace(gen)) return;
    cxx_line(cx, "GM_ADDR user = GetUserWorkspace(workspace);");
    for (size_t i = 0; i < gen->fields.n; i++) {
        const char *name = gen->fields.at[i].name;
        cxx_line(cx, "GM_ADDR %.*s = user + tilingData.%s; // %s", (int)(strlen(name) - strlen("Offset")),
                 name, name, gen->fields.at[i].what);
    }
}

static void write_entry(Gen *gen, Cxx *cx) {
    StrBuf args;
    strbuf_init(&args, gen->a);
    for (size_t i = 0; i < gen->g->n_inputs; i++)
        strbuf_printf(&args, "GM_ADDR %s, ", gen->g->inputs[i].name);
    for (size_t i = 0; i < gen->g->n_outputs; i++)
        strbuf_printf(&args, "GM_ADDR %s, ", gen->g->outputs[i].name);
    cxx_function(cx, "extern \"C\" __global__ __aicore__ void %s(%sGM_ADDR workspace, GM_ADDR tiling)",
                 gen->snake, args.text);
    cxx_line(cx, "KERNEL_TASK_TYPE_DEFAULT(%s);",
             emit_syncs(gen) ? "KERNEL_TYPE_MIX_AIV_1_0" : "KERNEL_TYPE_AIV_ONLY");
    cxx_line(cx, "GET_TILING_DATA(tilingData, tiling);");
    write_workspace(gen, cx);
    for (size_t i = 0; i < gen->n_passes; i++) {
        const GenPass *gp = &gen->pass[i];
        if (gen->plan->waits[i])
            cxx_line(cx, "SyncAll(); // the next stage reads what other cores have written");
        if (gen->n_passes > 1) cxx_block(cx);
        cxx_line(cx, "TPipe pipe;");
        cxx_line(cx, "%s op;", gp->cls);
        cxx_line(cx, "op.Init(%stilingData, &pipe);", init_args(gen, gp));
        cxx_line(cx, "op.Process();");
        if (gen->n_passes > 1) cxx_close(cx, "");
    }
    cxx_close(cx, "");
}

const char *gen_kernel(Gen *gen) {
    Cxx cx;
    cxx_init(&cx, gen->a);
    cxx_line(&cx, "#include \"kernel_operator.h\"");
    cxx_blank(&cx);
    cxx_line(&cx, "using namespace AscendC;");
    cxx_blank(&cx);
    cxx_line(&cx, "namespace {");
    cxx_blank(&cx);
    const char *text = bodies(gen);
    write_common(gen, text, &cx);
    strbuf_add(&cx.sb, text);
    cxx_line(&cx, "} // namespace");
    cxx_blank(&cx);
    write_entry(gen, &cx);
    return cx.sb.text;
}
