/* Turns what the user gave into a complete, checked set of answers. */
#include "catalog/answers.h"

#include "base/account.h"
#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/shell.h"
#include "base/str.h"
#include "base/unicode.h"
#include "catalog/answers/answer.h"
#include "catalog/manifest.h"
#include "catalog/manifest_text.h"
#include "data/data.h"
#include "data/yaml.h"
#include "registry/reference.h"

#include <string.h>

/* The state of answering. */
struct collector {
    struct arena *arena;
    const struct manifest *manifest;
    struct given_list *given; /* by the number of the question */
    struct data *context;     /* grows by each answer */
    const char *name_default;
    const struct asker *asker;
    const char *
        *taken; /* by the number of the row of `layers`: NOT_TAKEN, the layer; NULL: not known */
    size_t *judged_at; /* for each refusal: the last question it reads */
    struct answers *out;
    struct err *err;
};

#define NOT_TAKEN ""
#define JUDGED_FIRST ((size_t)-1) /* reads no answer */

/* A question with its choices, rendered for the current answers. */
struct asked {
    const struct question *question;
    struct data *choices, *labels; /* or NULL */
    bool changed;                  /* its default is another one than the manifest's */
};

void given_add(struct given_list *list, struct arena *arena, struct given given)
{
    arena_push(arena, list->items, list->count) = given;
}

const struct given *given_find(const struct given_list *list, const char *name)
{
    const struct given *best = NULL;
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i].name, name) == 0 && (!best || list->items[i].from <= best->from))
            best = &list->items[i];
    return best;
}

/* Renders the {{ ... }} in a manifest's text from earlier answers. */
static int render_text(const char **out, const struct collector *c, const char *text,
                       const struct yaml_node *node)
{
    *out = text;
    if (!strstr(text, "{{") && !strstr(text, "{%") && !strstr(text, "{#"))
        return 0;
    BUF_SCRATCH(buf, LIMIT_ANSWER_BYTES);
    struct template_source source = manifest_text_source(&(struct manifest_text){text, node});
    ERR_SCRATCH(inner);
    if (template_render(&buf, &source, c->context, NULL, &inner) < 0)
        return yaml_blame(c->err, node, &inner);
    *out = arena_strdup(c->arena, buf_text(&buf));
    return 0;
}

/* Renders a scalar of a list in the manifest. */
static int render_entry(struct data **out, const struct collector *c, const struct yaml_node *node)
{
    const char *text = "";
    if (yaml_text(&text, node, "an entry", c->err) < 0 ||
        (node && render_text(&text, c, text, node) < 0))
        return -1;
    *out = data_str(c->arena, text);
    return 0;
}

static int read_choice_list(struct asked *asked, const struct collector *c,
                            const struct yaml_node *list)
{
    asked->choices = data_list(c->arena);
    asked->labels = data_list(c->arena);
    for (size_t i = 0; i < list->list.count; i++) {
        const struct yaml_node *node = list->list.items[i];
        bool labelled = node->kind == YAML_MAP;
        struct data *value, *label;
        if (render_entry(&value, c, labelled ? yaml_get(node, "value") : node) < 0 ||
            render_entry(&label, c, labelled ? yaml_get(node, "label") : NULL) < 0)
            return -1;
        data_push(c->arena, asked->choices, value);
        data_push(c->arena, asked->labels, label);
    }
    return 0;
}

/* Renders the choices of a question; NULL if any value is allowed. */
static int read_choices(struct asked *asked, const struct collector *c)
{
    const struct yaml_node *node = asked->question->choices;
    const char *text = NULL;
    if (!node)
        return 0;
    if (node->kind == YAML_LIST)
        return read_choice_list(asked, c, node);
    if (yaml_text(&text, node, "choices", c->err) < 0 || render_text(&text, c, text, node) < 0)
        return -1;
    asked->choices = answer_split(c->arena, text, "\n");
    return 0;
}

static int parse(struct data **out, const struct collector *c, const struct asked *asked,
                 const char *text)
{
    struct answer_check check = {c->arena, asked->question, asked->choices, c->err};
    return answer_parse(out, &check, text);
}

