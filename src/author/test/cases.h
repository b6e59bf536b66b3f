/* The pairwise cases of a type: the factors of a child, combinations in which every two values
 * meet at least once, and the child that each combination makes. */
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
    const char **values;      /* as --set takes them; NULL: no value is given */
    size_t count;
};

struct factors {
    struct factor *items;
    size_t count;
};

/*
 * Finds the factors of a making that has its type: the frameworks, with and without a GPU, then
 * each question. A bool has both values, a choice each; a list none, each and all; a text its
 * default, nothing, and one that is hard on templates as far as its pattern allows; a number its
 * default, `min`, `max`, and 0 and 1 where they lie between. Computed questions and secrets have no
 * values. `samples`, a map of lists by question, or NULL, replaces a question's values.
 */
TG_CHECKED int factors_find(struct factors *out, struct arena *arena, const struct making *making,
                            const struct yaml_node *samples, struct err *err);

/* Factors by number, each with the number of its values. A row has a value of each. */
struct pairs_problem {
    const size_t *values;
    size_t count;
    /*
     * Finds the value of each factor that has an effect in a row: -1 where none has (a question
     * that is not asked). Returns 1; 0 where the row is ruled out; -1 on failure.
     */
    int (*attempt)(int *effect, void *context, const int *row, struct err *err);
    void *context;
};

struct pair_rows {
    int **rows;
    size_t count;
    size_t met;       /* pairs that have an effect together in a row */
    bool *reached;    /* for each value of each factor, in order: it has an effect in some row */
    size_t ruled_out; /* pairs of values with an effect, but without a row */
};

/*
 * Finds the rows by a greedy search: the same for the same problem, the first all of value 0 unless
 * it is ruled out. It reaches a value that has an effect only beside others through those, over any
 * number of steps. More than LIMIT_CASES rows: exit 2, "limit".
 */
TG_CHECKED int pairs_cover(struct pair_rows *out, struct arena *arena,
                           const struct pairs_problem *problem, struct err *err);

struct pairwise_cases {
    struct arena *arena;
    struct making making; /* with the type alone */
    struct factors factors;
    struct pair_rows pairs;
    struct stack_slot *stacks; /* one for each pair of framework and variant, once it is resolved */
};

/* Finds the cases for a type of a catalog. `samples` as in factors_find. */
TG_CHECKED int cases_find(struct pairwise_cases *out, struct arena *arena,
                          const struct catalog *catalog, const char *type,
                          const struct yaml_node *samples, struct err *err);
/*
 * The same cases for another revision of the catalog: leaves out answers that its type does not ask
 * for. Returns 1; 0 where it has no such type.
 */
TG_CHECKED int cases_of(struct pairwise_cases *out, const struct pairwise_cases *cases,
                        const struct catalog *catalog, struct err *err);
/*
 * Renders a case in `arena`. The run's budget begins anew for each. Returns 1; 0 where it is ruled
 * out, as no case of cases_find is.
 */
TG_CHECKED int cases_render(struct making *out, struct arena *arena,
                            const struct pairwise_cases *cases, size_t number, struct err *err);

/* A case's values, for people: "framework=jax ci=none"; "defaults" where it gives none. */
const char *cases_label(struct arena *arena, const struct pairwise_cases *cases, size_t number);
/* The command that renders a case again, with the catalog `source`. */
const char *cases_command(struct arena *arena, const struct pairwise_cases *cases, size_t number,
                          const char *source);
/* The values that no case has, as "NAME=VALUE". */
size_t cases_unreached(const char ***out, struct arena *arena, const struct pairwise_cases *cases);
