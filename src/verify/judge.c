/* Judges what the worker says about one case: faults found while it ran, then the outputs against the
 * reference. */
#include "verify/fingerprint.h"

#include "base/fs.h"
#include "base/strbuf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *text_at(const json_t *o, const char *key) {
    return json_string_value(json_object_get(o, key));
}

/* JSON has no NaN and no infinity. */
json_t *judge_number(double d) {
    if (isnan(d)) return json_string("nan");
    if (isinf(d)) return json_string(d > 0 ? "inf" : "-inf");
    return json_real(d);
}

static const char *section_name(const char *file) {
    for (int i = 0; file && i < DESC_N_SOURCES; i++)
        if (!strcmp(file, DESC_SOURCE_NAMES[i])) return DESC_SOURCE_NAMES[i];
    return NULL;
}

static void worsen(CaseResult *c, Verdict v, const char *reason) {
    if (verdict_rank(v) <= verdict_rank(c->verdict)) return;
    c->verdict = v;
    c->reason = reason;
}

/* --------------------------------------------------------------------------------------------------------
 * findings */

static const char *copy_text(Arena *a, const json_t *o, const char *key, const char *fallback) {
    const char *s = text_at(o, key);
    return s && *s ? arena_strdup(a, s) : fallback;
}

/* A finding of the run as a diagnostic, added to the list. */
static Diag add_finding(Arena *a, JudgeContext *c, const json_t *f) {
    const char *severity = text_at(f, "severity");
    Diag d = {.check = copy_text(a, f, "check", "finding"),
              .stage = "run",
              .severity = !severity || !strcmp(severity, "error") ? DIAG_ERROR
                          : !strcmp(severity, "warning")          ? DIAG_WARNING
                                                                  : DIAG_NOTE,
              .source = copy_text(a, f, "file", NULL),
              .line = (int)json_integer_value(json_object_get(f, "line")),
              .other_source = copy_text(a, f, "other_file", NULL),
              .other_line = (int)json_integer_value(json_object_get(f, "other_line")),
              .api = copy_text(a, f, "api", NULL),
              .count = (uint64_t)json_integer_value(json_object_get(f, "count")),
              .hint = copy_text(a, f, "hint", NULL),
              .hint_zh = copy_text(a, f, "hint_zh", NULL)};
    d.text = copy_text(a, f, "text", d.check);
    d.text_zh = copy_text(a, f, "text_zh", d.text);
    d.not_modelled = !strncmp(d.check, "not-modelled", 12);
    if (c->strict && d.severity == DIAG_WARNING) d.severity = DIAG_ERROR;
    diag_add(c->diags, &d);
    return d;
}

static void take_finding(Arena *a, JudgeContext *c, const json_t *f, CaseResult *out) {
    Diag d = add_finding(a, c, f);
    if (d.not_modelled) worsen(out, VERDICT_NOT_MODELLED, d.text);
    else if (d.severity == DIAG_ERROR) worsen(out, VERDICT_FAIL, d.text);
}

void judge_finding(Arena *a, JudgeContext *c, const json_t *f) {
    add_finding(a, c, f);
}

static void add_diag(JudgeContext *c, const char *check, const char *stage, const char *source, int line,
                     const char *text, const char *text_zh, const char *hint, const char *hint_zh) {
    Diag d = {.check = check,
              .stage = stage,
              .source = source,
              .line = line,
              .text = text,
              .text_zh = text_zh,
              .hint = hint,
              .hint_zh = hint_zh};
    diag_add(c->diags, &d);
}

static const char *join_names(Arena *a, const json_t *list) {
    StrBuf sb;
    strbuf_init(&sb, a);
    for (size_t i = 0; i < json_array_size(list) && i < 8; i++) {
        const char *name = json_string_value(json_array_get(list, i));
        strbuf_printf(&sb, "%s%s", i ? ", " : "", name ? name : "?");
    }
    return sb.text;
}

