/* From what the user gave to a full, checked set of answers. */
#include "catalog/answers.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/pattern.h"
#include "base/shell.h"
#include "base/str.h"
#include "base/utf8.h"
#include "base/yaml.h"
#include "catalog/manifest.h"
#include "registry/reference.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One collection under way. */
struct collector {
    struct arena *arena;
    const struct manifest *manifest;
    struct given_list *given; /* by the number of the question */
    struct data *context;     /* grows by each answer */
    const char *name_default;
    const struct asker *asker;
    struct answers *out;
    struct err *err;
};

void given_add(struct given_list *list, struct arena *arena, struct given given)
{
    list->items = arena_grow(arena, list->items, list->count, sizeof(*list->items));
    list->items[list->count++] = given;
}

const struct given *given_find(const struct given_list *list, const char *name)
{
    const struct given *best = NULL;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0 && (!best || list->items[i].from <= best->from))
            best = &list->items[i];
    return best;
}

/* A text of the manifest with {{ ... }} rendered from earlier answers. */
static int render_text(const char **out, const struct collector *c, const char *text,
                       const struct yaml_node *node)
{
    *out = text;
    if (!strstr(text, "{{") && !strstr(text, "{%") && !strstr(text, "{#"))
        return 0;
    BUF_SCRATCH(buf, LIMIT_ANSWER_BYTES);
    struct template_source source = {.name = node->doc->name, .text = span_from(text)};
    ERR_SCRATCH(inner);
    if (template_render(&buf, &source, c->context, NULL, &inner) < 0)
        return yaml_blame(c->err, node, &inner);
    *out = arena_strdup(c->arena, buf_text(&buf));
    return 0;
}

/* The entries of a list: the manifest's own are templates, those of an answer are not. */
static int read_each(struct data **out, const struct collector *c, const struct yaml_node *list,
                     bool templates)
{
    *out = data_list(c->arena);
    for (size_t i = 0; i < list->list.count; i++) {
        const char *text = NULL;
        if (yaml_text(&text, list->list.items[i], "an entry", c->err) < 0 ||
            (templates && render_text(&text, c, text, list->list.items[i]) < 0))
            return -1;
        data_push(c->arena, *out, data_str(c->arena, text));
    }
    return 0;
}

/* Splits at any of `separators`, trims blanks, drops empty pieces. */
static struct data *split(struct arena *arena, const char *text, const char *separators)
{
    struct data *list = data_list(arena);
    while (*text) {
        size_t len = strcspn(text, separators);
        struct span piece = span_of(text, len);
        while (piece.len && strchr(" \t\r", *piece.ptr))
            piece = span_of(piece.ptr + 1, piece.len - 1);
        while (piece.len && strchr(" \t\r", piece.ptr[piece.len - 1]))
            piece.len--;
        if (piece.len)
            data_push(arena, list, data_span(arena, piece));
        text += len + (text[len] != '\0');
    }
    return list;
}

/* The choices of a question, rendered; NULL where any value goes. */
static int read_choices(struct data **out, const struct collector *c,
                        const struct question *question)
{
    const char *text = NULL;
    *out = NULL;
    if (!question->choices)
        return 0;
    if (question->choices->kind == YAML_LIST)
        return read_each(out, c, question->choices, true);
    if (yaml_text(&text, question->choices, "choices", c->err) < 0 ||
        render_text(&text, c, text, question->choices) < 0)
        return -1;
    *out = split(c->arena, text, "\n");
    return 0;
}

static bool hides_user(const struct collector *c, const char *text)
{
    return image_shown(c->arena, text) != text;
}

static int invalid(const struct collector *c, const struct question *question, const char *text,
                   const char *why)
{
    const char *shown = image_shown(c->arena, text);
    bool cut = strlen(shown) > 60;
    return err_set(c->err, TG_USAGE, "invalid-answer", "'%s' cannot be '%.60s%s': %s",
                   question->name, shown, cut ? "..." : "", why);
}

static int no_choice(const struct collector *c, const struct question *question, const char *text,
                     const struct data *choices)
{
    size_t count = choices->list.count;
    const char **names = arena_array(c->arena, count + 1, sizeof(*names));
    for (size_t i = 0; i < count; i++)
        names[i] = data_text(choices->list.items[i]);
    const char *nearest = str_nearest(text, names, count);
    const char *all = str_join(c->arena, names, count, ", ");
    (void)invalid(c, question, text, "it is none of the choices");
    if (nearest)
        return err_hint(c->err, "did you mean '%s'? The choices are: %s", nearest, all);
    return err_hint(c->err, "the choices are: %s", all);
}

