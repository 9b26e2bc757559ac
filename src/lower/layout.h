/* What the operators of the layout family do to indices. Internal to src/lower. */
#ifndef OPWRIGHT_LOWER_LAYOUT_H
#define OPWRIGHT_LOWER_LAYOUT_H

#include "lower/index_map.h"

/* A change of the pass's space that an operator asks for: all of the space does not come from one operand. */
typedef struct LayoutCut {
    bool wanted, is_split;
    uint32_t p;         /* dimension of the space */
    const Size *at;     /* elements before the cut */
    const Size *inner;  /* is_split: elements of the inner of two dimensions */
} LayoutCut;

/* What an operator finds out about one question: node n over the elements that *map names. */
typedef struct LayoutAsk {
    Lower *lo;
    const GraphNode *n;
    const IndexMap *box; /* the elements of the output that the pass fills */
    const GraphShape *output;
    IndexMap map;
    LayoutCut *cut;
    const GraphArg *from; /* answer: the argument whose elements `map` now names; NULL: number */
    const GraphArg *number; /* NULL: 0 */
} LayoutAsk;

size_t layout_count(void);
const char *layout_name(size_t i);
bool layout_claims(const GraphNode *n);
/* False with cut->wanted: change the space and ask again; else *lo->err is set. */
bool layout_ask(LayoutAsk *q) ERR_CHECKED;

#endif
