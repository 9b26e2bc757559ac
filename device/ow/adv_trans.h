/* TransData. HW: its page. */
#ifndef OW_ADV_TRANS_H
#define OW_ADV_TRANS_H

#include "ow/adv_call.h"

namespace AscendC {

struct TransDataConfig {
    DataFormat srcFormat;
    DataFormat dstFormat;
};
template <typename T, typename U> struct TransDataParams {
    T srcLayout;
    U dstLayout;
};

/* Numbers of the call: the way, n c d h w, then the other layout's dimensions. */
template <size_t... I, size_t... J, typename S, typename B>
inline OwAdvCall &OwTransNumbers(OwAdvCall &call, int way, const S &flat, const B &blocked, Std::index_sequence<I...>, Std::index_sequence<J...>)
{
    return call.Numbers(way, Std::get<I>(flat)..., Std::get<J>(blocked)...);
}
template <const TransDataConfig &config, typename T, typename U, typename S, typename Tmp>
inline void OwTransData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Tmp &tmp, const TransDataParams<U, S> &params, OwLoc loc)
{
    constexpr bool from = config.dstFormat == DataFormat::NCDHW;
    constexpr DataFormat other = from ? config.srcFormat : config.dstFormat;
    constexpr bool z3d = other == DataFormat::FRACTAL_Z_3D;
    OW_WANT(TransData, T, int16_t, uint16_t, half, bfloat16_t);
    static_assert((from || config.srcFormat == DataFormat::NCDHW) && (z3d || other == DataFormat::NDC1HWC0),
                  "TransData goes between NCDHW and NDC1HWC0 or FRACTAL_Z_3D");
    const auto a = params.srcLayout.GetShape();
    const auto b = params.dstLayout.GetShape();
    constexpr size_t n_src = Std::tuple_size_v<decltype(params.srcLayout.GetShape())>, n_dst = Std::tuple_size_v<decltype(params.dstLayout.GetShape())>;
    constexpr size_t n_blocked = z3d ? 7 : 6;
    static_assert(n_src == (from ? n_blocked : 5) && n_dst == (from ? 5 : n_blocked), "TransData: a layout has not as many dimensions as its format");
    OwAdvCall call(dst, src);
    if constexpr (from)
        OwTransNumbers(call, z3d * 2 + 1, b, a, Std::make_index_sequence<5>(), Std::make_index_sequence<n_blocked>());
    else
        OwTransNumbers(call, z3d * 2, a, b, Std::make_index_sequence<5>(), Std::make_index_sequence<n_blocked>());
    call.Tmp(tmp).Run("TransData", loc);
}
#define OW_TRANS_DATA(TMP, tmp)                                                                                      \
    template <const TransDataConfig &config, typename T, typename U, typename S>                                     \
    inline void TransData(const LocalTensor<T> &dstTensor, const LocalTensor<T> &srcTensor,                          \
                          TMP() const TransDataParams<U, S> &params, OW_LOC)                                         \
    {                                                                                                                \
        OwTransData<config>(dstTensor, srcTensor, tmp, params, ow_loc);                                              \
    }
OW_BOTH_TMP(OW_TRANS_DATA)
#undef OW_TRANS_DATA

} // namespace AscendC
#endif
