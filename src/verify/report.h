/* What every road to a verdict shares, the simulator's (verify) and the device's (cann): diagnostics, the judgement of one
 * case, and the result object of docs/result.md. */
#ifndef OPWRIGHT_VERIFY_REPORT_H
#define OPWRIGHT_VERIFY_REPORT_H

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
    bool left_out;       /* the reference does not take it: neither passed nor failed; `reason` says why */
    bool is_mismatch;    /* values differ */
    double reference_s, candidate_s, compare_s;
    json_int_t gm_read, gm_written, gm_least; /* bytes of global memory that the launches moved; of their tensors, each once */
} CaseResult;
/* What the case before had to give, to tell a result that is kept from one that is computed. */
#define BEFORE_MAX 8
typedef struct Before {
    void *data[BEFORE_MAX]; /* NULL: none, or too large to keep */
    size_t n_bytes[BEFORE_MAX];
} Before;
void before_clear(Before *b);

typedef struct JudgeContext {
    const Desc *desc;
    VerifyStandard standard;
    DiagList *diags;
    double sim_s;
    bool edge_values; /* the case at hand mixes extreme values in */
    bool strict;      /* warnings count as errors */
    Before *before;   /* or NULL */
    bool apart, by_control, control; /* as VerifyCase and VerifyOptions have them */
} JudgeContext;
/* Judges a successful reply of the worker's `run`. False only when the reply breaks the protocol. */
bool judge_reply(Arena *a, JudgeContext *c, const BridgeReply *reply, CaseResult *out, Err *err) ERR_CHECKED;
/* Judges a failed one: a dead or slow child is the candidate's fault, anything else is ours (false and *err).
 */
bool judge_failure(Arena *a, JudgeContext *c, const BridgeReply *reply, CaseResult *out,
                   Err *err) ERR_CHECKED;

/* One finding of a run, told and not judged. */
void judge_finding(Arena *a, JudgeContext *c, const json_t *f);
/* A mismatch, once more, against results of references that are nearly the reference (`near` of docs/bridge.md): the one that the
 * candidate's outputs equal is told in the last mismatch and in *out. */
void judge_near(Arena *a, JudgeContext *c, const BridgeReply *candidate, const BridgeReply *near, CaseResult *out);

/* A JSON number, or "nan", "inf", "-inf". */
json_t *judge_number(double d);

/* ---- report.c */
typedef struct Build Build; /* of the simulator's road: verify_int.h */
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
    json_t *trace;    /* operands of the instruction asked for, or NULL */
    json_t *ub;       /* ledger of UB of the run that held most, or NULL */
    const char *log;  /* what foreign code printed, or NULL */
} Report;
json_t *report_json(Arena *a, const Report *r);
const char *report_summary(Arena *a, const Report *r);
const char *verdict_name(Verdict v);
/* Which of two verdicts about the same thing counts: the higher one. */
int verdict_rank(Verdict v);

#endif
