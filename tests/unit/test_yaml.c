/* The strict YAML reader, its typed values, and the writer. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "data/data.h"
#include "data/yaml.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct yaml_doc *parse_span(struct arena *arena, struct span source)
{
    struct yaml_doc *doc = NULL;
    ERR_SCRATCH(err);
    if (yaml_parse(&doc, arena, "in.yml", source, &err))
        fail_msg("%s: %s", source.ptr, err.message);
    return doc;
}

static struct yaml_node *parse(struct arena *arena, const char *source)
{
    return parse_span(arena, span_from(source))->root;
}

/* What the document says, as one line of flow YAML. */
static const char *flow(struct arena *arena, const char *source)
{
    BUF_SCRATCH(out, LIMIT_MIB);
    assert_int_equal(yaml_write_flow(&out, yaml_to_data(arena, parse(arena, source))), 0);
    return arena_strdup(arena, buf_text(&out));
}

static void assert_refused(const struct err *err, const char *code, const char *message,
                           size_t line, size_t column)
{
    assert_int_equal(err->exit, TG_USAGE);
    assert_string_equal(err->code, code);
    assert_string_equal(err->message, message);
    assert_string_equal(err->where.file, "in.yml");
    assert_int_equal(err->where.line, line);
    assert_int_equal(err->where.column, column);
}

TEST(test_yaml__reads_collections_of_both_styles)
{
    ARENA_SCRATCH(arena);
    assert_string_equal(flow(&arena, "a: [x, {b: c}]\nd:\n- - e\n- f: g\n  h: []\n"),
                        "{a: [x, {b: c}], d: [[e], {f: g, h: []}]}");
    assert_string_equal(flow(&arena, "|\n  two\n  lines\n"), "\"two\\nlines\\n\"");
    assert_string_equal(flow(&arena, ">-\n  one\n  line\n"), "one line");
    assert_string_equal(flow(&arena, "? a\n: b\n"), "{a: b}");
    assert_string_equal(flow(&arena, "%YAML 1.2\n---\na: b\n...\n"), "{a: b}");
}

TEST(test_yaml__keeps_the_text_of_a_scalar_whatever_it_looks_like)
{
    static const char *const texts[] = {"12.10", "no", "0o17", "1:30", "2024-01-01", "1_000", "~x"};
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    for (EACH_ROW(i, texts, texts[i])) {
        const char *value = NULL;
        struct yaml_node *map = parse(&arena, arena_printf(&arena, "a: %s\n", texts[i]));
        assert_int_equal(yaml_text(&value, yaml_get(map, "a"), "a", &err), 0);
        assert_string_equal(value, texts[i]);
    }
}

TEST(test_yaml__tells_a_null_from_its_text)
{
    ARENA_SCRATCH(arena);
    struct yaml_node *map = parse(&arena, "a: null\nb: 'null'\nc:\nd: ~\ne: ''\nf: Null\n");
    assert_true(yaml_is_null(yaml_get(map, "a")));
    assert_false(yaml_is_null(yaml_get(map, "b")));
    assert_true(yaml_is_null(yaml_get(map, "c")));
    assert_true(yaml_is_null(yaml_get(map, "d")));
    assert_false(yaml_is_null(yaml_get(map, "e")));
    assert_true(yaml_is_null(yaml_get(map, "f")));
}

TEST(test_yaml__an_empty_document_has_no_root)
{
    static const char *const sources[] = {"", "\n", "# only a comment\n", "---\n", "---\n...\n"};
    ARENA_SCRATCH(arena);
    for (EACH_ROW(i, sources, sources[i]))
        assert_null(parse(&arena, sources[i]));
    assert_non_null(parse(&arena, "~"));
    assert_non_null(parse(&arena, "''"));
}

TEST(test_yaml__offsets_are_bytes_also_behind_other_scripts)
{
    static const char source[] =
        "# \xC3\xA9\xF0\x9F\x98\x80\nn\xC3\xA4me: \xE2\x82\xAC\nb: {c: d}\n";
    ARENA_SCRATCH(arena);
    struct yaml_node *map = parse(&arena, source);
    assert_int_equal(map->map.members[0].key->offset, strstr(source, "n\xC3\xA4") - source);
    assert_int_equal(map->map.members[0].value->offset, strstr(source, "\xE2") - source);
    assert_int_equal(yaml_get(map, "b")->offset, strstr(source, "{") - source);
    assert_int_equal(yaml_get(yaml_get(map, "b"), "c")->offset, strstr(source, "d}") - source);
}

