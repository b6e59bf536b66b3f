/* The questions of a copier.yml. */
#include "import/copier_question.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/limits.h"
#include "base/pattern.h"
#include "base/yaml.h"
#include "import/copier_value.h"
#include "import/draft.h"
#include "import/truth.h"

#include <string.h>

/* One question under way. */
struct asking {
    struct draft *draft;
    struct arena *arena;
    const char *path;
    size_t line;
    const char *theirs, *ours;
    const struct data *given; /* its map; `default` alone is one, too */
    const char *type;         /* ours */
    struct data *row;
};

#define TELL(a, kind, ...) draft_tell((a)->draft, kind, (a)->path, (a)->line, __VA_ARGS__)

static const struct data *member(const struct asking *a, const char *name)
{
    return data_get(a->given, name);
}

/* ---------------------------------------------------------------- its type */

static const struct {
    const char *theirs, *ours;
} types[] = {{"str", "str"}, {"path", "str"}, {"int", "int"}, {"float", "float"}, {"bool", "bool"}};

/* Of a question without a type its default says it; of YAML and JSON, too. */
static const char *type_of_value(const struct data *value)
{
    if (!value)
        return "str";
    switch (value->kind) {
    case DATA_BOOL:
        return "bool";
    case DATA_INT:
        return "int";
    case DATA_FLOAT:
        return "float";
    case DATA_LIST:
        return copier_is_scalars(value) ? "list" : NULL;
    case DATA_MAP:
        return NULL;
    default:
        return "str";
    }
}

static bool is_true(const struct asking *a, const char *name)
{
    const struct data *value = member(a, name);
    return value && value->kind == DATA_BOOL && value->boolean;
}

/* NULL: no question here can hold such an answer. */
static const char *find_type(const struct asking *a)
{
    const struct data *given = member(a, "type");
    const char *word = data_text(given);
    if (is_true(a, "multiselect"))
        return "list";
    for (size_t i = 0; word && i < sizeof(types) / sizeof(*types); i++)
        if (strcmp(word, types[i].theirs) == 0)
            return types[i].ours;
    const char *type = type_of_value(member(a, "default"));
    if (word && strcmp(word, "yaml") != 0 && strcmp(word, "json") != 0)
        TELL(a, "question", "the type of '%s' is '%s', which is %s here", a->theirs, word,
             type ? type : "no type");
    return type;
}

/* ---------------------------------------------------------------- texts of it */

/* A text of the row; told where it cannot be said. */
static void put_text(const struct asking *a, const char *key, const char *text)
{
    const char *why = "", *ours = draft_text(&why, a->draft, text);
    if (ours)
        data_put_text(a->arena, a->row, key, ours);
    else
        TELL(a, "question", "'%s' of '%s' cannot be said (%s); it was: %s", key, a->theirs, why,
             text);
}

static struct data *texts_of(const struct asking *a, const struct data *list)
{
    struct data *out = data_list(a->arena);
    for (size_t i = 0; i < list->list.count; i++) {
        const char *why = "it is no text", *text = copier_text(a->arena, list->list.items[i]);
        const char *ours = text ? draft_text(&why, a->draft, text) : NULL;
        if (ours)
            data_push(a->arena, out, data_str(a->arena, ours));
        else
            TELL(a, "default", "a default of '%s' cannot be said: %s", a->theirs, why);
    }
    return out;
}

/* Whether an answer is needed: UNSET says so. */
static bool is_required(const struct data *fallback)
{
    const char *text = fallback ? data_text(fallback) : NULL;
    return !fallback || (text && strstr(text, "UNSET"));
}

static void add_default(const struct asking *a)
{
    const struct data *fallback = member(a, "default");
    bool list = strcmp(a->type, "list") == 0;
    if (is_required(fallback))
        return;
    if (fallback->kind == DATA_NULL) {
        data_put(a->arena, a->row, "default", list ? data_list(a->arena) : data_str(a->arena, ""));
        return;
    }
    if (list && fallback->kind == DATA_LIST) {
        data_put(a->arena, a->row, "default", texts_of(a, fallback));
        return;
    }
    const char *text = copier_text(a->arena, fallback), *why;
    const char *truth = strcmp(a->type, "bool") == 0 ? truth_of(&why, a->draft, text) : NULL;
    if (truth) {
        bool plain = strcmp(truth, "true") == 0 || strcmp(truth, "false") == 0;
        data_put_text(a->arena, a->row, "default",
                      plain ? truth : arena_printf(a->arena, "{{ %s }}", truth));
        return;
    }
    if (list && strspn(text, "[] ") != strlen(text)) {
        TELL(a, "default", "the default of '%s' is the text of a list, which is empty here: %s",
             a->theirs, text);
        text = "";
    }
    if (list)
        data_put(a->arena, a->row, "default", data_list(a->arena));
    else
        draft_default(a->draft, a->row, a->theirs, text);
}

/* ---------------------------------------------------------------- its choices */

/*
 * The values of choices in any form: texts, pairs of label and value, a map of them. `labels` has
 * as many: the value itself where there is none.
 */
