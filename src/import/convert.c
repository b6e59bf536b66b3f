/* The files of a template, as files of a type. */
#include "import/convert.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/data.h"
#include "base/fileset.h"
#include "base/limits.h"
#include "base/path.h"
#include "base/unicode.h"
#include "base/utf8.h"
#include "import/draft.h"
#include "import/names.h"
#include "template/template.h"

#include <string.h>

#define ENDING ".j2"

struct converter {
    struct draft *draft;
    struct arena *arena;
    struct data *included; /* a map of what is taken in: pieces to make */
    struct err *err;
};

static const char *source_of(const struct converter *c, size_t index)
{
    return c->draft->from->entries[index].path;
}

static int read_input(struct span *out, const struct converter *c, size_t index)
{
    return c->draft->from->read(out, c->draft->from, index, c->err);
}

static bool is_text(struct span bytes)
{
    return bytes.len <= LIMIT_TEMPLATE_BYTES && utf8_valid(bytes) &&
           !(bytes.len && memchr(bytes.ptr, '\0', bytes.len));
}

static void add(const struct converter *c, const char *below, struct span bytes, size_t index)
{
    draft_add_file(c->draft,
                   (struct draft_file){
                       .path = arena_printf(c->arena, "templates/%s/%s", c->draft->type, below),
                       .bytes = bytes,
                       .executable = c->draft->from->entries[index].executable,
                       .source = source_of(c, index)});
}

/* As it is, where nothing renders it. Names may hold what no other system takes: they are kept. */
static void set_aside(const struct converter *c, size_t index, struct span bytes)
{
    add(c, arena_printf(c->arena, "unconverted/%s", source_of(c, index)), bytes, index);
    c->draft->unconverted++;
}

/* ---------------------------------------------------------------- what a template reads */

/* `{% set %}` of the constants that it reads; -1 with `*why` where it reads what is no answer. */
static int find_prelude(const char **out, const char **why, const struct converter *c,
                        const struct translation *t, const struct data *names)
{
    bool square = c->draft->dialect.files == DELIMITERS_SQUARE;
    *out = "";
    for (size_t i = 0; i < names->map.count; i++) {
        struct span name = names->map.members[i].name;
        const char *constant = data_text(data_get_span(c->draft->constants, name));
        if (constant)
            *out = arena_printf(c->arena,
                                square ? "[%% set %s = %s %%]\n%s" : "{%% set %s = %s %%}\n%s",
                                name.ptr, constant, *out);
        else if (!data_get_span(c->draft->ours, name) && !data_get_span(t->sets, name) &&
                 !span_equal(name, span_from("template"))) {
            *why = arena_printf(c->arena, "it reads '%s', which is no answer", name.ptr);
            return -1;
        }
    }
    return 0;
}

static void note_includes(const struct converter *c, const struct translation *t)
{
    for (size_t i = 0; i < t->includes->list.count; i++)
        if (!data_get_span(c->included, t->includes->list.items[i]->str))
            data_put_span(c->arena, c->included, t->includes->list.items[i]->str,
                          data_null(c->arena));
}

/* Why a translation is no template here, and on which line; 0 where it is one. */
struct refusal_of {
    const char *why;
    size_t line;
};

static int check_template(struct data *names, struct refusal_of *no, const struct converter *c,
                          const char *text, enum template_delimiters delimiters)
{
    struct template_source source = {.name = "", .text = span_from(text), .delimiters = delimiters};
    ERR_SCRATCH(err);
    if (template_names(names, c->arena, &source, false, NULL, &err) == 0)
        return 0;
    no->why = arena_strdup(c->arena, err.message);
    no->line = err.where.line;
    return -1;
}

static void tell_replaced(const struct converter *c, const struct translation *t, const char *file)
{
    for (size_t i = 0; i < t->replaced->map.count; i++)
        draft_tell(c->draft, "filter", file, 0,
                   "'%s' became '%s', which is the same for words of ASCII only",
                   t->replaced->map.members[i].name.ptr,
                   data_text(t->replaced->map.members[i].value));
}

/* The template of ours; NULL where it cannot be one: `no` says why. */
static const char *convert_text(struct refusal_of *no, struct translation *t,
                                const struct converter *c, struct span bytes, bool piece)
{
    enum template_delimiters to = piece ? DELIMITERS_JINJA : c->draft->dialect.files;
    struct data *names = data_map(c->arena);
    const char *text, *prelude = "";
    ERR_SCRATCH(err);
    translation_init(t, c->arena, &c->draft->dialect);
    if (translate(&text, t, bytes, to, &err) < 0) {
        *no = (struct refusal_of){arena_strdup(c->arena, err.message), err.where.line};
        return NULL;
    }
    if (t->is_odd_include)
        no->why = "it takes in a template whose name is worked out";
    if (no->why || check_template(names, no, c, text, to) < 0 ||
        (!piece && find_prelude(&prelude, &no->why, c, t, names) < 0))
        return NULL;
    return *prelude ? arena_printf(c->arena, "%s%s", prelude, text) : text;
}

/* ---------------------------------------------------------------- one file */

/* A file that only looks like a template of ours: each tag in it is printed. */
static void add_escaped(const struct converter *c, const char *name, size_t index,
                        struct span bytes)
{
    if (!is_text(bytes) || (bytes.len && memchr(bytes.ptr, '\r', bytes.len))) {
        draft_tell(c->draft, "template", source_of(c, index), 0,
                   "a file that ends in '" ENDING
                   "' and is no text of UNIX: its name would be cut");
        set_aside(c, index, bytes);
        return;
    }
    const char *text = translate_plain(c->arena, bytes, c->draft->dialect.files);
    add(c, arena_printf(c->arena, "files/%s" ENDING, name), span_from(text), index);
    c->draft->templates++;
}

