/* The C ABI between the headers in hostapi/ (compiled into a description's host and binding libraries) and the host
 * runtime (src/runtime, libopwright_rt.so), which implements every owh_ function here. Plain data wherever it can be:
 * the C++ classes of gert:: and at:: are thin views of these structs.
 * Single-threaded: all calls belong to the runtime opened last (rt_open). Valid C11 and C++11. */
#ifndef OPWRIGHT_HOSTAPI_ABI_H
#define OPWRIGHT_HOSTAPI_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define OWH_API __attribute__((visibility("default")))

/* ---------------------------------------------------------------- values shared by Python, bindings and the runtime */

#define RT_MAX_RANK 16

/* A tensor handle: reference counted; storage is either the runtime's (rt_tensor_new) or the caller's. */
typedef struct RtTensor {
    int32_t refs;
    int32_t dtype; /* DType of base/dtype.def, by position */
    int32_t rank;
    int32_t owns; /* storage is ours: freed with the last handle */
    int64_t size[RT_MAX_RANK];
    int64_t stride[RT_MAX_RANK]; /* elements */
    int64_t offset;              /* of the first element in the storage, elements */
    void *storage;
    int64_t storage_bytes;
    struct RtTensor *base; /* views keep the storage's owner alive; NULL otherwise */
    int32_t is_input;      /* handed in from outside; anything else was allocated by the binding */
    int32_t on_cpu;        /* allocated or moved to the CPU by the binding; everything else counts as on the NPU */
    int32_t written;       /* of the storage's owner: a launch wrote it, or it is a copy of what a launch wrote */
} RtTensor;

/* A value passed between Python and a binding function. */
typedef enum { RT_NONE, RT_TENSOR, RT_INT, RT_FLOAT, RT_BOOL, RT_STR, RT_INTS, RT_FLOATS, RT_BOOLS, RT_TENSORS, RT_TUPLE } RtKind;
typedef struct RtValue {
    int32_t kind; /* RtKind */
    int32_t n;    /* length of list kinds */
    union {
        RtTensor *tensor; /* one reference is handed over with the value */
        int64_t i;        /* RT_INT, RT_BOOL */
        double f;
        char *str;             /* malloc'ed */
        int64_t *ints;         /* malloc'ed: RT_INTS, RT_BOOLS */
        double *floats;        /* malloc'ed */
        struct RtValue *items; /* malloc'ed: RT_TENSORS, RT_TUPLE */
    } u;
} RtValue;

/* -------------------------------------------------------------------------------- operator definition (OP_ADD) */

typedef struct OwhOpDef OwhOpDef;
typedef struct OwhParamDef OwhParamDef;
typedef struct OwhAttrDef OwhAttrDef;
typedef struct OwhConfigDef OwhConfigDef;

/* HW: api_truth host, OpParamDef::ParamType and OpAttrDef: numbers as in the vendor's enums. */
typedef enum { OWH_IGNORE, OWH_OPTIONAL, OWH_REQUIRED, OWH_DYNAMIC, OWH_VIRTUAL } OwhOption;
typedef enum { OWH_BOOL, OWH_FLOAT, OWH_INT, OWH_STR, OWH_LIST_BOOL, OWH_LIST_FLOAT, OWH_LIST_INT, OWH_LIST_LIST_INT } OwhAttrKind;
typedef enum { OWH_FN_TILING, OWH_FN_INFER_SHAPE, OWH_FN_INFER_DTYPE, OWH_FN_COUNT } OwhFnKind;
/* Yes/no properties of an input or output. */
typedef enum {
    OWH_PARAM_AUTO_CONTIGUOUS = 1,
    OWH_PARAM_IGNORE_CONTIGUOUS = 2,
    OWH_PARAM_SCALAR = 4,
    OWH_PARAM_SCALAR_LIST = 8,
    OWH_PARAM_VALUE_DEPEND = 16,          /* with Option REQUIRED: aclnn takes a host array */
    OWH_PARAM_VALUE_DEPEND_OPTIONAL = 32, /* stays a tensor; data may be read by the tiling function */
    OWH_PARAM_SHAPE_ON_COMPUTE = 64
} OwhParamFlag;

/* Calls fn(ctx) with C++ exceptions turned into a failure status and their text. */
typedef uint32_t (*OwhGuard)(void (*fn)(void), void *ctx, char *text, size_t n_text);

