/* Finds the factors of a type's children, and the values to try. */
#include "author/test/cases.h"

#include "base/arena.h"
#include "base/pattern.h"
#include "base/str.h"
#include "catalog/manifest.h"
#include "child/making.h"
#include "data/data.h"
#include "data/yaml.h"

#include <string.h>

struct factor_finder {
    struct arena *arena;
    const struct making *making;
    const struct yaml_node *samples;
    struct factors *out;
    struct data *choices; /* by question, as they were offered */
    struct err *err;
};

static struct factor *add_factor(const struct factor_finder *f, const char *name,
                                 enum stack_choice choice)
{
    struct factors *out = f->out;
    struct factor *factor = &arena_push(f->arena, out->items, out->count);
    *factor = (struct factor){.name = name, .choice = choice};
    return factor;
}

static void add_value(const struct factor_finder *f, struct factor *factor, const char *text)
{
    arena_push(f->arena, factor->values, factor->count) = text;
}

static void add_stack(const struct factor_finder *f)
{
    const char **names;
    size_t count = making_frameworks(&names, f->making);
    struct factor *framework = add_factor(f, "framework", CHOICE_FRAMEWORK);
    for (size_t i = 0; i < count; i++)
        add_value(f, framework, names[i]);
    struct factor *variant = add_factor(f, "variant", CHOICE_VARIANT);
    add_value(f, variant, NULL);
    add_value(f, variant, "cpu");
}

/* ---------------------------------------------------------------- questions, by their types */

/* Quotes, escapes, special characters of shells, templates and markup, and non-ASCII. */
#define HARD_TEXT "Says \"no\" \\ to $HOME `id` ${{ x }} {{ y }} <b> it's \360\237\230\200 \303\251"

static const char *const texts_tried[] = {
    HARD_TEXT, "registry.example.org:5000/team/ml", "zz_9", "z-9", "2026", "z", "Z", "1.0"};
enum { PLAIN_TEXTS = 2, TEXT_COUNT = sizeof(texts_tried) / sizeof(*texts_tried) };

static int fits(bool *out, const struct factor_finder *f, const struct question *question,
                const char *text)
{
    *out = true;
    return question->pattern
               ? pattern_match(out, span_from(question->pattern), span_from(text), f->err)
               : 0;
}

/* Tries the first sample that its pattern accepts, from number `first` on. */
static int add_fitting(const struct factor_finder *f, struct factor *factor,
                       const struct question *question, size_t first)
{
    bool matches = false;
    for (size_t i = first; i < TEXT_COUNT && !matches; i++) {
        if (fits(&matches, f, question, texts_tried[i]) < 0)
            return -1;
        if (matches)
            add_value(f, factor, texts_tried[i]);
    }
    return 0;
}

/* The plain words of a pattern such as none|fast|tier:[a-z]+ are probably meaningful answers. */
static void add_pattern_words(const struct factor_finder *f, struct factor *factor,
                              const char *pattern)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    if (strpbrk(pattern, "()\\") || !strchr(pattern, '|')) /* not at the top, or not plainly so */
        return;
    for (const char *p = pattern; *p;) {
        size_t len = strcspn(p, "|"), words = strspn(p, plain);
        if (len && words == len)
            add_value(f, factor, arena_memdup(f->arena, p, len));
        p += len + (p[len] == '|');
    }
}

static int add_texts(const struct factor_finder *f, struct factor *factor,
                     const struct question *question)
{
    bool empty;
    if (fits(&empty, f, question, "") < 0)
        return -1;
    if (empty && strcmp(question->name, "name") != 0)
        add_value(f, factor, "");
    if (question->pattern)
        add_pattern_words(f, factor, question->pattern);
    return add_fitting(f, factor, question, 0);
}

static void add_words(const struct factor_finder *f, struct factor *factor,
                      const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add_value(f, factor, words[i]);
}

