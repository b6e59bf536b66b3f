/* Errors, arenas, buffers, text helpers, globs, data, sets of files. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/str.h"
#include "data/data.h"
#include "data/fileset.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---------------------------------------------------------------- errors */

TEST(test_err__set_replaces_all_that_was_there)
{
    ERR_SCRATCH(err);
    assert_int_equal(err_set(&err, TG_REFUSED, "old", "%s", "first"), -1);
    assert_int_equal(err_hint(&err, "do %d", 1), -1);
    assert_int_equal(err_trace(&err, "from here"), -1);
    assert_int_equal(err_at(&err, "f", "text", 4, 1), -1);
    assert_int_equal(err_set(&err, TG_USAGE, "new", "%s %d", "second", 2), -1);
    assert_int_equal(err.exit, TG_USAGE);
    assert_string_equal(err.code, "new");
    assert_string_equal(err.message, "second 2");
    assert_null(err.hint);
    assert_null(err.trace);
    assert_null(err.where.file);
}

TEST(test_err__can_be_set_from_its_own_message)
{
    ERR_SCRATCH(err);
    (void)err_set(&err, TG_RUNTIME, "io", "inner");
    (void)err_set(&err, TG_USAGE, "invalid", "outer: %s", err.message);
    assert_string_equal(err.message, "outer: inner");
}

TEST(test_err__errno_is_a_runtime_error_and_a_full_disk_has_a_hint)
{
    ERR_SCRATCH(err);
    assert_int_equal(err_errno(&err, ENOENT, "io", "cannot open '%s'", "x"), -1);
    assert_int_equal(err.exit, TG_RUNTIME);
    assert_string_equal(err.message, "cannot open 'x': No such file or directory");
    assert_null(err.hint);
    assert_int_equal(err_errno(&err, ENOSPC, "io", "cannot write"), -1);
    assert_string_equal(err.hint, "free some disk space, then run the same command again");
}

TEST(test_err__wraps_hints_and_traces)
{
    ERR_SCRATCH(err);
    (void)err_set(&err, TG_USAGE, "invalid", "bad value");
    assert_int_equal(err_wrap(&err, "file '%s'", "x"), -1);
    assert_string_equal(err.message, "file 'x': bad value");
    (void)err_hint(&err, "one");
    (void)err_hint(&err, "two");
    assert_string_equal(err.hint, "two");
    (void)err_trace(&err, "included from a:%d", 1);
    (void)err_trace(&err, "included from b:%d", 2);
    assert_string_equal(err.trace, "included from a:1\nincluded from b:2\n");
}

struct place {
    const char *text;
    size_t offset, line, column;
    const char *source;
};

TEST(test_err__finds_line_and_column_of_a_byte)
{
    static const struct place places[] = {
        {"", 0, 1, 1, ""},
        {"abc", 0, 1, 1, "abc"},
        {"abc", 3, 1, 4, "abc"},
        {"abc", 99, 1, 4, "abc"},
        {"a\nbc\nd", 3, 2, 2, "bc"},
        {"a\nbc\nd", 4, 2, 3, "bc"},
        {"a\nbc\nd", 5, 3, 1, "d"},
        {"a\r\nbc\r\n", 4, 2, 2, "bc"},
        {"a\n", 2, 2, 1, ""},
        {"ab\r\n", 3, 1, 4, "ab"},
        {"a\rbcd", 4, 1, 5, "a\rbcd"},
        {"\xC3\xA9\xF0\x9F\x98\x80x", 6, 1, 3, "\xC3\xA9\xF0\x9F\x98\x80x"},
    };
    for (EACH_ROW(i, places, places[i].text)) {
        ERR_SCRATCH(err);
        const struct place *place = &places[i];
        (void)err_set(&err, TG_USAGE, "invalid", "x");
        (void)err_at(&err, "in", place->text, strlen(place->text), place->offset);
        assert_string_equal(err.where.file, "in");
        assert_int_equal(err.where.line, place->line);
        assert_int_equal(err.where.column, place->column);
        assert_string_equal(err.where.source, place->source);
    }
}