/* Entries of the manifest are templates, those of an answer are not. */
static int parse_list_node(struct data **out, const struct collector *c, const struct asked *asked,
                           const struct yaml_node *node)
{
    struct answer_check check = {c->arena, asked->question, asked->choices, c->err};
    struct data *texts = data_list(c->arena);
    for (size_t i = 0; i < node->list.count; i++) {
        const char *text = NULL;
        if (yaml_text(&text, node->list.items[i], "an entry", c->err) < 0 ||
            (node == asked->question->fallback &&
             render_text(&text, c, text, node->list.items[i]) < 0))
            return -1;
        data_push(c->arena, texts, data_str(c->arena, text));
    }
    return answer_parse_items(out, &check, texts);
}

/* A node of an answers file, a record or a `default`: its text by the question's type. */
static int parse_node(struct data **out, const struct collector *c, const struct asked *asked,
                      const struct yaml_node *node)
{
    const struct question *question = asked->question;
    if (node->kind == YAML_LIST && question->type == QUESTION_LIST)
        return parse_list_node(out, c, asked, node);
    if (node->kind != YAML_SCALAR)
        return yaml_error(c->err, node, "'%s' must be of type %s", question->name,
                          question_type_names[question->type]);
    if (yaml_is_null(node))
        return yaml_error(c->err, node, "'%s' has no value", question->name);
    return parse(out, c, asked, node->text.ptr);
}

static int parse_given(struct data **out, const struct collector *c, const struct asked *asked,
                       const struct given *given)
{
    const struct yaml_node *node = given->node;
    if (given->text)
        return parse(out, c, asked, given->text);
    if (parse_node(out, c, asked, node) == 0)
        return 0;
    if (!c->err->where.file) /* say which file and line holds the bad answer */
        (void)yaml_at(c->err, node);
    if (asked->question->secret ||
        (node->kind == YAML_SCALAR && image_shown(c->arena, node->text.ptr) != node->text.ptr))
        err_hide_source(c->err);
    return -1;
}

/* Parses a text of the manifest that serves as an answer. */
static int parse_own(struct data **out, const struct collector *c, const struct asked *asked,
                     const struct yaml_node *node, const char *what)
{
    const char *text = NULL;
    if (render_text(&text, c, node->text.ptr, node) < 0)
        return -1;
    if (parse(out, c, asked, text) == 0)
        return 0;
    if (!c->err->where.file)
        (void)yaml_at(c->err, node);
    return err_wrap(c->err, "%s of '%s'", what, asked->question->name);
}

/* Sets `*out` to NULL if the question has no default. */
static int read_default(struct data **out, const struct collector *c, const struct asked *asked)
{
    const struct yaml_node *node = asked->question->fallback;
    *out = NULL;
    if (strcmp(asked->question->name, "name") == 0) {
        *out = data_str(c->arena, c->name_default);
        return 0;
    }
    if (!node)
        return 0;
    return node->kind == YAML_SCALAR ? parse_own(out, c, asked, node, "the default")
                                     : parse_node(out, c, asked, node);
}

/* The layer that a row of `layers` takes, evaluated once; "" for none. */
static int takes(const char **out, const struct collector *c, const struct layer_use *use)
{
    const char **taken = &c->taken[use - c->manifest->layers];
    bool applies;
    if (!*taken) {
        if (manifest_text_holds(&applies, &use->when, c->context, c->err) < 0 ||
            (applies && render_text(taken, c, use->name.text, use->name.node) < 0))
            return -1;
        *taken = applies ? *taken : NOT_TAKEN;
    }
    *out = *taken;
    return 0;
}

/* ---------------------------------------------------------------- refusals */

