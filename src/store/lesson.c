/* The replay of a lesson, and its place in the store. */
#include "store/lesson.h"

#include "base/fs.h"
#include "desc/cxx_lex.h"
#include "desc/desc.h"
#include "store/diff.h"
#include "store/fresh.h"
#include "store/json_text.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name, *text;
} OUTCOMES[] = {
    {"admitted", "replayed: the wrong version fails, the mended one passes"},
#define REFUSAL(id, name, text) {name, text},
#include "store/refusals.def"
#undef REFUSAL
};

const char *lesson_outcome_name(LessonOutcome o) {
    return OUTCOMES[o].name;
}
const char *lesson_outcome_text(LessonOutcome o) {
    return OUTCOMES[o].text;
}

/* ---- replay ---------------------------------------------------------------------------------- */

typedef struct Replay {
    Arena *arena;
    Bridge *bridge;
    const LessonReplay *o;
    LessonVerdict *v;
    const char *wrong_path, *right_path, *reference;
    const char *right; /* text */
    FreshCases fresh;
    long long wrong_blocks, right_blocks; /* most blocks of a launch; 0: not known */
} Replay;

static bool refuse(Replay *p, LessonOutcome outcome, const char *detail) {
    p->v->outcome = outcome;
    p->v->detail = arena_strdup(p->arena, detail ? detail : "");
    return false;
}

static long long most_blocks(const json_t *result) {
    const json_t *launches = json_object_get(result, "launches");
    long long most = 0;
    for (size_t i = 0; i < json_array_size(launches); i++) {
        long long n = json_integer_value(json_object_get(json_array_get(launches, i), "block_dim"));
        if (n > most) most = n;
    }
    return most;
}

/* One verification. The message is the first error of the result; blocks may be NULL. */
static bool run(Replay *p, const char *path, const FreshCases *cases, Verdict *verdict, const char **message,
                long long *blocks, json_t **checks, Err *err) {
    VerifyOptions o = {.op = p->o->op,
                       .reference_path = p->reference,
                       .kernel_code_path = path,
                       .chip = p->o->chip,
                       .standard = p->o->standard,
                       .stage_limit_s = p->o->stage_limit_s,
                       .on_log = p->o->on_log,
                       .log_ctx = p->o->log_ctx};
    if (cases) o.cases = cases->at, o.n_cases = cases->n;
    VerifyResult r = {0};
    Arena *scratch = arena_new();
    bool ok = verify_run(scratch, p->bridge, &o, &r, err);
    const char *text = json_string_value(json_object_get(r.json, "error_message"));
    *verdict = r.verdict;
    *message = arena_strdup(p->arena, text ? text : "");
    if (blocks) *blocks = most_blocks(r.json);
    if (checks) *checks = json_incref(json_object_get(r.json, "checks"));
    json_decref(r.json);
    arena_free(scratch);
    return ok;
}

static bool judged(Verdict v) {
    return v == VERDICT_PASS || v == VERDICT_FAIL || v == VERDICT_REJECTED;
}

/* Ids of the errors that the wrong version showed. */
static json_t *check_ids(const json_t *checks) {
    json_t *ids = json_array();
    for (size_t i = 0; i < json_array_size(checks); i++) {
        const json_t *c = json_array_get(checks, i);
        const char *severity = json_string_value(json_object_get(c, "severity"));
        if (severity && !strcmp(severity, "error") && json_object_get(c, "check"))
            json_array_append(ids, json_object_get(c, "check"));
    }
    return ids;
}

static const char *VERDICT_TEXT[] = {[VERDICT_PASS] = "PASS",
                                     [VERDICT_FAIL] = "FAIL",
                                     [VERDICT_REJECTED] = "REJECTED",
                                     [VERDICT_NOT_MODELLED] = "NOT_MODELLED",
                                     [VERDICT_INFRA_ERROR] = "INFRA_ERROR"};

static bool replay_right(Replay *p, bool *more, Err *err) {
    Verdict verdict;
    const char *message;
    if (!run(p, p->right_path, NULL, &verdict, &message, &p->right_blocks, NULL, err)) return false;
    json_object_set_new(p->v->replay, "right", json_string(VERDICT_TEXT[verdict]));
    *more = verdict == VERDICT_PASS || refuse(p,
                                              verdict == VERDICT_REJECTED ? LESSON_RIGHT_REJECTED
                                              : judged(verdict)           ? LESSON_RIGHT_FAILS
                                                                          : LESSON_RIGHT_UNJUDGED,
                                              message);
    return true;
}

