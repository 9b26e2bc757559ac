/* Checks requests by the table of their fields. */
#include "server/request.h"

#include "isa/isa.h"
#include "verify/verify.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

typedef enum { NEEDED, TEXT, SOURCE } FieldKind;

static const struct {
    const char *name;
    FieldKind kind;
    size_t max_bytes, offset;
} FIELDS[] = {
#define FIELD(name_, kind_, max_bytes_) {#name_, kind_, max_bytes_, offsetof(Request, name_)},
#include "server/request.def"
#undef FIELD
};
#define N_FIELDS (sizeof FIELDS / sizeof FIELDS[0])

static const struct {
    const char *name;
    size_t offset;
} FLAGS[] = {{"no_cache", offsetof(Request, no_cache)}, {"strict", offsetof(Request, strict)}, {"exact", offsetof(Request, exact)}};
#define N_FLAGS (sizeof FLAGS / sizeof FLAGS[0])

static const char *const KINDS[] = {
    [JSON_OBJECT] = "an object", [JSON_ARRAY] = "a list", [JSON_STRING] = "text", [JSON_INTEGER] = "a number",
    [JSON_REAL] = "a number",    [JSON_TRUE] = "true",    [JSON_FALSE] = "false", [JSON_NULL] = "null"};

static const char *kind_of(const json_t *v) {
    return v ? KINDS[json_typeof(v)] : "nothing";
}

/* ---- devices --------------------------------------------------------------------------------- */

const char *request_device_name(Arena *a, const char *text) {
    while (isspace((unsigned char)*text)) text++;
    const char *kind = "npu";
    if (isalpha((unsigned char)*text)) {
        kind = !strncasecmp(text, "npu:", 4) ? "npu" : !strncasecmp(text, "sim:", 4) ? "sim" : NULL;
        text += 4;
        if (!kind) return NULL;
        while (isspace((unsigned char)*text)) text++;
    }
    if (!isdigit((unsigned char)*text)) return NULL;
    char *end;
    unsigned long k = strtoul(text, &end, 10);
    while (isspace((unsigned char)*end)) end++;
    return *end || k > 9999 ? NULL : arena_printf(a, "%s:%lu", kind, k);
}

