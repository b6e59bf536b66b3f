/* The data model of YAML and JSON, as a tree: for answers, records, contexts and output. */
#pragma once

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum data_kind { DATA_NULL, DATA_BOOL, DATA_INT, DATA_FLOAT, DATA_STR, DATA_LIST, DATA_MAP };

struct data_member;
struct intern;

/* Lives in an arena; never changed once it is shared. Maps keep the order of insertion. */
struct data {
    enum data_kind kind;
    union {
        bool boolean;
        int64_t integer;
        double real;
        struct span str; /* UTF-8, NUL-terminated behind its length, without NUL inside */
        struct {
            struct data **items;
            size_t count;
        } list;
        struct {
            struct data_member *members;
            size_t count;
            struct intern *index; /* by name, for large maps: see data_append */
        } map;
    };
};

struct data_member {
    struct span name;
    struct data *value;
};

struct data *data_null(struct arena *arena);
struct data *data_bool(struct arena *arena, bool value);
struct data *data_int(struct arena *arena, int64_t value);
struct data *data_float(struct arena *arena, double value);
/* Copies the text; NULL makes a null. */
struct data *data_str(struct arena *arena, const char *text);
struct data *data_span(struct arena *arena, struct span text);
struct data *data_list(struct arena *arena);
struct data *data_map(struct arena *arena);
struct data *data_texts(struct arena *arena, const char *const *texts, size_t count); /* a list */

void data_push(struct arena *arena, struct data *list, struct data *item);
/* Adds a member, or replaces the value of an existing one in place. */
void data_put(struct arena *arena, struct data *map, const char *name, struct data *value);
/* The same for a text; NULL puts a null. */
void data_put_text(struct arena *arena, struct data *map, const char *name, const char *text);
void data_put_span(struct arena *arena, struct data *map, struct span name, struct data *value);
/* Adds a member whose name the map does not have yet, in constant time. */
void data_append(struct arena *arena, struct data *map, struct span name, struct data *value);
/* The value of `name`, or NULL if there is none or `map` is not a map. */
struct data *data_get(const struct data *map, const char *name);
struct data *data_get_span(const struct data *map, struct span name);
/* The text of a string, or NULL if `data` is something else or NULL. */
const char *data_text(const struct data *data);
/* Whether `list`, which may be NULL, contains `text`. */
bool data_has_text(const struct data *list, const char *text);
/* The text of a member, or NULL; data_shown returns "" instead of NULL, for output. */
const char *data_get_text(const struct data *map, const char *name);
const char *data_shown(const struct data *map, const char *name);
/* Whether the member is there, and true. */
bool data_is_true(const struct data *map, const char *name);
/* Deep equality; the order of a map's names does not count; 1 and 1.0 differ. */
bool data_equal(const struct data *a, const struct data *b);
struct data *data_copy(struct arena *arena, const struct data *data);
/* A copy whose maps are sorted by name, bytewise, at every depth. */
struct data *data_sorted(struct arena *arena, const struct data *data);
/*
 * Appends a float as Python's repr does: the fewest digits that read back as the same number, with
 * a point or an exponent; or `inf`, `-inf`, `nan`.
 */
int data_put_real(struct buf *out, double value);
