/* Tools as the table has them: their schemas, and a call's arguments to a command line. */
#include "cli/cli.h"
#include "cli/mcp.h"

#include <math.h>
#include <string.h>

typedef struct Tool {
    const char *name, *command, *words, *answer, *text;
} Tool;
typedef enum { TEXT, NUMBER, FLAG, PLAIN, INPUT } ArgKind;
typedef struct Arg {
    const char *tool, *name;
    ArgKind kind;
    bool required;
    const char *option, *text;
} Arg;
typedef struct Fixed {
    const char *tool, *option, *unless;
} Fixed;

/* The table is read once for each kind of row. */
#define ARG(tool_, name_, kind_, required_, option_, text_)
#define FIXED(tool_, option_, unless_)
#define TOOL(name_, command_, words_, answer_, text_)                                                        \
    {.name = name_, .command = command_, .words = words_, .answer = answer_, .text = text_},
static const Tool TOOLS[] = {
#include "cli/mcp_tools.def"
};
#undef TOOL
#define TOOL(name_, command_, words_, answer_, text_)
#undef ARG
#define ARG(tool_, name_, kind_, required_, option_, text_)                                                  \
    {.tool = tool_, .name = name_, .kind = kind_, .required = required_, .option = option_, .text = text_},
static const Arg ARGS[] = {
#include "cli/mcp_tools.def"
};
#undef ARG
#define ARG(tool_, name_, kind_, required_, option_, text_)
#undef FIXED
#define FIXED(tool_, option_, unless_) {.tool = tool_, .option = option_, .unless = unless_},
static const Fixed FIXEDS[] = {
#include "cli/mcp_tools.def"
};
#undef TOOL
#undef ARG
#undef FIXED

#define N_TOOLS  (sizeof TOOLS / sizeof TOOLS[0])
#define N_ARGS   (sizeof ARGS / sizeof ARGS[0])
#define N_FIXEDS (sizeof FIXEDS / sizeof FIXEDS[0])

/* ---- the list -------------------------------------------------------------------------------- */

static json_t *schema_of(const Tool *t) {
    static const char *const TYPES[] = {
        [TEXT] = "string", [NUMBER] = "number", [FLAG] = "boolean", [PLAIN] = "string", [INPUT] = "string"};
    json_t *properties = json_object(), *required = json_array();
    for (size_t i = 0; i < N_ARGS; i++) {
        if (strcmp(ARGS[i].tool, t->name) != 0) continue;
        json_object_set_new(
            properties, ARGS[i].name,
            json_pack("{s:s, s:s}", "type", TYPES[ARGS[i].kind], "description", ARGS[i].text));
        if (ARGS[i].required) json_array_append_new(required, json_string(ARGS[i].name));
    }
    return json_pack("{s:s, s:o, s:o, s:b}", "type", "object", "properties", properties, "required", required,
                     "additionalProperties", 0);
}

json_t *mcp_tools_list(void) {
    json_t *list = json_array();
    for (size_t i = 0; i < N_TOOLS; i++) {
        const Tool *t = &TOOLS[i];
        json_t *text = cli_has_command(t->command)
                           ? json_string(t->text)
                           : json_sprintf("%s (Not in this build of opwright.)", t->text);
        json_array_append_new(list, json_pack("{s:s, s:o, s:o}", "name", t->name, "description", text,
                                              "inputSchema", schema_of(t)));
    }
    return json_pack("{s:o}", "tools", list);
}

/* ---- a call ---------------------------------------------------------------------------------- */

typedef struct Line {
    Arena *a;
    VEC(const char *) words;
} Line;

static void add(Line *l, const char *word) {
    vec_push(l->a, &l->words, word);
}

static const Arg *find_arg(const char *tool, const char *name) {
    for (size_t i = 0; i < N_ARGS; i++)
        if (!strcmp(ARGS[i].tool, tool) && !strcmp(ARGS[i].name, name)) return &ARGS[i];
    return NULL;
}

