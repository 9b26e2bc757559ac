/* design.md: what a reviewer needs to follow the operator without running it. */
#include "codegen/host_tile.h"

#include "codegen/kernel.h"
#include "isa/isa.h"

#include <inttypes.h>
#include <string.h>

const char *gen_design_md(Gen *gen) {
    StrBuf sb;
    strbuf_init(&sb, gen->a);
    strbuf_printf(&sb, "# %s\n", gen->name);
    return sb.text;
}