/* Outputs whose bytes no launch wrote. One that is its input passes when the reference's is, too. */
static void take_origins(Arena *a, JudgeContext *c, const json_t *result, CaseResult *out) {
    const json_t *actual = json_object_get(result, "actual"), *want = json_object_get(result, "eager_outputs");
    for (size_t k = 0; k < json_array_size(actual); k++) {
        const char *origin = text_at(json_array_get(actual, k), "origin");
        bool same = json_is_true(json_object_get(json_array_get(want, k), "is_input"));
        if (!origin || !strcmp(origin, "kernel") || (!strcmp(origin, "input") && same)) continue;
        const char *text = arena_printf(a, "output %zu is not what the kernel wrote: %s", k,
                                        !strcmp(origin, "input") ? "it is an input, returned as it came"
                                                                 : "its numbers were made or changed outside");
        add_diag(c, "output-not-from-kernel", "run", "model_src", 0, text,
                 arena_printf(a, "输出 %zu 不是核函数写出的结果", k),
                 "return the tensors that custom_ops_lib returns, or views or plain copies of them",
                 "请返回 custom_ops_lib 的结果, 或其视图、副本");
        worsen(out, VERDICT_REJECTED, text);
    }
}

/* Work done outside the kernel, and inputs written. */
static void take_conduct(Arena *a, JudgeContext *c, const json_t *result, CaseResult *out) {
    const json_t *fallback = json_object_get(result, "fallback"),
                 *changed = json_object_get(result, "inputs_changed");
    if (json_array_size(fallback) > 0) {
        const char *names = join_names(a, fallback);
        const char *text = arena_printf(a, "the candidate computed in PyTorch: %s", names);
        add_diag(c, "torch-fallback", "run", "model_src", 0, text,
                 arena_printf(a, "候选实现用 PyTorch 进行了计算: %s", names),
                 "compute in kernel_src; model_src may create parameters and views only",
                 "请在 kernel_src 中计算; model_src 只能创建参数和视图");
        worsen(out, VERDICT_REJECTED, text);
    }
    take_origins(a, c, result, out);
    if (json_array_size(changed) > 0) {
        const char *names = join_names(a, changed);
        const char *text = arena_printf(a, "inputs were changed by the candidate: %s", names);
        add_diag(c, "input-changed", "run", "kernel_src", 0, text,
                 arena_printf(a, "候选实现修改了输入: %s", names), "write results to the output tensors only",
                 "结果只能写入输出张量");
        worsen(out, VERDICT_FAIL, text);
    }
}

/* ---------------------------------------------------------------------------------------------------
 * candidate errors */

static const struct {
    const char *stage, *source, *check, *zh, *hint, *hint_zh;
} STAGES[] = {
    {"import", "model_src", "candidate-import", "导入失败",
     "mend the error: the model is imported before anything runs", "请先修正错误: 运行前会导入模型"},
    {"construct", "model_src", "candidate-construct", "构造 ModelNew 失败",
     "ModelNew takes the values of get_init_inputs()", "ModelNew 的参数为 get_init_inputs() 的返回值"},
    {"forward", "model_src", "candidate-forward", "forward 出错",
     "the message comes from this line of model_src, or from the binding it calls: compare the arguments "
     "with what the binding and OpDef declare",
     "该信息来自 model_src 的这一行或其调用的绑定代码: 请核对参数与绑定代码、OpDef 的声明"},
    {"tiling", "host_operator_src", "candidate-tiling", "Tiling 失败",
     "look at the tiling function: it must return ge::GRAPH_SUCCESS for these shapes",
     "请检查 Tiling 函数: 对这些形状须返回 ge::GRAPH_SUCCESS"},
    {"launch", "kernel_src", "candidate-launch", "下发失败",
     "look at block_dim, the tiling key and the dtypes of the arguments",
     "请检查 block_dim、tiling key 和参数 dtype"},
};

static void take_candidate_error(Arena *a, JudgeContext *c, const json_t *e, CaseResult *out) {
    size_t n = sizeof STAGES / sizeof STAGES[0], k = 2;
    const char *stage = text_at(e, "stage");
    for (size_t i = 0; stage && i < n; i++)
        if (!strcmp(stage, STAGES[i].stage)) k = i;
    const char *file = section_name(text_at(e, "file"));
    const char *message = copy_text(a, e, "message", "the candidate failed without a message");
    const char *text = arena_printf(a, "%s: %s", stage ? stage : "forward", message);
    Diag d = {.check = STAGES[k].check,
              .stage = "run",
              .source = file ? file : STAGES[k].source,
              .line = (int)json_integer_value(json_object_get(e, "line")),
              .text = text,
              .text_zh = arena_printf(a, "%s: %s", STAGES[k].zh, message),
              .hint = copy_text(a, e, "hint", STAGES[k].hint),
              .hint_zh = STAGES[k].hint_zh,
              .not_modelled = strstr(message, "not modelled") != NULL};
    diag_add(c->diags, &d);
    worsen(out, d.not_modelled ? VERDICT_NOT_MODELLED : VERDICT_FAIL, text);
}

