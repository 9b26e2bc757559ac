/* The store's readers: a text that the scanner takes is JSON for jansson too, a member set or removed is what
 * the same change of the parsed object gives, and a diff either fits or is refused. */
#include "store/diff.h"
#include "store/json_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static void check_change(const char *text, size_t n, json_t *want) {
    json_t *got = json_loadb(text, n, 0, NULL);
    if (!got || !json_equal(got, want)) __builtin_trap();
    json_decref(got);
}

static void check_members(Arena *a, const char *text, size_t n) {
    JsonTop top;
    Err err = {0};
    if (!json_top_scan(text, n, "k", &top, &err)) {
        if (strncmp(err.message, "line ", 5) != 0 || top.members_end > n) __builtin_trap();
        return;
    }
    json_t *o = json_loadb(text, n, 0, NULL), *value = json_pack("{s:[f]}", "v", 0.1);
    if (!json_is_object(o) || top.found != (json_object_get(o, "k") != NULL)) __builtin_trap();
    size_t n_out = 0;
    json_object_set(o, "k", value);
    const char *set = json_top_set(a, text, n, &top, "k", value, 4, &n_out);
    check_change(set, n_out, o);
    const char *print = json_text_print(a, o, 2, 0);
    check_change(print, strlen(print), o);
    json_decref(value);
    json_decref(o);
}

/* The input up to a NUL is a text, what is behind it a diff. */
static void check_diff(Arena *a, const char *text, size_t n) {
    size_t n_text = strlen(text);
    Err err = {0};
    if (n_text >= n) return;
    const char *diff = text + n_text + 1, *to = diff_apply(a, text, diff, &err);
    if (!to && err.code != ERR_BAD_INPUT) __builtin_trap();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    Arena *a = arena_new();
    const char *text = arena_strndup(a, (const char *)data, n_bytes);
    check_members(a, text, n_bytes);
    check_diff(a, text, n_bytes);
    arena_free(a);
    return 0;
}
