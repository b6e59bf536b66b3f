/* Splits template text into tokens, with exactly Jinja2's white space control. */
#include "jinja/syntax/lex.h"

#include "base/arena.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "jinja/run/vm.h"
#include "jinja/syntax/program.h"

#include <string.h>

/* The first bytes of tags, then of their ends; all tags begin and end with two bytes. */
struct delimiters {
    char first;
    char variable, block, comment; /* the second byte */
    char variable_end[3], block_end[3], comment_end[3];
};

static const struct delimiters delimiters[] = {
    [DELIMITERS_JINJA] = {'{', '{', '%', '#', "}}", "%}", "#}"},
    [DELIMITERS_SQUARE] = {'[', '[', '%', '#', "]]", "%]", "#]"},
};

#define TOKEN_WORDS(constant, words) words,
static const char *const kind_names[] = {EACH_TOKEN(TOKEN_WORDS)};

const char *token_kind_name(enum token_kind kind)
{
    return kind_names[kind];
}

void lexer_init(struct lexer *lexer, struct arena *arena, const struct program *program,
                bool expression, struct err *err)
{
    *lexer = (struct lexer){.program = program,
                            .arena = arena,
                            .err = err,
                            .state = expression ? LEX_VARIABLE : LEX_DATA,
                            .line_starting = true,
                            .expression = expression};
}

static const struct delimiters *tags(const struct lexer *lexer)
{
    return &delimiters[lexer->program->delimiters];
}

static struct span source(const struct lexer *lexer)
{
    return lexer->program->source;
}

static bool sees(const struct lexer *lexer, size_t pos, const char *text)
{
    struct span all = source(lexer);
    while (*text && pos < all.len && all.ptr[pos] == *text)
        pos++, text++;
    return !*text;
}

static size_t skip_space(const struct lexer *lexer, size_t pos)
{
    struct span all = source(lexer);
    while (pos < all.len) {
        size_t next = pos;
        if (!unicode_is_space(utf8_next(all, &next)))
            break;
        pos = next;
    }
    return pos;
}

/* Matches "-END" and white space, "+END", or "END" and a line end at `pos`. Returns the position
 * behind it; else 0. */
static size_t match_end(const struct lexer *lexer, size_t pos, const char *end, bool trim)
{
    bool minus = sees(lexer, pos, "-"), plus = trim && sees(lexer, pos, "+");
    if (!sees(lexer, pos + (minus || plus), end))
        return 0;
    size_t behind = pos + (minus || plus) + strlen(end);
    if (minus)
        return skip_space(lexer, behind);
    return behind + (trim && !plus && sees(lexer, behind, "\n"));
}

/* Moves to `pos`, and notes whether the text in between ended with a line end. */
static void move_to(struct lexer *lexer, size_t pos)
{
    lexer->line_starting = pos > 0 && source(lexer).ptr[pos - 1] == '\n';
    lexer->pos = pos;
}

static int fail_at(const struct lexer *lexer, size_t offset)
{
    return program_error_at(lexer->program, offset, lexer->err);
}

/* ---------------------------------------------------------------- text between tags */

/* The position of the next tag from `pos` on, or the end of the source. */
static size_t find_tag(const struct lexer *lexer, size_t pos)
{
    const struct delimiters *tag = tags(lexer);
    struct span all = source(lexer);
    while (pos + 1 < all.len) {
        const char *found = memchr(all.ptr + pos, tag->first, all.len - pos - 1);
        if (!found)
            break;
        pos = (size_t)(found - all.ptr);
        if (found[1] == tag->variable || found[1] == tag->block || found[1] == tag->comment)
            return pos;
        pos++;
    }
    return all.len;
}

/* Trims the text before a tag. `-` removes all white space. Without a sign, a tag that is no output
 * removes blanks that are alone before it on its line. */
static struct span trim_before(const struct lexer *lexer, struct span text, char sign, bool blocks)
{
    if (sign == '-')
        return unicode_strip(text, false, true);
    if (sign == '+' || !blocks)
        return text;
    const char *newline = text.len ? memrchr(text.ptr, '\n', text.len) : NULL;
    size_t line = newline ? (size_t)(newline - text.ptr) + 1 : 0;
    if (!newline && !lexer->line_starting)
        return text;
    struct span blanks = span_of(text.ptr + line, text.len - line);
    return unicode_strip(blanks, true, false).len == 0 ? span_of(text.ptr, line) : text;
}

/* The position after `{% WORD`, with its signs and blanks, at `pos`; 0 if it is not there. */
static size_t match_word_tag(const struct lexer *lexer, size_t pos, const char *word, char *sign)
{
    const char begin[3] = {tags(lexer)->first, tags(lexer)->block, '\0'};
    if (!sees(lexer, pos, begin))
        return 0;
    pos += 2;
    *sign = '\0';
    if (sees(lexer, pos, "-") || sees(lexer, pos, "+"))
        *sign = source(lexer).ptr[pos++];
    pos = skip_space(lexer, pos);
    return sees(lexer, pos, word) ? skip_space(lexer, pos + strlen(word)) : 0;
}

