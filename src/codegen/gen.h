/* Between the files of codegen: what the sections of one description share. */
#ifndef OPWRIGHT_CODEGEN_GEN_H
#define OPWRIGHT_CODEGEN_GEN_H

#include "codegen/codegen.h"
#include "codegen/cxx.h"

/* A field of tiling data: set by the host, a member `<name>_` of the kernel class. */
typedef struct GenField {
    const char *name;  /* with the pass's suffix: "rows", "rows2" */
    const char *type;  /* uint64_t, uint32_t, float, int32_t */
    const char *value; /* C++ expression of the host; NULL: set by the tile formula */
    const char *what;  /* for people */
    const Size *size;  /* when it is a size expression */
} GenField;

typedef struct GenPass {
    const PlanPass *p;
    const struct Emit *emit; /* what writes the text of its family */
    uint32_t index;
    const char *suffix; /* "" for the first pass, "2", "3" ... */
    const char *cls;    /* "KernelBiasGelu" */
    VEC(GenField) fields;
} GenPass;

typedef struct Gen {
    Arena *a;
    const Graph *g;
    const Plan *plan;
    const char *chip, *name; /* "Ascend910B4", "bias_gelu" */
    const char **symbols;    /* C++ names of the symbols: locals of host code */
    const char *op_type, *snake, *tiling_type;
    bool explain;
    GenPass *pass;
    size_t n_passes;
    VEC(GenField) fields; /* that belong to no pass: where temps and scratch begin in workspace */
} Gen;

/* fields.c */
/* Of a pass of the pointwise family. */
void gen_make_fields(Gen *gen, GenPass *gp);
void gen_add_operand_fields(Gen *gen, GenPass *gp); /* those of accesses and scalars; sorts all */
/* Adds a field, a size unless some field holds it already, a size that always has its field; names get the pass's suffix.
 * gen_add_scalars: attributes and sizes that instructions take; gen_sort_fields: 8-byte fields first. */
void gen_add_field(Gen *gen, GenPass *gp, const char *type, const char *name, const char *value, const Size *size,
                   const char *what);
void gen_add_size(Gen *gen, GenPass *gp, const char *name, const Size *s, const char *what);
void gen_add_dim(Gen *gen, GenPass *gp, const char *name, const Size *s, const char *what);
void gen_add_access_sizes(Gen *gen, GenPass *gp, const PlanAccess *acc);
void gen_add_scalars(Gen *gen, GenPass *gp);
void gen_sort_fields(Gen *gen, GenPass *gp);
/* C++ text of a size inside the kernel: a literal or a member; sign and magnitude apart ("-" in *minus). */
const char *gen_kernel_size(const Gen *gen, const GenPass *gp, const Size *s, bool *minus);
/* Name of the member for scalar i taken as float or int32_t, e.g. "alpha_". */
const char *gen_scalar_member(const Gen *gen, const PlanPass *p, uint32_t i, bool as_float);
/* C++ text of a number of type float or int32_t. */
const char *gen_literal(Arena *a, double v, bool is_float);

/* types.c */
/* The device type of an access's tensor: "DTYPE_X", or "uint8_t" for bool. */
const char *gen_io_type(const Gen *gen, const PlanAccess *acc);
/* How wide the access's elements are over the plan's variants. */
bool gen_is_always_wide(const Gen *gen, const PlanAccess *acc);
bool gen_is_ever_wide(const Gen *gen, const PlanAccess *acc);
bool gen_is_float(const PlanAccess *acc);
bool gen_is_converted_int(const PlanAccess *acc); /* computed as int32, but of another type in memory */
bool gen_is_bool(const PlanAccess *acc);
const char *gen_upper(Arena *a, const char *s);
/* Dtypes of a graph value over the plan's variants. */
DType gen_value_dtype(const Gen *gen, const GraphValue *v, size_t variant);

/* sections */
const char *gen_project_json(Gen *gen);
const char *gen_host_tiling(Gen *gen);
const char *gen_host_operator(Gen *gen);
const char *gen_kernel(Gen *gen);
const char *gen_python_bind(Gen *gen);
const char *gen_model(Gen *gen);
const char *gen_spec_json(Gen *gen);
const char *gen_design_md(Gen *gen);

/* kernel_*.c */
void gen_kernel_class(Gen *gen, const GenPass *gp, Cxx *cx);
/* The class of a pass up to its constructor; public functions come next, cxx_close ends it. */
void gen_open_class(const GenPass *gp, Cxx *cx);
void gen_kernel_copy(Gen *gen, const GenPass *gp, Cxx *cx);
void gen_kernel_compute(Gen *gen, const GenPass *gp, Cxx *cx);

/* The AscendC call of a step, or "load x (row)". */
const char *gen_step_text(Gen *gen, const GenPass *gp, size_t program, const PlanStep *st);

/* formula.c */
/* The user's expression in words, by substituting operands into the recipes' texts: "y = x * sigmoid(x)". */
const char *gen_formula_text(Gen *gen, size_t output);
const char *gen_formula_latex(Gen *gen, size_t output);
/* "activation", "math", "broadcast", "comparison", "layout": from the structure, not from the name. */
const char *gen_category(const Gen *gen);

#endif