/* -----------------------------------------------------------------------------------------------------------
 * outputs */

typedef struct Shape {
    size_t rank, n_elems;
    const json_t *dims;
} Shape;

static bool read_shape(const json_t *o, Shape *s) {
    s->dims = json_object_get(o, "shape");
    s->rank = json_array_size(s->dims);
    s->n_elems = 1;
    for (size_t i = 0; i < s->rank; i++) {
        json_int_t d = json_integer_value(json_array_get(s->dims, i));
        if (d < 0 || (d > 0 && s->n_elems > SIZE_MAX / 16 / (size_t)d)) return false;
        s->n_elems *= (size_t)d;
    }
    return json_is_array(s->dims);
}

static bool has_elements(const json_t *outputs) {
    Shape s;
    for (size_t k = 0; k < json_array_size(outputs); k++)
        if (read_shape(json_array_get(outputs, k), &s) && s.n_elems > 0) return true;
    return false;
}

/* A run without a launch of the own operator proves nothing, whatever its numbers.
 * HW: an aclnn call with nothing but empty outputs returns without a launch. */
static void take_launches(Arena *a, JudgeContext *c, const json_t *result, CaseResult *out) {
    const json_t *launches = json_object_get(json_object_get(result, "report"), "launches");
    if (!has_elements(json_object_get(result, "eager_outputs"))) return;
    for (size_t i = 0; i < json_array_size(launches); i++) {
        const char *op = text_at(json_array_get(launches, i), "op");
        if (op && !strcmp(op, c->desc->op)) return;
    }
    const char *text = arena_printf(a, "%s was never launched", c->desc->op);
    add_diag(c, "kernel-not-launched", "run", "python_bind_src", 0, text,
             arena_printf(a, "%s 从未被下发执行", c->desc->op),
             "ModelNew.forward must reach EXEC_NPU_CMD(aclnn<Op>, ...) of python_bind_src",
             "ModelNew.forward 必须执行到 python_bind_src 中的 EXEC_NPU_CMD(aclnn<Op>, ...)");
    worsen(out, VERDICT_REJECTED, text);
}

static const char *shape_text(Arena *a, const Shape *s) {
    StrBuf sb;
    strbuf_init(&sb, a);
    strbuf_add(&sb, "(");
    for (size_t i = 0; i < s->rank; i++)
        strbuf_printf(&sb, "%s%" JSON_INTEGER_FORMAT, i ? ", " : "",
                      json_integer_value(json_array_get(s->dims, i)));
    strbuf_add(&sb, s->rank == 1 ? ",)" : ")");
    return sb.text;
}

/* "(13, 152)" of a flat index. */
static const char *index_text(Arena *a, const Shape *s, size_t flat) {
    size_t at[64];
    size_t rank = s->rank < 64 ? s->rank : 64;
    for (size_t i = rank; i-- > 0;) {
        size_t d = (size_t)json_integer_value(json_array_get(s->dims, i));
        at[i] = d ? flat % d : 0;
        flat = d ? flat / d : 0;
    }
    StrBuf sb;
    strbuf_init(&sb, a);
    strbuf_add(&sb, "(");
    for (size_t i = 0; i < rank; i++) strbuf_printf(&sb, "%s%zu", i ? ", " : "", at[i]);
    strbuf_add(&sb, rank == 1 ? ",)" : ")");
    return sb.text;
}

