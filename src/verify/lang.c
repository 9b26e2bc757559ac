/* Rules of the device's language over tokens, and their table. */
#include "verify/lang.h"

#include "base/fs.h"
#include "desc/cxx_lex.h"
#include "isa/isa.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct {
    const char *id;
    unsigned toolchains;
    const char *text, *text_zh, *hint, *hint_zh;
} RULES[LANG_N_RULES] = {
#define LANG(id_, name, toolchains_, text_, text_zh_, hint_, hint_zh_)                                       \
    [LANG_##id_] = {name, toolchains_, text_, text_zh_, hint_, hint_zh_},
#include "verify/lang.def"
#undef LANG
};

const char *lang_rule_id(LangRule rule) {
    return RULES[rule].id;
}

/* The row's text with its one %s replaced. */
static const char *fill(Arena *a, const char *text, const char *found) {
    const char *hole = strstr(text, "%s");
    return arena_printf(a, "%.*s%s%s", (int)(hole - text), text, found, hole + 2);
}

void lang_add(LangPass *p, LangRule rule, int line, const char *found) {
    if (!(RULES[rule].toolchains & p->toolchain)) return;
    Arena *a = p->diags->arena;
    Diag d = {.check = RULES[rule].id,
              .stage = "rules",
              .severity = DIAG_ERROR,
              .source = DESC_SOURCE_NAMES[DESC_KERNEL],
              .line = line,
              .text = fill(a, RULES[rule].text, found),
              .text_zh = fill(a, RULES[rule].text_zh, found),
              .hint = RULES[rule].hint,
              .hint_zh = RULES[rule].hint_zh};
    diag_add(p->diags, &d);
}

unsigned lang_toolchain(const char *name, const char *chip) {
    if (name && !strcmp(name, "none")) return 0;
    if (name) return !strcmp(name, "a5") ? LANG_A5 : LANG_A2;
    const ChipInfo *info = chip ? chip_find(chip) : NULL;
    return info && info->arch == 3510 ? LANG_A5 : LANG_A2;
}

/* -------------------------------------------------------------------------------------------------- tokens */

/* Functions of <cmath> that the device lacks, without the endings f and l. sqrt, abs, min and max exist there. */
static const char *const LIBM[] = {"exp",   "exp2",  "expm1", "log",   "log2", "log10", "log1p", "pow",   "tanh",  "sinh", "cosh", "sin",
                                   "cos",   "tan",   "asin",  "acos",  "atan", "atan2", "erf",   "erfc",  "ceil",  "floor", "round", "trunc",
                                   "fmod",  "rint",  "cbrt",  "hypot", "fabs", "fmax",  "fmin",  "lgamma", "tgamma", "fma"};
static const char *const HOST_STD[] = {"vector", "array", "string", "map", "set", "unordered_map", "list", "deque", "pair", "tuple", "unique_ptr",
                                       "shared_ptr", "function", "cout", "cerr", "endl", "sort", "fill", "copy", "accumulate", "thread", "mutex",
                                       "fstream", "ifstream", "ofstream", "filesystem"};
static const char *const SYSTEM[] = {"fopen", "freopen", "fdopen", "fread", "fwrite", "open", "openat", "mmap", "read", "write", "popen", "system", "syscall", "getenv",
                                     "fork", "execv", "execve", "dlopen", "dlsym"};
static const char *const EXCEPTIONS[] = {"throw", "try", "catch", "dynamic_cast", "typeid"};

#define N_OF(array) (sizeof(array) / sizeof(array)[0])

static bool is_word(const CxxToken *t, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (cxx_is(t, words[i])) return true;
    return false;
}

/* "expf", "exp" with `std::` before, "sqrtf": a libm name, and not the one form of it the device has. */
static bool is_libm(const CxxToken *t, bool in_std) {
    size_t n = t->n_bytes;
    const char *text = t->text;
    static const char BUILTIN[] = "__builtin_";
    bool builtin = n > sizeof BUILTIN - 1 && !memcmp(text, BUILTIN, sizeof BUILTIN - 1);
    if (builtin) text += sizeof BUILTIN - 1, n -= sizeof BUILTIN - 1;
    bool suffix = n > 1 && (text[n - 1] == 'f' || text[n - 1] == 'l');
    if ((n == 5 && !memcmp(text, "sqrt", 4) && suffix) || (in_std && n == 4 && !memcmp(text, "sqrt", 4))) return true;
    for (size_t i = 0; i < N_OF(LIBM); i++) {
        size_t k = strlen(LIBM[i]);
        if (memcmp(text, LIBM[i], k < n ? k : n) != 0) continue;
        if (k == n || (suffix && k == n - 1)) return true;
    }
    return false;
}

/* The kernel has a function of its own of this name: `float expf(...)`, that is, some type before the name. */
static bool is_declared(const CxxTokens *t, const CxxToken *name) {
    for (size_t i = 1; i < t->n; i++) {
        const CxxToken *o = &t->at[i];
        if (o->kind != CXX_IDENT || o->n_bytes != name->n_bytes || memcmp(o->text, name->text, o->n_bytes) != 0) continue;
        if (t->at[i - 1].kind == CXX_IDENT && !cxx_is(&t->at[i - 1], "return") && !cxx_is(&t->at[i - 1], "else") && cxx_is(&t->at[i + 1], "("))
            return true;
    }
    return false;
}

static const char *text_of(Arena *a, const CxxToken *t) {
    return arena_strndup(a, t->text, t->n_bytes);
}

static void check_word(LangPass *p, const CxxTokens *t, size_t i) {
    Arena *a = p->diags->arena;
    const CxxToken *now = &t->at[i], *before = i ? &t->at[i - 1] : NULL, *next = &t->at[i + 1];
    bool scoped = before && cxx_is(before, "::"), member = before && (cxx_is(before, ".") || cxx_is(before, "->"));
    bool in_std = scoped && i >= 2 && cxx_is(&t->at[i - 2], "std"), in_api = scoped && i >= 2 && cxx_is(&t->at[i - 2], "AscendC");
    bool plain = !scoped || in_std || (i >= 2 && t->at[i - 2].kind != CXX_IDENT); /* ::expf */
    if (!member && plain && cxx_is(next, "(") && is_libm(now, in_std) && (in_std || !is_declared(t, now)))
        lang_add(p, LANG_LIBM, now->line, arena_printf(a, "%s%s", in_std ? "std::" : "", text_of(a, now)));
    if (!member && plain && cxx_is(next, "(") && is_word(now, SYSTEM, N_OF(SYSTEM)) && !is_declared(t, now))
        lang_add(p, LANG_SYSTEM, now->line, text_of(a, now));
    if (in_std && is_word(now, HOST_STD, N_OF(HOST_STD))) lang_add(p, LANG_STD, now->line, arena_printf(a, "std::%s", text_of(a, now)));
    if (cxx_is(now, "double")) {
        const char *use = before ? arena_printf(a, "`%s double %s`", text_of(a, before), text_of(a, next)) : "`double`";
        lang_add(p, LANG_DOUBLE, now->line, use);
    }
    if (is_word(now, EXCEPTIONS, N_OF(EXCEPTIONS))) lang_add(p, LANG_EXCEPTION, now->line, arena_printf(a, "`%s`", text_of(a, now)));
    if (cxx_is(now, "virtual")) lang_add(p, LANG_VIRTUAL, now->line, arena_printf(a, "`virtual %s`", text_of(a, next)));
    bool heap = cxx_is(now, "new") || (cxx_is(now, "delete") && !(before && cxx_is(before, "="))) ||
                (!member && cxx_is(next, "(") && (cxx_is(now, "malloc") || cxx_is(now, "free")) && !is_declared(t, now));
    if (heap && !(before && cxx_is(before, "operator"))) lang_add(p, LANG_HEAP, now->line, arena_printf(a, "`%s`", text_of(a, now)));
    if (in_api && (!strncmp(now->text, "EVENT_ID", 8) || !strncmp(now->text, "PIPE_", 5)))
        lang_add(p, LANG_GLOBAL_NAME, now->line, arena_printf(a, "`AscendC::%s`", text_of(a, now)));
}

void lang_tokens(LangPass *p, const char *kernel_src) {
    if (!p->toolchain) return;
    Arena *scratch = arena_new();
    CxxTokens t = cxx_lex(scratch, kernel_src);
    for (size_t i = 0; i < t.n; i++)
        if (t.at[i].kind == CXX_IDENT) check_word(p, &t, i);
    arena_free(scratch);
}

/* ------------------------------------------------------------------------------------------------ messages */

/* "kernel_src:57:3: error: ..." about memories that are mixed. */
static void check_message(LangPass *p, const char *line) {
    static const char START[] = "kernel_src:";
    if (strncmp(line, START, sizeof START - 1) != 0 || strstr(line, "'ow_")) return;
    int at = atoi(line + sizeof START - 1);
    const char *text = strstr(line, "error: ");
    if (!text || at <= 0) return;
    text += 7;
    bool about = strstr(text, "address space") || strstr(text, "__gm__") || strstr(text, "__ubuf__") || strstr(text, "address_space(");
    bool mixes = strstr(text, "reinterpret_cast from") || strstr(text, "static_cast from") || strstr(text, "cannot initialize") ||
                 strstr(text, "assigning to") || strstr(text, "changes address space") || strstr(text, "incompatible operand types") ||
                 strstr(text, "passing");
    if (about && mixes) lang_add(p, LANG_ADDRESS_SPACE, at, text);
}

void lang_messages(LangPass *p, const char *text) {
    if (!p->toolchain) return;
    for (const char *s = text; *s;) {
        size_t n = strcspn(s, "\n");
        check_message(p, arena_strndup(p->diags->arena, s, n));
        s += n + (s[n] == '\n');
    }
}

/* --------------------------------------------------------------------------------------------------- clang */

const char *lang_clang(Arena *a) {
    static const char *const NAMES[] = {"clang++", "clang++-19", "clang++-18", "clang++-17", "clang++-16", "clang++-15", "clang++-14"};
    const char *set = getenv("OPWRIGHT_CLANG"), *path = getenv("PATH");
    if (set) return *set ? set : NULL; /* empty: as if there were none */
    for (size_t i = 0; path && i < N_OF(NAMES); i++)
        for (const char *p = path; *p;) {
            size_t n = strcspn(p, ":");
            const char *file = arena_printf(a, "%.*s/%s", (int)n, p, NAMES[i]);
            if (n && access(file, X_OK) == 0) return file;
            p += n + (p[n] == ':');
        }
    return NULL;
}
