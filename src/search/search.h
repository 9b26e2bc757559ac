/* Finds past work and knowledge again (docs/search.md): golden solutions, lessons, documents, the API table
 * and examples. The files are the truth. The index is made from them, brought up to date before each search,
 * and made anew when it is damaged; it can be deleted at any time. Several processes may use it at once:
 * readers go on while one writes. */
#ifndef OPWRIGHT_SEARCH_SEARCH_H
#define OPWRIGHT_SEARCH_SEARCH_H

#include "base/arena.h"
#include "base/err.h"
#include "bridge/bridge.h"

#include <stdint.h>

typedef enum {
#define KIND(id, name, weight, plural) SEARCH_##id,
#include "search/kinds.def"
#undef KIND
    SEARCH_N_KINDS
} SearchKind;

const char *search_kind_name(SearchKind k);
const char *search_kind_plural(SearchKind k);
bool search_kind_find(const char *name, SearchKind *out);

/* Where things lie. */
typedef struct SearchPlaces {
    const char *home;  /* opwright's own files; NULL: none are searched */
    const char *store; /* folder with reference/golden_solutions and reference/issues; need not be there */
    const char *index; /* the SQLite file, in the cache */
    const char *added; /* JSON list of the folders a user added */
} SearchPlaces;

/* From the environment: $OPWRIGHT_INDEX_DIR or the XDG cache and data folders. `home` and `store` may be
 * NULL. */
bool search_places(Arena *a, const char *home, const char *store, SearchPlaces *out, Err *err) ERR_CHECKED;

typedef struct SearchIndex SearchIndex;

/* Opens the index and makes it when it is missing or damaged (empty until search_update). NULL after an
 * error. */
SearchIndex *search_open(const SearchPlaces *places, Err *err) ERR_CHECKED;
/* Opens only an index that is there and whole, to read; NULL without a word when there is none. Never waits.
 */
SearchIndex *search_peek(const SearchPlaces *places);
void search_close(SearchIndex *ix); /* NULL is allowed */

typedef struct SearchStats {
    size_t n_files, n_read, n_removed; /* looked at; read because new or changed; gone */
    size_t n_entries[SEARCH_N_KINDS];  /* in the index afterwards */
    size_t n_faults;                   /* files that could not be read as what they are */
    char fault[600];                   /* the first of them */
    double wall_s;
} SearchStats;

typedef enum { SEARCH_IF_STALE, SEARCH_ALL_FOLDERS, SEARCH_FROM_NOTHING } SearchUpdate;

/* Takes in what changed since (by time, size, then content). IF_STALE looks at a user's own folders once a
 * minute at most. FROM_NOTHING forgets everything first; readers see the old index until it is done. `stats`
 * may be NULL. */
bool search_update(SearchIndex *ix, SearchUpdate how, SearchStats *stats, Err *err) ERR_CHECKED;
/* True when there is an index and opwright's own folders and the store are as it knows them. Costs a few ms.
 */
bool search_looks_fresh(const SearchPlaces *places);

/* Puts a folder or file into the user's list, or takes it out; `kind` < 0: each file by what it is. */
bool search_add_path(const SearchPlaces *places, const char *path, int kind, Err *err) ERR_CHECKED;
bool search_drop_path(const SearchPlaces *places, const char *path, Err *err) ERR_CHECKED;
/* Paths in the user's list; NULL after an error. */
const char **search_added_paths(Arena *a, const SearchPlaces *places, size_t *n, Err *err) ERR_CHECKED;

typedef struct SearchHit {
    SearchKind kind;
    const char *name, *title, *path;
    size_t first_line, last_line; /* of the stretch that answers best */
    const char *snippet;          /* its text, at most SEARCH_SNIPPET_LINES lines */
    double score;                 /* higher is better; only comparable within one answer */
    const char *shared;           /* of a --like search: what both have in common; else NULL */
} SearchHit;

#define SEARCH_SNIPPET_LINES 8
#define SEARCH_LIMIT_MAX     100
#define SEARCH_QUERY_MAX     4096 /* bytes that count of a query; the rest is not looked at */

typedef struct SearchQuery {
    const char *text;
    unsigned kinds; /* bit per SearchKind; 0: all */
    size_t limit;   /* 0: 10 */
} SearchQuery;

typedef struct SearchHits {
    SearchHit *at;
    size_t n;
} SearchHits;

/* The best entries for words, code or an error text, best first; none is no error. All belongs to the arena.
 */
bool search_query(SearchIndex *ix, Arena *a, const SearchQuery *q, SearchHits *out, Err *err) ERR_CHECKED;

typedef struct SearchLike {
    const char *reference; /* a reference file */
    unsigned kinds;        /* golden and example count */
    size_t limit;
} SearchLike;

/* Solved operators whose computation is nearest: which operators, over which axes, broadcast how, of which
 * ranks; names play no part. Scores are from 0 to 1. References that were not seen before are traced. False:
 * the file is no reference. */
bool search_like(SearchIndex *ix, Arena *a, Bridge *bridge, const SearchLike *q, SearchHits *out,
                 Err *err) ERR_CHECKED;

#endif