static json_t *precision_json(Arena *a, size_t k, VerifyStandard std, const char *dtype, const Shape *s,
                              const CompareResult *r) {
    json_t *o = json_pack("{s:I, s:s, s:O, s:s, s:s, s:b, s:I, s:I}", "output", (json_int_t)k, "dtype", dtype,
                          "shape", s->dims, "standard", verify_standard_name(std), "stage", r->stage, "pass",
                          r->pass, "n", (json_int_t)s->n_elems, "n_wrong", (json_int_t)r->n_wrong);
    json_object_set_new(o, "MERE", judge_number(r->mere));
    json_object_set_new(o, "MARE", judge_number(r->mare));
    if (r->mare_limit > 0) {
        json_object_set_new(o, "MERE_limit", judge_number(r->mere_limit));
        json_object_set_new(o, "MARE_limit", judge_number(r->mare_limit));
    }
    json_object_set_new(o, "max_abs", judge_number(r->max_abs));
    if (!strcmp(r->stage, "second stage")) {
        json_object_set_new(o, "small_values",
                            json_pack("{s:I, s:I}", "wrong", (json_int_t)r->n_small_wrong, "allowed",
                                      (json_int_t)r->n_small_allowed));
        json_object_set_new(o, "cancelled_values",
                            json_pack("{s:I, s:I}", "wrong", (json_int_t)r->n_cancel_wrong, "allowed",
                                      (json_int_t)r->n_cancel_allowed));
    }
    if (s->n_elems > 0) {
        json_t *worst = json_pack("{s:s}", "index", index_text(a, s, r->worst));
        json_object_set_new(worst, "got", judge_number(r->worst_got));
        json_object_set_new(worst, "expected", judge_number(r->worst_expected));
        json_object_set_new(o, "worst", worst);
    }
    if (r->n_wrong > 0) {
        json_object_set_new(o, "first_wrong", json_string(index_text(a, s, r->first_wrong)));
        json_object_set_new(o, "last_wrong", json_string(index_text(a, s, r->last_wrong)));
    }
    if (r->reason[0]) json_object_set_new(o, "reason", json_string(r->reason));
    return o;
}

/* The seed's wording of a mismatch, which scripts look for, and the figures behind it. */
static const char *mismatch_text(Arena *a, size_t k, size_t n_outputs, const Shape *s,
                                 const CompareResult *r) {
    const char *which = n_outputs > 1 ? arena_printf(a, " in output %zu", k) : "";
    /* A NaN or an infinity in the wrong place is worse than any difference. */
    double off = fabs(r->worst_got - r->worst_expected);
    bool finite = isfinite(off);
    double share = s->n_elems ? 100.0 * (double)r->n_wrong / (double)s->n_elems : 0;
    const char *head =
        arena_printf(a, "[FAIL] Output mismatch%s, max diff: %g, location: %s", which,
                     finite ? r->max_abs : off, index_text(a, s, finite ? r->max_abs_at : r->worst));
    const char *worst = arena_printf(a, "worst: %s got %.9g, expected %.9g", index_text(a, s, r->worst),
                                     r->worst_got, r->worst_expected);
    return arena_printf(a, "%s\nDiff count: %zu of %zu (%.3g %%)\nDiff indices: %s ... %s\n%s\n%s", head,
                        r->n_wrong, s->n_elems, share, index_text(a, s, r->first_wrong),
                        index_text(a, s, r->last_wrong), worst, r->reason);
}

static void fail_output(JudgeContext *c, CaseResult *out, const char *check, const char *source,
                        const char *text, const char *text_zh, const char *hint, const char *hint_zh) {
    add_diag(c, check, "compare", source, 0, text, text_zh, hint, hint_zh);
    worsen(out, VERDICT_FAIL, text);
}

/* Number, shape and dtype of the outputs; true when the values can be compared. */
static bool check_forms(Arena *a, JudgeContext *c, const json_t *result, CaseResult *out) {
    const json_t *want = json_object_get(result, "eager_outputs"), *got = json_object_get(result, "actual");
    size_t n = json_array_size(want), n_got = json_array_size(got);
    if (n != n_got) {
        fail_output(c, out, "output-count", "python_bind_src",
                    arena_printf(a, "%zu outputs returned, the reference has %zu", n_got, n),
                    arena_printf(a, "返回了 %zu 个输出, 参考实现有 %zu 个", n_got, n),
                    "return one tensor for each output of the reference",
                    "请为参考实现的每个输出返回一个张量");
        return false;
    }
    bool same = true;
    for (size_t k = 0; k < n; k++) {
        Shape sw, sg;
        const json_t *w = json_array_get(want, k), *g = json_array_get(got, k);
        const char *tw = text_at(w, "dtype"), *tg = text_at(g, "dtype");
        bool shapes = read_shape(w, &sw) && read_shape(g, &sg);
        if (!shapes || strcmp(shape_text(a, &sw), shape_text(a, &sg)) != 0) {
            const char *ew = shapes ? shape_text(a, &sw) : "?", *eg = shapes ? shape_text(a, &sg) : "?";
            fail_output(c, out, "output-shape", "python_bind_src",
                        arena_printf(a, "output %zu has shape %s, expected %s", k, eg, ew),
                        arena_printf(a, "输出 %zu 的形状为 %s, 应为 %s", k, eg, ew),
                        "allocate the output with the shape the reference returns",
                        "请按参考实现的形状分配输出");
            same = false;
        } else if (!tw || !tg || strcmp(tw, tg) != 0) {
            fail_output(c, out, "output-dtype", "python_bind_src",
                        arena_printf(a, "output %zu is %s, expected %s", k, tg ? tg : "?", tw ? tw : "?"),
                        arena_printf(a, "输出 %zu 的类型为 %s, 应为 %s", k, tg ? tg : "?", tw ? tw : "?"),
                        "allocate the output with the dtype the reference returns",
                        "请按参考实现的 dtype 分配输出");
            same = false;
        }
    }
    return same;
}

