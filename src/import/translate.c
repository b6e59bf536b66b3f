/* Texts of another template, written so that tmplgen renders the same bytes. */
#include "import/translate.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/limits.h"
#include "base/unicode.h"

#include <string.h>

/* Ours have trim_blocks and lstrip_blocks: see docs/templates.md. */
static const struct jinja_style ours[] = {
    [DELIMITERS_JINJA] = {"{{", "}}", "{%", "%}", "{#", "#}", true, true, false},
    [DELIMITERS_SQUARE] = {"[[", "]]", "[%", "%]", "[#", "#]", true, true, false}};

/* Filters of their extensions that one of ours does the work of; `exact` on every text. */
static const struct {
    const char *theirs, *ours;
    bool exact;
} filters[] = {{"quote", "shell_quote", true}, {"slugify", "slug", false}};

/* Tags behind which the name of a template stands. */
static const char *const takers[] = {"include", "import", "from", "extends"};

/* One text under way. */
struct rewriting {
    struct translation *t;
    const struct jinja_style *style; /* theirs */
    const struct jinja_style *target;
    bool same; /* both have the same delimiters: text between tags stays as it is */
    struct buf *out;
};

void translation_init(struct translation *out, struct arena *arena, const struct dialect *dialect)
{
    *out = (struct translation){.arena = arena,
                                .dialect = dialect,
                                .includes = data_list(arena),
                                .sets = data_map(arena),
                                .replaced = data_map(arena)};
}

/* ---------------------------------------------------------------- in tags */

static bool is(struct span word, const char *text)
{
    return span_equal(word, span_from(text));
}

/* A statement under way. `before` is the last word that was not blank, or empty. */
struct sentence {
    struct translation *t;
    struct span text, before, before_that;
    size_t at;
    size_t open; /* brackets */
    struct buf *out;
    bool is_taker; /* the next text is a template's name */
    bool is_set;   /* the next names are what it sets */
};

/* The word behind `at` that is not blank, and where it ends. */
static enum word_kind peek(struct span *word, struct span text, size_t *at)
{
    enum word_kind kind;
    do
        kind = jinja_word(word, text, at);
    while (kind == WORD_BLANK);
    return kind;
}

/* The name of a text word, escapes not undone: names of answers have none. */
static struct span unquoted(struct span word)
{
    return word.len >= 2 ? span_of(word.ptr + 1, word.len - 2) : span_of("", 0);
}

static const char *our_name(const struct translation *t, struct span theirs)
{
    return data_text(data_get_span(t->dialect->names, theirs));
}

/* `cookiecutter.NAME` and `cookiecutter['NAME']` behind the object's name: NAME here. */
static bool put_member(struct sentence *s)
{
    struct span word, name = {0}, close;
    size_t at = s->at;
    if (peek(&word, s->text, &at) != WORD_SIGN)
        return false;
    bool bracket = is(word, "[");
    enum word_kind kind = peek(&name, s->text, &at);
    if (is(word, ".") ? kind != WORD_NAME : !bracket || kind != WORD_TEXT)
        return false;
    if (bracket && (peek(&close, s->text, &at) != WORD_SIGN || !is(close, "]")))
        return false;
    const char *ours_name = our_name(s->t, bracket ? unquoted(name) : name);
    if (!ours_name)
        return false;
    (void)buf_puts(s->out, ours_name);
    s->at = at;
    return true;
}

static void put_filter(struct sentence *s, struct span name)
{
    for (size_t i = 0; i < sizeof(filters) / sizeof(*filters); i++) {
        if (!is(name, filters[i].theirs))
            continue;
        if (!filters[i].exact)
            data_put_text(s->t->arena, s->t->replaced, filters[i].theirs, filters[i].ours);
        (void)buf_puts(s->out, filters[i].ours);
        return;
    }
    (void)buf_append(s->out, name.ptr, name.len);
}

/* Whether a name stands where only an argument's name can: `f(NAME=...)`. */
static bool is_keyword(const struct sentence *s)
{
    struct span word, next;
    size_t at = s->at;
    if (!s->open || peek(&word, s->text, &at) != WORD_SIGN || !is(word, "="))
        return false;
    return jinja_word(&next, s->text, &at) != WORD_SIGN || !is(next, "=");
}

/* A plain name: an answer, or a variable of the template's own, which must not become one. */
static void put_plain(struct sentence *s, struct span name)
{
    const struct dialect *dialect = s->t->dialect;
    const char *renamed = dialect->object ? NULL : our_name(s->t, name);
    if (renamed)
        (void)buf_puts(s->out, renamed);
    else
        (void)buf_append(s->out, name.ptr, name.len);
    bool shadows = !renamed && data_get_span(dialect->ours, name);
    if (shadows)
        (void)buf_puts(s->out, "_here");
    if (s->is_set)
        data_put_text(
            s->t->arena, s->t->sets,
            arena_printf(s->t->arena, "%.*s%s", (int)name.len, name.ptr, shadows ? "_here" : ""),
            NULL);
}

