/* Jinja2 at the level of its text: where tags begin and end, with whatever delimiters. */
#include "import/jinja_scan.h"

#include "base/arena.h"
#include "base/budget.h"

#include <string.h>

const struct jinja_style jinja_default = {.variable_begin = "{{",
                                          .variable_end = "}}",
                                          .block_begin = "{%",
                                          .block_end = "%}",
                                          .comment_begin = "{#",
                                          .comment_end = "#}"};

struct scanner {
    struct arena *arena;
    struct span text;
    const struct jinja_style *style;
    struct jinja_pieces *out;
    struct err *err;
};

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_word_byte(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           (unsigned char)c >= 0x80;
}

static bool sees(struct span text, size_t at, const char *what)
{
    size_t len = strlen(what);
    return at <= text.len && text.len - at >= len && memcmp(text.ptr + at, what, len) == 0;
}

static int unclosed(const struct scanner *s, size_t at, const char *what, const char *end)
{
    (void)err_set(s->err, TG_USAGE, "template-syntax", "%s is not closed by '%s'", what, end);
    return err_at(s->err, "", s->text.ptr, s->text.len, at);
}

static struct jinja_piece *add(const struct scanner *s, enum piece_kind kind, size_t start,
                               size_t end)
{
    struct jinja_pieces *out = s->out;
    out->items = arena_grow(s->arena, out->items, out->count, sizeof(*out->items));
    out->items[out->count] =
        (struct jinja_piece){.kind = kind, .text = span_of(s->text.ptr + start, end - start)};
    return &out->items[out->count++];
}

/* A sign of white space at `*at`, which moves behind it. */
static char take_sign(const struct scanner *s, size_t *at)
{
    char c = *at < s->text.len ? s->text.ptr[*at] : '\0';
    if (c != '-' && c != '+')
        return '\0';
    ++*at;
    return c;
}

/* ---------------------------------------------------------------- words in tags */

static size_t text_end(struct span text, size_t at)
{
    char quote = text.ptr[at++];
    while (at < text.len && text.ptr[at] != quote)
        at += text.ptr[at] == '\\' ? 2 : 1;
    return at < text.len ? at + 1 : text.len;
}

enum word_kind jinja_word(struct span *out, struct span text, size_t *at)
{
    size_t start = *at, end = start;
    enum word_kind kind = WORD_SIGN;
    if (start >= text.len)
        return WORD_END;
    char c = text.ptr[start];
    if (is_blank(c)) {
        kind = WORD_BLANK;
        while (end < text.len && is_blank(text.ptr[end]))
            end++;
    } else if (c == '"' || c == '\'') {
        kind = WORD_TEXT;
        end = text_end(text, start);
    } else if (is_word_byte(c)) {
        kind = c >= '0' && c <= '9' ? WORD_NUMBER : WORD_NAME;
        while (end < text.len && is_word_byte(text.ptr[end]))
            end++;
    } else {
        end++;
    }
    *out = span_of(text.ptr + start, end - start);
    *at = end;
    return kind;
}

/* ---------------------------------------------------------------- tags */

/* Where the end of a tag stands, its sign counted; 0 where there is none at `at`. */
static bool sees_end(const struct scanner *s, size_t at, const char *end, bool block, char *sign)
{
    *sign = '\0';
    if (sees(s->text, at, end))
        return true;
    char c = at < s->text.len ? s->text.ptr[at] : '\0';
    if ((c != '-' && (c != '+' || !block)) || !sees(s->text, at + 1, end))
        return false;
    *sign = c;
    return true;
}

/* The tag from `at` on, behind its beginning; `*next` is behind its end. */
static int scan_tag(const struct scanner *s, size_t *next, size_t at, bool block)
{
    const char *end = block ? s->style->block_end : s->style->variable_end;
    size_t begin = at, open = 0;
    char before = take_sign(s, &at), after = '\0';
    size_t start = at;
    struct span word;
    while (at < s->text.len) {
        if (open == 0 && sees_end(s, at, end, block, &after)) {
            struct jinja_piece *piece = add(s, block ? PIECE_BLOCK : PIECE_VARIABLE, start, at);
            piece->before = before;
            piece->after = after;
            *next = at + (after != '\0') + strlen(end);
            return 0;
        }
        if (jinja_word(&word, s->text, &at) != WORD_SIGN)
            continue;
        if (strchr("([{", *word.ptr))
            open++;
        else if (strchr(")]}", *word.ptr) && open)
            open--;
    }
    return unclosed(s, begin, block ? "a tag" : "an output", end);
}

