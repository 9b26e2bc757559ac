/* opwright doctor: what this machine has, what works, and how to mend what does not. */
#include "cli/doctor.h"

#include "base/fs.h"
#include "cann/cann.h"
#include "cli/cli.h"
#include "cli/lang_options.h"
#include "explain/explain.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum { GROUP_SIM, GROUP_SERVICE, GROUP_CANN, GROUP_MACHINE, N_GROUPS } Group;

static const char *const GROUP_TITLES[N_GROUPS][EXPLAIN_N_LANGS] = {
    [GROUP_SIM] = {"simulated AI Core", "模拟 AI Core"},
    [GROUP_SERVICE] = {"service and cage", "服务与隔离"},
    [GROUP_CANN] = {"real NPU (CANN)", "真实 NPU（CANN）"},
    [GROUP_MACHINE] = {"this machine", "本机"},
};
static const char *const STATUS_NAMES[] = {"ok", "limited", "absent", "bad"};
static const char *const STATUS_WORDS[][EXPLAIN_N_LANGS] = {
    {"ok", "正常"}, {"limited", "受限"}, {"absent", "缺少"}, {"BAD", "错误"}};

static const struct Row {
    const char *id;
    Group group;
    void (*look)(Doctor *d, Item *item);
    const char *name[EXPLAIN_N_LANGS], *mend[EXPLAIN_N_LANGS];
} ROWS[] = {
#define DOCTOR(id_, group_, function, name_, name_zh, mend_, mend_zh)                                        \
    {.id = id_,                                                                                              \
     .group = GROUP_##group_,                                                                                \
     .look = function,                                                                                       \
     .name = {name_, name_zh},                                                                               \
     .mend = {mend_, mend_zh}},
#include "cli/doctor.def"
#undef DOCTOR
};
#define N_ROWS (sizeof ROWS / sizeof ROWS[0])

static void print_usage(FILE *to) {
    fputs("usage: opwright doctor [--lang en|zh] [--json]\n"
          "\n"
          "Says what is installed and which versions, builds and runs a small kernel on the simulated AI "
          "Core, and for what is\n"
          "missing how to get it.\n"
          "\n"
          "exit status: 0 the simulator works, 1 it does not\n",
          to);
}

/* The table's cure in the language asked for; one set by the look itself is more exact, in English. */
static const char *cure_of(const struct Row *row, const Item *item, ExplainLang lang) {
    if (item->status == ITEM_OK) return "";
    return item->mend && lang == EXPLAIN_EN ? item->mend : row->mend[lang];
}

static void print_text(const Doctor *d, const Item *items, ExplainLang lang, const char *cann_missing) {
    printf("opwright %s\n", OPWRIGHT_VERSION);
    for (size_t i = 0; i < N_ROWS; i++) {
        if (i == 0 || ROWS[i].group != ROWS[i - 1].group) printf("\n%s\n", GROUP_TITLES[ROWS[i].group][lang]);
        printf("  [%s] %s: %s\n", STATUS_WORDS[items[i].status][lang], ROWS[i].name[lang], items[i].value);
        const char *cure = cure_of(&ROWS[i], &items[i], lang);
        if (*cure) printf("      %s: %s\n", lang == EXPLAIN_ZH ? "解决办法" : "to mend it", cure);
    }
    static const char *const WORKS[EXPLAIN_N_LANGS] = {"works", "可用"}, *const NOT[EXPLAIN_N_LANGS] = {
                                                                             "does not work", "不可用"};
    printf("\n--backend sim: %s\n", d->simulator_works ? WORKS[lang] : NOT[lang]);
    if (*cann_missing) printf("--backend cann: %s (%s)\n", NOT[lang], cann_missing);
    else
        printf("--backend cann: %s\n",
               lang == EXPLAIN_ZH ? "部件齐全（未试运行）" : "its parts are there (not tried)");
}

static void print_json(const Doctor *d, const Item *items, ExplainLang lang, const char *cann_missing) {
    json_t *list = json_array();
    static const char *const GROUPS[] = {"sim", "service", "cann", "machine"};
    for (size_t i = 0; i < N_ROWS; i++)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s, s:s, s:s}", "id", ROWS[i].id, "group",
                                              GROUPS[ROWS[i].group], "name", ROWS[i].name[lang], "status",
                                              STATUS_NAMES[items[i].status], "value", items[i].value, "mend",
                                              cure_of(&ROWS[i], &items[i], lang)));
    json_t *j =
        json_pack("{s:s, s:{s:b, s:b}, s:s, s:o}", "version", OPWRIGHT_VERSION, "backends", "sim",
                  d->simulator_works, "cann", !*cann_missing, "cann_missing", cann_missing, "items", list);
    char *text = json_dumps(j, JSON_INDENT(2));
    puts(text ? text : "{}");
    free(text);
    json_decref(j);
}

/* Programs' output may hold any bytes; what is shown may not. */
static const char *shown(Arena *a, const char *text) {
    char *copy = arena_strdup(a, text ? text : "");
    for (char *p = copy; *p; p++)
        if ((unsigned char)*p < 0x20 || *p == 0x7F) *p = ' ';
    json_t *valid = json_string(copy);
    if (!valid)
        for (char *p = copy; *p; p++)
            if ((unsigned char)*p >= 0x80) *p = '?';
    json_decref(valid);
    return copy;
}

static bool examine(ExplainLang lang, bool as_json) {
    Arena *a = arena_new();
    Doctor d = {.arena = a};
    d.bridge = cli_start_bridge(a, &d.bridge_err);
    d.hello = d.bridge ? bridge_hello(d.bridge, &d.hello_err) : NULL;
    Item items[N_ROWS] = {0};
    for (size_t i = 0; i < N_ROWS; i++) {
        ROWS[i].look(&d, &items[i]);
        items[i].value = shown(a, items[i].value);
    }
    char cann_missing[512];
    cann_available(cann_missing, sizeof cann_missing);
    (as_json ? print_json : print_text)(&d, items, lang, cann_missing);
    bool works = d.simulator_works;
    bridge_stop(d.bridge);
    arena_free(a);
    return works;
}

int cli_doctor(int argc, char **argv) {
    LangOptions o;
    int status;
    if (!lang_options_read(argc, argv, print_usage, &o, &status)) return status;
    Err err = {0};
    if (optind < argc) {
        err_set(&err, ERR_USAGE, NULL, "doctor takes no argument `%s`", argv[optind]);
        return cli_report(&err);
    }
    return examine(o.lang, o.as_json) ? 0 : 1;
}
