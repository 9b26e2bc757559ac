/* The SQLite file: opening, its form, damage. Everything in it can be made again from the files, so whatever
 * is wrong with it is answered by making it anew. */
#include "search/index_int.h"

#include "base/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* A number of another form: the index is made again. */
#define FORM_VERSION 2
#define BUSY_WAIT_MS 20000

static const char SCHEMA[] = "CREATE TABLE note(key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID;"
                             "CREATE TABLE file(id INTEGER PRIMARY KEY, path TEXT UNIQUE NOT NULL, kind "
                             "INTEGER, mtime_ns INTEGER, n_bytes INTEGER, hash TEXT,"
                             "  mine INTEGER, fault TEXT);"
                             "CREATE TABLE entry(id INTEGER PRIMARY KEY, file INTEGER NOT NULL, kind INTEGER "
                             "NOT NULL, name TEXT, title TEXT, body TEXT,"
                             "  first_line INTEGER, n_lines INTEGER, is_record INTEGER,"
                             "  likeness TEXT);"
                             "CREATE INDEX entry_file ON entry(file);"
                             "CREATE INDEX entry_kind ON entry(kind);"
                             "CREATE VIRTUAL TABLE word USING fts5(name, title, body, content='entry', "
                             "content_rowid='id', tokenize='ow');"
                             "CREATE TABLE lexicon(id INTEGER PRIMARY KEY, word TEXT UNIQUE NOT NULL);"
                             "CREATE VIRTUAL TABLE piece USING fts5(word, content='lexicon', "
                             "content_rowid='id', tokenize='trigram', columnsize=0);"
                             "CREATE VIRTUAL TABLE term USING fts5vocab('word', 'row');"
                             "CREATE TABLE traced(hash TEXT PRIMARY KEY, likeness TEXT) WITHOUT ROWID;";

bool index_fail(SearchIndex *ix, const char *doing, Err *err) {
    return err_set(err, ERR_IO, ix->places->index, "%s: %s", doing, sqlite3_errmsg(ix->db));
}

bool index_exec(SearchIndex *ix, const char *sql, Err *err) {
    return sqlite3_exec(ix->db, sql, NULL, NULL, NULL) == SQLITE_OK ||
           index_fail(ix, "changing the search index", err);
}

sqlite3_stmt *index_prepare(SearchIndex *ix, const char *sql, Err *err) {
    sqlite3_stmt *st = NULL;
    if (sqlite3_prepare_v2(ix->db, sql, -1, &st, NULL) != SQLITE_OK)
        index_fail(ix, "reading the search index", err);
    return st;
}

const char *index_note(SearchIndex *ix, Arena *a, const char *key) {
    sqlite3_stmt *st = NULL;
    const char *value = "";
    if (sqlite3_prepare_v2(ix->db, "SELECT value FROM note WHERE key = ?1", -1, &st, NULL) == SQLITE_OK) {
        sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
        if (sqlite3_step(st) == SQLITE_ROW && sqlite3_column_text(st, 0))
            value = arena_strdup(a, (const char *)sqlite3_column_text(st, 0));
    }
    sqlite3_finalize(st);
    return value;
}

bool index_set_note(SearchIndex *ix, const char *key, const char *value, Err *err) {
    sqlite3_stmt *st = index_prepare(ix, "INSERT OR REPLACE INTO note VALUES(?1, ?2)", err);
    if (!st) return false;
    sqlite3_bind_text(st, 1, key, -1, SQLITE_STATIC);
    sqlite3_bind_text(st, 2, value, -1, SQLITE_STATIC);
    bool ok = sqlite3_step(st) == SQLITE_DONE || index_fail(ix, "writing the search index", err);
    sqlite3_finalize(st);
    return ok;
}

bool index_is_damaged(const SearchIndex *ix) {
    int rc = sqlite3_errcode(ix->db) & 0xff;
    return rc == SQLITE_CORRUPT || rc == SQLITE_NOTADB ||
           sqlite3_extended_errcode(ix->db) == SQLITE_READONLY_DBMOVED;
}

bool index_is_sound(SearchIndex *ix) {
    sqlite3_stmt *st = NULL;
    bool sound = sqlite3_prepare_v2(ix->db, "PRAGMA quick_check(1)", -1, &st, NULL) == SQLITE_OK &&
                 sqlite3_step(st) == SQLITE_ROW && !strcmp((const char *)sqlite3_column_text(st, 0), "ok");
    sqlite3_finalize(st);
    return sound;
}

int index_lock(SearchIndex *ix, Err *err) {
    const char *path = arena_printf(ix->arena, "%s.lock", ix->places->index);
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666), rc = -1;
    while (fd >= 0 && (rc = flock(fd, LOCK_EX)) != 0 && errno == EINTR) {
    }
    if (rc == 0) return fd;
    err_set(err, ERR_IO, path, "cannot lock: %s", strerror(errno));
    if (fd >= 0) close(fd);
    return -1;
}

static uint64_t inode_at(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 ? (uint64_t)st.st_ino : 0;
}