/* A \r far before the place once made the excerpt reach behind the text. */
TEST(test_err__excerpt_stays_within_its_line)
{
    ERR_SCRATCH(err);
    char *text = xmalloc(600); /* without a NUL: the sanitizer sees what is read behind it */
    memset(text, 'x', 600);
    text[3] = '\r';
    (void)err_at(&err, "in", text, 600, 590);
    assert_int_equal(err.where.column, 591);
    assert_true(strlen(err.where.source) <= 160);
    assert_int_equal(err.where.source[err.where.caret], 'x');
    free(text);
}

/* ---------------------------------------------------------------- memory */

TEST(test_arena__pieces_are_zeroed_aligned_and_apart)
{
    ARENA_SCRATCH(arena);
    unsigned char *last = NULL;
    for (size_t size = 0; size < 3000; size += 7) {
        unsigned char *piece = arena_alloc(&arena, size);
        assert_int_equal((uintptr_t)piece % _Alignof(max_align_t), 0);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(piece[i], 0);
        memset(piece, 0xFF, size);
        if (last && size > 7)
            assert_int_equal(last[size - 8], 0xFF);
        last = piece;
    }
}

TEST(test_arena__copies_texts_also_large_ones)
{
    ARENA_SCRATCH(arena);
    const char with_nul[] = "a\0b";
    char *copy = arena_memdup(&arena, with_nul, 3);
    assert_memory_equal(copy, with_nul, 4);
    assert_string_equal(arena_memdup(&arena, NULL, 0), "");
    assert_string_equal(arena_strdup(&arena, "text"), "text");
    char *large = arena_printf(&arena, "%*s|", 100000, "x");
    assert_int_equal(strlen(large), 100001);
    assert_string_equal(large + 99999, "x|");
    int *numbers = arena_array(&arena, 1000, sizeof(int));
    assert_int_equal(numbers[999], 0);
}

/* Every item is written right behind those before it: the sanitizer sees where there is no room. */
TEST(test_arena__arrays_grow_and_keep_their_items)
{
    ARENA_SCRATCH(arena);
    size_t *pieces = NULL, *heap = NULL, copies = 0;
    for (size_t count = 0; count < 5000; count++) {
        size_t *before = pieces;
        pieces = arena_grow(&arena, pieces, count, sizeof(*pieces));
        heap = xgrow(heap, count, sizeof(*heap));
        copies += count > 0 && pieces != before;
        pieces[count] = heap[count] = count;
    }
    assert_int_equal(copies, 11); /* at 4, 8, ... 4096 */
    for (size_t i = 0; i < 5000; i++)
        assert_true(pieces[i] == i && heap[i] == i);
    free(heap);
}

TEST(test_arena__arrays_that_shrank_grow_again)
{
    ARENA_SCRATCH(arena);
    size_t *pieces = NULL, *heap = NULL, count = 0;
    for (size_t top = 100; top > 0; top--) {
        for (; count < top; count++) {
            pieces = arena_grow(&arena, pieces, count, sizeof(*pieces));
            heap = xgrow(heap, count, sizeof(*heap));
            pieces[count] = heap[count] = count;
        }
        for (size_t i = 0; i < count; i++)
            assert_true(pieces[i] == i && heap[i] == i);
        count = top / 3;
    }
    free(heap);
}

TEST(test_arena__can_be_used_again_after_release)
{
    struct arena arena = ARENA_INIT;
    (void)arena_alloc(&arena, 100000);
    arena_release(&arena);
    assert_null(arena.blocks);
    assert_string_equal(arena_strdup(&arena, "again"), "again");
    arena_release(&arena);
}

