/* Line endings: a text whose lines end otherwise is still the same text. */
#include "plan/merge/line_endings.h"

#include "base/arena.h"
#include "git/libgit2.h"
#include "plan/merge/hunks.h"

#include <stdint.h>
#include <string.h>

enum end { END_NONE, END_LF, END_CRLF };

struct counts {
    size_t lf, crlf;
    bool other; /* NUL, or CR without LF */
};

static struct counts count(struct span text)
{
    struct counts counts = {.other = text.len && memchr(text.ptr, '\0', text.len) != NULL};
    const char *end = text.ptr + text.len, *at = text.ptr;
    if (text.len && !memchr(at, '\r', text.len)) { /* most have none */
        for (; at < end && (at = memchr(at, '\n', (size_t)(end - at))); at++)
            counts.lf++;
        return counts;
    }
    for (size_t i = 0; i < text.len; i++) {
        bool ends = i + 1 < text.len && text.ptr[i + 1] == '\n';
        if (text.ptr[i] == '\r' && ends)
            counts.crlf++, i++;
        else if (text.ptr[i] == '\r')
            counts.other = true;
        else if (text.ptr[i] == '\n')
            counts.lf++;
    }
    return counts;
}

enum endings endings_of(struct span text)
{
    struct counts counts = count(text);
    if (counts.other)
        return ENDINGS_OTHER;
    if (counts.lf && counts.crlf)
        return ENDINGS_MIXED;
    return counts.lf ? ENDINGS_LF : counts.crlf ? ENDINGS_CRLF : ENDINGS_NONE;
}

bool endings_mostly_crlf(struct span text)
{
    struct counts counts = count(text);
    return counts.crlf > counts.lf;
}

/* The first line of `text`, without its end; `text` goes on behind it. */
static struct span next_line(enum end *end, struct span *text)
{
    const char *newline = memchr(text->ptr, '\n', text->len);
    size_t len = newline ? (size_t)(newline - text->ptr) : text->len, whole = len + !!newline;
    bool crlf = newline && len && text->ptr[len - 1] == '\r';
    struct span line = span_of(text->ptr, len - crlf);
    *end = crlf ? END_CRLF : newline ? END_LF : END_NONE;
    *text = span_of(text->ptr + whole, text->len - whole);
    return line;
}

bool endings_alike(struct span a, struct span b)
{
    enum end end_a, end_b;
    if (endings_of(a) == ENDINGS_OTHER || endings_of(b) == ENDINGS_OTHER)
        return false;
    while (a.len && b.len) {
        if (!span_equal(next_line(&end_a, &a), next_line(&end_b, &b)))
            return false;
        if ((end_a == END_NONE) != (end_b == END_NONE))
            return false;
    }
    return a.len == b.len;
}

static char *put_end(char *to, enum end end)
{
    if (end == END_CRLF)
        *to++ = '\r';
    if (end != END_NONE)
        *to++ = '\n';
    return to;
}

/* Every line of `text` with the end that `ends` has for it, or else `end`. */
static struct span rewrite(struct arena *arena, struct span text, const enum end *ends,
                           enum end end)
{
    struct counts counts = count(text);
    char *start = arena_array(arena, text.len + counts.lf + 1, 1), *to = start;
    for (size_t i = 0; text.len; i++) {
        enum end old;
        struct span line = next_line(&old, &text);
        memcpy(to, line.ptr, line.len);
        to = put_end(to + line.len, old == END_NONE ? old : ends ? ends[i] : end);
    }
    return span_of(start, (size_t)(to - start));
}

struct span endings_set(struct arena *arena, struct span text, bool crlf)
{
    return rewrite(arena, text, NULL, crlf ? END_CRLF : END_LF);
}

/* The ends of two texts, line by line: those of `like` are known, those of `text` asked for. */
struct following {
    enum end *like, *text;
    size_t like_at, text_at; /* everything before these is done */
    enum end usual;
};

static void follow_equal(struct following *f, size_t like_end)
{
    for (; f->like_at < like_end; f->like_at++, f->text_at++)
        f->text[f->text_at] = f->like[f->like_at] == END_NONE ? f->usual : f->like[f->like_at];
}

/* A new line has the end of the line in whose place it is, or of the line before it. */
static enum end new_end(const struct following *f, size_t replaced)
{
    enum end end = replaced != SIZE_MAX ? f->like[replaced]
                   : f->text_at         ? f->text[f->text_at - 1]
                                        : END_NONE;
    return end == END_NONE ? f->usual : end;
}

static void follow_hunk(void *context, const struct hunk *hunk)
{
    struct following *f = context;
    follow_equal(f, hunk->old_at);
    for (size_t i = 0; i < hunk->new_count; i++, f->text_at++)
        f->text[f->text_at] = new_end(f, i < hunk->old_count ? f->like_at + i : SIZE_MAX);
    f->like_at += hunk->old_count;
}

static enum end *ends_of(size_t *lines, struct arena *arena, struct span text)
{
    struct counts counts = count(text);
    enum end *ends = arena_array(arena, counts.lf + counts.crlf + 2, sizeof(*ends));
    for (*lines = 0; text.len; (*lines)++)
        (void)next_line(&ends[*lines], &text);
    return ends;
}

int endings_follow(struct span *out, struct arena *arena, struct span text, struct span like,
                   bool crlf, struct err *err)
{
    size_t like_lines, text_lines;
    struct following f = {.usual = crlf ? END_CRLF : END_LF};
    f.like = ends_of(&like_lines, arena, like);
    f.text = ends_of(&text_lines, arena, text);
    if (hunks_find(arena, endings_set(arena, like, false), endings_set(arena, text, false),
                   follow_hunk, &f) < 0)
        return git_fail(err, "cannot compare lines");
    follow_equal(&f, like_lines);
    *out = rewrite(arena, text, f.text, f.usual);
    return 0;
}
