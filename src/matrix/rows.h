/* Rows of YAML read into structs by tables of fields, strictly. */
#ifndef TMPLGEN_MATRIX_ROWS_H
#define TMPLGEN_MATRIX_ROWS_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct rows;
struct yaml_node;

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
};

struct row_reader {
    struct arena *arena;
    const struct yaml_node *sources; /* key: text; every `source` names keys of it */
    bool overlay;                    /* rows replace those of the same key */
};

/* A file: scalars and mappings of its own, lists of rows, and the table `sources`. */
struct document {
    const struct field *header;     /* end with a NULL name; offsets are in what is filled */
    const struct section *sections; /* end with a NULL name */
};

/*
 * Fills `out` from the mapping `root`, whose sections' rows are appended. `sources` NULL: the table
 * is in `root`. An overlay need not have the header's fields, and its rows replace those of their
 * key. Every row has, beside the fields, source, as_of and, where it wants, confidence and note.
 * Exit 2 with the place on an unknown key, a missing field, a value that is none of its kind, two
 * rows of one key.
 */
TG_CHECKED int document_read(void *out, const struct document *document, struct row_reader *reader,
                             const struct yaml_node *root, struct err *err);

#endif