static int check_choice(const struct collector *c, const struct question *question,
                        const char *text, const struct data *choices)
{
    return !choices || data_has_text(choices, text) ? 0 : no_choice(c, question, text, choices);
}

static int check_str(const struct collector *c, const struct question *question, const char *text)
{
    bool matches = true;
    if (strlen(text) > LIMIT_ANSWER_BYTES)
        return err_set(c->err, TG_USAGE, "limit", "the answer to '%s' is longer than %zu KiB",
                       question->name, LIMIT_ANSWER_BYTES / LIMIT_KIB);
    if (!utf8_valid(span_from(text)))
        return invalid(c, question, text, "it is not valid UTF-8");
    if (question->pattern &&
        pattern_match(&matches, span_from(question->pattern), span_from(text), c->err) < 0) {
        (void)err_wrap(c->err, "the pattern of '%s'", question->name);
        return yaml_at(c->err, question->node);
    }
    if (matches)
        return 0;
    (void)invalid(c, question, text, arena_printf(c->arena, "it must match %s", question->pattern));
    if (question->help.text)
        (void)err_hint(c->err, "%s", question->help.text);
    return -1;
}

typedef int parse_text(struct data **out, const struct collector *c,
                       const struct question *question, const char *text,
                       const struct data *choices);

static int parse_str(struct data **out, const struct collector *c, const struct question *question,
                     const char *text, const struct data *choices)
{
    (void)choices;
    *out = data_str(c->arena, text);
    return check_str(c, question, text);
}

static int parse_int(struct data **out, const struct collector *c, const struct question *question,
                     const char *text, const struct data *choices)
{
    char *end;
    (void)choices;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    if (!*text || *end || errno || strspn(text, "+-0123456789") != strlen(text))
        return invalid(c, question, text, "it must be an integer");
    *out = data_int(c->arena, value);
    return 0;
}

static int parse_float(struct data **out, const struct collector *c,
                       const struct question *question, const char *text,
                       const struct data *choices)
{
    char *end;
    (void)choices;
    double value = strtod(text, &end);
    if (!*text || *end || !isfinite(value) || strspn(text, "+-0123456789.eE") != strlen(text))
        return invalid(c, question, text, "it must be a number");
    *out = data_float(c->arena, value);
    return 0;
}

static int parse_bool(struct data **out, const struct collector *c, const struct question *question,
                      const char *text, const struct data *choices)
{
    static const char *const words[] = {"false", "true", "no", "yes"};
    (void)choices;
    for (size_t i = 0; i < 4; i++)
        if (strcasecmp(text, words[i]) == 0) {
            *out = data_bool(c->arena, i & 1);
            return 0;
        }
    return invalid(c, question, text, "it must be true or false");
}

static int parse_choice(struct data **out, const struct collector *c,
                        const struct question *question, const char *text,
                        const struct data *choices)
{
    *out = data_str(c->arena, text);
    return check_choice(c, question, text, choices);
}

static int check_items(const struct collector *c, const struct question *question,
                       const struct data *list, const struct data *choices)
{
    struct intern known = {0}, given = {0};
    for (size_t i = 0; choices && i < choices->list.count; i++)
        (void)intern_add(&known, c->arena, choices->list.items[i]->str);
    for (size_t i = 0; i < list->list.count; i++) {
        const struct data *item = list->list.items[i];
        if (choices && intern_find(&known, item->str) == INTERN_NONE)
            return no_choice(c, question, data_text(item), choices);
        if (!utf8_valid(item->str))
            return invalid(c, question, data_text(item), "it is not valid UTF-8");
        if (intern_add(&given, c->arena, item->str) < i)
            return invalid(c, question, data_text(item), "it is given twice");
    }
    return 0;
}

/* "a, b", or "none" for an empty list (unless that is a choice). */
static int parse_list(struct data **out, const struct collector *c, const struct question *question,
                      const char *text, const struct data *choices)
{
    *out = split(c->arena, text, ",");
    bool none = (*out)->list.count == 1 && strcmp(data_text((*out)->list.items[0]), "none") == 0;
    if (none)
        *out = data_list(c->arena);
    return check_items(c, question, *out, choices);
}