static bool wrong_type(const Tool *t, const Arg *arg, const char *wanted, Err *err) {
    return err_set(err, ERR_USAGE, NULL, "%s: %s must be %s", t->name, arg->name, wanted);
}

/* Option and value are one word, so that a value may begin with a dash. */
static bool add_option(Line *l, const Tool *t, const Arg *arg, const json_t *v, Err *err) {
    if (arg->kind == FLAG) {
        if (!json_is_boolean(v)) return wrong_type(t, arg, "true or false", err);
        if (json_is_true(v)) add(l, arena_printf(l->a, "--%s", arg->option));
    } else if (arg->kind == NUMBER) {
        if (!json_is_number(v)) return wrong_type(t, arg, "a number", err);
        double d = json_number_value(v);
        if (!isfinite(d)) return wrong_type(t, arg, "a finite number", err);
        add(l, arena_printf(l->a, "--%s=%.15g", arg->option, d));
    } else {
        if (!json_is_string(v)) return wrong_type(t, arg, "a string", err);
        if (strlen(json_string_value(v)) != json_string_length(v))
            return wrong_type(t, arg, "text without NUL", err);
        if (arg->kind == TEXT) add(l, arena_printf(l->a, "--%s=%s", arg->option, json_string_value(v)));
    }
    return true;
}

static bool check_arguments(const Tool *t, const json_t *arguments, Err *err) {
    const char *key;
    json_t *v;
    json_object_foreach((json_t *)arguments, key, v) if (!find_arg(t->name, key)) return err_set(
        err, ERR_USAGE, NULL, "%s has no argument `%.100s`", t->name, key);
    for (size_t i = 0; i < N_ARGS; i++)
        if (!strcmp(ARGS[i].tool, t->name) && ARGS[i].required && !json_object_get(arguments, ARGS[i].name))
            return err_set(err, ERR_USAGE, NULL, "%s needs the argument `%s`: %s", t->name, ARGS[i].name,
                           ARGS[i].text);
    return true;
}

static bool add_arguments(Line *l, const Tool *t, const json_t *arguments, McpCall *out, Err *err) {
    const char *plain = NULL;
    for (size_t i = 0; i < N_ARGS; i++) {
        const json_t *v =
            strcmp(ARGS[i].tool, t->name) == 0 ? json_object_get(arguments, ARGS[i].name) : NULL;
        if (!v || json_is_null(v)) continue;
        if (!add_option(l, t, &ARGS[i], v, err)) return false;
        if (ARGS[i].kind == PLAIN) plain = arena_strdup(l->a, json_string_value(v));
        if (ARGS[i].kind == INPUT) out->input = arena_strdup(l->a, json_string_value(v));
    }
    if (plain) {
        add(l, "--");
        add(l, plain);
    }
    return true;
}

bool mcp_tools_call(Arena *a, const char *name, const json_t *arguments, const char *dir, McpCall *out,
                    Err *err) {
    const Tool *t = NULL;
    for (size_t i = 0; i < N_TOOLS; i++)
        if (!strcmp(TOOLS[i].name, name)) t = &TOOLS[i];
    if (!t) return err_set(err, ERR_USAGE, NULL, "there is no tool `%.100s`", name);
    *out = (McpCall){.tool = t->name, .command = t->command, .json_out = !strcmp(t->answer, "json")};
    if (!check_arguments(t, arguments, err)) return false;
    Line l = {.a = a};
    add(&l, t->command);
    if (*t->words) add(&l, t->words);
    for (size_t i = 0; i < N_FIXEDS; i++)
        if (!strcmp(FIXEDS[i].tool, t->name) &&
            !(*FIXEDS[i].unless && json_object_get(arguments, FIXEDS[i].unless)))
            add(&l, arena_printf(a, "--%s", FIXEDS[i].option));
    if (*t->answer && !out->json_out) {
        out->answer_path = arena_printf(a, "%s/answer.json", dir);
        add(&l, arena_printf(a, "--%s=%s", t->answer, out->answer_path));
    }
    if (!add_arguments(&l, t, arguments, out, err)) return false;
    add(&l, NULL);
    out->argv = l.words.at;
    return true;
}
