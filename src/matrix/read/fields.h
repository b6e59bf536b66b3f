/* What the files of matrices/ are made of: documents, sections of rows, fields. */
#ifndef TMPLGEN_FIELDS_H
#define TMPLGEN_FIELDS_H

#include <stdbool.h>
#include <stddef.h>

enum field_kind {
    FIELD_TEXT,       /* const char * */
    FIELD_INT,        /* int64_t */
    FIELD_BOOL,       /* bool */
    FIELD_VERSION,    /* struct version */
    FIELD_SPEC,       /* struct spec */
    FIELD_WORDS,      /* struct words, separated by spaces */
    FIELD_CC,         /* int */
    FIELD_CCS,        /* struct ccs, separated by spaces */
    FIELD_CONFIDENCE, /* enum confidence */
    FIELD_PAIRS,      /* struct pairs, a mapping of scalars */
    FIELD_PART,       /* a struct, a mapping with fields of its own */
};

struct field {
    const char *name;
    enum field_kind kind;
    size_t offset;
    bool required;
    const char *const *choices; /* FIELD_TEXT: one of these, NULL-terminated; or NULL */
    const struct field *part;   /* FIELD_PART: its fields */
};

/* Of every row, beside those of its section. */
extern const struct field fact_fields[];

/* A list of rows under one key of a file. `fields` end with a NULL name. */
struct section {
    const char *name;
    size_t row_size;
    const struct field *fields;
    size_t offset;   /* of the struct rows in what is filled */
    const char *key; /* the field that no two rows share, or NULL */
    /* Without a key `like` names a row by a word of that field, and by the same other one; or NULL
     */
    const char *words, *same;
};

/* A file: scalars and mappings of its own, lists of rows, the tables `sources` and `texts`. */
struct document {
    const struct field *header;     /* end with a NULL name; offsets are in what is filled */
    const struct section *sections; /* end with a NULL name */
};

#endif