TEST(test_buf__grows_and_stays_terminated)
{
    BUF_SCRATCH(buf, 100000);
    assert_string_equal(buf_text(&buf), "");
    for (int i = 0; i < 20000; i++)
        assert_int_equal(buf_puts(&buf, "ab"), 0);
    assert_int_equal(buf_putc(&buf, 'c'), 0);
    assert_int_equal(buf.len, 40001);
    assert_int_equal(strlen(buf.ptr), 40001);
    assert_int_equal(buf_append(&buf, "\0x", 2), 0);
    assert_int_equal(buf.len, 40003);
    buf_truncate(&buf, 50000);
    assert_int_equal(buf.len, 40003);
    buf_truncate(&buf, 2);
    assert_string_equal(buf_text(&buf), "ab");
}

TEST(test_buf__takes_its_maximum_and_no_byte_more)
{
    BUF_SCRATCH(buf, 4);
    assert_int_equal(buf_puts(&buf, "abcd"), 0);
    assert_false(buf.overflowed);
    assert_int_equal(buf_putc(&buf, 'e'), -1);
    assert_true(buf.overflowed);
    assert_string_equal(buf_text(&buf), "abcd");
    buf_truncate(&buf, 0);
    assert_int_equal(buf_putc(&buf, 'x'), -1); /* for good */
    buf_release(&buf);
    assert_int_equal(buf_putc(&buf, 'x'), 0);
}

TEST(test_buf__an_append_that_does_not_fit_appends_nothing)
{
    BUF_SCRATCH(buf, 10);
    BUF_SCRATCH(formatted, 10);
    assert_int_equal(buf_puts(&buf, "abc"), 0);
    assert_int_equal(buf_puts(&buf, "defghijk"), -1);
    assert_string_equal(buf_text(&buf), "abc");
    assert_int_equal(buf_printf(&formatted, "%d-%s", 12345, "abcdef"), -1);
    assert_string_equal(buf_text(&formatted), "");
}

TEST(test_buf__formats_short_and_long)
{
    BUF_SCRATCH(buf, 100000);
    assert_int_equal(buf_printf(&buf, "%d %s;", 42, "x"), 0);
    assert_int_equal(buf_printf(&buf, "%*s", 5000, "y"), 0);
    assert_int_equal(buf.len, 5 + 5000);
    assert_memory_equal(buf.ptr, "42 x;", 5);
    assert_int_equal(buf.ptr[5004], 'y');
}

/* ---------------------------------------------------------------- text */

TEST(test_str__compares)
{
    assert_true(str_equal("a", "a"));
    assert_false(str_equal("a", "b"));
    assert_false(str_equal("a", NULL));
    assert_false(str_equal(NULL, "a"));
    assert_true(str_equal(NULL, NULL));
    assert_true(str_starts("abc", "ab"));
    assert_true(str_starts("abc", ""));
    assert_false(str_starts("a", "ab"));
    assert_true(str_ends("abc", "bc"));
    assert_false(str_ends("c", "bc"));
    assert_true(span_equal(span_of("abx", 2), span_from("ab")));
    assert_false(span_equal(span_of("abx", 3), span_from("ab")));
    assert_true(span_equal(span_of(NULL, 0), span_from("")));
}

TEST(test_str__suggests_what_was_meant_and_nothing_else)
{
    static const char *const names[] = {"pytorch", "tensorflow", "jax", "onnxruntime"};
    static const char *const cases[][2] = {
        {"pytorhc", "pytorch"},
        {"PyTorch", "pytorch"},
        {"pytroch", "pytorch"},
        {"tensorflwo", "tensorflow"},
        {"jaxx", "jax"},
        {"onnx-runtime", "onnxruntime"},
        {"scikit-learn", NULL},
        {"", NULL},
        {"x", NULL},
        {"completely different", NULL},
    };
    for (EACH_ROW(i, cases, cases[i][0])) {
        const char *nearest = str_nearest(cases[i][0], names, COUNT(names));
        if (!str_equal(nearest, cases[i][1]))
            fail_msg("'%s': '%s'", cases[i][0], nearest ? nearest : "none");
    }
}

