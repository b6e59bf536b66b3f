/* TOML 1.0: validates a document, and visits the texts in it. */
#include "data/toml.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/utf8.h"

#include <stdint.h>
#include <string.h>

enum toml_kind {
    TOML_VALUE,  /* any value of a key, including inline tables and arrays */
    TOML_TABLE,  /* defined by a header, or implied by one */
    TOML_DOTTED, /* implied by a dotted key */
    TOML_TABLES, /* an array of tables */
};

/* A key in its table. */
struct toml_key {
    const struct toml_key *parent;
    struct span name; /* without quotes and escapes */
    enum toml_kind kind;
    bool declared;          /* TOML_TABLE: by a header of its own */
    size_t section;         /* TOML_DOTTED: only below this header may it grow */
    struct toml_key *last;  /* TOML_TABLES: the newest element */
    struct intern names;    /* of the keys in it */
    struct toml_key **keys; /* by the numbers of their names */
};

struct toml {
    struct arena *arena;
    const char *at, *end;
    size_t section; /* number of headers and inline tables so far */
    size_t depth;
    const struct toml_key *table; /* with `name`: the key whose value is being read */
    struct span name;
    toml_visitor *visit; /* or NULL */
    void *context;
};

/* ---------------------------------------------------------------- keys in tables */

static struct toml_key *find(const struct toml_key *table, struct span name)
{
    size_t number = intern_find(&table->names, name);
    return number == INTERN_NONE ? NULL : table->keys[number];
}

static struct toml_key *add(const struct toml *t, struct toml_key *table, struct span name,
                            enum toml_kind kind)
{
    struct toml_key *key = arena_alloc(t->arena, sizeof(*key));
    *key = (struct toml_key){.parent = table, .name = name, .kind = kind, .section = t->section};
    size_t number = intern_add(&table->names, t->arena, name);
    table->keys = arena_grow(t->arena, table->keys, number, sizeof(struct toml_key *));
    table->keys[number] = key;
    return key;
}

static struct toml_key *find_or_add(const struct toml *t, struct toml_key *table, struct span name,
                                    enum toml_kind kind)
{
    struct toml_key *key = find(table, name);
    return key ? key : add(t, table, name, kind);
}

static struct toml_key *new_table(struct toml *t)
{
    struct toml_key *table = arena_alloc(t->arena, sizeof(*table));
    table->kind = TOML_TABLE;
    table->declared = true;
    return table;
}

/* ---------------------------------------------------------------- characters */

static char peek(const struct toml *t)
{
    return t->at < t->end ? *t->at : '\0'; /* a NUL is valid nowhere */
}

static bool ahead(const struct toml *t, const char *text)
{
    size_t len = strlen(text);
    return (size_t)(t->end - t->at) >= len && memcmp(t->at, text, len) == 0;
}

static bool take(struct toml *t, const char *text)
{
    if (!ahead(t, text))
        return false;
    t->at += strlen(text);
    return true;
}

static void skip_blanks(struct toml *t)
{
    while (peek(t) == ' ' || peek(t) == '\t')
        t->at++;
}

static bool is_control(char c)
{
    return ((unsigned char)c < 0x20 && c != '\t') || c == 0x7F;
}

static bool skip_comment(struct toml *t)
{
    if (peek(t) != '#')
        return true;
    for (; t->at < t->end && *t->at != '\n'; t->at++)
        if (is_control(*t->at))
            return false;
    return true;
}

/* Skips blanks, comments and line ends, as allowed in an array. */
static bool skip_space(struct toml *t)
{
    for (;;) {
        skip_blanks(t);
        if (!skip_comment(t))
            return false;
        if (!take(t, "\n"))
            return true;
    }
}

/* ---------------------------------------------------------------- strings */

/* Reads the character of \uXXXX or \UXXXXXXXX; surrogates are invalid. */
static bool read_unicode(struct toml *t, struct buf *out, int digits)
{
    uint32_t character = 0;
    for (int i = 0; i < digits; i++) {
        int value = str_digit(peek(t));
        if (value >= 16)
            return false;
        character = character << 4 | (uint32_t)value;
        t->at++;
    }
    if (character > 0x10FFFF || (character >= 0xD800 && character < 0xE000))
        return false;
    (void)utf8_put(out, character);
    return true;
}

/* Reads a backslash at a line end, and the white space that it removes. */
static bool read_line_end(struct toml *t)
{
    skip_blanks(t);
    if (t->at < t->end && *t->at != '\n')
        return false;
    while (peek(t) == ' ' || peek(t) == '\t' || peek(t) == '\n')
        t->at++;
    return true;
}

