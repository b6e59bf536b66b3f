/* Combinations in which every two values of two things meet at least once. */
#ifndef TMPLGEN_PAIRS_H
#define TMPLGEN_PAIRS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

/* Factors by number, each with so many levels. A row has a level of each. */
struct pairs_problem {
    const size_t *levels;
    size_t count;
    /*
     * Says which level of each factor has an effect in a row: -1 where it has none (a question that
     * is not asked). 1; 0 where the row is ruled out; -1 on failure.
     */
    int (*attempt)(int *effect, void *context, const int *row, struct err *err);
    void *context;
};

struct pair_rows {
    int **rows;
    size_t count;
    size_t met;    /* pairs that have an effect together in one of the rows */
    bool *reached; /* of each level of each factor in their order: it has an effect in some row */
    size_t ruled_out; /* pairs of levels with an effect, of which no row was found */
};

/*
 * The rows, by greed: none at random, the same for the same problem, the first all of level 0
 * unless it is ruled out. A level that has an effect only beside others is found through them,
 * whatever stands between. More than LIMIT_CASES rows: exit 2, "limit".
 */
TG_CHECKED int pairs_cover(struct pair_rows *out, struct arena *arena,
                           const struct pairs_problem *problem, struct err *err);

#endif
