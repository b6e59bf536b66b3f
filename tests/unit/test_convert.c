/* .gitattributes and line endings: what git would make of the same files. */
#include "base/arena.h"
#include "base/buf.h"
#include "git/read/attributes.h"
#include "git/worktree/convert.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <stdio.h>
#include <string.h>

/* ---------------------------------------------------------------- attributes */

struct file {
    const char *path, *text;
};

static const struct file tree[] = {
    {".gitattributes", "# a comment text\n"
                       "*.txt text\n"
                       "*.bin binary\n"
                       "*.auto text=auto\n"
                       "/top.c eol=lf\n"
                       "docs/*.md text eol=crlf\n"
                       "deep/**/x.md text\n"
                       "\"a b.txt\" -text\n"
                       "\"t\\141b.txt\" eol=lf\n"
                       "folder/ text\n"
                       "!no.txt text\n"
                       "[attr]lfs filter=lfs -text\n"
                       "*.psd lfs\n"
                       "*.ident ident\r\n"
                       "   *.indent text   eol=crlf\n"
                       "[ab]?.set -text\n"},
    {"sub/.gitattributes", "*.txt !text\n"
                           "own.txt text eol=crlf\n"
                           "/top.c eol=crlf\n"
                           "*.bin text\n"},
};

static int read_file(struct span *out, bool *found, void *context, const char *path,
                     struct err *err)
{
    (void)context;
    (void)err;
    *found = false;
    for (size_t i = 0; i < COUNT(tree) && !*found; i++)
        if (strcmp(tree[i].path, path) == 0) {
            *out = span_from(tree[i].text);
            *found = true;
        }
    return 0;
}

/* As `git check-attr` has it, for those that are specified. */
static void describe(struct buf *out, const struct attribute_value values[ATTRIBUTES])
{
    static const char *const names[] = {"text", "crlf", "eol", "ident", "filter", "encoding"};
    for (size_t i = 0; i < ATTRIBUTES; i++) {
        if (values[i].state == ATTRIBUTE_UNSPECIFIED)
            continue;
        const char *value = values[i].state == ATTRIBUTE_SET     ? "set"
                            : values[i].state == ATTRIBUTE_UNSET ? "unset"
                                                                 : values[i].value;
        assert_int_equal(buf_printf(out, "%s%s=%s", out->len ? " " : "", names[i], value), 0);
    }
}

static void check_attributes(const char *path, const char *expected, struct span info, bool fold)
{
    struct arena arena = ARENA_INIT;
    ERR_SCRATCH(err);
    BUF_SCRATCH(out, 1000);
    const struct attribute_reader reader = {read_file, NULL};
    const struct span outside[] = {{"*.txt eol=lf\n*.user text\n", 25}};
    struct attribute_value values[ATTRIBUTES];
    struct attributes *attributes = attributes_new(&arena, &reader, outside, 1, info, fold);
    assert_int_equal(attributes_get(values, attributes, path, &err), 0);
    describe(&out, values);
    if (strcmp(buf_text(&out), expected) != 0)
        fail_msg("%s: '%s', not '%s'", path, buf_text(&out), expected);
    arena_release(&arena);
}

TEST(test_attributes__are_those_of_git)
{
    static const struct file expected[] = {
        {"a.txt", "text=set eol=lf"},
        {"x/y/a.txt", "text=set eol=lf"},
        {"a.TXT", ""},
        {"a.bin", "text=unset"},
        {"a.auto", "text=auto"},
        {"top.c", "eol=lf"},
        {"x/top.c", ""},
        {"docs/a.md", "text=set eol=crlf"},
        {"docs/x/a.md", ""},
        {"deep/x.md", "text=set"},
        {"deep/a/b/x.md", "text=set"},
        {"a b.txt", "text=unset eol=lf"},
        {"tab.txt", "text=set eol=lf"},
        {"folder/a", ""},
        {"a.psd", "text=unset filter=lfs"},
        {"a.ident", "ident=set"},
        {"a.indent", "text=set eol=crlf"},
        {"ax.set", "text=unset"},
        {"cx.set", ""},
        {"a.user", "text=set"},
        /* a nearer file wins over one farther up, a later line over an earlier one */
        {"sub/a.txt", "eol=lf"},
        {"sub/own.txt", "text=set eol=crlf"},
        {"sub/top.c", "eol=crlf"},
        {"sub/x/top.c", ""},
        {"sub/a.bin", "text=set"},
        {"subway/a.txt", "text=set eol=lf"},
    };
    for (EACH_ROW(i, expected, expected[i].path))
        check_attributes(expected[i].path, expected[i].text, span_of("", 0), false);
}

