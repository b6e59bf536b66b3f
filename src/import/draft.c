/* A type in the making: what a foreign template becomes, until it is written. */
#include "import/draft.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/limits.h"
#include "base/utf8.h"
#include "resolver/request.h"
#include "template/template.h"

#include <ctype.h>
#include <stdarg.h>
#include <string.h>

/* Names that questions cannot have, or that mean something in a tag. */
static const char *const reserved[] = {
    "name",   "type",      "template",  "request", "resolution", "true",    "false",  "none",
    "True",   "False",     "None",      "and",     "or",         "not",     "in",     "is",
    "if",     "elif",      "else",      "endif",   "for",        "endfor",  "set",    "include",
    "import", "from",      "as",        "with",    "without",    "context", "ignore", "missing",
    "macro",  "call",      "block",     "extends", "filter",     "raw",     "loop",   "range",
    "self",   "super",     "caller",    "varargs", "kwargs",     "dict",    "lipsum", "cycler",
    "joiner", "namespace", "recursive", "scoped",  "required",   "do",      "UNSET"};

void draft_init(struct draft *out, struct arena *arena, const struct fileset *from,
                const char *type, const char *description)
{
    *out = (struct draft){.arena = arena,
                          .from = from,
                          .type = type,
                          .description = description,
                          .names = data_map(arena),
                          .ours = data_map(arena),
                          .constants = data_map(arena),
                          .questions = data_list(arena),
                          .rules = data_list(arena),
                          .refuse = data_list(arena),
                          .left_out = data_list(arena),
                          .decisions = data_list(arena)};
    out->dialect = (struct dialect){
        .style = jinja_default, .names = out->names, .ours = out->ours, .type = type};
}

const char *draft_type_name(struct arena *arena, const char *text)
{
    size_t len = strlen(text);
    while (len > 1 && text[len - 1] == '/')
        len--;
    char *name = arena_memdup(arena, text, len);
    char *start = strrchr(name, '/');
    name = start ? start + 1 : name;
    if (str_ends(name, ".git") && strlen(name) > 4)
        name[strlen(name) - 4] = '\0';
    BUF_SCRATCH(out, LIMIT_NAME_BYTES);
    for (const char *at = name; *at; at++) {
        bool plain = isascii((unsigned char)*at) && isalnum((unsigned char)*at);
        if (plain)
            (void)buf_putc(&out, (char)tolower((unsigned char)*at));
        else if (out.len && out.ptr[out.len - 1] != '-')
            (void)buf_putc(&out, '-');
    }
    while (out.len && out.ptr[out.len - 1] == '-')
        buf_truncate(&out, out.len - 1);
    return out.len && !out.overflowed ? arena_strdup(arena, out.ptr) : "imported";
}

enum { TOLD_BYTES = 600 };

/* Foreign texts are told as far as they are short. */
static const char *shortened(struct arena *arena, const char *text)
{
    size_t len = TOLD_BYTES;
    if (strlen(text) <= TOLD_BYTES)
        return text;
    while (len && utf8_continues(text[len]))
        len--;
    return arena_printf(arena, "%.*s...", (int)len, text);
}

void draft_tell(struct draft *draft, const char *kind, const char *file, size_t line,
                const char *format, ...)
{
    struct data *decision = data_map(draft->arena);
    va_list args;
    va_start(args, format);
    const char *what = arena_vprintf(draft->arena, format, args);
    va_end(args);
    data_put_text(draft->arena, decision, "kind", kind);
    data_put_text(draft->arena, decision, "file", file);
    data_put(draft->arena, decision, "line",
             line ? data_int(draft->arena, (int64_t)line) : data_null(draft->arena));
    data_put_text(draft->arena, decision, "what", shortened(draft->arena, what));
    data_push(draft->arena, draft->decisions, decision);
}

/* ---------------------------------------------------------------- names */

static bool is_taken(const struct draft *draft, const char *name, const char *theirs,
                     const struct data *all)
{
    for (size_t i = 0; i < draft->names->map.count; i++)
        if (str_equal(data_text(draft->names->map.members[i].value), name))
            return true;
    return !str_equal(name, theirs) && data_get(all, name);
}

static bool is_reserved(const char *name)
{
    return str_is_among(name, reserved, sizeof(reserved) / sizeof(*reserved)) ||
           stack_choice_of(span_from(name)) < CHOICE_COUNT;
}

