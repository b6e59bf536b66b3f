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
 * Scalars are text: what type a scalar has is the schema's word, never its looks. `plain` tells
 * `null` from `"null"`. Nodes live in the arena given to yaml_parse, as does the text that
 * positions refer to.
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
 * Reads one document. Refused, with exit 2, place and name: anchors, aliases, tags, directives with
 * tags, a second document, UTF-16 and UTF-32, invalid UTF-8, NUL, duplicate keys, keys that are no
 * scalars, merge keys (<<), depth and size over the limits (LIMIT_DOCUMENT_*). A UTF-8 BOM is
 * accepted and skipped.
 */
TG_CHECKED int yaml_parse(struct yaml_doc **out, struct arena *arena, const char *name,
                          struct span source, struct err *err);

/* Sets exit 2, code "invalid", the message, and the place of `node` (NULL: none); returns -1. */
int yaml_error(struct err *err, const struct yaml_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* What `inner` says of the text that `node` holds, at the place of `node`; returns -1. */
int yaml_blame(struct err *err, const struct yaml_node *node, const struct err *inner);

/* Gives an error that is set already the place of `node`; returns -1. */
int yaml_at(struct err *err, const struct yaml_node *node);
/*
 * Likewise, the place of a byte of a scalar's text. Where the text does not stand in the document
 * as it is (with escapes, folded), that of the node.
 */
int yaml_at_byte(struct err *err, const struct yaml_node *node, size_t byte);
/* As yaml_error, of a limit: code "limit", `count` of `what` and the most that there may be. */
int yaml_over_limit(struct err *err, const struct yaml_node *node, size_t count, const char *what,
                    size_t limit);

/* The value of a member, or NULL where there is none. `map` may be NULL. */
struct yaml_node *yaml_get(const struct yaml_node *map, const char *name);
/* Unquoted `null` (`Null`, `NULL`), `~` or nothing at all. */
bool yaml_is_null(const struct yaml_node *node);

/*
 * A mapping's keys must all be among `names` (NULL-terminated); else exit 2 at the key, with the
 * nearest name. Also fails where `map` is no mapping, or NULL (then without a place).
 */
TG_CHECKED int yaml_check_keys(const struct yaml_node *map, const char *const *names,
                               struct err *err);
/*
 * Two mappings as one: of a key that both have, what `first` says; the place is that of `first`.
 * Takes steps of the run's budget. Once they are spent it returns `first`, and the caller asks
 * budget_steps.
 */
struct yaml_node *yaml_join_maps(struct arena *arena, const struct yaml_node *first,
                                 const struct yaml_node *second);
/* Two lists, one behind the other; the place is that of `second`. */
struct yaml_node *yaml_join_lists(struct arena *arena, const struct yaml_node *first,
                                  const struct yaml_node *second);
/*
 * Typed readers. `node` may be NULL (the key is absent): the value is then left untouched and the
 * result is 0, so that defaults are set before. `what` names the thing in messages ("version").
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
 * A node as data by YAML 1.2 core rules, for free-form places (answers, overlays): unquoted
 * null/true/false/integers/floats get their type, everything else is text. Integers outside 64 bits
 * are texts.
 */
struct data *yaml_to_data(struct arena *arena, const struct yaml_node *node);

/*
 * Writes data as block YAML, `indent` spaces deep, two a level, ending in a newline; empty
 * collections as [] and {}. Texts are plain only where every YAML reader (1.1 and 1.2) takes them
 * as the same text, else double-quoted with escapes: one line each, whatever they hold.
 * Deterministic: depends on nothing but the data. -1, with `out` overflowed for good, where `out`
 * is full or `data` nests deeper than LIMIT_DOCUMENT_DEPTH: what is written, yaml_parse reads back.
 */
int yaml_write(struct buf *out, const struct data *data, size_t indent);
/* One line of flow YAML: a scalar, or [..] / {..} inside. What the filter `to_yaml` prints. */
int yaml_write_flow(struct buf *out, const struct data *data);
