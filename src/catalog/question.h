/* One question of a manifest: what may be answered, and when it is asked. */
#pragma once

#include "base/err.h"
#include "catalog/manifest/manifest_reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct layer_use;

/*
 * X(CONSTANT, word of a manifest) for each type of a question. Compilers say which switch lacks
 * one.
 */
#define QUESTION_TYPES(X)                                                                          \
    X(STR, "str")                                                                                  \
    X(INT, "int")                                                                                  \
    X(FLOAT, "float")                                                                              \
    X(BOOL, "bool")                                                                                \
    X(CHOICE, "choice")                                                                            \
    X(LIST, "list")

#define QUESTION_CONSTANT(constant, word) QUESTION_##constant,
enum question_type { QUESTION_TYPES(QUESTION_CONSTANT) };
#define QUESTION_ONE_MORE(constant, word) +1
enum { QUESTION_TYPE_COUNT = 0 QUESTION_TYPES(QUESTION_ONE_MORE) };

/* A layer with the question, by the row of `layers` that takes it. */
struct bringer {
    const char *layer;
    const struct layer_use *use;
};

struct question {
    const char *name;
    enum question_type type;
    enum question_type items;         /* of a list: QUESTION_STR or QUESTION_INT */
    struct manifest_text help;        /* rendered from earlier answers */
    const struct yaml_node *fallback; /* `default`; NULL: an answer is required */
    /* List of texts or of {value, label}, or a text that renders to one a line. */
    const struct yaml_node *choices;
    const char *pattern;    /* whole answer, each entry of a list; or NULL */
    const char *min, *max;  /* numbers, as texts of the type (of a list: its entries); or NULL */
    bool secret, multiline; /* of a str */
    bool takes_spec;        /* a SPEC may stand behind the choice, as in NAME[SPEC] */
    struct manifest_text computed; /* never asked, not kept: a text that is rendered */
    struct manifest_text when;
    const struct yaml_node *node;
    /* It is there where one of these layers is taken; none: it is the type's own. */
    struct bringer *bringers;
    size_t bringer_count;
};

extern const char *const question_type_names[QUESTION_TYPE_COUNT];

/* Reads an entry of `questions` into a struct question, for reader_list. */
TG_CHECKED int question_read(void *out, const struct reader *reader, const struct yaml_node *node);
/* Whether both entries say the same. */
bool question_is_same(const struct reader *reader, const struct question *a,
                      const struct question *b);

/* What is answered by an entry of `choices`, and what is shown beside it (NULL: nothing). */
const struct yaml_node *choice_value(const struct yaml_node *choice);
const struct yaml_node *choice_label(const struct yaml_node *choice);

/* The number that a text is, whole or finite; false: it is none. */
bool question_int(int64_t *out, const char *text);
bool question_float(double *out, const char *text);
/* Whether the number `text` lies under `min` (-1), over `max` (1) or between them (0). */
int question_bounds(const struct question *question, const char *text);