/* The last question that a refusal reads: it can be judged after that. */
static size_t last_read(const struct collector *c, const struct refusal *refusal)
{
    ERR_SCRATCH(ignored); /* reported when it is judged */
    struct data *names = data_map(c->arena);
    const struct layer_use *use = refusal->use; /* whether the layer is taken is an answer, too */
    const struct manifest_text *const texts[] = {&refusal->when,
                                                 use && use->when.text ? &use->when : NULL,
                                                 &refusal->because, use ? &use->name : NULL};
    size_t last = JUDGED_FIRST;
    for (size_t i = 0; i < 4; i++) {
        if (!texts[i])
            continue;
        struct template_source source = manifest_text_source(texts[i]);
        if (template_names(names, c->arena, &source, i < 2, NULL, &ignored) < 0)
            return JUDGED_FIRST;
    }
    for (size_t i = 0; i < names->map.count; i++) {
        size_t number = intern_find(&c->manifest->question_names, names->map.members[i].name);
        if (number != INTERN_NONE && (last == JUDGED_FIRST || number > last))
            last = number;
    }
    return last;
}

/* Whether the refusal holds. A layer's refusals apply only if the layer is taken. */
static int refuses(bool *out, const struct collector *c, const struct refusal *refusal)
{
    const char *layer = NULL;
    *out = false;
    if (refusal->use && takes(&layer, c, refusal->use) < 0)
        return err_wrap(c->err, "whether the layer '%s', which refuses, is taken", refusal->layer);
    if (layer && strcmp(layer, refusal->layer) != 0)
        return 0;
    return manifest_text_holds(out, &refusal->when, c->context, c->err);
}

static int reason_of(const char **because, const struct collector *c, const struct refusal *refusal)
{
    if (render_text(because, c, refusal->because.text, refusal->because.node) < 0)
        return -1;
    struct span text = span_trim_end(span_from(*because), "\n"); /* of a block of YAML */
    *because = arena_memdup(c->arena, text.ptr, text.len);
    return 0;
}

/*
 * Judges the refusals whose last question is `number`. Sets `*because` to the reason of the first
 * that holds, and `*which` to that refusal; else to NULL.
 */
static int judge(const char **because, const struct refusal **which, const struct collector *c,
                 size_t number)
{
    *because = NULL;
    *which = NULL;
    for (size_t i = 0; i < c->manifest->refusal_count; i++) {
        bool refused = false;
        if (c->judged_at[i] != number)
            continue;
        *which = &c->manifest->refusals[i];
        if (refuses(&refused, c, *which) < 0)
            return -1;
        if (refused)
            return reason_of(because, c, *which);
    }
    *which = NULL;
    return 0;
}

/* The same where no user can be asked again. */
static int check_together(const struct collector *c, size_t number)
{
    const char *because;
    const struct refusal *which;
    if (judge(&because, &which, c, number) < 0)
        return -1;
    if (!because)
        return 0;
    return which->no_row ? err_set(c->err, TG_UNSOLVABLE, "unsatisfiable", "%s", because)
                         : err_set(c->err, TG_USAGE, "invalid-answer", "%s", because);
}

/* ---------------------------------------------------------------- question by question */

static size_t bytes_of(const struct data *value)
{
    size_t bytes = value->kind == DATA_STR ? value->str.len : 1;
    for (size_t i = 0; value->kind == DATA_LIST && i < value->list.count; i++)
        bytes += bytes_of(value->list.items[i]);
    return bytes;
}

/* Checks before rendering that all answers together fit into a record. */
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

static size_t number_of(const struct collector *c, const struct question *question)
{
    return (size_t)(question - c->manifest->questions);
}

/* The answers that were given for a question. */
static const struct given_list *given_for(const struct collector *c,
                                          const struct question *question)
{
    return &c->given[number_of(c, question)];
}

/* Refuses an answer to a question that is not asked. */
static int refuse_said(const struct collector *c, const struct question *question, const char *why,
                       const char *more)
{
    const struct given *given = given_find(given_for(c, question), question->name);
    if (!given || given->from > GIVEN_FILE)
        return 0;
    (void)err_set(c->err, TG_USAGE, "invalid-answer", "'%s' %s", question->name, why);
    return err_hint(c->err, "leave '%s' out%s", question->name, more);
}

static int hide(const struct collector *c, struct asked *asked)
{
    const struct question *question = asked->question;
    struct data *value = NULL;
    const char *why = arena_printf(c->arena, "makes no difference here: it is asked only when %s",
                                   question->when.text);
    if (refuse_said(c, question, why, ", or change what it depends on") < 0 ||
        read_choices(asked, c) < 0 || read_default(&value, c, asked) < 0)
        return -1;
    return keep(c, question, value ? value : data_null(c->arena), false);
}