static parse_text *const parsers[QUESTION_TYPE_COUNT] = {
    [QUESTION_STR] = parse_str,   [QUESTION_INT] = parse_int,       [QUESTION_FLOAT] = parse_float,
    [QUESTION_BOOL] = parse_bool, [QUESTION_CHOICE] = parse_choice, [QUESTION_LIST] = parse_list,
};

/* A node of an answers file, a record or a `default`: its text by the question's type. */
static int parse_node(struct data **out, const struct collector *c, const struct question *question,
                      const struct yaml_node *node, const struct data *choices)
{
    const char *text = NULL;
    if (node->kind == YAML_LIST && question->type == QUESTION_LIST) {
        if (read_each(out, c, node, node == question->fallback) < 0)
            return -1;
        return check_items(c, question, *out, choices);
    }
    if (node->kind != YAML_SCALAR)
        return yaml_error(c->err, node, "'%s' must be of type %s", question->name,
                          question_type_names[question->type]);
    if (yaml_is_null(node))
        return yaml_error(c->err, node, "'%s' has no value", question->name);
    text = node->text.ptr;
    return parsers[question->type](out, c, question, text, choices);
}

static int parse_given(struct data **out, const struct collector *c,
                       const struct question *question, const struct given *given,
                       const struct data *choices)
{
    if (given->text)
        return parsers[question->type](out, c, question, given->text, choices);
    if (parse_node(out, c, question, given->node, choices) == 0)
        return 0;
    if (!c->err->where.file) /* say which file and line holds the bad answer */
        (void)err_at(c->err, given->node->doc->name, given->node->doc->source.ptr,
                     given->node->doc->source.len, given->node->offset);
    if (given->node->kind == YAML_SCALAR && hides_user(c, given->node->text.ptr))
        err_hide_source(c->err);
    return -1;
}

/* NULL where the question has no default. */
static int read_default(struct data **out, const struct collector *c,
                        const struct question *question, const struct data *choices)
{
    const struct yaml_node *node = question->fallback;
    const char *text = NULL;
    *out = NULL;
    if (strcmp(question->name, "name") == 0) {
        *out = data_str(c->arena, c->name_default);
        return 0;
    }
    if (!node)
        return 0;
    if (node->kind != YAML_SCALAR)
        return parse_node(out, c, question, node, choices);
    if (render_text(&text, c, node->text.ptr, node) < 0)
        return -1;
    if (parsers[question->type](out, c, question, text, choices) == 0)
        return 0;
    if (!c->err->where.file)
        (void)err_at(c->err, node->doc->name, node->doc->source.ptr, node->doc->source.len,
                     node->offset);
    return err_wrap(c->err, "the default of '%s'", question->name);
}

/* Whether a condition of the manifest holds; one that is absent does. */
static int holds(bool *out, const struct collector *c, const struct manifest_text *when)
{
    *out = true;
    if (!when->text)
        return 0;
    struct template_source source = {.name = when->node->doc->name, .text = span_from(when->text)};
    ERR_SCRATCH(inner);
    if (template_test(out, &source, c->context, &inner) < 0)
        return yaml_blame(c->err, when->node, &inner);
    return 0;
}

/* Answers that do not go together. */
static int check_together(const struct collector *c)
{
    for (size_t i = 0; i < c->manifest->refusal_count; i++) {
        const struct refusal *refusal = &c->manifest->refusals[i];
        const char *because = NULL;
        bool refused = false;
        if (holds(&refused, c, &refusal->when) < 0)
            return -1;
        if (!refused)
            continue;
        if (render_text(&because, c, refusal->because.text, refusal->because.node) < 0)
            return -1;
        size_t len = strlen(because);
        while (len && because[len - 1] == '\n') /* of a block of YAML */
            len--;
        return err_set(c->err, TG_USAGE, "invalid-answer", "%.*s", (int)len, because);
    }
    return 0;
}

static size_t bytes_of(const struct data *value)
{
    size_t bytes = value->kind == DATA_STR ? value->str.len : 1;
    for (size_t i = 0; value->kind == DATA_LIST && i < value->list.count; i++)
        bytes += bytes_of(value->list.items[i]);
    return bytes;
}

