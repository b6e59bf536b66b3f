/* What the files of matrices/ are made of, documents, sections of rows, fields, and how they are
 * read. */
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
/* What the file of that path is, or NULL. */
const struct document *document_of(const char *path);

/* The section of that name, or NULL. */
const struct section *section_find(const struct section *sections, struct span name);

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

/* The rows of a list by what `like` calls them. */
struct named_rows {
    const struct section *section;
    const struct yaml_node *list; /* NULL: none */
    struct named_row *rows;       /* sorted; NULL: not made yet */
    size_t count;
};

/*
 * Writes out a row `map`: the keys that it does not give are those of the row that its key `like`
 * names, but for what a row says of itself (fact_fields). That one is looked for in `own`, then in
 * `curated` (those under an overlay; no list: none). Where there is no `like`, `map` itself. The
 * nodes keep their places. Exit 2 where there is no such row, or rows are like each other.
 */
TG_CHECKED int derived_rows_expand(const struct yaml_node **out, struct arena *arena,
                                   struct named_rows *own, struct named_rows *curated,
                                   const struct yaml_node *map, struct err *err);

/* The files matrices/rows/NAME.yml, each in the shape of a child's .tmplgen-matrix.yml. */
struct added_rows {
    const struct yaml_node **roots;
    size_t count;
};

/* The keys that such a file may have, and an overlay; NULL-terminated. */
extern const char *const overlay_keys[];

TG_CHECKED int added_read(struct added_rows *out, struct arena *arena, const struct fileset *files,
                          struct err *err);
/* Whether any adds to the file of `key` ("drivers", "frameworks") and `name` (of it, or NULL). */
bool added_has(const struct added_rows *added, const char *key, const char *name);
/*
 * `root` is what that file says; it becomes one that says all of it. Rows keep their places. Exit 2
 * on anything but lists of rows that the document has, and on a source or text of a name that is
 * taken.
 */
TG_CHECKED int added_join(const struct yaml_node **root, struct arena *arena,
                          const struct added_rows *added, const struct document *document,
                          const char *key, const char *name, struct err *err);

/*
 * Appends what the file `path` says, given its text; `out` may overflow. Exit 2 where that is not
 * valid, or no file of a matrix.
 */
TG_CHECKED int rows_pack(struct buf *out, const char *path, struct span text, struct err *err);

/*
 * Fills `out` as document_read does, but rows have no places in a file. Texts point into `bytes`,
 * which are trusted: only what rows_pack of this very build made may be given.
 */
TG_CHECKED int rows_unpack(void *out, const struct document *document, struct arena *arena,
                           struct span bytes, struct err *err);
