/* The schema of the files of matrices/ (documents, sections of rows, fields), and its readers. */
#pragma once

#include "base/err.h"
#include "base/span.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct buf;
struct fileset;
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

/* Fields of every row, besides those of its section. */
extern const struct field fact_fields[];

/* A list of rows under one key of a file. `fields` end with a NULL name. */
struct section {
    const char *name;
    size_t row_size;
    const struct field *fields;
    size_t offset;   /* of the struct rows in the target */
    const char *key; /* a field with unique values, or NULL */
    /* Without a key, `like` names a row by a word of `words` and an equal field `same`; or NULL */
    const char *words, *same;
};

/* A file: scalars and mappings of its own, lists of rows, the tables `sources` and `texts`. */
struct document {
    const struct field *header;     /* ends with a NULL name; offsets are in the target */
    const struct section *sections; /* end with a NULL name */
};

/* A file that every resolution needs; `name` is the key of its rows in an overlay. */
struct shared_file {
    const char *name, *path;
    struct document document; /* fills a struct matrix */
};

extern const struct shared_file shared_files[];
extern const size_t shared_file_count;
extern const struct document framework_document; /* fills a struct framework */
extern const struct document package_document;   /* likewise */

#define FRAMEWORKS_FOLDER "matrices/frameworks/"
#define PACKAGES_FOLDER "matrices/packages/"
/* The schema of the file at that path, or NULL. */
const struct document *document_of(const char *path);

/* The section of that name, or NULL. */
const struct section *section_find(const struct section *sections, struct span name);

struct row_reader {
    struct arena *arena;
    const struct yaml_node *sources; /* table of texts; every `source` consists of its keys */
    const struct yaml_node *texts;   /* key: text; a `note` of one word is a key of it */
    const struct yaml_node *curated; /* under an overlay: the file, whose rows `like` finds */
    bool overlay;                    /* rows replace those with the same key */
};

/* Reads the tables `sources` and `texts` of `root`, if present. */
TG_CHECKED int tables_read(struct row_reader *reader, const struct yaml_node *root,
                           struct err *err);

/*
 * Fills `out` from the mapping `root`, appending the rows of its sections. An overlay may omit the
 * header's fields, and its rows replace those with the same key. Besides its fields each row has
 * `source`, `as_of`, and optionally `confidence` and `note`; `like` refers to a row that provides
 * the missing fields. Exit 2 with the place for an unknown key, a missing field, a value of the
 * wrong kind, or two rows with one key.
 */
TG_CHECKED int document_read(void *out, const struct document *document, struct row_reader *reader,
                             const struct yaml_node *root, struct err *err);

/* The rows of a list by the names that `like` uses. */
struct named_rows {
    const struct section *section;
    const struct yaml_node *list; /* NULL: no list */
    struct named_row *rows;       /* sorted; NULL: not built yet */
    size_t count;
};

/*
 * Expands a row `map`: adds the keys that it lacks from the row in its `like`, except those about a
 * row itself (fact_fields). Searches `own`, then `curated` (the rows under an overlay, or no list).
 * Without `like`, returns `map` itself. Nodes keep their places. Exit 2 if there is no such row, or
 * rows refer to each other in a circle.
 */
TG_CHECKED int derived_rows_expand(const struct yaml_node **out, struct arena *arena,
                                   struct named_rows *own, struct named_rows *curated,
                                   const struct yaml_node *map, struct err *err);

/* The files matrices/rows/NAME.yml, each in the shape of a child's .tmplgen-matrix.yml. */
struct added_rows {
    const struct yaml_node **roots;
    size_t count;
};

/* The keys allowed in such a file and in an overlay; NULL-terminated. */
extern const char *const overlay_keys[];

TG_CHECKED int added_read(struct added_rows *out, struct arena *arena, const struct fileset *files,
                          struct err *err);
/* Whether any adds to the file of `key` ("drivers", "frameworks") and `name` (of it, or NULL). */
bool added_has(const struct added_rows *added, const char *key, const char *name);
/*
 * Merges the added rows into `root`, the content of that file. Rows keep their places. Exit 2 for
 * anything but lists of rows that the document has, and for a source or text whose name is taken.
 */
TG_CHECKED int added_join(const struct yaml_node **root, struct arena *arena,
                          const struct added_rows *added, const struct document *document,
                          const char *key, const char *name, struct err *err);

/*
 * Appends the packed form of the file `path`, given its text; `out` may overflow. Exit 2 if the
 * text is not valid, or the path is not a file of a matrix.
 */
TG_CHECKED int rows_pack(struct buf *out, const char *path, struct span text, struct err *err);

/*
 * Fills `out` like document_read, but rows have no places. Texts point into `bytes`, which must
 * come from rows_pack of this very build: they are trusted.
 */
TG_CHECKED int rows_unpack(void *out, const struct document *document, struct arena *arena,
                           struct span bytes, struct err *err);
