/* Names of files: conditions in them become rules, answers in them stay. */
#include "import/names.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/data.h"
#include "base/limits.h"
#include "import/draft.h"
#include "template/template.h"

#include <string.h>

/* ---------------------------------------------------------------- in our words */

/* Whether a part of a name reads what is known here. */
static bool check_part(const char **why, struct draft *draft, const char *part)
{
    struct data *read = data_map(draft->arena);
    struct template_source source = {
        .name = "", .text = span_from(part), .delimiters = draft->dialect.files};
    ERR_SCRATCH(err);
    if (template_names(read, draft->arena, &source, false, NULL, &err) < 0) {
        *why = arena_printf(draft->arena, "in its name: %s", err.message);
        return false;
    }
    for (size_t i = 0; i < read->map.count; i++) {
        struct span name = read->map.members[i].name;
        if (data_get_span(draft->ours, name) && !data_get_span(draft->constants, name))
            continue;
        *why = arena_printf(draft->arena, "its name reads '%s', which is no answer", name.ptr);
        return false;
    }
    return true;
}

static const char *translate_part(const char **why, struct draft *draft, struct span part)
{
    struct translation t;
    ERR_SCRATCH(err);
    const char *out;
    translation_init(&t, draft->arena, &draft->dialect);
    if (translate(&out, &t, part, draft->dialect.files, &err) < 0) {
        *why = arena_printf(draft->arena, "in its name: %s", err.message);
        return NULL;
    }
    if (strchr(out, '/')) {
        *why = "a tag of its name holds a '/'";
        return NULL;
    }
    return !t.has_tags || check_part(why, draft, out) ? out : NULL;
}

bool names_translate(const char **out, const char **why, struct draft *draft,
                     const struct draft_input *input)
{
    *out = "";
    for (const char *at = input->path;; at++) {
        size_t len = strcspn(at, "/");
        const char *part = translate_part(why, draft, span_of(at, len));
        if (!part)
            return false;
        if (strlen(part) > LIMIT_NAME_BYTES) {
            *why = "its name becomes too long";
            return false;
        }
        *out = arena_printf(draft->arena, "%s%s%s", *out, **out ? "/" : "", part);
        at += len;
        if (!*at)
            return true;
    }
}

/* ---------------------------------------------------------------- conditions */

/* A part of a path: its name where that is plain, and the condition under which it is there. */
struct name_part {
    const char *name; /* NULL: worked out from answers */
    const char *when; /* theirs; NULL: always */
};

static bool has_tag(const struct draft *draft, const char *text)
{
    const struct jinja_style *style = &draft->dialect.style;
    return strstr(text, style->variable_begin) || strstr(text, style->block_begin) ||
           strstr(text, style->comment_begin);
}

static struct name_part part_of(const struct draft *draft, const char *text)
{
    struct name_part part = {0};
    if (!has_tag(draft, text))
        return (struct name_part){.name = text};
    if (text_as_condition(&part.when, &part.name, draft->arena, text, &draft->dialect.style) &&
        !has_tag(draft, part.name) && *part.name)
        return part;
    return (struct name_part){0};
}

/* A file's path in its parts. */
struct path {
    const char *text;
    struct name_part *parts;
    size_t count;
};

static struct path cut(const struct draft *draft, const char *text)
{
    struct path path = {.text = text};
    for (const char *at = text;; at++) {
        size_t len = strcspn(at, "/");
        path.parts = arena_grow(draft->arena, path.parts, path.count, sizeof(*path.parts));
        path.parts[path.count++] = part_of(draft, arena_memdup(draft->arena, at, len));
        at += len;
        if (!*at)
            return path;
    }
}

struct settling {
    struct draft *draft;
    struct path *paths; /* of the inputs */
    struct data *made;  /* a map: globs that have a rule */
};

/* The first parts of a path, of which the last has a condition. */
struct guarded {
    struct span theirs; /* as they stand there */
    const struct name_part *parts;
    size_t count;
    bool is_folder;
};

/* Whether another file may lie where the candidate does, or below it. */
static bool may_meet(const struct guarded *one, const struct path *path)
{
    const char *text = path->text;
    size_t len = one->theirs.len;
    if (strncmp(text, one->theirs.ptr, len) == 0 && (text[len] == '\0' || text[len] == '/'))
        return false; /* it is its own */
    if (path->count < one->count || (!one->is_folder && path->count != one->count))
        return false;
    for (size_t i = 0; i < one->count; i++)
        if (path->parts[i].name && strcmp(path->parts[i].name, one->parts[i].name) != 0)
            return false;
    return true;
}

