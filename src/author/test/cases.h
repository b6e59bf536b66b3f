/* The pairwise cases of a type: what can be said of a child, combinations in which every two values
 * meet at least once, and the child that each of these makes. */
#pragma once

#include "base/err.h"
#include "child/making.h"
#include "resolver/request.h"

#include <stdbool.h>
#include <stddef.h>

struct stack_slot;

struct factor {
    const char *name;
    enum stack_choice choice; /* CHOICE_COUNT: it is a question */
    const char **values;      /* as --set takes them; NULL: nothing is said */
    size_t count;
};

struct factors {
    struct factor *items;
    size_t count;
};

/*
 * Of a making that has its type: the frameworks, with and without a GPU, then each question: both
 * of a bool, each of a choice; of a list none, each and all; of a text its default, nothing, and
 * one that is hard on templates as far as its pattern goes; of a number its default, `min`, `max`,
 * and 0 and 1 where they lie between. Of what is computed and of secrets nothing. `samples`, a map
 * of lists by question, or NULL, is what to try of a question instead.
 */
TG_CHECKED int factors_find(struct factors *out, struct arena *arena, const struct making *making,
                            const struct yaml_node *samples, struct err *err);

/* Factors by number, each with so many values. A row has a value of each. */
struct pairs_problem {
    const size_t *values;
    size_t count;
    /*
     * Says which value of each factor has an effect in a row: -1 where it has none (a question that
     * is not asked). 1; 0 where the row is ruled out; -1 on failure.
     */
    int (*attempt)(int *effect, void *context, const int *row, struct err *err);
    void *context;
};

struct pair_rows {
    int **rows;
    size_t count;
    size_t met;    /* pairs that have an effect together in one of the rows */
    bool *reached; /* of each value of each factor in their order: it has an effect in some row */
    size_t ruled_out; /* pairs of values with an effect, of which no row was found */
};

/*
 * The rows, by greed: none at random, the same for the same problem, the first all of value 0
 * unless it is ruled out. A value that has an effect only beside others is found through them,
 * whatever stands between. More than LIMIT_CASES rows: exit 2, "limit".
 */
TG_CHECKED int pairs_cover(struct pair_rows *out, struct arena *arena,
                           const struct pairs_problem *problem, struct err *err);

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