/* Answers that do not fit into a record together are told of before anything is rendered. */
static int keep(const struct collector *c, const struct question *question, struct data *value,
                bool applies)
{
    c->out->bytes += bytes_of(value);
    if (c->out->bytes > LIMIT_ANSWERS_BYTES) {
        (void)yaml_error(c->err, question->node,
                         "with the answer to '%s' all answers are longer than %zu KiB, the limit",
                         question->name, LIMIT_ANSWERS_BYTES / LIMIT_KIB);
        c->err->code = "limit";
        return -1;
    }
    data_put(c->arena, c->out->values, question->name, value);
    data_put(c->arena, c->context, question->name, value);
    if (applies)
        data_put(c->arena, c->out->kept, question->name, value);
    return 0;
}

/* What was given for a question. */
static const struct given_list *given_for(const struct collector *c,
                                          const struct question *question)
{
    return &c->given[question - c->manifest->questions];
}

static int hide(const struct collector *c, const struct question *question)
{
    const struct given *given = given_find(given_for(c, question), question->name);
    struct data *choices = NULL, *value = NULL;
    if (given && given->from <= GIVEN_FILE) {
        (void)err_set(c->err, TG_USAGE, "invalid-answer",
                      "'%s' makes no difference here: it is asked only when %s", question->name,
                      question->when.text);
        return err_hint(c->err, "leave '%s' out, or change what it depends on", question->name);
    }
    if (read_choices(&choices, c, question) < 0 || read_default(&value, c, question, choices) < 0)
        return -1;
    return keep(c, question, value ? value : data_null(c->arena), false);
}

/* Asks until the answer is good; the reason for another try is shown with it. */
static int ask(struct data **out, const struct collector *c, const struct question *question,
               struct data *fallback, const struct data *choices)
{
    const char *help = question->help.text ? question->help.text : "", *text = NULL;
    const char *problem = NULL;
    if (question->help.node && render_text(&help, c, help, question->help.node) < 0)
        return -1;
    for (;;) {
        if (c->asker->ask(&text, c->asker->context, c->arena, question, help, fallback, choices,
                          problem, c->err) < 0)
            return -1;
        if (!text && fallback) {
            *out = fallback;
            return 0;
        }
        ERR_SCRATCH(inner);
        struct collector attempt = *c;
        attempt.err = &inner;
        if (!text)
            problem = "an answer is needed";
        else if (parsers[question->type](out, &attempt, question, text, choices) == 0)
            return 0;
        else
            problem = arena_printf(c->arena, "%s%s%s", inner.message, inner.hint ? "; " : "",
                                   inner.hint ? inner.hint : "");
    }
}

static int missing(const struct collector *c, const struct question *question)
{
    (void)err_set(c->err, TG_USAGE, "missing-answer", "the question '%s' has no default",
                  question->name);
    return err_hint(
        c->err, "answer it with %s%s%s", shell_command(c->arena, "--set %s=VALUE", question->name),
        question->help.text ? ": " : "", question->help.text ? question->help.text : "");
}

/* The first guess that is good takes the place of the default; NULL: there is none. */
static const struct given *take_guess(struct data **fallback, const struct collector *c,
                                      const struct question *question, const struct data *choices)
{
    const struct given_list *all = given_for(c, question);
    for (size_t i = 0; i < all->count; i++) {
        const struct given *guess = &all->items[i];
        ERR_SCRATCH(ignored);
        struct collector attempt = *c;
        struct data *value = NULL;
        attempt.err = &ignored;
        if (guess->from != GIVEN_GUESS ||
            parse_given(&value, &attempt, question, guess, choices) < 0)
            continue;
        *fallback = value;
        return guess;
    }
    return NULL;
}

static int answer_question(const struct collector *c, const struct question *question)
{
    const struct given *given = given_find(given_for(c, question), question->name);
    struct data *choices = NULL, *fallback = NULL, *value = NULL;
    bool asked;
    if (holds(&asked, c, &question->when) < 0)
        return -1;
    if (!asked)
        return hide(c, question);
    if (read_choices(&choices, c, question) < 0)
        return -1;
    if (given && given->from != GIVEN_GUESS) {
        if (parse_given(&value, c, question, given, choices) < 0)
            return -1;
        return keep(c, question, value, true);
    }
    const struct given *guess = given ? take_guess(&fallback, c, question, choices) : NULL;
    if (!guess && read_default(&fallback, c, question, choices) < 0)
        return -1;
    value = fallback;
    if (c->asker && ask(&value, c, question, fallback, choices) < 0)
        return -1;
    if (!value)
        return missing(c, question);
    if (value == fallback && strcmp(question->name, "name") == 0 &&
        check_str(c, question, data_text(value)) < 0)
        return -1;
    if (guess && value == fallback)
        c->out->guessed[c->out->guessed_count++] = guess;
    else if (!c->asker)
        c->out->defaulted[c->out->defaulted_count++] = question->name;
    return keep(c, question, value, true);
}