TEST(test_yaml__a_byte_order_mark_is_skipped)
{
    ARENA_SCRATCH(arena);
    struct yaml_node *map = parse(&arena, "\xEF\xBB\xBF"
                                          "a: b\n");
    assert_string_equal(yaml_get(map, "a")->text.ptr, "b");
    assert_int_equal(yaml_get(map, "a")->offset, 3);
}

TEST(test_yaml__the_document_outlives_its_source)
{
    ARENA_SCRATCH(arena);
    char *source = strdup("a: b\n");
    struct yaml_doc *doc = parse_span(&arena, span_from(source));
    memset(source, 'x', strlen(source));
    free(source);
    ERR_SCRATCH(err);
    (void)yaml_error(&err, yaml_get(doc->root, "a"), "bad '%s'", "thing");
    assert_refused(&err, "invalid", "bad 'thing'", 1, 4);
    assert_string_equal(err.where.source, "a: b");
}

struct refusal {
    const char *source, *message;
    size_t line, column;
};

static const struct refusal refusals[] = {
    {"a: &x 1", "anchors ('&x') are not accepted", 1, 4},
    {"&x {a: b}", "anchors ('&x') are not accepted", 1, 1},
    {"- &x [1]", "anchors ('&x') are not accepted", 1, 3},
    {"\xC3\xA9: *x", "aliases ('*x') are not accepted", 1, 4},
    {"a: b\n*x : c", "aliases ('*x') are not accepted", 2, 1},
    {"a: !!python/object/apply:os.system [id]",
     "tags ('tag:yaml.org,2002:python/object/apply:os.system') are not accepted", 1, 4},
    {"a: !include x", "tags ('!include') are not accepted", 1, 4},
    {"a: !!str 1", "tags ('tag:yaml.org,2002:str') are not accepted", 1, 4},
    {"a: ! x", "tags ('!') are not accepted", 1, 4},
    {"a: ! 'x'", "tags ('!') are not accepted", 1, 4},
    {"a: !<x> {}", "tags ('x') are not accepted", 1, 4},
    {"%TAG ! x:\n---\na", "tag directives ('%TAG') are not accepted", 1, 1},
    {"a: 1\n---\nb: 2\n", "a second document: only one is accepted", 2, 1},
    {"<<: x", "merge keys ('<<') are not accepted", 1, 1},
    {"a: {<<: {b: c}}", "merge keys ('<<') are not accepted", 1, 5},
    {"a: 1\nb: 2\na: 3", "duplicate key 'a' (first on line 1)", 3, 1},
    {"x:\n  {a: 1, 'a': 2}", "duplicate key 'a' (first on line 2)", 2, 10},
    {"'': 1\n'': 2", "duplicate key '' (first on line 1)", 2, 1},
    {"[a]: b", "a key must be a text, not a list", 1, 1},
    {"a: {{ x }}", "a key must be a text, not a mapping", 1, 5},
    {"a: \"x\\0y\"", "a text cannot hold the NUL character ('\\0')", 1, 4},
    {"a: \x1B[0m", "the character U+001B is not allowed in YAML", 1, 4},
    {"a: \x7F", "the character U+007F is not allowed in YAML", 1, 4},
    {"a: \xEF\xBF\xBF", "the character U+FFFF is not allowed in YAML", 1, 4},
    {"\xC3\xA9: \xC3(", "not valid UTF-8 (byte 0xc3)", 1, 4},
    {"a: \xED\xA0\x80", "not valid UTF-8 (byte 0xed)", 1, 4},
    {"\xFE\xFF", "UTF-16 and UTF-32 are not accepted", 1, 1},
    {"\xFF\xFE"
     "a",
     "UTF-16 and UTF-32 are not accepted", 1, 1},
    {"%YAML 1.3\n---\na", "not valid YAML: found incompatible YAML document", 1, 1},
    {"a:\n\tb: 1", "not valid YAML: a tab cannot indent; use spaces", 2, 1},
    {"a: [1, 2\nb: 3",
     "not valid YAML: did not find expected ',' or ']' (while parsing a flow sequence that begins "
     "on "
     "line 1)",
     2, 2},
    {"a: 'x", "not valid YAML: found unexpected end of stream", 1, 6},
    {"a: @x", "not valid YAML: found character that cannot start any token", 1, 4},
    {"\xC3\xA9: b: c", "not valid YAML: mapping values are not allowed in this context", 1, 5},
};

