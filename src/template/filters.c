/* The table of filters. */
#include "template/filters.h"

#include "template/filter_bodies.h"

static const struct function rows[] = {
    {.name = "abs", .body = filter_abs},
    {.name = "capitalize", .body = filter_capitalize},
    {.name = "count", .body = filter_length},
    {.name = "d", .body = filter_default, .parameters = {"default_value", "boolean"}},
    {.name = "default", .body = filter_default, .parameters = {"default_value", "boolean"}},
    {.name = "first", .body = filter_first},
    {.name = "float", .body = filter_float, .parameters = {"default"}},
    {.name = "format", .body = filter_format, .variadic = true, .keywords = true},
    {.name = "indent", .body = filter_indent, .parameters = {"width", "first", "blank"}},
    {.name = "int", .body = filter_int, .parameters = {"default", "base"}},
    {.name = "items", .body = filter_items},
    {.name = "join", .body = filter_join, .parameters = {"d", "attribute"}},
    {.name = "last", .body = filter_last},
    {.name = "length", .body = filter_length},
    {.name = "list", .body = filter_list},
    {.name = "lower", .body = filter_lower},
    {.name = "replace",
     .body = filter_replace,
     .parameters = {"old", "new", "count"},
     .required = 2},
    {.name = "reverse", .body = filter_reverse},
    {.name = "round", .body = filter_round, .parameters = {"precision", "method"}},
    {.name = "shell_quote", .body = filter_shell_quote},
    {.name = "slug", .body = filter_slug},
    {.name = "sort", .body = filter_sort, .parameters = {"reverse", "case_sensitive", "attribute"}},
    {.name = "string", .body = filter_string},
    {.name = "title", .body = filter_title},
    {.name = "to_yaml", .body = filter_to_yaml},
    {.name = "tojson", .body = filter_tojson, .parameters = {"indent"}},
    {.name = "trim", .body = filter_trim, .parameters = {"chars"}},
    {.name = "unique", .body = filter_unique, .parameters = {"case_sensitive", "attribute"}},
    {.name = "upper", .body = filter_upper},
};

static const char *const refused[] = {
    "attr",           "batch",       "center",    "dictsort",   "e",        "escape",
    "filesizeformat", "forceescape", "groupby",   "map",        "max",      "min",
    "pprint",         "random",      "reject",    "rejectattr", "safe",     "select",
    "selectattr",     "slice",       "striptags", "sum",        "truncate", "urlencode",
    "urlize",         "wordcount",   "wordwrap",  "xmlattr",
};

const struct function_table filters = {
    .functions = rows,
    .count = sizeof(rows) / sizeof(rows[0]),
    .refused = refused,
    .refused_count = sizeof(refused) / sizeof(refused[0]),
};