TEST(test_str__suggests_nothing_that_only_looks_alike)
{
    static const char *const names[] = {"escape", "test", "cycler", "str", "choice", "lower"};
    static const char *const far[] = {"upcase", "yes", "caller", "integer", "chore", "power_of"};
    static const char *const near[] = {"escpae", "tst", "cycller", "sstr", "choise", "Lowr"};
    for (EACH_ROW(i, names, names[i])) {
        assert_null(str_nearest(far[i], names, COUNT(names)));
        assert_string_equal(str_nearest(near[i], names, COUNT(names)), names[i]);
    }
    assert_string_equal(str_nearest("tensroflwo", (const char *[]){"tensorflow"}, 1), "tensorflow");
}

TEST(test_str__suggests_the_first_of_equals)
{
    static const char *const names[] = {"cat", "bat"};
    char endless[1000];
    assert_string_equal(str_nearest("rat", names, 2), "cat");
    memset(endless, 'a', sizeof(endless) - 1);
    endless[sizeof(endless) - 1] = '\0';
    assert_null(str_nearest(endless, names, 2));
    assert_null(str_nearest("rat", names, 0));
}

struct glob_case {
    const char *pattern, *path;
    bool matches;
};

static const struct glob_case globs[] = {
    {"", "", true},
    {"", "a", false},
    {"a", "a", true},
    {"a", "ab", false},
    {"ab", "a", false},
    {"*", "", true},
    {"*", "abc", true},
    {"*", "a/b", false},
    {"*.py", "x.py", true},
    {"*.py", "a/x.py", false},
    {"*.py", ".py", true},
    {"a*b*c", "axxbyyc", true},
    {"a*b*c", "axxbyy", false},
    {"a*/b", "axx/b", true},
    {"a*/b", "a/x/b", false},
    {"?", "a", true},
    {"?", "/", false},
    {"?", "", false},
    {"?", "\xC3\xA9", true},
    {"??", "\xC3\xA9", false},
    {"**", "", true},
    {"**", "a/b/c", true},
    {"**/x", "x", true},
    {"**/x", "a/x", true},
    {"**/x", "a/b/x", true},
    {"**/x", "ax", false},
    {"**/x", "a/bx", false},
    {"a/**", "a/b", true},
    {"a/**", "a/b/c", true},
    {"a/**", "a", false},
    {"a/**", "ab/c", false},
    {"a/**/b", "a/b", true},
    {"a/**/b", "a/x/b", true},
    {"a/**/b", "a/x/y/b", true},
    {"a/**/b", "a/xb", false},
    {"a/**/b", "ab", false},
    {"a**b", "a/x/b", true},
    {"a**/b", "ab", false},
    {"a**/b", "a/b", true},
    {"a**/b", "ax/y/b", true},
    {"**/*.py", "x.py", true},
    {"**/*.py", "a/b/x.py", true},
    {"**/test_*/**", "a/test_x/y/z", true},
    {"**/a/**/b/**/c", "x/a/b/y/c", true},
    {"**/a/**/b/**/c", "x/b/a/y/c", false},
    {"***", "a/b", true},
    {"[abc]", "b", true},
    {"[abc]", "d", false},
    {"[a-c]x", "bx", true},
    {"[!a-c]", "d", true},
    {"[!a-c]", "b", false},
    {"[^a]", "b", true},
    {"[!a]", "/", false},
    {"[/]", "/", false},
    {"a[b/c]d", "a/d", false},
    {"[]]", "]", true},
    {"[]a]", "a", true},
    {"[!]]", "]", false},
    {"[a-]", "-", true},
    {"[\xC3\xA0-\xC3\xAF]", "\xC3\xA9", true},
    {"[\xC3\xA9]", "\xC3\xA8", false},
    {"[", "[", true},
    {"[a", "[a", true},
    {"a[", "a[", true},
    {"[!", "[!", true},
    {"\\*", "\\x", true},
    {"\xFF", "\xFF", true},
    {"\xFF", "\xFE", false},
    {"A", "a", false},
};

