/* Guesses the answers and the stack of a repository that is to be adopted. */
#include "update/adopt/adopt_guess.h"

#include "base/arena.h"
#include "base/str.h"
#include "catalog/manifest.h"
#include "child/child.h"
#include "child/making.h"
#include "data/document.h"
#include "matrix/matrix.h"
#include "matrix/version.h"
#include "package_index/requirement.h"
#include "update/adopt/adopt_read.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

struct guessing {
    struct guesses *out;
    struct arena *arena;
    const struct child *child;
    const struct making *making;
    struct clues found;
    struct err *err;
};

static void take(struct guesses *g, struct arena *arena, const char *what, const char *value,
                 const char *from)
{
    struct data *guess =
        data_of(arena, FIELD("what", what), FIELD("value", value), FIELD("from", from));
    data_push(arena, g->taken, guess);
}

/* ---------------------------------------------------------------- answers */

/* Line ends and a terminal's control codes would get into files. */
static bool has_control(const char *text)
{
    for (; *text; text++)
        if (iscntrl((unsigned char)*text))
            return true;
    return false;
}

static void add_answer(const struct guessing *g, const char *name, const char *value,
                       const char *from)
{
    if (has_control(value))
        return;
    given_add(&g->out->answers, g->arena,
              (struct given){.name = name, .from = GIVEN_GUESS, .text = value});
    words_add(&g->out->answers_from, g->arena, from);
}

/* "My Project" -> "my-project", or "my_project" for a package: many templates demand it. */
static const char *plain(struct arena *arena, const char *text, char dash)
{
    char *out = arena_strdup(arena, text);
    for (char *at = out; *at; at++)
        *at = strchr(" _-.", *at) ? dash : (char)tolower((unsigned char)*at);
    return out;
}

/* Adds a project's name also as package indexes compare it, a package's also as it is imported. */
static void add_both(const struct guessing *g, const char *name, const char *value,
                     const char *from)
{
    if (strcmp(name, "name") == 0)
        add_answer(g, name, plain(g->arena, value, '-'), from);
    add_answer(g, name, value, from);
    if (strcmp(name, "package") == 0)
        add_answer(g, name, plain(g->arena, value, '_'), from);
}

static void guess_names(const struct guessing *g)
{
    for (size_t i = 0; i < g->found.count; i++)
        if (g->found.items[i].kind == FOUND_ANSWER)
            add_both(g, g->found.items[i].name, g->found.items[i].value, g->found.items[i].from);
    const char *last = strrchr(g->child->repo.start, '/');
    if (last && last[1])
        add_both(g, "name", last + 1, "the folder's name");
}

/* ---------------------------------------------------------------- the framework */

/* Parses a requirement without its local version and marker; -1: it is none. */
static int parse_requirement(struct requirement *out, struct arena *arena, const char *text)
{
    size_t len = strcspn(text, ";");
    const char *plus = memchr(text, '+', len);
    return requirement_parse(out, arena,
                             plus ? arena_printf(arena, "%.*s", (int)(plus - text), text)
                                  : arena_memdup(arena, text, len));
}

/* How much a requirement says. */
enum guess_rank { RANK_NONE, RANK_NAMED, RANK_SPEC, RANK_PIN };

struct framework_guess {
    const char *name;
    struct requirement requirement;
    const char *from;
    enum guess_rank rank;
};

static enum guess_rank rank_of(const struct spec *spec)
{
    if (spec->count == 0)
        return RANK_NAMED;
    return spec->count == 1 && spec_is_exact(spec) ? RANK_PIN : RANK_SPEC;
}

/* True where `name` is one of the packages, or the framework's own name, as conda has it. */
static bool means(struct arena *arena, const struct words *packages, const char *framework,
                  const char *name)
{
    bool found = strcmp(requirement_name(arena, framework), name) == 0;
    for (size_t i = 0; i < packages->count && !found; i++)
        found = strcmp(requirement_name(arena, packages->items[i]), name) == 0;
    return found && packages->count;
}

/* The requirement that says most about a framework: a pin, else a SPEC, else its name alone. */
static int look_for(struct framework_guess *out, const struct guessing *g, const char *framework)
{
    struct words packages;
    *out = (struct framework_guess){.name = framework};
    if (matrix_packages(&packages, g->arena, g->making->catalog->files, framework, g->err) < 0)
        return -1;
    for (size_t i = 0; i < g->found.count; i++) {
        const struct clue *clue = &g->found.items[i];
        struct requirement requirement;
        if (clue->kind != FOUND_REQUIREMENT ||
            parse_requirement(&requirement, g->arena, clue->value) < 0 ||
            !means(g->arena, &packages, framework, requirement.name))
            continue;
        enum guess_rank rank = rank_of(&requirement.spec);
        if (rank > out->rank)
            *out = (struct framework_guess){framework, requirement, clue->from, rank};
    }
    return 0;
}

