/* How the wrappers of the high-level APIs hand a call over: tensors in the row's order, numbers, scalars. */
#ifndef OW_ADV_CALL_H
#define OW_ADV_CALL_H

#include "ow/adv_tiling.h"
#include "ow/vector.h"

namespace AscendC {

/* A tensor the call does not have. */
struct OwNoTensor {};

class OwAdvCall {
public:
    template <typename... L> explicit OwAdvCall(const L &...tensors) : call_{} { (Add(tensors), ...); }
    OwAdvCall &Tmp(const LocalTensor<uint8_t> &t)
    {
        call_.tmp = &t.ow;
        return *this;
    }
    OwAdvCall &Tmp(OwNoTensor) { return *this; }
    template <typename... N> OwAdvCall &Numbers(N... n)
    {
        static_assert(sizeof...(N) <= OW_ADV_NUMBERS, "too many numbers");
        uint32_t i = 0;
        ((call_.n[i++] = (int64_t)n), ...);
        return *this;
    }
    template <typename... F> OwAdvCall &Scalars(F... f)
    {
        uint32_t i = 0;
        ((call_.f[i++] = (double)(float)f), ...);
        return *this;
    }
    int64_t Run(const char *api, OwLoc loc) { return ow_adv_call(api, &call_, loc); }

private:
    void Add(OwNoTensor) { n_++; }
    template <typename T> void Add(const LocalTensor<T> &t)
    {
        call_.t[n_] = &t.ow;
        call_.type[n_++] = (uint8_t)ow_id<T>;
    }
    OwAdv call_;
    uint32_t n_ = 0;
};

/* The parameter of the caller's temporary space, or none. Functions, so that their comma stays inside. */
#define OW_TMP() const LocalTensor<uint8_t> &sharedTmpBuffer,
#define OW_TMP_MUTABLE() LocalTensor<uint8_t> &sharedTmpBuffer,
#define OW_NO_TMP()
/* A family in its two forms: with the caller's temporary space and with the framework's. */
#define OW_BOTH_TMP(M)                                                                                               \
    M(OW_TMP, sharedTmpBuffer)                                                                                       \
    M(OW_NO_TMP, OwNoTensor{})

} // namespace AscendC
#endif
