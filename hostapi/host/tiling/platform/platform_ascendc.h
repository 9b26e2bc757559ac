/* platform_ascendc::PlatformAscendC: chip figures for tiling functions. HW: api_truth host, "PlatformAscendC::...". */
#ifndef OPWRIGHT_HOSTAPI_PLATFORM_ASCENDC_H
#define OPWRIGHT_HOSTAPI_PLATFORM_ASCENDC_H

#include "../../../abi.h"

namespace fe {
class PlatFormInfos;
}
enum class NpuArch : uint32_t { DAV_2201 = 2201, DAV_3510 = 3510, DAV_RESV = 0xFFFF };

namespace platform_ascendc {

enum class CoreMemType { L0_A = 0, L0_B = 1, L0_C = 2, L1 = 3, L2 = 4, UB = 5, HBM = 6, FB = 7, BT = 8, RESERVED };

enum class SocVersion {
    ASCEND910 = 0, ASCEND910B = 1, ASCEND310P = 2, ASCEND310B = 3, ASCEND950 = 4, ASCEND910_55 = 5,
    ASCEND910_95 = ASCEND950, RESERVED_VERSION = 99999
};

enum class ReservedSize { RESERVED_SIZE_8K, RESERVED_SIZE_16K, RESERVED_SIZE_32K };

class PlatformAscendC {
  public:
    PlatformAscendC() = delete;
    explicit PlatformAscendC(fe::PlatFormInfos *info) : info_(info) {}
    uint32_t GetCoreNum() const { return u32(OWH_PLAT_CORES); }
    uint32_t GetCoreNumAic() const { return u32(OWH_PLAT_CORES_AIC); }
    uint32_t GetCoreNumAiv() const { return u32(OWH_PLAT_CORES_AIV); }
    uint32_t GetCoreNumVector() const { return u32(OWH_PLAT_CORES_VECTOR); }
    uint32_t CalcTschBlockDim(uint32_t n_slices, uint32_t n_aic, uint32_t n_aiv) const {
        return CalcTschNumBlocks(n_slices, n_aic, n_aiv);
    }
    uint32_t CalcTschNumBlocks(uint32_t n_slices, uint32_t n_aic, uint32_t n_aiv) const {
        if (n_aic == 0 || n_aiv == 0 || n_aic > n_aiv) return n_slices;
        const uint32_t ratio = n_aiv / n_aic;
        const uint32_t n = (n_slices + ratio - 1) / ratio;
        return ratio == 2 && n > n_aic ? 0 : n;
    }
    uint32_t GetLibApiWorkSpaceSize() const { return u32(OWH_PLAT_LIB_WORKSPACE); }
    uint32_t GetResCubeGroupWorkSpaceSize() const { return u32(OWH_PLAT_CUBE_GROUP_WORKSPACE); }
    uint32_t GetResGroupBarrierWorkSpaceSize() const { return u32(OWH_PLAT_GROUP_BARRIER_WORKSPACE); }
    /* A memory the chip lacks leaves size unchanged. */
    void GetCoreMemSize(const CoreMemType &type, uint64_t &size) const {
        if (!get(OWH_PLAT_MEM_SIZE + static_cast<int32_t>(type), &size)) return;
        if (type == CoreMemType::UB) size -= reserved_bytes_;
    }
    void GetCoreMemBw(const CoreMemType &type, uint64_t &bw) const { get(OWH_PLAT_MEM_BW + static_cast<int32_t>(type), &bw); }
    void ReserveLocalMemory(ReservedSize size) { reserved_bytes_ = 8192U << static_cast<uint32_t>(size); }
    SocVersion GetSocVersion() const { return static_cast<SocVersion>(u32(OWH_PLAT_SOC_VERSION)); }
    NpuArch GetCurNpuArch() const { return static_cast<NpuArch>(u32(OWH_PLAT_NPU_ARCH)); }
    uint32_t GetVecRegLen() const { return u32(OWH_PLAT_VEC_REG_LEN); }

  private:
    bool get(int32_t key, uint64_t *out) const { return owh_platform_get(info_, key, out); }
    uint32_t u32(int32_t key) const {
        uint64_t v = 0xFFFFFFFFU; /* what the vendor returns where a chip has no such figure */
        get(key, &v);
        return static_cast<uint32_t>(v);
    }
    fe::PlatFormInfos *info_;
    uint32_t reserved_bytes_ = 0;
};

class PlatformAscendCManager {
  public:
    static PlatformAscendC *GetInstance() { return GetInstance(nullptr); }
    /* The first call decides the chip; nullptr when it is unknown. */
    static PlatformAscendC *GetInstance(const char *soc) {
        static void *chip = owh_platform_of(soc);
        static PlatformAscendC one(static_cast<fe::PlatFormInfos *>(chip));
        return chip == nullptr ? nullptr : &one;
    }
};

} // namespace platform_ascendc
#endif
