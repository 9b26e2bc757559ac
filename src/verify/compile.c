#include "verify/compile.h"

#include <string.h>

static const struct {
    const char *name;
    const char *opt;      /* optimisation: kernels run their scalar code a million times, host code once */
    const char *includes; /* folder below home */
    const char *header;   /* that sections of this side begin with */
} SIDES[N_SIDES] = {
    [SIDE_KERNEL] = {"kernel", "-O1", "device", "kernel_operator.h"},
    [SIDE_HOST] = {"host", "-O0", "hostapi/host", "register/op_def_registry.h"},
    [SIDE_BINDING] = {"binding", "-O0", "hostapi/torch", "torch/extension.h"},
    [SIDE_LANG] = {"lang", NULL, "device", "kernel_operator.h"},
};

/* clang's half on this host is _Float16 from version 15 on; __fp16 with arithmetic of its own is the same type for a pass that only
 * looks, and older ones have it. */
static const char *const LANG_FLAGS[] = {"-std=c++17", "-w", "-ferror-limit=0", "-fno-caret-diagnostics", "-fmessage-length=0",
                                         "-DOW_LANG_PASS", "-D_Float16=__fp16", "-Xclang", "-fnative-half-type", "-Xclang",
                                         "-fnative-half-arguments-and-returns"};

/* The usual ones, but not the sanitizer's. */
static const char *const KERNEL_LIBS[] = {"-nodefaultlibs", "-lstdc++", "-lm", "-lgcc_s", "-lc"};

const char *compile_header(CompileSide side) { return SIDES[side].header; }

const char *headers_file(Arena *a, const char *folder, CompileSide side) { return arena_printf(a, "%s/%s.h", folder, SIDES[side].name); }

const char *compile_output(Arena *a, CompileSide side, const char *dir, const char *stem) {
    return arena_printf(a, "%s/%s.%s", dir, stem, side == SIDE_LANG ? "ast" : "so");
}

void compile_flags(Arena *a, const Toolchain *t, CompileSide side, ArgList *out) {
    if (side == SIDE_LANG) {
        vec_push(a, out, t->clang);
        for (size_t i = 0; i < sizeof LANG_FLAGS / sizeof LANG_FLAGS[0]; i++) vec_push(a, out, LANG_FLAGS[i]);
    } else {
        bool clang = strstr(t->version, "clang") != NULL;
        const char *const flags[] = {t->cxx, "-std=c++17", t->debug ? "-O0" : SIDES[side].opt, t->debug ? "-g" : "-g0", "-fPIC", "-w",
                                     /* one text line for one message; the source line is added by us */
                                     clang ? "-fno-caret-diagnostics" : "-fno-diagnostics-show-caret", "-fmessage-length=0",
                                     clang ? "-ferror-limit=20" : "-fmax-errors=20", "-fvisibility=hidden"};
        for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++) vec_push(a, out, flags[i]);
        if (side == SIDE_KERNEL) vec_push(a, out, "-fsanitize=signed-integer-overflow"); /* src/sim/arithmetic.c has the handlers */
    }
}

const char *compile_include(Arena *a, const Toolchain *t, CompileSide side) {
    return arena_printf(a, "-I%s/%s", t->home, SIDES[side].includes);
}

/* True when the text includes the header by itself: one that forgets to must not find it there all the same. */
static bool names_header(const char *text, const char *header) {
    size_t n = strlen(header);
    for (const char *at = text; (at = strstr(at, header)); at += n) {
        const char *line = at;
        while (line > text && line[-1] != '\n') line--;
        line += strspn(line, " \t");
        if (*line != '#') continue;
        line += 1 + strspn(line + 1, " \t");
        if (!strncmp(line, "include", 7) && (at[-1] == '"' || at[-1] == '<') && (at[n] == '"' || at[n] == '>')) return true;
    }
    return false;
}

const char *const *compile_command(Arena *a, const Toolchain *t, CompileSide side, const char *dir, const char *stem, const char *text) {
    ArgList v = {0};
    vec_push(a, &v, "env");
    vec_push(a, &v, "LC_ALL=C");
    if (side == SIDE_LANG) {
        const char *const shell[] = {"sh", "-c", arena_printf(a, "exec \"$0\" \"$@\" > %s.ast", stem)};
        for (size_t i = 0; i < 3; i++) vec_push(a, &v, shell[i]);
    }
    compile_flags(a, t, side, &v);
    vec_push(a, &v, arena_printf(a, "-I%s", dir));
    vec_push(a, &v, compile_include(a, t, side));
    if (t->headers && names_header(text, SIDES[side].header)) {
        vec_push(a, &v, "-include");
        vec_push(a, &v, headers_file(a, t->headers, side));
    }
    if (side == SIDE_LANG) {
        vec_push(a, &v, "-fsyntax-only");
        vec_push(a, &v, "-Xclang");
        vec_push(a, &v, "-ast-dump");
    } else {
        vec_push(a, &v, "-shared");
        vec_push(a, &v, "-o");
        vec_push(a, &v, compile_output(a, side, dir, stem));
    }
    vec_push(a, &v, arena_printf(a, "%s.cpp", stem));
    for (size_t i = 0; side == SIDE_KERNEL && i < sizeof KERNEL_LIBS / sizeof KERNEL_LIBS[0]; i++) vec_push(a, &v, KERNEL_LIBS[i]);
    vec_push(a, &v, NULL);
    return v.at;
}
