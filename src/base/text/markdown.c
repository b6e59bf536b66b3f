/* Writes foreign text as Markdown for forges: no markup, mention or reference in it works. */
#include "base/markdown.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/unicode.h"

#include <stdbool.h>
#include <string.h>

#define TEXT_MAX (64 * LIMIT_MIB)
/* Forges look for mentions after they render Markdown: only an extra character prevents one. */
#define WORD_JOINER "\xE2\x81\xA0"

static int result(const struct buf *out)
{
    return out->overflowed ? -1 : 0;
}

/* The longest run of backticks. */
static size_t longest_run(const char *text)
{
    size_t longest = 0, run = 0;
    for (; *text; text++) {
        run = *text == '`' ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

static void put_fence(struct buf *out, size_t count)
{
    while (count--)
        (void)buf_putc(out, '`');
}

static int put_code(struct buf *out, struct span text, bool cell)
{
    BUF_SCRATCH(plain, TEXT_MAX);
    (void)unicode_mask(&plain, text, false);
    const char *code = buf_text(&plain);
    size_t fence = longest_run(code) + 1;
    put_fence(out, fence);
    (void)buf_puts(out, fence > 1 || *code == '\0' ? " " : "");
    for (; *code; code++)
        (void)(cell && *code == '|' ? buf_puts(out, "\\x7C") : buf_putc(out, *code));
    (void)buf_puts(out, fence > 1 ? " " : "");
    put_fence(out, fence);
    return result(out);
}

int markdown_code(struct buf *out, struct span text)
{
    return put_code(out, text, false);
}

int markdown_cell(struct buf *out, struct span text)
{
    return put_code(out, text, true);
}

int markdown_text(struct buf *out, struct span text)
{
    BUF_SCRATCH(plain, TEXT_MAX);
    (void)unicode_mask(&plain, text, false);
    for (const char *start = buf_text(&plain), *at = start; *at; at++) {
        bool markup = strchr("\\`*_{}[]()<>#!|~&@$^=.", *at) != NULL;
        if (markup || (at == start && strchr("+-", *at)) || (*at == ':' && at[1] == '/'))
            (void)buf_putc(out, '\\');
        (void)buf_putc(out, *at);
        if (strchr("@#!&%~$", *at) && at[1])
            (void)buf_puts(out, WORD_JOINER);
    }
    return result(out);
}

int markdown_block(struct buf *out, const char *language, struct span text)
{
    BUF_SCRATCH(plain, TEXT_MAX);
    (void)unicode_mask(&plain, text, true);
    const char *lines = buf_text(&plain);
    size_t fence = longest_run(lines) + 1;
    fence = fence < 3 ? 3 : fence;
    put_fence(out, fence);
    (void)buf_printf(out, "%s\n%s%s", language, lines,
                     plain.len && lines[plain.len - 1] != '\n' ? "\n" : "");
    put_fence(out, fence);
    (void)buf_putc(out, '\n');
    return result(out);
}
