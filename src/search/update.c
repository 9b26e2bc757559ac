/* Brings the index up to date with the files: one transaction, one writer at a time, only what changed is
 * read. */
#include "search/index_int.h"
#include "search/split.h"
#include "search/tokens.h"

#include "base/fs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MINE_CHECK_S 60 /* a user's own folders are looked at at most this often by searches */

/* ---- what is new ----------------------------------------------------------------------------- */

typedef struct Known {
    const char *path;
    int64_t id, mtime_ns, n_bytes;
    const char *hash;
    int kind;
    bool mine, seen;
} Known;

typedef struct KnownList {
    Known *at;
    size_t n, cap;
    size_t *slot; /* open hashing by path: index + 1; a power of two of them */
    size_t n_slots;
} KnownList;

enum {
    ST_FILE,
    ST_FILE_SET,
    ST_FILE_DROP,
    ST_ENTRY,
    ST_WORD,
    ST_WORD_DROP,
    ST_ENTRY_DROP,
    ST_LEXICON,
    ST_PIECE,
    N_STATEMENTS
};
static const char *const STATEMENTS[N_STATEMENTS] = {
    [ST_FILE] = "INSERT INTO file(path, kind, mtime_ns, n_bytes, hash, mine, fault) VALUES(?1, ?2, ?3, ?4, "
                "?5, ?6, ?7)",
    [ST_FILE_SET] = "UPDATE file SET mtime_ns = ?2, n_bytes = ?3, mine = ?4 WHERE id = ?1",
    [ST_FILE_DROP] = "DELETE FROM file WHERE id = ?1",
    [ST_ENTRY] = "INSERT INTO entry(file, kind, name, title, body, first_line, n_lines, is_record, likeness) "
                 "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
    [ST_WORD] = "INSERT INTO word(rowid, name, title, body) VALUES(?1, ?2, ?3, ?4)",
    [ST_WORD_DROP] = "INSERT INTO word(word, rowid, name, title, body) SELECT 'delete', id, name, title, "
                     "body FROM entry WHERE file = ?1",
    [ST_ENTRY_DROP] = "DELETE FROM entry WHERE file = ?1",
    [ST_LEXICON] = "INSERT OR IGNORE INTO lexicon(word) VALUES(?1)",
    [ST_PIECE] = "INSERT INTO piece(rowid, word) VALUES(?1, ?2)",
};

/* Words seen in this update, so that each goes to the lexicon once. */
typedef struct WordSet {
    char **slot;
    size_t n_slots, n;
} WordSet;

typedef struct Update {
    SearchIndex *ix;
    Arena *a;
    Err *err;
    sqlite3_stmt *st[N_STATEMENTS];
    KnownList known;
    WordSet words;
    SearchStats *stats;
} Update;

static uint64_t hash_bytes(const char *s, size_t n) {
    uint64_t h = 0xcbf29ce484222325u;
    for (size_t i = 0; i < n; i++) h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
    return h;
}

/* ---- the lexicon ----------------------------------------------------------------------------- */

static bool words_add(WordSet *w, Arena *a, const char *word, size_t n) {
    if (w->n * 2 >= w->n_slots) {
        WordSet more = {.n_slots = w->n_slots ? w->n_slots * 2 : 4096, .n = w->n};
        more.slot = ARENA_ARRAY(a, more.n_slots, char *);
        for (size_t i = 0; i < w->n_slots; i++) {
            if (!w->slot[i]) continue;
            size_t at = hash_bytes(w->slot[i], strlen(w->slot[i])) & (more.n_slots - 1);
            while (more.slot[at]) at = (at + 1) & (more.n_slots - 1);
            more.slot[at] = w->slot[i];
        }
        *w = more;
    }
    size_t at = hash_bytes(word, n) & (w->n_slots - 1);
    for (; w->slot[at]; at = (at + 1) & (w->n_slots - 1))
        if (strlen(w->slot[at]) == n && memcmp(w->slot[at], word, n) == 0) return false;
    w->slot[at] = arena_strndup(a, word, n);
    w->n++;
    return true;
}

/* Names long enough to be known by a piece of them; no numbers. */
static bool take_word(void *ctx, const Token *t) {
    Update *u = ctx;
    if (t->form == TOKEN_WHOLE && t->n_bytes >= 5 && t->n_bytes < TOKEN_MAX_BYTES &&
        (t->text[0] < '0' || t->text[0] > '9'))
        words_add(&u->words, u->a, t->text, t->n_bytes);
    return true;
}

/* ---- statements ------------------------------------------------------------------------------ */

static bool run(Update *u, int which) {
    sqlite3_stmt *st = u->st[which];
    bool ok = sqlite3_step(st) == SQLITE_DONE;
    if (!ok) index_fail(u->ix, "writing the search index", u->err);
    sqlite3_reset(st);
    return ok;
}

