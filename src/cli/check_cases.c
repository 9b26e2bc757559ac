/* --shape and --dtype: cases of other sizes than the reference file's own. */
#include "cli/check_int.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DIM_MAX 1000000000LL

const char *check_op_name(Arena *a, const char *path) {
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    static const char *const ENDS[] = {".ascendc.py", ".py"};
    size_t n = strlen(name);
    for (size_t i = 0; i < sizeof ENDS / sizeof ENDS[0]; i++) {
        size_t k = strlen(ENDS[i]);
        if (n > k && !strcmp(name + n - k, ENDS[i])) return arena_strndup(a, name, n - k);
    }
    return arena_strdup(a, name);
}

/* "33x100" up to a comma or the end as [33, 100]; `scalar` is a tensor without dimensions. NULL when it is no shape. */
static json_t *parse_shape(const char **text) {
    json_t *dims = json_array();
    const char *p = *text;
    if (!strncmp(p, "scalar", 6)) {
        *text = p + 6;
        return dims;
    }
    for (;; p++) {
        char *end;
        errno = 0;
        long long d = isdigit((unsigned char)*p) ? strtoll(p, &end, 10) : -1;
        if (d < 0 || d > DIM_MAX || errno) {
            json_decref(dims);
            return NULL;
        }
        json_array_append_new(dims, json_integer(d));
        p = end;
        if (*p != 'x') break;
    }
    *text = p;
    return dims;
}

/* The `inputs` of a sized case (docs/bridge.md). */
static json_t *parse_shapes(const char *text, Err *err) {
    json_t *inputs = json_array();
    const char *p = text;
    for (;; p++) {
        json_t *dims = parse_shape(&p);
        if (!dims || (*p && *p != ',')) {
            json_decref(dims);
            json_decref(inputs);
            err_set(err, ERR_USAGE, NULL, "--shape takes sizes such as 33x100,100, not `%s`", text);
            err_hint(err, "one shape for each tensor of forward, in order, dimensions with x between; `scalar` for none");
            return NULL;
        }
        json_array_append_new(inputs, json_pack("{s:o}", "shape", dims));
        if (!*p) return inputs;
    }
}

/* The dtype of the reference's first floating input; float32 when it has none. */
static const char *own_dtype(Arena *a, Bridge *b, const char *reference, Err *err) {
    char *real = realpath(reference, NULL);
    json_t *params = json_pack("{s:s}", "path", real ? real : reference);
    free(real);
    BridgeReply reply = {0};
    const char *found = NULL;
    bool ok = params && bridge_call(b, a, "load_reference", params, NULL, &reply, err);
    json_decref(params);
    const json_t *inputs = ok ? json_object_get(reply.result, "inputs") : NULL;
    for (size_t i = 0; !found && i < json_array_size(inputs); i++) {
        const char *dtype = json_string_value(json_object_get(json_array_get(inputs, i), "dtype"));
        if (dtype && strstr(dtype, "float")) found = arena_strdup(a, dtype);
    }
    bridge_reply_clear(&reply);
    return ok && !found ? "float32" : found;
}

bool check_cases(Arena *a, Bridge *b, const char *const *shapes, size_t n, const char *dtype, VerifyOptions *o, Err *err) {
    if (n == 0) return true;
    if (!dtype && !(dtype = own_dtype(a, b, o->reference_path, err))) return false;
    VerifyCase *cases = ARENA_ARRAY(a, n, VerifyCase);
    o->cases = cases;
    for (size_t i = 0; i < n; i++) {
        json_t *inputs = parse_shapes(shapes[i], err);
        if (!inputs) return false;
        cases[i].label = arena_printf(a, "%s %s", dtype, shapes[i]);
        cases[i].spec = json_pack("{s:s, s:s, s:o, s:s}", "kind", "sized", "variant", dtype, "inputs", inputs, "layout", "contiguous");
        o->n_cases = i + 1;
    }
    return true;
}
