/* Schedule families. A family knows how to run a group of nodes, a stage, as loops over tiles: which nodes
 * are its own (anchors), what pointwise work around them it takes in, what space and tiles they run over, and
 * what that costs. The text is written by the family's other half in codegen (codegen/emit.h).
 * docs/lowering.md tells how one is added. */
#ifndef OPWRIGHT_LOWER_FAMILY_H
#define OPWRIGHT_LOWER_FAMILY_H

#include "base/strbuf.h"
#include "lower/plan.h"
#include "lower/stage.h"

/* What may stand between an anchor's arguments and the inputs of its stage. What is more becomes a stage of
 * its own. */
typedef enum {
    PROLOGUE_NONE,  /* nothing: tensors as they lie in memory */
    PROLOGUE_VIEWS, /* views */
    PROLOGUE_ALL    /* views and pointwise work */
} FamilyPrologue;

typedef struct Family {
    const char *name; /* "reduce" */
    const char *what; /* for people: "reductions along some dimensions, ..." */
    FamilyPrologue prologue;
    bool takes_ints; /* passes of tiles: integers of all dtypes are computed as int32 */
    /* Operators that are anchors of this family, for the trace: n_ops names. */
    size_t (*n_ops)(void);
    const char *(*op_name)(size_t i);
    /* Is node n an anchor of this family? NULL: it has none. */
    bool (*claims)(const GraphNode *n);
    /* When `arg`, an argument of anchor n or an item of one that is a list, holds indices: what they must be less than; *from_end: negative ones count
     * from the end. NULL: the family takes no
     * indices. */
    const Size *(*index_below)(Arena *a, const Graph *g, const GraphNode *n, const GraphArg *arg, bool *from_end);
    /* Relation number i between the sizes of anchor n's tensors; false: there are no more. NULL: there are none. */
    bool (*relation)(Arena *a, const Graph *g, const GraphNode *n, size_t i, GraphRelation *out);
    /* Argument i of anchor n can be made a tensor in memory where the family cannot compute it on the way; NULL: all can. */
    bool (*from_memory)(const GraphNode *n, size_t i);
    /* Buffers in UB beside those of accesses and slots, to the end of the list; NULL: none. */
    void (*add_buffers)(Arena *a, const PlanPass *p, size_t v, PlanBuffers *list);
    /* May anchor n run in stage s, which has anchors already? It comes after all stages n depends on, or is
     * the last of them. NULL: never. The stage's graph is cut so that n is in it. */
    bool (*joins)(const Stage *s, const GraphNode *n);
    /* May stage s also compute and store value v, which depends on its anchors? NULL: only results of its
     * anchors. */
    bool (*takes)(const Stage *s, uint32_t v);
    /* Adds the passes of a stage for a variant of the graph: accesses, space, instructions. The structure
     * must not depend on the variant, or the variant is left out. */
    bool (*lower)(Arena *a, const Stage *s, size_t variant, PlanPasses *passes, GraphBounds *bounds,
                  Err *err);
    /* How often a pass moves an access's elements between memory and UB, with the sizes of the user's file;
     * NULL: once. */
    double (*times_moved)(const Graph *g, const PlanPass *p, const PlanAccess *acc);
    /* An access is moved more than once only because a later phase needs it when a reduction is finished (lower/work.h). */
    bool moves_by_phase;
    /* Gives values their places. The accesses' dtypes are per variant of the plan by now. NULL: it has no such values. */
    bool (*finish)(Arena *a, PlanPass *p, Err *err);
    /* Is the private part of two variants' passes alike? NULL: there is none that matters. */
    bool (*same)(const PlanPass *x, const PlanPass *y);
    /* Rules of finished passes; for tests and --check. NULL: none. */
    bool (*check)(const PlanPass *p, Err *err);
    void (*print)(StrBuf *sb, const Plan *plan, const PlanPass *p, size_t index);
} Family;

size_t family_count(void);
const Family *family_at(size_t i);
/* The first family that claims n; NULL. */
const Family *family_of(const GraphNode *n);
/* Nodes that are computed wherever they are needed: views, fills, pointwise ops. */
bool family_is_free(const GraphNode *n);

/* Of the i-th anchor op (plan_anchor_name). */
const Family *plan_anchor_family(size_t i);

#define FAMILY(id) extern const Family FAMILY_##id;
#include "lower/families.def"
#undef FAMILY

#endif
