/* The loop. */
#include "improve/improve.h"

#include "base/fs.h"
#include "base/strbuf.h"
#include "improve/patch.h"
#include "improve/prompt.h"
#include "store/diff.h"
#include "store/store.h"
#include "store/traj.h"

#include <stdio.h>
#include <string.h>

typedef struct Try {
    const char *code;
    const char *hash;
    json_t *result; /* the result object; owned by the loop */
    const char *summary;
    int exit_code;
    double score; /* how far it came */
} Try;

typedef struct Loop {
    Arena *arena;
    Bridge *bridge;
    const ImproveOptions *o;
    ImproveResult *r;
    const char *original, *reference;
    Try base; /* what the next change is made to: the one that came furthest, of equals the newest */
    VEC(const char *) seen;
    StrBuf earlier;
    const char *refusal;
    double start_s;
} Loop;

static void tell(const Loop *l, const char *line) {
    if (l->o->on_log) l->o->on_log(l->o->log_ctx, line);
}

/* ---- one verification ------------------------------------------------------------------------ */

/* 0 rejected, 1 not built, 2 built and up to 3 with the share of cases that pass. */
static double score_of(const json_t *result) {
    const char *verdict = json_string_value(json_object_get(result, "verdict"));
    const json_t *cases = json_object_get(result, "cases");
    size_t n = json_array_size(cases), n_pass = 0;
    if (verdict && !strcmp(verdict, "REJECTED")) return 0;
    if (!json_is_true(json_object_get(result, "compiled"))) return 1;
    for (size_t i = 0; i < n; i++) {
        const char *v = json_string_value(json_object_get(json_array_get(cases, i), "verdict"));
        n_pass += v && !strcmp(v, "PASS");
    }
    return 2 + (n ? (double)n_pass / (double)n : 0);
}

static json_t *answer_of(const Loop *l, const Try *t, const char *note) {
    json_t *answer = json_pack("{s:i, s:s, s:s, s:[O], s:s}", "exit_code", t->exit_code, "reference_path",
                               l->o->reference_path, "kernel_code_path", l->o->code_path, "result", t->result,
                               "summary", t->summary);
    if (answer && note) json_object_set_new(answer, "note", json_string(note));
    return answer;
}

/* A record for every try, also for an answer that gave no code: then with the code and verdict of what it was
 * about. */
static bool record(Loop *l, const Try *t, const char *note, Err *err) {
    json_t *answer = answer_of(l, t, note);
    if (!answer) return err_set(err, ERR_BAD_INPUT, NULL, "a path is not UTF-8");
    bool ok = traj_append(l->arena, l->o->traj_path, t->code, answer, err);
    json_decref(l->r->answer);
    l->r->answer = answer;
    l->r->summary = t->summary;
    return ok;
}

static bool verify(Loop *l, const char *code, Try *t, Err *err) {
    Arena *a = l->arena;
    char *dir = fs_temp_dir_in(a, bridge_scratch(l->bridge), "improve", err);
    if (!dir) return false;
    const char *path = arena_printf(a, "%s/%s.ascendc.py", dir, l->o->op);
    VerifyOptions o = {.op = l->o->op,
                       .reference_path = l->o->reference_path,
                       .kernel_code_path = path,
                       .chip = l->o->chip,
                       .standard = l->o->standard,
                       .stage_limit_s = l->o->stage_limit_s,
                       .on_log = l->o->on_log,
                       .log_ctx = l->o->log_ctx};
    VerifyResult v = {0};
    bool ok = fs_write(path, code, strlen(code), err) && verify_run(a, l->bridge, &o, &v, err);
    fs_remove_tree(dir);
    if (!ok) return false;
    *t = (Try){.code = code,
               .hash = store_hash16(a, code, strlen(code)),
               .result = v.json,
               .summary = v.summary,
               .exit_code = v.exit_code,
               .score = score_of(v.json)};
    vec_push(a, &l->seen, t->hash);
    return record(l, t, NULL, err);
}

/* ---- one question ---------------------------------------------------------------------------- */

static bool was_seen(const Loop *l, const char *code) {
    const char *hash = store_hash16(l->arena, code, strlen(code));
    for (size_t i = 0; i < l->seen.n; i++)
        if (!strcmp(l->seen.at[i], hash)) return true;
    return false;
}

static bool refuse(Loop *l, const char *why, Err *err) {
    l->refusal = why;
    strbuf_printf(&l->earlier, "- answer %d could not be used: %s\n", l->r->n_tries, why);
    tell(l, arena_printf(l->arena, "try %d: %s", l->r->n_tries, why));
    return record(l, &l->base, arena_printf(l->arena, "answer %d could not be used: %s", l->r->n_tries, why),
                  err);
}