static struct data *values_of(const struct asking *a, const struct data *choices,
                              struct data *labels)
{
    struct data *values = data_list(a->arena);
    bool map = choices->kind == DATA_MAP;
    size_t count = map ? choices->map.count : choices->list.count;
    for (size_t i = 0; i < count; i++) {
        struct data *item = map ? choices->map.members[i].value : choices->list.items[i];
        bool pair = !map && item->kind == DATA_LIST && item->list.count == 2;
        struct data *label = map    ? data_span(a->arena, choices->map.members[i].name)
                             : pair ? item->list.items[0]
                                    : item;
        if (pair)
            item = item->list.items[1];
        if ((map || pair) && item->kind == DATA_MAP && data_get(item, "value")) {
            if (data_get(item, "validator"))
                TELL(a, "validator", "a choice of '%s' may be taken under a condition only: %s",
                     a->theirs, data_shown(item, "validator"));
            item = data_get(item, "value");
        }
        data_push(a->arena, values, item);
        data_push(a->arena, labels, label);
    }
    return values;
}

/* A number or a truth that is one of several: a rule says so. */
static void limit_values(const struct asking *a, const struct data *values)
{
    const char *literal = draft_literal(a->draft, values, false);
    struct data *rule = data_map(a->arena);
    if (!literal || strchr(literal, '{'))
        return;
    data_put_text(a->arena, rule, "when", arena_printf(a->arena, "%s not in %s", a->ours, literal));
    data_put_text(a->arena, rule, "because",
                  arena_printf(a->arena, "'%s' must be one of %s", a->ours, literal));
    data_push(a->arena, a->draft->refuse, rule);
}

static struct data *choices_of(const struct asking *a, const struct data *values,
                               const struct data *labels)
{
    struct data *out = data_list(a->arena);
    for (size_t i = 0; i < values->list.count; i++) {
        const char *why = "it is no text", *unsaid,
                   *text = copier_text(a->arena, values->list.items[i]);
        const char *label = copier_text(a->arena, labels->list.items[i]);
        const char *ours = text ? draft_text(&why, a->draft, text) : NULL;
        if (ours)
            data_push(
                a->arena, out,
                draft_choice(a->draft, ours, label ? draft_text(&unsaid, a->draft, label) : NULL));
        else
            TELL(a, "question", "a choice of '%s' cannot be said: %s", a->theirs, why);
    }
    return out;
}

static void add_choices(struct asking *a)
{
    const struct data *choices = member(a, "choices");
    bool list = strcmp(a->type, "list") == 0, text = strcmp(a->type, "str") == 0;
    if (!choices || choices->kind == DATA_NULL)
        return;
    if (choices->kind != DATA_LIST && choices->kind != DATA_MAP) {
        TELL(a, "question",
             "the choices of '%s' are worked out: any answer is taken here; "
             "they were: %s",
             a->theirs, copier_text(a->arena, choices));
        return;
    }
    struct data *labels = data_list(a->arena), *values = values_of(a, choices, labels);
    if (!list && !text) {
        limit_values(a, values);
        return;
    }
    struct data *texts = choices_of(a, values, labels);
    if (texts->list.count == 0)
        return;
    if (text)
        data_put_text(a->arena, a->row, "type", "choice");
    data_put(a->arena, a->row, "choices", texts);
}

/* ---------------------------------------------------------------- when it is asked, what is valid
 */

static void add_when(const struct asking *a)
{
    const struct data *when = member(a, "when");
    const char *why = "it is no text", *text = when ? copier_text(a->arena, when) : NULL;
    if (!when)
        return;
    const char *expression = text ? truth_of(&why, a->draft, text) : NULL;
    if (!expression)
        TELL(a, "condition",
             "'%s' is always asked here: its condition cannot be said (%s); it "
             "was: %s",
             a->theirs, why, text ? text : "");
    /* what is not asked and has no default is undefined there, and prints as nothing */
    bool hides = expression && strcmp(expression, "true") != 0;
    if (hides && !data_get(a->row, "default") && !data_get(a->row, "choices") &&
        strcmp(a->type, "str") == 0)
        data_put_text(a->arena, a->row, "default", "");
    if (hides && strcmp(expression, "false") == 0)
        draft_compute(a->draft, a->row);
    else if (hides)
        data_put_text(a->arena, a->row, "when", expression);
}

/*
 * `not (NAME | regex_search('^...$'))`, or regex_match: the pattern of the question, if it is one
 * that patterns here can have.
 */
