/* The form of a direct-launch description. */
#include "desc/direct.h"

#include "desc/desc_int.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define SOURCES_MAX 400
#define MODEL_ENTRY "ModelNew.py::ModelNew"
#define MODULE_NAME "benchmark_ops" /* when nothing names it, as the established runner has it */

/* ---- text ------------------------------------------------------------------------------------ */

/* The object within a fence, or the text itself; *n its length. */
static const char *strip_fence(const char *text, size_t *n) {
    while (isspace((unsigned char)*text)) text++;
    *n = strlen(text);
    if (strncmp(text, "```", 3) != 0) return text;
    const char *start = strchr(text, '\n'), *end = start ? strstr(start, "```") : NULL;
    if (!end) return text;
    *n = (size_t)(end - start);
    return start;
}

bool direct_is(const char *text) {
    size_t n;
    const char *object = strip_fence(text, &n);
    while (n > 0 && isspace((unsigned char)*object)) object++, n--;
    if (n == 0 || *object != '{') return false;
    json_t *o = json_loadb(object, n, 0, NULL);
    bool is = json_is_array(json_object_get(o, "sources"));
    json_decref(o);
    return is;
}

/* ---- fields ---------------------------------------------------------------------------------- */

static bool is_file_name(const char *path) {
    if (!*path || *path == '/' || strlen(path) > 1000) return false;
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        if (n > 250 || (n == 2 && p[0] == '.' && p[1] == '.')) return false;
        for (size_t i = 0; i < n; i++)
            if ((unsigned char)p[i] < 0x20 || p[i] == 0x7f) return false;
        p += n + (p[n] == '/');
    }
    return true;
}

/* "./a//b/" as "a/b"; "." as "". */
static const char *plain_path(Arena *a, const char *path) {
    char *out = arena_strdup(a, path), *to = out;
    for (const char *p = path; *p;) {
        size_t n = strcspn(p, "/");
        if (n > 0 && !(n == 1 && *p == '.')) {
            if (to != out) *to++ = '/';
            memmove(to, p, n);
            to += n;
        }
        p += n + (p[n] == '/');
    }
    *to = '\0';
    return out;
}

/* A relative path of the job's folder; NULL and *err for any other value. */
static const char *take_path(Arena *a, const json_t *v, const char *where, Err *err) {
    const char *path = json_string_value(v);
    if (path && is_file_name(path)) return plain_path(a, path);
    err_set(err, ERR_BAD_INPUT, where, path ? "`%.200s` does not name a file below the job's folder" : "must be text", path);
    err_hint(err, "paths are relative, without `..`: \"kernel/add_kernel.cpp\"");
    return NULL;
}

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), k = strlen(end);
    return n >= k && !strcmp(text + n - k, end);
}

static bool is_cxx(const char *path) {
    return ends_with(path, ".cpp") || ends_with(path, ".cc") || ends_with(path, ".cxx") || ends_with(path, ".asc");
}

static DirectSource *find_source(const DirectDesc *d, const char *path) {
    for (size_t i = 0; i < d->n_sources; i++)
        if (!strcmp(d->sources[i].path, path)) return &d->sources[i];
    return NULL;
}

static bool take_sources(Arena *a, DirectDesc *d, const json_t *list, Err *err) {
    size_t n = json_array_size(list);
    if (n == 0 || n > SOURCES_MAX)
        return err_set(err, ERR_BAD_INPUT, "sources", "has %zu files; 1 to %d are taken", n, SOURCES_MAX);
    d->sources = ARENA_ARRAY(a, n, DirectSource);
    for (size_t i = 0; i < n; i++) {
        const json_t *one = json_array_get(list, i), *content = json_object_get(one, "content");
        const char *path = take_path(a, json_object_get(one, "path"), arena_printf(a, "sources[%zu].path", i), err);
        if (!path) return false;
        if (content && !json_is_string(content))
            return err_set(err, ERR_BAD_INPUT, arena_printf(a, "sources[%zu].content", i), "must be text");
        if (!*path || find_source(d, path))
            return err_set(err, ERR_BAD_INPUT, arena_printf(a, "sources[%zu].path", i), "`%s` is there twice, or is no file", path);
        d->sources[d->n_sources++] = (DirectSource){.path = path, .text = content ? arena_strdup(a, json_string_value(content)) : ""};
    }
    return true;
}