/* Definitions are owned by the runtime; handles stay valid until it is closed. All setters accept a NULL handle. */
OWH_API OwhOpDef *owh_op_new(const char *type, OwhGuard guard);
OWH_API void owh_op_register(OwhOpDef *op);
/* Get or create by name, in the order of first use. */
OWH_API OwhParamDef *owh_op_param(OwhOpDef *op, bool is_output, const char *name);
OWH_API OwhAttrDef *owh_op_attr(OwhOpDef *op, const char *name);
OWH_API void owh_op_fn(OwhOpDef *op, OwhFnKind kind, void (*fn)(void));
OWH_API void owh_op_launch_empty(OwhOpDef *op, bool flag);
OWH_API void owh_op_add_config(OwhOpDef *op, const char *soc, OwhConfigDef *cfg);
OWH_API OwhConfigDef *owh_config_new(void);
OWH_API OwhParamDef *owh_config_param(OwhConfigDef *cfg, bool is_output, const char *name);
OWH_API void owh_param_option(OwhParamDef *p, int32_t option);
/* is_list: DataTypeList (combined with every column) instead of DataType (aligned columns). Numbers are ge::DataType. */
OWH_API void owh_param_dtypes(OwhParamDef *p, const int32_t *at, size_t n, bool is_list);
OWH_API void owh_param_formats(OwhParamDef *p, const int32_t *at, size_t n, bool is_list);
OWH_API void owh_param_flag(OwhParamDef *p, uint32_t flag);
OWH_API void owh_param_scalar_to(OwhParamDef *p, int32_t ge_dtype, const char *input); /* input NULL: constant dtype */
OWH_API void owh_param_follow(OwhParamDef *p, const char *source, int32_t type);       /* ops::FollowType */
OWH_API void owh_param_init_value(OwhParamDef *p, double value);
OWH_API void owh_attr_optional(OwhAttrDef *a);
/* Sets the type and the default; list data is read as int64_t, float or bool by kind. */
OWH_API void owh_attr_type(OwhAttrDef *a, int32_t kind, const void *data, size_t n);
/* IMPL_OP registration of a function for an op type. */
OWH_API void owh_impl_op_fn(const char *type, OwhGuard guard, OwhFnKind kind, void (*fn)(void));
/* REGISTER_TILING_DATA_CLASS: n_bytes is the padded size of the structure. */
OWH_API void owh_tiling_class(const char *op_type, const char *class_name, size_t n_bytes);

/* -------------------------------------------------------------------------------------- contexts, plain data */

#define OWH_MAX_DIMS 25 /* HW: api_truth host, gert::Shape: kMaxDimNum */
#define OWH_MAX_WORKSPACES 8 /* HW: api_truth host, TilingContext::GetWorkspaceSizes */

typedef struct OwhShape {
    size_t n_dims;
    int64_t dim[OWH_MAX_DIMS];
} OwhShape;
typedef struct OwhStorageShape {
    OwhShape origin, storage;
} OwhStorageShape;
typedef struct OwhTypeDesc {
    int32_t dtype; /* ge::DataType */
    int32_t origin_format, storage_format;
} OwhTypeDesc;
typedef struct OwhTensorDesc {
    OwhStorageShape shape;
    OwhTypeDesc type;
    int32_t placement; /* gert::TensorPlacement */
    void *data;        /* only for value-depend inputs */
    size_t n_bytes;
} OwhTensorDesc;
typedef struct OwhAnchor {
    uint32_t start, n; /* instantiated tensors of one declared parameter */
} OwhAnchor;
/* Elements follow the header in memory. */
typedef struct OwhVector {
    size_t capacity, size;
} OwhVector;
typedef struct OwhAttr {
    int32_t kind; /* OwhAttrKind */
    const void *data; /* int64_t, float, bool, NUL-terminated text, or OwhVector followed by elements */
} OwhAttr;
typedef struct OwhAttrs {
    size_t n;
    const OwhAttr *at;
} OwhAttrs;
typedef struct OwhNode {
    const char *name, *type;
    const OwhAnchor *ir_in, *ir_out;
    size_t n_ir_in, n_ir_out;
    OwhTensorDesc *in, *out;
    size_t n_in, n_out;
    OwhAttrs attrs;
} OwhNode;
typedef struct OwhTilingData {
    size_t capacity, n_bytes;
    void *data;
} OwhTilingData;
typedef struct OwhTilingContext {
    OwhNode node;
    OwhTilingData data;
    OwhVector workspace; /* capacity OWH_MAX_WORKSPACES; sizes follow */
    size_t workspace_bytes[OWH_MAX_WORKSPACES];
    uint64_t tiling_key;
    uint32_t block_dim;
    uint32_t schedule_mode;
    uint32_t local_memory_bytes;
    int32_t tiling_cond, deterministic;
    bool need_atomic;
    void *platform;
} OwhTilingContext;
typedef struct OwhInferContext {
    OwhNode node; /* InferShape writes out[i].shape.origin, InferDataType writes out[i].type.dtype */
} OwhInferContext;