/* A question of layers is asked only if one of the layers is taken. */
static int is_there(bool *out, const struct collector *c, const struct question *question)
{
    *out = question->bringer_count == 0;
    for (size_t i = 0; i < question->bringer_count && !*out; i++) {
        const struct bringer *bringer = &question->bringers[i];
        const char *layer;
        if (takes(&layer, c, bringer->use) < 0)
            return err_wrap(c->err, "whether the layer '%s', which asks '%s', is taken",
                            bringer->layer, question->name);
        *out = strcmp(layer, bringer->layer) == 0;
    }
    return budget_steps(question->bringer_count, c->err);
}

static int compute(const struct collector *c, const struct asked *asked)
{
    const struct question *question = asked->question;
    struct data *value;
    if (refuse_said(c, question, "is computed from other answers, never asked", "") < 0 ||
        parse_own(&value, c, asked, question->computed.node, "the value") < 0)
        return -1;
    return keep(c, question, value, false);
}

/* Asks until the answer is valid; repeats show the reason. */
static int ask(struct data **out, const struct collector *c, const struct asked *asked,
               struct data *fallback, const char *problem)
{
    const struct question *question = asked->question;
    const char *help = question->help.text ? question->help.text : "", *text = NULL;
    if (question->help.node && render_text(&help, c, help, question->help.node) < 0)
        return -1;
    for (;;) {
        struct prompt prompt = {question,      help,    fallback,      asked->choices,
                                asked->labels, problem, asked->changed};
        if (c->asker->ask(&text, c->asker->context, c->arena, &prompt, c->err) < 0)
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
        else if (parse(out, &attempt, asked, text) == 0)
            return 0;
        else
            problem = arena_printf(c->arena, "%s%s%s", inner.message, inner.hint ? "; " : "",
                                   inner.hint ? inner.hint : "");
    }
}

/* Asks until the answer also agrees with the earlier ones. */
static int ask_fitting(struct data **out, const struct collector *c, const struct asked *asked,
                       struct data *fallback)
{
    const char *problem = NULL;
    const struct refusal *which;
    do {
        if (ask(out, c, asked, fallback, problem) < 0)
            return -1;
        if (asked->question->secret)
            return 0;
        data_put(c->arena, c->context, asked->question->name, *out);
        if (judge(&problem, &which, c, number_of(c, asked->question)) < 0)
            return -1;
    } while (problem);
    return 0;
}

static int missing(const struct collector *c, const struct question *question)
{
    (void)err_set(c->err, TG_USAGE, "missing-answer", "the question '%s' has no default",
                  question->name);
    return err_hint(
        c->err, "answer it with %s%s%s", shell_command(c->arena, "--set %s=VALUE", question->name),
        question->help.text ? ": " : "", question->help.text ? question->help.text : "");
}

/* Replaces the default by the first valid guess and returns that, or NULL. */
static const struct given *take_guess(struct data **fallback, const struct collector *c,
                                      const struct asked *asked)
{
    const struct given_list *all = given_for(c, asked->question);
    for (size_t i = 0; i < all->count; i++) {
        const struct given *guess = &all->items[i];
        ERR_SCRATCH(ignored);
        struct collector attempt = *c;
        struct data *value = NULL;
        attempt.err = &ignored;
        if (guess->from != GIVEN_GUESS || parse_given(&value, &attempt, asked, guess) < 0)
            continue;
        *fallback = value;
        return guess;
    }
    return NULL;
}

/* ---------------------------------------------------------------- defaults that are offered */

/* Whether the value agrees with the earlier answers. */
static int fits(bool *out, const struct collector *c, const struct question *question,
                struct data *value)
{
    const char *because;
    const struct refusal *which;
    data_put(c->arena, c->context, question->name, value);
    if (judge(&because, &which, c, number_of(c, question)) < 0)
        return -1;
    *out = !because;
    return 0;
}