const char *draft_name(struct draft *draft, const char *theirs, const struct data *all)
{
    struct arena *arena = draft->arena;
    char *name = arena_strdup(arena, theirs);
    for (char *at = name; *at; at++)
        if (!isascii((unsigned char)*at) || (!isalnum((unsigned char)*at) && *at != '_'))
            *at = '_';
    name += strspn(name, "_");
    if (!*name || isdigit((unsigned char)*name) || is_reserved(name))
        name = arena_printf(arena, "project_%s", name);
    while (is_taken(draft, name, theirs, all))
        name = arena_printf(arena, "%s_", name);
    data_put_text(arena, draft->names, theirs, name);
    return name;
}

void draft_know(struct draft *draft, const char *ours)
{
    data_put(draft->arena, draft->ours, ours, data_null(draft->arena));
}

/* ---------------------------------------------------------------- texts of the manifest */

/* Whether all that a text reads is known; `*prelude` sets those that are constants. */
static bool check_names(const char **prelude, const char **why, struct draft *draft,
                        const struct translation *t, const char *text, bool expression)
{
    struct data *names = data_map(draft->arena);
    struct template_source source = {.name = "", .text = span_from(text)};
    ERR_SCRATCH(err);
    *prelude = "";
    if (template_names(names, draft->arena, &source, expression, NULL, &err) < 0) {
        *why = arena_strdup(draft->arena, err.message);
        return false;
    }
    for (size_t i = 0; i < names->map.count; i++) {
        struct span name = names->map.members[i].name;
        const char *constant = data_text(data_get_span(draft->constants, name));
        if (constant)
            *prelude =
                arena_printf(draft->arena, "{%% set %s = %s %%}%s", name.ptr, constant, *prelude);
        else if (!data_get_span(draft->ours, name) && !data_get_span(t->sets, name)) {
            *why = arena_printf(draft->arena, "'%s' is no answer that was given before", name.ptr);
            return false;
        }
    }
    return true;
}

static bool has_tag(const char *text)
{
    return strstr(text, "{{") || strstr(text, "{%") || strstr(text, "{#");
}

const char *draft_text(const char **why, struct draft *draft, const char *text)
{
    struct translation t;
    ERR_SCRATCH(err);
    const char *out, *prelude;
    translation_init(&t, draft->arena, &draft->dialect);
    if (translate(&out, &t, span_from(text), DELIMITERS_JINJA, &err) < 0) {
        *why = arena_strdup(draft->arena, err.message);
        return NULL;
    }
    if (t.includes->list.count || t.is_odd_include) {
        *why = "a text of the manifest cannot include another";
        return NULL;
    }
    if (!has_tag(out))
        return out;
    if (!check_names(&prelude, why, draft, &t, out, false))
        return NULL;
    return arena_printf(draft->arena, "%s%s", prelude, out);
}

const char *draft_expression(const char **why, struct draft *draft, const char *text)
{
    struct translation t;
    const char *prelude;
    translation_init(&t, draft->arena, &draft->dialect);
    const char *out = translate_expression(&t, span_from(text));
    if (!check_names(&prelude, why, draft, &t, out, true))
        return NULL;
    if (!*prelude)
        return out;
    *why = "it reads what is no answer";
    return NULL;
}

/* ---------------------------------------------------------------- questions */

struct data *draft_question(struct draft *draft, const char *ours, const char *type)
{
    struct data *row = data_map(draft->arena);
    data_put_text(draft->arena, row, "name", ours);
    data_put_text(draft->arena, row, "type", type);
    data_push(draft->arena, draft->questions, row);
    return row;
}

void draft_default(struct draft *draft, struct data *row, const char *theirs, const char *text)
{
    const char *why = "", *ours = draft_text(&why, draft, text);
    if (!ours)
        draft_tell(draft, "default", NULL, 0, "the default of '%s' cannot be said (%s); it was: %s",
                   theirs, why, text);
    data_put_text(draft->arena, row, "default", ours ? ours : "");
}

void draft_compute(struct draft *draft, struct data *row)
{
    struct data *value = data_get(row, "default"), *computed = data_map(draft->arena);
    const char *type = data_get_text(row, "type");
    if (!value || value->kind == DATA_LIST) {
        data_put_text(draft->arena, row, "when", "false");
        return;
    }
    data_put(draft->arena, computed, "name", data_get(row, "name"));
    data_put_text(draft->arena, computed, "type", strcmp(type, "choice") == 0 ? "str" : type);
    data_put(draft->arena, computed, "computed", value);
    *row = *computed;
}

bool draft_is_computed(const struct data *row)
{
    return data_get(row, "computed") || str_equal(data_get_text(row, "when"), "false");
}