static size_t match_raw_begin(const struct lexer *lexer, size_t pos, char *sign)
{
    size_t behind = match_word_tag(lexer, pos, "raw", sign);
    return behind ? match_end(lexer, behind, tags(lexer)->block_end, false) : 0;
}

/* Moves behind the comment that begins at `pos`. */
static int skip_comment(struct lexer *lexer, size_t begin, size_t pos)
{
    struct span all = source(lexer);
    const char *end = tags(lexer)->comment_end;
    const char *found = memmem(all.ptr + pos, all.len - pos, end, 2);
    if (!found) {
        (void)err_set(lexer->err, TG_USAGE, CODE_SYNTAX, "the comment is not closed by '%s'", end);
        return fail_at(lexer, begin);
    }
    size_t at = (size_t)(found - all.ptr);
    if (at > pos && (all.ptr[at - 1] == '-' || all.ptr[at - 1] == '+'))
        at--;
    move_to(lexer, match_end(lexer, at, end, true));
    return 0;
}

static void set_data(struct token *out, const struct lexer *lexer, struct span text)
{
    *out = (struct token){
        .kind = T_DATA, .offset = (uint32_t)(text.ptr - source(lexer).ptr), .text = text};
}

/* Enters the tag at `pos`, whose sign is in `sign`; skips a comment entirely. */
static int enter_tag(struct lexer *lexer, size_t pos)
{
    char second = source(lexer).ptr[pos + 1];
    size_t behind = pos + 2;
    if (sees(lexer, behind, "-") || sees(lexer, behind, "+"))
        behind++;
    if (second == tags(lexer)->comment)
        return skip_comment(lexer, pos, behind);
    lexer->state = second == tags(lexer)->variable ? LEX_VARIABLE : LEX_BLOCK;
    lexer->open_count = 0;
    move_to(lexer, behind);
    return 0;
}

static void set_begin(struct token *out, const struct lexer *lexer, size_t offset)
{
    *out = (struct token){.kind = lexer->state == LEX_BLOCK ? T_BLOCK_BEGIN : T_VARIABLE_BEGIN,
                          .offset = (uint32_t)offset};
}

/* Reads text up to the next tag, which the next call enters. Skips an empty text: the tag follows
 * at once, unless it was a comment or raw. Sets `*again` if there is no token yet. */
static int next_data(struct token *out, struct lexer *lexer, bool *again)
{
    struct span all = source(lexer);
    size_t start = lexer->pos, tag = find_tag(lexer, start), raw = 0;
    struct span text = span_of(all.ptr + start, tag - start);
    if (tag == all.len) {
        move_to(lexer, tag);
        set_data(out, lexer, text);
        *again = text.len == 0;
        return 0;
    }
    char sign = tag + 2 < all.len ? all.ptr[tag + 2] : '\0';
    bool blocks = all.ptr[tag + 1] != tags(lexer)->variable;
    char raw_sign;
    if (all.ptr[tag + 1] == tags(lexer)->block)
        raw = match_raw_begin(lexer, tag, &raw_sign);
    text = trim_before(lexer, text, sign, blocks);
    if (text.len) {
        /* returns the text first; the next call finds the tag with no text before it */
        set_data(out, lexer, text);
        lexer->line_starting = false;
        lexer->pos = tag;
        return 0;
    }
    if (raw) {
        move_to(lexer, raw);
        lexer->state = LEX_RAW;
    } else if (enter_tag(lexer, tag)) {
        return -1;
    }
    *again = lexer->state == LEX_DATA || lexer->state == LEX_RAW;
    set_begin(out, lexer, tag);
    return 0;
}

static int next_raw(struct token *out, struct lexer *lexer, bool *again)
{
    struct span all = source(lexer);
    for (size_t tag = lexer->pos; tag < all.len; tag++) {
        tag = find_tag(lexer, tag);
        char sign;
        size_t behind = tag < all.len ? match_word_tag(lexer, tag, "endraw", &sign) : 0;
        if (behind)
            behind = match_end(lexer, behind, tags(lexer)->block_end, true);
        if (!behind)
            continue;
        struct span text = span_of(all.ptr + lexer->pos, tag - lexer->pos);
        text = trim_before(lexer, text, sign, true);
        set_data(out, lexer, text);
        *again = text.len == 0;
        move_to(lexer, behind);
        lexer->state = LEX_DATA;
        return 0;
    }
    (void)err_set(lexer->err, TG_USAGE, CODE_SYNTAX, "'raw' is not closed by 'endraw'");
    return fail_at(lexer, lexer->pos);
}

/* ---------------------------------------------------------------- inside tags */

static bool is_name_byte(char c)
{
    return str_digit(c) < 36 || c == '_';
}

