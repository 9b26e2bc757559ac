// Kernel libraries of the runtime's tests, written against the C interface of device/ only. ZOO selects the kernel.
#include "abi.h"

#include <cstring>

static const OwLoc HERE = {"kernel_src", 1};

static float get(const void *p, uint32_t i) {
    const OwGlobal g = {const_cast<void *>(p), ow_gm_bind(p, HERE)};
    const uint32_t bits = static_cast<uint32_t>(ow_gm_get(OW_F32, &g, i, HERE));
    float f;
    std::memcpy(&f, &bits, sizeof f);
    return f;
}
static void set(void *p, uint32_t i, float f) {
    const OwGlobal g = {p, ow_gm_bind(p, HERE)};
    uint32_t bits;
    std::memcpy(&bits, &f, sizeof bits);
    ow_gm_set(OW_F32, &g, i, bits, HERE);
}
template <class T> static T tiling_at(const void *tiling, size_t i) {
    T v;
    std::memcpy(&v, static_cast<const char *>(tiling) + i * sizeof v, sizeof v);
    return v;
}

extern "C" OW_API void ow_kernel_entry(void *const *args) {
#if ZOO == 0 // add, float: x, y, z, workspace, tiling
    for (uint32_t i = 0; i < tiling_at<uint32_t>(args[4], 0); i++) set(args[2], i, get(args[0], i) + get(args[1], i));
#elif ZOO == 1 // what the tiling function saw, then x[1], then whether workspace (and its poison) and m are there
    for (uint32_t i = 0; i < 16; i++) set(args[2], i, args[4] ? tiling_at<float>(args[4], i) : 0.0f);
    set(args[2], 16, get(args[0], 1));
    set(args[2], 17, args[3] ? 1.0f + (static_cast<unsigned char *>(args[3])[99] == 0x7F) : 0.0f);
    set(args[2], 18, args[1] != nullptr);
#elif ZOO == 3 // 2 x and 3 x: x, y, z, workspace, tiling
    for (uint32_t i = 0; i < tiling_at<uint32_t>(args[4], 0); i++) set(args[1], i, 2 * get(args[0], i)), set(args[2], i, 3 * get(args[0], i));
#else // twice, in place: x, x_ref, workspace, tiling
    for (uint32_t i = 0; i < tiling_at<uint32_t>(args[3], 0); i++) set(args[1], i, 2 * get(args[0], i));
#endif
}
