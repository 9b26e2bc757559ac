/* ops::OpDef and what hangs off it. The objects hold no data: every call goes to the runtime, so that a class
 * definition costs nothing to compile. HW: api_truth host, "OpDef::...", "OpParamDef::...", "OpAttrDef::...", "OpAICore...". */
#ifndef OPWRIGHT_HOSTAPI_REGISTER_OP_DEF_H
#define OPWRIGHT_HOSTAPI_REGISTER_OP_DEF_H

#include "exe_graph/runtime/infer_shape_context.h"
#include "exe_graph/runtime/tiling_context.h"

#include <exception>
#include <vector>

namespace ge {
class Operator;
class AscendString;
} // namespace ge

namespace optiling {
using OP_CHECK_FUNC = ge::graphStatus (*)(const ge::Operator &op, ge::AscendString &result);
using PARAM_GENERALIZE_FUNC = ge::graphStatus (*)(const ge::Operator &op, const ge::AscendString &options,
                                                  ge::AscendString &generalized);
} // namespace optiling

namespace gert {
namespace ow {
/* All registered functions take one pointer and return a status; exceptions must not cross into C. */
inline uint32_t Guard(void (*fn)(), void *ctx, char *text, size_t n_text) {
    const char *what = "an exception that is not a std::exception";
    try {
        return reinterpret_cast<ge::graphStatus (*)(void *)>(fn)(ctx);
    } catch (const std::exception &e) {
        what = e.what();
        size_t i = 0;
        for (; i + 1 < n_text && what[i] != 0; i++) text[i] = what[i];
        if (n_text > 0) text[i] = 0;
    } catch (...) {
        size_t i = 0;
        for (; i + 1 < n_text && what[i] != 0; i++) text[i] = what[i];
        if (n_text > 0) text[i] = 0;
    }
    return ge::GRAPH_FAILED;
}
template <class F> void (*Plain(F fn))() { return reinterpret_cast<void (*)()>(fn); }
} // namespace ow
} // namespace gert

namespace ops {

enum Option { IGNORE = 0, OPTIONAL = 1, REQUIRED = 2, DYNAMIC = 3, VIRTUAL = 4 };
enum class DependScope : uint32_t { ALL = 0, TILING = 1, INVALID_SCOPE };
enum class FollowType : uint32_t { ALL = 0, DTYPE = 1, FORMAT = 2, SHAPE = 3, INVALID_TYPE };
enum class FormatCheckOption : uint32_t { DEFAULT = 0, STRICT = 1, MAX };
enum class CommentSection : uint32_t {
    CATEGORY = 0, BRIEF = 1, CONSTRAINTS = 2, RESTRICTIONS = 3, SEE = 4, THIRDPARTYFWKCOMPAT = 5, SECTION_MAX
};

/* A reference to the runtime's record; never constructed. */
class OpParamDef {
  public:
    OpParamDef() = delete;
    OpParamDef(const OpParamDef &) = delete;
    OpParamDef &operator=(const OpParamDef &) = delete;

    OpParamDef &ParamType(Option o) { return owh_param_option(me(), o), *this; }
    OpParamDef &DataType(std::vector<ge::DataType> t) { return dtypes(t, false); }
    OpParamDef &DataTypeList(std::vector<ge::DataType> t) { return dtypes(t, true); }
    OpParamDef &Format(std::vector<ge::Format> f) { return formats(f, false); }
    OpParamDef &FormatList(std::vector<ge::Format> f) { return formats(f, true); }
    /* Deprecated by the vendor: Format covers it. */
    OpParamDef &UnknownShapeFormat(std::vector<ge::Format>) { return *this; }
    OpParamDef &ValueDepend(Option o) { return ValueDepend(o, DependScope::ALL); }
    OpParamDef &ValueDepend(Option o, DependScope) {
        return flag(o == REQUIRED ? OWH_PARAM_VALUE_DEPEND : OWH_PARAM_VALUE_DEPEND_OPTIONAL);
    }
    OpParamDef &IgnoreContiguous() { return flag(OWH_PARAM_IGNORE_CONTIGUOUS); }
    OpParamDef &AutoContiguous() { return flag(OWH_PARAM_AUTO_CONTIGUOUS); }
    OpParamDef &Scalar() { return flag(OWH_PARAM_SCALAR); }
    OpParamDef &ScalarList() { return flag(OWH_PARAM_SCALAR_LIST); }
    OpParamDef &OutputShapeDependOnCompute() { return flag(OWH_PARAM_SHAPE_ON_COMPUTE); }
    OpParamDef &To(const ge::DataType t) { return owh_param_scalar_to(me(), t, nullptr), *this; }
    OpParamDef &To(const char *name) { return owh_param_scalar_to(me(), 0, name), *this; }
    OpParamDef &Follow(const char *name) { return Follow(name, FollowType::ALL); }
    OpParamDef &Follow(const char *name, FollowType t) { return owh_param_follow(me(), name, static_cast<int32_t>(t)), *this; }
    OpParamDef &InitValue(uint64_t value) { return owh_param_init_value(me(), static_cast<double>(value)), *this; }
    OpParamDef &Version(uint32_t) { return *this; }
    OpParamDef &Comment(const char *) { return *this; }

