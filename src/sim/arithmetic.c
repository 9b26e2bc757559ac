/* Whole numbers of the scalar unit that do not fit: kernels are compiled with -fsanitize=signed-integer-overflow and call the
 * handlers below, whose names and arguments are those of the compilers' own run-time library, which is not linked; narrow casts of
 * arguments call ow_narrowed (src/verify/narrow.h). A build of this library with that run-time library has both, and its own count. */
#include "sim/sim_int.h"

#include <string.h>

typedef struct UbsanType {
    uint16_t kind, info; /* info: 2 * log2 of the bits, + 1 when signed */
    char name[];         /* "'int'" */
} UbsanType;

typedef struct UbsanPlace {
    const char *file;
    uint32_t line, column;
    const UbsanType *type;
} UbsanPlace;

#define HANDLER OW_API __attribute__((weak))
HANDLER void __ubsan_handle_add_overflow(const UbsanPlace *at, uintptr_t a, uintptr_t b);
HANDLER void __ubsan_handle_sub_overflow(const UbsanPlace *at, uintptr_t a, uintptr_t b);
HANDLER void __ubsan_handle_mul_overflow(const UbsanPlace *at, uintptr_t a, uintptr_t b);
HANDLER void __ubsan_handle_negate_overflow(const UbsanPlace *at, uintptr_t a);
HANDLER void __ubsan_handle_divrem_overflow(const UbsanPlace *at, uintptr_t a, uintptr_t b);

/* A line of the kernel in a launch; the device's headers may count as they like. */
static bool is_users(const char *file)
{
    return sim_core && file && !strstr(file, "/device/ow/");
}

static int64_t value_of(const UbsanType *t, uintptr_t v)
{
    return t->info >> 1 >= 6 ? (int64_t)v : (int64_t)(int32_t)v;
}

static void overflow(const UbsanPlace *at, uintptr_t a, const char *sign, uintptr_t b)
{
    if (!is_users(at->file) || at->type->info >> 1 > 6) return; /* 128 bits come by address */
    ow_overflow(at->type->name, value_of(at->type, a), sign, value_of(at->type, b), (OwLoc){at->file, at->line});
}

void __ubsan_handle_add_overflow(const UbsanPlace *at, uintptr_t a, uintptr_t b) { overflow(at, a, "+", b); }
void __ubsan_handle_sub_overflow(const UbsanPlace *at, uintptr_t a, uintptr_t b) { overflow(at, a, "-", b); }
void __ubsan_handle_mul_overflow(const UbsanPlace *at, uintptr_t a, uintptr_t b) { overflow(at, a, "*", b); }
void __ubsan_handle_negate_overflow(const UbsanPlace *at, uintptr_t a) { overflow(at, 0, "-", a); }
void __ubsan_handle_divrem_overflow(const UbsanPlace *at, uintptr_t a, uintptr_t b) { overflow(at, a, "/", b); }

void ow_overflow(const char *type, int64_t a, const char *sign, int64_t b, OwLoc loc)
{
    sim_report(core_enter("integer arithmetic", loc), CHK_ID_INT_OVERFLOW, LL(a), sign, LL(b), type);
}

void ow_narrowed(const char *type, int64_t value, int64_t becomes, OwLoc loc)
{
    if (!sim_core) return; /* a static initialiser */
    sim_report(core_enter(type, loc), CHK_ID_NARROWED, LL(value), type, LL(becomes));
}
