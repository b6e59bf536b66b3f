/* Parses a pattern; refuses unsupported syntax by its name. */
#include "base/text/pattern_tree.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "base/utf8.h"

#include <string.h>

/* A pattern being parsed. */
struct pattern_reader {
    struct arena *arena;
    struct span text;
    size_t at, depth;
    size_t *blamed;
    struct err *err;
};

/* Syntax of other dialects that patterns lack: how it begins, and what to write instead. */
struct pattern_foreign {
    const char *begins, *name, *hint;
};

static const struct pattern_foreign foreign_escapes[] = {
    {"\\d", NULL, "write [0-9]"},
    {"\\D", NULL, "write [^0-9]"},
    {"\\w", NULL, "write [A-Za-z0-9_]"},
    {"\\W", NULL, "write [^A-Za-z0-9_]"},
    {"\\s", NULL, "write [[:space:]]"},
    {"\\S", NULL, "write [^[:space:]]"},
    {"\\b", "a word boundary", "write which characters stand there"},
    {"\\B", "a word boundary", "write which characters stand there"},
    {"\\<", "a word boundary", "write which characters stand there, or < for the character"},
    {"\\>", "a word boundary", "write which characters stand there, or > for the character"},
    {"\\A", NULL, "leave it out: the whole answer must match"},
    {"\\Z", NULL, "leave it out: the whole answer must match"},
    {"\\z", NULL, "leave it out: the whole answer must match"},
    {"\\`", NULL, "write ` for the character: the whole answer must match anyway"},
    {"\\'", NULL, "write ' for the character: the whole answer must match anyway"},
    {"\\p", "a property of Unicode", "write the characters, such as [A-Za-z\u00C0-\u024F]"},
    {"\\P", "a property of Unicode", "write the characters, such as [^A-Za-z\u00C0-\u024F]"},
};

static const struct pattern_foreign foreign_groups[] = {
    {"(?:", NULL, "write '(': a group only holds together"},
    {"(?=", "looking ahead", "write what may stand there, or use 'refuse'"},
    {"(?!", "looking ahead", "write what may stand there, or use 'refuse'"},
    {"(?<=", "looking behind", "write what may stand there, or use 'refuse'"},
    {"(?<!", "looking behind", "write what may stand there, or use 'refuse'"},
    {"(?<", "a named group", "write '(': a group only holds together"},
    {"(?P", "a named group", "write '(': a group only holds together"},
    {"(?#", "a comment", "write a comment of YAML"},
    {"(?", "a flag", "leave it out; letters of both cases are [aA]"},
};