struct data *draft_choice(struct draft *draft, const char *value, const char *label)
{
    if (!label || strcmp(value, label) == 0)
        return data_str(draft->arena, value);
    struct data *choice = data_map(draft->arena);
    data_put_text(draft->arena, choice, "value", value);
    data_put_text(draft->arena, choice, "label", label);
    return choice;
}

void draft_mark(struct draft *draft, struct data *row, const char *form)
{
    if (!draft_is_computed(row))
        data_put(draft->arena, row, form, data_bool(draft->arena, true));
}

void draft_constant(struct draft *draft, const char *ours, const char *expression)
{
    data_put_text(draft->arena, draft->constants, ours, expression);
}

/* ---------------------------------------------------------------- values as expressions */

static void put_quoted(struct buf *out, struct span text)
{
    (void)buf_putc(out, '\'');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];
        if (c == '\'' || c == '\\')
            (void)buf_printf(out, "\\%c", c);
        else if (c < 0x20)
            (void)buf_printf(out, "\\x%02x", c);
        else
            (void)buf_putc(out, (char)c);
    }
    (void)buf_putc(out, '\'');
}

/* A text of theirs that is rendered: pieces and outputs joined. */
static int put_rendered(struct buf *out, struct draft *draft, struct span text)
{
    struct translation t;
    struct jinja_pieces pieces;
    ERR_SCRATCH(ignored);
    translation_init(&t, draft->arena, &draft->dialect);
    if (jinja_scan(&pieces, draft->arena, text, &draft->dialect.style, &ignored) < 0)
        return -1;
    for (size_t i = 0; i < pieces.count; i++) {
        const struct jinja_piece *piece = &pieces.items[i];
        bool output = piece->kind == PIECE_VARIABLE;
        if ((!output && piece->kind != PIECE_DATA) || piece->before || piece->after)
            return -1;
        (void)buf_puts(out, i ? " ~ " : "");
        if (output)
            (void)buf_printf(out, "(%s)", translate_expression(&t, piece->text));
        else
            put_quoted(out, piece->text);
    }
    if (pieces.count == 0 || (pieces.count == 1 && pieces.items[0].kind == PIECE_VARIABLE))
        (void)buf_puts(out, pieces.count ? " ~ ''" : "''");
    return 0;
}

static int put_value(struct buf *out, struct draft *draft, const struct data *value, bool renders)
{
    bool map = value->kind == DATA_MAP;
    size_t count = map ? value->map.count : value->kind == DATA_LIST ? value->list.count : 0;
    switch (value->kind) {
    case DATA_NULL:
        return buf_puts(out, "none");
    case DATA_BOOL:
        return buf_puts(out, value->boolean ? "true" : "false");
    case DATA_INT:
        return buf_printf(out, "%lld", (long long)value->integer);
    case DATA_FLOAT:
        return data_put_real(out, value->real);
    case DATA_STR:
        if (renders)
            return put_rendered(out, draft, value->str);
        put_quoted(out, value->str);
        return 0;
    default:
        break;
    }
    (void)buf_putc(out, map ? '{' : '[');
    for (size_t i = 0; i < count; i++) {
        const struct data *item = map ? value->map.members[i].value : value->list.items[i];
        (void)buf_puts(out, i ? ", " : "");
        if (map && renders && strstr(value->map.members[i].name.ptr, "{"))
            return -1; /* a name that is rendered */
        if (map)
            put_quoted(out, value->map.members[i].name);
        (void)buf_puts(out, map ? ": " : "");
        if (put_value(out, draft, item, renders) < 0)
            return -1;
    }
    return buf_putc(out, map ? '}' : ']');
}

const char *draft_literal(struct draft *draft, const struct data *value, bool renders)
{
    BUF_SCRATCH(out, LIMIT_DOCUMENT_BYTES);
    if (put_value(&out, draft, value, renders) < 0 || out.overflowed)
        return NULL;
    return arena_strdup(draft->arena, buf_text(&out));
}

/* ---------------------------------------------------------------- files */

void draft_add_input(struct draft *draft, struct draft_input input)
{
    draft->inputs =
        arena_grow(draft->arena, draft->inputs, draft->input_count, sizeof(*draft->inputs));
    draft->inputs[draft->input_count++] = input;
}

void draft_add_file(struct draft *draft, struct draft_file file)
{
    draft->files = arena_grow(draft->arena, draft->files, draft->file_count, sizeof(*draft->files));
    draft->files[draft->file_count++] = file;
}

size_t draft_line(struct span text, size_t offset)
{
    size_t line = 1;
    for (size_t i = 0; i < offset && i < text.len; i++)
        line += text.ptr[i] == '\n';
    return line;
}