/* The blob `what` of output k ("golden0"), when it has the length it should have. */
static const void *blob_of(Arena *a, const BridgeReply *reply, const char *what, size_t k, size_t n_bytes) {
    const json_t *names = json_object_get(reply->result, "blob_names");
    const char *wanted = arena_printf(a, "%s%zu", what, k);
    for (size_t i = 0; i < json_array_size(names) && i < reply->n_blobs; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name && !strcmp(name, wanted))
            return reply->blobs[i].n_bytes == n_bytes ? reply->blobs[i].data : NULL;
    }
    return NULL;
}

static size_t size_at(const json_t *o, const char *key) {
    json_int_t n = json_integer_value(json_object_get(o, key));
    return n > 0 ? (size_t)n : 0;
}

/* What the truth's integers may be beside what they are. */
static void read_latitude(Arena *a, const BridgeReply *reply, size_t k, CompareInput *in) {
    in->low = blob_of(a, reply, "low", k, in->n * 8);
    in->high = blob_of(a, reply, "high", k, in->n * 8);
    const json_t *picks = json_array_get(json_object_get(reply->result, "picks"), k);
    size_t n = size_at(picks, "n"), of_row = size_at(picks, "k"), inner = size_at(picks, "inner"), row = of_row * inner;
    if (!n || !row || in->n % row != 0) return;
    in->values = blob_of(a, reply, "values", k, in->n / row * n * inner * 8);
    in->pick_n = n;
    in->pick_k = of_row;
    in->pick_inner = inner;
}

/* The reference in the output's own dtype under the same rule: what of an error is quantisation. */
static CompareResult control_of(const CompareInput *in) {
    CompareInput own = *in;
    own.actual = in->eager;
    CompareResult r;
    compare_output(VERIFY_STD_ECOSYSTEM, &own, &r);
    return r;
}

static json_t *control_json(const CompareResult *r) {
    json_t *o = json_pack("{s:b}", "pass", r->pass);
    json_object_set_new(o, "MERE", judge_number(r->mere));
    json_object_set_new(o, "MARE", judge_number(r->mare));
    return o;
}

/* Sizes of our own choice can be ones where nothing of that precision meets the standard: a norm over two elements has a gradient that is all
 * cancellation. Where the reference in the same dtype misses it as well, up to twice its errors pass, as the standard's second stage has it
 * for single elements. */
static void judge_by_control(const CompareResult *control, CompareResult *r) {
    bool as_good = r->mere <= 2 * control->mere && r->mare <= 2 * control->mare;
    if (r->pass || control->pass || !as_good) return;
    r->pass = true;
    r->stage = "control";
    r->reason[0] = 0;
}

#define BEFORE_BYTES_MAX ((size_t)16 << 20)

void before_clear(Before *b) {
    for (size_t k = 0; k < BEFORE_MAX; k++) free(b->data[k]);
    *b = (Before){0};
}

static void keep_before(Before *b, size_t k, const void *data, size_t n_bytes) {
    if (!b || k >= BEFORE_MAX) return;
    free(b->data[k]);
    b->data[k] = data && n_bytes > 0 && n_bytes <= BEFORE_BYTES_MAX ? malloc(n_bytes) : NULL;
    b->n_bytes[k] = n_bytes;
    if (b->data[k]) memcpy(b->data[k], data, n_bytes);
}

