/* What the files of src/runtime share. One Rt is one candidate: its op, its binding, its report. */
#ifndef OPWRIGHT_RUNTIME_INT_H
#define OPWRIGHT_RUNTIME_INT_H

#include "base/arena.h"
#include "base/dtype.h"
#include "isa/isa.h"
#include "runtime/runtime.h"
#include "sim/sim.h"

#include <stdbool.h>

/* ---- operator definition, as the constructor of the OpDef class left it (opdef.c) */
struct OwhParamDef {
    const char *name;
    int32_t option; /* OwhOption */
    uint32_t flags; /* OwhParamFlag */
    const int32_t *dtypes, *formats; /* ge numbers; columns, or lists to be combined */
    size_t n_dtypes, n_formats;
    bool dtype_list, format_list;
    bool scalar_to_set;
    int32_t scalar_to; /* ge dtype, or -1: that of input scalar_like */
    const char *scalar_like;
    const char *follow;
    int32_t follow_type;
    bool has_init;
    double init_value;
};
struct OwhAttrDef {
    const char *name;
    int32_t kind; /* OwhAttrKind; -1 until a type setter ran */
    bool optional;
    const void *data; /* default value in the form of OwhAttr */
};
typedef struct ParamList {
    OwhParamDef **at;
    size_t n, cap;
} ParamList;
struct OwhConfigDef {
    ParamList in, out;
};
struct OwhOpDef {
    const char *type;
    OwhGuard guard;
    ParamList in, out;
    VEC(OwhAttrDef *) attrs;
    VEC(const char *) socs;
    OwhConfigDef *config; /* of this chip's soc, or NULL */
    void (*fn[OWH_FN_COUNT])(void);
    bool launch_empty;
    /* combos.c: ge dtype and format of parameter p in combination c at [c * (in.n + out.n) + p]; inputs first. */
    size_t n_combos;
    const int32_t *combo_dtype, *combo_format;
};

typedef struct ImplFn {
    const char *type;
    OwhGuard guard;
    OwhFnKind kind;
    void (*fn)(void);
} ImplFn;
typedef struct TilingClass {
    const char *op, *name;
    size_t n_bytes;
} TilingClass;
typedef struct BoundFn {
    OwhFnDef def; /* texts in the arena */
    const char *params_json;
} BoundFn;

typedef struct Launch {
    const char *op, *kernel;
    uint32_t block_dim;
    uint64_t tiling_key, tiling_bytes, workspace_bytes, tensor_bytes; /* of inputs and outputs, each once */
    const char **dtypes;
    size_t n_dtypes;
} Launch;
typedef struct Finding {
    const char *check, *file, *api, *text, *text_zh, *hint, *hint_zh;
    SimSeverity severity;
    uint64_t count;
} Finding;
typedef enum {
#define FINDING(id, check, severity, file, text, text_zh, hint, hint_zh) RT_##id,
#include "runtime/findings.def"
#undef FINDING
    RT_N_FINDINGS
} RtFindingId;

struct Rt {
    Arena *arena; /* definitions and functions */
    Sim *sim;
    const ChipInfo *chip;
    char error[4096];
    SimTrail *trail; /* mapped file, or NULL */
    void *host_lib, *binding_lib;
    VEC(OwhOpDef *) ops;
    VEC(ImplFn) impls;
    VEC(TilingClass) tiling_classes;
    VEC(BoundFn) fns;
    const char *kernel_name;
    size_t n_kernels;
    const char **kernel_paths; /* NULL entries were not built */
    void **kernel_libs;        /* opened at first use */
    void *workspace;           /* kept between launches */
    size_t workspace_cap;
    Arena *report; /* launches and findings */
    VEC(Launch) launches;
    VEC(Finding) findings;
    char *json;
};

/* The runtime whose call is running; ow and Python calls are single-threaded. NULL before rt_open. */
Rt *rt_current(void);
void rt_make_current(Rt *rt);
/* Fills rt->error and returns -1. rt may be NULL (text of rt_error(NULL)). */
int rt_fail(Rt *rt, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Where foreign code is now, for whoever watches the trail. */
void rt_trail(Rt *rt, const char *file, const char *api);

/* report.c: arguments follow the row's texts. */
void rt_finding(Rt *rt, RtFindingId id, ...);

/* numbers.c */
int32_t rt_ge_of_dtype(int32_t dtype);  /* ge::DataType */
int32_t rt_dtype_of_ge(int32_t ge);     /* -1 when not modelled */
const char *rt_ge_name(int32_t ge);     /* "float16", or "DT_..." number when not modelled */

/* opdef.c: after the host library ran its constructors. */
int rt_ops_check(Rt *rt);
const OwhOpDef *rt_op_find(const Rt *rt, const char *type);
void rt_snake_case(const char *type, char *out, size_t n_out);
/* combos.c */
int rt_op_expand(Rt *rt, OwhOpDef *op);

/* platform.c */
const char *chip_soc(const ChipInfo *c); /* "ascend910b", as AddConfig takes it */

/* tensor.c */
RtTensor *rt_tensor_new(int32_t dtype, const int64_t *size, int32_t rank, bool on_cpu); /* contents are 0xFF; NULL: rt->error */
RtTensor *rt_tensor_owner(RtTensor *t);
const char *rt_shape_text(char out[160], const int64_t *size, size_t rank);
static inline size_t rt_tensor_bytes(const RtTensor *t) {
    return (size_t)owh_tensor_numel(t) * dtype_info((DType)t->dtype)->size_bytes;
}
static inline void *rt_tensor_data(const RtTensor *t) {
    return (char *)t->storage + t->offset * (int64_t)dtype_info((DType)t->dtype)->size_bytes;
}

/* ---- one EXEC_NPU_CMD (exec.c, tiling.c, launch.c) */
typedef struct Operand {
    const OwhParamDef *def;
    size_t param;         /* among the declared inputs and outputs, inputs first */
    struct Operand *item; /* DYNAMIC: the tensors of the list; else the operand itself, once */
    size_t n_items;
    RtTensor *t;   /* NULL: absent optional. Borrowed, unless it equals temp */
    RtTensor *temp; /* contiguous copy or host value made for this call; owned */
    bool any_dtype; /* absent or converted to the column's type */
    bool is_scalar; /* aclScalar: scalar_f/i hold the value until the column is known */
    double scalar_f;
    int64_t scalar_i;
    bool scalar_int;
} Operand;
/* Operands with the items of lists in their place. */
typedef struct Operands {
    Operand **at;
    size_t n;
} Operands;
typedef struct ExecCall {
    Rt *rt;
    const OwhOpDef *op;
    Arena *arena; /* of this call */
    Operand *in, *out; /* as declared */
    Operands all_in, all_out;
    OwhAttr *attrs;
    size_t combo;
    OwhTilingContext tiling;
    void *tiling_buffer;
} ExecCall;
int exec_infer(ExecCall *c);
int exec_tiling(ExecCall *c);
int exec_launch(ExecCall *c);
/* The context's description of the call, shared by tiling and inference. */
void exec_fill_node(ExecCall *c, OwhNode *node);
const char *exec_operands_text(ExecCall *c);
static inline bool exec_is_list(const Operand *o) { return o->def->option == OWH_DYNAMIC; }

#endif
