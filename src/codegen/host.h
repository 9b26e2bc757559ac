/* Between the files that write host sources. */
#ifndef OPWRIGHT_CODEGEN_HOST_H
#define OPWRIGHT_CODEGEN_HOST_H

#include "codegen/gen.h"

/* "const int64_t s0 = x.size(0);" for every symbol that `needs` names; fmt has %s for the input's index or
 * name and %u for the dimension. */
typedef struct HostSizes {
    bool *symbol; /* which symbols are in use */
} HostSizes;
HostSizes host_sizes_new(Gen *gen);
void host_use_size(Gen *gen, HostSizes *hs, const Size *s);
void host_use_shape(Gen *gen, HostSizes *hs, const GraphShape *shape);

/* "{s0, s1}" */
const char *host_shape_list(Gen *gen, const GraphShape *shape);
bool host_same_dtypes(const Gen *gen, const GraphValue *x, const GraphValue *y);
bool host_dtype_varies(const Gen *gen, const GraphValue *v);
/* The first input whose dtype tells the variants apart; SIZE_MAX when there is one variant. */
size_t host_key_input(const Gen *gen);

#endif