static int fail_character(struct lexer *lexer)
{
    struct span all = source(lexer);
    size_t pos = lexer->pos;
    uint32_t c = utf8_next(all, &pos);
    if (c == '\'' || c == '"')
        (void)err_set(lexer->err, TG_USAGE, CODE_SYNTAX, "the text is not closed by '%c'", (int)c);
    else if (c < 0x7F && c >= 0x20)
        (void)err_set(lexer->err, TG_USAGE, CODE_SYNTAX, "unexpected character '%c'", (int)c);
    else
        (void)err_set(lexer->err, TG_USAGE, CODE_SYNTAX, "unexpected character U+%04X", c);
    if (c >= 0x80)
        (void)err_hint(lexer->err, "names are made of ASCII letters, digits and '_'");
    return fail_at(lexer, lexer->pos);
}

static int balance(struct lexer *lexer, char c)
{
    static const char pairs[] = "()[]{}";
    const char *found = strchr(pairs, c);
    if (!found)
        return 0;
    if ((found - pairs) % 2 == 0) {
        if (lexer->open_count == sizeof(lexer->open)) {
            (void)err_set(lexer->err, TG_USAGE, CODE_LIMIT, "more than %zu brackets are open",
                          LIMIT_TEMPLATE_NESTING);
            return fail_at(lexer, lexer->pos);
        }
        lexer->open[lexer->open_count++] = found[1];
        return 0;
    }
    char expected = lexer->open_count ? lexer->open[--lexer->open_count] : '\0';
    if (expected == c)
        return 0;
    (void)err_set(lexer->err, TG_USAGE, CODE_SYNTAX,
                  expected ? "unexpected '%c', '%c' comes first" : "unexpected '%c'", c, expected);
    return fail_at(lexer, lexer->pos);
}

static int next_operator(struct token *out, struct lexer *lexer)
{
    struct span all = source(lexer);
    char c = all.ptr[lexer->pos], next = lexer->pos + 1 < all.len ? all.ptr[lexer->pos + 1] : '\0';
    for (enum token_kind kind = T_POW; kind < T_KIND_COUNT; kind++) {
        const char *text = kind_names[kind] + 1;
        bool two = text[1] != '\'';
        if (c != text[0] || (two && next != text[1]))
            continue;
        if (balance(lexer, c))
            return -1;
        out->kind = kind;
        lexer->pos += two ? 2 : 1;
        return 0;
    }
    return fail_character(lexer);
}

/* Whether the tag ends here, which it cannot inside brackets. */
static bool next_end(struct token *out, struct lexer *lexer)
{
    if (lexer->open_count || lexer->expression)
        return false;
    bool block = lexer->state == LEX_BLOCK;
    const char *end = block ? tags(lexer)->block_end : tags(lexer)->variable_end;
    size_t behind = match_end(lexer, lexer->pos, end, block);
    if (!behind)
        return false;
    out->kind = block ? T_BLOCK_END : T_VARIABLE_END;
    lexer->state = LEX_DATA;
    move_to(lexer, behind);
    return true;
}

static int next_literal(struct token *out, struct lexer *lexer, bool *found)
{
    struct literal literal = {.source = source(lexer), .pos = lexer->pos};
    if (literal_read(out, &literal, lexer->arena, lexer->err))
        return fail_at(lexer, literal.bad);
    *found = literal.found;
    lexer->pos = literal.pos;
    return 0;
}

static int next_in_tag(struct token *out, struct lexer *lexer)
{
    struct span all = source(lexer);
    bool found = false;
    for (;;) {
        out->offset = (uint32_t)lexer->pos;
        if (next_end(out, lexer))
            return 0;
        size_t behind = skip_space(lexer, lexer->pos);
        if (behind == lexer->pos)
            break;
        lexer->pos = behind;
    }
    if (lexer->pos == all.len) {
        out->kind = T_END;
        return 0;
    }
    if (next_literal(out, lexer, &found))
        return -1;
    if (found)
        return 0;
    size_t end = lexer->pos;
    while (end < all.len && is_name_byte(all.ptr[end]))
        end++;
    if (end == lexer->pos)
        return next_operator(out, lexer);
    out->kind = T_NAME;
    out->text = span_of(all.ptr + lexer->pos, end - lexer->pos);
    lexer->pos = end;
    return 0;
}

int lexer_next(struct token *out, struct lexer *lexer)
{
    *out = (struct token){.kind = T_END, .offset = (uint32_t)lexer->pos};
    while (lexer->state == LEX_DATA || lexer->state == LEX_RAW) {
        bool again = false;
        if (lexer->state == LEX_DATA && lexer->pos == source(lexer).len) {
            *out = (struct token){.kind = T_END, .offset = (uint32_t)lexer->pos};
            return 0;
        }
        int rc =
            lexer->state == LEX_RAW ? next_raw(out, lexer, &again) : next_data(out, lexer, &again);
        if (rc || !again)
            return rc;
    }
    return next_in_tag(out, lexer);
}
