/* Command lines of the compilers, and the headers they find ready made.
 *
 * A description is compiled on three sides: kernels, host and binding; the device's language is looked at on a fourth. Each begins
 * with a large header that is the same for every description. Compiled once, it saves half of the processor time of a build. */
#ifndef OPWRIGHT_VERIFY_COMPILE_H
#define OPWRIGHT_VERIFY_COMPILE_H

#include "desc/desc.h"
#include "verify/toolchain.h"

typedef enum { SIDE_KERNEL, SIDE_HOST, SIDE_BINDING, SIDE_LANG, N_SIDES } CompileSide;

/* The command that makes <stem>.so of <stem>.cpp (SIDE_LANG: prints the syntax tree into <stem>.ast) in dir; text is the section of the
 * description in it. NULL-terminated, in the arena. */
const char *const *compile_command(Arena *a, const Toolchain *t, CompileSide side, const char *dir, const char *stem, const char *text);
const char *compile_output(Arena *a, CompileSide side, const char *dir, const char *stem);

/* ---- headers.c */
/* The folder with the precompiled headers of this toolchain below the user's cache, made when missing: about a second, once for a
 * version of opwright and compiler. NULL where that cannot be, and for a debugger: builds then read the headers' text. A change of
 * the headers or the compiler is another folder; the four used last stay. */
const char *headers_folder(Arena *a, const Toolchain *t);
/* "<folder>/<side>.h", what a compiler includes first. */
const char *headers_file(Arena *a, const char *folder, CompileSide side);
/* Flags that decide how the text is read: those of compile_command and of the precompiled header are the same. */
typedef VEC(const char *) ArgList;
void compile_flags(Arena *a, const Toolchain *t, CompileSide side, ArgList *out);
const char *compile_include(Arena *a, const Toolchain *t, CompileSide side); /* "-I<folder of our headers>" */
/* What the sections of a side include: "kernel_operator.h". */
const char *compile_header(CompileSide side);

#endif