static bool replay_wrong(Replay *p, bool *passes, bool *more, Err *err) {
    Verdict verdict;
    const char *message;
    json_t *checks = NULL;
    bool ok = run(p, p->wrong_path, NULL, &verdict, &message, &p->wrong_blocks, &checks, err);
    if (ok) {
        json_object_set_new(p->v->replay, "wrong", json_string(VERDICT_TEXT[verdict]));
        json_object_set_new(p->v->replay, "checks", check_ids(checks));
        *passes = verdict == VERDICT_PASS;
        *more = judged(verdict) || refuse(p, LESSON_WRONG_UNJUDGED, message);
    }
    json_decref(checks);
    return ok;
}

/* Other shapes. One that the reference itself cannot take is no case: they are tried one by one when it
 * breaks. */
static bool replay_fresh(Replay *p, const char *path, Verdict *verdict, const char **message, size_t *n_run,
                         Err *err) {
    Err why = {0};
    *n_run = p->fresh.n;
    *verdict = VERDICT_PASS;
    *message = "";
    if (p->fresh.n == 0) return true;
    if (run(p, path, &p->fresh, verdict, message, NULL, NULL, &why)) return true;
    *n_run = 0;
    for (size_t i = 0; i < p->fresh.n; i++) {
        FreshCases one = {.at = &p->fresh.at[i], .n = 1};
        Verdict v;
        const char *text;
        Err e = {0};
        if (!run(p, path, &one, &v, &text, NULL, NULL, &e)) {
            if (e.code == ERR_INTERNAL || e.code == ERR_IO)
                return err_set(err, e.code, e.where, "%s", e.message);
            continue;
        }
        ++*n_run;
        if (v != VERDICT_PASS) *verdict = v, *message = text;
    }
    return true;
}

