/* The table of filters. */
#include "jinja/filters/filter_bodies.h"

#include "base/unicode.h"

#define SELECTION(kind) filter_select, .variadic = true, .keywords = true, .how = (kind)

static const struct function rows[] = {
    {.name = "abs", filter_abs},
    {.name = "batch", filter_cut, {"linecount", "fill_with"}, 1},
    {.name = "capitalize", filter_case, .how = UNICODE_CAPITALIZED},
    {.name = "center", filter_center, {"width"}},
    {.name = "count", filter_length},
    {.name = "d", filter_default, {"default_value", "boolean"}},
    {.name = "default", filter_default, {"default_value", "boolean"}},
    {.name = "dictsort", filter_dictsort, {"case_sensitive", "by", "reverse"}},
    {.name = "dockerfile_quote", filter_dockerfile_quote},
    {.name = "e", filter_escape},
    {.name = "escape", filter_escape},
    {.name = "filesizeformat", filter_filesizeformat, {"binary"}},
    {.name = "first", filter_end, .how = false},
    {.name = "float", filter_float, {"default"}},
    {.name = "forceescape", filter_escape, .how = true},
    {.name = "format", filter_format, .variadic = true, .keywords = true},
    {.name = "groupby", filter_groupby, {"attribute", "default", "case_sensitive"}, 1},
    {.name = "indent", filter_indent, {"width", "first", "blank"}},
    {.name = "int", filter_int, {"default", "base"}},
    {.name = "items", filter_items},
    {.name = "join", filter_join, {"d", "attribute"}},
    {.name = "last", filter_end, .how = true},
    {.name = "length", filter_length},
    {.name = "list", filter_list},
    {.name = "lower", filter_case, .how = UNICODE_LOWER},
    {.name = "map", SELECTION(FILTER_MAP)},
    {.name = "max", filter_extreme, {"case_sensitive", "attribute"}, .how = true},
    {.name = "min", filter_extreme, {"case_sensitive", "attribute"}},
    {.name = "pprint", filter_pprint},
    {.name = "reject", SELECTION(FILTER_REJECT)},
    {.name = "rejectattr", SELECTION(FILTER_REJECTATTR)},
    {.name = "replace", filter_replace, {"old", "new", "count"}, 2},
    {.name = "reverse", filter_reverse},
    {.name = "round", filter_round, {"precision", "method"}},
    {.name = "safe", filter_safe},
    {.name = "select", SELECTION(FILTER_SELECT)},
    {.name = "selectattr", SELECTION(FILTER_SELECTATTR)},
    {.name = "shell_quote", filter_shell_quote},
    {.name = "slice", filter_cut, {"slices", "fill_with"}, 1, .how = true},
    {.name = "slug", filter_slug},
    {.name = "sort", filter_sort, {"reverse", "case_sensitive", "attribute"}},
    {.name = "string", filter_string},
    {.name = "sum", filter_sum, {"attribute", "start"}},
    {.name = "title", filter_title},
    {.name = "to_toml", filter_to_toml},
    {.name = "to_yaml", filter_to_yaml, {"indent"}},
    {.name = "tojson", filter_tojson, {"indent"}},
    {.name = "trim", filter_trim, {"chars"}},
    {.name = "truncate", filter_truncate, {"length", "killwords", "end", "leeway"}},
    {.name = "unique", filter_unique, {"case_sensitive", "attribute"}},
    {.name = "upper", filter_case, .how = UNICODE_UPPER},
    {.name = "urlencode", filter_urlencode},
    {.name = "wordcount", filter_wordcount},
    {.name = "wordwrap",
     filter_wordwrap,
     {"width", "break_long_words", "wrapstring", "break_on_hyphens"}},
};

static const char *const refused[] = {"attr", "random", "striptags", "urlize", "xmlattr"};

const struct function_table filters = {FUNCTIONS(rows), REFUSED(refused)};
