/* What the files of `opwright gen` share: the command line, and one operator on its way through it. */
#ifndef OPWRIGHT_CLI_GEN_INT_H
#define OPWRIGHT_CLI_GEN_INT_H

#include "cli/progress.h"
#include "cli/table.h"
#include "codegen/codegen.h"
#include "graph/graph.h"
#include "verify/verify.h"

typedef struct GenArgs {
    const char *output_dir, *name, *chip, *dump;
    VerifyStandard standard;
    VerifyModel model;
    double stage_limit_s;
    bool no_verify, force, explain, help;
    Progress progress;
    char **files;
    int n_files;
} GenArgs;

/* One operator on its way from the reference to the files. */
typedef struct GenJob {
    const char *reference, *name, *dir; /* name is NULL until it is known */
    Graph *graph;
    GenResult gen;
    const char *desc_text;
    VerifyResult verdict;
    size_t n_cases;   /* that the reference takes */
    json_t *left_out; /* {label, reason} of the others */
} GenJob;

/* The graph of a reference file, from the worker; NULL after an error. name: of the operator, or NULL. */
Graph *gen_trace(Arena *a, Bridge *b, const char *reference, const char *name, double limit_s, Err *err) ERR_CHECKED;
/* The row of one reference in the table of many; `err` is ERR_OK when it came through. */
void gen_table_row(Arena *a, Table *t, const GenJob *job, const Err *err);
/* Errors or warnings in a result; notes do not count. */
bool gen_has_findings(const json_t *result);
/* "PASS", "written", "BAD_INPUT". */
const char *gen_verdict_text(Arena *a, const GenJob *job, const Err *err);

#endif