static void put_name(struct sentence *s, struct span name)
{
    const char *object = s->t->dialect->object;
    bool is_object = object && is(name, object) && !is(s->before, ".");
    bool is_test = is(s->before, "is") || (is(s->before, "not") && is(s->before_that, "is"));
    if (is_object && put_member(s))
        return;
    if (is(s->before, "|"))
        put_filter(s, name);
    else if (is(s->before, ".") || is_test || is_object || is_keyword(s))
        (void)buf_append(s->out, name.ptr, name.len);
    else
        put_plain(s, name);
}

/* The name of a template, in a tag that takes it in. */
static void put_taken(struct sentence *s, struct span word)
{
    struct span name = unquoted(word);
    data_push(s->t->arena, s->t->includes, data_span(s->t->arena, name));
    (void)buf_printf(s->out, "%c%s/%.*s%c", *word.ptr, s->t->dialect->type, (int)name.len, name.ptr,
                     *word.ptr);
}

static void put_word(struct sentence *s, enum word_kind kind, struct span word)
{
    if (s->is_taker && kind == WORD_TEXT)
        put_taken(s, word);
    else if (kind == WORD_NAME)
        put_name(s, word);
    else
        (void)buf_append(s->out, word.ptr, word.len);
    s->t->is_odd_include |= s->is_taker && kind != WORD_TEXT && kind != WORD_BLANK;
    if (kind == WORD_BLANK)
        return;
    s->is_taker = false;
    s->is_set &= !is(word, "=");
    if (kind == WORD_SIGN && strchr("([{", *word.ptr))
        s->open++;
    else if (kind == WORD_SIGN && strchr(")]}", *word.ptr) && s->open)
        s->open--;
    s->before_that = s->before;
    s->before = word;
}

/* The name of a tag is no variable; that of a template may follow it. */
static void put_tag_name(struct sentence *s)
{
    struct span word;
    size_t at = s->at;
    enum word_kind kind = jinja_word(&word, s->text, &at);
    while (kind == WORD_BLANK || kind == WORD_NAME) {
        (void)buf_append(s->out, word.ptr, word.len);
        s->at = at;
        if (kind == WORD_NAME)
            break;
        kind = jinja_word(&word, s->text, &at);
    }
    s->is_set = kind == WORD_NAME && is(word, "set");
    for (size_t i = 0; kind == WORD_NAME && i < sizeof(takers) / sizeof(*takers); i++)
        s->is_taker |= is(word, takers[i]);
}

static void put_inside(struct translation *t, struct buf *out, struct span text, bool tag)
{
    struct sentence s = {
        .t = t, .text = text, .before = span_of("", 0), .before_that = span_of("", 0), .out = out};
    struct span word;
    enum word_kind kind;
    if (tag)
        put_tag_name(&s);
    while ((kind = jinja_word(&word, s.text, &s.at)) != WORD_END)
        put_word(&s, kind, word);
}

const char *translate_expression(struct translation *t, struct span text)
{
    BUF_SCRATCH(out, LIMIT_TEMPLATE_BYTES);
    put_inside(t, &out, unicode_strip(text, true, true), false);
    return arena_strdup(t->arena, buf_text(&out));
}

/* ---------------------------------------------------------------- between tags */

/* Text that means itself: what would be a tag is printed by one. */
static void put_plain_text(struct buf *out, struct span text, const struct jinja_style *target,
                           bool tag_follows)
{
    char first = *target->variable_begin;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i], next = i + 1 < text.len ? text.ptr[i + 1] : '\0';
        bool last = i + 1 == text.len && tag_follows;
        bool begins = c == first && (next == first || next == '%' || next == '#');
        if (begins)
            (void)buf_printf(out, "%s '%c%c' %s", target->variable_begin, c, next,
                             target->variable_end);
        else if (c == first && last)
            (void)buf_printf(out, "%s '%c' %s", target->variable_begin, c, target->variable_end);
        else
            (void)buf_putc(out, c);
        i += begins;
    }
}

const char *translate_plain(struct arena *arena, struct span text, enum template_delimiters target)
{
    BUF_SCRATCH(out, 2 * LIMIT_TEMPLATE_BYTES);
    put_plain_text(&out, text, &ours[target], false);
    return arena_strdup(arena, buf_text(&out));
}

