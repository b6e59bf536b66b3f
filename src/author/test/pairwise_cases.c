/* The pairwise cases of a type: combinations of answers, each of which makes a child. */
#include "author/test/cases.h"

#include "base/arena.h"
#include "base/budget.h"
#include "base/shell.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/manifest.h"
#include "data/data.h"

#include <stdlib.h>
#include <string.h>

struct stack_slot {
    enum { SLOT_UNKNOWN, SLOT_GOOD, SLOT_RULED_OUT } state;
    struct stack_request request;
    struct data *request_data, *resolution;
};

static const char *said(const struct pairwise_cases *cases, const int *row, size_t factor)
{
    return cases->factors.items[factor].values[row[factor]];
}

/* ---------------------------------------------------------------- the stack */

static struct stack_slot *slot_of(const struct pairwise_cases *cases, const int *row)
{
    size_t number = 0;
    for (size_t i = 0; i < cases->factors.count; i++)
        if (cases->factors.items[i].choice < CHOICE_COUNT)
            number = number * cases->factors.items[i].count + (size_t)row[i];
    return &cases->stacks[number];
}

static void add_slots(struct pairwise_cases *cases)
{
    size_t count = 1;
    for (size_t i = 0; i < cases->factors.count; i++)
        if (cases->factors.items[i].choice < CHOICE_COUNT)
            count *= cases->factors.items[i].count;
    cases->stacks = arena_array(cases->arena, count, sizeof(*cases->stacks));
}

/* True where the matrix has no row for it, or no such variant; other errors are the catalog's. */
static bool is_ruled_out(const struct err *err, const struct stack_request *request)
{
    return err->exit == TG_UNSOLVABLE ||
           (err->exit == TG_USAGE && request_text(request, CHOICE_VARIANT) &&
            strcmp(err->code, "unknown-variant") == 0);
}

static int resolve(struct stack_slot *slot, const struct pairwise_cases *cases, const int *row,
                   struct err *err)
{
    struct making making = cases->making;
    struct given_list nothing = {0};
    struct stack_request request = {0};
    ERR_SCRATCH(inner);
    for (size_t i = 0; i < cases->factors.count; i++)
        if (cases->factors.items[i].choice < CHOICE_COUNT && said(cases, row, i))
            request_say(&request, cases->arena, cases->factors.items[i].choice,
                        said(cases, row, i));
    slot->state = SLOT_GOOD;
    if (making_stack(&making, &nothing, &request, &inner) < 0) {
        slot->state = SLOT_RULED_OUT;
        if (!is_ruled_out(&inner, &request))
            return err_move(err, &inner);
    }
    slot->request = making.request;
    slot->request_data = making.request_data;
    slot->resolution = making.resolution;
    return 0;
}

/* Returns 1; 0 where there is no stack. */
static int take_stack(struct making *out, const struct pairwise_cases *cases, const int *row,
                      struct err *err)
{
    struct stack_slot *slot = slot_of(cases, row);
    if (!cases->making.manifest->has_stack)
        return 1;
    if (slot->state == SLOT_UNKNOWN && resolve(slot, cases, row, err) < 0)
        return -1;
    out->request = slot->request;
    out->request_data = slot->request_data;
    out->resolution = slot->resolution;
    return slot->state == SLOT_GOOD;
}

/* ---------------------------------------------------------------- the answers */

/* Makes guesses, which are skipped where a question is not asked, or does not accept the value. */
static struct given_list guesses(struct arena *arena, const struct pairwise_cases *cases,
                                 const int *row)
{
    struct given_list list = {0};
    for (size_t i = 0; i < cases->factors.count; i++)
        if (cases->factors.items[i].choice == CHOICE_COUNT && said(cases, row, i))
            given_add(&list, arena,
                      (struct given){.name = cases->factors.items[i].name,
                                     .from = GIVEN_GUESS,
                                     .text = said(cases, row, i)});
    return list;
}

/* Gives each its own budget, like a run of its own. Returns 1; 0 where it is ruled out. */
static int answer(struct making *out, struct arena *arena, const struct pairwise_cases *cases,
                  const int *row, struct err *err)
{
    ERR_SCRATCH(inner);
    struct given_list given = guesses(arena, cases, row);
    *out = cases->making;
    if (budget_start(getenv("TMPLGEN_MEMORY"), err) < 0)
        return -1;
    int good = take_stack(out, cases, row, err);
    if (good <= 0)
        return good;
    out->arena = arena;
    if (making_answers(out, &given, making_name(out), &inner) == 0)
        return 1;
    if (inner.exit == TG_UNSOLVABLE || strcmp(inner.code, "invalid-answer") == 0)
        return 0;
    return err_move(err, &inner);
}