static void bind_text(sqlite3_stmt *st, int i, const char *text) {
    if (text) sqlite3_bind_text(st, i, text, -1, SQLITE_STATIC);
    else sqlite3_bind_null(st, i);
}

static bool store_words(Update *u) {
    for (size_t i = 0; i < u->words.n_slots; i++) {
        if (!u->words.slot[i]) continue;
        bind_text(u->st[ST_LEXICON], 1, u->words.slot[i]);
        if (!run(u, ST_LEXICON)) return false;
        if (sqlite3_changes(u->ix->db) == 0) continue;
        sqlite3_bind_int64(u->st[ST_PIECE], 1, sqlite3_last_insert_rowid(u->ix->db));
        bind_text(u->st[ST_PIECE], 2, u->words.slot[i]);
        if (!run(u, ST_PIECE)) return false;
    }
    return true;
}

static bool store_entry(Update *u, int64_t file, const SplitEntry *e) {
    sqlite3_stmt *st = u->st[ST_ENTRY];
    sqlite3_bind_int64(st, 1, file);
    sqlite3_bind_int(st, 2, (int)e->kind);
    bind_text(st, 3, e->name);
    bind_text(st, 4, e->title);
    bind_text(st, 5, e->body);
    sqlite3_bind_int64(st, 6, (sqlite3_int64)e->first_line);
    sqlite3_bind_int64(st, 7, (sqlite3_int64)e->n_lines);
    sqlite3_bind_int(st, 8, e->is_record);
    bind_text(st, 9, e->likeness);
    if (!run(u, ST_ENTRY)) return false;
    st = u->st[ST_WORD];
    sqlite3_bind_int64(st, 1, sqlite3_last_insert_rowid(u->ix->db));
    bind_text(st, 2, e->name);
    bind_text(st, 3, e->title);
    bind_text(st, 4, e->body);
    tokens_each(e->name, strlen(e->name), take_word, u);
    tokens_each(e->body, strlen(e->body), take_word, u);
    return run(u, ST_WORD);
}

static bool drop_file(Update *u, int64_t id) {
    for (int which = ST_FILE_DROP; which <= ST_ENTRY_DROP; which++) {
        if (which != ST_FILE_DROP && which != ST_WORD_DROP && which != ST_ENTRY_DROP) continue;
        sqlite3_bind_int64(u->st[which], 1, id);
        if (!run(u, which)) return false;
    }
    return true;
}

static bool store_file(Update *u, const Found *f, const char *text, size_t n, const char *hash, Arena *job) {
    SplitList list;
    split_file(job, f->path, text, n, f->kind, &list);
    sqlite3_stmt *st = u->st[ST_FILE];
    bind_text(st, 1, f->path);
    sqlite3_bind_int(st, 2, f->kind);
    sqlite3_bind_int64(st, 3, f->mtime_ns);
    sqlite3_bind_int64(st, 4, f->n_bytes);
    bind_text(st, 5, hash);
    sqlite3_bind_int(st, 6, f->mine);
    bind_text(st, 7, list.fault);
    if (!run(u, ST_FILE)) return false;
    int64_t id = sqlite3_last_insert_rowid(u->ix->db);
    for (size_t i = 0; i < list.n; i++)
        if (!store_entry(u, id, &list.at[i])) return false;
    return true;
}

/* ---- files ----------------------------------------------------------------------------------- */

static Known *find_known(KnownList *k, const char *path) {
    if (!k->n_slots) return NULL;
    size_t at = hash_bytes(path, strlen(path)) & (k->n_slots - 1);
    for (; k->slot[at]; at = (at + 1) & (k->n_slots - 1))
        if (!strcmp(k->at[k->slot[at] - 1].path, path)) return &k->at[k->slot[at] - 1];
    return NULL;
}

static bool load_known(Update *u) {
    KnownList *k = &u->known;
    sqlite3_stmt *st =
        index_prepare(u->ix, "SELECT path, id, mtime_ns, n_bytes, hash, mine, kind FROM file", u->err);
    if (!st) return false;
    int rc;
    while ((rc = sqlite3_step(st)) == SQLITE_ROW) {
        const char *hash = (const char *)sqlite3_column_text(st, 4);
        Known one = {.path = arena_strdup(u->a, (const char *)sqlite3_column_text(st, 0)),
                     .id = sqlite3_column_int64(st, 1),
                     .mtime_ns = sqlite3_column_int64(st, 2),
                     .n_bytes = sqlite3_column_int64(st, 3),
                     .hash = arena_strdup(u->a, hash ? hash : ""),
                     .mine = sqlite3_column_int(st, 5),
                     .kind = sqlite3_column_int(st, 6)};
        vec_push(u->a, k, one);
    }
    sqlite3_finalize(st);
    if (rc != SQLITE_DONE) return index_fail(u->ix, "reading the search index", u->err);
    for (k->n_slots = 64; k->n_slots < k->n * 2; k->n_slots *= 2) {
    }
    k->slot = ARENA_ARRAY(u->a, k->n_slots, size_t);
    for (size_t i = 0; i < k->n; i++) {
        size_t at = hash_bytes(k->at[i].path, strlen(k->at[i].path)) & (k->n_slots - 1);
        while (k->slot[at]) at = (at + 1) & (k->n_slots - 1);
        k->slot[at] = i + 1;
    }
    return true;
}