static int form_of(sqlite3 *db) {
    sqlite3_stmt *st = NULL;
    int form = -1;
    if (sqlite3_prepare_v2(db, "PRAGMA user_version", -1, &st, NULL) == SQLITE_OK &&
        sqlite3_step(st) == SQLITE_ROW)
        form = sqlite3_column_int(st, 0);
    sqlite3_finalize(st);
    return form;
}

/* Tables in an empty file. The lock is held: SQLite does not wait for others when it changes to the
 * write-ahead log. */
static bool make_tables(SearchIndex *ix, Err *err) {
    char sql[64];
    if (form_of(ix->db) == FORM_VERSION) return true;
    if (!index_exec(ix, "PRAGMA journal_mode = WAL", err) || !index_exec(ix, "BEGIN IMMEDIATE", err))
        return false;
    snprintf(sql, sizeof sql, "PRAGMA user_version = %d", FORM_VERSION);
    bool ok = index_exec(ix, SCHEMA, err) && index_exec(ix, sql, err) && index_exec(ix, "COMMIT", err);
    if (!ok) sqlite3_exec(ix->db, "ROLLBACK", NULL, NULL, NULL);
    return ok;
}

/* `locked`: the caller holds the lock. */
static bool open_file(SearchIndex *ix, bool locked, Err *err) {
    int flags = ix->read_only ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE;
    if (sqlite3_open_v2(ix->places->index, &ix->db, flags | SQLITE_OPEN_NOMUTEX, NULL) != SQLITE_OK)
        return index_fail(ix, "opening the search index", err);
    sqlite3_extended_result_codes(ix->db, 1);
    sqlite3_busy_timeout(ix->db, ix->read_only ? 5 : BUSY_WAIT_MS);
    ix->inode = inode_at(ix->places->index);
    if (!rank_register(ix->db, err)) return false;
    int form = form_of(ix->db);
    if (ix->read_only)
        return form == FORM_VERSION || err_set(err, ERR_NOT_FOUND, ix->places->index, "no index yet");
    if (form != FORM_VERSION) {
        int lock = locked ? -1 : index_lock(ix, err);
        if (!locked && lock < 0) return false;
        bool ok = make_tables(ix, err);
        if (lock >= 0) close(lock);
        if (!ok) return false;
    }
    return index_exec(ix, "PRAGMA synchronous = NORMAL", err);
}

static void remove_files(const char *path) {
    char name[4200];
    static const char *const ENDINGS[] = {"", "-wal", "-shm"};
    for (size_t i = 0; i < sizeof ENDINGS / sizeof ENDINGS[0]; i++)
        if (snprintf(name, sizeof name, "%s%s", path, ENDINGS[i]) < (int)sizeof name) unlink(name);
}

bool index_start_again(SearchIndex *ix, Err *err) {
    uint64_t was = ix->inode;
    sqlite3_close(ix->db);
    ix->db = NULL;
    *err = (Err){0};
    int lock = index_lock(ix, err);
    if (lock < 0) return false;
    if (inode_at(ix->places->index) == was) remove_files(ix->places->index);
    bool ok = open_file(ix, true, err);
    close(lock);
    return ok;
}

static SearchIndex *new_index(const SearchPlaces *p, bool read_only) {
    Arena *a = arena_new();
    SearchIndex *ix = ARENA_NEW(a, SearchIndex);
    SearchPlaces *own = ARENA_NEW(a, SearchPlaces);
    own->home = p->home ? arena_strdup(a, p->home) : NULL;
    own->store = p->store ? arena_strdup(a, p->store) : NULL;
    own->index = arena_strdup(a, p->index);
    own->added = arena_strdup(a, p->added);
    *ix = (SearchIndex){.arena = a, .places = own, .read_only = read_only};
    return ix;
}

SearchIndex *search_open(const SearchPlaces *places, Err *err) {
    SearchIndex *ix = new_index(places, false);
    const char *slash = strrchr(places->index, '/');
    if (slash && slash != places->index &&
        !fs_make_dirs(arena_strndup(ix->arena, places->index, (size_t)(slash - places->index)), err)) {
        err_hint(err, "set OPWRIGHT_INDEX_DIR to a folder that may be written to");
        search_close(ix);
        return NULL;
    }
    bool ok = open_file(ix, false, err);
    if (!ok && ix->db && (index_is_damaged(ix) || (form_of(ix->db) > 0 && form_of(ix->db) != FORM_VERSION)))
        ok = index_start_again(ix, err);
    if (ok) return ix;
    search_close(ix);
    return NULL;
}

SearchIndex *search_peek(const SearchPlaces *places) {
    if (access(places->index, R_OK) != 0) return NULL;
    SearchIndex *ix = new_index(places, true);
    Err err = {0};
    if (open_file(ix, false, &err)) return ix;
    search_close(ix);
    return NULL;
}

void search_close(SearchIndex *ix) {
    if (!ix) return;
    sqlite3_close(ix->db);
    arena_free(ix->arena);
}
