/* A pasted log: any bytes. */
#include "explain/explain.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    Arena *a = arena_new();
    ExplainReport r;
    Err err = {0};
    if (!explain_log(a, (const char *)data, n_bytes, &r, &err)) __builtin_trap();
    for (size_t i = 0; i < r.n_matches; i++)
        if (strlen(r.matches[i].excerpt) > EXPLAIN_EXCERPT_MAX) __builtin_trap();
    for (int lang = 0; lang < EXPLAIN_N_LANGS; lang++) {
        if (!*explain_print(a, &r, (ExplainLang)lang)) __builtin_trap();
        json_t *j = explain_json(&r, (ExplainLang)lang);
        if (!j) __builtin_trap();
        json_decref(j);
    }
    arena_free(a);
    return 0;
}