static bool take_pattern(const struct asking *a, const char *condition)
{
    BUF_SCRATCH(shape, LIMIT_PATTERN_BYTES);
    struct span text = span_from(condition), word, literal = {0};
    enum word_kind kind;
    ERR_SCRATCH(ignored);
    size_t at = 0, where;
    while ((kind = jinja_word(&word, text, &at)) != WORD_END) {
        if (kind == WORD_TEXT)
            literal = word;
        if (kind != WORD_BLANK && kind != WORD_TEXT && !strchr("()", *word.ptr))
            (void)buf_printf(&shape, "%.*s ", (int)word.len, word.ptr);
    }
    const char *search = arena_printf(a->arena, "not %s | regex_search ", a->theirs);
    const char *match = arena_printf(a->arena, "not %s | regex_match ", a->theirs);
    if ((strcmp(buf_text(&shape), search) != 0 && strcmp(buf_text(&shape), match) != 0) ||
        literal.len < 4 || literal.ptr[1] != '^' || literal.ptr[literal.len - 2] != '$' ||
        memchr(literal.ptr, '\\', literal.len) || strcmp(data_get_text(a->row, "type"), "str") != 0)
        return false;
    const char *pattern = arena_memdup(a->arena, literal.ptr + 2, literal.len - 4);
    if (pattern_check(&where, span_from(pattern), &ignored) < 0)
        return false;
    data_put_text(a->arena, a->row, "pattern", pattern);
    return true;
}

static void add_rule(const struct asking *a, const char *condition, const char *message)
{
    const char *asked = data_get_text(a->row, "when"), *why = "";
    const char *when = draft_expression(&why, a->draft, condition);
    const char *because = when ? draft_text(&why, a->draft, message) : NULL;
    struct data *rule = data_map(a->arena);
    if (!because) {
        TELL(a, "validator", "the validator of '%s' cannot be said (%s); it was: %s", a->theirs,
             why, data_text(member(a, "validator")));
        return;
    }
    data_put_text(a->arena, rule, "when",
                  asked ? arena_printf(a->arena, "(%s) and (%s)", asked, when) : when);
    data_put_text(a->arena, rule, "because", because);
    data_push(a->arena, a->draft->refuse, rule);
}

/* A validator prints what is wrong: under one condition it is a rule of `refuse`. */
static void add_validator(const struct asking *a)
{
    const char *text = data_text(member(a, "validator")), *condition, *message;
    if (!text || !*text || draft_is_computed(a->row))
        return;
    if (!text_as_condition(&condition, &message, a->arena, text, &a->draft->dialect.style))
        TELL(a, "validator", "the validator of '%s' is more than one condition; it was: %s",
             a->theirs, text);
    else if (!take_pattern(a, condition))
        add_rule(a, condition, message);
}

/* ---------------------------------------------------------------- the whole */

/* A secret of ours never reaches a file, one of theirs is rendered: so it is none. */
static void tell_secret(const struct asking *a, const struct data *secrets)
{
    if (is_true(a, "secret") ||
        (secrets && secrets->kind == DATA_LIST && data_has_text(secrets, a->theirs)))
        TELL(a, "secret", "'%s' is secret there: here its answer is kept in the record", a->theirs);
}

/* What no question can hold is no question: templates that read it set it. */
static void add_constant(const struct asking *a)
{
    const char *literal = draft_literal(a->draft, member(a, "default"), true);
    TELL(a, "question",
         literal ? "'%s' is a structure: nobody is asked, templates that read it set it"
                 : "'%s' is a structure whose value cannot be said here",
         a->theirs);
    if (literal)
        draft_constant(a->draft, a->ours, literal);
}

static void add_question(struct asking *a, const struct data *secrets)
{
    a->type = find_type(a);
    if (!a->type) {
        add_constant(a);
        draft_know(a->draft, a->ours);
        return;
    }
    a->row = draft_question(a->draft, a->ours, a->type);
    const char *help = data_text(member(a, "help"));
    if (help)
        put_text(a, "help", help);
    add_choices(a);
    add_default(a);
    add_when(a);
    draft_know(a->draft, a->ours);
    add_validator(a);
    tell_secret(a, secrets);
    if (is_true(a, "multiline") && strcmp(data_get_text(a->row, "type"), "str") == 0)
        draft_mark(a->draft, a->row, "multiline");
}

void copier_questions(struct draft *draft, const char *path, const struct yaml_node *root)
{
    struct arena *arena = draft->arena;
    const struct yaml_node *node = yaml_get(root, "_secret_questions");
    const struct data *all = copier_value(arena, root);
    const struct data *secrets = node ? copier_value(arena, node) : NULL;
    data_put_text(arena, draft->names, "_folder_name", "name");
    draft_know(draft, "name");
    for (size_t i = 0; i < all->map.count; i++)
        if (*all->map.members[i].name.ptr != '_')
            (void)draft_name(draft, all->map.members[i].name.ptr, all);
    for (size_t i = 0; i < all->map.count; i++) {
        const char *name = all->map.members[i].name.ptr;
        struct data *given = all->map.members[i].value, *simple = data_map(arena);
        data_put(arena, simple, "default", given);
        struct asking a = {.draft = draft,
                           .arena = arena,
                           .path = path,
                           .line = draft_line(root->doc->source, root->map.members[i].key->offset),
                           .theirs = name,
                           .ours = data_get_text(draft->names, name),
                           .given = given->kind == DATA_MAP ? given : simple};
        if (*name != '_')
            add_question(&a, secrets);
    }
}
