/* Element types of accesses over the variants that one kernel text serves. */
#include "codegen/gen.h"

#include <ctype.h>
#include <string.h>

const char *gen_upper(Arena *a, const char *s) {
    char *out = arena_strdup(a, s);
    for (char *p = out; *p; p++) *p = (char)toupper((unsigned char)*p);
    return out;
}

bool gen_is_bool(const PlanAccess *acc) {
    return acc->dtype[0] == DTYPE_BOOL;
}
bool gen_is_converted_int(const PlanAccess *acc) {
    return plan_is_converted_int(acc->dtype[0]);
}
bool gen_is_float(const PlanAccess *acc) {
    return dtype_info(acc->dtype[0])->cls == DTYPE_CLASS_F;
}

const char *gen_io_type(const Gen *gen, const PlanAccess *acc) {
    if (gen_is_bool(acc)) return "uint8_t";
    if (acc->dtype[0] == DTYPE_U16) return "int16_t"; /* instructions take signed ones */
    if (acc->dtype[0] == DTYPE_U32) return "int32_t";
    if (acc->dtype[0] == DTYPE_U64) return "int64_t";
    if (acc->is_temp) return dtype_info(acc->dtype[0])->cxx;
    return arena_printf(gen->a, "DTYPE_%s", gen_upper(gen->a, acc->tensor_name));
}

bool gen_is_always_wide(const Gen *gen, const PlanAccess *acc) {
    for (size_t v = 0; v < gen->plan->variants.n; v++)
        if (!plan_is_wide(acc->dtype[v])) return false;
    return true;
}

bool gen_is_ever_wide(const Gen *gen, const PlanAccess *acc) {
    for (size_t v = 0; v < gen->plan->variants.n; v++)
        if (plan_is_wide(acc->dtype[v])) return true;
    return false;
}

DType gen_value_dtype(const Gen *gen, const GraphValue *v, size_t variant) {
    return v->dtype[gen->plan->variants.at[variant]];
}
