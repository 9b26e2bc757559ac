/* Puts one operator together: names, plan, fields, sections. */
#include "codegen/emit.h"

#include "base/names.h"
#include "isa/isa.h"

#include <ctype.h>
#include <string.h>

/* Names that generated code uses for itself: a tensor or number of the user's must not be called so. Compared
 * in camel case, because members are written so. */
static const char *const OWN_NAMES[] = {"tileCount", "rowCount", "colCount", "user", "scratch", "item",
                                        "row",
                                        "rows",
                                        "col",
                                        "cols",
                                        "n",
                                        "count",
                                        "start",
                                        "tile",
                                        "core",
                                        "in",
                                        "out",
                                        "keep",
                                        "scratch",
                                        "stage",
                                        "params",
                                        "pad",
                                        "pitch",
                                        "total",
                                        "begin",
                                        "end",
                                        "units",
                                        "op",
                                        "pipe",
                                        "blocks",
                                        "offsets",
                                        "back",
                                        "first",
                                        "at",
                                        "one",
                                        "size",
                                        "index",
                                        "place",
                                        "sign",
                                        "inside",
                                        "isInside",
                                        "inWindow",
                                        "picked",
                                        "window",
                                        "length",
                                        "group",
                                        "dst",
                                        "src",
                                        "rest",
                                        "context",
                                        "platform",
                                        "cores",
                                        "ubBytes",
                                        "dtype",
                                        "wanted",
                                        "blockDim",
                                        "tiling",
                                        "name",
                                        "m",
                                        "work",
                                        "half",
                                        "keepMask",
                                        "vector",
                                        "columnBlocks",
                                        "columnWide",
                                        "blockOffsets",
                                        "nRows",
                                        "nCols",
                                        "rowBlocks",
                                        "tilesPerCore",
                                        "extraTiles",
                                        "rowsPerTile",
                                        "colsPerTile",
                                        "tileLength",
                                        "unitsPerCore",
                                        "extraUnits",
                                        "loadedCol",
                                        "workspaces",
                                        "share",
                                        "longest",
                                        "nTiles",
                                        "pieces",
                                        "fitting",
                                        "elementBits",
                                        "fixedBytes",
                                        "maxRows",
                                        "tilingData",
                                        "loaded",
                                        "step",
                                        "io",
                                        "slot",
                                        "value",
                                        "bits",
                                        "col0",
                                        "i",
                                        "j",
                                        "k"};

/* t0, m1, h2, r0, i0, s3, size4, outer0, total2: names made with a number. */
static bool is_numbered(const char *name) {
    static const char *const STEMS[] = {"t", "m", "h", "r", "c", "b", "i", "s", "size", "outer"};
    size_t n = strcspn(name, "0123456789");
    if (!name[n] || strspn(name + n, "0123456789") != strlen(name + n)) return false;
    for (size_t i = 0; i < sizeof STEMS / sizeof STEMS[0]; i++)
        if (strlen(STEMS[i]) == n && strncmp(name, STEMS[i], n) == 0) return true;
    return false;
}

static bool ends_with(const char *name, const char *ending) {
    size_t n = strlen(name), k = strlen(ending);
    return n >= k && strcmp(name + n - k, ending) == 0;
}

/* xIn and yOut are tiles as the queues hold them, xGm_ and xQueue_ members. */
static bool is_own_name(Arena *a, const char *name) {
    const char *camel = names_camel(a, name);
    if (is_numbered(name) || ends_with(name, "In") || ends_with(name, "Out") || ends_with(camel, "Gm") ||
        ends_with(camel, "Queue"))
        return true;
    for (size_t i = 0; i < sizeof OWN_NAMES / sizeof OWN_NAMES[0]; i++)
        if (strcmp(OWN_NAMES[i], camel) == 0) return true;
    return false;
}

static bool is_taken(const Graph *g, const char *name) {
    for (size_t i = 0; i < g->n_inputs; i++)
        if (strcmp(g->inputs[i].name, name) == 0) return true;
    for (size_t i = 0; i < g->n_outputs; i++)
        if (strcmp(g->outputs[i].name, name) == 0) return true;
    for (size_t i = 0; i < g->n_scalars; i++)
        if (strcmp(g->scalars[i].name, name) == 0) return true;
    return false;
}

static const char *safe_name(Arena *a, const Graph *g, const char *name, const char *ending) {
    const char *safe = name;
    while (is_own_name(a, safe) || (safe != name && is_taken(g, safe)))
        safe = arena_printf(a, "%s_%s", safe, ending);
    return safe;
}

