/* Asks a person for what `new` was not told. */
#include "cmd/project/interview.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/manifest.h"
#include "catalog/question.h"
#include "child/making.h"
#include "child/team_image.h"
#include "cmd/cmd.h"
#include "cmd/common/command_line.h"
#include "cmd/project/choices.h"
#include "data/data.h"
#include "resolver/resolver.h"

#include <string.h>

#define ANY "any"
#define NO_GPU "none" /* a stack for CPUs alone */
#define NOT_MANY 3    /* so many questions are asked in their order, without "more?" */

/* Most people answer these. Never a secret: no round keeps it for the next one. */
static const char *const few[] = {"name", "description", "ci", "registry", "deploy"};

struct interview {
    struct run *run;
    const struct choices *choices;
    struct typed *typed;
    struct asker terminal, asker;
    struct words asked;        /* names of all that was asked */
    struct given_list replies; /* what was typed, as guesses for another round */
    bool all;                  /* all questions are asked that were not yet */
    const char *problem;       /* why the last framework will not do, or NULL */
};

static int ask(const char **text, void *context, struct arena *arena, const struct prompt *prompt,
               struct err *err)
{
    struct interview *i = context;
    struct prompt shown = *prompt;
    const char *name = prompt->question->name;
    shown.problem = shown.problem ? shown.problem : i->problem;
    i->problem = NULL;
    if (i->terminal.ask(text, i->terminal.context, arena, &shown, err) < 0)
        return -1;
    size_t kept = 0;
    for (size_t j = 0; j < i->replies.count; j++)
        if (!str_equal(i->replies.items[j].name, name))
            i->replies.items[kept++] = i->replies.items[j];
    i->replies.count = kept;
    /* A default that is not the question's own is an answer: another round would not find it. */
    bool takes = !*text && shown.changed && shown.fallback && shown.fallback->kind == DATA_STR;
    const char *reply = takes ? data_text(shown.fallback) : *text;
    if (reply && !prompt->question->secret)
        given_add(&i->replies, arena,
                  (struct given){.name = name, .from = GIVEN_GUESS, .text = reply});
    words_add(&i->asked, arena, name);
    return 0;
}

static bool is_few(const struct question *question)
{
    return !question->secret && str_is_among(question->name, few, sizeof few / sizeof *few);
}

static bool wants(void *context, const struct question *question)
{
    const struct interview *i = context;
    return i->all ? !words_have(&i->asked, question->name) : is_few(question);
}

struct interview *interview_new(struct run *run, const struct choices *choices, struct typed *typed)
{
    struct interview *out = arena_alloc(&run->arena, sizeof(*out));
    *out =
        (struct interview){.run = run,
                           .choices = choices,
                           .typed = typed,
                           .terminal = terminal_asker(typed),
                           .asker = {.ask = ask, .context = out, .secrets = true, .wants = wants}};
    return out;
}

const struct asker *interview_asker(const struct interview *interview)
{
    return &interview->asker;
}

/* ---------------------------------------------------------------- the stack */

/* Whether asking again helps; then shows who rules out what, and sets the problem. */
static bool told(const char **problem, struct interview *i, const struct making *m,
                 const struct err *err)
{
    if (err->exit != TG_USAGE && err->exit != TG_UNSOLVABLE)
        return false;
    if (m->refusal)
        cmd_say_refusal(m->refusal);
    *problem = arena_printf(&i->run->arena, "%s%s%s", err->message, err->hint ? "; " : "",
                            err->hint ? err->hint : "");
    return true;
}

static bool has_framework(const struct interview *i)
{
    return given_find(&i->choices->stack, stack_options[CHOICE_FRAMEWORK].name);
}

/* The stack of what was given, with a framework that is asked for until there is one. */
static int choose_given(struct interview *i, struct making *m, struct err *err)
{
    for (;;) {
        ERR_SCRATCH(trial);
        size_t asked = i->asked.count;
        if (choices_stack(m, i->run, i->choices, &trial) == 0)
            return 0;
        bool again = i->asked.count > asked && !has_framework(i) && trial.exit == TG_UNSOLVABLE;
        if (!again || !told(&i->problem, i, m, &trial))
            return err_move(err, &trial);
        i->run->failure = NULL;
        i->run->failure_text = NULL;
    }
}