static bool replay_shapes(Replay *p, bool wrong_passes, bool *more, Err *err) {
    Verdict verdict;
    const char *message;
    size_t n;
    if (!replay_fresh(p, p->right_path, &verdict, &message, &n, err)) return false;
    json_object_set_new(p->v->replay, "fresh_cases", json_integer((json_int_t)n));
    if (verdict != VERDICT_PASS) {
        *more = refuse(p, judged(verdict) ? LESSON_TEST_CONSTANTS : LESSON_RIGHT_UNJUDGED, message);
        return true;
    }
    if (!wrong_passes) return true;
    if (!replay_fresh(p, p->wrong_path, &verdict, &message, &n, err)) return false;
    json_object_set_new(p->v->replay, "wrong_on_fresh", json_string(VERDICT_TEXT[verdict]));
    if (verdict == VERDICT_PASS)
        *more = refuse(p, LESSON_WRONG_PASSES, "it passes on the reference's own inputs and on other shapes");
    else if (!judged(verdict)) *more = refuse(p, LESSON_WRONG_UNJUDGED, message);
    return true;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

static bool names_blocks(const CxxToken *t) {
    static const char *const NAMES[] = {"SetBlockDim", "BLOCK_DIM", "blockDim",
                                        "block_dim",   "kBlockDim", "BLOCK_NUM"};
    for (size_t i = 0; i < sizeof NAMES / sizeof NAMES[0]; i++)
        if (t->n_bytes == strlen(NAMES[i]) && !memcmp(t->text, NAMES[i], t->n_bytes)) return true;
    return false;
}

/* The number of blocks that a description's host code states; 0: none, or computed. */
static long long stated_blocks(Arena *a, const char *text) {
    const char *source[DESC_N_SOURCES];
    if (!desc_peek(a, text, source)) return 0;
    CxxTokens t = cxx_lex(a, arena_printf(a, "%s\n%s", source[DESC_HOST_TILING], source[DESC_HOST_OPERATOR]));
    for (size_t i = 0; i + 2 < t.n; i++) {
        if (t.at[i].kind != CXX_IDENT || !names_blocks(&t.at[i]) || t.at[i + 2].kind != CXX_NUMBER) continue;
        if (cxx_is(&t.at[i + 1], "=") || cxx_is(&t.at[i + 1], "(")) return strtoll(t.at[i + 2].text, NULL, 0);
    }
    return 0;
}

/* A wrong version that never ran tells its blocks by its text alone. */
static bool hides_behind_one_block(Replay *p) {
    long long before = p->wrong_blocks ? p->wrong_blocks : stated_blocks(p->arena, p->o->wrong);
    json_object_set_new(p->v->replay, "blocks",
                        json_pack("[I, I]", (json_int_t)before, (json_int_t)p->right_blocks));
    return p->right_blocks == 1 && before > 1;
}

/* ---- whole ----------------------------------------------------------------------------------- */

static bool replay_all(Replay *p, Err *err) {
    bool more = true, wrong_passes = false;
    if (!replay_right(p, &more, err)) return false;
    if (more && !replay_wrong(p, &wrong_passes, &more, err)) return false;
    if (more && hides_behind_one_block(p))
        more = refuse(p, LESSON_SINGLE_BLOCK,
                      arena_printf(p->arena, "%lld blocks became 1",
                                   p->wrong_blocks ? p->wrong_blocks : stated_blocks(p->arena, p->o->wrong)));
    if (!more) return true;
    if (!fresh_cases(p->arena, p->bridge, p->reference, &p->fresh, err)) return false;
    return replay_shapes(p, wrong_passes, &more, err);
}

static bool has_text(const char *text) {
    return text && text[strspn(text, " \t\r\n")];
}

/* What can be said without running anything; true: go on. */
static bool prepare(Replay *p) {
    const LessonReplay *o = p->o;
    Err why = {0};
    if (!has_text(o->summary)) return refuse(p, LESSON_NO_SUMMARY, "");
    p->right = diff_apply(p->arena, o->wrong, o->diff, &why);
    if (!p->right) return refuse(p, LESSON_DAMAGED, why.message);
    if (!strcmp(p->right, o->wrong)) return refuse(p, LESSON_NO_CHANGE, "");
    if (!o->reference_path) return refuse(p, LESSON_NO_REFERENCE, "");
    p->reference = store_absolute(p->arena, o->reference_path);
    return fs_check_readable(p->reference, &why) ||
           refuse(p, LESSON_NO_REFERENCE, arena_printf(p->arena, "%s: %s", p->reference, why.message));
}

bool lesson_replay(Arena *a, Bridge *b, const LessonReplay *o, LessonVerdict *v, Err *err) {
    *v = (LessonVerdict){.outcome = LESSON_ADMITTED, .detail = ""};
    Replay p = {.arena = a, .bridge = b, .o = o, .v = v};
    if (!prepare(&p)) return true;
    char *dir = fs_temp_dir_in(a, bridge_scratch(b), "lesson", err);
    if (!dir) return false;
    p.wrong_path = arena_printf(a, "%s/wrong.ascendc.py", dir);
    p.right_path = arena_printf(a, "%s/right.ascendc.py", dir);
    v->replay = json_pack("{s:s, s:s, s:s, s:s}", "at", store_stamp(a), "opwright", OPWRIGHT_VERSION, "chip",
                          o->chip ? o->chip : "Ascend910B4", "standard", verify_standard_name(o->standard));
    bool ok = fs_write(p.wrong_path, o->wrong, strlen(o->wrong), err) &&
              fs_write(p.right_path, p.right, strlen(p.right), err) && replay_all(&p, err);
    fresh_cases_clear(&p.fresh);
    fs_remove_tree(dir);
    return ok;
}

/* ---- place ----------------------------------------------------------------------------------- */

const char *lesson_path(Arena *a, const char *root, const char *op, bool unverified) {
    return arena_printf(a, "%s/reference/issues/%s%s.json", root, unverified ? "unverified/" : "", op);
}

static const char *text_at(const json_t *o, const char *key) {
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

static bool same_lesson(const json_t *x, const json_t *y) {
    return !strcmp(diff_body(text_at(x, "code_diff")), diff_body(text_at(y, "code_diff"))) &&
           !strcmp(text_at(x, "error"), text_at(y, "error"));
}

static void merge(json_t *list, const json_t *lessons) {
    for (size_t i = 0; i < json_array_size(lessons); i++) {
        json_t *lesson = json_array_get(lessons, i);
        size_t at = 0;
        while (at < json_array_size(list) && !same_lesson(json_array_get(list, at), lesson)) at++;
        if (at < json_array_size(list)) json_array_set(list, at, lesson);
        else json_array_append(list, lesson);
    }
}

static json_t *read_list(Arena *a, const char *path, const char **note, Err *err) {
    size_t n = 0;
    Err why = {0};
    *note = NULL;
    if (!fs_exists(path)) return json_array();
    const char *text = fs_read(a, path, &n, err);
    if (!text) return NULL;
    json_t *list = store_parse_json(path, text, n, &why);
    if (json_is_array(list)) return list;
    json_decref(list);
    const char *aside = store_keep_aside(a, path, text, n, err);
    if (!aside) return NULL;
    *note = arena_printf(a, "%s: %s; it is kept as %s, and a new one was begun", path,
                         why.code ? why.message : "is no list of lessons", aside);
    return json_array();
}

bool lesson_store(Arena *a, const char *path, json_t *lessons, const char **note, Err *err) {
    int lock = store_lock(arena_printf(a, "%s/.lock", store_dir_of(a, path)), err);
    json_t *list = lock >= 0 ? read_list(a, path, note, err) : NULL;
    if (list) merge(list, lessons);
    bool ok = list && store_write_json(a, path, list, 2, err);
    json_decref(list);
    store_unlock(lock);
    return ok;
}
