/* Shared by the files of verify only. */
#ifndef OPWRIGHT_VERIFY_VERIFY_INT_H
#define OPWRIGHT_VERIFY_VERIFY_INT_H

#include "desc/desc.h"
#include "verify/verify.h"

#include <jansson.h>

/* ---- diag: one thing that is wrong with the description, from whatever stage; a row of the result's
 * `checks`. */
typedef enum { DIAG_ERROR, DIAG_WARNING, DIAG_NOTE } DiagSeverity;

typedef struct Diag {
    const char
        *check; /* stable id: a static rule, a finding of the simulator, "compile", "output-mismatch", ... */
    const char *stage; /* "rules", "build", "run", "compare" */
    DiagSeverity severity;
    const char *source;                          /* section, or NULL */
    int line, column;                            /* in the section; 0 not known */
    const char *other_source;                    /* the place it clashes with, or NULL */
    int other_line;
    const char *api;                             /* or NULL */
    uint64_t count;                              /* how often; at least 1 */
    const char *text, *text_zh, *hint, *hint_zh; /* hints may be NULL */
    bool not_modelled;                           /* the simulator cannot judge this */
} Diag;

typedef struct DiagList {
    Arena *arena;
    Diag *at;
    size_t n, cap;
} DiagList;

/* Equal (check, source, line) are folded: counts add up. */
void diag_add(DiagList *list, const Diag *d);
/* Warnings become errors. */
void diag_harden(DiagList *list);
size_t diag_count(const DiagList *list, DiagSeverity severity);

/* ---- pages.c: the page that explains a check, "docs/check.md#memory". */
const char *diag_page(const char *check);

/* ---- toolchain.c */
typedef struct Toolchain {
    const char *cxx;     /* program */
    const char *version; /* first line of --version */
    const char *home;    /* folder with device/ and hostapi/ */
    const char *rt_lib;  /* libopwright_rt.so */
    const char *clang;   /* for the rules of the device's language, or NULL */
    unsigned lang;       /* whose rules: lang.h; 0 none */
} Toolchain;
/* $OPWRIGHT_CXX, g++, clang++: the first that knows _Float16. scratch: a folder for the probe. */
bool toolchain_find(Arena *a, const char *home, const char *scratch, Toolchain *t, Err *err) ERR_CHECKED;
/* $OPWRIGHT_RT, or beside the executable. */
const char *toolchain_runtime(Arena *a, Err *err) ERR_CHECKED;

/* ---- build.c */
typedef struct Build {
    const char *dir;
    const char *host_so, *binding_so;
    const char **kernel_sos; /* one per combination; NULL where not built */
    size_t n_kernels;
    const char *lang; /* how the rules of the device's language were looked at: "clang", "tokens", "none" */
    double kernel_s, host_s, binding_s, wall_s;
    bool ok;
    bool timed_out;
} Build;
/* Compiles all sections in dir. False only for failures of ours; what the compiler says goes into diags. */
bool build_run(Arena *a, const Toolchain *t, const Desc *d, const char *dir, double limit_s, Build *b,
               DiagList *diags, Err *err) ERR_CHECKED;

/* ---- early.c */
typedef struct Early Early;
/* Starts building in a thread when the file can be read without Python; NULL otherwise. dir: an existing
 * folder of its own. */
Early *early_start(const Toolchain *t, const char *dir, const char *description, double limit_s);
/* True when the guess was right: *b and diags are those of the build, and belong to e. */
bool early_take(Early *e, const Desc *d, Build *b, DiagList *diags);
void early_free(Early *e); /* waits for its compilers; NULL is allowed */

/* ---- vendor_names.c */
/* True when a compiler's message says that `name` (an identifier or a header) is missing, the vendor has it,
 * and our headers below home do not: then the model is at fault, not the description. */
bool vendor_name_missing(Arena *a, const char *home, const char *section, const char *message,
                         const char *name);

/* Up to three names of the API that `name` may be meant for, "Adds, Add"; NULL when none is near. */
const char *vendor_names_near(Arena *a, const char *name);

/* ---- compile_log.c */
/* Turns a compiler's output into diags; returns how many faults it named (0: the compiler itself failed). d
 * gives the text of source lines, home is where our headers are. */
size_t compile_log_parse(const Desc *d, const char *home, const char *output, DiagList *diags);

/* ---- judge.c: one case's reply. */
typedef struct CaseResult {
    const char *label;
    const char *schedule; /* of the run that decided */
    Verdict verdict;
    const char *reason; /* empty on pass */
    json_t *precision;  /* list, one object per output */
    bool apart, differs; /* VerifyCase.apart; and its numbers are wrong */
    double reference_s, candidate_s, compare_s;
} CaseResult;
typedef struct JudgeContext {
    const Desc *desc;
    VerifyStandard standard;
    DiagList *diags;
    double sim_s;
    bool edge_values; /* the case at hand mixes extreme values in */
    bool strict;      /* warnings count as errors */
    bool apart, control; /* as VerifyCase and VerifyOptions have them */
} JudgeContext;
/* Judges a successful reply of the worker's `run`. False only when the reply breaks the protocol. */
bool judge_reply(Arena *a, JudgeContext *c, const BridgeReply *reply, CaseResult *out, Err *err) ERR_CHECKED;
/* Judges a failed one: a dead or slow child is the candidate's fault, anything else is ours (false and *err).
 */
bool judge_failure(Arena *a, JudgeContext *c, const BridgeReply *reply, CaseResult *out,
                   Err *err) ERR_CHECKED;

/* A JSON number, or "nan", "inf", "-inf". */
json_t *judge_number(double d);

/* ---- report.c */
typedef struct Report {
    const VerifyOptions *options;
    const Desc *desc; /* may be NULL */
    const char *chip;
    Verdict verdict;
    bool compiled;
    const char *error_message; /* or NULL */
    DiagList *diags;
    CaseResult *cases;
    size_t n_cases, n_planned;
    const Build *build; /* may be NULL */
    double python_s, load_s, rules_s, run_s, compare_s, total_s;
    json_t *launches; /* of the last run, or NULL */
    json_t *ub;       /* ledger of UB of the run that held most, or NULL */
    const char *log;  /* what foreign code printed, or NULL */
} Report;
json_t *report_json(Arena *a, const Report *r);
const char *report_summary(Arena *a, const Report *r);
const char *verdict_name(Verdict v);
/* Which of two verdicts about the same thing counts: the higher one. */
int verdict_rank(Verdict v);

#endif
