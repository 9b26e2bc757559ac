/* What a Python file takes in from its own folder: Python finds modules there first, so a result depends on their texts,
 * too. The statements are found in the text, not by running it: a name more costs a look into the folder, and one that a
 * program computes is missed (docs/service.md says so). */
#include "server/source.h"

#include "base/fs.h"
#include "base/sha256.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#define FILES_MAX 400 /* of one Python file; more are not looked at */
#define DEPTH_MAX 8   /* of a package's folders */

typedef struct Imports {
    Arena *arena;
    const SourceRoot *root;
    const char *folder; /* with its slash */
    Sha256 digest;
    VEC(const char *) files; /* paths, each once */
    VEC(const char *) texts; /* theirs, whose statements are still to be read */
} Imports;

/* ---- files ----------------------------------------------------------------------------------- */

/* False: there is no such file. */
static bool add_file(Imports *im, const char *path) {
    Err ignored = {0};
    for (size_t i = 0; i < im->files.n; i++)
        if (!strcmp(im->files.at[i], path)) return true;
    if (im->files.n == FILES_MAX || !fs_exists(path)) return false;
    const char *text = source_read(im->arena, im->root, path, &ignored);
    if (!text) return false;
    vec_push(im->arena, &im->files, path);
    vec_push(im->arena, &im->texts, text);
    sha256_add_field(&im->digest, path + strlen(im->folder));
    sha256_add_field(&im->digest, text);
    return true;
}

static int by_name(const void *x, const void *y) {
    return strcmp(*(const char *const *)x, *(const char *const *)y);
}

/* A package: all of its Python files, because which of them are used is not plain to see. In the order of their names. */
static void add_package(Imports *im, const char *folder, int depth) {
    VEC(const char *) names = {0};
    DIR *d = depth < DEPTH_MAX ? opendir(folder) : NULL;
    for (const struct dirent *e; d && (e = readdir(d));)
        if (e->d_name[0] != '.' && strcmp(e->d_name, "__pycache__") != 0)
            vec_push(im->arena, &names, arena_strdup(im->arena, e->d_name));
    if (d) closedir(d);
    if (names.n) qsort(names.at, names.n, sizeof names.at[0], by_name);
    for (size_t i = 0; i < names.n; i++) {
        const char *path = arena_printf(im->arena, "%s/%s", folder, names.at[i]);
        size_t n = strlen(path);
        if (n > 3 && !strcmp(path + n - 3, ".py")) (void)add_file(im, path);
        else if (!strchr(names.at[i], '.')) add_package(im, path, depth + 1);
    }
}

static void add_module(Imports *im, const char *name, size_t n) {
    if (n == 0 || n > 200) return;
    const char *stem = arena_printf(im->arena, "%s%.*s", im->folder, (int)n, name);
    if (fs_exists(stem)) add_package(im, stem, 0); /* Python prefers it to a file of the same name */
    else (void)add_file(im, arena_printf(im->arena, "%s.py", stem));
}

/* ---- statements ------------------------------------------------------------------------------ */

static size_t name_length(const char *s) {
    size_t n = 0;
    while (isalnum((unsigned char)s[n]) || s[n] == '_' || (unsigned char)s[n] >= 0x80) n++;
    return n;
}

static const char *skip_blanks(const char *s) {
    while (*s == ' ' || *s == '\t' || (*s == '\\' && s[1] == '\n')) s += *s == '\\' ? 2 : 1;
    return s;
}

/* The word with a blank after it at the start of a statement; where the rest begins, or NULL. */
static const char *after_word(const char *s, const char *word) {
    size_t n = strlen(word);
    return !strncmp(s, word, n) && (s[n] == ' ' || s[n] == '\t' || s[n] == '\\') ? skip_blanks(s + n) : NULL;
}

/* `import a.b as c, d` */
static void take_import(Imports *im, const char *s) {
    for (;;) {
        add_module(im, s, name_length(s));
        while (*s && *s != ',' && *s != '\n' && *s != ';' && *s != '#') s++;
        if (*s != ',') return;
        s = skip_blanks(s + 1);
    }
}

/* import_module("a"), __import__("a") */
static void take_calls(Imports *im, const char *text) {
    static const char *const CALLS[] = {"import_module", "__import__"};
    for (size_t i = 0; i < sizeof CALLS / sizeof CALLS[0]; i++)
        for (const char *s = text; (s = strstr(s, CALLS[i]));) {
            s += strlen(CALLS[i]);
            const char *at = skip_blanks(s);
            if (*at != '(') continue;
            at = skip_blanks(at + 1);
            if (*at == '"' || *at == '\'') add_module(im, at + 1, name_length(at + 1));
        }
}

static void take_statements(Imports *im, const char *text) {
    for (const char *s = text; *s;) {
        const char *rest, *at = skip_blanks(s);
        if ((rest = after_word(at, "import"))) take_import(im, rest);
        else if ((rest = after_word(at, "from"))) add_module(im, rest, name_length(rest));
        while (*s && *s != '\n' && *s != ';' && *s != ':') s++; /* `try: import a` is a statement within a line */
        if (*s) s++;
    }
    take_calls(im, text);
}

const char *source_imports(Arena *a, const SourceRoot *root, const char *path, const char *text) {
    const char *absolute = source_absolute(a, root, path), *slash = strrchr(absolute, '/');
    Imports im = {.arena = a, .root = root, .folder = arena_printf(a, "%.*s", (int)(slash + 1 - absolute), absolute)};
    sha256_init(&im.digest);
    take_statements(&im, text);
    for (size_t i = 0; i < im.texts.n; i++) take_statements(&im, im.texts.at[i]);
    if (im.files.n == 0) return NULL;
    uint8_t digest[SHA256_BYTES];
    char hex[SHA256_HEX];
    sha256_final(&im.digest, digest);
    sha256_hex(digest, hex);
    return arena_strdup(a, hex);
}