TEST(test_glob__matches_whole_paths)
{
    for (EACH_ROW(i, globs, globs[i].pattern))
        if (glob_match(globs[i].pattern, globs[i].path) != globs[i].matches)
            fail_msg("'%s' on '%s'", globs[i].pattern, globs[i].path);
}

static const char *repeated(struct arena *arena, const char *piece, size_t times, const char *end)
{
    BUF_SCRATCH(text, LIMIT_MIB);
    for (size_t i = 0; i < times; i++)
        (void)buf_puts(&text, piece);
    (void)buf_puts(&text, end);
    return arena_strdup(arena, buf_text(&text));
}

TEST(test_glob__hostile_patterns_take_no_longer_than_others)
{
    ARENA_SCRATCH(arena);
    const char *folders = repeated(&arena, "a/", 255, "c"),
               *letters = repeated(&arena, "a", 511, "");
    for (int i = 0; i < 4; i++) {
        assert_false(glob_match(repeated(&arena, "**/a/", 100, "b"), folders));
        assert_true(glob_match(repeated(&arena, "**/a/", 100, "c"), folders));
        assert_false(glob_match(repeated(&arena, "*a", 200, "b"), letters));
        assert_false(glob_match(repeated(&arena, "**a", 150, "b"), letters));
        assert_false(glob_match(repeated(&arena, "[", 512, ""), letters));
    }
}

TEST(test_glob__a_pattern_over_the_limit_matches_nothing)
{
    ARENA_SCRATCH(arena);
    assert_true(glob_match(repeated(&arena, "*", LIMIT_PATH_BYTES, ""), "a"));
    assert_false(glob_match(repeated(&arena, "*", LIMIT_PATH_BYTES + 1, ""), "a"));
}

/* ---------------------------------------------------------------- data */

TEST(test_str__joins)
{
    static const char *const items[] = {"a", "", "bc"};
    ARENA_SCRATCH(arena);
    assert_string_equal(str_join(&arena, items, 0, ", "), "");
    assert_string_equal(str_join(&arena, items, 1, ", "), "a");
    assert_string_equal(str_join(&arena, items, 3, ", "), "a, , bc");
    assert_string_equal(str_join(&arena, items, 3, ""), "abc");
}

TEST(test_intern__numbers_texts_by_their_first_appearance)
{
    ARENA_SCRATCH(arena);
    struct intern set = {0};
    static const struct span texts[] = {{"b", 1},  {"a", 1},  {"", 0},     {"b\0", 2},
                                        {"ba", 2}, {"\0", 1}, {"\xff", 1}, {"b\0\0", 3}};
    assert_true(intern_find(&set, texts[0]) == INTERN_NONE);
    for (EACH_ROW(i, texts, NULL)) {
        assert_true(intern_find(&set, texts[i]) == INTERN_NONE);
        assert_int_equal(intern_add(&set, &arena, texts[i]), i);
        for (size_t j = 0; j <= i; j++) {
            assert_int_equal(intern_find(&set, texts[j]), j);
            assert_int_equal(intern_add(&set, &arena, texts[j]), j);
        }
    }
    assert_int_equal(set.count, COUNT(texts));
    assert_true(intern_find(&set, span_of("bab", 3)) == INTERN_NONE);
}

/* Names that share all but their end, or that are each the beginning of the next. */
TEST(test_intern__hostile_texts_take_no_longer_than_others)
{
    enum { NUMBERS = 50000, BEGINNINGS = 3000 };
    static char room[NUMBERS][24], long_text[BEGINNINGS];
    ARENA_SCRATCH(arena);
    struct intern set = {0};
    memset(long_text, 'a', sizeof(long_text));
    for (size_t i = 1; i < BEGINNINGS; i++)
        assert_int_equal(intern_add(&set, &arena, span_of(long_text, i)), i - 1);
    for (size_t i = 0; i < NUMBERS; i++) {
        (void)snprintf(room[i], sizeof(room[i]), "aaaaaaaaaaaa%zu", i);
        assert_int_equal(intern_add(&set, &arena, span_from(room[i])), BEGINNINGS - 1 + i);
    }
    for (size_t i = 0; i < NUMBERS; i++)
        assert_int_equal(intern_find(&set, span_from(room[i])), BEGINNINGS - 1 + i);
}

