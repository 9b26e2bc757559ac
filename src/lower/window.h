/* The window family: pooling and resizing. Along each of up to three dimensions, depth, rows and columns, output index o
 * takes input elements at its taps t, of which those outside the input are left out:
 *
 *   POOL      o * stride - padding + t * dilation                for kernel taps
 *   ADAPTIVE  floor(o * in / out) + t                            below ceil((o + 1) * in / out)
 *   TABLE     index[o, t], each with a weight[o, t]              for as many taps as the table has
 *
 * A sum of a POOL or ADAPTIVE dimension may be divided by the number of taps (WindowDivisor). Dimensions in which nothing
 * is done are merged into those before: there are always rows and columns, depth only when three dimensions have windows. */
#ifndef OPWRIGHT_LOWER_WINDOW_H
#define OPWRIGHT_LOWER_WINDOW_H

#include "lower/plan.h"

typedef enum { WINDOW_POOL, WINDOW_ADAPTIVE, WINDOW_TABLE } WindowKind;
typedef enum { WINDOW_NOT_DIVIDED, WINDOW_BY_TAPS_INSIDE, WINDOW_BY_TAPS_PADDED, WINDOW_BY_NUMBER } WindowDivisor;
typedef enum { WINDOW_SUM, WINDOW_MAX } WindowFold;

typedef struct WindowAxis {
    WindowKind kind;
    WindowDivisor divisor;
    const Size *in, *out;
    const Size *kernel, *stride, *padding, *dilation; /* POOL */
    const Size *taps;                                 /* the most an output element has */
    const Size *number;                               /* WINDOW_BY_NUMBER */
    uint32_t index, weight;                           /* TABLE: accesses */
} WindowAxis;

#define WINDOW_DEPTH 0
#define WINDOW_ROWS  1
#define WINDOW_COLS  2

typedef struct WindowPlan {
    WindowFold fold;
    bool has_depth;
    const Size *outer;    /* dimensions before those with windows, as one */
    WindowAxis axis[3];   /* WINDOW_DEPTH, WINDOW_ROWS, WINDOW_COLS */
    int32_t value, place; /* accesses of the stores: of values, of their places within the input's plane; -1: none */
    const Size *plane_rows; /* rows that places count: of one plane, when rows are those of several */
    uint32_t input;       /* access */
} WindowPlan;

const WindowPlan *window_plan(const PlanPass *p);

#endif
