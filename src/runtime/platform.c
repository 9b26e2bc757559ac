/* Chip figures as PlatformAscendC gives them to tiling functions.
 * HW: api_truth host, "PlatformAscendC::..." and "platform numbers". */
#include "runtime/runtime_int.h"

#include <string.h>

#define ARCH_A2         2201u
#define SOC_ASCEND910B  1u /* platform_ascendc::SocVersion; A2 and A3 both answer this */
#define SOC_ASCEND950   4u
#define SYSTEM_RESERVED 256u /* bytes cut from UB and L1 on the 2201 architecture */
#define MIB             1048576u

/* platform_ascendc::CoreMemType */
enum { MEM_L0_A, MEM_L0_B, MEM_L0_C, MEM_L1, MEM_L2, MEM_UB, MEM_HBM, MEM_FB, MEM_BT };

const char *chip_soc(const ChipInfo *c) {
    if (!strncmp(c->name, "Ascend910B", 10)) return "ascend910b";
    if (!strncmp(c->name, "Ascend910_93", 12)) return "ascend910_93";
    return "ascend950";
}

static bool mem_size(const ChipInfo *c, int32_t type, uint64_t *out) {
    const uint64_t cut = c->arch == ARCH_A2 ? SYSTEM_RESERVED : 0;
    switch (type) {
    case MEM_L0_A: *out = c->l0a_bytes; return true;
    case MEM_L0_B: *out = c->l0b_bytes; return true;
    case MEM_L0_C: *out = c->l0c_bytes; return true;
    case MEM_L1: *out = c->l1_bytes - cut; return true;
    case MEM_UB: *out = c->ub_bytes - cut; return true;
    case MEM_L2: *out = c->l2_bytes; return true;
    case MEM_HBM: *out = c->hbm_bytes; return true;
    case MEM_FB: *out = c->fb_bytes; return true;
    case MEM_BT: *out = c->bt_bytes; return true;
    default: return false;
    }
}

/* Bytes per cycle and core: HW: platform parameter files, AICoreMemoryRates. */
static bool mem_bandwidth(int32_t type, uint64_t *out) {
    if (type == MEM_L2) *out = 110;
    else if (type == MEM_HBM) *out = 32;
    else return false;
    return true;
}

bool owh_platform_get(const void *platform, int32_t key, uint64_t *out) {
    const ChipInfo *c = platform;
    if (!c && rt_current()) c = rt_current()->chip;
    if (!c) return false;
    const bool a2 = c->arch == ARCH_A2;
    if (key >= OWH_PLAT_MEM_BW) return mem_bandwidth(key - OWH_PLAT_MEM_BW, out);
    if (key >= OWH_PLAT_MEM_SIZE) return mem_size(c, key - OWH_PLAT_MEM_SIZE, out);
    switch (key) {
    case OWH_PLAT_CORES: /* split chips answer the vector cores */
    case OWH_PLAT_CORES_AIV: *out = c->n_vector_cores; return true;
    case OWH_PLAT_CORES_AIC: *out = c->n_cube_cores; return true;
    case OWH_PLAT_CORES_VECTOR: *out = 0; return true; /* only chips with separate vector cores of the older kind */
    case OWH_PLAT_SOC_VERSION: *out = a2 ? SOC_ASCEND910B : SOC_ASCEND950; return true;
    case OWH_PLAT_NPU_ARCH: *out = c->arch; return true;
    case OWH_PLAT_LIB_WORKSPACE: *out = 16 * MIB; return true;
    case OWH_PLAT_CUBE_GROUP_WORKSPACE:
    case OWH_PLAT_GROUP_BARRIER_WORKSPACE:
        if (a2) *out = MIB;
        return a2;
    case OWH_PLAT_VEC_REG_LEN: *out = a2 ? 0 : 256; return true;
    default: return false;
    }
}

void *owh_platform_of(const char *soc) {
    const ChipInfo *c = soc ? chip_find(soc) : rt_current() ? rt_current()->chip : NULL;
    return (void *)(uintptr_t)c; /* opaque to its holder */
}
