/* A question of a manifest: its valid answers, and when it is asked. */
#pragma once

#include "base/err.h"
#include "catalog/manifest/manifest_reader.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct layer_use;

/*
 * X(CONSTANT, word in manifests) for each type of question. Compilers warn of an incomplete switch.
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

/* A layer that adds a question, by its row of `layers`. */
struct bringer {
    const char *layer;
    const struct layer_use *use;
};

struct question {
    const char *name;
    enum question_type type;
    enum question_type items;         /* of a list: QUESTION_STR or QUESTION_INT */
    struct manifest_text help;        /* a template on earlier answers */
    const struct yaml_node *fallback; /* `default`; NULL: an answer is required */
    /* List of texts or of {value, label}, or a text that renders to one a line. */
    const struct yaml_node *choices;
    const char *pattern;           /* matches the whole answer (each item of a list); or NULL */
    const char *min, *max;         /* numbers as texts, for items of a list, too; or NULL */
    bool secret, multiline;        /* of a str */
    bool takes_spec;               /* a SPEC may follow the choice, as in NAME[SPEC] */
    struct manifest_text computed; /* a template: the value is neither asked nor recorded */
    struct manifest_text when;
    const struct yaml_node *node;
    /* The question exists if one of these layers is used. Empty: it is the type's own. */
    struct bringer *bringers;
    size_t bringer_count;
};

extern const char *const question_type_names[QUESTION_TYPE_COUNT];

/* Reads an entry of `questions` into a struct question, for reader_list. */
TG_CHECKED int question_read(void *out, const struct reader *reader, const struct yaml_node *node);
/* Whether both entries are equal. */
bool question_is_same(const struct reader *reader, const struct question *a,
                      const struct question *b);

/* The answer of an entry of `choices`, and its label (NULL: none). */
const struct yaml_node *choice_value(const struct yaml_node *choice);
const struct yaml_node *choice_label(const struct yaml_node *choice);

/* Parses an integer or a finite float; false if the text is not one. */
bool question_int(int64_t *out, const char *text);
bool question_float(double *out, const char *text);
/* Compares the number `text` with the bounds: -1 below `min`, 1 above `max`, else 0. */
int question_bounds(const struct question *question, const char *text);
