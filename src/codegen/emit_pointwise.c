/* The pointwise family's text: host_tile.c, tile_class.c, kernel_*.c and design.c put together. */
#include "codegen/emit.h"

#include "codegen/design.h"
#include "codegen/kernel.h"

/* UB of every known chip must hold a tile of the least size. */
bool gen_tile_fits(Gen *gen, const GenPass *gp, Err *err) {
    for (size_t v = 0; v < gen->plan->variants.n; v++) {
        const PlanPass *p = plan_pass(gen->plan, gp->index, v);
        uint64_t ub = 196608u - 256u - (p->reserved_ub ? HOST_RESERVED_UB : 0),
                 fixed = plan_fixed_bytes(gen->a, p, v);
        uint64_t bits = plan_bits_per_element(gen->a, p, v);
        if (fixed < ub && (ub - fixed) * 8 / bits >= 256) continue;
        err_set(err, ERR_UNSUPPORTED, gen->g->file,
                "the operator needs %llu bits of UB for one element; not even a tile of 256 elements fits",
                (unsigned long long)bits);
        return err_hint(err, "split it into operators with fewer tensors and intermediate results");
    }
    return true;
}

const Emit EMIT_pointwise = {
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
