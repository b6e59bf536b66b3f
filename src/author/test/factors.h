/* What can be said of a child of a type, and which values of each are tried. */
#ifndef TMPLGEN_FACTORS_H
#define TMPLGEN_FACTORS_H

#include "base/err.h"
#include "resolver/request.h"

#include <stddef.h>

struct arena;
struct making;
struct yaml_node;

struct factor {
    const char *name;
    enum stack_choice choice; /* CHOICE_COUNT: it is a question */
    const char **levels;      /* as --set takes them; NULL: nothing is said */
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

#endif