/* Whether a tag behind `text`, which may begin its line, would take blanks of it. */
static bool ends_in_blanks(struct span text, bool begins_line)
{
    const char *newline = text.len ? memrchr(text.ptr, '\n', text.len) : NULL;
    size_t line = newline ? (size_t)(newline - text.ptr) + 1 : 0;
    if (!newline && !begins_line)
        return false;
    struct span blanks = span_of(text.ptr + line, text.len - line);
    return blanks.len && unicode_strip(blanks, true, false).len == 0;
}

/* The sign that keeps a tag from taking what is before it, where it is one of ours only. */
static char sign_before(const struct rewriting *w, const struct jinja_pieces *all, size_t i)
{
    const struct jinja_piece *piece = &all->items[i], *last = i ? piece - 1 : NULL;
    bool kept = w->style->lstrip_blocks || piece->before || !last || last->kind != PIECE_DATA;
    return !kept && ends_in_blanks(last->text, i == 1) ? '+' : piece->before;
}

static char sign_after(const struct rewriting *w, const struct jinja_pieces *all, size_t i)
{
    const struct jinja_piece *piece = &all->items[i], *next = i + 1 < all->count ? piece + 1 : NULL;
    bool kept = w->style->trim_blocks || piece->after || !next || next->kind != PIECE_DATA;
    return !kept && next->text.ptr[0] == '\n' ? '+' : piece->after;
}

static void put_begin(struct buf *out, const char *begin, char sign)
{
    (void)buf_puts(out, begin);
    if (sign)
        (void)buf_putc(out, sign);
}

static void put_end(struct buf *out, char sign, const char *end)
{
    if (sign)
        (void)buf_putc(out, sign);
    (void)buf_puts(out, end);
}

static void put_raw(const struct rewriting *w, const struct jinja_pieces *all, size_t i)
{
    const struct jinja_piece *piece = &all->items[i];
    put_begin(w->out, w->target->block_begin, sign_before(w, all, i));
    (void)buf_puts(w->out, " raw ");
    put_end(w->out, piece->raw_begin_after, w->target->block_end);
    (void)buf_append(w->out, piece->text.ptr, piece->text.len);
    bool strips =
        !w->style->lstrip_blocks && !piece->raw_end_before && ends_in_blanks(piece->text, true);
    put_begin(w->out, w->target->block_begin, strips ? '+' : piece->raw_end_before);
    (void)buf_puts(w->out, " endraw ");
    put_end(w->out, sign_after(w, all, i), w->target->block_end);
}

static void put_piece(const struct rewriting *w, const struct jinja_pieces *all, size_t i)
{
    const struct jinja_piece *piece = &all->items[i];
    const struct jinja_style *to = w->target;
    bool block = piece->kind == PIECE_BLOCK;
    switch (piece->kind) {
    case PIECE_DATA:
        if (w->same)
            (void)buf_append(w->out, piece->text.ptr, piece->text.len);
        else
            put_plain_text(w->out, piece->text, to, i + 1 < all->count);
        return;
    case PIECE_COMMENT:
        put_begin(w->out, to->comment_begin, sign_before(w, all, i));
        if (piece->text.len == 0)
            (void)buf_putc(w->out, ' '); /* between the signs of both sides */
        (void)buf_append(w->out, piece->text.ptr, piece->text.len);
        put_end(w->out, sign_after(w, all, i), to->comment_end);
        return;
    case PIECE_RAW:
        put_raw(w, all, i);
        return;
    default:
        put_begin(w->out, block ? to->block_begin : to->variable_begin,
                  block ? sign_before(w, all, i) : piece->before);
        put_inside(w->t, w->out, piece->text, block);
        put_end(w->out, block ? sign_after(w, all, i) : piece->after,
                block ? to->block_end : to->variable_end);
    }
}

/* ---------------------------------------------------------------- the whole */

static bool same_delimiters(const struct jinja_style *a, const struct jinja_style *b)
{
    return str_equal(a->variable_begin, b->variable_begin) &&
           str_equal(a->variable_end, b->variable_end) &&
           str_equal(a->block_begin, b->block_begin) && str_equal(a->block_end, b->block_end) &&
           str_equal(a->comment_begin, b->comment_begin) &&
           str_equal(a->comment_end, b->comment_end);
}

/* What a comment or a raw block holds cannot be said with other delimiters where it ends them. */
static int check_piece(const struct jinja_piece *piece, const struct jinja_style *to,
                       struct err *err)
{
    bool comment = piece->kind == PIECE_COMMENT, raw = piece->kind == PIECE_RAW;
    const char *end = comment ? to->comment_end : "endraw";
    if ((!comment && !raw) || !piece->text.len ||
        !memmem(piece->text.ptr, piece->text.len, end, strlen(end)))
        return 0;
    return err_set(err, TG_USAGE, "template-syntax", "%s holds '%s', which ends one here",
                   comment ? "a comment" : "a raw block", end);
}