TEST(test_data__maps_keep_order_and_replace_in_place)
{
    ARENA_SCRATCH(arena);
    struct data *map = data_map(&arena);
    for (int i = 0; i < 100; i++)
        data_put(&arena, map, arena_printf(&arena, "k%d", i * 37 % 100), data_int(&arena, i));
    data_put(&arena, map, "k37", data_str(&arena, "new"));
    assert_int_equal(map->map.count, 100);
    assert_string_equal(map->map.members[1].name.ptr, "k37");
    assert_string_equal(data_text(map->map.members[1].value), "new");
    assert_null(data_get(map, "k100"));
    assert_null(data_get(data_list(&arena), "k1"));
    assert_null(data_get(NULL, "k1"));
    assert_null(data_text(data_int(&arena, 1)));
    assert_null(data_text(NULL));
    assert_int_equal(data_str(&arena, NULL)->kind, DATA_NULL);
}

static struct data *sample(struct arena *arena)
{
    struct data *map = data_map(arena), *list = data_list(arena);
    data_push(arena, list, data_null(arena));
    data_push(arena, list, data_bool(arena, true));
    data_push(arena, list, data_int(arena, 1));
    data_push(arena, list, data_float(arena, 1.5));
    data_push(arena, list, data_str(arena, "x"));
    data_put(arena, map, "list", list);
    data_put(arena, map, "b", data_map(arena));
    return map;
}

/* 400,000 names: quadratic is minutes. */
TEST(test_data__large_maps_are_as_quick_by_name)
{
    enum { NAMES = 100000 };
    char name[24];
    ARENA_SCRATCH(arena);
    struct data *map = data_map(&arena);
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < NAMES; i++) {
            (void)snprintf(name, sizeof(name), "name%d", i);
            data_put(&arena, map, name, data_int(&arena, i + round));
        }
    assert_int_equal(map->map.count, NAMES);
    assert_int_equal(data_get(map, "name99999")->integer, NAMES);
    assert_null(data_get(map, "name100000"));
    assert_true(data_equal(map, data_copy(&arena, map)));
}

TEST(test_data__sorted_copies_are_sorted_at_every_depth_and_found)
{
    char name[24];
    ARENA_SCRATCH(arena);
    struct data *map = data_map(&arena), *list = data_list(&arena);
    for (int i = 0; i < 100; i++) {
        (void)snprintf(name, sizeof(name), "n%d", (i * 37) % 100);
        data_put(&arena, map, name, data_str(&arena, name));
    }
    data_push(&arena, list, map);
    const struct data *sorted = data_sorted(&arena, list)->list.items[0];
    assert_string_equal(map->map.members[1].name.ptr, "n37");
    for (size_t i = 0; i < 100; i++) {
        const char *found = sorted->map.members[i].name.ptr;
        assert_true(i == 0 || strcmp(sorted->map.members[i - 1].name.ptr, found) < 0);
        assert_string_equal(data_get_text(sorted, found), found);
    }
    assert_true(data_equal(sorted, map));
}

TEST(test_data__copies_are_equal_and_apart)
{
    struct arena first = ARENA_INIT;
    ARENA_SCRATCH(second);
    struct data *original = sample(&first), *copy = data_copy(&second, original);
    assert_true(data_equal(original, copy));
    data_push(&first, data_get(original, "list"), data_null(&first));
    assert_false(data_equal(original, copy));
    arena_release(&first);
    assert_true(data_equal(copy, sample(&second)));
}