TEST(test_yaml__refuses_with_a_place_and_a_name)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    for (EACH_ROW(i, refusals, refusals[i].source)) {
        struct yaml_doc *doc = NULL;
        const struct refusal *wanted = &refusals[i];
        assert_int_equal(yaml_parse(&doc, &arena, "in.yml", span_from(wanted->source), &err), -1);
        assert_null(doc);
        assert_refused(&err, "invalid", wanted->message, wanted->line, wanted->column);
        err_release(&err);
    }
}

TEST(test_yaml__refuses_a_nul_byte)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct yaml_doc *doc = NULL;
    assert_int_equal(yaml_parse(&doc, &arena, "in.yml", span_of("a\0: b", 5), &err), -1);
    assert_refused(&err, "invalid", "a NUL byte: the file must be text in UTF-8", 1, 2);
}

struct hint {
    const char *source, *hint;
};

TEST(test_yaml__hints_at_the_usual_mistakes)
{
    static const struct hint hints[] = {
        {"a: {{ x }}", "put a text that begins with '{' or '[' in quotes"},
        {"a: @x", "put the text in quotes: a plain text cannot begin with '@'"},
        {"a: b: c", "put a text that holds ': ' in quotes"},
        {"\xFF\xFE", "save the file as UTF-8"},
    };
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    for (EACH_ROW(i, hints, hints[i].source)) {
        struct yaml_doc *doc = NULL;
        assert_int_equal(yaml_parse(&doc, &arena, "x", span_from(hints[i].source), &err), -1);
        assert_string_equal(err.hint, hints[i].hint);
    }
}

TEST(test_yaml__finds_the_first_duplicate_of_a_large_map)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    BUF_SCRATCH(source, LIMIT_MIB);
    for (int i = 0; i < 70000; i++)
        (void)buf_printf(&source, "key%d: 1\n", i);
    (void)buf_puts(&source, "key69999: 2\nkey5: 2\nkey5: 3\n");
    struct yaml_doc *doc = NULL;
    assert_int_equal(yaml_parse(&doc, &arena, "in.yml", span_of(source.ptr, source.len), &err), -1);
    assert_refused(&err, "invalid", "duplicate key 'key69999' (first on line 70000)", 70001, 1);
}

TEST(test_yaml__shortens_a_long_key_in_a_message)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct yaml_doc *doc = NULL;
    BUF_SCRATCH(source, LIMIT_MIB);
    for (int line = 0; line < 2; line++) {
        for (int i = 0; i < 200; i++)
            (void)buf_puts(&source, i == 0 ? "x" : "\xC3\xA9");
        (void)buf_puts(&source, ": 1\n");
    }
    assert_int_equal(yaml_parse(&doc, &arena, "in.yml", span_of(source.ptr, source.len), &err), -1);
    /* 60 bytes would end within a character */
    assert_int_equal(strlen(err.message), strlen("duplicate key '' (first on line 1)") + 59);
}

static const char *nested(struct arena *arena, size_t depth)
{
    BUF_SCRATCH(source, LIMIT_MIB);
    for (size_t i = 0; i < depth; i++)
        (void)buf_puts(&source, i % 2 ? "{a: " : "[");
    for (size_t i = depth; i-- > 0;)
        (void)buf_puts(&source, i % 2 ? "}" : "]");
    return arena_strdup(arena, buf_text(&source));
}