/* Blocks of the last launch of the own operator; 0 not known. */
static uint32_t block_dim_of(const JudgeContext *c, const json_t *result) {
    const json_t *launches = json_object_get(json_object_get(result, "report"), "launches");
    for (size_t i = json_array_size(launches); i-- > 0;) {
        const json_t *l = json_array_get(launches, i);
        const char *op = text_at(l, "op");
        if (op && !strcmp(op, c->desc->op)) return (uint32_t)json_integer_value(json_object_get(l, "block_dim"));
    }
    return 0;
}

/* What the wrong numbers look like: added to the texts and to the output's entry in `precision`. */
static void tell_fingerprint(Arena *a, const JudgeContext *c, const json_t *result, size_t k, const CompareInput *in, const Shape *s, json_t *precision,
                             Diag *d) {
    FingerInput f = {.dtype = in->dtype, .n = in->n, .expected = in->eager, .actual = in->actual, .rank = s->rank, .block_dim = block_dim_of(c, result)};
    const json_t *stats = json_object_get(json_object_get(result, "report"), "stats");
    f.tile = (size_t)json_integer_value(json_object_get(stats, "store_bytes")) / dtype_info(in->dtype)->size_bytes;
    if (!in->eager || s->rank > FINGER_RANK_MAX) return;
    for (size_t i = 0; i < s->rank; i++) f.dims[i] = (size_t)json_integer_value(json_array_get(s->dims, i));
    size_t n_bytes = in->n * dtype_info(in->dtype)->size_bytes;
    if (c->before && k < BEFORE_MAX && c->before->n_bytes[k] == n_bytes) f.before = c->before->data[k];
    Fingerprint print;
    fingerprint(a, &f, &print);
    json_object_set_new(precision, "fingerprint", fingerprint_json(&f, &print));
    for (size_t i = 0; i < print.n_hits; i++) {
        d->text = arena_printf(a, "%s\nlooks like: %s", d->text, print.hits[i].text);
        d->text_zh = arena_printf(a, "%s\n特征: %s", d->text_zh, print.hits[i].text_zh);
    }
    if (print.n_hits == 0) return;
    d->hint = print.hits[0].hint;
    d->hint_zh = print.hits[0].hint_zh;
}

static bool compare_one(Arena *a, JudgeContext *c, const BridgeReply *reply, size_t k, size_t n_outputs,
                        CaseResult *out, Err *err) {
    const json_t *result = reply->result, *w = json_array_get(json_object_get(result, "eager_outputs"), k);
    Shape s;
    DType t;
    const char *dtype = text_at(w, "dtype");
    if (!read_shape(w, &s) || !dtype || !dtype_find(dtype, &t)) {
        const char *text =
            arena_printf(a, "output %zu has type %s, which is not compared", k, dtype ? dtype : "?");
        Diag d = {.check = "not-modelled-dtype",
                  .stage = "compare",
                  .text = text,
                  .text_zh = text,
                  .not_modelled = true};
        diag_add(c->diags, &d);
        worsen(out, VERDICT_NOT_MODELLED, text);
        return true;
    }
    size_t bytes = s.n_elems * dtype_info(t)->size_bytes;
    CompareInput in = {.dtype = t, .n = s.n_elems, .own_overflow_counts = c->edge_values};
    bool need_golden = c->standard == VERIFY_STD_ECOSYSTEM;
    in.golden = blob_of(a, reply, "golden", k, s.n_elems * 8);
    in.eager = blob_of(a, reply, "eager", k, bytes);
    in.actual = blob_of(a, reply, "actual", k, bytes);
    if (need_golden && dtype_info(t)->cls != DTYPE_CLASS_F) read_latitude(a, reply, k, &in);
    if (s.n_elems > 0 && ((need_golden && !in.golden) || !in.eager || !in.actual))
        return err_set(err, ERR_INTERNAL, NULL, "the worker's answer lacks the data of output %zu", k);
    CompareResult r;
    compare_output(c->standard, &in, &r);
    CompareResult control = {.pass = true};
    bool with_control = c->control && need_golden;
    if (with_control) control = control_of(&in);
    if (c->by_control) judge_by_control(&control, &r);
    json_t *precision = precision_json(a, k, c->standard, dtype, &s, &r);
    if (with_control) json_object_set_new(precision, "control", control_json(&control));
    json_array_append_new(out->precision, precision);
    if (!r.pass && c->apart) {
        out->differs = true;
    } else if (!r.pass) {
        const char *text = mismatch_text(a, k, n_outputs, &s, &r);
        Diag d = {.check = "output-mismatch",
                  .stage = "compare",
                  .source = "kernel_src",
                  .text = text,
                  .text_zh = arena_printf(a, "输出 %zu 与参考不一致: %s", k, text),
                  .hint = "see the other checks first: a fault found while running usually explains wrong numbers",
                  .hint_zh = "请先看其他检查项: 运行时发现的错误通常就是原因"};
        tell_fingerprint(a, c, result, k, &in, &s, precision, &d);
        out->is_mismatch = true;
        diag_add(c->diags, &d);
        worsen(out, VERDICT_FAIL, d.text);
    }
    keep_before(c->before, k, in.eager, bytes);
    return true;
}

