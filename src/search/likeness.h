/* What an operator is built of, so that two can be compared without their names: the features of features.def
 * with their number, over which axes it reduces, how its operands broadcast, and its ranks. Read from a
 * traced graph, or, with less in it, from the calls of a kernel. */
#ifndef OPWRIGHT_SEARCH_LIKENESS_H
#define OPWRIGHT_SEARCH_LIKENESS_H

#include "graph/graph.h"

typedef enum {
    LIKE_REDUCES_ALL = 1,
    LIKE_REDUCES_LAST = 2,
    LIKE_REDUCES_FIRST = 4,
    LIKE_REDUCES_INNER = 8
} LikeReduce;
typedef enum { LIKE_ROW = 1, LIKE_COLUMN = 2, LIKE_CHANNEL = 4, LIKE_SCALAR = 8 } LikeBroadcast;

#define LIKE_FEATURES_MAX 64

typedef struct Likeness {
    unsigned short count[LIKE_FEATURES_MAX]; /* by row of features.def */
    unsigned reduces, broadcasts;            /* bits; 0 in a kernel's */
    unsigned rank_in, rank_out;              /* largest */
    unsigned n_inputs;
    bool traced; /* from a graph */
} Likeness;

Likeness likeness_of_graph(const Graph *g);
Likeness likeness_of_kernel(const char *source);
/* "T sum:1 exp:2 ..." and back; false when it is none (of another table, for instance). */
char *likeness_print(Arena *a, const Likeness *l);
bool likeness_parse(const char *text, Likeness *out);
/* 0: nothing alike, 1: the same structure. `rarity` per feature, see likeness_rarity. */
double likeness_compare(const Likeness *a, const Likeness *b, const double *rarity);
/* How much a feature tells among `n` operators. */
void likeness_rarity(const Likeness *const *all, size_t n, double rarity[LIKE_FEATURES_MAX]);
/* "exp, sum over the last axis; broadcast of a row", in the order of the table; "" when nothing is shared. */
char *likeness_shared(Arena *a, const Likeness *x, const Likeness *y);
bool likeness_is_empty(const Likeness *l);

#endif