/* The request with this answer; several GPUs are separated by commas. */
static struct stack_request with_answer(const struct interview *i, const struct making *m,
                                        enum stack_choice choice, const char *text)
{
    struct stack_request out = m->request;
    struct words said = choices_split(&i->run->arena, text);
    request_say(&out, &i->run->arena, choice, NULL);
    for (size_t j = 0; j < said.count; j++)
        if (!str_equal(said.items[j], ANY))
            request_add(&out, &i->run->arena, choice, said.items[j]);
    return out;
}

/* Notes what the command that goes on has to say. */
static void note(const struct interview *i, const struct making *m, enum stack_choice choice)
{
    const struct words *said = &m->request.said[choice];
    typed_answers_drop(i->typed, stack_options[choice].name);
    if (said->count)
        typed_answers_add(i->typed, stack_options[choice].name,
                          str_join(&i->run->arena, said->items, said->count, ","));
}

static int choose(struct interview *i, struct making *m, enum stack_choice choice, const char *text,
                  struct err *err)
{
    struct stack_request request = with_answer(i, m, choice, text);
    return machine_fill_auto(&request, i->run, err) < 0
               ? -1
               : making_stack(m, &i->choices->stack, &request, err);
}

/* What was found is offered only if there is a stack for it. */
static const char *offered(struct interview *i, const struct making *m, enum stack_choice choice,
                           const char *found)
{
    ERR_SCRATCH(ignored);
    struct making trial = *m;
    return found && choose(i, &trial, choice, found, &ignored) == 0 ? found : ANY;
}

/* Asks for one choice until there is such a stack. */
static int ask_choice(struct interview *i, struct making *m, enum stack_choice choice,
                      const char *help, const char *found, struct err *err)
{
    struct arena *arena = &i->run->arena;
    const struct question question = {.name = stack_options[choice].name, .type = QUESTION_STR};
    const struct making before = *m;
    const char *fallback = offered(i, m, choice, found), *text;
    struct prompt prompt = {
        .question = &question, .help = help, .fallback = data_str(arena, fallback)};
    for (;;) {
        ERR_SCRATCH(trial);
        if (i->asker.ask(&text, i->asker.context, arena, &prompt, err) < 0)
            return -1;
        bool none = choice == CHOICE_GPU && text && str_equal(text, NO_GPU) &&
                    !request_text(&m->request, CHOICE_VARIANT);
        enum stack_choice said = none ? CHOICE_VARIANT : choice;
        if (choose(i, m, said, none ? "cpu" : text ? text : fallback, &trial) == 0) {
            note(i, m, said);
            return 0;
        }
        if (!told(&prompt.problem, i, m, &trial))
            return err_move(err, &trial);
        *m = before;
    }
}

/* Neither was said, and the stack is one for GPUs. */
static bool is_open(const struct interview *i, const struct making *m)
{
    const struct given_list *said = &i->choices->stack;
    return m->manifest->has_stack && !given_find(said, "gpu") && !given_find(said, "driver") &&
           !str_equal(request_text(&m->request, CHOICE_VARIANT), "cpu");
}

int interview_stack(struct interview *i, struct making *m, struct err *err)
{
    struct arena *arena = &i->run->arena;
    struct stack_request found;
    const char *words;
    if (choose_given(i, m, err) < 0)
        return -1;
    if (!is_open(i, m))
        return 0;
    machine_find(&found, &words, i->run);
    const struct words *gpus = &found.said[CHOICE_GPU];
    const char *here = words ? arena_printf(arena, "found here: %s", words) : "none is found here";
    const char *gpu_help = arena_printf(
        arena,
        "GPU that it must run on, such as T4, sm_90, several as in T4,H100, any, or none; %s",
        here);
    const char *driver_help = arena_printf(
        arena, "NVIDIA driver of the GPU hosts, such as 550 or 550.54.15, or any; %s", here);
    const char *gpu = gpus->count ? str_join(arena, gpus->items, gpus->count, ",") : NULL;
    if (ask_choice(i, m, CHOICE_GPU, gpu_help, gpu, err) < 0)
        return -1;
    if (!is_open(i, m))
        return 0;
    return ask_choice(i, m, CHOICE_DRIVER, driver_help, request_text(&found, CHOICE_DRIVER), err);
}

