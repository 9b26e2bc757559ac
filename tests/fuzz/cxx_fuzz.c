/* C++ of a description through the lexer and every static rule. */
#include "desc/desc_int.h"

#include <stdint.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    Arena *a = arena_new();
    char *text = arena_strndup(a, (const char *)data, n_bytes);
    CxxTokens t = cxx_lex(a, text);
    size_t end = strlen(text);
    for (size_t i = 0; i < t.n; i++) {
        if (t.at[i].text < text || t.at[i].text + t.at[i].n_bytes > text + end || t.at[i].line < 1)
            __builtin_trap();
        if (t.at[i].kind == CXX_STRING) cxx_string_text(a, &t.at[i]);
    }
    Desc d = {.path = "d.py", .op = "AddCustom", .kernel_name = "add_custom"};
    for (int i = 0; i < DESC_N_SOURCES; i++) d.source[i] = text;
    RuleList list = {.arena = a};
    check_host(&list, &d);
    check_kernel(&list, &d);
    check_binding(&list, &d);
    arena_free(a);
    return 0;
}
