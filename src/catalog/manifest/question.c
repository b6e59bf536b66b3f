/* A question of a manifest: its valid answers, and when it is asked. */
#include "catalog/question.h"

#include "base/arena.h"
#include "base/pattern.h"
#include "base/str.h"
#include "data/data.h"
#include "data/yaml.h"
#include "resolver/request.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define WORD_OF(constant, word) word,
const char *const question_type_names[QUESTION_TYPE_COUNT] = {QUESTION_TYPES(WORD_OF)};

#define OF(type) (1U << QUESTION_##type)

/* Keys that only some types have. */
static const struct {
    const char *key;
    unsigned types;
    const char *words;
} typed_keys[] = {
    {"pattern", OF(STR) | OF(LIST), "str or list"},
    {"choices", OF(CHOICE) | OF(LIST), "choice or list"},
    {"items", OF(LIST), "list"},
    {"min", OF(INT) | OF(FLOAT) | OF(LIST), "int or float, or a list of int,"},
    {"max", OF(INT) | OF(FLOAT) | OF(LIST), "int or float, or a list of int,"},
    {"secret", OF(STR), "str"},
    {"multiline", OF(STR), "str"},
};

/* ---------------------------------------------------------------- numbers */

bool question_int(int64_t *out, const char *text)
{
    char *end;
    errno = 0;
    long long value = strtoll(text, &end, 10);
    *out = value;
    return *text && !*end && !errno && strspn(text, "+-0123456789") == strlen(text);
}

bool question_float(double *out, const char *text)
{
    char *end;
    *out = strtod(text, &end);
    return *text && !*end && isfinite(*out) && strspn(text, "+-0123456789.eE") == strlen(text);
}

static bool is_whole(const struct question *question)
{
    return question->type == QUESTION_INT ||
           (question->type == QUESTION_LIST && question->items == QUESTION_INT);
}

/* As strcmp: both are numbers of the question's type. */
static int compare(const struct question *question, const char *a, const char *b)
{
    int64_t left, right;
    double first, second;
    if (is_whole(question)) {
        (void)question_int(&left, a);
        (void)question_int(&right, b);
        return left < right ? -1 : left > right;
    }
    (void)question_float(&first, a);
    (void)question_float(&second, b);
    return first < second ? -1 : first > second;
}

int question_bounds(const struct question *question, const char *text)
{
    if (question->min && compare(question, text, question->min) < 0)
        return -1;
    return question->max && compare(question, text, question->max) > 0;
}

/* ---------------------------------------------------------------- combinations of keys */

static int check_types(const struct reader *reader, const struct question *question)
{
    for (size_t i = 0; i < sizeof(typed_keys) / sizeof(*typed_keys); i++) {
        const struct yaml_node *node = yaml_get(question->node, typed_keys[i].key);
        if (node && !(typed_keys[i].types & 1U << question->type))
            return yaml_error(reader->err, node, "only a question of type %s has '%s'",
                              typed_keys[i].words, typed_keys[i].key);
    }
    return 0;
}

static int check_pattern(const struct reader *reader, const struct question *question)
{
    size_t at = 0;
    if (!question->pattern)
        return 0;
    const struct yaml_node *node = yaml_get(question->node, "pattern");
    if (is_whole(question))
        return yaml_error(reader->err, node, "a list of int has no 'pattern': say 'min' and 'max'");
    if (pattern_check(&at, span_from(question->pattern), reader->err) < 0)
        return yaml_at_byte(reader->err, node, at);
    return 0;
}

const struct yaml_node *choice_value(const struct yaml_node *choice)
{
    return choice->kind == YAML_MAP ? yaml_get(choice, "value") : choice;
}

const struct yaml_node *choice_label(const struct yaml_node *choice)
{
    return choice->kind == YAML_MAP ? yaml_get(choice, "label") : NULL;
}

/* {value, label}, or a text. */
static int check_choice(const struct reader *reader, const struct yaml_node *choice)
{
    static const char *const keys[] = {"value", "label", NULL};
    const char *text = NULL;
    if (choice->kind == YAML_MAP && (yaml_check_keys(choice, keys, reader->err) < 0 ||
                                     reader_required(&text, reader, choice, "value") < 0))
        return -1;
    return yaml_text(&text, choice->kind == YAML_MAP ? yaml_get(choice, "label") : choice,
                     choice->kind == YAML_MAP ? "label" : "choice", reader->err);
}

static int check_choices(const struct reader *reader, const struct question *question)
{
    const struct yaml_node *choices = question->choices;
    if (!choices && question->type == QUESTION_CHOICE && !question->computed.text)
        return yaml_error(reader->err, question->node, "a choice needs 'choices'");
    if (!choices || choices->kind == YAML_SCALAR)
        return 0;
    if (reader_want_list(reader, choices, "choices") < 0)
        return -1;
    if (choices->list.count == 0)
        return yaml_error(reader->err, choices, "'choices' is empty");
    for (size_t i = 0; i < choices->list.count; i++)
        if (check_choice(reader, choices->list.items[i]) < 0)
            return -1;
    return 0;
}

static int check_bound(const struct reader *reader, const struct question *question,
                       const char *key, const char *text)
{
    int64_t whole;
    double number;
    const struct yaml_node *node = yaml_get(question->node, key);
    if (!text)
        return 0;
    if (question->type == QUESTION_LIST && question->items != QUESTION_INT)
        return yaml_error(reader->err, node, "only a list of int has '%s'", key);
    if (is_whole(question) ? question_int(&whole, text) : question_float(&number, text))
        return 0;
    return yaml_error(reader->err, node, "'%s' must be %s", key,
                      is_whole(question) ? "an integer" : "a number");
}