  private:
    OwhParamDef *me() { return reinterpret_cast<OwhParamDef *>(this); }
    OpParamDef &flag(uint32_t f) { return owh_param_flag(me(), f), *this; }
    static_assert(sizeof(ge::DataType) == sizeof(int32_t) && sizeof(ge::Format) == sizeof(int32_t), "read as int32_t");
    OpParamDef &dtypes(const std::vector<ge::DataType> &t, bool list) {
        return owh_param_dtypes(me(), reinterpret_cast<const int32_t *>(t.data()), t.size(), list), *this;
    }
    OpParamDef &formats(const std::vector<ge::Format> &f, bool list) {
        return owh_param_formats(me(), reinterpret_cast<const int32_t *>(f.data()), f.size(), list), *this;
    }
};

class OpAttrDef {
  public:
    OpAttrDef() = delete;
    OpAttrDef(const OpAttrDef &) = delete;
    OpAttrDef &operator=(const OpAttrDef &) = delete;

    /* REQUIRED after OPTIONAL does not undo it, as in the vendor's. */
    OpAttrDef &AttrType(Option o) {
        if (o == OPTIONAL) owh_attr_optional(me());
        return *this;
    }
    OpAttrDef &Bool() { return Bool(false); }
    OpAttrDef &Bool(bool v) { return set(OWH_BOOL, &v, 1); }
    OpAttrDef &Float() { return Float(0.0f); }
    OpAttrDef &Float(float v) { return set(OWH_FLOAT, &v, 1); }
    OpAttrDef &Int() { return Int(0); }
    OpAttrDef &Int(int64_t v) { return set(OWH_INT, &v, 1); }
    OpAttrDef &String() { return String(""); }
    OpAttrDef &String(const char *v) { return set(OWH_STR, v, __builtin_strlen(v)); }
    OpAttrDef &ListBool() { return set(OWH_LIST_BOOL, nullptr, 0); }
    OpAttrDef &ListBool(std::vector<bool> v) {
        bool *copy = static_cast<bool *>(owh_alloc(v.size() + 1));
        for (size_t i = 0; i < v.size(); i++) copy[i] = v[i];
        set(OWH_LIST_BOOL, copy, v.size());
        owh_release(copy);
        return *this;
    }
    OpAttrDef &ListFloat() { return set(OWH_LIST_FLOAT, nullptr, 0); }
    OpAttrDef &ListFloat(std::vector<float> v) { return set(OWH_LIST_FLOAT, v.data(), v.size()); }
    OpAttrDef &ListInt() { return set(OWH_LIST_INT, nullptr, 0); }
    OpAttrDef &ListInt(std::vector<int64_t> v) { return set(OWH_LIST_INT, v.data(), v.size()); }
    OpAttrDef &ListListInt() { return set(OWH_LIST_LIST_INT, nullptr, 0); }
    OpAttrDef &ListListInt(std::vector<std::vector<int64_t>>) { return set(OWH_LIST_LIST_INT, nullptr, 0); }
    OpAttrDef &Version(uint32_t) { return *this; }
    OpAttrDef &Comment(const char *) { return *this; }