/* All outputs of the candidate are close to the blobs `prefix`0, `prefix`1, ... of a reply. */
static bool close_to(Arena *a, const BridgeReply *candidate, const BridgeReply *reply, const char *prefix) {
    const json_t *outputs = json_object_get(candidate->result, "eager_outputs");
    for (size_t k = 0; k < json_array_size(outputs); k++) {
        const json_t *w = json_array_get(outputs, k);
        Shape s;
        DType t;
        const char *dtype = text_at(w, "dtype");
        if (!read_shape(w, &s) || !dtype || !dtype_find(dtype, &t)) return false;
        size_t bytes = s.n_elems * dtype_info(t)->size_bytes;
        CompareInput in = {.dtype = t, .n = s.n_elems};
        in.eager = blob_of(a, reply, prefix, k, bytes);
        in.actual = blob_of(a, candidate, "actual", k, bytes);
        CompareResult r;
        if (!in.eager || !in.actual) return false;
        compare_output(VERIFY_STD_SEED, &in, &r);
        if (!r.pass) return false;
    }
    return json_array_size(outputs) > 0;
}

void judge_near(Arena *a, JudgeContext *c, const BridgeReply *candidate, const BridgeReply *near, CaseResult *out) {
    const json_t *list = json_object_get(near->result, "near");
    size_t n = json_array_size(list), i = 0;
    if (close_to(a, candidate, candidate, "eager")) return; /* then a small change to the reference explains nothing */
    while (i < n && !close_to(a, candidate, near, arena_printf(a, "near%zu.", i))) i++;
    if (i == n) return;
    const char *en = copy_text(a, json_array_get(list, i), "text", ""), *zh = copy_text(a, json_array_get(list, i), "text_zh", en);
    Diag *d = NULL;
    for (size_t k = 0; k < c->diags->n; k++)
        if (!strcmp(c->diags->at[k].check, "output-mismatch")) d = &c->diags->at[k];
    for (size_t k = 0; k < json_array_size(out->precision); k++)
        json_object_set_new(json_array_get(out->precision, k), "near_miss", json_pack("{s:s, s:s}", "text", en, "text_zh", zh));
    if (!d) return;
    d->text = arena_printf(a, "%s\nequals the reference with %s", d->text, en);
    d->text_zh = arena_printf(a, "%s\n等于参考实现改动后的结果: %s", d->text_zh, zh);
    d->hint = "compare this step of the kernel with the reference";
    d->hint_zh = "请将核函数的这一步与参考实现对照";
    if (out->verdict == VERDICT_FAIL) out->reason = d->text;
}

/* What the launches moved between global memory and the cores. */
static void take_work(const json_t *report, CaseResult *out) {
    const json_t *stats = json_object_get(report, "stats"), *launches = json_object_get(report, "launches");
    out->gm_read = json_integer_value(json_object_get(stats, "gm_read_bytes"));
    out->gm_written = json_integer_value(json_object_get(stats, "gm_write_bytes"));
    for (size_t i = 0; i < json_array_size(launches); i++)
        out->gm_least += json_integer_value(json_object_get(json_array_get(launches, i), "tensor_bytes"));
}

