/* The fields that every row of matrices/ has. */
#include "matrix/read/fields.h"

#include "matrix/facts.h"

const struct field fact_fields[] = {
    {"source", FIELD_TEXT, offsetof(struct fact, source), true, NULL, NULL},
    {"as_of", FIELD_TEXT, offsetof(struct fact, as_of), true, NULL, NULL},
    {"confidence", FIELD_CONFIDENCE, offsetof(struct fact, confidence), false, NULL, NULL},
    {"note", FIELD_TEXT, offsetof(struct fact, note), false, NULL, NULL},
    {NULL, FIELD_TEXT, 0, false, NULL, NULL},
};
