/* What the files of `opwright gen` share: the command line, and one operator on its way through it. */
#ifndef OPWRIGHT_CLI_GEN_INT_H
#define OPWRIGHT_CLI_GEN_INT_H

#include "cli/progress.h"
#include "cli/table.h"
#include "codegen/codegen.h"
#include "graph/cases.h"
#include "graph/graph.h"
#include "verify/verify.h"

typedef struct GenArgs {
    const char *output_dir, *name, *chip, *dump, *report;
    VerifyStandard standard;
    VerifyModel model;
    double stage_limit_s, max_bytes;
    bool no_verify, force, explain, help;
    Progress progress;
    char **files;
    int n_files;
} GenArgs;

/* One operator on its way from the reference to the files. */
typedef struct GenJob {
    const char *reference, *name, *dir; /* name is NULL until it is known */
    const char *call;                   /* the reference, or FILE.py#3: group 3 of its inputs */
    int group;                          /* 0 when there are none */
    Graph *graph;
    GraphPoint *points; /* the groups that are calls of the graph */
    size_t n_points;
    const char *second_look; /* why an input must be read twice (lower/work.h); NULL */
    double trace_s, write_s; /* what generating took: tracing; planning and writing the text */
    GenResult gen;
    const char *desc_text;
    VerifyResult verdict;
    size_t n_cases;   /* that the reference takes */
    json_t *left_out; /* {label, reason} of the others */
} GenJob;

/* The graph of a reference file, from the worker; NULL after an error. name: of the operator, or NULL. *more: which groups of inputs
 * are calls of it and what the trace took, {groups, seconds}, which the caller decrefs; or NULL. */
Graph *gen_trace(Arena *a, Bridge *b, const char *reference, const char *name, double limit_s, json_t **more, Err *err) ERR_CHECKED;

/* Groups of inputs of one file (docs/bridge.md, `groups`): operators are made until each is a call of one. */
typedef struct GenGroups {
    size_t n;
    const char **kind; /* groups of one kind fail alike */
    bool *done;
    size_t *order; /* in which they are tried: those whose operator does for most others first */
} GenGroups;
/* Asks for the groups of a file; n stays 0 when it has none or cannot be read. */
void gen_groups_load(Arena *a, Bridge *b, const char *reference, GenGroups *groups);
/* The job's groups are done, or those of its kind when it failed. */
void gen_groups_mark(GenGroups *groups, const GenJob *job, bool ok);
/* Reads what gen_trace said of groups into the job. */
bool gen_groups_read(Arena *a, GenJob *job, const json_t *more, Err *err) ERR_CHECKED;
/* What came of one operator, for --report: {reference, group, groups, name, verdict, result, description, seconds, error}. */
json_t *gen_report_row(const GenJob *job, const char *description, const char *result, const Err *err);
/* The row of one reference in the table of many; `err` is ERR_OK when it came through. */
void gen_table_row(Arena *a, Table *t, const GenJob *job, const Err *err);
/* Errors or warnings in a result; notes do not count. */
bool gen_has_findings(const json_t *result);
/* "PASS", "written", "BAD_INPUT". */
const char *gen_verdict_text(Arena *a, const GenJob *job, const Err *err);

#endif
