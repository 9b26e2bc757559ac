/* Shared by the files of verify only. */
#ifndef OPWRIGHT_VERIFY_VERIFY_INT_H
#define OPWRIGHT_VERIFY_VERIFY_INT_H

#include "verify/report.h"
#include "verify/toolchain.h"

/* ---- build.c */
struct Build {
    const char *dir;
    const char *host_so, *binding_so;
    const char **kernel_sos; /* one per combination; NULL where not built */
    size_t n_kernels;
    const char *lang; /* how the rules of the device's language were looked at: "clang", "tokens", "none" */
    double kernel_s, host_s, binding_s, wall_s;
    bool ok;
    bool timed_out;
};
/* Compiles all sections in dir. False only for failures of ours; what the compiler says goes into diags. */
bool build_run(Arena *a, const Toolchain *t, const Desc *d, const char *dir, double limit_s, Build *b,
               DiagList *diags, Err *err) ERR_CHECKED;

/* ---- keep.c */
/* Copies the libraries of a build that is ok into dir, and writes dir/build.json: what it takes to call the operator on a simulated chip.
 * Names in it are relative to dir. */
bool build_keep(Arena *a, const Build *b, const Toolchain *t, const Desc *d, const char *chip, const char *dir, Err *err) ERR_CHECKED;

/* ---- early.c */
typedef struct Early Early;
/* Starts building in a thread when the file can be read without Python; NULL otherwise. dir: an existing
 * folder of its own. */
Early *early_start(const Toolchain *t, const char *dir, const char *description, double limit_s);
/* True when the guess was right: *b and diags are those of the build, and belong to e. */
bool early_take(Early *e, const Desc *d, Build *b, DiagList *diags);
void early_free(Early *e); /* waits for its compilers; NULL is allowed */

/* ---- vendor_names.c */
/* True when a compiler's message says that `name` (an identifier or a header) is missing, the vendor has it,
 * and our headers below home do not: then the model is at fault, not the description. */
bool vendor_name_missing(Arena *a, const char *home, const char *section, const char *message,
                         const char *name);

/* A name of the public API, device or host side: a function, a class, a macro. */
bool vendor_name_known(const char *name, size_t n_bytes);
/* Up to three names of the API that `name` may be meant for, "Adds, Add"; NULL when none is near. */
const char *vendor_names_near(Arena *a, const char *name);

#endif
