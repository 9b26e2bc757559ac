/* One thread a worker process; each takes the next row until none is left. */
#include "store/golden_check.h"

#include "base/fs.h"
#include "isa/isa.h"
#include "store/golden.h"
#include "store/store.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define JOBS_MAX 32

typedef struct Pool {
    const GoldenCheck *o;
    Arena *arena; /* of the rows; under the lock */
    GoldenCheckRow *rows;
    size_t n_rows, next, n_done;
    Err start_error; /* why a worker could not be started */
    size_t n_started;
    pthread_mutex_t lock;
} Pool;

/* ---- rows ------------------------------------------------------------------------------------ */

static const char *find_reference(Arena *a, const GoldenCheck *o, const char *op, const char *kept) {
    if (kept && fs_exists(kept)) return kept;
    static const char *const SUFFIXES[] = {"_torch_reference.py", ".py"};
    for (size_t i = 0; o->reference_dir && i < sizeof SUFFIXES / sizeof SUFFIXES[0]; i++) {
        const char *path = arena_printf(a, "%s/%s%s", o->reference_dir, op, SUFFIXES[i]);
        if (fs_exists(path)) return path;
    }
    return NULL;
}

/* The chip a version was verified for, where we know it. */
static const char *chip_of(Arena *a, const json_t *results) {
    const char *hardware;
    json_t *item;
    json_object_foreach((json_t *)results, hardware, item) {
        GoldenTime t = golden_time(item);
        if (chip_find(t.chip)) return arena_strdup(a, t.chip);
    }
    return NULL;
}

static GoldenCheckRow make_row(Arena *a, const GoldenCheck *o, const char *op, const char *hash,
                               const char *code, const char *kept, const char *chip) {
    GoldenCheckRow row = {
        .op = op, .hash = arena_strdup(a, hash), .code_path = code, .chip = chip, .reason = ""};
    row.reference_path = find_reference(a, o, op, kept);
    if (!fs_exists(code)) row.state = "MISSING", row.reason = "the description is not there";
    else if (!row.reference_path) row.state = "NO_REFERENCE", row.reason = "no reference was kept with it";
    return row;
}

typedef struct Rows {
    Arena *arena;
    const GoldenCheck *o;
    VEC(GoldenCheckRow) list;
} Rows;

static bool add_entry(void *ctx, const GoldenEntry *e) {
    Rows *rows = ctx;
    Arena *a = rows->arena;
    bool any = false;
    for (size_t i = 0; i < e->n_versions; i++) {
        const GoldenVersion *v = &e->versions[i];
        if (!v->current && !rows->o->all_versions) continue;
        any = true;
        vec_push(
            a, &rows->list,
            make_row(a, rows->o, e->op, v->hash, v->code_path, v->reference_path, chip_of(a, v->results)));
    }
    if (any && !e->state) return true;
    const char *kept = e->n_versions ? e->versions[e->n_versions - 1].reference_path : NULL;
    vec_push(a, &rows->list, make_row(a, rows->o, e->op, "", e->code_path, kept, NULL));
    return true;
}

/* ---- one row --------------------------------------------------------------------------------- */

static void note(const Pool *p, Arena *scratch, const GoldenCheckRow *row, const VerifyResult *r) {
    if (!*row->hash) return;
    json_t *verified =
        json_pack("{s:s, s:s, s:s, s:s}", "at", store_stamp(scratch), "verdict", row->state, "standard",
                  verify_standard_name(p->o->standard), "opwright", OPWRIGHT_VERSION);
    const json_t *hardware = json_object_get(r->json, "hardware");
    if (verified && hardware) json_object_set(verified, "hardware", (json_t *)hardware);
    Err ignored = {0}; /* the verdict is printed; the note is a convenience */
    if (verified) (void)!golden_note_verified(scratch, p->o->dir, row->op, row->hash, verified, &ignored);
    json_decref(verified);
}

