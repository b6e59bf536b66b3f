/* Checks one answer, given as a text, against its question. */
#include "catalog/answers/answer.h"

#include "base/arena.h"
#include "base/intern.h"
#include "base/limits.h"
#include "base/pattern.h"
#include "base/str.h"
#include "base/utf8.h"
#include "catalog/question.h"
#include "data/data.h"
#include "data/yaml.h"
#include "matrix/version.h"
#include "registry/reference.h"
#include "resolver/request.h"

#include <inttypes.h>
#include <string.h>

struct data *answer_split(struct arena *arena, const char *text, const char *separators)
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

/* Reports an invalid answer, without repeating a secret or the user of an address. */
static int invalid(const struct answer_check *c, const char *text, const char *why)
{
    const char *shown = image_shown(c->arena, text);
    bool cut = strlen(shown) > 60;
    if (c->question->secret)
        return err_set(c->err, TG_USAGE, "invalid-answer", "'%s' cannot be that: %s",
                       c->question->name, why);
    return err_set(c->err, TG_USAGE, "invalid-answer", "'%s' cannot be '%.60s%s': %s",
                   c->question->name, shown, cut ? "..." : "", why);
}

static int no_choice(const struct answer_check *c, const char *text)
{
    size_t count = c->choices->list.count;
    const char **names = arena_array(c->arena, count + 1, sizeof(*names));
    for (size_t i = 0; i < count; i++)
        names[i] = data_text(c->choices->list.items[i]);
    const char *nearest = str_nearest(text, names, count);
    const char *all = str_join(c->arena, names, count, ", ");
    (void)invalid(c, text, "it is none of the choices");
    if (nearest)
        return err_hint(c->err, "did you mean '%s'? The choices are: %s", nearest, all);
    return err_hint(c->err, "the choices are: %s", all);
}

static int check_pattern(const struct answer_check *c, const char *text)
{
    const struct question *question = c->question;
    bool matches = true;
    if (question->pattern &&
        pattern_match(&matches, span_from(question->pattern), span_from(text), c->err) < 0) {
        (void)err_wrap(c->err, "the pattern of '%s'", question->name);
        return yaml_at(c->err, question->node);
    }
    if (matches)
        return 0;
    (void)invalid(c, text, arena_printf(c->arena, "it must match %s", question->pattern));
    return question->help.text ? err_hint(c->err, "%s", question->help.text) : -1;
}

static int check_bounds(const struct answer_check *c, const char *text)
{
    int side = question_bounds(c->question, text);
    if (side == 0)
        return 0;
    return invalid(c, text,
                   arena_printf(c->arena, "it must be %s or %s",
                                side < 0 ? c->question->min : c->question->max,
                                side < 0 ? "more" : "less"));
}

typedef int parse_text(struct data **out, const struct answer_check *c, const char *text);

static int parse_str(struct data **out, const struct answer_check *c, const char *text)
{
    *out = data_str(c->arena, text);
    if (strlen(text) > LIMIT_ANSWER_BYTES)
        return err_set(c->err, TG_USAGE, "limit", "the answer to '%s' is longer than %zu KiB",
                       c->question->name, LIMIT_ANSWER_BYTES / LIMIT_KIB);
    if (!utf8_valid(span_from(text)))
        return invalid(c, text, "it is not valid UTF-8");
    return check_pattern(c, text);
}

static int parse_int(struct data **out, const struct answer_check *c, const char *text)
{
    int64_t value;
    if (!question_int(&value, text))
        return invalid(c, text, "it must be an integer");
    *out = data_int(c->arena, value);
    return check_bounds(c, text);
}

static int parse_float(struct data **out, const struct answer_check *c, const char *text)
{
    double value;
    if (!question_float(&value, text))
        return invalid(c, text, "it must be a number");
    *out = data_float(c->arena, value);
    return check_bounds(c, text);
}

static int parse_bool(struct data **out, const struct answer_check *c, const char *text)
{
    static const char *const words[] = {"false", "true", "no", "yes", "n", "y"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0) {
            *out = data_bool(c->arena, i & 1);
            return 0;
        }
    return invalid(c, text, "it must be yes or no");
}

static int parse_choice(struct data **out, const struct answer_check *c, const char *text)
{
    bool takes_spec = c->question->takes_spec;
    const char *choice = takes_spec ? package_name(c->arena, text) : text;
    struct spec spec;
    *out = data_str(c->arena, text);
    if (c->choices && !data_has_text(c->choices, choice))
        return no_choice(c, choice);
    return takes_spec
               ? spec_parse(&spec, c->arena, text + strlen(choice), c->question->name, c->err)
               : 0;
}

int answer_parse_items(struct data **out, const struct answer_check *c, const struct data *texts)
{
    parse_text *parse = c->question->items == QUESTION_INT ? parse_int : parse_str;
    struct intern known = {0}, given = {0};
    *out = data_list(c->arena);
    for (size_t i = 0; c->choices && i < c->choices->list.count; i++)
        (void)intern_add(&known, c->arena, c->choices->list.items[i]->str);
    for (size_t i = 0; i < texts->list.count; i++) {
        const char *text = data_text(texts->list.items[i]);
        struct data *item;
        if (c->choices && intern_find(&known, span_from(text)) == INTERN_NONE)
            return no_choice(c, text);
        if (parse(&item, c, text) < 0)
            return -1;
        if (item->kind == DATA_INT) /* +1 equals 1 */
            text = arena_printf(c->arena, "%" PRId64, item->integer);
        if (intern_add(&given, c->arena, span_from(text)) < i)
            return invalid(c, text, "it is given twice");
        data_push(c->arena, *out, item);
    }
    return 0;
}

/* Parses "a, b"; "none" is an empty list, unless it is a choice. */
static int parse_list(struct data **out, const struct answer_check *c, const char *text)
{
    struct data *texts = answer_split(c->arena, text, ",");
    if (texts->list.count == 1 && strcmp(data_text(texts->list.items[0]), "none") == 0 &&
        !data_has_text(c->choices, "none"))
        texts = data_list(c->arena);
    return answer_parse_items(out, c, texts);
}

int answer_parse(struct data **out, const struct answer_check *check, const char *text)
{
    switch (check->question->type) {
    case QUESTION_STR:
        return parse_str(out, check, text);
    case QUESTION_INT:
        return parse_int(out, check, text);
    case QUESTION_FLOAT:
        return parse_float(out, check, text);
    case QUESTION_BOOL:
        return parse_bool(out, check, text);
    case QUESTION_CHOICE:
        return parse_choice(out, check, text);
    case QUESTION_LIST:
        break;
    }
    return parse_list(out, check, text);
}