static int check_bounds(const struct reader *reader, const struct question *question)
{
    if (check_bound(reader, question, "min", question->min) < 0 ||
        check_bound(reader, question, "max", question->max) < 0)
        return -1;
    if (!question->min || !question->max || compare(question, question->min, question->max) <= 0)
        return 0;
    return yaml_error(reader->err, yaml_get(question->node, "max"), "'max' is less than 'min'");
}

static int check_secret(const struct reader *reader, const struct question *question)
{
    if (question->secret && question->multiline)
        return yaml_error(reader->err, yaml_get(question->node, "multiline"),
                          "a secret is one line: it is typed without being shown");
    if (!question->secret || question->fallback)
        return 0;
    (void)yaml_error(reader->err, question->node, "the secret '%s' needs a 'default'",
                     question->name);
    return err_hint(reader->err, "files are rendered from the default: no file and no record ever "
                                 "has the answer");
}

static int check_computed(const struct reader *reader, const struct question *question)
{
    static const char *const asked[] = {"default", "choices", "when", "secret", "multiline"};
    for (size_t i = 0; question->computed.text && i < sizeof(asked) / sizeof(*asked); i++) {
        const struct yaml_node *node = yaml_get(question->node, asked[i]);
        if (node)
            return yaml_error(reader->err, node,
                              "'%s' is computed, which is never asked: it has no '%s'",
                              question->name, asked[i]);
    }
    return 0;
}

/* ---------------------------------------------------------------- names */

/* A name that templates can say: a letter, then letters, digits and underscores. */
static bool is_identifier(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
    return *name && strchr(letters, *name) &&
           name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] ==
               '\0';
}

/* Names of tmplgen's own: the rest of the templates' context, and choices of the stack. */
static bool is_tmplgens(const char *name)
{
    static const char *const names[] = {"resolution", "request", "template", "type"};
    return str_is_among(name, names, sizeof(names) / sizeof(*names)) ||
           stack_choice_of(span_from(name)) < CHOICE_COUNT;
}

/* Keywords of the template language. */
static bool is_languages(const char *name)
{
    static const char *const names[] = {"and",    "or",      "not",   "in",    "is",   "if",
                                        "else",   "elif",    "true",  "false", "none", "True",
                                        "False",  "None",    "loop",  "range", "self", "super",
                                        "caller", "varargs", "kwargs"};
    return str_is_among(name, names, sizeof(names) / sizeof(*names));
}

static int check_name(const struct reader *reader, const struct question *question)
{
    const struct yaml_node *node = yaml_get(question->node, "name");
    if (!is_identifier(question->name))
        return yaml_error(reader->err, node,
                          "the question '%s' needs a name of letters, digits and '_'",
                          question->name);
    if (is_tmplgens(question->name))
        return yaml_error(reader->err, node, "the name '%s' is taken by tmplgen itself",
                          question->name);
    if (is_languages(question->name))
        return yaml_error(reader->err, node,
                          "'%s' is a word of the template language: no template could read the "
                          "answer",
                          question->name);
    return 0;
}

/* ---------------------------------------------------------------- reading */

static int read_type(struct question *question, const struct reader *reader,
                     const struct yaml_node *node)
{
    static const char *const items[] = {"str", "int"};
    size_t type = QUESTION_STR, item = 0;
    if (reader_word(&type, reader, yaml_get(node, "type"), "question type", question_type_names,
                    QUESTION_TYPE_COUNT) < 0 ||
        reader_word(&item, reader, yaml_get(node, "items"), "type of a list's items", items, 2) < 0)
        return -1;
    question->type = (enum question_type)type;
    question->items = item ? QUESTION_INT : QUESTION_STR;
    return 0;
}

int question_read(void *out, const struct reader *reader, const struct yaml_node *node)
{
    static const char *const keys[] = {"name",    "type", "items",    "help",   "default",
                                       "choices", "min",  "max",      "secret", "multiline",
                                       "pattern", "when", "computed", NULL};
    struct question *question = out;
    question->node = node;
    if (yaml_check_keys(node, keys, reader->err) < 0 ||
        reader_required(&question->name, reader, node, "name") < 0 ||
        read_type(question, reader, node) < 0 ||
        reader_text(&question->help, reader, node, "help") < 0 ||
        reader_text(&question->computed, reader, node, "computed") < 0 ||
        reader_text(&question->when, reader, node, "when") < 0 ||
        yaml_text(&question->pattern, yaml_get(node, "pattern"), "pattern", reader->err) < 0 ||
        yaml_text(&question->min, yaml_get(node, "min"), "min", reader->err) < 0 ||
        yaml_text(&question->max, yaml_get(node, "max"), "max", reader->err) < 0 ||
        yaml_bool(&question->secret, yaml_get(node, "secret"), "secret", reader->err) < 0 ||
        yaml_bool(&question->multiline, yaml_get(node, "multiline"), "multiline", reader->err) < 0)
        return -1;
    question->fallback = yaml_get(node, "default");
    question->choices = yaml_get(node, "choices");
    if (check_name(reader, question) < 0 || check_types(reader, question) < 0 ||
        check_pattern(reader, question) < 0 || check_bounds(reader, question) < 0 ||
        check_secret(reader, question) < 0 || check_computed(reader, question) < 0)
        return -1;
    return check_choices(reader, question);
}

bool question_is_same(const struct reader *reader, const struct question *a,
                      const struct question *b)
{
    return data_equal(yaml_to_data(reader->arena, a->node), yaml_to_data(reader->arena, b->node));
}
