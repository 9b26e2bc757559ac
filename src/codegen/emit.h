/* The text of schedule families: each family of lower/families.def has its other half here, EMIT_<id>, which
 * writes the host's tile formula and the kernel class of a pass. docs/lowering.md tells how one is added. */
#ifndef OPWRIGHT_CODEGEN_EMIT_H
#define OPWRIGHT_CODEGEN_EMIT_H

#include "codegen/design.h"
#include "codegen/host_tile.h"
#include "codegen/tile_solve.h"
#include "lower/family.h"

typedef struct Emit {
    /* Tiling data of a pass: GenField rows in gp->fields. */
    void (*fields)(Gen *gen, GenPass *gp);
    /* Does the least tile fit into UB of every chip, for every variant? NULL: it always does. */
    bool (*fits)(Gen *gen, const GenPass *gp, Err *err);
    /* Host: constants (HOST_ bits; NULL: none), own functions (once for all passes of the family; may be NULL), whether
     * the formula asks for `dtype` (NULL: no), the tiles with `wanted<suffix>`, the cores the pass would use, and the
     * shares among `blockDim` cores with the pass's tiling fields (NULL: the fields alone). `cores` and `ubBytes` are there. */
    uint32_t (*host_needs)(Gen *gen, const GenPass *gp);
    void (*host_helpers)(Gen *gen, Cxx *cx);
    bool (*host_uses_dtype)(Gen *gen, const GenPass *gp);
    void (*host_tiles)(Gen *gen, const GenPass *gp, Cxx *cx);
    void (*host_split)(Gen *gen, const GenPass *gp, Cxx *cx);
    /* Workspace the pass needs for itself: a host expression in bytes; NULL: none. The class's Init takes it
     * as GM_ADDR scratch<suffix> after the tensors. */
    const char *(*scratch)(Gen *gen, const GenPass *gp);
    /* Does the class call SyncAll itself? NULL: no. */
    bool (*syncs)(Gen *gen, const GenPass *gp);
    /* Kernel: free functions (KERNEL_ bits of kernel.h; NULL: none), own free functions (once; may be NULL), the class.
     * Its Init takes the tensors of gen_pass_tensors, scratch, tiling data and TPipe. */
    uint32_t (*kernel_needs)(Gen *gen, const GenPass *gp);
    void (*kernel_helpers)(Gen *gen, Cxx *cx);
    void (*kernel_class)(Gen *gen, const GenPass *gp, Cxx *cx);
    /* For classes that gen_kernel_class writes: bytes of the buffers of Family.add_buffers (NULL: not one of them), what
     * Process does first, member functions. NULL: nothing. */
    const char *(*buffer_bytes)(Gen *gen, const GenPass *gp, const char *name);
    void (*prepare)(Gen *gen, const GenPass *gp, Cxx *cx);
    void (*members)(Gen *gen, const GenPass *gp, Cxx *cx);
    /* The pass's part of the design text. */
    void (*design)(Design *d, const GenPass *gp);
} Emit;

const Emit *emit_find(const Family *f);
size_t emit_index(const Emit *e);
const char *emit_scratch(Gen *gen, const GenPass *gp); /* NULL: none */
bool emit_syncs(Gen *gen);                             /* the kernel calls SyncAll somewhere */
bool emit_has_workspace(Gen *gen);
/* Makes gen->fields: temps and scratch. */
void emit_workspace_fields(Gen *gen);

#define FAMILY(id) extern const Emit EMIT_##id;
#include "lower/families.def"
#undef FAMILY

#endif
