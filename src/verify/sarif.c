/* A result as SARIF 2.1.0, for editors and CI. Places are lines of the description file; what has no line in it is placed at
 * the file as a whole. Levels are those of SARIF: error, warning, note. */
#include "verify/verify.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA "https://json.schemastore.org/sarif-2.1.0.json"

static const char *text_at(const json_t *o, const char *key) {
    const char *s = json_string_value(json_object_get(o, key));
    return s ? s : "";
}

/* A relative reference, or file:// for an absolute path. */
static char *uri_of(Arena *a, const char *path) {
    char *out = arena_alloc(a, strlen(path) * 3 + sizeof "file://"), *to = out;
    if (path[0] == '/') to += sprintf(to, "file://");
    for (const char *p = path; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (isalnum(c) || strchr("/._-~", c)) *to++ = (char)c;
        else to += sprintf(to, "%%%02X", c);
    }
    *to = '\0';
    return out;
}

static json_t *message(const char *text) {
    return json_pack("{s:s}", "text", text);
}

static const char *in_lang(const json_t *check, bool zh, const char *key, const char *key_zh) {
    const char *text = zh ? text_at(check, key_zh) : "";
    return *text ? text : text_at(check, key);
}

/* Index of the rule of a check in `rules`, which gets it when it is new. */
static json_int_t rule_index(json_t *rules, const json_t *check, bool zh) {
    const char *id = text_at(check, "check");
    for (size_t i = 0; i < json_array_size(rules); i++)
        if (!strcmp(text_at(json_array_get(rules, i), "id"), id)) return (json_int_t)i;
    json_t *rule = json_pack("{s:s}", "id", id);
    const char *hint = in_lang(check, zh, "hint", "hint_zh"), *page = text_at(check, "page");
    char help[1024];
    snprintf(help, sizeof help, "%.800s%s%s", hint, *hint && *page ? "; " : "", page);
    json_object_set_new(rule, "shortDescription", message(id));
    if (*help) json_object_set_new(rule, "help", message(help));
    json_array_append_new(rules, rule);
    return (json_int_t)json_array_size(rules) - 1;
}

static json_t *location(const json_t *check, const char *uri) {
    json_t *physical = json_pack("{s:{s:s, s:i}}", "artifactLocation", "uri", uri, "index", 0);
    json_int_t line = json_integer_value(json_object_get(check, "file_line"));
    json_int_t in_section = json_integer_value(json_object_get(check, "line")),
               column = json_integer_value(json_object_get(check, "column"));
    if (line > 0) {
        json_t *region = json_pack("{s:I}", "startLine", line);
        /* The first line of a section stands behind the quotes, so its columns are not those of the file. */
        if (column > 0 && in_section > 1) json_object_set_new(region, "startColumn", json_integer(column));
        json_object_set_new(physical, "region", region);
    }
    json_t *place = json_pack("{s:o}", "physicalLocation", physical);
    const char *source = text_at(check, "source");
    if (*source) {
        char full[128];
        if (in_section > 0) snprintf(full, sizeof full, "%.80s:%" JSON_INTEGER_FORMAT, source, in_section);
        else snprintf(full, sizeof full, "%.80s", source);
        json_object_set_new(place, "logicalLocations", json_pack("[{s:s, s:s, s:s}]", "name", source, "fullyQualifiedName", full, "kind", "member"));
    }
    return place;
}

static json_t *result_of(const json_t *check, json_t *rules, const char *uri, bool zh) {
    const char *text = in_lang(check, zh, "text", "text_zh"), *hint = in_lang(check, zh, "hint", "hint_zh");
    size_t n = strlen(text) + strlen(hint) + 16;
    char *whole = malloc(n);
    if (!whole) abort();
    snprintf(whole, n, "%s%s%s", text, *hint ? "\n" : "", hint);
    json_t *r = json_pack("{s:s, s:I, s:s, s:o, s:[o]}", "ruleId", text_at(check, "check"), "ruleIndex", rule_index(rules, check, zh), "level",
                          text_at(check, "severity"), "message", message(whole), "locations", location(check, uri));
    free(whole);
    const json_t *other = json_object_get(check, "other");
    if (json_integer_value(json_object_get(other, "file_line")) > 0)
        json_object_set_new(r, "relatedLocations", json_pack("[o]", location(other, uri)));
    json_int_t count = json_integer_value(json_object_get(check, "count"));
    if (count > 0) json_object_set_new(r, "occurrenceCount", json_integer(count));
    json_object_set_new(r, "properties", json_pack("{s:s, s:s}", "stage", text_at(check, "stage"), "page", text_at(check, "page")));
    return r;
}

json_t *verify_sarif(Arena *a, const json_t *result, const char *description, bool zh) {
    const char *uri = uri_of(a, description), *verdict = text_at(result, "verdict");
    json_t *rules = json_array(), *results = json_array();
    const json_t *checks = json_object_get(result, "checks");
    for (size_t i = 0; i < json_array_size(checks); i++)
        json_array_append_new(results, result_of(json_array_get(checks, i), rules, uri, zh));
    json_t *driver = json_pack("{s:s, s:s, s:o}", "name", "opwright", "version", OPWRIGHT_VERSION, "rules", rules);
    json_t *run = json_pack("{s:{s:o}, s:[{s:{s:s}}], s:[{s:b}], s:o, s:s, s:{s:s}}", "tool", "driver", driver, "artifacts", "location", "uri", uri,
                            "invocations", "executionSuccessful", strcmp(verdict, "INFRA_ERROR") != 0, "results", results, "columnKind",
                            "unicodeCodePoints", "properties", "verdict", *verdict ? verdict : "BUILT");
    return json_pack("{s:s, s:s, s:[o]}", "$schema", SCHEMA, "version", "2.1.0", "runs", run);
}