/* What is like a text that cannot be the answer: "torch_app" for a package beside PyTorch's. */
static int find_alike(struct data **out, const struct collector *c, const struct asked *asked,
                      const char *text)
{
    static const char *const endings[] = {"", "_app", "-app"};
    BUF_SCRATCH(lower, LIMIT_ANSWER_BYTES);
    (void)unicode_put_case(&lower, span_from(text), UNICODE_LOWER);
    *out = NULL;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        ERR_SCRATCH(ignored);
        struct collector attempt = *c;
        struct data *value;
        bool good = false;
        attempt.err = &ignored;
        if (parse(&value, &attempt, asked,
                  arena_printf(c->arena, "%s%s", buf_text(&lower), endings[i])) == 0 &&
            fits(&good, c, asked->question, value) < 0)
            return -1;
        if (good) {
            *out = value;
            return 0;
        }
    }
    return 0;
}

/* The default to show; `*changed`: the question's own will not do, and NULL means that none will.
 */
static int read_offer(struct data **out, bool *changed, const struct collector *c,
                      const struct asked *asked)
{
    const struct question *question = asked->question;
    const struct yaml_node *node = question->fallback;
    ERR_SCRATCH(inner);
    struct collector attempt = *c;
    const char *text = NULL;
    bool good = true;
    attempt.err = &inner;
    *changed = false;
    if (read_default(out, &attempt, asked) < 0) {
        if (!str_equal(inner.code, "invalid-answer"))
            return err_move(c->err, &inner);
        *out = NULL;
        good = false;
    }
    if (*out && fits(&good, c, question, *out) < 0)
        return -1;
    if (good)
        return 0;
    *out = NULL;
    *changed = true;
    if (question->type != QUESTION_STR || !node || node->kind != YAML_SCALAR)
        return 0;
    return render_text(&text, c, node->text.ptr, node) < 0 ? -1 : find_alike(out, c, asked, text);
}

static bool wants(const struct collector *c, const struct question *question)
{
    return !c->asker->wants || c->asker->wants(c->asker->context, question);
}

/* Templates get the default, because their output is kept. */
static int answer_secret(const struct collector *c, const struct asked *asked,
                         const struct given *given)
{
    struct data *fallback, *value = NULL;
    if (read_default(&fallback, c, asked) < 0)
        return -1;
    if (given && given->from != GIVEN_RECORD && given->from != GIVEN_GUESS) {
        if (parse_given(&value, c, asked, given) < 0)
            return -1;
    } else if (c->asker && c->asker->secrets && !wants(c, asked->question))
        c->out->defaulted[c->out->defaulted_count++] = asked->question->name;
    else if (c->asker && c->asker->secrets && ask_fitting(&value, c, asked, fallback) < 0)
        return -1;
    if (value)
        data_put(c->arena, c->out->secrets, asked->question->name, value);
    return keep(c, asked->question, fallback, false);
}

/* Finds an answer that was not given: by asking, a guess or the default. */
static int find_answer(struct data **out, const struct collector *c, struct asked *asked,
                       bool guessed)
{
    const struct question *question = asked->question;
    struct data *fallback = NULL, *checked;
    bool fitting = true;
    const struct given *guess = guessed ? take_guess(&fallback, c, asked) : NULL;
    if (guess && c->asker && fits(&fitting, c, question, fallback) < 0)
        return -1;
    if (!fitting)
        guess = NULL;
    if (!guess && (c->asker ? read_offer(&fallback, &asked->changed, c, asked)
                            : read_default(&fallback, c, asked)) < 0)
        return -1;
    bool asks = c->asker && (!fallback || asked->changed || !fitting || wants(c, question));
    *out = fallback;
    if (asks && ask_fitting(out, c, asked, fallback) < 0)
        return -1;
    if (!*out)
        return missing(c, question);
    if (*out == fallback && strcmp(question->name, "name") == 0 &&
        parse(&checked, c, asked, data_text(fallback)) < 0)
        return -1;
    if (guess && *out == fallback)
        c->out->guessed[c->out->guessed_count++] = guess;
    else if (!asks)
        c->out->defaulted[c->out->defaulted_count++] = question->name;
    return 0;
}

