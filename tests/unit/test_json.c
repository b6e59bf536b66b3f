/* JSON written and read. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "data/data.h"
#include "data/json.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static struct data *parse(struct arena *arena, const char *source)
{
    struct data *data = NULL;
    ERR_SCRATCH(err);
    if (json_parse(&data, arena, "in.json", span_from(source), &err))
        fail_msg("%s: %s", source, err.message);
    return data;
}

static void assert_written(const struct data *data, bool pretty, const char *wanted)
{
    BUF_SCRATCH(out, LIMIT_MIB);
    assert_int_equal(json_write(&out, data, pretty), 0);
    assert_string_equal(buf_text(&out), wanted);
}

TEST(test_json__writes_names_in_their_order)
{
    ARENA_SCRATCH(arena);
    struct data *data =
        parse(&arena, "{\"z\":[1,{\"y\":null}],\"a\":{\"c\":true,\"b\":[]},\"m\":{}}");
    assert_written(data, false, "{\"z\":[1,{\"y\":null}],\"a\":{\"c\":true,\"b\":[]},\"m\":{}}\n");
    assert_written(data, true,
                   "{\n"
                   "  \"z\": [\n"
                   "    1,\n"
                   "    {\n"
                   "      \"y\": null\n"
                   "    }\n"
                   "  ],\n"
                   "  \"a\": {\n"
                   "    \"c\": true,\n"
                   "    \"b\": []\n"
                   "  },\n"
                   "  \"m\": {}\n"
                   "}\n");
}

TEST(test_json__escapes_what_does_not_show_and_no_more)
{
    static const char *const cases[][2] = {
        {"a/b", "\"a/b\"\n"},
        {"\"\\", "\"\\\"\\\\\"\n"},
        {"\b\f\n\r\t", "\"\\b\\f\\n\\r\\t\"\n"},
        {"\x1B[0m\x7F", "\"\\u001b[0m\\u007f\"\n"},
        {"\xC2\x85", "\"\\u0085\"\n"},
        {"\xE2\x80\xAE\xE2\x80\x8B", "\"\\u202e\\u200b\"\n"},
        {"\xE2\x80\xA8", "\"\\u2028\"\n"},
        {"\xF3\xA0\x80\x81", "\"\\udb40\\udc01\"\n"},
        {"\xC3\xA9\xF0\x9F\x98\x80", "\"\xC3\xA9\xF0\x9F\x98\x80\"\n"},
        {"\xFF", "\"\\ufffd\"\n"},
    };
    ARENA_SCRATCH(arena);
    for (EACH_ROW(i, cases, cases[i][0]))
        assert_written(data_str(&arena, cases[i][0]), false, cases[i][1]);
}

TEST(test_json__writes_numbers_that_read_back)
{
    ARENA_SCRATCH(arena);
    assert_written(data_int(&arena, INT64_MIN), false, "-9223372036854775808\n");
    assert_written(data_float(&arena, 0.1), false, "0.1\n");
    assert_written(data_float(&arena, 1e16), false, "1e+16\n");
    assert_written(data_float(&arena, 3), false, "3.0\n");
}

TEST(test_json__cannot_write_inf_or_nan)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(infinite, LIMIT_KIB);
    BUF_SCRATCH(none, LIMIT_KIB);
    assert_int_equal(json_write(&infinite, data_float(&arena, INFINITY), false), -1);
    assert_int_equal(json_write(&none, data_float(&arena, NAN), false), -1);
}

static struct data *deep(struct arena *arena, size_t depth)
{
    struct data *data = data_null(arena);
    for (size_t i = 0; i < depth; i++) {
        struct data *list = data_list(arena);
        data_push(arena, list, data);
        data = list;
    }
    return data;
}

TEST(test_json__writing_ends_at_its_depth)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(out, LIMIT_MIB);
    assert_int_equal(json_write(&out, deep(&arena, JSON_WRITE_DEPTH), true), 0);
    assert_int_equal(json_write(&out, deep(&arena, JSON_WRITE_DEPTH + 1), true), -1);
    assert_true(out.overflowed);
}

TEST(test_json__reads_every_kind)
{
    ARENA_SCRATCH(arena);
    struct data *data = parse(&arena, "\xEF\xBB\xBF { \"a\" : [ true, false, null, -1, 2.5, 1e3, "
                                      "\"\\u00e9\\ud83d\\ude00\\/\" ] }\n");
    struct data *list = data_get(data, "a");
    assert_int_equal(list->list.count, 7);
    assert_true(list->list.items[0]->kind == DATA_BOOL && list->list.items[0]->boolean);
    assert_true(list->list.items[1]->kind == DATA_BOOL && !list->list.items[1]->boolean);
    assert_int_equal(list->list.items[2]->kind, DATA_NULL);
    assert_true(list->list.items[3]->kind == DATA_INT && list->list.items[3]->integer == -1);
    assert_true(list->list.items[4]->kind == DATA_FLOAT && list->list.items[4]->real == 2.5);
    assert_true(list->list.items[5]->kind == DATA_FLOAT && list->list.items[5]->real == 1000.0);
    assert_string_equal(data_text(list->list.items[6]), "\xC3\xA9\xF0\x9F\x98\x80/");
    assert_int_equal(parse(&arena, "7")->integer, 7);
}

TEST(test_json__reads_back_what_it_wrote)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(pretty, LIMIT_MIB);
    BUF_SCRATCH(plain, LIMIT_MIB);
    struct data *data = data_map(&arena), *list = data_list(&arena);
    data_put(&arena, data, "\x1B\xE2\x80\xAE\"\\", list);
    data_push(&arena, list, data_float(&arena, 1.7976931348623157e308));
    data_push(&arena, list, data_int(&arena, INT64_MAX));
    data_push(&arena, list, data_str(&arena, "\xF3\xA0\x80\x81\n"));
    data_push(&arena, list, data_map(&arena));
    assert_int_equal(json_write(&pretty, data, true), 0);
    assert_int_equal(json_write(&plain, data, false), 0);
    assert_true(data_equal(parse(&arena, pretty.ptr), data));
    assert_true(data_equal(parse(&arena, plain.ptr), data));
}

struct refusal {
    const char *source, *code, *message;
    size_t line, column;
};

static const struct refusal refusals[] = {
    {"", "invalid", "not valid JSON: the document is empty", 1, 1},
    {" \n", "invalid", "not valid JSON: the document is empty", 1, 1},
    {"{\"a\": 1,\n \"b\": 2,\n \"a\": 3}", "invalid", "not valid JSON: duplicate key", 3, 2},
    {"{\"a\": 1,}", "invalid", "not valid JSON: string or '}' expected", 1, 9},
    {"[1,\n 2,\n xyzzy]", "invalid", "not valid JSON: invalid token", 3, 2},
    {"[1 2]", "invalid", "not valid JSON: ']' expected", 1, 4},
    {"{\"a\" 1}", "invalid", "not valid JSON: ':' expected", 1, 6},
    {"[1] x", "invalid", "not valid JSON: end of file expected", 1, 5},
    {"[\"a\nb\"]", "invalid", "not valid JSON: unexpected newline", 1, 2},
    {"[\"a\\qb\"]", "invalid", "not valid JSON: invalid escape", 1, 2},
    {"[\"a\\u0000\"]", "invalid",
     "not valid JSON: a text cannot hold the NUL character ('\\u0000')", 1, 2},
    {"{\"a\\u0000\": 1}", "invalid",
     "not valid JSON: a text cannot hold the NUL character ('\\u0000')", 1, 2},
    {"[\"abc", "invalid", "not valid JSON: it ends too early", 1, 6},
    {"[tru", "invalid", "not valid JSON: invalid token", 1, 2},
    {"[\"a\\ud800\"]", "invalid", "not valid JSON: invalid Unicode '\\uD800'", 1, 2},
    {"[9223372036854775808]", "invalid", "not valid JSON: too big integer", 1, 2},
    {"[-9223372036854775809]", "invalid", "not valid JSON: too big negative integer", 1, 2},
    {"[1e999]", "invalid", "not valid JSON: real number overflow", 1, 2},
    {"[012]", "invalid", "not valid JSON: invalid token", 1, 2},
    {"[NaN]", "invalid", "not valid JSON: invalid token", 1, 2},
    {"[1", "invalid", "not valid JSON: ']' expected", 1, 3},
    {"{\"a\": [", "invalid", "not valid JSON: ']' expected", 1, 8},
    {"[\"\xFF\"]", "invalid", "not valid JSON: unable to decode byte 0xff", 1, 3},
};

TEST(test_json__refuses_with_a_place)
{
    for (EACH_ROW(i, refusals, refusals[i].source)) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        const struct refusal *wanted = &refusals[i];
        struct data *data = NULL;
        assert_int_equal(json_parse(&data, &arena, "in.json", span_from(wanted->source), &err), -1);
        assert_null(data);
        assert_int_equal(err.exit, TG_USAGE);
        assert_string_equal(err.code, wanted->code);
        assert_string_equal(err.message, wanted->message);
        assert_string_equal(err.where.file, "in.json");
        assert_int_equal(err.where.line, wanted->line);
        assert_int_equal(err.where.column, wanted->column);
    }
}

TEST(test_json__refuses_a_nul_byte)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct data *data = NULL;
    assert_int_equal(json_parse(&data, &arena, "x", span_of("[1]\0[2]", 7), &err), -1);
    assert_string_equal(err.message, "a NUL byte: the document must be UTF-8");
    assert_int_equal(err.where.column, 4);
}

static const char *nested(struct arena *arena, size_t depth)
{
    BUF_SCRATCH(source, LIMIT_MIB);
    for (size_t i = 0; i < depth; i++)
        (void)buf_puts(&source, i % 2 ? "{\"[{\\\"\":" : "[\"]\",");
    (void)buf_puts(&source, "1");
    for (size_t i = depth; i-- > 0;)
        (void)buf_puts(&source, i % 2 ? "}" : "]");
    return arena_strdup(arena, buf_text(&source));
}

TEST(test_json__depth_ends_at_its_limit)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct data *data = NULL;
    assert_non_null(parse(&arena, nested(&arena, LIMIT_DOCUMENT_DEPTH - 1)));
    assert_non_null(parse(&arena, nested(&arena, LIMIT_DOCUMENT_DEPTH)));
    const char *deeper = nested(&arena, LIMIT_DOCUMENT_DEPTH + 1);
    assert_int_equal(json_parse(&data, &arena, "in.json", span_from(deeper), &err), -1);
    assert_string_equal(err.code, "limit");
    assert_string_equal(err.message, "nested deeper than 64 levels, the limit");
    assert_int_equal(err.where.column, 32 * (5 + 8) + 1);
}

TEST(test_json__size_ends_at_its_limit)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct data *data = NULL;
    char *source = xmalloc(LIMIT_DOCUMENT_BYTES + 1);
    memset(source, ' ', LIMIT_DOCUMENT_BYTES + 1);
    source[0] = '1';
    assert_int_equal(
        json_parse(&data, &arena, "x", span_of(source, LIMIT_DOCUMENT_BYTES - 1), &err), 0);
    assert_int_equal(json_parse(&data, &arena, "x", span_of(source, LIMIT_DOCUMENT_BYTES), &err),
                     0);
    assert_int_equal(
        json_parse(&data, &arena, "x", span_of(source, LIMIT_DOCUMENT_BYTES + 1), &err), -1);
    assert_string_equal(err.code, "limit");
    assert_string_equal(err.message, "the document has 1048577 bytes; the limit is 1048576");
    free(source);
}