TEST(test_attributes__info_wins_over_all)
{
    check_attributes("sub/own.txt", "text=unset eol=crlf", span_from("own.txt -text\n"), false);
}

TEST(test_attributes__fold_names_where_the_repository_does)
{
    check_attributes("A.TXT", "text=set eol=lf", span_of("", 0), true);
}

TEST(test_attributes__macros_that_name_each_other_end)
{
    check_attributes("x", "text=set", span_from("[attr]a b text\n[attr]b a\nx a\n"), false);
}

/* ---------------------------------------------------------------- line endings */

static const struct attribute_value set = {ATTRIBUTE_SET, NULL}, unset = {ATTRIBUTE_UNSET, NULL},
                                    automatic = {ATTRIBUTE_VALUE, "auto"},
                                    crlf = {ATTRIBUTE_VALUE, "crlf"}, lf = {ATTRIBUTE_VALUE, "lf"};

TEST(test_convert__chooses_as_git_does)
{
    static const struct convert_config plain = {AUTOCRLF_FALSE, false},
                                       both = {AUTOCRLF_TRUE, false},
                                       input = {AUTOCRLF_INPUT, false},
                                       native = {AUTOCRLF_FALSE, true};
    const struct {
        const struct convert_config *config;
        struct attribute_value text, eol;
        enum convert_kind kind;
    } rows[] = {
        {&plain, {0}, {0}, CONVERT_NONE},          {&both, {0}, {0}, CONVERT_AUTO_CRLF},
        {&input, {0}, {0}, CONVERT_AUTO_LF},       {&native, {0}, {0}, CONVERT_NONE},
        {&plain, set, {0}, CONVERT_TEXT_LF},       {&both, set, {0}, CONVERT_TEXT_CRLF},
        {&input, set, {0}, CONVERT_TEXT_LF},       {&native, set, {0}, CONVERT_TEXT_CRLF},
        {&both, unset, {0}, CONVERT_NONE},         {&both, unset, crlf, CONVERT_NONE},
        {&plain, automatic, {0}, CONVERT_AUTO_LF}, {&both, automatic, {0}, CONVERT_AUTO_CRLF},
        {&both, automatic, lf, CONVERT_AUTO_LF},   {&input, automatic, crlf, CONVERT_AUTO_CRLF},
        {&input, {0}, crlf, CONVERT_TEXT_CRLF},    {&both, {0}, lf, CONVERT_TEXT_LF},
    };
    for (EACH_ROW(i, rows, NULL)) {
        ERR_SCRATCH(err);
        struct attribute_value values[ATTRIBUTES] = {0};
        enum convert_kind kind;
        values[ATTRIBUTE_TEXT] = rows[i].text;
        values[ATTRIBUTE_EOL] = rows[i].eol;
        assert_int_equal(convert_choose(&kind, rows[i].config, values, "a", &err), 0);
        if (kind != rows[i].kind)
            fail_msg("row %zu: %d, not %d", i, kind, rows[i].kind);
    }
}

TEST(test_convert__refuses_what_only_git_can_apply)
{
    static const struct convert_config plain = {AUTOCRLF_FALSE, false};
    static const enum attribute which[] = {ATTRIBUTE_FILTER, ATTRIBUTE_ENCODING};
    for (EACH_ROW(i, which, NULL)) {
        ERR_SCRATCH(err);
        struct attribute_value values[ATTRIBUTES] = {0};
        enum convert_kind kind;
        values[which[i]] = (struct attribute_value){ATTRIBUTE_VALUE, "utf-16"};
        assert_int_equal(convert_choose(&kind, &plain, values, "a", &err), -1);
        assert_int_equal(err.exit, TG_REFUSED);
        assert_string_equal(err.code, "filter");
        assert_non_null(err.hint);
    }
}