/* A copy of the graph in which no name collides with ours. */
static const Graph *with_safe_names(Arena *a, const Graph *g) {
    Graph *copy = ARENA_NEW(a, Graph);
    *copy = *g;
    copy->inputs = ARENA_ARRAY(a, g->n_inputs, GraphInput);
    copy->outputs = ARENA_ARRAY(a, g->n_outputs, GraphOutput);
    copy->scalars = ARENA_ARRAY(a, g->n_scalars, GraphScalar);
    for (size_t i = 0; i < g->n_inputs; i++) {
        copy->inputs[i] = g->inputs[i];
        copy->inputs[i].name = safe_name(a, g, g->inputs[i].name, "in");
    }
    for (size_t i = 0; i < g->n_outputs; i++) {
        copy->outputs[i] = g->outputs[i];
        copy->outputs[i].name = safe_name(a, g, g->outputs[i].name, "out");
    }
    for (size_t i = 0; i < g->n_scalars; i++) {
        copy->scalars[i] = g->scalars[i];
        copy->scalars[i].name = safe_name(a, g, g->scalars[i].name, "value");
    }
    return copy;
}

static const char **symbol_names(Arena *a, const Graph *g) {
    const char **out = ARENA_ARRAY(a, g->n_symbols, const char *);
    for (size_t i = 0; i < g->n_symbols; i++) {
        out[i] = g->symbols[i].name;
        while (is_taken(g, out[i])) out[i] = arena_printf(a, "%s_size", out[i]);
    }
    return out;
}

static bool check_ub(Gen *gen, Err *err) {
    for (size_t i = 0; i < gen->n_passes; i++)
        if (gen->pass[i].emit->fits && !gen->pass[i].emit->fits(gen, &gen->pass[i], err)) return false;
    return true;
}

static void make_passes(Gen *gen) {
    gen->n_passes = gen->plan->passes.n;
    gen->pass = ARENA_ARRAY(gen->a, gen->n_passes, GenPass);
    char *stem = arena_strdup(gen->a, gen->op_type);
    size_t n = strlen(stem);
    if (n > 6 && strcmp(stem + n - 6, "Custom") == 0) stem[n - 6] = '\0';
    for (uint32_t i = 0; i < gen->n_passes; i++) {
        GenPass *gp = &gen->pass[i];
        gp->p = gen->plan->passes.at[i];
        gp->emit = emit_find(gp->p->family);
        gp->index = i;
        gp->suffix = i ? arena_printf(gen->a, "%u", i + 1) : "";
        gp->cls = arena_printf(gen->a, "Kernel%s%s", stem, gp->suffix);
        gp->emit->fields(gen, gp);
    }
    emit_workspace_fields(gen);
}

static bool check_inputs(const Graph *g, Err *err) {
    if (g->n_inputs > 0) return true;
    err_set(err, ERR_UNSUPPORTED, g->file, "forward takes no tensor");
    return err_hint(err, "the result of an operator must depend on a tensor; pass at least one");
}

static bool check_name(const char *name, Err *err) {
    size_t n = strlen(name);
    for (size_t i = 0; i < n; i++)
        if (!isalnum((unsigned char)name[i]) && name[i] != '_') n = 0;
    if (n == 0)
        return err_set(err, ERR_USAGE, NULL, "operator name `%s` must consist of letters, digits and `_`",
                       name);
    return true;
}

bool gen_operator(Arena *a, const Graph *g, const GenOptions *o, GenResult *r, Err *err) {
    const char *name = o->op_name ? o->op_name : g->name;
    Gen gen = {.a = a, .chip = o->chip ? o->chip : "Ascend910B4", .name = name, .explain = o->explain};
    if (!check_inputs(g, err) || !check_name(name, err)) return false;
    if (!chip_find(gen.chip)) return err_set(err, ERR_USAGE, NULL, "chip `%s` is not known", gen.chip);
    gen.g = with_safe_names(a, g);
    gen.symbols = symbol_names(a, gen.g);
    if (!(gen.plan = plan_graph(a, gen.g, err))) return false;
    gen.op_type = names_op_type(a, name);
    gen.snake = names_snake_case(a, gen.op_type);
    gen.tiling_type = arena_printf(a, "%sTilingData", gen.op_type);
    make_passes(&gen);
    if (!check_ub(&gen, err)) return false;
    *r = (GenResult){.op_type = gen.op_type, .kernel_name = gen.snake, .plan = gen.plan};
    r->category = gen_category(&gen);
    r->source[GEN_PROJECT_JSON] = gen_project_json(&gen);
    r->source[GEN_HOST_TILING] = gen_host_tiling(&gen);
    r->source[GEN_HOST_OPERATOR] = gen_host_operator(&gen);
    r->source[GEN_KERNEL] = gen_kernel(&gen);
    r->source[GEN_PYTHON_BIND] = gen_python_bind(&gen);
    r->source[GEN_MODEL] = gen_model(&gen);
    r->spec_json = gen_spec_json(&gen);
    r->design_md = gen_design_md(&gen);
    return true;
}

json_t *gen_known_ops(void) {
    json_t *list = json_array();
    for (size_t i = 0; i < pointwise_count(); i++)
        json_array_append_new(list, json_string(pointwise_at(i)->target));
    for (size_t i = 0; i < graph_view_count(); i++)
        json_array_append_new(list, json_string(graph_view_name(i)));
    for (size_t i = 0; i < plan_fill_count(); i++)
        json_array_append_new(list, json_string(plan_fill_name(i)));
    for (size_t i = 0; i < plan_anchor_count(); i++)
        json_array_append_new(list, json_string(plan_anchor_name(i)));
    return list;
}