TEST(test_data__copies_a_large_map_at_once)
{
    ARENA_SCRATCH(arena);
    struct data *map = data_map(&arena);
    for (int i = 0; i < 50000; i++) {
        char *name = arena_printf(&arena, "%d", i);
        data_append(&arena, map, span_from(name), data_null(&arena));
    }
    struct data *copy = data_copy(&arena, map);
    assert_int_equal(copy->map.count, 50000);
    assert_string_equal(copy->map.members[49999].name.ptr, "49999");
}

TEST(test_data__equality_is_deep_and_strict)
{
    ARENA_SCRATCH(arena);
    struct data *a = data_map(&arena), *b = data_map(&arena);
    data_put(&arena, a, "x", data_int(&arena, 1));
    data_put(&arena, a, "y", data_int(&arena, 2));
    data_put(&arena, b, "y", data_int(&arena, 2));
    assert_false(data_equal(a, b));
    data_put(&arena, b, "x", data_int(&arena, 1));
    assert_true(data_equal(a, b)); /* in any order */
    assert_false(data_equal(data_int(&arena, 1), data_float(&arena, 1)));
    assert_false(data_equal(data_str(&arena, "1"), data_int(&arena, 1)));
    assert_false(data_equal(data_str(&arena, "a"), data_str(&arena, "b")));
    assert_true(data_equal(data_null(&arena), data_null(&arena)));
    assert_false(data_equal(data_bool(&arena, true), data_bool(&arena, false)));
}

TEST(test_data__floats_look_as_in_python)
{
    static const struct {
        double value;
        const char *text;
    } cases[] = {
        {0.0, "0.0"},
        {-0.0, "-0.0"},
        {1, "1.0"},
        {0.1, "0.1"},
        {0.1 + 0.2, "0.30000000000000004"},
        {100000, "100000.0"},
        {1e15, "1000000000000000.0"},
        {9999999999999998, "9999999999999998.0"},
        {1e16, "1e+16"},
        {1.5e16, "1.5e+16"},
        {1e22, "1e+22"},
        {1e100, "1e+100"},
        {0.0001, "0.0001"},
        {0.00001, "1e-05"},
        {1.25e-7, "1.25e-07"},
        {5e-324, "5e-324"},
        {1.7976931348623157e308, "1.7976931348623157e+308"},
        {2.0 / 3, "0.6666666666666666"},
        {INFINITY, "inf"},
        {-INFINITY, "-inf"},
        {NAN, "nan"},
    };
    for (EACH_ROW(i, cases, cases[i].text)) {
        BUF_SCRATCH(out, 100);
        assert_int_equal(data_put_real(&out, cases[i].value), 0);
        assert_string_equal(buf_text(&out), cases[i].text);
    }
}

/* ---------------------------------------------------------------- files */

static int read_path(struct span *out, const struct fileset *set, size_t index, struct err *err)
{
    (void)err;
    *out = span_from(set->entries[index].path);
    return 0;
}

TEST(test_fileset__finds_by_path_and_by_prefix)
{
    static const struct fileset_entry entries[] = {
        {.path = "a"}, {.path = "b/c"}, {.path = "b/d", .executable = true}, {.path = "e"}};
    const struct fileset set = {entries, COUNT(entries), read_path};
    for (EACH_ROW(i, entries, entries[i].path))
        assert_int_equal(fileset_find(&set, entries[i].path), (long)i);
    assert_int_equal(fileset_find(&set, "b"), -1);
    assert_int_equal(fileset_find(&set, ""), -1);
    assert_int_equal(fileset_find(&set, "z"), -1);
    assert_int_equal(fileset_lower_bound(&set, "b/"), 1);
    assert_int_equal(fileset_lower_bound(&set, "z"), 4);
    ERR_SCRATCH(err);
    struct span text;
    assert_int_equal(fileset_get(&text, &set, "b/d", &err), 0);
    assert_string_equal(text.ptr, "b/d");
    assert_int_equal(fileset_get(&text, &set, "b/x", &err), -1);
    assert_int_equal(err.exit, TG_USAGE);
    assert_string_equal(err.code, "missing-file");
}
