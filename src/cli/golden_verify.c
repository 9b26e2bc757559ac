/* opwright golden verify: the store again, several at a time. */
#include "cli/cli.h"
#include "cli/golden_int.h"

#include "base/cleanup.h"
#include "cli/table.h"
#include "store/golden_check.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char GOLDEN_VERIFY_USAGE[] =
    "usage: opwright golden verify [OP...] [options]\n\n"
    "Runs the current version of each operator (or of those named) against the reference kept with it, on "
    "the simulated AI Core,\n"
    "and reports what no longer passes. The verdict is noted in the version's record.\n\n"
    "  -j N, --jobs N         that many at a time; default: the number of processors\n"
    "  --all-versions         not only the current ones\n"
    "  --reference_dir DIR    where <op>_torch_reference.py or <op>.py lie, for solutions kept without a "
    "reference\n"
    "  --standard NAME        seed (default), multikernelbench or ecosystem\n"
    "  --time-limit SECONDS   for each stage, default 120\n"
    "  --output_dir DIR       the store\n"
    "  --json                 the rows as one JSON list\n"
    "  --quiet                no progress lines\n\n"
    "exit status: 0 all that could be run pass, 1 some do not, 2 nothing could be run\n";

static void show_row(void *ctx, const GoldenCheckRow *row, size_t n_done, size_t n_rows) {
    const GoldenArgs *args = ctx;
    if (!args->quiet)
        fprintf(stderr, "  [%zu/%zu] %s %s: %s, %.1f s\n", n_done, n_rows, row->op, row->hash, row->state,
                row->wall_s);
}

static void print_rows(Arena *a, const GoldenCheckReport *r) {
    static const char *const HEADS[] = {"operator", "version", "verdict", "why"};
    Table *t = table_new(a, sizeof HEADS / sizeof HEADS[0], HEADS);
    size_t n_shown = 0;
    for (size_t i = 0; i < r->n_rows; i++) {
        const GoldenCheckRow *row = &r->rows[i];
        if (!strcmp(row->state, "PASS")) continue;
        n_shown++;
        const char *why = arena_strndup(a, row->reason, strcspn(row->reason, "\n"));
        table_row(t, (const char *const[]){row->op, row->hash, row->state, why});
    }
    if (n_shown) table_print(t, stdout);
    printf("%zu pass, %zu do not, %zu have no reference to run them against\n", r->n_pass,
           r->n_rows - r->n_pass - r->n_not_run, r->n_not_run);
}

static void print_json(const GoldenCheckReport *r) {
    json_t *list = json_array();
    for (size_t i = 0; i < r->n_rows; i++) {
        const GoldenCheckRow *row = &r->rows[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s, s:f}", "op", row->op, "version", row->hash,
                                        "verdict", row->state, "reason", row->reason, "wall_s", row->wall_s));
    }
    char *text = json_dumps(list, JSON_INDENT(2));
    puts(text ? text : "[]");
    free(text);
    json_decref(list);
}

int golden_run_verify(Arena *a, GoldenArgs *args, Err *err) {
    GoldenCheck o = {.dir = args->dir,
                     .ops = args->n_names ? args->names : NULL,
                     .n_ops = args->n_names,
                     .all_versions = args->all_versions,
                     .reference_dir = args->reference_dir ? store_absolute(a, args->reference_dir) : NULL,
                     .standard = args->standard,
                     .stage_limit_s = args->stage_limit_s,
                     .n_jobs = args->n_jobs,
                     .on_row = show_row,
                     .ctx = args};
    GoldenCheckReport r;
    cleanup_install();
    if (!golden_check(a, &o, &r, err)) return 2;
    if (args->as_json) print_json(&r);
    else print_rows(a, &r);
    return r.n_pass + r.n_not_run == r.n_rows ? 0 : 1;
}