/* Adds each number once: a bound may be 0 or 1. */
static int add_numbers(const struct factor_finder *f, struct factor *factor,
                       const struct question *question)
{
    const char *const numbers[] = {question->min, question->max, "0", "1"};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        if (numbers[i] && question_bounds(question, numbers[i]) == 0 &&
            !str_is_among(numbers[i], factor->values, factor->count))
            add_value(f, factor, numbers[i]);
    return 0;
}

/* A number within its bounds. */
static const char *some_number(const struct question *question)
{
    return question->min ? question->min : question->max ? question->max : "1";
}

static int add_bools(const struct factor_finder *f, struct factor *factor)
{
    add_value(f, factor, "false");
    add_value(f, factor, "true");
    return 0;
}

static int add_choices(const struct factor_finder *f, struct factor *factor,
                       const struct question *question)
{
    const struct data *offered = data_get(f->choices, question->name);
    for (size_t i = 0; offered && i < offered->list.count; i++)
        add_value(f, factor, data_text(offered->list.items[i]));
    return 0;
}

static int add_lists(const struct factor_finder *f, struct factor *factor,
                     const struct question *question)
{
    const struct data *offered = data_get(f->choices, question->name);
    size_t count = offered ? offered->list.count : 0;
    const char **names = arena_array(f->arena, count + 1, sizeof(*names));
    for (size_t i = 0; i < count; i++)
        names[i] = data_text(offered->list.items[i]);
    if (!str_is_among("none", names, count))
        add_value(f, factor, "none");
    add_words(f, factor, names, count);
    if (count > 1)
        add_value(f, factor, str_join(f->arena, names, count, ","));
    if (!offered && question->items != QUESTION_INT)
        return add_fitting(f, factor, question, PLAIN_TEXTS);
    if (!offered)
        add_value(f, factor, some_number(question));
    return 0;
}

/* Adds the values for a question's type. */
static int add_typed(const struct factor_finder *f, struct factor *factor,
                     const struct question *question)
{
    switch (question->type) {
    case QUESTION_STR:
        return add_texts(f, factor, question);
    case QUESTION_INT:
    case QUESTION_FLOAT:
        return add_numbers(f, factor, question);
    case QUESTION_BOOL:
        return add_bools(f, factor);
    case QUESTION_CHOICE:
        return add_choices(f, factor, question);
    case QUESTION_LIST:
        break;
    }
    return add_lists(f, factor, question);
}

/* A default as --set takes it; NULL: it may depend on other answers. */
static const char *plain_default(struct arena *arena, const struct question *question)
{
    const struct yaml_node *node = question->fallback;
    size_t count = node && node->kind == YAML_LIST ? node->list.count : 0;
    const char **texts = arena_array(arena, count + 1, sizeof(*texts));
    if (!node || (node->kind == YAML_SCALAR && strchr(node->text.ptr, '{')))
        return NULL;
    if (node->kind == YAML_SCALAR && question->type == QUESTION_BOOL)
        return strchr("tTyY", *node->text.ptr) ? "true" : "false";
    if (node->kind == YAML_SCALAR)
        return node->text.ptr;
    for (size_t i = 0; i < count; i++) {
        if (node->list.items[i]->kind != YAML_SCALAR || strchr(node->list.items[i]->text.ptr, '{'))
            return NULL;
        texts[i] = node->list.items[i]->text.ptr;
    }
    return count ? str_join(arena, texts, count, ",") : "none";
}

/* The default needs no value of its own. */
static void drop_default(const struct factor_finder *f, struct factor *factor,
                         const struct question *question)
{
    const char *text = plain_default(f->arena, question);
    size_t kept = 0;
    for (size_t i = 0; i < factor->count; i++)
        if (!factor->values[i] || !text || strcmp(factor->values[i], text) != 0)
            factor->values[kept++] = factor->values[i];
    factor->count = kept;
}

