/* A file of any kind to entries: the first byte chooses the kind of file. Entries lie within the file, in
 * order of lines, and their texts can be cut into terms. */
#include "search/likeness.h"
#include "search/split.h"
#include "search/tokens.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

static bool take(void *ctx, const Token *t) {
    const size_t *n = ctx;
    if (t->start >= t->end || t->end > *n || t->n_bytes == 0 || t->n_bytes > TOKEN_MAX_BYTES)
        __builtin_trap();
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    static const char *const PATHS[] = {"a/0001_x.md", "x.txt", "x.py",  "x.json",
                                        "x.jsonl",     "x.tsv", "x.def", "x.cpp"};
    if (n_bytes == 0) return 0;
    Arena *a = arena_new();
    const char *text = arena_strndup(a, (const char *)data + 1, n_bytes - 1);
    size_t n = n_bytes - 1, n_lines = 1;
    for (size_t i = 0; i < n; i++) n_lines += text[i] == '\n';
    SplitList list;
    split_file(a, PATHS[data[0] % (sizeof PATHS / sizeof PATHS[0])], text, n, SPLIT_KIND_AUTO, &list);
    for (size_t i = 0; i < list.n; i++) {
        const SplitEntry *e = &list.at[i];
        Likeness like;
        size_t k = strlen(e->body);
        if (!e->name || !e->title || e->first_line < 1 || e->n_lines < 1 ||
            e->first_line + e->n_lines - 1 > n_lines)
            __builtin_trap();
        if (e->likeness && !likeness_parse(e->likeness, &like)) __builtin_trap();
        tokens_each(e->body, k, take, &k);
    }
    likeness_parse(text, &(Likeness){0});
    arena_free(a);
    return 0;
}
