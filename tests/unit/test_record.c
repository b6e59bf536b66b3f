/* The record: written and read back unchanged; edits are noticed; bad ones are refused with a
 * place. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "child/record.h"
#include "data/data.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <string.h>

#define TREE "0123456789abcdef0123456789abcdef01234567"

static struct record sample(struct arena *arena)
{
    static const char *yours[] = {"notes/**"};
    struct data *answers = data_map(arena), *request = data_map(arena);
    struct data *resolution = data_map(arena);
    data_put(arena, answers, "name", data_str(arena, "x"));
    data_put(arena, answers, "version", data_str(arena, "12.10"));
    data_put(arena, answers, "flag", data_bool(arena, false));
    data_put(arena, answers, "word", data_str(arena, "no"));
    data_put(arena, request, "framework", data_str(arena, "pytorch>=2.6"));
    data_put(arena, resolution, "python", data_str(arena, "3.12"));
    struct record record = {
        .catalog = {.source = "builtin", .ref = "v1.0.0", .commit = TREE, .version = "1.0.0"},
        .type = "service",
        .answers = answers,
        .request = request,
        .resolution = resolution,
        .tree = TREE,
        .engine = 1,
        .yours = {yours, 1}};
    record_hash_inputs(record.inputs, &record, span_of("", 0));
    return record;
}

static struct span write_record(struct arena *arena, const struct record *record)
{
    BUF_SCRATCH(text, LIMIT_DOCUMENT_BYTES);
    assert_int_equal(record_format(&text, record), 0);
    return span_of(arena_memdup(arena, text.ptr, text.len), text.len);
}

TEST(test_record__comes_back_as_it_was_written)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct record before = sample(&arena), after;
    struct span text = write_record(&arena, &before);
    assert_int_equal(record_parse(&after, &arena, "r", text, &err), 0);
    assert_string_equal(after.catalog.source, "builtin");
    assert_string_equal(after.catalog.commit, TREE);
    assert_string_equal(after.type, "service");
    assert_true(data_equal(after.answers, before.answers));
    assert_true(data_equal(after.request, before.request));
    assert_true(data_equal(after.resolution, before.resolution));
    assert_int_equal(after.yours.count, 1);
    assert_true(record_is_genuine(&after, span_of("", 0)));
    struct span again = write_record(&arena, &after);
    assert_true(span_equal(text, again));
}

TEST(test_record__without_stack_and_commit_comes_back)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct record before = sample(&arena), after;
    before.request = before.resolution = NULL;
    before.catalog.commit = before.catalog.ref = NULL;
    record_hash_inputs(before.inputs, &before, span_of("", 0));
    assert_int_equal(record_parse(&after, &arena, "r", write_record(&arena, &before), &err), 0);
    assert_null(after.request);
    assert_null(after.catalog.commit);
    assert_true(record_is_genuine(&after, span_of("", 0)));
}

/* What a record of a catalog that extends nothing hashed to before there were others. */
#define INPUTS_OF_SAMPLE "6e4400d523217c1acf80533cf17e23e8df385528b7bc3e3e8abecdc918fb5427"

TEST(test_record__hashes_the_commits_of_what_the_catalog_extends)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct record record = sample(&arena), after;
    struct catalog_origin last = {.source = "https://e.org/c", .version = "0.1.0"};
    struct catalog_origin next = {
        .source = "builtin", .ref = "v0.2.0", .commit = TREE, .version = "0.2.0", .extends = &last};
    assert_string_equal(record.inputs, INPUTS_OF_SAMPLE);
    record.catalog.extends = &next;
    assert_false(record_is_genuine(&record, span_of("", 0)));
    record_hash_inputs(record.inputs, &record, span_of("", 0));
    assert_int_equal(record_parse(&after, &arena, "r", write_record(&arena, &record), &err), 0);
    assert_true(record_is_genuine(&after, span_of("", 0)));
    assert_true(record_is_same(&record, &after));
    assert_string_equal(after.catalog.extends->extends->version, "0.1.0");
    next.ref = next.source = "moved"; /* what may be edited */
    assert_true(record_is_genuine(&record, span_of("", 0)));
    last.commit = TREE;
    assert_false(record_is_genuine(&record, span_of("", 0)));
    next.extends = NULL;
    assert_false(record_is_genuine(&record, span_of("", 0)));
}

TEST(test_record__notices_an_edited_answer_and_another_overlay)
{
    ARENA_SCRATCH(arena);
    struct record record = sample(&arena);
    assert_false(record_is_genuine(&record, span_from("rows: []\n")));
    data_put(&arena, (struct data *)record.answers, "flag", data_bool(&arena, true));
    assert_false(record_is_genuine(&record, span_of("", 0)));
}

TEST(test_record__does_not_count_yours_among_the_inputs)
{
    ARENA_SCRATCH(arena);
    struct record record = sample(&arena);
    record.yours.count = 0;
    assert_true(record_is_genuine(&record, span_of("", 0)));
}

TEST(test_record__refuses_what_is_no_record_with_its_place)
{
    static const struct {
        const char *text, *message;
        size_t line;
    } cases[] = {
        {"", "empty", 1},
        {"- a\n", "mapping", 1},
        {"catalog: {}\n", "'schema' is missing", 1},
        {"schema: 2\n", "schema 1, not 2", 1},
        {"schema: 1\nbogus: 1\n", "bogus", 2},
        {"schema: 1\ntemplate: t\n", "'catalog' is missing", 1},
        {"schema: 1\ncatalog: {source: s}\n", "'version' is missing", 2},
        {"schema: 1\n<<<<<<< ours\ncatalog: {}\n", "", 2},
    };
    for (EACH_ROW(i, cases, cases[i].text)) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        struct record record;
        assert_int_equal(
            record_parse(&record, &arena, "child/.tmplgen.yml", span_from(cases[i].text), &err),
            -1);
        assert_int_equal(err.exit, TG_USAGE);
        assert_string_equal(err.code, "invalid-record");
        assert_non_null(strstr(err.message, cases[i].message));
        assert_string_equal(err.where.file, "child/.tmplgen.yml");
        if (cases[i].line != 2 || i != 7)
            assert_int_equal(err.where.line, cases[i].line);
    }
}

TEST(test_record__source_and_version_stand_on_lines_of_their_own)
{
    ARENA_SCRATCH(arena);
    struct record record = sample(&arena);
    struct span text = write_record(&arena, &record);
    assert_non_null(strstr(text.ptr, "\n  source: builtin\n"));
    assert_non_null(strstr(text.ptr, "\n  version: \"1.0.0\"\n"));
}
