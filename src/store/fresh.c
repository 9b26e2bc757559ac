/* Shapes come from load_reference, and `admit` says which changes of them the reference takes. */
#include "store/fresh.h"

#include <stdlib.h>
#include <string.h>

#define SIZES_MAX   16 /* different sizes that are told apart */
#define CASES_MAX   4
#define ELEMENT_MAX (4 << 20) /* of one tensor */

typedef struct Shapes {
    const json_t *inputs; /* of load_reference */
    const char *dtype;    /* of the first floating input, float32 without one */
    json_int_t size[SIZES_MAX];
    size_t n_sizes;
} Shapes;

static size_t size_index(const Shapes *s, json_int_t size) {
    size_t i = 0;
    while (i < s->n_sizes && s->size[i] != size) i++;
    return i;
}

static void take_shapes(Arena *a, Shapes *s, const json_t *inputs) {
    *s = (Shapes){.inputs = inputs};
    for (size_t i = 0; i < json_array_size(inputs); i++) {
        const json_t *input = json_array_get(inputs, i), *shape = json_object_get(input, "shape");
        const char *dtype = json_string_value(json_object_get(input, "dtype"));
        if (dtype && !s->dtype && strstr(dtype, "float")) s->dtype = arena_strdup(a, dtype);
        for (size_t k = 0; k < json_array_size(shape); k++) {
            json_int_t size = json_integer_value(json_array_get(shape, k));
            if (size > 1 && s->n_sizes < SIZES_MAX && size_index(s, size) == s->n_sizes)
                s->size[s->n_sizes++] = size;
        }
    }
    if (!s->dtype) s->dtype = "float32";
}

/* The case in which each size has become the one in `to`; NULL when a tensor would be too large. */
static json_t *make_case(const Shapes *s, const json_int_t *to) {
    json_t *inputs = json_array();
    bool fits = true;
    for (size_t i = 0; i < json_array_size(s->inputs); i++) {
        const json_t *shape = json_object_get(json_array_get(s->inputs, i), "shape");
        if (!shape) continue;
        json_t *dims = json_array();
        json_int_t n = 1;
        for (size_t k = 0; k < json_array_size(shape); k++) {
            json_int_t size = json_integer_value(json_array_get(shape, k));
            size_t at = size_index(s, size);
            if (size > 1 && at < s->n_sizes) size = to[at];
            json_array_append_new(dims, json_integer(size));
            n = size > 0 && n > ELEMENT_MAX / size ? ELEMENT_MAX + 1 : n * size;
        }
        fits = fits && n <= ELEMENT_MAX;
        json_array_append_new(inputs, json_pack("{s:o}", "shape", dims));
    }
    json_t *o = fits ? json_pack("{s:s, s:s, s:O, s:s}", "kind", "sized", "variant", s->dtype, "inputs",
                                 inputs, "layout", "contiguous")
                     : NULL;
    json_decref(inputs);
    return o;
}

/* How sizes change: all of them to small primes, all by one, and each alone, for references that tie some to
 * parameters. */
static json_t *propose(const Shapes *s) {
    static const json_int_t PRIMES[SIZES_MAX] = {7, 13, 5, 11, 3, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59};
    json_t *cases = json_array();
    json_int_t to[SIZES_MAX];
    for (size_t i = 0; i < s->n_sizes; i++) to[i] = s->size[i] + 1;
    json_t *one = make_case(s, to);
    if (one) json_array_append_new(cases, one);
    for (size_t i = 0; i < s->n_sizes; i++) to[i] = PRIMES[i] == s->size[i] ? PRIMES[i] + 2 : PRIMES[i];
    json_array_append_new(cases, make_case(s, to));
    for (size_t i = 0; i < s->n_sizes; i++) {
        memcpy(to, s->size, sizeof to);
        to[i] = s->size[i] > 8 ? s->size[i] / 2 + 1 : s->size[i] * 2 + 1;
        if (s->n_sizes > 1 && (one = make_case(s, to))) json_array_append_new(cases, one);
    }
    return cases;
}

static const char *label_of(Arena *a, const json_t *spec) {
    char *shapes = json_dumps(json_object_get(spec, "inputs"), JSON_COMPACT);
    char *label = arena_strdup(a, "");
    for (const char *c = shapes; c && *c; c++)
        if (strchr("0123456789,[]", *c)) label = arena_printf(a, "%s%c", label, *c);
    free(shapes);
    return arena_printf(a, "fresh %s", label);
}

static bool admit(Arena *a, Bridge *b, const char *reference, json_t *specs, FreshCases *out, Err *err) {
    json_t *params = json_pack("{s:s, s:O}", "path", reference, "cases", specs);
    BridgeReply reply = {0};
    bool ok = params && bridge_call(b, a, "admit", params, NULL, &reply, err);
    const json_t *refusals = ok ? json_object_get(reply.result, "refusals") : NULL;
    bool any = false; /* admit answers without refusals for a reference that cannot be tried without data */
    for (size_t i = 0; i < json_array_size(refusals); i++)
        any = any || json_is_string(json_array_get(refusals, i));
    size_t n_max = any || json_array_size(specs) <= 2 ? CASES_MAX : 2;
    for (size_t i = 0; ok && i < json_array_size(specs) && out->n < n_max; i++) {
        if (json_is_string(json_array_get(refusals, i))) continue;
        json_t *spec = json_incref(json_array_get(specs, i));
        out->at[out->n++] = (VerifyCase){.label = label_of(a, spec), .spec = spec};
    }
    json_decref(params);
    bridge_reply_clear(&reply);
    return ok;
}

bool fresh_cases(Arena *a, Bridge *b, const char *reference_path, FreshCases *out, Err *err) {
    *out = (FreshCases){.at = ARENA_ARRAY(a, CASES_MAX, VerifyCase)};
    json_t *params = json_pack("{s:s}", "path", reference_path);
    if (!params) return err_set(err, ERR_BAD_INPUT, NULL, "the reference's path is not UTF-8");
    BridgeReply reply = {0};
    bool ok = bridge_call(b, a, "load_reference", params, NULL, &reply, err);
    Shapes s = {0};
    if (ok) take_shapes(a, &s, json_object_get(reply.result, "inputs"));
    json_t *specs = ok && s.n_sizes ? propose(&s) : NULL;
    if (specs) ok = admit(a, b, reference_path, specs, out, err);
    json_decref(specs);
    json_decref(params);
    bridge_reply_clear(&reply);
    return ok;
}

void fresh_cases_clear(FreshCases *cases) {
    for (size_t i = 0; i < cases->n; i++) json_decref(cases->at[i].spec);
    cases->n = 0;
}