static bool read_escape(struct toml *t, struct buf *out, bool multiline)
{
    static const char names[] = "btnfr\"\\", values[] = "\b\t\n\f\r\"\\";
    char c = peek(t);
    const char *name = c ? strchr(names, c) : NULL;
    if (multiline && c && strchr(" \t\n", c))
        return read_line_end(t);
    if (!c)
        return false;
    t->at++;
    if (c == 'u' || c == 'U')
        return read_unicode(t, out, c == 'u' ? 4 : 8);
    if (name)
        (void)buf_putc(out, values[name - names]);
    return name != NULL;
}

/* Reads a string behind its opening quotes into `out`. */
static bool read_text(struct toml *t, struct buf *out, char quote, bool multiline)
{
    const char close[] = {quote, multiline ? quote : '\0', quote, '\0'};
    while (t->at < t->end) {
        if (take(t, close))
            return true;
        char c = *t->at++;
        if (c == '\\' && quote == '"') {
            if (!read_escape(t, out, multiline))
                return false;
            continue;
        }
        if (is_control(c) && !(c == '\n' && multiline))
            return false;
        (void)buf_putc(out, c);
    }
    return false;
}

/* Puts `name` before the last `len` bytes of `path`; false if there is no room. */
static bool put_before(char path[TOML_PATH_BYTES], size_t *len, struct span name)
{
    if (name.len + 1 > TOML_PATH_BYTES - *len)
        return false;
    *len += name.len + 1;
    memcpy(path + TOML_PATH_BYTES - *len, name.ptr, name.len);
    path[TOML_PATH_BYTES - *len + name.len] = '.';
    return true;
}

/*
 * The path of the value being read, at the end of `room`; NULL if it is too long. The time is
 * bounded by TOML_PATH_BYTES: long keys and many values do not add to it.
 */
static const char *path_of(const struct toml *t, char room[TOML_PATH_BYTES])
{
    size_t len = 0;
    bool fits = put_before(room, &len, t->name);
    for (const struct toml_key *table = t->table; fits && table; table = table->parent)
        fits = table->name.len == 0 || put_before(room, &len, table->name);
    room[TOML_PATH_BYTES - 1] = '\0'; /* in place of the last dot */
    return fits ? room + TOML_PATH_BYTES - len : NULL;
}

static bool skip_string(struct toml *t, char quote)
{
    const char three[] = {quote, quote, quote, '\0'};
    BUF_SCRATCH(text, LIMIT_TOML_BYTES);
    bool multiline = take(t, three);
    if (!multiline)
        t->at++;
    if (!read_text(t, &text, quote, multiline))
        return false;
    for (int i = 0; multiline && i < 2 && peek(t) == quote; i++, t->at++)
        (void)buf_putc(&text, quote); /* up to two quotes before the closing three */
    char room[TOML_PATH_BYTES];
    const char *path = t->visit ? path_of(t, room) : NULL;
    if (path)
        t->visit(t->context, path, buf_text(&text));
    return true;
}

/* ---------------------------------------------------------------- numbers and dates */

/* Digits with single '_' between them. */
static bool skip_digits(struct toml *t, int base)
{
    if (str_digit(peek(t)) >= base)
        return false;
    while (str_digit(peek(t)) < base ||
           (peek(t) == '_' && t->end - t->at > 1 && str_digit(t->at[1]) < base))
        t->at++;
    return true;
}

static bool skip_number(struct toml *t)
{
    static const struct {
        const char *prefix;
        int base;
    } bases[] = {{"0x", 16}, {"0o", 8}, {"0b", 2}};
    for (size_t i = 0; i < sizeof(bases) / sizeof(*bases); i++)
        if (take(t, bases[i].prefix))
            return skip_digits(t, bases[i].base);
    if (peek(t) == '+' || peek(t) == '-')
        t->at++;
    if (take(t, "inf") || take(t, "nan"))
        return true;
    if (!take(t, "0") && !skip_digits(t, 10))
        return false;
    if (take(t, ".") && !skip_digits(t, 10))
        return false;
    if (peek(t) != 'e' && peek(t) != 'E')
        return true;
    t->at++;
    if (peek(t) == '+' || peek(t) == '-')
        t->at++;
    return skip_digits(t, 10);
}