static int answer_asked(const struct collector *c, struct asked *asked)
{
    const struct question *question = asked->question;
    const struct given *given = given_find(given_for(c, question), question->name);
    struct data *value = NULL;
    bool applies;
    if (manifest_text_holds(&applies, &question->when, c->context, c->err) < 0)
        return -1;
    if (!applies)
        return hide(c, asked);
    if (read_choices(asked, c) < 0)
        return -1;
    if (question->secret)
        return answer_secret(c, asked, given);
    if (given && given->from != GIVEN_GUESS ? parse_given(&value, c, asked, given) < 0
                                            : find_answer(&value, c, asked, given) < 0)
        return -1;
    return keep(c, question, value, true);
}

static int answer_question(const struct collector *c, const struct question *question)
{
    struct asked asked = {.question = question};
    bool there;
    if (is_there(&there, c, question) < 0)
        return -1;
    if (!there)
        return refuse_said(c, question,
                           arena_printf(c->arena,
                                        "makes no difference here: the layer '%s', which asks it, "
                                        "is not taken",
                                        question->bringers[0].layer),
                           ", or change what the layer depends on");
    if ((question->computed.text ? compute(c, &asked) : answer_asked(c, &asked)) < 0)
        return -1;
    return check_together(c, number_of(c, question));
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

/* Assigns the given answers to their questions, keeping their order. */
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
    *out = (struct answers){
        .values = data_map(arena), .kept = data_map(arena), .secrets = data_map(arena)};
    out->defaulted = arena_array(arena, manifest->question_count, sizeof(*out->defaulted));
    out->guessed = arena_array(arena, manifest->question_count, sizeof(*out->guessed));
    for (size_t i = 0; i < context->map.count; i++)
        data_put_span(arena, c.context, context->map.members[i].name,
                      context->map.members[i].value);
    if (share_out(&c, given) < 0)
        return -1;
    c.taken = arena_array(arena, manifest->layer_count + 1, sizeof(*c.taken));
    c.judged_at = arena_array(arena, manifest->refusal_count + 1, sizeof(*c.judged_at));
    for (size_t i = 0; i < manifest->refusal_count; i++)
        c.judged_at[i] = last_read(&c, &manifest->refusals[i]);
    if (check_together(&c, JUDGED_FIRST) < 0)
        return -1;
    for (size_t i = 0; i < manifest->question_count; i++)
        if (answer_question(&c, &manifest->questions[i]) < 0)
            return -1;
    return 0;
}

bool answers_can_be(struct arena *arena, const struct manifest *manifest, const char *name,
                    const char *text)
{
    ERR_SCRATCH(ignored);
    struct data *value;
    const struct collector c = {.arena = arena, .manifest = manifest, .err = &ignored};
    const struct asked asked = {.question = manifest_question(manifest, name)};
    return asked.question && parse(&value, &c, &asked, text) == 0;
}

/* ---------------------------------------------------------------- before there are questions */

int answers_choose(const char **out, struct arena *arena, const struct asker *asker,
                   const char *name, const char *help, const struct words *names,
                   const char *const *labels, bool takes_spec, struct err *err)
{
    const struct question question = {
        .name = name, .type = QUESTION_CHOICE, .help = {.text = help}, .takes_spec = takes_spec};
    const struct asked asked = {.question = &question,
                                .choices = data_texts(arena, names->items, names->count),
                                .labels = data_texts(arena, labels, names->count)};
    const struct collector c = {.arena = arena, .asker = asker, .err = err};
    struct data *fallback = names->count == 1 ? asked.choices->list.items[0] : NULL, *answer;
    if (ask(&answer, &c, &asked, fallback, NULL) < 0)
        return -1;
    *out = data_text(answer);
    return 0;
}

int answers_ask(const char **out, struct arena *arena, const struct asker *asker, const char *name,
                const char *help, struct err *err)
{
    const struct question question = {.name = name, .type = QUESTION_STR};
    const struct prompt prompt = {
        .question = &question, .help = help, .fallback = *out ? data_str(arena, *out) : NULL};
    const char *text;
    if (asker->ask(&text, asker->context, arena, &prompt, err) < 0)
        return -1;
    *out = text ? text : *out;
    return 0;
}