TEST(test_yaml__depth_ends_at_its_limit)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct yaml_doc *doc = NULL;
    assert_non_null(parse(&arena, nested(&arena, LIMIT_DOCUMENT_DEPTH - 1)));
    assert_non_null(parse(&arena, nested(&arena, LIMIT_DOCUMENT_DEPTH)));
    const char *deeper = nested(&arena, LIMIT_DOCUMENT_DEPTH + 1);
    assert_int_equal(yaml_parse(&doc, &arena, "in.yml", span_from(deeper), &err), -1);
    assert_refused(&err, "limit", "nested deeper than 64 levels, the limit", 1, 32 * 5 + 1);
}

TEST(test_yaml__depth_of_100000_ends_at_once)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct yaml_doc *doc = NULL;
    char *source = xmalloc(100000);
    memset(source, '[', 100000);
    assert_int_equal(yaml_parse(&doc, &arena, "in.yml", span_of(source, 100000), &err), -1);
    assert_refused(&err, "limit", "nested deeper than 64 levels, the limit", 1, 65);
    free(source);
}

TEST(test_yaml__size_ends_at_its_limit)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct yaml_doc *doc = NULL;
    size_t limit = LIMIT_DOCUMENT_BYTES;
    char *source = xmalloc(limit + 1);
    memset(source, 'x', limit + 1);
    memcpy(source, "a: ", 3);
    assert_int_equal(yaml_parse(&doc, &arena, "in.yml", span_of(source, limit - 1), &err), 0);
    assert_int_equal(yaml_parse(&doc, &arena, "in.yml", span_of(source, limit), &err), 0);
    assert_int_equal(yaml_parse(&doc, &arena, "in.yml", span_of(source, limit + 1), &err), -1);
    assert_refused(&err, "limit", "the file has 1048577 bytes; the limit is 1048576", 0, 0);
    free(source);
}

TEST(test_yaml__unknown_keys_are_refused_with_the_nearest)
{
    static const char *const names[] = {"description", "stack", "layers", NULL};
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    assert_int_equal(yaml_check_keys(parse(&arena, "stack: none\nlayers: []"), names, &err), 0);
    assert_int_equal(yaml_check_keys(parse(&arena, "stack: none\nlayer: []"), names, &err), -1);
    assert_refused(&err, "invalid", "unknown key 'layer'", 2, 1);
    assert_string_equal(err.hint, "did you mean 'layers'?");
    assert_int_equal(yaml_check_keys(parse(&arena, "xyzzy: 1"), names, &err), -1);
    assert_null(err.hint);
    assert_int_equal(yaml_check_keys(parse(&arena, "- stack"), names, &err), -1);
    assert_refused(&err, "invalid", "a mapping is wanted here, not a list", 1, 1);
    assert_int_equal(yaml_check_keys(NULL, names, &err), -1);
    assert_int_equal(err.exit, TG_USAGE);
}

TEST(test_yaml__get_finds_what_is_there_only)
{
    ARENA_SCRATCH(arena);
    struct yaml_node *map = parse(&arena, "a: b\n'1': c\n");
    assert_string_equal(yaml_get(map, "1")->text.ptr, "c");
    assert_null(yaml_get(map, "b"));
    assert_null(yaml_get(yaml_get(map, "a"), "a"));
    assert_null(yaml_get(NULL, "a"));
}

TEST(test_yaml__an_absent_value_leaves_the_default)
{
    ERR_SCRATCH(err);
    const char *text = "default";
    bool flag = true;
    int64_t integer = 7;
    struct words texts = {NULL, 3};
    ARENA_SCRATCH(arena);
    assert_int_equal(yaml_text(&text, NULL, "x", &err), 0);
    assert_int_equal(yaml_bool(&flag, NULL, "x", &err), 0);
    assert_int_equal(yaml_int(&integer, NULL, "x", &err), 0);
    assert_int_equal(yaml_texts(&texts, &arena, NULL, "x", &err), 0);
    assert_string_equal(text, "default");
    assert_true(flag);
    assert_int_equal(integer, 7);
    assert_int_equal(texts.count, 3);
}