  private:
    OwhAttrDef *me() { return reinterpret_cast<OwhAttrDef *>(this); }
    OpAttrDef &set(int32_t kind, const void *data, size_t n) { return owh_attr_type(me(), kind, data, n), *this; }
};

class OpAICoreConfig {
  public:
    OpAICoreConfig() : c_(owh_config_new()) {}
    explicit OpAICoreConfig(const char *) : c_(owh_config_new()) {}
    OpParamDef &Input(const char *name) { return *reinterpret_cast<OpParamDef *>(owh_config_param(c_, false, name)); }
    OpParamDef &Output(const char *name) { return *reinterpret_cast<OpParamDef *>(owh_config_param(c_, true, name)); }
    /* These steer the vendor's graph compiler; a single call does not depend on them. */
    OpAICoreConfig &DynamicCompileStaticFlag(bool) { return *this; }
    OpAICoreConfig &DynamicFormatFlag(bool) { return *this; }
    OpAICoreConfig &DynamicRankSupportFlag(bool) { return *this; }
    OpAICoreConfig &DynamicShapeSupportFlag(bool) { return *this; }
    OpAICoreConfig &NeedCheckSupportFlag(bool) { return *this; }
    OpAICoreConfig &PrecisionReduceFlag(bool) { return *this; }
    OpAICoreConfig &ExtendCfgInfo(const char *, const char *) { return *this; }

  private:
    friend class OpAICoreDef;
    OwhConfigDef *c_;
};

class OpAICoreDef {
  public:
    OpAICoreDef() = delete;
    OpAICoreDef(const OpAICoreDef &) = delete;
    OpAICoreDef &operator=(const OpAICoreDef &) = delete;

    OpAICoreDef &SetTiling(ge::graphStatus (*fn)(gert::TilingContext *)) {
        return owh_op_fn(me(), OWH_FN_TILING, gert::ow::Plain(fn)), *this;
    }
    OpAICoreDef &SetCheckSupport(optiling::OP_CHECK_FUNC) { return *this; }
    OpAICoreDef &SetOpSelectFormat(optiling::OP_CHECK_FUNC) { return *this; }
    OpAICoreDef &SetOpSupportInfo(optiling::OP_CHECK_FUNC) { return *this; }
    OpAICoreDef &SetOpSpecInfo(optiling::OP_CHECK_FUNC) { return *this; }
    OpAICoreDef &SetParamGeneralize(optiling::PARAM_GENERALIZE_FUNC) { return *this; }
    OpAICoreDef &LaunchWithZeroEleOutputTensors(bool flag) { return owh_op_launch_empty(me(), flag), *this; }
    OpAICoreDef &AddConfig(const char *soc) { return owh_op_add_config(me(), soc, nullptr), *this; }
    OpAICoreDef &AddConfig(const char *soc, OpAICoreConfig &cfg) { return owh_op_add_config(me(), soc, cfg.c_), *this; }

  private:
    OwhOpDef *me() { return reinterpret_cast<OwhOpDef *>(this); }
};

class OpDef {
  public:
    explicit OpDef(const char *type) : op_(owh_op_new(type, gert::ow::Guard)) {}
    OpParamDef &Input(const char *name) { return *reinterpret_cast<OpParamDef *>(owh_op_param(op_, false, name)); }
    OpParamDef &Output(const char *name) { return *reinterpret_cast<OpParamDef *>(owh_op_param(op_, true, name)); }
    OpAttrDef &Attr(const char *name) { return *reinterpret_cast<OpAttrDef *>(owh_op_attr(op_, name)); }
    OpDef &Comment(CommentSection, const char *) { return *this; }
    OpDef &FormatMatchMode(FormatCheckOption) { return *this; }
    OpDef &EnableFallBack() { return *this; }
    OpDef &SetInferShape(ge::graphStatus (*fn)(gert::InferShapeContext *)) {
        return owh_op_fn(op_, OWH_FN_INFER_SHAPE, gert::ow::Plain(fn)), *this;
    }
    OpDef &SetInferShapeRange(ge::graphStatus (*)(gert::InferShapeRangeContext *)) { return *this; }
    OpDef &SetInferDataType(ge::graphStatus (*fn)(gert::InferDataTypeContext *)) {
        return owh_op_fn(op_, OWH_FN_INFER_DTYPE, gert::ow::Plain(fn)), *this;
    }
    OpAICoreDef &AICore() { return *reinterpret_cast<OpAICoreDef *>(op_); }

  private:
    friend int OwhAddOp(const OpDef &);
    OwhOpDef *op_;
};

inline int OwhAddOp(const OpDef &def) {
    owh_op_register(def.op_);
    return 0;
}

} // namespace ops

#define OP_ADD(opType) static int owh_op_added_##opType __attribute__((unused)) = ::ops::OwhAddOp(opType(#opType))

#endif