/* A file that cannot be read now counts as gone: it may come back. */
static bool take_found(Update *u, const Found *f) {
    Known *k = find_known(&u->known, f->path);
    if (k && k->seen) return true; /* in two folders of the list: the first counts */
    if (k && k->mtime_ns == f->mtime_ns && k->n_bytes == f->n_bytes && k->kind == f->kind &&
        k->mine == f->mine)
        return k->seen = true;
    Arena *job = arena_new();
    Err read = {0};
    size_t n = 0;
    const char *text = fs_read(job, f->path, &n, &read);
    bool ok = true;
    if (text && n <= SPLIT_FILE_MAX) {
        const char *hash = arena_printf(job, "%016" PRIx64, hash_bytes(text, n));
        u->stats->n_read++;
        if (k && !strcmp(k->hash, hash) && k->kind == f->kind) {
            k->seen = true;
            sqlite3_stmt *st = u->st[ST_FILE_SET];
            sqlite3_bind_int64(st, 1, k->id);
            sqlite3_bind_int64(st, 2, f->mtime_ns);
            sqlite3_bind_int64(st, 3, f->n_bytes);
            sqlite3_bind_int(st, 4, f->mine);
            ok = run(u, ST_FILE_SET);
        } else {
            if (k) k->seen = true, ok = drop_file(u, k->id);
            ok = ok && store_file(u, f, text, n, hash, job);
        }
    }
    arena_free(job);
    return ok;
}

static bool drop_gone(Update *u, bool with_mine) {
    for (size_t i = 0; i < u->known.n; i++) {
        const Known *k = &u->known.at[i];
        if (k->seen || (k->mine && !with_mine)) continue;
        if (!drop_file(u, k->id)) return false;
        u->stats->n_removed++;
    }
    return true;
}

static bool take_all(Update *u, const FoundList *list) {
    for (size_t i = 0; i < list->n; i++)
        if (!take_found(u, &list->at[i])) return false;
    u->stats->n_files += list->n;
    return true;
}

/* ---- the update ------------------------------------------------------------------------------ */

static const char FORGET[] =
    "INSERT INTO word(word) VALUES('delete-all'); INSERT INTO piece(piece) VALUES('delete-all');"
    "DELETE FROM lexicon; DELETE FROM entry; DELETE FROM file; DELETE FROM traced; DELETE FROM note;";

typedef struct Plan {
    FoundList own, mine;
    bool with_mine;
    SearchUpdate how;
} Plan;

static bool note_state(SearchIndex *ix, const char *key, uint64_t state, Err *err) {
    char text[32];
    snprintf(text, sizeof text, "%016" PRIx64, state);
    return index_set_note(ix, key, text, err);
}

static bool is_state(SearchIndex *ix, Arena *a, const char *key, uint64_t state) {
    return strtoull(index_note(ix, a, key), NULL, 16) == state;
}

static bool apply(Update *u, const Plan *p) {
    if (p->how == SEARCH_FROM_NOTHING && !index_exec(u->ix, FORGET, u->err)) return false;
    for (int i = 0; i < N_STATEMENTS; i++)
        if (!(u->st[i] = index_prepare(u->ix, STATEMENTS[i], u->err))) return false;
    if (!load_known(u) || !take_all(u, &p->own) || (p->with_mine && !take_all(u, &p->mine))) return false;
    if (!drop_gone(u, p->with_mine) || !store_words(u)) return false;
    return note_state(u->ix, "own", p->own.state, u->err) &&
           (!p->with_mine || note_state(u->ix, "mine", p->mine.state, u->err));
}

/* Readers see all of it or nothing. */
static bool write_plan(SearchIndex *ix, const Plan *p, SearchStats *stats, Err *err) {
    Update u = {.ix = ix, .a = arena_new(), .err = err, .stats = stats};
    bool ok = index_exec(ix, "BEGIN IMMEDIATE", err);
    if (ok) {
        ok = apply(&u, p);
        for (int i = 0; i < N_STATEMENTS; i++) sqlite3_finalize(u.st[i]);
        ok = ok && index_exec(ix, "COMMIT", err);
        if (!ok) sqlite3_exec(ix->db, "ROLLBACK", NULL, NULL, NULL);
    }
    arena_free(u.a);
    return ok;
}

