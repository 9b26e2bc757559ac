/* The tables of the isa layer, built from the .def files. */
#include "isa/isa.h"

#include <string.h>

static const ChipInfo CHIPS[] = {
#define CHIP(name, arch, cube, vec, mhz, ub, l1, l0a, l0b, l0c, bt, fb, l2, hbm)                             \
    {#name, arch, cube, vec, mhz, ub, l1, l0a, l0b, l0c, bt, fb, l2, hbm},
#include "isa/chip.def"
#undef CHIP
};

const ChipInfo *chip_find(const char *name)
{
    for (size_t i = 0; i < chip_count(); i++)
        if (strcmp(CHIPS[i].name, name) == 0) return &CHIPS[i];
    return NULL;
}

size_t chip_count(void)
{
    return sizeof CHIPS / sizeof *CHIPS;
}

const ChipInfo *chip_at(size_t i)
{
    return &CHIPS[i];
}

static const struct {
    DType dst, src;
} PAIRS[PAIR_COUNT] = {
#define PAIR(id, d, s) [PAIR_##id] = {DTYPE_##d, DTYPE_##s},
#include "isa/pair.def"
#undef PAIR
};

PairId pair_find(DType dst, DType src)
{
    for (int i = 0; i < PAIR_COUNT; i++)
        if (PAIRS[i].dst == dst && PAIRS[i].src == src) return (PairId)i;
    return PAIR_COUNT;
}

const char *round_mode_name(uint32_t mode)
{
    static const char *const names[ROUND_COUNT] = {"CAST_NONE",  "CAST_RINT",  "CAST_FLOOR", "CAST_CEIL",
                                                   "CAST_ROUND", "CAST_TRUNC", "CAST_ODD"};
    return mode < ROUND_COUNT ? names[mode] : "?";
}

uint32_t cast_modes(DType dst, DType src)
{
    enum { N = 1 << ROUND_NONE, R = 0x3e, O = 1 << ROUND_ODD, A = 0x7f };
    static const struct {
        DType dst, src;
        uint32_t modes;
    } casts[] = {
#define CAST(d, s, m) {DTYPE_##d, DTYPE_##s, (m)},
#include "isa/cast.def"
#undef CAST
    };
    for (size_t i = 0; i < sizeof casts / sizeof *casts; i++)
        if (casts[i].dst == dst && casts[i].src == src) return casts[i].modes;
    return 0;
}

#define P(id) (1u << PAIR_##id)
#define USUAL CHK_USUAL
#define REPEAT CHK_REPEAT
#define CHAIN CHK_CHAIN
#define NO_WIDE_OVERLAP CHK_NO_WIDE_OVERLAP
#define SHIFT CHK_SHIFT
#define BITWISE CHK_BITWISE
#define RESERVED_UB CHK_RESERVED_UB
static const InsnInfo INSNS[INSN_COUNT] = {
#define INSN_FI(name, form, f, i, pairs, cost, checks) [INSN_##name] = {#name, FORM_##form, pairs, COST_##cost, checks},
#define INSN_F(name, form, f, pairs, cost, checks) [INSN_##name] = {#name, FORM_##form, pairs, COST_##cost, checks},
#define INSN_I(name, form, i, pairs, cost, checks) [INSN_##name] = {#name, FORM_##form, pairs, COST_##cost, checks},
#define INSN_N(name, form, pairs, cost, checks) [INSN_##name] = {#name, FORM_##form, pairs, COST_##cost, checks},
#include "isa/insn.def"
};

const InsnInfo *insn_info(InsnId id)
{
    return &INSNS[id];
}

bool insn_find(const char *name, InsnId *out)
{
    for (int i = 0; i < INSN_COUNT; i++)
        if (strcmp(INSNS[i].name, name) == 0) return *out = (InsnId)i, true;
    return false;
}