/* build.NAME gives files their role; *any is set when it names some. */
static bool take_roles(Arena *a, DirectDesc *d, const json_t *build, const char *name, int role, bool *any, Err *err) {
    const json_t *list = json_object_get(build, name);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *where = arena_printf(a, "build.%s[%zu]", name, i), *path = take_path(a, json_array_get(list, i), where, err);
        DirectSource *s = path ? find_source(d, path) : NULL;
        if (!path) return false;
        if (!s) return err_set(err, ERR_BAD_INPUT, where, "`%s` is not among the sources", path);
        s->role = role == DIRECT_KERNEL ? DIRECT_KERNEL : DIRECT_BINDING;
        *any = true;
    }
    return true;
}

/* Live code with this identifier; *t gets the tokens from it on. */
static bool has_word(Arena *a, const DirectSource *s, const char *word, const CxxToken **t) {
    CxxTokens all = cxx_lex(a, s->text);
    for (size_t i = 0; i < all.n; i++)
        if (all.at[i].kind == CXX_IDENT && cxx_is(&all.at[i], word)) {
            *t = &all.at[i];
            return true;
        }
    return false;
}

static bool infer_roles(Arena *a, DirectDesc *d, bool kernels, bool bindings, Err *err) {
    const CxxToken *ignored;
    for (size_t i = 0; i < d->n_sources; i++) {
        DirectSource *s = &d->sources[i];
        const char *slash = strrchr(s->path, '/');
        if (s->role != DIRECT_OTHER || !is_cxx(s->path)) continue;
        bool binds = !strcmp(slash ? slash + 1 : s->path, "pybind11.cpp") || has_word(a, s, "PYBIND11_MODULE", &ignored);
        if (binds && !bindings) s->role = DIRECT_BINDING;
        else if (!binds && !kernels) s->role = DIRECT_KERNEL;
    }
    size_t n[3] = {0};
    for (size_t i = 0; i < d->n_sources; i++) n[d->sources[i].role]++;
    if (n[DIRECT_BINDING] == 0) {
        err_set(err, ERR_BAD_INPUT, "sources", "none of the C++ files binds functions to Python");
        return err_hint(err, "add a .cpp file with PYBIND11_MODULE, or name it in build.binding_sources");
    }
    if (n[DIRECT_KERNEL] > 0) return true;
    err_set(err, ERR_BAD_INPUT, "sources", "there is no C++ file for the device");
    return err_hint(err, "kernels go into .cpp files of their own, or are named in build.kernel_sources");
}

/* ---- names ----------------------------------------------------------------------------------- */

static bool is_identifier(const char *s) {
    if (!*s || isdigit((unsigned char)*s) || strlen(s) > 200) return false;
    for (; *s; s++)
        if (!isalnum((unsigned char)*s) && *s != '_') return false;
    return true;
}

/* The name of PYBIND11_MODULE(name, m), unless that is the build's own macro. */
static bool infer_module(Arena *a, DirectDesc *d, Err *err) {
    for (size_t i = 0; i < d->n_sources; i++) {
        const CxxToken *t;
        if (d->sources[i].role != DIRECT_BINDING || !has_word(a, &d->sources[i], "PYBIND11_MODULE", &t)) continue;
        if (!cxx_is(&t[1], "(") || t[2].kind != CXX_IDENT || cxx_is(&t[2], "TORCH_EXTENSION_NAME")) continue;
        const char *name = arena_strndup(a, t[2].text, t[2].n_bytes);
        if (d->module && strcmp(d->module, name) != 0)
            return err_set(err, ERR_BAD_INPUT, d->sources[i].path, "the bindings make two modules, %s and %s", d->module, name);
        d->module = name;
    }
    if (!d->module) d->module = MODULE_NAME;
    return is_identifier(d->module) || err_set(err, ERR_BAD_INPUT, "build.module_name", "`%.200s` is not a module's name", d->module);
}

