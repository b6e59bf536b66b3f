/* Maps in one expression: data_of(arena, FIELD("path", path), FIELD("bytes", count)). */
#pragma once

#include "data/data.h"

/* A member of a map. FIELD chooses `kind` by the type of its value. */
struct data_field {
    const char *name;
    enum data_kind kind; /* DATA_STR, DATA_BOOL, DATA_INT, DATA_LIST: words; DATA_MAP: any data */
    const char *text;
    int64_t number;
    struct data *data;
    struct words words;
};

static inline struct data_field field_text(const char *name, const char *text)
{
    return (struct data_field){.name = name, .kind = DATA_STR, .text = text};
}

static inline struct data_field field_bool(const char *name, bool value)
{
    return (struct data_field){.name = name, .kind = DATA_BOOL, .number = value};
}

static inline struct data_field field_int(const char *name, int64_t value)
{
    return (struct data_field){.name = name, .kind = DATA_INT, .number = value};
}

static inline struct data_field field_words(const char *name, struct words words)
{
    return (struct data_field){.name = name, .kind = DATA_LIST, .words = words};
}

static inline struct data_field field_data(const char *name, struct data *data)
{
    return (struct data_field){.name = name, .kind = DATA_MAP, .data = data};
}

#ifndef FIELD /* tools/checks/cppcheck.h has one that cppcheck understands */
/* clang-format off */
#define FIELD(name, value)                                                                         \
    _Generic((value), char *: field_text, const char *: field_text, bool: field_bool,              \
             struct words: field_words, struct data *: field_data, default: field_int)(name, value)
/* clang-format on */
#endif

/* Puts the fields into `map`, as data_put does, and returns it. NULL makes a null. */
struct data *data_put_fields(struct arena *arena, struct data *map, const struct data_field *fields,
                             size_t count);
#define data_add(arena, map, ...)                                                                  \
    data_put_fields(arena, map, (const struct data_field[]){__VA_ARGS__},                          \
                    sizeof((const struct data_field[]){__VA_ARGS__}) / sizeof(struct data_field))
#define data_of(arena, ...) data_add(arena, data_map(arena), __VA_ARGS__)

/* Joins the texts of a list with ", "; of a list of maps, those of `member`. NULL gives "". */
const char *data_join(struct arena *arena, const struct data *list, const char *member);