/* ---------------------------------------------------------------- questions */

/* Whether a type may ask for more than the few. */
static bool has_many(const struct manifest *manifest)
{
    size_t count = 0;
    for (size_t j = 0; j < manifest->question_count; j++) {
        const struct question *question = &manifest->questions[j];
        count += question->fallback && !question->computed.text && !is_few(question);
    }
    return count > NOT_MANY;
}

static int ask_for_more(bool *more, const struct interview *i, const struct answers *answers,
                        struct err *err)
{
    size_t count = answers->defaulted_count;
    *more = false;
    if (count == 0)
        return 0;
    cmd_ask_line("%zu more questions have their defaults: %s", count,
                 str_join(&i->run->arena, answers->defaulted, count, ", "));
    return ask_whether(more, "more?", err);
}

int interview_answers(struct interview *i, struct making *m, const char *name_default,
                      struct err *err)
{
    struct arena *arena = &i->run->arena;
    struct given_list given = {0};
    bool more;
    i->all = !has_many(m->manifest);
    if (making_answers(m, &i->choices->answers, name_default, err) < 0)
        return -1;
    if (i->all)
        return 0;
    if (ask_for_more(&more, i, &m->answers, err) < 0)
        return -1;
    if (!more)
        return 0;
    for (size_t j = 0; j < i->choices->answers.count; j++)
        given_add(&given, arena, i->choices->answers.items[j]);
    for (size_t j = 0; j < i->replies.count; j++)
        if (manifest_question(m->manifest, i->replies.items[j].name))
            given_add(&given, arena, i->replies.items[j]);
    i->all = true;
    return making_answers(m, &given, name_default, err);
}

/* ---------------------------------------------------------------- the summary */

static bool is_said(const struct interview *i, const char *name)
{
    return given_find(&i->choices->answers, name) || given_find(&i->replies, name);
}

static void show_stack(const struct interview *i, const struct making *m)
{
    static const char *const shown[] = {"image", "driver", "gpu"};
    const struct data *team = data_get(m->resolution, TEAM_IMAGE);
    BUF_SCRATCH(text, LIMIT_MIB);
    if (!m->resolution)
        return;
    (void)matrix_explain(&text, m->resolution);
    struct span rest = span_of(buf_text(&text), text.len), line = span_cut_line(&rest);
    cmd_ask_line("  stack    %.*s", (int)line.len, line.ptr);
    while (rest.len) {
        line = span_cut_line(&rest);
        for (size_t j = 0; j < sizeof shown / sizeof *shown; j++)
            if (span_starts(line, arena_printf(&i->run->arena, "  %s ", shown[j])))
                cmd_ask_line("%.*s", (int)line.len, line.ptr);
    }
    if (team)
        cmd_ask_line("  base     %s, of your team", data_get_text(team, "repository"));
}

int interview_confirm(const struct interview *i, const struct making *m, const char *path,
                      struct err *err)
{
    const struct data *kept = m->answers.kept;
    bool yes = true;
    if (!i->asked.count)
        return 0;
    cmd_ask_line("%s", "");
    cmd_ask_line("  type     %s", m->manifest->type);
    show_stack(i, m);
    cmd_ask_line("  name     %s", data_get_text(kept, "name"));
    cmd_ask_line("  path     %s", path);
    for (size_t j = 0; j < kept->map.count; j++) {
        const char *name = kept->map.members[j].name.ptr;
        BUF_SCRATCH(value, LIMIT_MIB);
        if (strcmp(name, "name") == 0 || !is_said(i, name))
            continue;
        put_answer(&value, kept->map.members[j].value);
        cmd_ask_line("  %-8s %s", name, buf_text(&value));
    }
    if (ask_whether(&yes, "write it?", err) < 0)
        return -1;
    return yes ? 0 : err_set(err, TG_USAGE, "declined", "nothing was written");
}