/* Reading attribute `index` as `kind`: a mismatch is a finding, since the vendor's getter would return garbage. */
OWH_API void owh_attr_read(const OwhAttrs *attrs, size_t index, int32_t kind);
/* The host code said something (logging macros): goes to stderr, which is the log of the run. */
OWH_API void owh_host_log(const char *level, const char *file, int line, const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* Something that the vendor's headers only log; becomes a finding of the host code. */
OWH_API void owh_host_finding(const char *check, const char *text, const char *hint);

/* Chip figures. platform: what GetPlatformInfo returned, or NULL for the runtime's chip. */
typedef enum {
    OWH_PLAT_CORES,
    OWH_PLAT_CORES_AIC,
    OWH_PLAT_CORES_AIV,
    OWH_PLAT_CORES_VECTOR,
    OWH_PLAT_SOC_VERSION,
    OWH_PLAT_NPU_ARCH,
    OWH_PLAT_LIB_WORKSPACE,
    OWH_PLAT_CUBE_GROUP_WORKSPACE,
    OWH_PLAT_GROUP_BARRIER_WORKSPACE,
    OWH_PLAT_VEC_REG_LEN,
    OWH_PLAT_MEM_SIZE = 32, /* + platform_ascendc::CoreMemType */
    OWH_PLAT_MEM_BW = 64    /* + platform_ascendc::CoreMemType */
} OwhPlatformKey;
/* False when the chip has no such figure (the vendor's call then leaves its argument unchanged). */
OWH_API bool owh_platform_get(const void *platform, int32_t key, uint64_t *out);
OWH_API void *owh_platform_of(const char *soc); /* NULL name: the runtime's chip; NULL result: unknown chip */

/* ------------------------------------------------------------------------------------------------- bindings */

/* Tensors. Functions returning a handle return one reference; NULL means failure with text in owh_last_error(). */
OWH_API int32_t owh_dtype_of_scalar_type(int32_t scalar_type); /* at::ScalarType to DType; -1 when not modelled */
OWH_API int32_t owh_scalar_type_of_dtype(int32_t dtype);
OWH_API const char *owh_scalar_type_name(int32_t scalar_type); /* "Float" */
OWH_API size_t owh_dtype_bytes(int32_t dtype);
OWH_API RtTensor *owh_tensor_empty(int32_t dtype, const int64_t *size, int32_t rank, bool on_cpu);
OWH_API RtTensor *owh_tensor_empty_like(RtTensor *t); /* keeps the order of dims of a dense, non-overlapping tensor */
/* Views. Dims count from the end when negative; the checks and texts are PyTorch's. */
OWH_API RtTensor *owh_tensor_strided(RtTensor *t, const int64_t *size, const int64_t *stride, int32_t rank, int64_t offset);
OWH_API RtTensor *owh_tensor_permute(RtTensor *t, const int64_t *dims, size_t n);
OWH_API RtTensor *owh_tensor_transpose(RtTensor *t, int64_t a, int64_t b);
OWH_API RtTensor *owh_tensor_slice(RtTensor *t, int64_t dim, int64_t start, int64_t end, int64_t step);
OWH_API RtTensor *owh_tensor_narrow(RtTensor *t, int64_t dim, int64_t start, int64_t length);
OWH_API RtTensor *owh_tensor_select(RtTensor *t, int64_t dim, int64_t index);
OWH_API RtTensor *owh_tensor_squeeze(RtTensor *t, int64_t dim, bool all);
OWH_API RtTensor *owh_tensor_unsqueeze(RtTensor *t, int64_t dim);
OWH_API RtTensor *owh_tensor_expand(RtTensor *t, const int64_t *size, size_t n);
/* One size may be -1. must_view: failure when the strides do not allow a view; otherwise a copy is made then. */
OWH_API RtTensor *owh_tensor_reshape(RtTensor *t, const int64_t *size, size_t n, bool must_view);
OWH_API bool owh_tensor_is_contiguous(const RtTensor *t);
/* What data_ptr gives. Memory of the device is not the host's to touch: its addresses are told apart, but a read or write
 * through one faults, as it does beside a card. Results the host writes through an address are not the kernel's. */
OWH_API void *owh_tensor_address(RtTensor *t, bool may_write);
OWH_API int64_t owh_tensor_numel(const RtTensor *t);
/* Broadcast shape of two shapes into out[RT_MAX_RANK]; the rank, or -1 with owh_last_error(). */
OWH_API int32_t owh_broadcast(const int64_t *a, size_t n_a, const int64_t *b, size_t n_b, int64_t *out);
OWH_API RtTensor *owh_tensor_clone(RtTensor *t, int32_t dtype, bool on_cpu); /* contiguous copy; converts when dtype differs */
OWH_API int owh_tensor_copy(RtTensor *dst, RtTensor *src);                   /* same shape; nonzero on failure */
OWH_API void owh_tensor_fill(RtTensor *t, double value, int64_t ivalue, bool is_int);
OWH_API double owh_tensor_item(RtTensor *t, int64_t *as_int); /* the one element */
OWH_API void owh_tensor_ref(RtTensor *t);
OWH_API void owh_tensor_unref(RtTensor *t);
OWH_API const char *owh_last_error(void);

/* One argument of EXEC_NPU_CMD, with the C++ type the source gave it. */
typedef enum {
    OWH_ARG_TENSOR,      /* tensor, NULL when undefined or an empty optional */
    OWH_ARG_TENSORS,     /* at::TensorList */
    OWH_ARG_SCALAR,      /* at::Scalar: f, i, and n = at::ScalarType of it */
    OWH_ARG_INTS,        /* at::IntArrayRef; i = 1: an empty optional, passed as a null pointer */
    OWH_ARG_BOOLS,       /* array of bool */
    OWH_ARG_INT64,       /* the types whose C ABI fits an attr */
    OWH_ARG_DOUBLE,
    OWH_ARG_BOOL,
    OWH_ARG_CSTR,
    OWH_ARG_SCALAR_TYPE, /* at::ScalarType, passed as aclDataType */
    OWH_ARG_FLOATS,      /* aclFloatArray made by the binding */
    OWH_ARG_RAW          /* anything else: passed by value, which no generated aclnn function takes */
} OwhArgKind;
typedef struct OwhArg {
    int32_t kind;
    int32_t n_bytes;      /* sizeof the C++ type, OWH_ARG_RAW */
    const char *cxx_type; /* as the compiler spells it */
    RtTensor *tensor;     /* borrowed */
    RtTensor *const *tensors;
    const void *data;
    size_t n;
    int64_t i;
    double f;
} OwhArg;
/* Nonzero on failure: the text in owh_last_error() starts with its stage ("exec: ", "tiling: ", "launch: "). */
OWH_API int owh_exec(const char *aclnn, const OwhArg *args, size_t n_args);

/* A function exported with m.def. call: 0 done, 1 failed (text), 2 the arguments do not fit this overload. */
typedef struct OwhFnParam {
    const char *name; /* NULL when the binding gave none */
    const char *type; /* "torch.Tensor", "int", ... for TypeError texts */
    const RtValue *fallback; /* py::arg default, or NULL */
} OwhFnParam;
typedef struct OwhFnDef {
    const char *name, *doc, *result;
    const OwhFnParam *params;
    int32_t n_params;
    int (*call)(void *self, RtValue *args, int32_t n_args, RtValue *result, char *text, size_t n_text);
    void *self;
    void (*drop)(void *self); /* before the library goes */
} OwhFnDef;
OWH_API void owh_binding_def(const OwhFnDef *def); /* texts are copied, defaults taken over */
#define OWH_BINDING_INIT "owh_binding_init" /* what PYBIND11_MODULE exports: int (*)(char *text, size_t n_text) */

OWH_API void *owh_alloc(size_t n_bytes); /* malloc that cannot fail: for RtValue lists and texts */
OWH_API void owh_release(void *p);

/* ------------------------------------------------------------------------ helpers of the high-level APIs

   Rows of src/runtime/adv_host.def: a shape, numbers in the row's order. False: the helper refuses (bad shape, too little
   space); the outputs stay as they were, as the vendor's do. */
OWH_API bool owh_adv_size(const char *api, const int64_t *dims, size_t n_dims, const int64_t *n, uint32_t *max, uint32_t *min);
/* Live nodes of an element and bytes beside them. */
OWH_API bool owh_adv_factor(const char *api, const int64_t *n, uint32_t *max_live, uint32_t *extra);
/* out: the structure of device/ow/tiling_structs.h that the helper fills; fields the helper leaves out keep their value. */
OWH_API bool owh_adv_tiling(const char *api, const int64_t *dims, size_t n_dims, const int64_t *n, void *out);

#ifdef __cplusplus
}
#endif
#endif
