/* The C++ compiler and the runtime library that simulated kernels are built with. */
#ifndef OPWRIGHT_VERIFY_TOOLCHAIN_H
#define OPWRIGHT_VERIFY_TOOLCHAIN_H

#include "base/arena.h"
#include "base/err.h"

typedef struct Toolchain {
    const char *cxx;     /* program */
    const char *version; /* first line of --version */
    const char *home;    /* folder with device/ and hostapi/ */
    const char *rt_lib;  /* libopwright_rt.so */
    const char *clang;   /* for the rules of the device's language, or NULL */
    const char *headers; /* folder of precompiled headers (compile.h), or NULL */
    bool debug;          /* for a debugger: no optimisation, with lines */
    unsigned lang;       /* whose rules: lang.h; 0 none */
} Toolchain;
/* $OPWRIGHT_CXX when set; else g++, clang++, and those with a number on PATH (g++-13 before g++-12 before clang++-17): the
 * first that knows _Float16. scratch: a folder for the probe. */
bool toolchain_find(Arena *a, const char *home, const char *scratch, Toolchain *t, Err *err) ERR_CHECKED;
/* $OPWRIGHT_RT, or beside the executable. */
const char *toolchain_runtime(Arena *a, Err *err) ERR_CHECKED;

#endif
