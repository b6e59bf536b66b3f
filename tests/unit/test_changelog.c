/* Sections of a changelog: which count, in which order, and where they end. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/markdown.h"
#include "catalog/changelog.h"
#include "catalog/semver.h"
#include "unit/test.h"

#include <string.h>

/* "VERSION=TEXT;" for each section of `text`, newlines as '/'. */
static void expect(const char *text, const char *after, const char *until, const char *wanted)
{
    ARENA_SCRATCH(arena);
    BUF_SCRATCH(got, LIMIT_MIB);
    struct changelog_section *sections;
    struct semver first, last;
    assert_true(semver_parse(&first, after) && semver_parse(&last, until));
    size_t count = changelog_sections(&sections, &arena, span_from(text), &first, &last);
    for (size_t i = 0; i < count; i++) {
        (void)buf_printf(&got, "%s=", sections[i].version);
        for (size_t j = 0; j < sections[i].text.len; j++)
            (void)buf_putc(&got, sections[i].text.ptr[j] == '\n' ? '/' : sections[i].text.ptr[j]);
        (void)buf_putc(&got, ';');
    }
    assert_string_equal(buf_text(&got), wanted);
}

TEST(test_changelog__headings_of_every_custom_are_known)
{
    expect("## [1.1.0] - 2026-01-01\na\n", "1.0.0", "2.0.0", "1.1.0=a/;");
    expect("## 1.1.0\na", "1.0.0", "2.0.0", "1.1.0=a;");
    expect("# v1.1.0 (2026)\na\n", "1.0.0", "2.0.0", "1.1.0=a/;");
    expect("##\t[v1.1.0](https://x)\na\n", "1.0.0", "2.0.0", "1.1.0=a/;");
    expect("## 1.1.0\r\na\r\n", "1.0.0", "2.0.0", "1.1.0=a\r/;");
}

TEST(test_changelog__what_is_no_version_ends_a_section)
{
    expect("## 1.1.0\na\n## Unreleased\nb\n", "1.0.0", "2.0.0", "1.1.0=a/;");
    expect("## [Unreleased]\nb\n## 1.1.0\na\n", "1.0.0", "2.0.0", "1.1.0=a/;");
    expect("## 1.1\na\n## 01.1.0\nb\n##1.1.0\nc\n", "1.0.0", "2.0.0", "");
    expect("## 1.1.0\n### 1.1.1\n#### x\n#no\n", "1.0.0", "2.0.0", "1.1.0=### 1.1.1/#### x/#no/;");
    expect("", "1.0.0", "2.0.0", "");
    expect("## 1.1.0", "1.0.0", "2.0.0", "1.1.0=;");
}

TEST(test_changelog__newest_first_without_the_first_and_with_the_last)
{
    static const char text[] = "## 1.2.0\nb\n## 1.10.0\nc\n## 1.0.0\na\n## 2.0.0-rc.1\nr\n"
                               "## 2.0.0\nd\n## 1.2.0\nagain\n";
    expect(text, "1.0.0", "2.0.0", "2.0.0=d/;2.0.0-rc.1=r/;1.10.0=c/;1.2.0=b/;");
    expect(text, "1.2.0", "2.0.0-rc.1", "2.0.0-rc.1=r/;1.10.0=c/;");
    expect(text, "2.0.0-rc.1", "2.0.0", "2.0.0=d/;");
    expect(text, "2.0.0", "1.0.0", "");
}

TEST(test_changelog__code_has_no_headings)
{
    expect("## 1.1.0\n```\n# 1.2.0\n~~~\n## 1.3.0\n```\nx\n## 1.0.1\ny\n", "1.0.0", "2.0.0",
           "1.1.0=```/# 1.2.0/~~~/## 1.3.0/```/x/;1.0.1=y/;");
}

static void expect_markdown(int (*put)(struct buf *, struct span), const char *text,
                            const char *wanted)
{
    BUF_SCRATCH(got, LIMIT_MIB);
    assert_int_equal(put(&got, span_from(text)), 0);
    assert_string_equal(buf_text(&got), wanted);
}

TEST(test_markdown__code_is_fenced_by_more_than_it_holds)
{
    BUF_SCRATCH(block, LIMIT_MIB);
    expect_markdown(markdown_code, "a", "`a`");
    expect_markdown(markdown_code, "", "` `");
    expect_markdown(markdown_code, "a``b`", "``` a``b` ```");
    expect_markdown(markdown_code, "a\nb\x1b", "`a\\x0Ab\\x1B`");
    expect_markdown(markdown_cell, "a|b", "`a\\x7Cb`");
    assert_int_equal(markdown_block(&block, "text", span_from("x\n````\n")), 0);
    assert_string_equal(buf_text(&block), "`````text\nx\n````\n`````\n");
}

TEST(test_markdown__text_is_no_markup_and_mentions_nobody)
{
    expect_markdown(markdown_text, "it's a-b, c: d", "it's a-b, c: d");
    expect_markdown(markdown_text, "- [x](y) <b>", "\\- \\[x\\]\\(y\\) \\<b\\>");
    expect_markdown(markdown_text, "@a #1",
                    "\\@\xE2\x81\xA0"
                    "a \\#\xE2\x81\xA0"
                    "1");
    expect_markdown(markdown_text, "https://x.y", "https\\://x\\.y");
}
