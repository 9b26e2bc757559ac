/* Bytes as a formula with its declarations: leading lines `i|`, `s|`, `d|`, `o|` declare, the rest is the
 * formula. Whatever is accepted is printed too. */
#include "cli/formula.c"
#include "cli/formula_check.c"
#include "cli/formula_decl.c"
#include "cli/formula_print.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n_bytes) {
    Arena *a = arena_new();
    Err err = {0};
    FormulaDecls d = {.arena = a};
    bool ok = formula_declare_input(&d, "x:float16[M,N]", &err) &&
              formula_declare_input(&d, "y:int32[N]", &err) &&
              formula_declare_scalar(&d, "alpha:float=0.5", &err);
    char *text = arena_strndup(a, (const char *)data, n_bytes);
    while (ok && text[0] && text[1] == '|') {
        char *spec = text + 2, *end = strchr(spec, '\n');
        if (end) *end = '\0';
        switch (text[0]) {
        case 'i':
            ok = formula_declare_input(&d, spec, &err);
            break;
        case 's':
            ok = formula_declare_scalar(&d, spec, &err);
            break;
        case 'd':
            ok = formula_declare_dim(&d, spec, &err);
            break;
        default:
            ok = formula_declare_outputs(&d, spec, &err);
        }
        text = end ? end + 1 : spec + strlen(spec);
    }
    Formula *f = ok ? formula_parse(a, text, &err) : NULL;
    if (f && formula_check(a, f, &d, &err) && formula_settle_dims(&d, &err)) {
        formula_print_reference(a, f, &d);
        formula_suggest_name(a, f);
    }
    arena_free(a);
    return 0;
}
