/* Rows of YAML read into structs by tables of fields, strictly. */
#ifndef TMPLGEN_ROW_FIELDS_H
#define TMPLGEN_ROW_FIELDS_H

#include "matrix/read/fields.h"

#include "base/err.h"

#include <stdbool.h>

struct arena;
struct yaml_node;

struct row_reader {
    struct arena *arena;
    const struct yaml_node *sources; /* key: text; every `source` names keys of it */
    const struct yaml_node *texts;   /* key: text; a `note` of one word is a key of it */
    const struct yaml_node *curated; /* under an overlay: the file, whose rows `like` finds */
    bool overlay;                    /* rows replace those of the same key */
};

/* Takes the tables `sources` and `texts` of `root`, where it has them. */
TG_CHECKED int tables_read(struct row_reader *reader, const struct yaml_node *root,
                           struct err *err);

/*
 * Fills `out` from the mapping `root`, whose sections' rows are appended. An overlay need not have
 * the header's fields, and its rows replace those of their key. Every row has, beside the fields,
 * source, as_of and, where it wants, confidence and note; `like` names a row whose other fields it
 * shares. Exit 2 with the place on an unknown key, a missing field, a value that is none of its
 * kind, two rows of one key.
 */
TG_CHECKED int document_read(void *out, const struct document *document, struct row_reader *reader,
                             const struct yaml_node *root, struct err *err);

#endif