/* Whether the text continues as in `shape`, where 0 stands for any digit. */
static bool shaped(const struct toml *t, const char *shape)
{
    for (size_t i = 0; shape[i]; i++)
        if ((size_t)(t->end - t->at) <= i ||
            (shape[i] == '0' ? str_digit(t->at[i]) >= 10 : t->at[i] != shape[i]))
            return false;
    return true;
}

static int take_number(struct toml *t, int digits)
{
    int value = 0;
    for (int i = 0; i < digits; i++)
        value = value * 10 + (*t->at++ - '0');
    return value;
}

static bool skip_date(struct toml *t)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = take_number(t, 4);
    t->at++;
    int month = take_number(t, 2);
    t->at++;
    int day = take_number(t, 2);
    bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    return year >= 1 && month >= 1 && month <= 12 && day >= 1 &&
           day <= days[month - 1] + (month == 2 && leap);
}

/* HH:MM, of a time or of an offset. */
static bool skip_minutes(struct toml *t)
{
    if (!shaped(t, "00:00"))
        return false;
    int hour = take_number(t, 2);
    t->at++;
    return take_number(t, 2) < 60 && hour < 24;
}

static bool skip_time(struct toml *t)
{
    if (!skip_minutes(t) || !shaped(t, ":00"))
        return false;
    t->at++;
    if (take_number(t, 2) >= 60)
        return false;
    if (!take(t, "."))
        return true;
    if (str_digit(peek(t)) >= 10)
        return false;
    while (str_digit(peek(t)) < 10)
        t->at++;
    return true;
}

static bool skip_date_time(struct toml *t)
{
    if (!skip_date(t))
        return false;
    bool time = peek(t) == 'T' || peek(t) == 't' ||
                (peek(t) == ' ' && t->end - t->at > 1 && str_digit(t->at[1]) < 10);
    if (!time)
        return true;
    t->at++;
    if (!skip_time(t))
        return false;
    if (take(t, "Z") || take(t, "z"))
        return true;
    return take(t, "+") || take(t, "-") ? skip_minutes(t) : true;
}

/* ---------------------------------------------------------------- values */

static bool skip_value(struct toml *t);
static bool read_pair(struct toml *t, struct toml_key *table);

static bool skip_array(struct toml *t)
{
    t->at++;
    if (!skip_space(t))
        return false;
    while (!take(t, "]")) {
        if (!skip_value(t) || !skip_space(t))
            return false;
        if (!take(t, ",") && peek(t) != ']')
            return false;
        if (!skip_space(t))
            return false;
    }
    return true;
}

/* On one line, without a comma at its end. */
static bool skip_inline_table(struct toml *t)
{
    struct toml_key *table = new_table(t);
    table->parent = t->table;
    table->name = t->name;
    t->at++;
    skip_blanks(t);
    if (take(t, "}"))
        return true;
    do {
        skip_blanks(t);
        if (!read_pair(t, table))
            return false;
        skip_blanks(t);
    } while (take(t, ","));
    return take(t, "}");
}

static bool skip_nested(struct toml *t)
{
    if (t->depth == LIMIT_DOCUMENT_DEPTH)
        return false;
    t->depth++;
    bool valid = peek(t) == '[' ? skip_array(t) : skip_inline_table(t);
    t->depth--;
    return valid;
}

static bool skip_value(struct toml *t)
{
    char c = peek(t);
    if (c == '"' || c == '\'')
        return skip_string(t, c);
    if (c == '[' || c == '{')
        return skip_nested(t);
    if (take(t, "true") || take(t, "false"))
        return true;
    if (shaped(t, "0000-00-00"))
        return skip_date_time(t);
    return shaped(t, "00:00") ? skip_time(t) : skip_number(t);
}

/* ---------------------------------------------------------------- keys and tables */

static bool is_bare(char c)
{
    return str_digit(c) < 36 || c == '_' || c == '-';
}

static bool read_name(struct span *out, struct toml *t)
{
    const char *start = t->at;
    char c = peek(t);
    if (c == '"' || c == '\'') {
        BUF_SCRATCH(name, LIMIT_TOML_BYTES);
        t->at++;
        if (!read_text(t, &name, c, false))
            return false;
        *out = span_of(arena_memdup(t->arena, buf_text(&name), name.len), name.len);
        return true;
    }
    while (is_bare(peek(t)))
        t->at++;
    *out = span_of(start, (size_t)(t->at - start));
    return out->len > 0;
}

