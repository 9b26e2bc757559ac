/* What a pasted log says: device and runtime errors, compilers, installation, our own results. Input: any
 * bytes. Output: what was recognised, causes first, each with what to check and which checks of the simulator
 * show the same fault. The knowledge is explain.def; this layer only reads text and runs nothing. */
#ifndef OPWRIGHT_EXPLAIN_EXPLAIN_H
#define OPWRIGHT_EXPLAIN_EXPLAIN_H

#include "base/arena.h"
#include "base/err.h"

#include <jansson.h>

typedef enum { EXPLAIN_EN, EXPLAIN_ZH, EXPLAIN_N_LANGS } ExplainLang;

/* In the order they are shown; CAUSE and GENERAL are one group. */
typedef enum { EXPLAIN_CAUSE, EXPLAIN_GENERAL, EXPLAIN_SIGN, EXPLAIN_ECHO } ExplainLevel;

typedef struct ExplainMatch {
    const char *id; /* row of explain.def, or the id of a check of ours */
    ExplainLevel level;
    const char *cls;                    /* stable name of the class */
    const char *title[EXPLAIN_N_LANGS]; /* of the class */
    const char *cause[EXPLAIN_N_LANGS], *check[EXPLAIN_N_LANGS];
    const char *related; /* ids of checks, apart by spaces; may be empty */
    const char *command; /* that shows more */
    size_t line, column; /* where it is first met, from 1; in a JSON document lines of its texts */
    size_t count;        /* lines that say so */
    const char *excerpt; /* valid UTF-8 without control characters, at most EXPLAIN_EXCERPT_MAX bytes */
} ExplainMatch;

#define EXPLAIN_EXCERPT_MAX 200
#define EXPLAIN_INPUT_MAX   (64u << 20) /* bytes */

typedef struct ExplainReport {
    ExplainMatch *matches;
    size_t n_matches;
    const char *facts[EXPLAIN_N_LANGS]; /* what can be counted in the log, lines; empty when nothing */
    size_t n_lines;
} ExplainReport;

/* text may hold any bytes and need not end in NUL. All of the report belongs to the arena. False only when
 * the input is larger than EXPLAIN_INPUT_MAX. */
bool explain_log(Arena *a, const char *text, size_t n_bytes, ExplainReport *r, Err *err) ERR_CHECKED;
/* For people; never empty: unknown input is told so, with what to try. */
const char *explain_print(Arena *a, const ExplainReport *r, ExplainLang lang);
json_t *explain_json(const ExplainReport *r, ExplainLang lang); /* caller decrefs */
/* "en", "zh"; NULL: from LC_ALL, LC_MESSAGES, LANG. */
bool explain_lang(const char *name, ExplainLang *out, Err *err) ERR_CHECKED;
/* True when a check of that id exists anywhere in opwright; *text gets its hint in both languages when it has
 * one. */
bool explain_known_check(const char *id, const char *text[EXPLAIN_N_LANGS]);

/* The table, for tests and documents; NULL past the end. */
const char *explain_row_id(size_t i);
const char *explain_row_related(size_t i);

#endif