static void add_copy(const struct converter *c, const char *name, size_t index, struct span bytes)
{
    if (str_ends(name, ENDING)) {
        add_escaped(c, name, index, bytes);
        return;
    }
    add(c, arena_printf(c->arena, "files/%s", name), bytes, index);
    c->draft->copied++;
}

static void add_template(const struct converter *c, const char *name, size_t index,
                         struct span bytes)
{
    struct translation t;
    struct refusal_of no = {0};
    const char *text = convert_text(&no, &t, c, bytes, false);
    if (!text) {
        draft_tell(c->draft, "template", source_of(c, index), no.line, "%s", no.why);
        set_aside(c, index, bytes);
        return;
    }
    tell_replaced(c, &t, source_of(c, index));
    if (!t.has_tags && !c->draft->dialect.style.drops_last_newline) {
        add_copy(c, name, index, bytes);
        return;
    }
    if (bytes.len && memchr(bytes.ptr, '\r', bytes.len))
        draft_tell(c->draft, "ending", source_of(c, index), 0,
                   "its lines end in CR LF; what is rendered here ends lines in LF");
    note_includes(c, &t);
    add(c, arena_printf(c->arena, "files/%s" ENDING, name), span_from(text), index);
    c->draft->templates++;
}

/* What no project can have is no decision: nobody means it well. Tags may hold what they like. */
static int check_path(const struct converter *c, const struct draft_input *input)
{
    const struct jinja_style *style = &c->draft->dialect.style;
    struct span text = span_from(source_of(c, input->index));
    for (size_t at = 0; at < text.len;) {
        uint32_t character = utf8_next(text, &at);
        if (character == UTF8_INVALID || unicode_is_control(character) ||
            unicode_is_hidden(character))
            return err_set(c->err, TG_REFUSED, "unsafe-path",
                           "unsafe path '%s': it holds what does not show", text.ptr);
    }
    if (strstr(input->path, style->variable_begin) || strstr(input->path, style->block_begin))
        return 0;
    return path_check(input->path, c->err) < 0 ? err_wrap(c->err, "'%s'", text.ptr) : 0;
}

static int convert_input(const struct converter *c, const struct draft_input *input)
{
    const char *name, *why = "";
    struct span bytes;
    if (budget_check(c->err) < 0 || check_path(c, input) < 0 ||
        read_input(&bytes, c, input->index) < 0)
        return -1;
    if (!names_translate(&name, &why, c->draft, input)) {
        draft_tell(c->draft, "name", source_of(c, input->index), 0, "%s", why);
        set_aside(c, input->index, bytes);
        return 0;
    }
    if (input->renders && is_text(bytes))
        add_template(c, name, input->index, bytes);
    else
        add_copy(c, name, input->index, bytes);
    return 0;
}

/* ---------------------------------------------------------------- pieces that are taken in */

/* Where their loader finds it: the index, or -1. */
static long find_piece(const struct converter *c, const char *name)
{
    for (size_t i = 0; c->draft->include_folders[i]; i++) {
        long index = fileset_find(
            c->draft->from, arena_printf(c->arena, "%s%s", c->draft->include_folders[i], name));
        if (index >= 0)
            return index;
    }
    return -1;
}

/* Rendering tells of what is missing, where it gets there. */
static int convert_piece(const struct converter *c, const char *name)
{
    struct translation t;
    struct refusal_of no = {0};
    struct span bytes;
    long index = find_piece(c, name);
    if (index < 0) {
        draft_tell(c->draft, "template", NULL, 0, "'%s', which a template takes in, is not there",
                   name);
        return 0;
    }
    if (read_input(&bytes, c, (size_t)index) < 0)
        return -1;
    const char *text = is_text(bytes) ? convert_text(&no, &t, c, bytes, true) : NULL;
    if (!text) {
        draft_tell(c->draft, "template", source_of(c, (size_t)index), no.line, "%s",
                   no.why ? no.why : "it is no text");
        return 0;
    }
    note_includes(c, &t);
    add(c, arena_printf(c->arena, "includes/%s", name), span_from(text), (size_t)index);
    return 0;
}

int convert_files(struct draft *draft, struct err *err)
{
    struct converter c = {
        .draft = draft, .arena = draft->arena, .included = data_map(draft->arena), .err = err};
    names_settle(draft);
    for (size_t i = 0; i < draft->input_count; i++)
        if (convert_input(&c, &draft->inputs[i]) < 0)
            return -1;
    for (size_t i = 0; i < c.included->map.count; i++) /* which grows */
        if (convert_piece(&c, c.included->map.members[i].name.ptr) < 0)
            return -1;
    return 0;
}

int convert_undo(struct draft *draft, size_t file, size_t line, const char *why, struct err *err)
{
    struct converter c = {.draft = draft, .arena = draft->arena, .err = err};
    struct draft_file undone = draft->files[file];
    long index = fileset_find(draft->from, undone.source);
    struct span bytes;
    if (read_input(&bytes, &c, (size_t)index) < 0)
        return -1;
    for (size_t i = file; i + 1 < draft->file_count; i++)
        draft->files[i] = draft->files[i + 1];
    draft->file_count--;
    draft->templates--;
    draft_tell(draft, "template", undone.source, line, "%s", why);
    set_aside(&c, (size_t)index, bytes);
    return 0;
}
