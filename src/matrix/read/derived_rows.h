/* Rows that say only what differs from another one. */
#ifndef TMPLGEN_DERIVED_ROWS_H
#define TMPLGEN_DERIVED_ROWS_H

#include "base/err.h"

struct arena;
struct section;
struct yaml_node;

/* The rows of a list by what `like` calls them. */
struct named_rows {
    const struct section *section;
    const struct yaml_node *list; /* NULL: none */
    struct named_row *rows;       /* sorted; NULL: not made yet */
    size_t count;
};

/*
 * Writes out a row `map`: the keys that it does not give are those of the row that its key `like`
 * names, but for what a row says of itself (fact_fields). That one is looked for in `own`, then in
 * `curated` (those under an overlay; no list: none). Where there is no `like`, `map` itself. The
 * nodes keep their places. Exit 2 where there is no such row, or rows are like each other.
 */
TG_CHECKED int derived_rows_expand(const struct yaml_node **out, struct arena *arena,
                                   struct named_rows *own, struct named_rows *curated,
                                   const struct yaml_node *map, struct err *err);

#endif