static int by_name(const void *x, const void *y) {
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

static bool add_device(Arena *a, const char *text, const char *where, const char **list, size_t *n,
                       Err *err) {
    const char *name = request_device_name(a, text);
    if (!name)
        return err_set(err, ERR_BAD_INPUT, where,
                       "`%.40s` is not a device: they are called `sim:0` or `npu:0`", text);
    if (*n == REQUEST_MAX_DEVICES)
        return err_set(err, ERR_BAD_INPUT, where, "more than %d devices", REQUEST_MAX_DEVICES);
    for (size_t i = 0; i < *n; i++)
        if (!strcmp(list[i], name)) return true;
    list[(*n)++] = name;
    return true;
}

/* A list of texts, one text with commas, or null. */
static bool parse_devices(Arena *a, const json_t *v, const char *where, Request *r, Err *err) {
    if (!v || json_is_null(v)) return true;
    const char **list = ARENA_ARRAY(a, REQUEST_MAX_DEVICES, const char *);
    if (json_is_string(v)) {
        char *copy = arena_strdup(a, json_string_value(v)), *rest = copy;
        for (char *part; (part = strsep(&rest, ","));)
            if (part[strspn(part, " \t")] && !add_device(a, part, where, list, &r->n_devices, err))
                return false;
    } else if (json_is_array(v)) {
        for (size_t i = 0; i < json_array_size(v); i++) {
            const json_t *d = json_array_get(v, i);
            const char *at = arena_printf(a, "%s[%zu]", where, i);
            if (!json_is_string(d))
                return err_set(err, ERR_BAD_INPUT, at, "must be text, not %s", kind_of(d));
            const char *text = json_string_value(d);
            if (text[strspn(text, " \t")] && !add_device(a, text, at, list, &r->n_devices, err)) return false;
        }
    } else {
        return err_set(err, ERR_BAD_INPUT, where, "must be a list of device names or null, not %s",
                       kind_of(v));
    }
    qsort(list, r->n_devices, sizeof list[0], by_name);
    r->devices = list;
    return true;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static bool parse_text(Arena *a, const json_t *o, size_t i, const char *where, const char **out, Err *err) {
    const json_t *v = json_object_get(o, FIELDS[i].name);
    FieldKind kind = FIELDS[i].kind;
    if (!v && kind == NEEDED) return err_set(err, ERR_BAD_INPUT, where, "is missing");
    if (!v || (json_is_null(v) && kind != NEEDED)) return true;
    if (!json_is_string(v)) return err_set(err, ERR_BAD_INPUT, where, "must be text, not %s", kind_of(v));
    size_t n = json_string_length(v);
    const char *text = json_string_value(v);
    if (n > FIELDS[i].max_bytes)
        return err_set(err, ERR_BAD_INPUT, where, "has %zu bytes; at most %zu are taken", n,
                       FIELDS[i].max_bytes);
    if (n == 0 && kind == SOURCE) return err_set(err, ERR_BAD_INPUT, where, "is empty");
    if (n == 0 && kind == NEEDED) return err_set(err, ERR_BAD_INPUT, where, "is empty");
    if (n == 0) return true;
    for (size_t k = 0; kind != SOURCE && k < n; k++)
        if ((unsigned char)text[k] < 0x20 || text[k] == 0x7f)
            return err_set(err, ERR_BAD_INPUT, where, "has a control character");
    *out = arena_strndup(a, text, n);
    return true;
}

static bool check_values(Arena *a, const char *prefix, Request *r, Err *err) {
    if (!r->language) r->language = "ascendc";
    if (strcmp(r->language, "ascendc") != 0)
        return err_set(err, ERR_BAD_INPUT, arena_printf(a, "%slanguage", prefix),
                       "`%.64s` is not verified here; only `ascendc` is", r->language);
    const struct {
        const char *path, *src, *name;
    } files[] = {{r->reference_path, r->reference_src, "reference"},
                 {r->kernel_code_path, r->kernel_code_src, "kernel_code"}};
    for (size_t i = 0; i < 2; i++)
        if (!files[i].path && !files[i].src)
            return err_set(err, ERR_BAD_INPUT, arena_printf(a, "%s%s_path", prefix, files[i].name),
                           "is missing, and so is %s_src: one of them is needed", files[i].name);
    VerifyStandard ignored;
    Err e = {0};
    if (r->standard && !verify_standard_find(r->standard, &ignored, &e))
        return err_set(err, ERR_BAD_INPUT, arena_printf(a, "%sstandard", prefix), "%s", e.message);
    const char *runs[VERIFY_SCHEDULES_MAX];
    if (r->schedule && !verify_schedules(a, r->schedule, runs, &e))
        return err_set(err, ERR_BAD_INPUT, arena_printf(a, "%sschedule", prefix), "%s", e.message);
    if (r->toolchain && !verify_toolchain_known(r->toolchain))
        return err_set(err, ERR_BAD_INPUT, arena_printf(a, "%stoolchain", prefix), "`%s` is none of a2, a5, none", r->toolchain);
    if (r->chip && !chip_find(r->chip))
        return err_set(err, ERR_BAD_INPUT, arena_printf(a, "%schip", prefix), "`%s` is not known", r->chip);
    return true;
}

static bool parse_item(Arena *a, const json_t *o, const char *prefix, Request *r, Err *err) {
    if (!json_is_object(o)) {
        size_t n = strlen(prefix);
        const char *where = n ? arena_strndup(a, prefix, n - 1) : "body";
        return err_set(err, ERR_BAD_INPUT, where, "must be an object, not %s", kind_of(o));
    }
    for (size_t i = 0; i < N_FIELDS; i++) {
        const char *text = NULL;
        if (!parse_text(a, o, i, arena_printf(a, "%s%s", prefix, FIELDS[i].name), &text, err)) return false;
        memcpy((char *)r + FIELDS[i].offset, &text, sizeof text);
    }
    for (size_t i = 0; i < N_FLAGS; i++) {
        const json_t *flag = json_object_get(o, FLAGS[i].name);
        if (flag && !json_is_boolean(flag) && !json_is_null(flag))
            return err_set(err, ERR_BAD_INPUT, arena_printf(a, "%s%s", prefix, FLAGS[i].name), "must be true or false, not %s", kind_of(flag));
        *(bool *)((char *)r + FLAGS[i].offset) = json_is_true(flag);
    }
    return parse_devices(a, json_object_get(o, "devices"), arena_printf(a, "%sdevices", prefix), r, err) &&
           check_values(a, prefix, r, err);
}

static bool parse_items(Arena *a, const json_t *body, Request **items, size_t *n_items, Err *err) {
    if (!json_is_object(body))
        return err_set(err, ERR_BAD_INPUT, "body", "must be an object, not %s", kind_of(body));
    const json_t *list = json_object_get(body, "items");
    if (!json_is_array(list))
        return err_set(err, ERR_BAD_INPUT, "items", "must be a list, not %s", kind_of(list));
    *n_items = json_array_size(list);
    if (*n_items > REQUEST_MAX_ITEMS)
        return err_set(err, ERR_BAD_INPUT, "items", "has %zu items; at most %d are taken", *n_items,
                       REQUEST_MAX_ITEMS);
    *items = ARENA_ARRAY(a, *n_items, Request);
    for (size_t i = 0; i < *n_items; i++)
        if (!parse_item(a, json_array_get(list, i), arena_printf(a, "items[%zu].", i), &(*items)[i], err))
            return false;
    return true;
}

bool request_parse(Arena *a, const char *body, size_t n_bytes, bool batch, Request **items, size_t *n_items,
                   Err *err) {
    json_error_t e;
    json_t *v = json_loadb(body, n_bytes, JSON_DECODE_ANY, &e);
    if (!v)
        return err_set(err, ERR_BAD_INPUT, "body", "is not JSON: %s (line %d, column %d)", e.text, e.line,
                       e.column);
    bool ok;
    if (batch) {
        ok = parse_items(a, v, items, n_items, err);
    } else {
        *items = ARENA_NEW(a, Request);
        *n_items = 1;
        ok = parse_item(a, v, "", *items, err);
    }
    json_decref(v);
    return ok;
}

json_t *request_json(const Request *r) {
    json_t *o = json_object(), *devices = json_array();
    for (size_t i = 0; i < N_FIELDS; i++) {
        const char *text;
        memcpy(&text, (const char *)r + FIELDS[i].offset, sizeof text);
        if (text) json_object_set_new(o, FIELDS[i].name, json_string(text));
    }
    for (size_t i = 0; i < r->n_devices; i++) json_array_append_new(devices, json_string(r->devices[i]));
    json_object_set_new(o, "devices", devices);
    for (size_t i = 0; i < N_FLAGS; i++) json_object_set_new(o, FLAGS[i].name, json_boolean(*(const bool *)((const char *)r + FLAGS[i].offset)));
    return o;
}