/* The value of a question that has these answers; -1: the question was not asked. */
static int effect_of(const struct answers *answers, const struct factor *factor)
{
    for (size_t i = 0; i < answers->guessed_count; i++)
        for (size_t v = 0; v < factor->count; v++)
            if (answers->guessed[i]->text == factor->values[v] &&
                strcmp(answers->guessed[i]->name, factor->name) == 0)
                return (int)v;
    return factor->values[0] == NULL &&
                   str_is_among(factor->name, answers->defaulted, answers->defaulted_count)
               ? 0
               : -1;
}

static int attempt(int *effect, void *context, const int *row, struct err *err)
{
    struct pairwise_cases *cases = context;
    ARENA_SCRATCH(scratch);
    struct making making;
    int good = answer(&making, &scratch, cases, row, err);
    cases->making.is_read |= good == 1; /* one check is enough for all rows */
    for (size_t i = 0; good == 1 && i < cases->factors.count; i++)
        effect[i] = cases->factors.items[i].choice < CHOICE_COUNT
                        ? row[i]
                        : effect_of(&making.answers, &cases->factors.items[i]);
    return good;
}

int cases_find(struct pairwise_cases *out, struct arena *arena, const struct catalog *catalog,
               const char *type, const struct yaml_node *samples, struct err *err)
{
    *out = (struct pairwise_cases){.arena = arena, .making = {.arena = arena, .catalog = catalog}};
    if (making_type(&out->making, type, err) < 0 ||
        factors_find(&out->factors, arena, &out->making, samples, err) < 0)
        return -1;
    add_slots(out);
    size_t *values = arena_array(arena, out->factors.count + 1, sizeof(*values));
    for (size_t i = 0; i < out->factors.count; i++)
        values[i] = out->factors.items[i].count;
    struct pairs_problem problem = {
        .values = values, .count = out->factors.count, .attempt = attempt, .context = out};
    if (pairs_cover(&out->pairs, arena, &problem, err) < 0)
        return -1;
    return out->pairs.count
               ? 0
               : err_set(err, TG_USAGE, "invalid",
                         "the type '%s' takes no combination of answers that was tried", type);
}

int cases_of(struct pairwise_cases *out, const struct pairwise_cases *cases,
             const struct catalog *catalog, struct err *err)
{
    const char **types, *type = cases->making.manifest->type;
    size_t count = catalog_types(&types, cases->arena, catalog->files);
    *out = *cases;
    out->making = (struct making){.arena = cases->arena, .catalog = catalog};
    if (!str_is_among(type, types, count))
        return 0;
    add_slots(out);
    return making_type(&out->making, type, err) < 0 ? -1 : 1;
}

int cases_render(struct making *out, struct arena *arena, const struct pairwise_cases *cases,
                 size_t number, struct err *err)
{
    int good = answer(out, arena, cases, cases->pairs.rows[number], err);
    return good == 1 && making_render(out, err) < 0 ? -1 : good;
}

const char *cases_label(struct arena *arena, const struct pairwise_cases *cases, size_t number)
{
    const int *row = cases->pairs.rows[number];
    const char **parts = arena_array(arena, cases->factors.count + 1, sizeof(*parts));
    size_t count = 0;
    for (size_t i = 0; i < cases->factors.count; i++)
        if (said(cases, row, i))
            parts[count++] =
                arena_printf(arena, "%s=%s", cases->factors.items[i].name, said(cases, row, i));
    return count ? str_join(arena, parts, count, " ") : "defaults";
}

const char *cases_command(struct arena *arena, const struct pairwise_cases *cases, size_t number,
                          const char *source)
{
    const int *row = cases->pairs.rows[number];
    const char *text = shell_command(arena, "tmplgen template render %s --catalog %s",
                                     cases->making.manifest->type, source);
    for (size_t i = 0; i < cases->factors.count; i++) {
        const struct factor *factor = &cases->factors.items[i];
        if (!said(cases, row, i))
            continue;
        const char *value =
            arena_printf(arena, "%s%s%s", factor->choice == CHOICE_COUNT ? factor->name : "",
                         factor->choice == CHOICE_COUNT ? "=" : "", said(cases, row, i));
        const char *option = factor->choice == CHOICE_COUNT ? "set" : factor->name;
        text = arena_printf(arena, "%s --%s %s", text, option, shell_word(arena, value));
    }
    return text;
}

size_t cases_unreached(const char ***out, struct arena *arena, const struct pairwise_cases *cases)
{
    size_t count = 0, value = 0;
    *out = NULL;
    for (size_t i = 0; i < cases->factors.count; i++) {
        const struct factor *factor = &cases->factors.items[i];
        for (size_t v = 0; v < factor->count; v++, value++) {
            if (cases->pairs.reached[value] || !factor->values[v])
                continue;
            arena_push(arena, *out, count) =
                arena_printf(arena, "%s=%s", factor->name, factor->values[v]);
        }
    }
    return count;
}