/* \r\n and \r become \n. */
static struct span with_newlines(struct arena *arena, struct span text)
{
    char *copy = arena_memdup(arena, text.ptr, text.len);
    size_t len = 0;
    for (size_t i = 0; i < text.len; i++) {
        bool pair = text.ptr[i] == '\r' && i + 1 < text.len && text.ptr[i + 1] == '\n';
        copy[len++] = text.ptr[i] == '\r' ? '\n' : text.ptr[i];
        i += pair;
    }
    return span_of(copy, len);
}

int translate(const char **out, struct translation *t, struct span text,
              enum template_delimiters target, struct err *err)
{
    BUF_SCRATCH(buf, 2 * LIMIT_TEMPLATE_BYTES);
    struct jinja_pieces pieces;
    struct rewriting w = {.t = t,
                          .style = &t->dialect->style,
                          .target = &ours[target],
                          .same = same_delimiters(&t->dialect->style, &ours[target]),
                          .out = &buf};
    if (text.len && memchr(text.ptr, '\r', text.len))
        text = with_newlines(t->arena, text);
    if (jinja_scan(&pieces, t->arena, text, w.style, err) < 0)
        return -1;
    for (size_t i = 0; i < pieces.count; i++) {
        if (!w.same && check_piece(&pieces.items[i], w.target, err) < 0)
            return -1;
        t->has_tags |= pieces.items[i].kind != PIECE_DATA;
        put_piece(&w, &pieces, i);
    }
    if (buf.overflowed)
        return err_set(err, TG_USAGE, "limit", "a template becomes longer than %zu MiB",
                       2 * LIMIT_TEMPLATE_BYTES / LIMIT_MIB);
    *out = arena_memdup(t->arena, buf_text(&buf), buf.len);
    return 0;
}

/* ---------------------------------------------------------------- texts of one kind */

static const char *stripped(struct arena *arena, struct span text)
{
    text = unicode_strip(text, true, true);
    return arena_memdup(arena, text.ptr, text.len);
}

/* The pieces without blanks at both ends of the whole. */
static bool scan_stripped(struct jinja_pieces *out, struct arena *arena, const char *text,
                          const struct jinja_style *style)
{
    ERR_SCRATCH(ignored);
    return jinja_scan(out, arena, unicode_strip(span_from(text), true, true), style, &ignored) == 0;
}

const char *text_as_output(struct arena *arena, const char *text, const struct jinja_style *style)
{
    struct jinja_pieces pieces;
    if (!scan_stripped(&pieces, arena, text, style) || pieces.count != 1 ||
        pieces.items[0].kind != PIECE_VARIABLE)
        return NULL;
    return stripped(arena, pieces.items[0].text);
}

/* What is behind the word of a tag; NULL where it is another word. */
static const char *behind_word(struct arena *arena, const struct jinja_piece *piece,
                               const char *word)
{
    struct span text = unicode_strip(piece->text, true, true), first;
    size_t at = 0;
    if (piece->kind != PIECE_BLOCK || jinja_word(&first, text, &at) != WORD_NAME ||
        !is(first, word))
        return NULL;
    return stripped(arena, span_of(text.ptr + at, text.len - at));
}

bool text_as_condition(const char **when, const char **then, struct arena *arena, const char *text,
                       const struct jinja_style *style)
{
    struct jinja_pieces pieces;
    if (!scan_stripped(&pieces, arena, text, style) || pieces.count < 3)
        return false;
    const struct jinja_piece *first = pieces.items, *last = first + pieces.count - 1;
    *when = behind_word(arena, first, "if");
    if (!*when || !behind_word(arena, last, "endif"))
        return false;
    for (size_t i = 1; i + 1 < pieces.count; i++)
        if (pieces.items[i].kind == PIECE_BLOCK || pieces.items[i].kind == PIECE_RAW)
            return false;
    const char *start =
        first->text.ptr + first->text.len + (first->after != '\0') + strlen(style->block_end);
    const char *end = last->text.ptr - (last->before != '\0') - strlen(style->block_begin);
    *then = stripped(arena, span_of(start, (size_t)(end - start)));
    return true;
}

const char *text_without_tags(struct arena *arena, const char *text,
                              const struct jinja_style *style)
{
    BUF_SCRATCH(out, LIMIT_TEMPLATE_BYTES);
    struct jinja_pieces pieces;
    if (!scan_stripped(&pieces, arena, text, style))
        return text;
    for (size_t i = 0; i < pieces.count; i++)
        if (pieces.items[i].kind == PIECE_DATA)
            (void)buf_append(&out, pieces.items[i].text.ptr, pieces.items[i].text.len);
    return arena_strdup(arena, buf_text(&out));
}