static int add_question(const struct factor_finder *f, const struct question *question)
{
    struct factor *factor = add_factor(f, question->name, CHOICE_COUNT);
    const struct yaml_node *samples = yaml_get(f->samples, question->name);
    struct words texts;
    if (question->fallback || strcmp(question->name, "name") == 0)
        add_value(f, factor, NULL);
    if (samples) {
        if (yaml_texts(&texts, f->arena, samples, question->name, f->err) < 0)
            return -1;
        add_words(f, factor, texts.items, texts.count);
    } else if (add_typed(f, factor, question) < 0) {
        return -1;
    }
    drop_default(f, factor, question);
    if (factor->count == 0)
        add_value(f, factor, NULL); /* the case then reports the missing answer */
    return 0;
}

/* ---------------------------------------------------------------- offered choices */

/* Any value that a question of its type accepts. */
static const char *some_answer(const struct question *question)
{
    switch (question->type) {
    case QUESTION_STR:
    case QUESTION_CHOICE: /* `listen` takes one of its choices instead */
        return "z-9";
    case QUESTION_BOOL:
        return "true";
    case QUESTION_LIST:
        return "none";
    case QUESTION_INT:
    case QUESTION_FLOAT:
        break;
    }
    return some_number(question);
}

/* Takes every default, and any valid value where there is none. */
static int listen(const char **text, void *context, struct arena *arena,
                  const struct prompt *prompt, struct err *err)
{
    const struct question *question = prompt->question;
    const struct data *choices = prompt->choices;
    struct factor_finder *f = context;
    (void)arena;
    if (choices)
        data_put(f->arena, f->choices, question->name, data_copy(f->arena, choices));
    *text = NULL;
    if (prompt->fallback)
        return 0;
    if (prompt->problem || (choices && choices->list.count == 0))
        return err_set(err, TG_USAGE, "missing-answer", "'%s' has no default", question->name);
    *text = choices ? data_text(choices->list.items[0]) : some_answer(question);
    return 0;
}

/* Adds the choices of a question that is not asked by default, from the manifest. */
static void add_plain_choices(const struct factor_finder *f, const struct question *question)
{
    const struct yaml_node *list = question->choices;
    struct data *texts = data_list(f->arena);
    if (!list || list->kind != YAML_LIST || data_get(f->choices, question->name))
        return;
    for (size_t i = 0; i < list->list.count; i++) {
        const struct yaml_node *item = choice_value(list->list.items[i]);
        if (item && item->kind == YAML_SCALAR)
            data_push(f->arena, texts, data_span(f->arena, item->text));
    }
    data_put(f->arena, f->choices, question->name, texts);
}

/* The offered choices may depend on other answers: asks the questions, and records the choices. */
static void hear_choices(struct factor_finder *f)
{
    const struct manifest *manifest = f->making->manifest;
    struct asker asker = {.ask = listen, .context = f};
    struct making making = *f->making;
    struct given_list nothing = {0};
    ERR_SCRATCH(ignored);
    making.arena = f->arena;
    making.asker = &asker;
    if (making.manifest->has_stack) {
        struct stack_request request = {0};
        const char **names;
        if (making_frameworks(&names, &making))
            request_say(&request, f->arena, CHOICE_FRAMEWORK, names[0]);
        if (making_stack(&making, &nothing, &request, &ignored) < 0)
            err_release(&ignored);
    }
    if (making_answers(&making, &nothing, "z-9", &ignored) < 0)
        err_release(&ignored);
    for (size_t i = 0; i < manifest->question_count; i++)
        add_plain_choices(f, &manifest->questions[i]);
}

int factors_find(struct factors *out, struct arena *arena, const struct making *making,
                 const struct yaml_node *samples, struct err *err)
{
    struct factor_finder f = {.arena = arena,
                              .making = making,
                              .samples = samples,
                              .out = out,
                              .choices = data_map(arena),
                              .err = err};
    *out = (struct factors){0};
    hear_choices(&f);
    if (making->manifest->has_stack)
        add_stack(&f);
    for (size_t i = 0; i < making->manifest->question_count; i++) {
        /* a question that is never asked, or that no template reads, makes no difference */
        const struct question *question = &making->manifest->questions[i];
        if (!question->computed.text && !question->secret && add_question(&f, question) < 0)
            return -1;
    }
    return 0;
}