static const struct pattern_foreign foreign_repetitions[] = {
    {"?", "a lazy repetition", "leave the second sign out: the whole answer must match anyway"},
    {"+", "a possessive repetition", "leave the second sign out, or put a group around the first"},
    {"", "a repetition of a repetition", "put a group around the first: (a*)*"},
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---------------------------------------------------------------- characters and refusals */

static char peek(const struct pattern_reader *r)
{
    return r->at < r->text.len ? r->text.ptr[r->at] : '\0';
}

static bool ahead(const struct pattern_reader *r, const char *text)
{
    size_t len = strlen(text);
    return r->text.len - r->at >= len && memcmp(r->text.ptr + r->at, text, len) == 0;
}

static bool take(struct pattern_reader *r, const char *text)
{
    if (!ahead(r, text))
        return false;
    r->at += strlen(text);
    return true;
}

static int refuse(const struct pattern_reader *r, size_t at, const char *what, const char *hint)
{
    *r->blamed = at;
    (void)err_set(r->err, TG_USAGE, "invalid", "this pattern cannot be used: %s", what);
    return err_hint(r->err, "%s", hint);
}

/* Refuses the `len` bytes at `at`, which are the syntax of that row. */
static int refuse_foreign(const struct pattern_reader *r, size_t at, size_t len,
                          const struct pattern_foreign *row)
{
    const char *what = arena_printf(r->arena, "it has no '%.*s'%s%s", (int)len, r->text.ptr + at,
                                    row->name ? ", " : "", row->name ? row->name : "");
    return refuse(r, at, what, row->hint);
}

static const struct pattern_foreign *find_foreign(const struct pattern_reader *r,
                                                  const struct pattern_foreign *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (ahead(r, rows[i].begins))
            return &rows[i];
    return NULL;
}

/* The bytes of the character at `at`. */
static size_t width(const struct pattern_reader *r, size_t at)
{
    size_t end = at;
    if (end < r->text.len)
        (void)utf8_next(r->text, &end);
    return end - at;
}

static uint32_t next_character(struct pattern_reader *r)
{
    return utf8_next(r->text, &r->at);
}

static struct pattern_node *node_new(const struct pattern_reader *r, enum pattern_kind kind)
{
    struct pattern_node *node = arena_alloc(r->arena, sizeof(*node));
    *node = (struct pattern_node){.kind = kind, .states = 1};
    return node;
}

static int over_limit(const struct pattern_reader *r, size_t at, const char *what, size_t limit,
                      const char *hint)
{
    *r->blamed = at;
    (void)err_set(r->err, TG_USAGE, "limit", "this pattern %s %zu, the limit", what, limit);
    return err_hint(r->err, "%s", hint);
}

static int check_states(const struct pattern_reader *r, const struct pattern_node *node, size_t at)
{
    return node->states <= LIMIT_PATTERN_STATES
               ? 0
               : over_limit(r, at, "takes more states than", LIMIT_PATTERN_STATES,
                            "repeat less often, or shorter pieces: (ab){50} takes 100");
}

/* ---------------------------------------------------------------- sets */

static void add_range(const struct pattern_reader *r, struct pattern_node *set, uint32_t first,
                      uint32_t last)
{
    set->ranges = arena_grow(r->arena, set->ranges, set->range_count, sizeof(*set->ranges));
    set->ranges[set->range_count++] = (struct pattern_range){first, last};
}

/* [:name:] */
static int read_class(struct pattern_reader *r, struct pattern_node *set)
{
    static const struct {
        const char *name, *ranges; /* pairs of first and last */
    } classes[] = {{"alpha", "AZaz"},
                   {"digit", "09"},
                   {"alnum", "09AZaz"},
                   {"upper", "AZ"},
                   {"lower", "az"},
                   {"space", "\t\r  "},
                   {"blank", "\t\t  "},
                   {"punct", "!/:@[`{~"},
                   {"print", " ~"},
                   {"graph", "!~"},
                   {"cntrl", "\x01\x1F\x7F\x7F"},
                   {"xdigit", "09AFaf"}};
    size_t start = r->at;
    for (size_t i = 0; i < COUNT(classes); i++) {
        const char *name = arena_printf(r->arena, "[:%s:]", classes[i].name);
        if (!take(r, name))
            continue;
        for (const char *range = classes[i].ranges; *range; range += 2)
            add_range(r, set, (unsigned char)range[0], (unsigned char)range[1]);
        return 0;
    }
    return refuse(r, start, "it has no such class of characters",
                  "the classes are [:alpha:], [:digit:], [:alnum:], [:upper:], [:lower:], "
                  "[:space:], [:blank:], [:punct:], [:print:], [:graph:], [:cntrl:], [:xdigit:]");
}

/*
 * Reads one character of a set. To POSIX a backslash here is an ordinary character, to most
 * dialects it is not. A double backslash means the same to both: nothing else is allowed.
 */
static int read_member(uint32_t *out, struct pattern_reader *r)
{
    size_t start = r->at;
    if (ahead(r, "[.") || ahead(r, "[="))
        return refuse(r, start, "it has no collating elements",
                      "write the characters; '[' alone goes to the end of the set");
    *out = next_character(r);
    if (*out != '\\' || take(r, "\\"))
        return 0;
    const struct pattern_foreign escape = {
        .name = "an escape in a set",
        .hint = "write the characters: 0-9 for \\d, A-Za-z0-9_ for \\w, [:space:] for \\s; "
                "a ']' stands first, a '-' last, a '\\' twice"};
    return refuse_foreign(r, start, 1 + width(r, start + 1), &escape);
}

/* Reads a character or a range. */
static int read_members(struct pattern_reader *r, struct pattern_node *set, bool is_first)
{
    size_t start = r->at;
    uint32_t first, last;
    if (ahead(r, "-") && !is_first && !ahead(r, "-]"))
        return refuse(r, start, "the '-' here is no range",
                      "a '-' itself goes to the end of the set");
    if (read_member(&first, r) < 0)
        return -1;
    last = first;
    if (ahead(r, "-") && !ahead(r, "-]")) {
        r->at++;
        if (ahead(r, "[:"))
            return refuse(r, start, "a class is no end of a range",
                          "a '-' itself goes to the end of the set");
        if (r->at < r->text.len && read_member(&last, r) < 0)
            return -1;
    }
    if (last < first)
        return refuse(r, start, "the range ends before it begins", "write the lower end first");
    add_range(r, set, first, last);
    return 0;
}

static int read_set(struct pattern_node *set, struct pattern_reader *r)
{
    size_t start = r->at++;
    set->kind = PATTERN_SET;
    set->negated = take(r, "^");
    for (bool is_first = true; is_first || !ahead(r, "]"); is_first = false) {
        if (r->at >= r->text.len)
            return refuse(r, start, "the '[' has no ']'", "a '[' itself is '\\[' or '[[]'");
        int rc = ahead(r, "[:") ? read_class(r, set) : read_members(r, set, is_first);
        if (rc < 0)
            return -1;
    }
    r->at++;
    return 0;
}

/* ---------------------------------------------------------------- all but sets */

static int read_choice(struct pattern_node *choice, struct pattern_reader *r);

static int read_group(struct pattern_node *choice, struct pattern_reader *r)
{
    size_t start = r->at;
    const struct pattern_foreign *row = find_foreign(r, foreign_groups, COUNT(foreign_groups));
    if (row)
        return refuse_foreign(r, start, strlen(row->begins), row);
    if (r->depth == LIMIT_PATTERN_NESTING)
        return over_limit(r, start, "has groups in groups deeper than", LIMIT_PATTERN_NESTING,
                          "take some parentheses away");
    r->at++;
    r->depth++;
    if (read_choice(choice, r) < 0)
        return -1;
    r->depth--;
    return take(r, ")") ? 0
                        : refuse(r, start, "the '(' has no ')'", "a '(' itself is '\\(' or '[(]'");
}

static int read_escape(struct pattern_node *node, struct pattern_reader *r)
{
    static const struct pattern_foreign reference = {
        .name = "a reference back", .hint = "write what may stand there: (aa|bb) for ([ab])\\1"};
    static const struct pattern_foreign other = {
        .hint = "write the character itself; in a double-quoted text of YAML, \\n is one line end"};
    size_t start = r->at, len = 1 + width(r, start + 1);
    char c = len == 2 ? r->text.ptr[start + 1] : '\0';
    const struct pattern_foreign *row = find_foreign(r, foreign_escapes, COUNT(foreign_escapes));
    if (len == 1)
        return refuse(r, start, "it ends with a '\\'", "a '\\' itself is '\\\\'");
    if (row)
        return refuse_foreign(r, start, len, row);
    if (!c || !strchr("!\"#$%&()*+,-./:;=?@[\\]^_{|}~", c))
        return refuse_foreign(r, start, len, c >= '1' && c <= '9' ? &reference : &other);
    node->character = (unsigned char)c;
    r->at += 2;
    return 0;
}

/* `node` is a character, until it is something else. */
static int read_atom(struct pattern_node *node, struct pattern_reader *r)
{
    size_t start = r->at;
    switch (peek(r)) {
    case '[':
        return read_set(node, r);
    case '(':
        return read_group(node, r);
    case '\\':
        return read_escape(node, r);
    case '*':
    case '+':
    case '?':
    case '{':
        return refuse(r, start, "there is nothing before the repetition",
                      "put a '\\' before the sign for the character itself");
    case '.':
        node->kind = PATTERN_ANY;
        break;
    case '^':
        node->kind = PATTERN_BEGIN;
        break;
    case '$':
        node->kind = PATTERN_END;
        break;
    default:
        break;
    }
    node->character = next_character(r);
    return 0;
}

/* Reads digits. A number over every limit is capped: all such numbers are refused alike. */
static bool read_number(size_t *out, struct pattern_reader *r)
{
    size_t start = r->at;
    for (*out = 0; peek(r) >= '0' && peek(r) <= '9'; r->at++)
        if (*out <= LIMIT_PATTERN_STATES)
            *out = *out * 10 + (size_t)(peek(r) - '0');
    return r->at > start;
}

/* {n}, {n,} or {n,m} */
static int read_bounds(struct pattern_node *repeat, struct pattern_reader *r)
{
    static const char hint[] = "write {2}, {2,} or {2,5}; a '{' itself is '\\{' or '[{]'";
    size_t start = r->at++;
    bool good = read_number(&repeat->least, r);
    repeat->most = repeat->least;
    if (good && take(r, ",") && !read_number(&repeat->most, r))
        repeat->most = PATTERN_WITHOUT_END;
    if (!good || !take(r, "}"))
        return refuse(r, start, "the braces hold no numbers of repetitions", hint);
    if (repeat->most < repeat->least)
        return refuse(r, start, "the repetition is of fewer at most than at least", hint);
    return 0;
}

/* See emit_repeat in pattern.c. */
static size_t repeat_states(const struct pattern_node *repeat)
{
    size_t each = repeat->parts->states;
    if (repeat->most == 0)
        return 1;
    if (repeat->most == PATTERN_WITHOUT_END)
        return repeat->least ? repeat->least * each + 1 : each + 2;
    return repeat->least * each + (repeat->most - repeat->least) * (each + 1);
}

/* Whether a repetition operator follows. */
static bool repeats(const struct pattern_reader *r)
{
    char c = peek(r);
    return c == '*' || c == '+' || c == '?' || c == '{';
}

static int read_repeat(struct pattern_node **out, struct pattern_reader *r)
{
    size_t start = r->at;
    if (!repeats(r))
        return 0;
    if ((*out)->kind == PATTERN_BEGIN || (*out)->kind == PATTERN_END)
        return refuse(r, start, "the end of an answer cannot be repeated",
                      "a '^' or '$' itself has a '\\' before it");
    struct pattern_node *repeat = node_new(r, PATTERN_REPEAT);
    repeat->parts = *out;
    repeat->least = peek(r) == '+';
    repeat->most = peek(r) == '?' ? 1 : PATTERN_WITHOUT_END;
    if (peek(r) == '{') {
        if (read_bounds(repeat, r) < 0)
            return -1;
    } else
        r->at++;
    repeat->states = repeat_states(repeat);
    *out = repeat;
    if (repeats(r))
        return refuse_foreign(r, start, r->at + 1 - start,
                              find_foreign(r, foreign_repetitions, COUNT(foreign_repetitions)));
    return check_states(r, repeat, start);
}

static int read_sequence(struct pattern_node *sequence, struct pattern_reader *r)
{
    size_t start = r->at;
    struct pattern_node **end = &sequence->parts;
    sequence->states = 0;
    while (r->at < r->text.len && peek(r) != '|' && peek(r) != ')') {
        *end = node_new(r, PATTERN_CHARACTER);
        if (read_atom(*end, r) < 0 || read_repeat(end, r) < 0)
            return -1;
        sequence->states += (*end)->states;
        end = &(*end)->next;
    }
    sequence->states += !sequence->parts; /* repeating nothing takes a state, too */
    return check_states(r, sequence, start);
}

static int read_choice(struct pattern_node *choice, struct pattern_reader *r)
{
    size_t start = r->at;
    struct pattern_node **end = &choice->parts;
    choice->kind = PATTERN_CHOICE;
    choice->states = 0;
    do {
        *end = node_new(r, PATTERN_SEQUENCE);
        if (read_sequence(*end, r) < 0)
            return -1;
        /* see emit_choice in pattern.c: each part but the last has a state before and after it */
        choice->states += (*end)->states + (ahead(r, "|") ? 2 : 0);
        end = &(*end)->next;
    } while (take(r, "|"));
    return check_states(r, choice, start);
}

int pattern_parse(struct pattern_node **out, size_t *at, struct arena *arena, struct span pattern,
                  struct err *err)
{
    struct pattern_reader r = {.arena = arena, .text = pattern, .blamed = at, .err = err};
    if (pattern.len > LIMIT_PATTERN_BYTES)
        return over_limit(&r, 0, "has more bytes than", LIMIT_PATTERN_BYTES,
                          "a list of words is a question of type 'choice'");
    *out = node_new(&r, PATTERN_CHOICE);
    if (read_choice(*out, &r) < 0)
        return -1;
    return r.at == pattern.len
               ? 0
               : refuse(&r, r.at, "the ')' has no '('", "a ')' itself is '\\)' or '[)]'");
}
