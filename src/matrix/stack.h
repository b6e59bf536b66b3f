/* A chosen candidate as the `resolution` of JSON.md. Inside src/matrix/ only. */
#ifndef TMPLGEN_MATRIX_STACK_H
#define TMPLGEN_MATRIX_STACK_H

#include "matrix/rules.h"

struct stack {
    struct arena *arena;
    const struct ask *ask;
    const struct problem *problem;
    const struct candidate *candidate;
    enum reliance reliance;        /* of the driver, or of `minimum` where none was named */
    const struct version *minimum; /* the lowest driver; NULL: none is needed */
};

/* The map, keys in the order of JSON.md. */
struct data *stack_data(struct arena *arena, const struct ask *ask,
                        const struct candidate *candidate);
/* The list of {code, text}. */
struct data *stack_notes(const struct stack *stack);
/* Every row that the stack rests on, at most `room`; how many. */
size_t stack_facts(const struct fact **facts, size_t room, const struct stack *stack);
/* Whether the image's LD_LIBRARY_PATH would put its libraries before the wheel's. */
bool stack_is_shadowed(const struct stack *stack);
/* The release and build of the `i`th package, where it is a framework; else false. */
bool stack_partner(struct candidate *out, const struct stack *stack, size_t i);
/* A text of the files with {version}, {variant} and {extra} filled in; in the arena. */
const char *stack_fill(struct arena *arena, const char *text, const struct release *release,
                       const struct build *build);
const char *image_text(struct arena *arena, const struct ask *ask, const struct candidate *c);

#endif