TEST(test_yaml__typed_readers_take_their_own_type)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct yaml_node *map = parse(&arena, "t: true\nf: false\ni: -42\nz: 0\n"
                                          "m: -9223372036854775808\nl: [a, '1', 2]\n");
    bool yes = false, no = true;
    int64_t integer = 0, zero = 1, least = 0;
    struct words texts = {NULL, 0};
    assert_int_equal(yaml_bool(&yes, yaml_get(map, "t"), "t", &err), 0);
    assert_int_equal(yaml_bool(&no, yaml_get(map, "f"), "f", &err), 0);
    assert_int_equal(yaml_int(&integer, yaml_get(map, "i"), "i", &err), 0);
    assert_int_equal(yaml_int(&zero, yaml_get(map, "z"), "z", &err), 0);
    assert_int_equal(yaml_int(&least, yaml_get(map, "m"), "m", &err), 0);
    assert_int_equal(yaml_texts(&texts, &arena, yaml_get(map, "l"), "l", &err), 0);
    assert_true(yes);
    assert_false(no);
    assert_int_equal(integer, -42);
    assert_int_equal(zero, 0);
    assert_true(least == INT64_MIN);
    assert_int_equal(texts.count, 3);
    assert_string_equal(texts.items[0], "a");
    assert_string_equal(texts.items[1], "1");
    assert_string_equal(texts.items[2], "2");
}

enum reader { TEXT, BOOL, INT, TEXTS };

struct mistake {
    enum reader reader;
    const char *value, *message, *hint;
};

static const struct mistake mistakes[] = {
    {TEXT, "[x]", "'a' must be a text, not a list", NULL},
    {TEXT, "{x: y}", "'a' must be a text, not a mapping", NULL},
    {TEXT, "", "'a' must be a text, not nothing",
     "put the text in quotes (\"\"), or leave the key out"},
    {TEXT, "null", "'a' must be a text, not nothing",
     "put the text in quotes (\"null\"), or leave the key out"},
    {BOOL, "yes", "'a' must be true or false, not a text", NULL},
    {BOOL, "True", "'a' must be true or false, not a text", NULL},
    {BOOL, "'true'", "'a' must be true or false, not a text", "write it without quotes"},
    {BOOL, "", "'a' must be true or false, not nothing", "give a value, or leave the key out"},
    {INT, "x", "'a' must be an integer, not a text", NULL},
    {INT, "1.0", "'a' must be an integer, not a text", NULL},
    {INT, "0x10", "'a' must be an integer, not a text", NULL},
    {INT, "+", "'a' must be an integer, not a text", NULL},
    {INT, "'1'", "'a' must be an integer, not a text", "write it without quotes"},
    {INT, "012", "'a' must be an integer without leading zeros", NULL},
    {INT, "9223372036854775808", "'a' must be an integer of 64 bits", NULL},
    {INT, "[1]", "'a' must be an integer, not a list", NULL},
    {TEXTS, "x", "'a' must be a list of texts, not a text", NULL},
    {TEXTS, "[[x]]", "'a' must be a text, not a list", NULL},
};

static int read_as(enum reader reader, struct arena *arena, const struct yaml_node *node,
                   struct err *err)
{
    const char *text = NULL;
    struct words texts = {NULL, 0};
    bool flag = false;
    int64_t integer = 0;
    switch (reader) {
    case TEXT:
        return yaml_text(&text, node, "a", err);
    case BOOL:
        return yaml_bool(&flag, node, "a", err);
    case INT:
        return yaml_int(&integer, node, "a", err);
    case TEXTS:
        return yaml_texts(&texts, arena, node, "a", err);
    }
    return 0;
}

TEST(test_yaml__typed_readers_refuse_every_other_type)
{
    ARENA_SCRATCH(arena);
    for (EACH_ROW(i, mistakes, mistakes[i].value)) {
        ERR_SCRATCH(err);
        const struct mistake *wanted = &mistakes[i];
        struct yaml_node *map = parse(&arena, arena_printf(&arena, "a: %s\n", wanted->value));
        assert_int_equal(read_as(wanted->reader, &arena, yaml_get(map, "a"), &err), -1);
        assert_string_equal(err.message, wanted->message);
        assert_int_equal(err.where.line, 1);
        if (wanted->hint)
            assert_string_equal(err.hint, wanted->hint);
        else
            assert_null(err.hint);
    }
}

