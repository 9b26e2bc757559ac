/* The index family's text: that of the pointwise family, whose accesses may be steered by index tensors
 * (kernel_index.c). */
#include "codegen/emit.h"

#include "codegen/design.h"
#include "codegen/kernel.h"

const Emit EMIT_index = {
    .fields = gen_make_fields,
    .fits = gen_tile_fits,
    .host_needs = host_tile_needs,
    .host_uses_dtype = host_tile_uses_dtype,
    .host_tiles = host_write_tiles,
    .host_split = host_write_split,
    .kernel_needs = gen_tile_needs,
    .kernel_class = gen_kernel_class,
    .design = design_tile_pass,
};
