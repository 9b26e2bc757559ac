/* The open index, for the files of this layer. SQLite is used here and nowhere else. */
#ifndef OPWRIGHT_SEARCH_INDEX_INT_H
#define OPWRIGHT_SEARCH_INDEX_INT_H

#include "search/search.h"

#include <sqlite3.h>

struct SearchIndex {
    sqlite3 *db;
    const SearchPlaces *places; /* copied into `arena` */
    Arena *arena;
    bool read_only;
    uint64_t inode; /* of the file that is open: another one at its place means that somebody made it anew */
};

/* Columns of the table of words, and how much a term counts in each. */
enum { FIELD_NAME, FIELD_TITLE, FIELD_BODY, N_FIELDS };
extern const double FIELD_WEIGHT[N_FIELDS];

/* Sets *err from the database's last message; returns false. */
bool index_fail(SearchIndex *ix, const char *doing, Err *err);
bool index_exec(SearchIndex *ix, const char *sql, Err *err) ERR_CHECKED;
/* NULL and *err when it cannot be prepared. */
sqlite3_stmt *index_prepare(SearchIndex *ix, const char *sql, Err *err) ERR_CHECKED;
/* A number or text of the table `note`; "" when it is not there. The text is the arena's. */
const char *index_note(SearchIndex *ix, Arena *a, const char *key);
bool index_set_note(SearchIndex *ix, const char *key, const char *value, Err *err) ERR_CHECKED;
/* True after a call failed because the file is damaged. */
bool index_is_damaged(const SearchIndex *ix);
/* Looks through the whole file; false when something in it is wrong. */
bool index_is_sound(SearchIndex *ix);
/* One writer at a time, across processes: a lock file beside the index. -1 after an error; closing it gives
 * it back. */
int index_lock(SearchIndex *ix, Err *err) ERR_CHECKED;
/* Closes, removes the file (unless another process has just done so) and opens a new one. */
bool index_start_again(SearchIndex *ix, Err *err) ERR_CHECKED;

/* rank.c: makes the tokenizer `ow` and the function ow_rank known to a connection. */
bool rank_register(sqlite3 *db, Err *err) ERR_CHECKED;

/* What ow_rank gets as a blob, one for each phrase of the MATCH expression, in order. */
typedef struct RankPhrase {
    double
        weight; /* of the phrase beside others of its group: a word of an identifier, a synonym counts less */
    double idf;
    int group; /* phrases of one word of the query */
    int n_groups;
    double group_idf;
} RankPhrase;

/* scan.c: the folders that are searched, and what lies in them. */
typedef struct Folder {
    const char *path;
    int kind;           /* or SPLIT_KIND_AUTO */
    const char *ending; /* only files that end so; NULL: all that can be read */
    const char *except; /* none that end so; NULL: no exception */
    bool deep;          /* with folders below */
    bool mine;          /* a user's own: not looked at at every search */
} Folder;
typedef struct Found {
    const char *path;
    int64_t mtime_ns, n_bytes;
    int kind;
    bool mine;
} Found;
typedef struct FoundList {
    Found *at;
    size_t n, cap;
    uint64_t state; /* of all of them together, whatever their order: equal states mean nothing has changed */
} FoundList;
/* The folders that count now; NULL after an error. */
Folder *scan_folders(const SearchPlaces *p, Arena *a, size_t *n, Err *err) ERR_CHECKED;
/* Files below the folders with `mine` as asked; each once. */
FoundList scan_files(Arena *a, const Folder *folders, size_t n, bool mine);

/* snippet.c: the lines of `body` that answer best, given the query's terms. */
typedef struct TermSet TermSet;
TermSet *terms_new(Arena *a);
void terms_add(TermSet *t, Arena *a, const char *text, size_t n_bytes, double weight);
void snippet_choose(Arena *a, const char *body, const TermSet *terms, SearchHit *hit);

#endif
