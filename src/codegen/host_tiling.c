/* host_tiling_src: the tiling data class. */
#include "codegen/host.h"

const char *gen_host_tiling(Gen *gen) {
    Cxx cx;
    cxx_init(&cx, gen->a);
    cxx_line(&cx, "#include \"register/tilingdata_base.h\"");
    cxx_blank(&cx);
    cxx_line(&cx, "namespace optiling {");
    cxx_line(&cx, "BEGIN_TILING_DATA_DEF(%s)", gen->tiling_type);
    for (size_t i = 0; i < gen->fields.n; i++)
        cxx_line(&cx, "TILING_DATA_FIELD_DEF(%s, %s); // where it begins in workspace: %s",
                 gen->fields.at[i].type, gen->fields.at[i].name, gen->fields.at[i].what);
    for (int wide = 1; wide >= 0; wide--) /* 8-byte fields of all passes first */
        for (size_t i = 0; i < gen->n_passes; i++)
            for (size_t k = 0; k < gen->pass[i].fields.n; k++) {
                const GenField *f = &gen->pass[i].fields.at[k];
                if ((f->type[0] == 'u' && f->type[4] == '6') == (wide == 1))
                    cxx_line(&cx, "TILING_DATA_FIELD_DEF(%s, %s); // %s", f->type, f->name, f->what);
            }
    cxx_line(&cx, "END_TILING_DATA_DEF;");
    cxx_blank(&cx);
    cxx_line(&cx, "REGISTER_TILING_DATA_CLASS(%s, %s)", gen->op_type, gen->tiling_type);
    cxx_line(&cx, "} // namespace optiling");
    return cx.sb.text;
}
