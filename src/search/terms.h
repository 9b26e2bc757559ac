/* A query as weighted phrases: its own words, words inside its identifiers, neighbours written as one, other
 * words for the same thing, and names that hold a piece of it. */
#ifndef OPWRIGHT_SEARCH_TERMS_H
#define OPWRIGHT_SEARCH_TERMS_H

#include "search/index_int.h"

typedef struct Phrase {
    const char *text; /* terms apart by spaces */
    double weight, idf;
    size_t n_rows; /* entries with it, at most */
    int group;
} Phrase;

typedef struct QueryGroup {
    const char *word; /* as an entry's name would have it: one term; NULL: no name can be that */
    double idf;       /* of its best phrase */
    double weight;    /* how much covering it counts */
} QueryGroup;

#define QUERY_GROUPS_MAX  96
#define QUERY_PHRASES_MAX 400

typedef struct QueryTerms {
    Phrase phrase[QUERY_PHRASES_MAX];
    size_t n_phrases;
    QueryGroup group[QUERY_GROUPS_MAX];
    size_t n_groups;
    double n_entries;
} QueryTerms;

/* Reads the query; phrases that no entry has are left out. */
bool terms_read(SearchIndex *ix, Arena *a, const char *text, size_t n_bytes, QueryTerms *out,
                Err *err) ERR_CHECKED;

#endif