bool judge_reply(Arena *a, JudgeContext *c, const BridgeReply *reply, CaseResult *out, Err *err) {
    const json_t *result = reply->result, *report = json_object_get(result, "report"),
                 *times = json_object_get(result, "times");
    const json_t *error = json_object_get(result, "candidate_error"),
                 *findings = json_object_get(report, "findings");
    out->verdict = VERDICT_PASS;
    out->reason = "";
    out->precision = json_array();
    out->reference_s = json_number_value(json_object_get(times, "reference_s")) +
                       json_number_value(json_object_get(times, "golden_s"));
    const char *note = text_at(result, "golden_note");
    if (note && c->standard == VERIFY_STD_ECOSYSTEM) {
        Diag d = {
            .check = "golden-note", .stage = "compare", .severity = DIAG_NOTE, .text = arena_strdup(a, note), .text_zh = arena_printf(a, "参考值的算法: %s", note),
            .hint = "nothing is wrong: this is how the expected values were computed", .hint_zh = "不是错误: 仅说明期望值如何得到"};
        diag_add(c->diags, &d);
    }
    out->candidate_s = json_number_value(json_object_get(times, "candidate_s"));
    for (size_t i = 0; i < json_array_size(findings); i++)
        take_finding(a, c, json_array_get(findings, i), out);
    take_work(report, out);
    take_conduct(a, c, result, out);
    if (json_is_object(error)) {
        take_candidate_error(a, c, error, out);
        return true;
    }
    take_launches(a, c, result, out);
    double start = time_now_s();
    if (check_forms(a, c, result, out)) {
        size_t n = json_array_size(json_object_get(result, "eager_outputs"));
        for (size_t k = 0; k < n; k++)
            if (!compare_one(a, c, reply, k, n, out, err)) return false;
    }
    out->compare_s = time_now_s() - start;
    return true;
}

bool judge_failure(Arena *a, JudgeContext *c, const BridgeReply *reply, CaseResult *out, Err *err) {
    const json_t *e = reply->error;
    const char *code = text_at(e, "code");
    bool timeout = code && !strcmp(code, "timeout"), died = code && !strcmp(code, "child_died");
    out->precision = json_array();
    out->verdict = VERDICT_FAIL;
    if (!timeout && !died) return false; /* *err is set by the bridge */
    const char *said = text_at(e, "message");
    if (died && said && strstr(said, "memory than the limit")) {
        /* Told politely by Python's allocator, for the reference as well as for the candidate: the machine is
         * too small. */
        out->verdict = VERDICT_INFRA_ERROR;
        out->reason = arena_strdup(a, said);
        add_diag(c, "out-of-memory", "run", NULL, 0, out->reason, "运行所需内存超过上限",
                 copy_text(a, e, "hint", NULL), "请减小 get_inputs 的尺寸, 或提高内存上限");
        return true;
    }
    const json_t *trail = json_object_get(e, "trail");
    const char *source = section_name(text_at(trail, "file")), *api = copy_text(a, trail, "api", NULL);
    int line = (int)json_integer_value(json_object_get(trail, "line"));
    json_int_t block = json_integer_value(json_object_get(trail, "block"));
    const char *message = copy_text(a, e, "message", timeout ? "time limit reached" : "the process died");
    const char *place = source ? arena_printf(a, ", last seen in block %" JSON_INTEGER_FORMAT "%s%s", block,
                                              api ? " at " : "", api ? api : "")
                               : "";
    const char *text = arena_printf(a, "%s%s", message, place);
    const char *zh = arena_printf(a, "%s%s%s", timeout ? "运行超时" : "运行进程崩溃",
                                  source ? ": 最后位置见 source 与 line" : "", "");
    bool in_binding = source && !strcmp(source, "python_bind_src");
    const char *hint = !timeout && in_binding
                           ? "the host cannot read or write a device tensor through data_ptr(); look for that, "
                             "or for a null or wild pointer"
                       : timeout
                           ? "look for a loop that does not end near that place, or raise the time limit"
                           : "look for a null or wild pointer after that place; memory may also have run out";
    const char *hint_zh = timeout ? "请检查该处附近是否有死循环, 或提高时间上限"
                                  : "请检查该处之后的空指针或野指针; 也可能是内存不足";
    add_diag(c, timeout ? "run-timeout" : "run-crash", "run", source, line, text, zh,
             copy_text(a, e, "hint", hint), hint_zh);
    out->reason = text;
    (void)err;
    return true;
}