struct end_state {
    enum convert_kind kind;
    const char *from, *to; /* NULL: nothing changes */
    const char *known;
    size_t len; /* of `from`, where it holds a NUL */
};

static void check_ending(const struct end_state *row, bool to_disk)
{
    BUF_SCRATCH(out, 10000);
    struct span from = span_of(row->from, row->len ? row->len : strlen(row->from));
    bool changed =
        to_disk ? convert_to_disk(&out, row->kind, from)
                : convert_to_object(&out, row->kind, from, span_from(row->known ? row->known : ""));
    assert_int_equal(changed, row->to != NULL);
    if (row->to)
        assert_string_equal(buf_text(&out), row->to);
}

TEST(test_convert__to_object)
{
    static const struct end_state rows[] = {
        {CONVERT_NONE, "a\r\n", NULL, NULL, 0},
        {CONVERT_TEXT_LF, "a\r\nb\r\n", "a\nb\n", NULL, 0},
        {CONVERT_TEXT_CRLF, "a\r\nb\n", "a\nb\n", NULL, 0},
        {CONVERT_TEXT_LF, "a\nb\n", NULL, NULL, 0},
        {CONVERT_TEXT_LF, "a\rb\r\n", "a\rb\n", NULL, 0},
        {CONVERT_TEXT_LF, "a\r\r\n", "a\r\n", NULL, 0},
        {CONVERT_TEXT_LF, "a\r", NULL, NULL, 0},
        {CONVERT_TEXT_LF, "", NULL, NULL, 0},
        {CONVERT_AUTO_LF, "a\r\n", "a\n", NULL, 0},
        {CONVERT_AUTO_CRLF, "a\r\n", "a\n", NULL, 0},
        /* looks like no text: a lone return, a NUL, too many control bytes */
        {CONVERT_AUTO_LF, "a\rb\r\n", NULL, NULL, 0},
        {CONVERT_AUTO_LF, "a\0b\r\n", NULL, NULL, 5},
        {CONVERT_AUTO_LF, "a\001\r\n", NULL, NULL, 0},
        /* one ^Z at the end is an end of file of old */
        {CONVERT_AUTO_LF, "a\r\n\032", "a\n\032", NULL, 0},
        /* what has CRLF in HEAD keeps it, unless it is declared text */
        {CONVERT_AUTO_LF, "a\r\nb\r\n", NULL, "a\r\n", 0},
        {CONVERT_AUTO_LF, "a\r\nb\r\n", "a\nb\n", "a\n", 0},
        {CONVERT_TEXT_LF, "a\r\nb\r\n", "a\nb\n", "a\r\n", 0},
    };
    for (EACH_ROW(i, rows, rows[i].from))
        check_ending(&rows[i], false);
}

TEST(test_convert__to_disk)
{
    static const struct end_state rows[] = {
        {CONVERT_NONE, "a\n", NULL, NULL, 0},
        {CONVERT_TEXT_LF, "a\n", NULL, NULL, 0},
        {CONVERT_AUTO_LF, "a\n", NULL, NULL, 0},
        {CONVERT_TEXT_CRLF, "a\nb\n", "a\r\nb\r\n", NULL, 0},
        {CONVERT_TEXT_CRLF, "a\nb", "a\r\nb", NULL, 0},
        {CONVERT_TEXT_CRLF, "\n\n", "\r\n\r\n", NULL, 0},
        {CONVERT_TEXT_CRLF, "a\r\nb\n", "a\r\nb\r\n", NULL, 0},
        {CONVERT_TEXT_CRLF, "a\r\n", NULL, NULL, 0},
        {CONVERT_TEXT_CRLF, "a", NULL, NULL, 0},
        {CONVERT_TEXT_CRLF, "", NULL, NULL, 0},
        {CONVERT_AUTO_CRLF, "a\nb\n", "a\r\nb\r\n", NULL, 0},
        {CONVERT_AUTO_CRLF, "a\r\nb\n", NULL, NULL, 0},
        {CONVERT_AUTO_CRLF, "a\rb\n", NULL, NULL, 0},
        {CONVERT_AUTO_CRLF, "a\0b\n", NULL, NULL, 4},
    };
    for (EACH_ROW(i, rows, rows[i].from))
        check_ending(&rows[i], true);
}