static bool take_names(Arena *a, DirectDesc *d, const json_t *build, Err *err) {
    const json_t *module = json_object_get(build, "module_name"), *dir = json_object_get(build, "build_dir"),
                 *includes = json_object_get(build, "include_dirs");
    const char *named = json_string_value(module);
    if (named && *named) d->module = arena_strdup(a, named);
    if (!(d->module ? is_identifier(d->module) || err_set(err, ERR_BAD_INPUT, "build.module_name", "`%.200s` is not a module's name", d->module)
                    : infer_module(a, d, err)))
        return false;
    const char *set = json_string_value(dir);
    if (set && *set && !(d->build_dir = take_path(a, dir, "build.build_dir", err))) return false;
    for (size_t i = 0; i < d->n_sources && !d->build_dir; i++) {
        if (d->sources[i].role != DIRECT_BINDING) continue;
        const char *slash = strrchr(d->sources[i].path, '/');
        d->build_dir = arena_printf(a, "%.*sbuild", slash ? (int)(slash + 1 - d->sources[i].path) : 0, d->sources[i].path);
    }
    if (find_source(d, d->build_dir)) return err_set(err, ERR_BAD_INPUT, "build.build_dir", "`%s` is a source file", d->build_dir);
    d->include_dirs = ARENA_ARRAY(a, 1 + json_array_size(includes) + d->n_sources, const char *);
    for (size_t i = 0; i < json_array_size(includes); i++) {
        const char *path = take_path(a, json_array_get(includes, i), arena_printf(a, "build.include_dirs[%zu]", i), err);
        if (!path) return false;
        d->include_dirs[d->n_include_dirs++] = path;
    }
    if (d->n_include_dirs > 0) return true;
    d->include_dirs[d->n_include_dirs++] = "";
    for (size_t i = 0; i < d->n_sources; i++) {
        const char *slash = strrchr(d->sources[i].path, '/');
        const char *folder = slash ? arena_strndup(a, d->sources[i].path, (size_t)(slash - d->sources[i].path)) : "";
        bool seen = false;
        for (size_t k = 0; k < d->n_include_dirs; k++) seen = seen || !strcmp(d->include_dirs[k], folder);
        if (!seen) d->include_dirs[d->n_include_dirs++] = folder;
    }
    return true;
}

static bool take_entry(Arena *a, DirectDesc *d, const json_t *entry, Err *err) {
    const json_t *given = json_object_get(entry, "model");
    const char *text = given ? json_string_value(given) : MODEL_ENTRY, *colons = text ? strstr(text, "::") : NULL;
    if (!colons || !is_identifier(colons + 2))
        return err_set(err, ERR_BAD_INPUT, "entry.model", "must be FILE::CLASS, as \"" MODEL_ENTRY "\"");
    json_t *path = json_stringn(text, (size_t)(colons - text));
    d->model_path = take_path(a, path, "entry.model", err);
    json_decref(path);
    const DirectSource *s = d->model_path ? find_source(d, d->model_path) : NULL;
    if (!d->model_path) return false;
    if (!s) return err_set(err, ERR_BAD_INPUT, "entry.model", "`%s` is not among the sources", d->model_path);
    d->model_class = arena_strdup(a, colons + 2);
    d->model_text = s->text;
    return true;
}

DirectDesc *direct_parse(Arena *a, const char *text, Err *err) {
    size_t n;
    json_error_t e;
    const char *object = strip_fence(text, &n);
    json_t *o = json_loadb(object, n, 0, &e);
    if (!o) {
        err_set(err, ERR_BAD_INPUT, NULL, "is not JSON: %s (line %d, column %d)", e.text, e.line, e.column);
        return NULL;
    }
    DirectDesc *d = ARENA_NEW(a, DirectDesc);
    const json_t *build = json_object_get(o, "build");
    bool kernels = false, bindings = false;
    bool ok = take_sources(a, d, json_object_get(o, "sources"), err) &&
              take_roles(a, d, build, "kernel_sources", DIRECT_KERNEL, &kernels, err) &&
              take_roles(a, d, build, "binding_sources", DIRECT_BINDING, &bindings, err) &&
              infer_roles(a, d, kernels, bindings, err) && take_names(a, d, build, err) &&
              take_entry(a, d, json_object_get(o, "entry"), err);
    json_decref(o);
    return ok ? d : NULL;
}

/* ---- rules ----------------------------------------------------------------------------------- */

static bool launches(const CxxTokens *t) {
    for (size_t i = 0; i + 2 < t->n; i++)
        if (cxx_is(&t->at[i], "<") && cxx_is(&t->at[i + 1], "<") && cxx_is(&t->at[i + 2], "<")) return true;
    return false;
}

DescViolation *direct_check(Arena *a, const DirectDesc *d, const json_t *model, size_t *n) {
    RuleList list = {.arena = a};
    bool launched = false;
    for (size_t i = 0; i < json_array_size(model); i++) rule_add_from_worker(&list, json_array_get(model, i));
    for (size_t i = 0; i < list.n; i++) list.at[i].source = d->model_path;
    for (size_t i = 0; i < d->n_sources; i++) {
        const DirectSource *s = &d->sources[i];
        if (s->role == DIRECT_OTHER && !ends_with(s->path, ".h") && !ends_with(s->path, ".hpp")) continue;
        CxxTokens t = cxx_lex(a, s->text);
        size_t before = list.n;
        launched = launched || launches(&t);
        check_calls(&list, &t);
        for (size_t k = before; k < list.n; k++) list.at[k].source = s->path;
    }
    if (!launched) {
        rule_add(&list, RULE_DIRECT_NO_LAUNCH, DESC_KERNEL, 0, NULL);
        list.at[list.n - 1].source = NULL;
    }
    *n = list.n;
    return list.at;
}
