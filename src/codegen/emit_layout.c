/* The layout family's text: that of the pointwise family. Each pass fills a box of its outputs. */
#include "codegen/design.h"
#include "codegen/emit.h"
#include "codegen/kernel.h"

const Emit EMIT_layout = {
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
