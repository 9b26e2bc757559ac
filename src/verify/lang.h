/* Rules of the device's language: what its compiler refuses and the host's takes (docs/check.md#device-language). Two passes: one
 * over the tokens of kernel_src, and one over the syntax tree that clang prints for it. Without clang the first is all there is. */
#ifndef OPWRIGHT_VERIFY_LANG_H
#define OPWRIGHT_VERIFY_LANG_H

#include "verify/verify_int.h"

enum { LANG_A2 = 1, LANG_A5 = 2 }; /* toolchains, as bits */

typedef enum {
#define LANG(id, ...) LANG_##id,
#include "verify/lang.def"
#undef LANG
    LANG_N_RULES
} LangRule;

typedef struct LangPass {
    DiagList *diags;
    unsigned toolchain; /* LANG_A2 or LANG_A5; 0: no rules */
} LangPass;

/* Adds a fault unless the toolchain does not have the rule. line is in kernel_src. */
void lang_add(LangPass *p, LangRule rule, int line, const char *found);
const char *lang_rule_id(LangRule rule);
/* "a2", "a5", "none" or NULL: that of the chip. */
unsigned lang_toolchain(const char *name, const char *chip);

/* Over the tokens of kernel_src. */
void lang_tokens(LangPass *p, const char *kernel_src);
/* Over the text of `clang -ast-dump` of a kernel's translation unit. Takes any bytes. */
void lang_ast(LangPass *p, const char *text);
/* Over what clang says: address spaces. Takes any bytes. */
void lang_messages(LangPass *p, const char *text);

/* Path of a clang++, or NULL. */
const char *lang_clang(Arena *a);

#endif