static void run_row(Pool *p, Bridge *b, GoldenCheckRow *row) {
    Arena *scratch = arena_new();
    Err err = {0};
    VerifyResult r = {0};
    VerifyOptions o = {.op = row->op,
                       .reference_path = row->reference_path,
                       .kernel_code_path = row->code_path,
                       .chip = row->chip,
                       .standard = p->o->standard,
                       .stage_limit_s = p->o->stage_limit_s};
    double start = time_now_s();
    bool ok = verify_run(scratch, b, &o, &r, &err);
    const char *verdict = ok ? json_string_value(json_object_get(r.json, "verdict")) : NULL;
    const char *why = ok ? json_string_value(json_object_get(r.json, "error_message")) : err.message;
    pthread_mutex_lock(&p->lock);
    row->state = verdict ? arena_strdup(p->arena, verdict) : "ERROR";
    row->reason = r.exit_code == 0 && ok ? "" : arena_strdup(p->arena, why ? why : "");
    row->wall_s = time_now_s() - start;
    pthread_mutex_unlock(&p->lock);
    if (ok) note(p, scratch, row, &r);
    json_decref(r.json);
    arena_free(scratch);
}

/* ---- threads --------------------------------------------------------------------------------- */

static GoldenCheckRow *take_row(Pool *p) {
    pthread_mutex_lock(&p->lock);
    while (p->next < p->n_rows && p->rows[p->next].state) p->next++;
    GoldenCheckRow *row = p->next < p->n_rows ? &p->rows[p->next++] : NULL;
    pthread_mutex_unlock(&p->lock);
    return row;
}

static void tell(Pool *p, const GoldenCheckRow *row) {
    pthread_mutex_lock(&p->lock);
    p->n_done++;
    if (p->o->on_row) p->o->on_row(p->o->ctx, row, p->n_done, p->n_rows);
    pthread_mutex_unlock(&p->lock);
}

static Bridge *start_bridge(Pool *p) {
    Arena *a = arena_new();
    Err err = {0};
    const char *home = fs_home(a, &err);
    pthread_mutex_lock(&p->lock);
    Bridge *b = home ? bridge_start(&(BridgeOptions){.home = home}, &err) : NULL;
    if (b) p->n_started++;
    else p->start_error = err;
    pthread_mutex_unlock(&p->lock);
    arena_free(a);
    return b;
}

static void *work(void *ctx) {
    Pool *p = ctx;
    Bridge *b = NULL;
    for (GoldenCheckRow *row; (row = take_row(p));) {
        if (!b && !(b = start_bridge(p))) break;
        run_row(p, b, row);
        tell(p, row);
    }
    bridge_stop(b);
    return NULL;
}

static size_t count_jobs(const Pool *p, size_t n_runs) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t n = p->o->n_jobs ? p->o->n_jobs : processors > 0 ? (size_t)processors : 1;
    n = n < n_runs ? n : n_runs;
    return n < JOBS_MAX ? n : JOBS_MAX;
}

static bool run_pool(Pool *p, size_t n_runs, Err *err) {
    pthread_t threads[JOBS_MAX];
    size_t n = count_jobs(p, n_runs), n_threads = 0;
    while (n_threads + 1 < n && pthread_create(&threads[n_threads], NULL, work, p) == 0) n_threads++;
    work(p); /* this thread takes its share */
    for (size_t i = 0; i < n_threads; i++) pthread_join(threads[i], NULL);
    if (n_runs == 0 || p->n_started > 0) return true;
    *err = p->start_error;
    return false;
}

bool golden_check(Arena *a, const GoldenCheck *o, GoldenCheckReport *r, Err *err) {
    Rows all = {.arena = a, .o = o};
    *r = (GoldenCheckReport){0};
    if (!golden_each(a, o->dir, o->ops, o->n_ops, add_entry, &all, err)) return false;
    GoldenCheckRow *rows = all.list.at;
    size_t n_rows = all.list.n;
    Pool p = {.o = o, .arena = a, .rows = rows, .n_rows = n_rows, .lock = PTHREAD_MUTEX_INITIALIZER};
    size_t n_runs = 0;
    for (size_t i = 0; i < n_rows; i++) {
        n_runs += !rows[i].state;
        if (rows[i].state) tell(&p, &rows[i]);
    }
    bool ok = run_pool(&p, n_runs, err);
    for (size_t i = 0; i < n_rows; i++) {
        if (!rows[i].state) rows[i].state = "ERROR", rows[i].reason = arena_strdup(a, p.start_error.message);
        r->n_pass += !strcmp(rows[i].state, "PASS");
        r->n_not_run += !strcmp(rows[i].state, "NO_REFERENCE");
    }
    r->rows = rows;
    r->n_rows = n_rows;
    pthread_mutex_destroy(&p.lock);
    return ok;
}