static struct data *value_of(struct arena *arena, const char *text)
{
    struct yaml_node *map = parse(arena, arena_printf(arena, "a: %s\n", text));
    return data_get(yaml_to_data(arena, map), "a");
}

static void assert_kind(enum data_kind kind, const char *const *texts, size_t count)
{
    ARENA_SCRATCH(arena);
    for (size_t i = 0; row_begin("texts", i, count) && row_text(texts[i]); i++)
        assert_int_equal(value_of(&arena, texts[i])->kind, kind);
}

TEST(test_yaml__data_has_the_types_of_the_core_schema)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    static const char *const bools[] = {"true", "True", "TRUE", "false", "False", "FALSE"};
    static const char *const ints[] = {"0", "-1", "+7", "012", "0o17", "0xfF"};
    static const char *const floats[] = {"1.", ".5", "-1.5e3", "1e3", ".inf", "-.INF", ".NaN"};
    static const char *const texts[] = {"yes",
                                        "no",
                                        "on",
                                        "tRue",
                                        "nULL",
                                        "1_000",
                                        "0b1",
                                        "1:30",
                                        "0x",
                                        "-0x1",
                                        "2024-01-01",
                                        "1.2.",
                                        ".",
                                        "+",
                                        "1.2.3",
                                        "+.nan",
                                        "\"1\"",
                                        "'true'",
                                        "''",
                                        "inf",
                                        "0o8",
                                        "1e",
                                        "\"null\"",
                                        "9223372036854775808",
                                        "0x8000000000000000"};
    assert_kind(DATA_NULL, nulls, COUNT(nulls));
    assert_kind(DATA_BOOL, bools, COUNT(bools));
    assert_kind(DATA_INT, ints, COUNT(ints));
    assert_kind(DATA_FLOAT, floats, COUNT(floats));
    assert_kind(DATA_STR, texts, COUNT(texts));
}

TEST(test_yaml__data_has_the_values_of_the_core_schema)
{
    ARENA_SCRATCH(arena);
    assert_int_equal(value_of(&arena, "012")->integer, 12);
    assert_int_equal(value_of(&arena, "0o17")->integer, 15);
    assert_int_equal(value_of(&arena, "0xfF")->integer, 255);
    assert_true(value_of(&arena, "9223372036854775807")->integer == INT64_MAX);
    assert_true(value_of(&arena, "-1.5e3")->real == -1500.0);
    assert_true(isinf(value_of(&arena, "-.inf")->real) && value_of(&arena, "-.inf")->real < 0);
    assert_true(isnan(value_of(&arena, ".nan")->real));
    assert_string_equal(data_text(value_of(&arena, "9223372036854775808")), "9223372036854775808");
    assert_true(value_of(&arena, "TRUE")->boolean);
}

/* ---------------------------------------------------------------- writing */

static void assert_written(const struct data *data, const char *wanted)
{
    BUF_SCRATCH(out, LIMIT_MIB);
    assert_int_equal(yaml_write(&out, data, 0), 0);
    assert_string_equal(buf_text(&out), wanted);
}

TEST(test_yaml__writes_blocks_two_blanks_a_level)
{
    ARENA_SCRATCH(arena);
    const char *text = "a: 1\n"
                       "b:\n"
                       "  - x\n"
                       "  - - v\n"
                       "    - w\n"
                       "  - c: null\n"
                       "    d:\n"
                       "      e: true\n"
                       "  - []\n"
                       "f: {}\n";
    assert_written(yaml_to_data(&arena, parse(&arena, text)), text);
}

TEST(test_yaml__writes_at_an_indent)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(out, LIMIT_MIB);
    assert_int_equal(yaml_write(&out, yaml_to_data(&arena, parse(&arena, "a: [x]\nb: c")), 2), 0);
    assert_string_equal(buf_text(&out), "  a:\n    - x\n  b: c\n");
    assert_written(data_list(&arena), "[]\n");
    assert_written(data_str(&arena, "x"), "x\n");
}

struct spelling {
    const char *text, *block, *flow;
};