/* The table for a part of a dotted key, but not its last one; or NULL. */
static struct toml_key *enter_dotted(const struct toml *t, struct toml_key *table, struct span name)
{
    struct toml_key *node = find(table, name);
    if (!node)
        return add(t, table, name, TOML_DOTTED);
    if (node->kind == TOML_DOTTED)
        return node->section == t->section ? node : NULL;
    if (node->kind != TOML_TABLE || node->declared)
        return NULL;
    node->kind = TOML_DOTTED; /* implied by a header so far: from now on by a dotted key */
    node->section = t->section;
    return node;
}

/* Reads a key. Sets its last name, and the table that `enter` finds for the parts before it. */
static bool read_key(struct span *name, struct toml_key **table, struct toml *t,
                     struct toml_key *(*enter)(const struct toml *t, struct toml_key *table,
                                               struct span name))
{
    for (;;) {
        if (!read_name(name, t))
            return false;
        skip_blanks(t);
        if (!take(t, "."))
            return true;
        skip_blanks(t);
        *table = enter(t, *table, *name);
        if (!*table)
            return false;
    }
}

static bool read_pair(struct toml *t, struct toml_key *table)
{
    struct span name;
    if (!read_key(&name, &table, t, enter_dotted) || !take(t, "="))
        return false;
    skip_blanks(t);
    const struct toml outer = *t;
    t->table = table;
    t->name = name;
    if (!skip_value(t) || find(table, name))
        return false;
    t->table = outer.table;
    t->name = outer.name;
    (void)add(t, table, name, TOML_VALUE);
    return true;
}

/* The table for a part of a header, but not its last one; or NULL. */
static struct toml_key *enter_header(const struct toml *t, struct toml_key *table, struct span name)
{
    struct toml_key *node = find(table, name);
    if (!node)
        return add(t, table, name, TOML_TABLE);
    return node->kind == TOML_VALUE ? NULL : node->kind == TOML_TABLES ? node->last : node;
}

static struct toml_key *declare_table(const struct toml *t, struct toml_key *parent,
                                      struct span name)
{
    struct toml_key *key = find_or_add(t, parent, name, TOML_TABLE);
    if (key->kind != TOML_TABLE || key->declared)
        return NULL;
    key->declared = true;
    return key;
}

static struct toml_key *declare_one_of_tables(struct toml *t, struct toml_key *parent,
                                              struct span name)
{
    struct toml_key *key = find_or_add(t, parent, name, TOML_TABLES);
    if (key->kind != TOML_TABLES)
        return NULL;
    key->last = new_table(t);
    key->last->parent = parent;
    key->last->name = name;
    return key->last;
}

/* Reads `[a.b]` or `[[a.b]]`. Returns the table for the keys that follow, or NULL. */
static struct toml_key *read_header(struct toml *t, struct toml_key *root)
{
    struct toml_key *table = root;
    bool array = take(t, "[[");
    struct span name;
    t->section++;
    if (!array)
        t->at++;
    skip_blanks(t);
    if (!read_key(&name, &table, t, enter_header))
        return NULL;
    if (!take(t, array ? "]]" : "]"))
        return NULL;
    return array ? declare_one_of_tables(t, table, name) : declare_table(t, table, name);
}

static bool read_document(struct toml *t)
{
    struct toml_key *root = new_table(t), *table = root;
    while (t->at < t->end) {
        skip_blanks(t);
        if (peek(t) == '[')
            table = read_header(t, root);
        else if (t->at < t->end && !strchr("\n#", *t->at) && !read_pair(t, table))
            return false;
        if (!table)
            return false;
        skip_blanks(t);
        if (!skip_comment(t) || (t->at < t->end && !take(t, "\n")))
            return false;
    }
    return true;
}

/* CRLF ends a line as LF does, in strings, too. */
static struct span without_cr(struct arena *arena, struct span source)
{
    char *copy = arena_array(arena, source.len + 1, 1), *to = copy;
    for (size_t i = 0; i < source.len; i++)
        if (source.ptr[i] != '\r' || i + 1 == source.len || source.ptr[i + 1] != '\n')
            *to++ = source.ptr[i];
    return span_of(copy, (size_t)(to - copy));
}

bool toml_each_text(struct span source, toml_visitor *visit, void *context)
{
    ARENA_SCRATCH(arena);
    if (source.len > LIMIT_TOML_BYTES || !utf8_valid(source))
        return false;
    source = without_cr(&arena, source);
    struct toml t = {.arena = &arena,
                     .at = source.ptr,
                     .end = source.ptr + source.len,
                     .visit = visit,
                     .context = context};
    return read_document(&t);
}

bool toml_valid(struct span source)
{
    return toml_each_text(source, NULL, NULL);
}