/* Removes blanks, as on a command line. */
static const char *packed(struct arena *arena, const char *spec)
{
    char *out = arena_strdup(arena, spec), *to = out;
    for (; *spec; spec++)
        if (!isspace((unsigned char)*spec))
            *to++ = *spec;
    *to = '\0';
    return out;
}

/* Loosens the guess: the SPEC, then its minor, then any version. */
static void loosen(struct guesses *out, struct arena *arena, const struct framework_guess *best)
{
    const struct spec *spec = &best->requirement.spec;
    size_t count = 0;
    if (spec->count)
        out->framework[count++] =
            arena_printf(arena, "%s%s", best->name, packed(arena, spec->text));
    if (best->rank == RANK_PIN) {
        const uint64_t *release = spec->clauses[0].version.release;
        out->framework[count++] = arena_printf(arena, "%s==%" PRIu64 ".%" PRIu64 ".*", best->name,
                                               release[0], release[1]);
    }
    out->framework[count] = best->name;
    out->framework_from = best->from;
}

/* Of several frameworks takes the first that the type names. */
static int guess_framework(struct guessing *g)
{
    const char **names, *others = "";
    size_t count = making_frameworks(&names, g->making);
    struct framework_guess best = {0}, one;
    for (size_t i = 0; i < count; i++) {
        if (look_for(&one, g, names[i]) < 0)
            return -1;
        if (one.rank && best.rank)
            others = arena_printf(g->arena, "%s, '%s'", others, one.name);
        else if (one.rank)
            best = one;
    }
    if (!best.rank)
        return 0;
    loosen(g->out, g->arena, &best);
    if (*others)
        words_printf(&g->out->warnings, g->arena,
                     "several frameworks are named here: '%s'%s; the first was guessed, "
                     "--framework names another",
                     best.name, others);
    return 0;
}

static void guess_python(struct guessing *g)
{
    int best = 0;
    for (size_t i = 0; i < g->found.count; i++) {
        const struct clue *clue = &g->found.items[i];
        ERR_SCRATCH(ignored);
        struct spec spec;
        if (clue->kind != FOUND_PYTHON ||
            spec_parse(&spec, g->arena, clue->value, "python", &ignored) < 0 || !spec.count)
            continue;
        int rank = spec.count == 1 && spec.clauses[0].op == SPEC_EQ ? 2 : 1;
        if (rank <= best)
            continue;
        best = rank;
        g->out->python = clue->value;
        g->out->python_from = clue->from;
    }
}

int guess_all(struct guesses *out, struct arena *arena, const struct child *child,
              const struct making *making, struct err *err)
{
    struct guessing g = {.out = out, .arena = arena, .child = child, .making = making, .err = err};
    *out = (struct guesses){.taken = data_list(arena)};
    adopt_read(&g.found, arena, child);
    out->warnings = g.found.warnings;
    guess_names(&g);
    if (!making->manifest->has_stack)
        return 0;
    guess_python(&g);
    return guess_framework(&g);
}

/* ---------------------------------------------------------------- taking them: the stack */

/* From the exact guesses to the loosest ones. */
static const struct looseness {
    size_t framework; /* index in `framework` of the guesses */
    bool python;      /* its guess counts */
} tries[] = {{0, true}, {1, true}, {0, false}, {1, false}, {2, true}, {2, false}};
enum { TRIES = sizeof(tries) / sizeof(*tries) };

/* Adds guesses of that looseness to the request; false where that changes nothing. */
static bool say_guesses(struct stack_request *out, const struct guesses *g, struct arena *arena,
                        const struct stack_request *request, const struct looseness *try)
{
    bool framework = !request_text(request, CHOICE_FRAMEWORK) && g->framework[0];
    bool python = !request_text(request, CHOICE_PYTHON) && g->python;
    size_t loose = try->framework;
    if ((loose && (!framework || !g->framework[loose])) ||
        (!try->python && (!python || !g->python_from)))
        return false;
    *out = *request;
    if (framework)
        request_say(out, arena, CHOICE_FRAMEWORK, g->framework[loose]);
    if (python && try->python)
        request_say(out, arena, CHOICE_PYTHON, g->python);
    return true;
}