static int64_t now_s(void) {
    return (int64_t)time(NULL);
}

/* The user's folders are due: asked for, never looked at, their list was changed, or a minute has passed. */
static bool mine_is_due(SearchIndex *ix, Arena *a, SearchUpdate how, uint64_t list) {
    if (how != SEARCH_IF_STALE || !is_state(ix, a, "list", list)) return true;
    int64_t age = now_s() - strtoll(index_note(ix, a, "checked"), NULL, 10);
    return age < 0 || age >= MINE_CHECK_S;
}

static uint64_t list_state(const Folder *f, size_t n) {
    uint64_t h = n;
    for (size_t i = 0; i < n; i++)
        h = h * 31 + hash_bytes(f[i].path, strlen(f[i].path)) + (uint64_t)(f[i].kind + 1);
    return h;
}

static bool make_plan(SearchIndex *ix, Arena *a, SearchUpdate how, Plan *p, bool *fresh, uint64_t *list,
                      Err *err) {
    size_t n;
    Folder *folders = scan_folders(ix->places, a, &n, err);
    if (!folders) return false;
    *list = list_state(folders, n);
    p->how = how;
    p->own = scan_files(a, folders, n, false);
    p->with_mine = mine_is_due(ix, a, how, *list);
    if (p->with_mine) p->mine = scan_files(a, folders, n, true);
    *fresh = how != SEARCH_FROM_NOTHING && is_state(ix, a, "own", p->own.state) &&
             (!p->with_mine || is_state(ix, a, "mine", p->mine.state));
    return true;
}

static void count_all(SearchIndex *ix, SearchStats *stats) {
    sqlite3_stmt *st = NULL;
    if (sqlite3_prepare_v2(ix->db, "SELECT kind, count(*) FROM entry GROUP BY kind", -1, &st, NULL) ==
        SQLITE_OK)
        while (sqlite3_step(st) == SQLITE_ROW) {
            int k = sqlite3_column_int(st, 0);
            if (k >= 0 && k < SEARCH_N_KINDS) stats->n_entries[k] = (size_t)sqlite3_column_int64(st, 1);
        }
    sqlite3_finalize(st);
    if (sqlite3_prepare_v2(
            ix->db,
            "SELECT path, fault, count(*) OVER () FROM file WHERE fault IS NOT NULL ORDER BY path LIMIT 1",
            -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW) {
        stats->n_faults = (size_t)sqlite3_column_int64(st, 2);
        snprintf(stats->fault, sizeof stats->fault, "%s: %s", sqlite3_column_text(st, 0),
                 sqlite3_column_text(st, 1));
    }
    sqlite3_finalize(st);
}

static bool update_once(SearchIndex *ix, SearchUpdate how, SearchStats *stats, Err *err) {
    Arena *a = arena_new();
    Plan p = {0};
    bool fresh = false, ok = false;
    uint64_t list = 0;
    int lock = -1;
    if (!make_plan(ix, a, how, &p, &fresh, &list, err)) goto done;
    if (!fresh) { /* looked at again with the lock: another process may have done it, or more may have changed
                     meanwhile */
        if ((lock = index_lock(ix, err)) < 0 || !make_plan(ix, a, how, &p, &fresh, &list, err)) goto done;
        if (!fresh && !write_plan(ix, &p, stats, err)) goto done;
    }
    ok = true;
    if (p.with_mine) { /* only a note of when: losing it costs another look */
        char text[32];
        Err lost = {0};
        snprintf(text, sizeof text, "%" PRId64, now_s());
        (void)!(index_set_note(ix, "checked", text, &lost) && note_state(ix, "list", list, &lost));
    }
done:
    if (lock >= 0) close(lock);
    arena_free(a);
    return ok;
}

bool search_update(SearchIndex *ix, SearchUpdate how, SearchStats *stats, Err *err) {
    SearchStats none;
    double start = time_now_s();
    bool asked = stats != NULL;
    if (!stats) stats = &none;
    *stats = (SearchStats){0};
    bool ok = update_once(ix, how, stats, err);
    if (!ok && index_is_damaged(ix))
        ok = index_start_again(ix, err) && update_once(ix, SEARCH_FROM_NOTHING, stats, err);
    if (ok && asked) count_all(ix, stats);
    stats->wall_s = time_now_s() - start;
    return ok;
}

bool search_looks_fresh(const SearchPlaces *places) {
    SearchIndex *ix = search_peek(places);
    if (!ix) return false;
    Arena *a = arena_new();
    Err err = {0};
    size_t n;
    Folder *folders = scan_folders(places, a, &n, &err);
    bool fresh = folders && is_state(ix, a, "own", scan_files(a, folders, n, false).state);
    arena_free(a);
    search_close(ix);
    return fresh;
}
