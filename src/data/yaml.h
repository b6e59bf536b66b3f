/* Strict YAML: documents read into nodes with positions, and data written as YAML. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct data;

enum yaml_kind { YAML_SCALAR, YAML_LIST, YAML_MAP };

struct yaml_node;

struct yaml_member {
    struct yaml_node *key; /* always a scalar */
    struct yaml_node *value;
};

/*
 * A scalar is text: the schema decides its type, not its looks. `plain` distinguishes `null` from
 * `"null"`. Nodes, and the source text that positions refer to, live in the arena given to
 * yaml_parse.
 */
struct yaml_node {
    enum yaml_kind kind;
    bool plain;    /* scalars: written without quotes or block indicator */
    size_t offset; /* of the first byte of the node in the document */
    const struct yaml_doc *doc;
    union {
        struct span text; /* NUL-terminated behind its length, no NUL inside */
        struct {
            struct yaml_node **items;
            size_t count;
        } list;
        struct {
            struct yaml_member *members;
            size_t count;
        } map;
    };
};

struct yaml_doc {
    const char *name;       /* for messages */
    struct span source;     /* without a byte order mark */
    struct yaml_node *root; /* NULL: an empty document */
};

/*
 * Reads one document. A UTF-8 byte order mark is skipped. Exit 2, with name and place, for anchors,
 * aliases, tags, directives with tags, a second document, UTF-16 and UTF-32, invalid UTF-8, NUL,
 * duplicate keys, keys that are not scalars, merge keys (<<), and depth or size over
 * LIMIT_DOCUMENT_*.
 */
TG_CHECKED int yaml_parse(struct yaml_doc **out, struct arena *arena, const char *name,
                          struct span source, struct err *err);

/* Sets exit 2, code "invalid", the message, and the place of `node` (NULL: none); returns -1. */
int yaml_error(struct err *err, const struct yaml_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Reports `inner`, an error about the text of `node`, at the place of `node`; returns -1. */
int yaml_blame(struct err *err, const struct yaml_node *node, const struct err *inner);

/* Adds the place of `node` to an error that is already set; returns -1. */
int yaml_at(struct err *err, const struct yaml_node *node);
/*
 * The same for one byte of a scalar's text. Uses the place of the node if the document writes the
 * text differently (with escapes, folded).
 */
int yaml_at_byte(struct err *err, const struct yaml_node *node, size_t byte);
/* As yaml_error with code "limit": `count` of `what` exceeds `limit`. */
int yaml_over_limit(struct err *err, const struct yaml_node *node, size_t count, const char *what,
                    size_t limit);

/* The value of a member, or NULL if there is none. `map` may be NULL. */
struct yaml_node *yaml_get(const struct yaml_node *map, const char *name);
/* Unquoted `null` (`Null`, `NULL`), `~` or an empty value. */
bool yaml_is_null(const struct yaml_node *node);

/*
 * Checks that all keys are among `names` (NULL-terminated): else exit 2 at the key, with the
 * nearest name. Also fails if `map` is not a mapping, or is NULL (then without a place).
 */
TG_CHECKED int yaml_check_keys(const struct yaml_node *map, const char *const *names,
                               struct err *err);
/*
 * Merges two mappings: `first` wins for a key that both have, and gives the place. Takes steps of
 * the run's budget. Returns `first` once they are spent; the caller calls budget_steps.
 */
struct yaml_node *yaml_join_maps(struct arena *arena, const struct yaml_node *first,
                                 const struct yaml_node *second);
/* Concatenates two lists; the place is that of `second`. */
struct yaml_node *yaml_join_lists(struct arena *arena, const struct yaml_node *first,
                                  const struct yaml_node *second);
/*
 * Typed readers. If `node` is NULL (an absent key) they return 0 and leave `*out` alone, so that
 * the caller can set a default before. `what` names the value in messages ("version").
 */
TG_CHECKED int yaml_text(const char **out, const struct yaml_node *node, const char *what,
                         struct err *err); /* any scalar but an unquoted null */
TG_CHECKED int yaml_bool(bool *out, const struct yaml_node *node, const char *what,
                         struct err *err); /* true, false; unquoted */
TG_CHECKED int yaml_int(int64_t *out, const struct yaml_node *node, const char *what,
                        struct err *err); /* decimal, unquoted, no leading zeros */
/* A list of scalars as texts in the arena. */
TG_CHECKED int yaml_texts(struct words *out, struct arena *arena, const struct yaml_node *node,
                          const char *what, struct err *err);

/*
 * Converts a node by the YAML 1.2 core rules, for free-form values (answers, overlays): unquoted
 * null, booleans, integers and floats get their type, everything else becomes text. So do integers
 * outside 64 bits.
 */
struct data *yaml_to_data(struct arena *arena, const struct yaml_node *node);

/*
 * Writes data as block YAML, indented by `indent` spaces and two more a level, with a newline at
 * the end; empty collections are [] and {}. A text is plain only if every YAML reader (1.1 and 1.2)
 * takes it as that text, else double-quoted on one line, with escapes. The result depends on the
 * data only. Returns -1, with `out` overflowed for good, if `out` is full or `data` nests deeper
 * than LIMIT_DOCUMENT_DEPTH: yaml_parse can read all that is written.
 */
int yaml_write(struct buf *out, const struct data *data, size_t indent);
/* Writes one line of flow YAML (a scalar, [..] or {..}): the output of the filter `to_yaml`. */
int yaml_write_flow(struct buf *out, const struct data *data);
