/* project_json_src: operator name, tensors and dtype combinations. Errors name the line inside the section.
 */
#include "desc/desc_int.h"

#include "base/names.h"

#include <ctype.h>
#include <string.h>

typedef struct Reader {
    Arena *arena;
    const char *text;
    bool in_list;       /* the object stands in a list of one */
    const char *source; /* "project_json_src" */
} Reader;

/* "project_json_src:LINE" of a path below the operator object; a NULL key that is not first ends the path. */
static const char *where(const Reader *r, const char *key, size_t index, const char *field) {
    JsonStep path[4];
    size_t n = 0;
    if (r->in_list) path[n++] = (JsonStep){.index = 0};
    if (key) path[n++] = (JsonStep){.key = key};
    if (key && field) {
        path[n++] = (JsonStep){.index = index};
        if (*field) path[n++] = (JsonStep){.key = field};
    }
    return arena_printf(r->arena, "%s:%d", r->source, json_locate(r->text, path, n));
}

static bool is_identifier(const char *s) {
    if (!isalpha((unsigned char)*s) && *s != '_') return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '_') return false;
    return true;
}

static bool unknown_type(const Reader *r, const char *key, size_t i, const char *name, Err *err) {
    char known[256] = "";
    for (int t = 0; t < DTYPE_COUNT; t++) {
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", t ? ", " : "", dtype_info((DType)t)->msop);
    }
    err_set(err, ERR_BAD_INPUT, where(r, key, i, "type"), "unknown type `%s`", name);
    return err_hint(err, "known types: %s", known);
}

/* A list of names, or one name; *n gets its length. */
static const char **name_list(const Reader *r, const json_t *tensor, const char *key, size_t i,
                              const char *field, size_t *n, Err *err) {
    const json_t *v = json_object_get(tensor, field);
    size_t len = json_is_array(v) ? json_array_size(v) : json_is_string(v) ? 1 : 0;
    const char **names = ARENA_ARRAY(r->arena, len, const char *);
    for (size_t k = 0; k < len; k++) {
        const json_t *item = json_is_array(v) ? json_array_get(v, k) : v;
        if (!json_is_string(item)) len = 0;
        else names[k] = arena_strdup(r->arena, json_string_value(item));
    }
    *n = len;
    if (len > 0) return names;
    err_set(err, ERR_BAD_INPUT, where(r, key, i, v ? field : ""), "`%s` must be a list of names, like %s",
            field, strcmp(field, "type") ? "[\"ND\"]" : "[\"float\"]");
    return NULL;
}

static bool read_types(const Reader *r, const json_t *tensor, const char *key, size_t i, DescTensor *out,
                       size_t *n_combos, Err *err) {
    size_t n, n_formats;
    const char **names = name_list(r, tensor, key, i, "type", &n, err);
    if (!names) return false;
    DType *types = ARENA_ARRAY(r->arena, n, DType);
    for (size_t k = 0; k < n; k++)
        if (!dtype_find(names[k], &types[k])) return unknown_type(r, key, i, names[k], err);
    out->types = types;
    out->formats = name_list(r, tensor, key, i, "format", &n_formats, err);
    if (!out->formats) return false;
    if (*n_combos == 0) *n_combos = n;
    /* HW: OpParamDef::DataType: all type and format lists of all parameters have one length; entry i of each
     * together is combination i. */
    const char *field = n != *n_combos ? "type" : n_formats != *n_combos ? "format" : NULL;
    if (!field) return true;
    err_set(err, ERR_BAD_INPUT, where(r, key, i, field),
            "`%s` of `%s` has %zu entries, the first tensor's `type` has %zu", field, out->name,
            field[0] == 't' ? n : n_formats, *n_combos);
    return err_hint(err, "entry i of every `type` and `format` list together is combination i: give all "
                         "lists the same length");
}

static bool read_tensor(const Reader *r, const json_t *tensor, const char *key, size_t i, DescTensor *out,
                        size_t *n_combos, Err *err) {
    static const char *const PARAM_TYPES[] = {"required", "optional", "dynamic"};
    if (!json_is_object(tensor))
        return err_set(err, ERR_BAD_INPUT, where(r, key, i, ""), "%s[%zu] must be an object", key, i);
    const char *name = json_string_value(json_object_get(tensor, "name"));
    if (!name || !is_identifier(name))
        return err_set(err, ERR_BAD_INPUT, where(r, key, i, name ? "name" : ""),
                       "%s[%zu] needs a `name` that is an identifier", key, i);
    out->name = arena_strdup(r->arena, name);
    const json_t *param = json_object_get(tensor, "param_type");
    const char *text = param ? json_string_value(param) : "required";
    for (size_t k = 0; text && k < 3; k++)
        if (!strcmp(text, PARAM_TYPES[k])) out->param_type = PARAM_TYPES[k];
    if (!out->param_type)
        return err_set(err, ERR_BAD_INPUT, where(r, key, i, "param_type"),
                       "`param_type` of `%s` must be required, optional or dynamic", name);
    return read_types(r, tensor, key, i, out, n_combos, err);
}