/* Where flow is NULL it is as in a block. */
static const struct spelling spellings[] = {
    {"pytorch", "pytorch", NULL},
    {"two words", "two words", NULL},
    {"cu126", "cu126", NULL},
    {"/etc/x", "/etc/x", NULL},
    {"a.b-c_d+e@f=(g)", "a.b-c_d+e@f=(g)", NULL},
    {"https://example.org/x", "https://example.org/x", "\"https://example.org/x\""},
    {"one, two", "one, two", "\"one, two\""},
    {"", "\"\"", NULL},
    {"12.10", "\"12.10\"", NULL},
    {"2.13.0", "\"2.13.0\"", NULL},
    {"0123456789abcdef", "\"0123456789abcdef\"", NULL},
    {"1e5000", "\"1e5000\"", NULL},
    {"-x", "\"-x\"", NULL},
    {".inf", "\".inf\"", NULL},
    {"~", "\"~\"", NULL},
    {"null", "\"null\"", NULL},
    {"y", "\"y\"", NULL},
    {"NO", "\"NO\"", NULL},
    {"Off", "\"Off\"", NULL},
    {"TRUE", "\"TRUE\"", NULL},
    {"nan", "\"nan\"", NULL},
    {"yesterday", "yesterday", NULL},
    {"a: b", "\"a: b\"", NULL},
    {"a:", "\"a:\"", NULL},
    {"a #b", "\"a #b\"", NULL},
    {"a ", "\"a \"", NULL},
    {" a", "\" a\"", NULL},
    {"a  b", "\"a  b\"", NULL},
    {"[a]", "\"[a]\"", NULL},
    {"{{ x }}", "\"{{ x }}\"", NULL},
    {"it's", "\"it's\"", NULL},
    {"say \"x\" \\", "\"say \\\"x\\\" \\\\\"", NULL},
    {"a\nb\tc\r", "\"a\\nb\\tc\\r\"", NULL},
    {"\x1B[0m", "\"\\x1B[0m\"", NULL},
    {"\x7F", "\"\\x7F\"", NULL},
    {"\xC2\x85", "\"\\x85\"", NULL},
    {"\xC3\xA9", "\"\xC3\xA9\"", NULL},
    {"\xE2\x80\xAE", "\"\\u202E\"", NULL},
    {"\xE2\x80\x8B", "\"\\u200B\"", NULL},
    {"\xE2\x80\xA8", "\"\\u2028\"", NULL},
    {"\xEF\xBB\xBF", "\"\\uFEFF\"", NULL},
    {"\xF0\x9F\x98\x80", "\"\xF0\x9F\x98\x80\"", NULL},
    {"\xF3\xA0\x80\x81", "\"\\U000E0001\"", NULL},
    {"\xEF\xBF\xBF", "\"\\uFFFF\"", NULL},
    {"---", "\"---\"", NULL},
    {"<<", "\"<<\"", NULL},
    {"=", "\"=\"", NULL},
    {"*x", "\"*x\"", NULL},
    {"!x", "\"!x\"", NULL},
};

TEST(test_yaml__quotes_what_some_reader_takes_for_something_else)
{
    ARENA_SCRATCH(arena);
    for (EACH_ROW(i, spellings, spellings[i].text)) {
        const struct spelling *spelling = &spellings[i];
        BUF_SCRATCH(out, LIMIT_MIB);
        struct data *text = data_str(&arena, spelling->text);
        assert_written(text, arena_printf(&arena, "%s\n", spelling->block));
        assert_int_equal(yaml_write_flow(&out, text), 0);
        assert_string_equal(buf_text(&out), spelling->flow ? spelling->flow : spelling->block);
    }
}

static struct data *sampler(struct arena *arena)
{
    struct data *map = data_map(arena), *list = data_list(arena);
    for (size_t i = 0; i < COUNT(spellings); i++) {
        data_push(arena, list, data_str(arena, spellings[i].text));
        data_put(arena, map, spellings[i].text, data_str(arena, spellings[i].text));
    }
    data_put(arena, map, "the list", list);
    data_put(arena, map, "empty list", data_list(arena));
    data_put(arena, map, "empty map", data_map(arena));
    data_put(arena, map, "int", data_int(arena, INT64_MIN));
    data_put(arena, map, "float", data_float(arena, 0.1));
    data_put(arena, map, "large", data_float(arena, 1e300));
    data_put(arena, map, "whole", data_float(arena, 3.0));
    data_put(arena, map, "bool", data_bool(arena, false));
    data_put(arena, map, "null", data_null(arena));
    return map;
}