static bool is_alone(const struct settling *s, const struct guarded *one)
{
    for (size_t i = 0; i < s->draft->input_count; i++)
        if (may_meet(one, &s->paths[i]))
            return false;
    return budget_try_steps(1 + s->draft->input_count / 16);
}

/* The glob that matches just this path, or all below it. NULL: there is none. */
static const char *glob_of(struct arena *arena, const struct guarded *one)
{
    const char *out = "";
    for (size_t i = 0; i < one->count; i++) {
        if (!one->parts[i].name || strpbrk(one->parts[i].name, "*?[]\\"))
            return NULL;
        out = arena_printf(arena, "%s%s%s", out, i ? "/" : "", one->parts[i].name);
    }
    out = one->is_folder ? arena_printf(arena, "%s/**", out) : out;
    return strlen(out) <= LIMIT_GLOB_BYTES ? out : NULL;
}

/* Whether the condition of a part is a rule, as it is made now or was before. */
static bool make_rule(const struct settling *s, const struct path *path, size_t at, size_t len)
{
    struct draft *draft = s->draft;
    struct guarded one = {.theirs = span_of(path->text, len),
                          .parts = path->parts,
                          .count = at + 1,
                          .is_folder = at + 1 < path->count};
    const char *why, *glob = glob_of(draft->arena, &one);
    if (!glob || !is_alone(s, &one))
        return false;
    if (data_get(s->made, glob))
        return true;
    if (draft->rules->list.count >= LIMIT_GLOBS)
        return false;
    const char *when = draft_expression(&why, draft, path->parts[at].when);
    if (!when)
        return false;
    struct data *rule = data_map(draft->arena);
    data_put_text(draft->arena, rule, "match", glob);
    data_put_text(draft->arena, rule, "when", when);
    data_push(draft->arena, draft->rules, rule);
    data_put(draft->arena, s->made, glob, rule);
    return true;
}

/* The path with the names of parts whose condition is a rule by now. */
static const char *settle_path(const struct settling *s, const struct path *path)
{
    struct arena *arena = s->draft->arena;
    const char *out = "";
    for (size_t i = 0, at = 0; i < path->count; i++) {
        size_t len = strcspn(path->text + at, "/");
        const char *as_is = arena_memdup(arena, path->text + at, len);
        bool ruled = path->parts[i].when && make_rule(s, path, i, at + len);
        out = arena_printf(arena, "%s%s%s", out, i ? "/" : "", ruled ? path->parts[i].name : as_is);
        at += len + 1;
    }
    return out;
}

/* Whether a rule is for any file, as far as names can tell. */
static bool is_idle(const struct draft *draft, const char **plain, const struct data *rule)
{
    for (size_t i = 0; i < draft->input_count; i++)
        if (budget_glob(data_get_text(rule, "match"), plain[i]))
            return false;
    return true;
}

/* Of the globs of a pattern one is mostly for folders, the other for files. */
static void drop_idle_rules(struct draft *draft)
{
    const char **plain = arena_array(draft->arena, draft->input_count + 1, sizeof(*plain));
    struct data *rules = data_list(draft->arena);
    for (size_t i = 0; i < draft->input_count; i++)
        plain[i] = text_without_tags(draft->arena, draft->inputs[i].path, &draft->dialect.style);
    for (size_t i = 0; i < draft->rules->list.count; i++)
        if (!is_idle(draft, plain, draft->rules->list.items[i]))
            data_push(draft->arena, rules, draft->rules->list.items[i]);
    draft->rules = rules;
}

void names_settle(struct draft *draft)
{
    struct settling s = {.draft = draft, .made = data_map(draft->arena)};
    s.paths = arena_array(draft->arena, draft->input_count + 1, sizeof(*s.paths));
    for (size_t i = 0; i < draft->input_count; i++)
        s.paths[i] = cut(draft, draft->inputs[i].path);
    drop_idle_rules(draft);
    for (size_t i = 0; i < draft->input_count; i++)
        draft->inputs[i].path = settle_path(&s, &s.paths[i]);
}
