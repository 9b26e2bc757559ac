/* Names that several sides must derive alike. */
#include "base/names.h"

#include <ctype.h>
#include <string.h>

/* HW: aclnn generation rules, "op type to file name": a '_' stands before an upper-case letter when the
 * character before it is neither upper-case nor '_', or when it is upper-case and the next one is lower-case.
 * Digits count as not upper-case. */
char *names_snake_case(Arena *a, const char *op_type) {
    size_t n = strlen(op_type), k = 0;
    char *out = arena_alloc(a, 2 * n + 1);
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)op_type[i];
        bool after_upper = i > 0 && isupper((unsigned char)op_type[i - 1]);
        bool before_lower = islower((unsigned char)op_type[i + 1]) != 0;
        if (i > 0 && isupper(c) && (after_upper ? before_lower : op_type[i - 1] != '_')) out[k++] = '_';
        out[k++] = (char)tolower(c);
    }
    return out;
}

static size_t pascal(char *out, const char *name, bool up) {
    size_t k = 0;
    for (const char *p = name; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (!isalnum(c)) {
            up = k > 0 || up;
            continue;
        }
        out[k++] = (char)(up ? toupper(c) : c);
        up = false;
    }
    return k;
}

char *names_op_type(Arena *a, const char *name) {
    static const char SUFFIX[] = "Custom", PREFIX[] = "Op";
    const size_t n_suffix = sizeof SUFFIX - 1, n_prefix = sizeof PREFIX - 1;
    char *out = arena_alloc(a, strlen(name) + n_suffix + n_prefix + 1);
    size_t k = pascal(out, name, true);
    if (!isalpha((unsigned char)out[0])) {
        memmove(out + n_prefix, out, k + 1);
        memcpy(out, PREFIX, n_prefix);
        k += n_prefix;
    }
    if (k < n_suffix || memcmp(out + k - n_suffix, SUFFIX, n_suffix) != 0)
        memcpy(out + k, SUFFIX, n_suffix + 1);
    return out;
}

char *names_camel(Arena *a, const char *name) {
    char *out = arena_alloc(a, strlen(name) + 1);
    pascal(out, name, false);
    return out;
}

bool names_is_reserved(const char *name) {
    static const char *const WORDS[] = {
        "alignas",  "alignof",   "and",     "asm",      "auto",     "bitand",  "bitor",     "bool",
        "break",    "case",      "catch",   "char",     "class",    "compl",   "const",     "constexpr",
        "continue", "decltype",  "default", "delete",   "do",       "double",  "else",      "enum",
        "explicit", "export",    "extern",  "false",    "float",    "for",     "friend",    "goto",
        "half",     "if",        "inline",  "int",      "long",     "mutable", "namespace", "new",
        "noexcept", "not",       "nullptr", "operator", "or",       "private", "protected", "public",
        "register", "return",    "short",   "signed",   "sizeof",   "static",  "struct",    "switch",
        "template", "this",      "throw",   "true",     "try",      "typedef", "typename",  "union",
        "unsigned", "using",     "virtual", "void",     "volatile", "while",   "xor",       "workspace",
        "tiling",   "bfloat16_t"};
    for (size_t i = 0; i < sizeof WORDS / sizeof WORDS[0]; i++)
        if (strcmp(name, WORDS[i]) == 0) return true;
    return false;
}