TEST(test_yaml__reads_back_what_it_wrote)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(block, LIMIT_MIB);
    BUF_SCRATCH(line, LIMIT_MIB);
    struct data *data = sampler(&arena);
    assert_int_equal(yaml_write(&block, data, 0), 0);
    assert_true(data_equal(yaml_to_data(&arena, parse(&arena, block.ptr)), data));
    assert_int_equal(yaml_write_flow(&line, data), 0);
    assert_null(strchr(line.ptr, '\n'));
    assert_true(data_equal(yaml_to_data(&arena, parse(&arena, line.ptr)), data));
}

TEST(test_yaml__floats_keep_their_value_and_type)
{
    ARENA_SCRATCH(arena);
    assert_written(data_float(&arena, 1), "1.0\n");
    assert_written(data_float(&arena, 0.1), "0.1\n");
    assert_written(data_float(&arena, 1e16), "1.0e+16\n");
    assert_written(data_float(&arena, -2.5e-7), "-2.5e-07\n");
    assert_written(data_float(&arena, INFINITY), ".inf\n");
    assert_written(data_float(&arena, -INFINITY), "-.inf\n");
    assert_written(data_float(&arena, NAN), ".nan\n");
}

TEST(test_yaml__long_keys_can_be_read_back)
{
    static const size_t lengths[] = {999, 1000, 1001, 1024, 5000};
    for (EACH_ROW(i, lengths, NULL)) {
        ARENA_SCRATCH(arena);
        BUF_SCRATCH(block, LIMIT_MIB);
        BUF_SCRATCH(line, LIMIT_MIB);
        char *key = arena_alloc(&arena, lengths[i] + 1);
        memset(key, 'k', lengths[i]);
        struct data *data = data_map(&arena), *inner = data_map(&arena);
        data_put(&arena, inner, key, data_str(&arena, "v"));
        data_put(&arena, data, key, inner);
        assert_int_equal(yaml_write(&block, data, 0), 0);
        assert_true(data_equal(yaml_to_data(&arena, parse(&arena, block.ptr)), data));
        assert_int_equal(yaml_write_flow(&line, data), 0);
        assert_true(data_equal(yaml_to_data(&arena, parse(&arena, line.ptr)), data));
    }
}

static struct data *deep(struct arena *arena, size_t depth)
{
    struct data *data = data_str(arena, "x");
    for (size_t i = 0; i < depth; i++) {
        struct data *list = data_list(arena);
        data_push(arena, list, data);
        data = list;
    }
    return data;
}

TEST(test_yaml__writes_no_deeper_than_it_reads)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(out, LIMIT_MIB);
    assert_int_equal(yaml_write(&out, deep(&arena, LIMIT_DOCUMENT_DEPTH), 0), 0);
    assert_non_null(parse(&arena, out.ptr));
    buf_truncate(&out, 0);
    assert_int_equal(yaml_write_flow(&out, deep(&arena, LIMIT_DOCUMENT_DEPTH)), 0);
    assert_non_null(parse(&arena, out.ptr));
    assert_int_equal(yaml_write_flow(&out, deep(&arena, LIMIT_DOCUMENT_DEPTH + 1)), -1);
    BUF_SCRATCH(other, LIMIT_MIB);
    assert_int_equal(yaml_write(&other, deep(&arena, LIMIT_DOCUMENT_DEPTH + 1), 0), -1);
    assert_true(other.overflowed);
}

TEST(test_yaml__stops_where_the_buffer_is_full)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(block, 100);
    BUF_SCRATCH(line, 100);
    /* each level holds the one below twice: 2^60 texts */
    struct data *data = data_str(&arena, "x");
    for (int i = 0; i < 60; i++) {
        struct data *list = data_list(&arena);
        data_push(&arena, list, data);
        data_push(&arena, list, data);
        data = list;
    }
    assert_int_equal(yaml_write(&block, data, 0), -1);
    assert_int_equal(yaml_write_flow(&line, data), -1);
}
