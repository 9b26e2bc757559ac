/* The rules of the device's language: tokens, tree and messages of any bytes; marks of narrow casts. */
#include "verify/lang.h"
#include "verify/narrow.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    Arena *a = arena_new();
    DiagList diags = {.arena = a};
    LangPass pass = {.diags = &diags, .toolchain = LANG_A2};
    const char *text = arena_strndup(a, (const char *)data, n_bytes);
    lang_tokens(&pass, text);
    lang_messages(&pass, text);
    lang_ast(&pass, text);
    narrow_marks(a, text);
    arena_free(a);
    return 0;
}
