/* What the files of `opwright check`, `trace` and `run` share. */
#ifndef OPWRIGHT_CLI_CHECK_INT_H
#define OPWRIGHT_CLI_CHECK_INT_H

#include "bridge/bridge.h"
#include "explain/explain.h"
#include "verify/verify.h"

#include <stdio.h>

/* "add" of "some/add.ascendc.py". */
const char *check_op_name(Arena *a, const char *path);
/* Turns --shape texts into o->cases; without any the file's own inputs stay. dtype NULL: that of the reference's first
 * floating input. The caller decrefs the specs. */
bool check_cases(Arena *a, Bridge *b, const char *const *shapes, size_t n, const char *dtype, VerifyOptions *o, Err *err) ERR_CHECKED;
/* The result for people: the verdict, then every check with its place in the description and in the file. */
void check_print(Arena *a, const VerifyResult *r, const char *path, ExplainLang lang, FILE *to);

#endif