static int scan_comment(const struct scanner *s, size_t *next, size_t at)
{
    const char *end = s->style->comment_end;
    size_t begin = at;
    char before = take_sign(s, &at);
    const char *found =
        at < s->text.len ? memmem(s->text.ptr + at, s->text.len - at, end, strlen(end)) : NULL;
    if (!found)
        return unclosed(s, begin, "a comment", end);
    size_t stop = (size_t)(found - s->text.ptr);
    char last = stop > at ? s->text.ptr[stop - 1] : '\0';
    bool signed_end = last == '-' || last == '+';
    struct jinja_piece *piece = add(s, PIECE_COMMENT, at, stop - signed_end);
    piece->before = before;
    piece->after = signed_end ? last : '\0';
    *next = stop + strlen(end);
    return 0;
}

static size_t skip_blanks(const struct scanner *s, size_t at)
{
    while (at < s->text.len && is_blank(s->text.ptr[at]))
        at++;
    return at;
}

/* Behind `{% WORD %}` at `at`; 0 where that is not there. */
static size_t word_tag(const struct scanner *s, size_t at, const char *word, bool plus,
                       char *before, char *after)
{
    if (!sees(s->text, at, s->style->block_begin))
        return 0;
    at += strlen(s->style->block_begin);
    *before = take_sign(s, &at);
    at = skip_blanks(s, at);
    if (!sees(s->text, at, word))
        return 0;
    at = skip_blanks(s, at + strlen(word));
    if (!sees_end(s, at, s->style->block_end, plus, after))
        return 0;
    return at + (*after != '\0') + strlen(s->style->block_end);
}

/* Whether a raw block begins at `at`. */
static int scan_raw(const struct scanner *s, bool *found, size_t *next, size_t at)
{
    char before, after, end_before, end_after;
    size_t start = word_tag(s, at, "raw", false, &before, &after);
    *found = start != 0;
    if (!start)
        return 0;
    for (size_t end = start; end < s->text.len; end++) {
        const char *tag = memmem(s->text.ptr + end, s->text.len - end, s->style->block_begin,
                                 strlen(s->style->block_begin));
        if (!tag)
            break;
        end = (size_t)(tag - s->text.ptr);
        size_t behind = word_tag(s, end, "endraw", true, &end_before, &end_after);
        if (!behind)
            continue;
        *add(s, PIECE_RAW, start, end) =
            (struct jinja_piece){.kind = PIECE_RAW,
                                 .text = span_of(s->text.ptr + start, end - start),
                                 .before = before,
                                 .after = end_after,
                                 .raw_begin_after = after,
                                 .raw_end_before = end_before};
        *next = behind;
        return 0;
    }
    return unclosed(s, at, "'raw'", "endraw");
}

/* ---------------------------------------------------------------- the whole */

struct opening {
    const char *text;
    enum piece_kind kind;
};

/* What begins at `at`: of several the longest, as Jinja2 sorts them; NULL for text. */
static const struct opening *opening_at(const struct scanner *s, const struct opening *openings,
                                        size_t at)
{
    const struct opening *best = NULL;
    for (size_t i = 0; i < 3; i++)
        if (sees(s->text, at, openings[i].text) &&
            (!best || strlen(openings[i].text) > strlen(best->text)))
            best = &openings[i];
    return best;
}

static int scan_opening(const struct scanner *s, size_t *next, size_t at,
                        const struct opening *opening)
{
    size_t behind = at + strlen(opening->text);
    bool raw = false;
    if (opening->kind == PIECE_COMMENT)
        return scan_comment(s, next, behind);
    if (scan_raw(s, &raw, next, at) < 0)
        return -1;
    return raw ? 0 : scan_tag(s, next, behind, opening->kind == PIECE_BLOCK);
}

int jinja_scan(struct jinja_pieces *out, struct arena *arena, struct span text,
               const struct jinja_style *style, struct err *err)
{
    const struct opening openings[] = {{style->variable_begin, PIECE_VARIABLE},
                                       {style->block_begin, PIECE_BLOCK},
                                       {style->comment_begin, PIECE_COMMENT}};
    if (style->drops_last_newline && text.len && text.ptr[text.len - 1] == '\n')
        text.len--;
    struct scanner s = {arena, text, style, out, err};
    size_t start = 0;
    *out = (struct jinja_pieces){0};
    if (budget_steps(budget_steps_of(text.len), err) < 0 || budget_check(err) < 0)
        return -1;
    for (size_t at = 0; at < text.len;) {
        const struct opening *opening = opening_at(&s, openings, at);
        if (!opening) {
            at++;
            continue;
        }
        if (at > start)
            (void)add(&s, PIECE_DATA, start, at);
        if (scan_opening(&s, &at, at, opening) < 0)
            return -1;
        start = at;
    }
    if (text.len > start)
        (void)add(&s, PIECE_DATA, start, text.len);
    return 0;
}
