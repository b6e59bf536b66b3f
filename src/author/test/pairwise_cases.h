/* The pairwise cases of a type: combinations of answers, each of which makes a child. */
#ifndef TMPLGEN_PAIRWISE_CASES_H
#define TMPLGEN_PAIRWISE_CASES_H

#include "author/test/factors.h"
#include "author/test/pairs.h"
#include "base/err.h"
#include "child/making.h"

#include <stddef.h>

struct arena;
struct catalog;
struct stack_slot;
struct yaml_node;

struct pairwise_cases {
    struct arena *arena;
    struct making making; /* with the type, and nothing else */
    struct factors factors;
    struct pair_rows pairs;
    struct stack_slot *stacks; /* one for each pair of framework and variant, once it is resolved */
};

/* Finds them for a type of a catalog. `samples` as in author/test/factors.h. */
TG_CHECKED int cases_find(struct pairwise_cases *out, struct arena *arena,
                          const struct catalog *catalog, const char *type,
                          const struct yaml_node *samples, struct err *err);
/*
 * The same cases of another revision of the catalog: what its type does not ask is not said to it.
 * 1; 0 where it has no such type.
 */
TG_CHECKED int cases_of(struct pairwise_cases *out, const struct pairwise_cases *cases,
                        const struct catalog *catalog, struct err *err);
/*
 * Renders a case in `arena`. The run's budget begins anew for each. 1; 0 where it is ruled out,
 * which never is one of those that were found.
 */
TG_CHECKED int cases_render(struct making *out, struct arena *arena,
                            const struct pairwise_cases *cases, size_t number, struct err *err);

/* What is said in a case, for people: "framework=jax ci=none"; "defaults" where nothing is. */
const char *cases_label(struct arena *arena, const struct pairwise_cases *cases, size_t number);
/* The command that renders a case again, of the catalog `source`. */
const char *cases_command(struct arena *arena, const struct pairwise_cases *cases, size_t number,
                          const char *source);
/* Values that no case takes, as "NAME=VALUE". */
size_t cases_unreached(const char ***out, struct arena *arena, const struct pairwise_cases *cases);

#endif