/* *code stays NULL when the answer cannot be used; that is recorded and told in the next question. */
static bool ask(Loop *l, const char **code, Err *err) {
    Arena *a = l->arena;
    const ImproveOptions *o = l->o;
    PromptFacts facts = {.op = o->op,
                         .chip = o->chip ? o->chip : "Ascend910B4",
                         .reference = l->reference,
                         .description = l->base.code,
                         .result = l->base.result,
                         .root = o->root,
                         .earlier = l->earlier.text,
                         .refusal = l->refusal};
    ChatMessage messages[] = {{"system", PROMPT_SYSTEM}, {"user", prompt_question(a, &facts)}};
    ChatAnswer answer;
    *code = NULL;
    l->r->n_tries++;
    if (!chat_ask(a, &o->chat, messages, 2, &answer, err)) return false;
    l->r->n_tokens += answer.n_tokens;
    Err why = {0};
    size_t n_changes;
    const char *now = patch_apply(a, l->base.code, answer.text, &n_changes, &why);
    if (!now && answer.cut)
        return refuse(l, "it was cut off at the length limit: send fewer and smaller changes", err);
    if (!now) return refuse(l, arena_strdup(a, why.message), err);
    if (was_seen(l, now)) return refuse(l, "this change was tried before, with the result above", err);
    tell(l, arena_printf(a, "try %d: %zu change%s, %ld tokens so far", l->r->n_tries, n_changes,
                         n_changes == 1 ? "" : "s", l->r->n_tokens));
    *code = now;
    l->refusal = NULL;
    return true;
}

static void judge(Loop *l, Try *t) {
    const char *line = arena_strndup(l->arena, t->summary, strcspn(t->summary, "\n"));
    const char *error = json_string_value(json_object_get(t->result, "error_message"));
    bool better = t->score >= l->base.score;
    strbuf_printf(&l->earlier, "- change %d: %s%s%.300s%s\n", l->r->n_tries, line, error ? "; " : "",
                  error ? error : "",
                  better ? " (the file below has it)" : " (taken back: it came less far)");
    tell(l, arena_printf(l->arena, "try %d: %s", l->r->n_tries, line));
    Try *worse = better ? &l->base : t;
    json_decref(worse->result);
    if (better) l->base = *t;
}

/* ---- whole ----------------------------------------------------------------------------------- */

static bool budget_left(Loop *l) {
    const ImproveOptions *o = l->o;
    ImproveResult *r = l->r;
    if (r->n_tries >= o->max_tries) r->outcome = IMPROVE_TRIES_SPENT;
    else if (o->token_budget > 0 && r->n_tokens >= o->token_budget) r->outcome = IMPROVE_TOKENS_SPENT;
    else if (o->time_budget_s > 0 && time_now_s() - l->start_s >= o->time_budget_s)
        r->outcome = IMPROVE_TIME_SPENT;
    else return true;
    return false;
}

static bool run(Loop *l, Err *err) {
    if (!verify(l, l->original, &l->base, err)) return false;
    while (l->base.exit_code != 0 && budget_left(l)) {
        const char *code;
        Try t;
        if (!ask(l, &code, err)) return false;
        if (!code) continue;
        if (!verify(l, code, &t, err)) return false;
        judge(l, &t);
    }
    if (l->base.exit_code != 0) return true;
    l->r->outcome = l->r->n_tries ? IMPROVE_PASSED : IMPROVE_PASSED_ALREADY;
    if (l->r->n_tries == 0) return true;
    l->r->diff = diff_unified(l->arena, l->original, l->base.code, l->o->code_path, l->o->output_path, err);
    return l->r->diff && fs_write(l->o->output_path, l->base.code, strlen(l->base.code), err);
}

bool improve_run(Arena *a, Bridge *b, const ImproveOptions *o, ImproveResult *r, Err *err) {
    *r = (ImproveResult){.summary = "", .diff = ""};
    Loop l = {.arena = a, .bridge = b, .o = o, .r = r, .start_s = time_now_s()};
    strbuf_init(&l.earlier, a);
    l.original = fs_read(a, o->code_path, NULL, err);
    l.reference = l.original ? fs_read(a, o->reference_path, NULL, err) : NULL;
    bool ok = l.reference && run(&l, err);
    json_decref(l.base.result);
    return ok;
}
