/* Resources: opwright's documents, results of this session's calls, and the results in the golden store. */
#include "cli/mcp.h"

#include "base/fs.h"
#include "store/golden.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define URI_DOCS    "opwright://docs/"
#define URI_RESULTS "opwright://results/"
#define URI_GOLDEN  "opwright://golden/"

static int by_name(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names of docs/NAME.md, sorted; NULL when there is no folder. */
static char **list_docs(Arena *a, const char *home, size_t *n) {
    VEC(char *) names = {0};
    DIR *d = opendir(arena_printf(a, "%s/docs", home));
    for (struct dirent *e; d && (e = readdir(d));) {
        size_t k = strlen(e->d_name);
        if (e->d_name[0] != '.' && k > 3 && !strcmp(e->d_name + k - 3, ".md"))
            vec_push(a, &names, arena_strndup(a, e->d_name, k - 3));
    }
    if (d) closedir(d);
    if (names.n) qsort(names.at, names.n, sizeof names.at[0], by_name);
    *n = names.n;
    return names.at;
}

json_t *mcp_resources_list(const json_t *results) {
    Arena *a = arena_new();
    Err err = {0};
    json_t *list = json_array();
    const char *home = fs_home(a, &err);
    size_t n = 0;
    char **docs = home ? list_docs(a, home, &n) : NULL;
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s}", "uri", arena_printf(a, URI_DOCS "%s", docs[i]),
                                        "name", docs[i], "mimeType", "text/markdown"));
    size_t i;
    const json_t *r;
    json_array_foreach(results, i, r) {
        const char *name = json_string_value(json_object_get(r, "name"));
        json_array_append_new(list, json_pack("{s:s, s:s, s:O, s:s}", "uri",
                                              arena_printf(a, URI_RESULTS "%s", name), "name", name, "title",
                                              json_object_get(r, "title"), "mimeType", "application/json"));
    }
    arena_free(a);
    return json_pack("{s:o}", "resources", list);
}

json_t *mcp_resource_templates(void) {
    return json_pack("{s:[{s:s, s:s, s:s, s:s}]}", "resourceTemplates", "uriTemplate", URI_GOLDEN "{op}",
                     "name", "golden", "description", "the stored result of a golden solution", "mimeType",
                     "application/json");
}

static bool unknown(const char *uri, Err *err) {
    return err_set(err, ERR_NOT_FOUND, NULL, "there is no resource `%.300s`", uri);
}

static bool is_name(const char *s) {
    return *s && *s != '.' && !strchr(s, '/');
}

static const char *read_doc(Arena *a, const char *name, const char *uri, Err *err) {
    const char *home = fs_home(a, err);
    if (!home) return NULL;
    Err none = {0};
    const char *text =
        is_name(name) ? fs_read(a, arena_printf(a, "%s/docs/%s.md", home, name), NULL, &none) : NULL;
    if (!text) unknown(uri, err);
    return text;
}

static const char *read_result(Arena *a, const char *name, const json_t *results, const char *uri, Err *err) {
    size_t i;
    const json_t *r;
    json_array_foreach(
        results, i,
        r) if (!strcmp(name,
                       json_string_value(json_object_get(
                           r, "name")))) return arena_strdup(a,
                                                             json_string_value(json_object_get(r, "text")));
    unknown(uri, err);
    return NULL;
}

static const char *read_golden(Arena *a, const char *op, const char *uri, Err *err) {
    GoldenEntry e = {0};
    const char *dir = golden_dir(a, NULL, err), *copy = NULL;
    Err none = {0};
    if (dir && golden_load(a, dir, op, &e, &none) && e.info) {
        char *text = json_dumps(e.info, JSON_INDENT(2));
        if (text) copy = arena_strdup(a, text);
        free(text);
    }
    golden_entry_clear(&e);
    if (dir && !copy) unknown(uri, err);
    return copy;
}

json_t *mcp_resource_read(const char *uri, const json_t *results, Err *err) {
    Arena *a = arena_new();
    const char *text = NULL, *type = "application/json";
    if (!strncmp(uri, URI_DOCS, strlen(URI_DOCS)))
        text = read_doc(a, uri + strlen(URI_DOCS), uri, err), type = "text/markdown";
    else if (!strncmp(uri, URI_RESULTS, strlen(URI_RESULTS)))
        text = read_result(a, uri + strlen(URI_RESULTS), results, uri, err);
    else if (!strncmp(uri, URI_GOLDEN, strlen(URI_GOLDEN)))
        text = read_golden(a, uri + strlen(URI_GOLDEN), uri, err);
    else unknown(uri, err);
    json_t *out =
        text ? json_pack("{s:[{s:s, s:s, s:s}]}", "contents", "uri", uri, "mimeType", type, "text", text)
             : NULL;
    if (text && !out) err_set(err, ERR_INTERNAL, NULL, "the resource is not UTF-8");
    arena_free(a);
    return out;
}