/* On a terminal the user confirms a guess, or enters another value, which is never loosened. */
static int ask_one(const char **text, const char **from, struct arena *arena,
                   const struct asker *asker, enum stack_choice choice, const char *help,
                   struct err *err)
{
    const char *guessed = *text;
    if (answers_ask(text, arena, asker, stack_options[choice].name,
                    arena_printf(arena, "%s, by %s", help, *from), err) < 0)
        return -1;
    if (*text != guessed)
        *from = NULL; /* it is not a guess any more */
    return 0;
}

static int ask_stack(struct guesses *g, struct arena *arena, const struct making *m,
                     const struct stack_request *request, struct err *err)
{
    if (!m->asker)
        return 0;
    if (g->framework[0] && !request_text(request, CHOICE_FRAMEWORK) &&
        ask_one(&g->framework[0], &g->framework_from, arena, m->asker, CHOICE_FRAMEWORK,
                "what the project uses", err) < 0)
        return -1;
    if (!g->framework_from)
        g->framework[1] = NULL;
    if (!g->python || request_text(request, CHOICE_PYTHON))
        return 0;
    return ask_one(&g->python, &g->python_from, arena, m->asker, CHOICE_PYTHON, "its Python", err);
}

static void note_stack(struct guesses *g, struct arena *arena, const struct stack_request *request,
                       const struct stack_request *made)
{
    const char *framework = request_text(made, CHOICE_FRAMEWORK);
    const char *python = request_text(made, CHOICE_PYTHON);
    bool guessed = framework && !request_text(request, CHOICE_FRAMEWORK) && g->framework_from;
    if (guessed)
        take(g, arena, "framework", framework, g->framework_from);
    if (guessed && !str_equal(framework, g->framework[0]))
        words_printf(&g->warnings, arena,
                     "%s says '%s', for which there is no stack: '%s' was taken", g->framework_from,
                     g->framework[0], framework);
    if (request_text(request, CHOICE_PYTHON) || !g->python_from)
        return;
    if (python)
        take(g, arena, "python", python, g->python_from);
    else
        words_printf(&g->warnings, arena,
                     "%s says Python '%s', for which there is no stack: any was taken",
                     g->python_from, g->python);
}

int guess_stack(struct guesses *g, struct arena *arena, struct making *m,
                const struct given_list *said, const struct stack_request *request, struct err *err)
{
    struct stack_request made, asked = *request;
    if (!m->manifest->has_stack)
        return making_stack(m, said, request, err);
    if (ask_stack(g, arena, m, request, err) < 0)
        return -1;
    int rc = -1;
    for (size_t i = 0; rc < 0 && i < TRIES; i++) {
        if (!say_guesses(&made, g, arena, &asked, &tries[i]))
            continue;
        err_release(err); /* of the attempt before */
        rc = making_stack(m, said, &made, err);
        if (!g->framework[0]) /* ask the user only once */
            request_overlay(&asked, &(struct stack_request){.said[CHOICE_FRAMEWORK] =
                                                                m->request.said[CHOICE_FRAMEWORK]});
    }
    if (rc == 0)
        note_stack(g, arena, request, &made);
    return rc;
}

/* ---------------------------------------------------------------- taking them: the answers */

static void note_answers(struct guesses *g, struct arena *arena, const struct making *m)
{
    for (size_t i = 0; i < m->answers.guessed_count; i++)
        for (size_t j = 0; j < g->answers.count; j++)
            if (m->answers.guessed[i]->text == g->answers.items[j].text &&
                strcmp(m->answers.guessed[i]->name, g->answers.items[j].name) == 0)
                take(g, arena, g->answers.items[j].name, g->answers.items[j].text,
                     g->answers_from.items[j]);
}

int guess_answers(struct guesses *g, struct arena *arena, struct making *m,
                  const struct given_list *given, const char *name_default, struct err *err)
{
    struct given_list all = {0};
    ERR_SCRATCH(first);
    for (size_t i = 0; i < given->count; i++)
        given_add(&all, arena, given->items[i]);
    for (size_t i = 0; i < g->answers.count; i++)
        given_add(&all, arena, g->answers.items[i]);
    if (m->asker || making_answers(m, &all, name_default, &first) < 0) {
        /* the answers contradict each other, perhaps because of a guess */
        if (making_answers(m, m->asker ? &all : given, name_default, err) < 0)
            return -1;
        if (!m->asker)
            words_printf(&g->warnings, arena, "what was guessed is left out: %s", first.message);
    }
    note_answers(g, arena, m);
    return 0;
}
