/* What the parts of cutting share. Internal to src/lower/stage*.c. */
#ifndef OPWRIGHT_LOWER_STAGE_INT_H
#define OPWRIGHT_LOWER_STAGE_INT_H

#include "graph/views.h"

typedef VEC(GraphView) ViewList;

/* How the values of a graph are read from memory, as far as stages are placed: found out when asked, and kept. */
typedef struct StageViews {
    Arena *a;
    const Graph *g;
    const int32_t *made_by; /* per value: the stage that leaves it; negative: none */
    const ViewList **of;    /* per value; NULL: not asked yet */
} StageViews;

/* The views, each of a tensor that lies in memory, through which `value` is computed. */
const ViewList *stage_views(StageViews *w, uint32_t value);
/* Does view node n give its argument another shape that takes a copy? */
bool stage_reshape_copies(StageViews *w, const GraphNode *n);

#endif
