/* opwright traj save: pairs become lessons after a replay. */
#include "cli/cli.h"
#include "cli/traj_int.h"
#include "store/lesson.h"
#include "store/store.h"
#include "store/traj.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char TRAJ_SAVE_USAGE[] =
    "usage: opwright traj save --op NAME [--pairs_path PAIRS.json] [options]\n\n"
    "Replays each pair: its wrong version must fail, the mended one must pass, on the reference's own inputs "
    "and on other\n"
    "shapes. Those that hold go to reference/issues/NAME.json of the store; the others are refused, with the "
    "reason.\n\n"
    "  --op NAME              operator: the name of the file\n"
    "  --pairs_path FILE      default error_fix_pairs.json\n"
    "  --reference_path FILE  the PyTorch reference, when the pairs do not name it\n"
    "  --traj_path FILE       the traj.json they came from, for the same\n"
    "  --unverified           keep what is refused in reference/issues/unverified/NAME.json, marked, used by "
    "nothing\n"
    "  --standard NAME        seed (default), multikernelbench or ecosystem\n"
    "  --chip NAME            default Ascend910B4\n"
    "  --time-limit SECONDS   for each stage, default 120\n"
    "  --json                 the outcomes as one JSON list\n"
    "  --quiet                no progress lines\n\n"
    "exit status: 0 all were admitted (or kept with --unverified), 1 some were refused, 2 bad input\n";

typedef struct Saver {
    Arena *arena;
    TrajArgs *args;
    Bridge *bridge; /* started by the first that needs a replay */
    json_t *traj;   /* or NULL */
    json_t *admitted, *refused, *outcomes;
} Saver;

static const char *text_at(const json_t *o, const char *key) {
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

static const char *reference_of(const Saver *s, const json_t *pair) {
    if (s->args->reference_path) return s->args->reference_path;
    const char *own = json_string_value(json_object_get(pair, "reference_path"));
    if (own || !s->traj) return own;
    const json_t *record =
        json_array_get(s->traj, (size_t)json_integer_value(json_object_get(pair, "correct_idx")));
    return json_string_value(json_object_get(json_object_get(record, "result"), "reference_path"));
}

static void show_step(void *ctx, const char *line) {
    const Saver *s = ctx;
    if (!s->args->quiet) cli_log(NULL, line);
}

/* {op, error, code_diff, summary} as it is known, then what the replay says. */
static void keep(Saver *s, size_t i, const json_t *pair, const LessonVerdict *v) {
    json_t *lesson = json_pack("{s:s, s:s, s:s, s:s}", "op", s->args->op, "error", text_at(pair, "error"),
                               "code_diff", text_at(pair, "code_diff"), "summary", text_at(pair, "summary"));
    if (v->outcome != LESSON_ADMITTED) {
        json_object_set_new(lesson, "verified", json_false());
        json_object_set_new(lesson, "why", json_string(lesson_outcome_name(v->outcome)));
    }
    if (v->replay) json_object_set(lesson, "replay", v->replay);
    json_array_append_new(v->outcome == LESSON_ADMITTED ? s->admitted : s->refused, lesson);
    json_array_append_new(s->outcomes, json_pack("{s:I, s:s, s:s, s:s}", "idx", (json_int_t)i, "outcome",
                                                 lesson_outcome_name(v->outcome), "text",
                                                 lesson_outcome_text(v->outcome), "detail", v->detail));
    if (s->args->as_json) return;
    printf("%zu: %s: %s\n", i, lesson_outcome_name(v->outcome), lesson_outcome_text(v->outcome));
    if (*v->detail) printf("   %.*s\n", (int)strcspn(v->detail, "\n"), v->detail);
}

static bool save_pair(Saver *s, size_t i, const json_t *pair, Err *err) {
    if (!json_is_object(pair))
        return err_set(err, ERR_BAD_INPUT, traj_pairs_path(s->args), "record %zu is no object", i);
    LessonReplay o = {.op = s->args->op,
                      .summary = text_at(pair, "summary"),
                      .wrong = text_at(pair, "error_code"),
                      .diff = text_at(pair, "code_diff"),
                      .reference_path = reference_of(s, pair),
                      .chip = s->args->chip,
                      .standard = s->args->standard,
                      .stage_limit_s = s->args->stage_limit_s,
                      .on_log = show_step,
                      .log_ctx = s};
    if (!s->bridge && !(s->bridge = cli_start_bridge(s->arena, err))) return false;
    LessonVerdict v;
    bool ok = lesson_replay(s->arena, s->bridge, &o, &v, err);
    if (!ok && (err->code == ERR_BAD_INPUT || err->code == ERR_NOT_FOUND || err->code == ERR_UNSUPPORTED)) {
        v.outcome = LESSON_NO_REFERENCE; /* it is there, and broken: a matter of this pair alone */
        v.detail = arena_printf(s->arena, "%s: %s", err->where, err->message);
        *err = (Err){0};
        ok = true;
    }
    if (ok) keep(s, i, pair, &v);
    else (void)err_context(err, "pair %zu", i);
    json_decref(v.replay);
    return ok;
}

static bool write_lessons(Saver *s, json_t *lessons, bool unverified, Err *err) {
    const char *note = NULL, *root = store_root(s->arena, err);
    if (!root) return false;
    const char *path = lesson_path(s->arena, root, s->args->op, unverified);
    if (json_array_size(lessons) == 0) return true;
    if (!lesson_store(s->arena, path, lessons, &note, err)) return false;
    if (note) fprintf(stderr, "opwright: %s\n", note);
    if (!s->args->as_json)
        printf("wrote %zu %slesson%s to %s\n", json_array_size(lessons), unverified ? "unverified " : "",
               json_array_size(lessons) == 1 ? "" : "s", path);
    return true;
}

static int finish(Saver *s, Err *err) {
    size_t n_refused = json_array_size(s->refused);
    if (!write_lessons(s, s->admitted, false, err)) return 2;
    if (s->args->unverified && !write_lessons(s, s->refused, true, err)) return 2;
    if (s->args->as_json) {
        char *text = json_dumps(s->outcomes, JSON_INDENT(2));
        puts(text ? text : "[]");
        free(text);
    } else if (n_refused && !s->args->unverified) {
        printf("%zu of %zu were refused; --unverified keeps them apart\n", n_refused,
               json_array_size(s->outcomes));
    }
    return n_refused && !s->args->unverified ? 1 : 0;
}

int traj_save(Arena *a, TrajArgs *args, Err *err) {
    if (!args->op) return err_set(err, ERR_USAGE, NULL, "--op is missing"), 2;
    if (!store_check_op(args->op, err)) return 2;
    Saver s = {.arena = a,
               .args = args,
               .admitted = json_array(),
               .refused = json_array(),
               .outcomes = json_array()};
    json_t *pairs = traj_read_pairs(a, traj_pairs_path(args), err);
    if (pairs && args->traj_path) s.traj = traj_read(a, args->traj_path, err);
    bool ok = pairs && (!args->traj_path || s.traj);
    for (size_t i = 0; ok && i < json_array_size(pairs); i++)
        ok = save_pair(&s, i, json_array_get(pairs, i), err);
    Err late = {0}; /* what was admitted before a failure is kept */
    int status = finish(&s, ok ? err : &late);
    bridge_stop(s.bridge);
    json_decref(pairs);
    json_decref(s.traj);
    json_decref(s.admitted);
    json_decref(s.refused);
    json_decref(s.outcomes);
    return status;
}
