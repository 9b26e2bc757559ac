/* What the store knows about a failure at hand. Only lessons that passed their replay are told on. */
#include "improve/prompt.h"

#include "base/fs.h"
#include "base/strbuf.h"
#include "store/golden.h"
#include "store/store.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

/* ---- golden ---------------------------------------------------------------------------------- */

/* Words of an operator's name, apart by underscores, that both have. */
static int shared_words(Arena *a, const char *x, const char *y) {
    int n = 0;
    char *rest = arena_strdup(a, x);
    for (char *word; (word = strsep(&rest, "_"));) {
        size_t k = strlen(word);
        for (const char *at = y; k > 1 && (at = strstr(at, word)); at++)
            if ((at == y || at[-1] == '_') && (at[k] == '_' || !at[k])) {
                n++;
                break;
            }
    }
    return n;
}

typedef struct Nearest {
    Arena *arena;
    const char *op, *name, *path;
    int score;
} Nearest;

static bool look(void *ctx, const GoldenEntry *e) {
    Nearest *best = ctx;
    int score = 4 * shared_words(best->arena, best->op, e->op);
    if (score == 0 || e->state) return true;
    const char *cls = golden_class(e->info);
    score += !strcmp(cls, "faster") || !strcmp(cls, "near") ? 2
             : !strcmp(cls, "very-slow")                    ? -2
                                                            : 0; /* slow ones are no models */
    if (!strcmp(best->op, e->op)) score += 8;
    if (score <= best->score) return true;
    best->score = score;
    best->name = arena_strdup(best->arena, e->op);
    best->path = e->code_path;
    return true;
}

const char *recall_golden(Arena *a, const char *root, const char *op, const char **name) {
    Nearest best = {.arena = a, .op = op};
    Err ignored = {0}; /* a store that cannot be read only means that nothing is recalled */
    if (!golden_each(a, arena_printf(a, "%s/reference/golden_solutions", root), NULL, 0, look, &best,
                     &ignored) ||
        !best.path)
        return NULL;
    *name = best.name;
    return fs_read(a, best.path, NULL, &ignored);
}

/* ---- lessons --------------------------------------------------------------------------------- */

typedef struct Lesson {
    const char *text;
    int score;
} Lesson;
typedef VEC(Lesson) Lessons;

static const char *text_at(const json_t *o, const char *key) {
    const char *text = json_string_value(json_object_get(o, key));
    return text ? text : "";
}

/* Points for each failing check that the lesson's wrong version showed too, or whose call its summary names.
 */
static int fits(const json_t *lesson, const json_t *checks) {
    const json_t *seen = json_object_get(json_object_get(lesson, "replay"), "checks");
    int score = 0;
    for (size_t i = 0; i < json_array_size(checks); i++) {
        const json_t *c = json_array_get(checks, i);
        const char *id = text_at(c, "check"), *api = text_at(c, "api");
        if (strcmp(text_at(c, "severity"), "error") != 0) continue;
        for (size_t k = 0; k < json_array_size(seen); k++) {
            const char *other = json_string_value(json_array_get(seen, k));
            score += other && !strcmp(id, other) ? 3 : 0;
        }
        score += *api && strstr(text_at(lesson, "summary"), api) ? 2 : 0;
    }
    return score;
}

static void read_lessons(Arena *a, const char *path, const char *op, const json_t *checks, Lessons *out) {
    Err ignored = {0};
    json_t *list;
    if (!store_read_json(a, path, &list, &ignored)) return;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *lesson = json_array_get(list, i);
        if (!json_is_object(json_object_get(lesson, "replay")) ||
            json_is_false(json_object_get(lesson, "verified")))
            continue;
        int score = fits(lesson, checks) + (!strcmp(text_at(lesson, "op"), op) ? 1 : 0);
        if (score > 0 && *text_at(lesson, "summary"))
            vec_push(
                a, out,
                ((Lesson){arena_printf(a, "%s: %.600s", text_at(lesson, "op"), text_at(lesson, "summary")),
                          score}));
    }
    json_decref(list);
}

static int by_score(const void *x, const void *y) {
    const Lesson *l = x, *m = y;
    return l->score != m->score ? m->score - l->score : strcmp(l->text, m->text);
}

const char *recall_lessons(Arena *a, const char *root, const char *op, const json_t *result, size_t n_max) {
    const char *dir = arena_printf(a, "%s/reference/issues", root);
    Lessons found = {0};
    StrBuf sb;
    strbuf_init(&sb, a);
    DIR *d = opendir(dir);
    if (!d) return sb.text;
    for (const struct dirent *e; (e = readdir(d));) {
        size_t n = strlen(e->d_name);
        if (n > 5 && !strcmp(e->d_name + n - 5, ".json"))
            read_lessons(a, arena_printf(a, "%s/%s", dir, e->d_name), op, json_object_get(result, "checks"),
                         &found);
    }
    closedir(d);
    if (found.n) qsort(found.at, found.n, sizeof *found.at, by_score);
    for (size_t i = 0; i < found.n && i < n_max; i++) strbuf_printf(&sb, "- %s\n", found.at[i].text);
    return sb.text;
}