static int unknown_question(const struct collector *c, const struct given *given)
{
    size_t count = c->manifest->question_count;
    const char **names = arena_array(c->arena, count, sizeof(*names));
    for (size_t i = 0; i < count; i++)
        names[i] = c->manifest->questions[i].name;
    const char *nearest = str_nearest(given->name, names, count);
    (void)err_set(c->err, TG_USAGE, "unknown-question", "the type '%s' has no question '%s'",
                  c->manifest->type, given->name);
    if (given->node)
        (void)err_at(c->err, given->node->doc->name, given->node->doc->source.ptr,
                     given->node->doc->source.len, given->node->offset);
    if (nearest)
        return err_hint(c->err, "did you mean '%s'?", nearest);
    return err_hint(c->err, "its questions are: %s", str_join(c->arena, names, count, ", "));
}

/* To each question what was given for it, in the same order. */
static int share_out(struct collector *c, const struct given_list *given)
{
    c->given = arena_array(c->arena, c->manifest->question_count + 1, sizeof(*c->given));
    for (size_t i = 0; i < given->count; i++) {
        const struct given *one = &given->items[i];
        const struct question *question = manifest_question(c->manifest, one->name);
        if (question)
            given_add(&c->given[question - c->manifest->questions], c->arena, *one);
        else if (one->from < GIVEN_RECORD)
            return unknown_question(c, one);
    }
    return 0;
}

int answers_collect(struct answers *out, struct arena *arena, const struct manifest *manifest,
                    const struct given_list *given, const struct data *context,
                    const char *name_default, const struct asker *asker, struct err *err)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    struct collector c = {.arena = arena,
                          .manifest = manifest,
                          .context = data_map(arena),
                          .name_default = name_default,
                          .asker = asker,
                          .out = out,
                          .err = err};
    *out = (struct answers){.values = data_map(arena), .kept = data_map(arena)};
    out->defaulted = arena_array(arena, manifest->question_count, sizeof(*out->defaulted));
    out->guessed = arena_array(arena, manifest->question_count, sizeof(*out->guessed));
    for (size_t i = 0; i < context->map.count; i++)
        data_put_span(arena, c.context, context->map.members[i].name,
                      context->map.members[i].value);
    if (share_out(&c, given) < 0)
        return -1;
    for (size_t i = 0; i < manifest->question_count; i++)
        if (answer_question(&c, &manifest->questions[i]) < 0)
            return -1;
    return check_together(&c);
}

/* ---------------------------------------------------------------- before there are questions */

int answers_choose(const char **out, struct arena *arena, const struct asker *asker,
                   const char *name, const char *help, const char *const *names, size_t count,
                   struct err *err)
{
    const struct question question = {.name = name, .type = QUESTION_CHOICE};
    struct data *choices = data_list(arena);
    const char *problem = NULL;
    for (size_t i = 0; i < count; i++)
        data_push(arena, choices, data_str(arena, names[i]));
    for (;;) {
        const char *text;
        if (asker->ask(&text, asker->context, arena, &question, help,
                       count == 1 ? choices->list.items[0] : NULL, choices, problem, err) < 0)
            return -1;
        *out = text || count != 1 ? text : names[0];
        for (size_t i = 0; i < count; i++)
            if (str_equal(*out, names[i]))
                return 0;
        problem = text ? "that is none of the choices" : "an answer is needed";
    }
}

int answers_ask(const char **out, struct arena *arena, const struct asker *asker, const char *name,
                const char *help, struct err *err)
{
    const struct question question = {.name = name, .type = QUESTION_STR};
    const char *text;
    if (asker->ask(&text, asker->context, arena, &question, help,
                   *out ? data_str(arena, *out) : NULL, NULL, NULL, err) < 0)
        return -1;
    *out = text ? text : *out;
    return 0;
}