static bool read_tensors(const Reader *r, const json_t *op, const char *key, DescTensor **out, size_t *n,
                         size_t *n_combos, Err *err) {
    const json_t *list = json_object_get(op, key);
    if (!list) return true;
    if (!json_is_array(list))
        return err_set(err, ERR_BAD_INPUT, where(r, key, 0, NULL), "`%s` must be a list of tensors", key);
    *n = json_array_size(list);
    *out = ARENA_ARRAY(r->arena, *n, DescTensor);
    for (size_t i = 0; i < *n; i++) {
        if (!read_tensor(r, json_array_get(list, i), key, i, &(*out)[i], n_combos, err)) return false;
        for (size_t k = 0; k < i; k++)
            if (!strcmp((*out)[k].name, (*out)[i].name))
                return err_set(err, ERR_BAD_INPUT, where(r, key, i, "name"), "%s names `%s` twice", key,
                               (*out)[i].name);
    }
    return true;
}

static bool read_op_name(const Reader *r, const json_t *op, Desc *d, Err *err) {
    const char *name = json_string_value(json_object_get(op, "op"));
    if (!name) {
        err_set(err, ERR_BAD_INPUT, where(r, "op", 0, NULL), "`op` is missing or no string");
        return err_hint(err, "name the operator, like \"op\": \"AddCustom\"");
    }
    if (!is_identifier(name) || !isupper((unsigned char)*name)) {
        err_set(err, ERR_BAD_INPUT, where(r, "op", 0, NULL), "`op` is `%s`, not a type name", name);
        return err_hint(
            err, "an operator type starts with a capital and has letters and digits only, like AddCustom");
    }
    d->op = arena_strdup(r->arena, name);
    d->kernel_name = names_snake_case(r->arena, name);
    return true;
}

static bool read_op(const Reader *r, const json_t *op, Desc *d, Err *err) {
    if (!read_op_name(r, op, d, err)) return false;
    const json_t *language = json_object_get(op, "language");
    if (language && (!json_is_string(language) || strcmp(json_string_value(language), "cpp") != 0))
        return err_set(err, ERR_BAD_INPUT, where(r, "language", 0, NULL), "`language` must be cpp");
    const json_t *attr = json_object_get(op, "attr");
    if (attr && !json_is_array(attr))
        return err_set(err, ERR_BAD_INPUT, where(r, "attr", 0, NULL), "`attr` must be a list");
    if (!read_tensors(r, op, "input_desc", &d->inputs, &d->n_inputs, &d->n_combos, err)) return false;
    if (!read_tensors(r, op, "output_desc", &d->outputs, &d->n_outputs, &d->n_combos, err)) return false;
    if (d->n_outputs == 0)
        return err_set(err, ERR_BAD_INPUT, where(r, "output_desc", 0, NULL), "`output_desc` names no output");
    return true;
}

bool project_json_parse(Arena *a, Desc *d, Err *err) {
    const char *source = DESC_SOURCE_NAMES[DESC_PROJECT_JSON];
    Reader r = {.arena = a, .text = d->source[DESC_PROJECT_JSON], .source = source};
    json_error_t je;
    json_t *root = json_loads(r.text, JSON_REJECT_DUPLICATES, &je);
    if (!root) {
        int line = je.line > 0 ? je.line : 1;
        return err_set(err, ERR_BAD_INPUT, arena_printf(a, "%s:%d", source, line),
                       "not JSON: %s (line %d, column %d)", je.text, line, je.column > 0 ? je.column : 1);
    }
    bool ok = false;
    const json_t *op = root;
    r.in_list = json_is_array(root);
    if (r.in_list) op = json_array_get(root, 0);
    if (r.in_list && json_array_size(root) != 1)
        err_set(err, ERR_BAD_INPUT, where(&r, NULL, 0, NULL),
                "%s lists %zu operators, a description holds one", source, json_array_size(root));
    else if (!json_is_object(op))
        err_set(err, ERR_BAD_INPUT, where(&r, NULL, 0, NULL), "%s must be an object, or a list of one object",
                source);
    else ok = read_op(&r, op, d, err);
    json_decref(root);
    return ok;
}
