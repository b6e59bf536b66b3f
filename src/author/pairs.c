/* Combinations in which every two values of two things meet at least once. */
#include "author/pairs.h"

#include "base/arena.h"
#include "base/interrupt.h"
#include "base/limits.h"

#include <stdbool.h>
#include <string.h>

struct cover {
    struct arena *arena;
    const struct pairs_problem *problem;
    struct pair_rows *out;
    size_t *first;  /* of each factor: the number of its level 0 among all levels */
    size_t *factor; /* of each level: its factor */
    size_t levels;
    const int **witness; /* of each level: a row in which it has an effect; or NULL */
    int **tried;         /* the first row that is not ruled out, and those that are a witness */
    size_t tried_count;
    bool *met; /* by two levels */
    struct err *err;
};

static bool *pair(const struct cover *c, size_t a, size_t b)
{
    return &c->met[a < b ? a * c->levels + b : b * c->levels + a];
}

static size_t level(const struct cover *c, size_t factor, int value)
{
    return c->first[factor] + (size_t)value;
}

static int *copy(const struct cover *c, const int *row)
{
    return (int *)(void *)arena_memdup(c->arena, row, c->problem->count * sizeof(*row));
}

static const int *keep(struct cover *c, const int *row)
{
    c->tried = arena_grow(c->arena, c->tried, c->tried_count, sizeof(*c->tried));
    return c->tried[c->tried_count++] = copy(c, row);
}

/* A row that is not ruled out is remembered where it is the first to show a level's effect. */
static int attempt(int *effect, struct cover *c, const int *row)
{
    if (interrupt_check(c->err) < 0)
        return -1;
    int good = c->problem->attempt(effect, c->problem->context, row, c->err);
    const int *kept = NULL;
    if (good == 1 && c->tried_count == 0)
        kept = keep(c, row);
    for (size_t i = 0; good == 1 && i < c->problem->count; i++) {
        if (effect[i] < 0 || c->witness[level(c, i, effect[i])])
            continue;
        kept = kept ? kept : keep(c, row);
        c->witness[level(c, i, effect[i])] = kept;
    }
    return good;
}

/* Each level that no row shows yet, put into each of those that there are, until that helps no
 * more. */
static int find_witnesses(struct cover *c)
{
    int *effect = arena_array(c->arena, c->problem->count + 1, sizeof(*effect));
    for (size_t at = 0; at < c->tried_count; at++)
        for (size_t l = 0; l < c->levels; l++) {
            if (c->witness[l])
                continue;
            int *row = copy(c, c->tried[at]);
            row[c->factor[l]] = (int)(l - c->first[c->factor[l]]);
            if (attempt(effect, c, row) < 0)
                return -1;
        }
    return 0;
}

/* How many pairs a level would make with those that are chosen. */
static size_t gain(const struct cover *c, const int *row, const bool *chosen, size_t l)
{
    size_t count = 0;
    for (size_t i = 0; i < c->problem->count; i++)
        count += chosen[i] && !*pair(c, l, level(c, i, row[i]));
    return count;
}

/* The other factors, one after the other, have the level that makes most new pairs. */
static void fill_greedily(const struct cover *c, int *row, bool *chosen)
{
    for (size_t i = 0; i < c->problem->count; i++) {
        size_t best = 0;
        if (chosen[i])
            continue;
        for (size_t v = 0; v < c->problem->levels[i]; v++) {
            size_t l = level(c, i, (int)v), more = c->witness[l] ? gain(c, row, chosen, l) : 0;
            if (more > best) {
                best = more;
                row[i] = (int)v;
            }
        }
        chosen[i] = true;
    }
}

/* Two levels meet in a row; a level meets itself where it has an effect at all. */
static size_t meet(struct cover *c, const int *effect)
{
    size_t more = 0, count = c->problem->count;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; effect[i] >= 0 && j < count; j++) {
            if (effect[j] < 0)
                continue;
            bool *met = pair(c, level(c, i, effect[i]), level(c, j, effect[j]));
            more += !*met;
            c->out->met += !*met && i != j;
            *met = true;
        }
    return more;
}

/* The row becomes one of the result if something meets in it for the first time. */
static int take(struct cover *c, const int *row, const int *effect)
{
    if (meet(c, effect) == 0 && c->out->count)
        return 0;
    if (c->out->count == LIMIT_CASES)
        return err_set(c->err, TG_USAGE, "limit", "the answers of a type give more than %zu cases",
                       LIMIT_CASES);
    c->out->rows = arena_grow(c->arena, c->out->rows, c->out->count, sizeof(*c->out->rows));
    c->out->rows[c->out->count++] = copy(c, row);
    return 0;
}

enum { TRIES = 5 };

/*
 * A row for two levels: first one that makes many other pairs, too; then what one of them needs to
 * have an effect, with the other; then what both need.
 */
static int *make_try(const struct cover *c, size_t a, size_t b, int number)
{
    bool *chosen = arena_array(c->arena, c->problem->count + 1, sizeof(*chosen));
    int *row = copy(c, c->witness[number % 2 ? b : a]);
    const int *other = c->witness[number % 2 ? a : b], *plain = c->tried[0];
    for (size_t i = 0; i < c->problem->count; i++) {
        if (row[i] == plain[i] && number != 1 && number != 2)
            row[i] = other[i];
        chosen[i] = number > 0 || row[i] != plain[i];
    }
    row[c->factor[a]] = (int)(a - c->first[c->factor[a]]);
    row[c->factor[b]] = (int)(b - c->first[c->factor[b]]);
    chosen[c->factor[a]] = chosen[c->factor[b]] = true;
    fill_greedily(c, row, chosen);
    return row;
}

static int cover_pair(struct cover *c, size_t a, size_t b)
{
    int *effect = arena_array(c->arena, c->problem->count + 1, sizeof(*effect));
    for (int number = 0; number < TRIES; number++) {
        const int *row = make_try(c, a, b, number);
        int good = attempt(effect, c, row);
        if (good < 0 || (good && take(c, row, effect) < 0))
            return -1;
        if (*pair(c, a, b))
            return 0;
    }
    c->out->ruled_out++;
    return 0;
}

static int cover_all(struct cover *c)
{
    int *effect = arena_array(c->arena, c->problem->count + 1, sizeof(*effect));
    if (attempt(effect, c, c->tried[0]) < 0 || take(c, c->tried[0], effect) < 0)
        return -1;
    for (size_t a = 0; a < c->levels; a++)
        for (size_t b = a + 1; b < c->levels; b++)
            if (c->factor[a] != c->factor[b] && c->witness[a] && c->witness[b] && !*pair(c, a, b) &&
                cover_pair(c, a, b) < 0)
                return -1;
    for (size_t l = 0; l < c->levels; l++) /* of a single factor, or beside none */
        if (c->witness[l] && !*pair(c, l, l) &&
            (attempt(effect, c, c->witness[l]) < 0 || take(c, c->witness[l], effect) < 0))
            return -1;
    for (size_t l = 0; l < c->levels; l++)
        c->out->reached[l] = *pair(c, l, l);
    return 0;
}

/* All of level 0; where that is ruled out, the first that is not with one other level. */
static int find_first(struct cover *c)
{
    int *row = arena_array(c->arena, c->problem->count + 1, sizeof(*row));
    int *effect = arena_array(c->arena, c->problem->count + 1, sizeof(*effect));
    int good = attempt(effect, c, row);
    for (size_t l = 0; good == 0 && l < c->levels; l++) {
        size_t factor = c->factor[l];
        row[factor] = (int)(l - c->first[factor]);
        good = attempt(effect, c, row);
        row[factor] = 0;
    }
    return good;
}

int pairs_cover(struct pair_rows *out, struct arena *arena, const struct pairs_problem *problem,
                struct err *err)
{
    struct cover c = {.arena = arena, .problem = problem, .out = out, .err = err};
    *out = (struct pair_rows){0};
    c.first = arena_array(arena, problem->count + 1, sizeof(*c.first));
    for (size_t i = 0; i < problem->count; i++) {
        c.first[i] = c.levels;
        c.levels += problem->levels[i];
    }
    if (c.levels > LIMIT_LEVELS)
        return err_set(err, TG_USAGE, "limit",
                       "the questions of a type have more than %zu values to try", LIMIT_LEVELS);
    c.factor = arena_array(arena, c.levels + 1, sizeof(*c.factor));
    for (size_t i = 0; i < problem->count; i++)
        for (size_t v = 0; v < problem->levels[i]; v++)
            c.factor[c.first[i] + v] = i;
    c.witness = arena_array(arena, c.levels + 1, sizeof(*c.witness));
    c.met = arena_array(arena, c.levels * c.levels + 1, sizeof(*c.met));
    out->reached = arena_array(arena, c.levels + 1, sizeof(*out->reached));
    int good = find_first(&c);
    if (good <= 0 || !c.tried)
        return good;
    return find_witnesses(&c) < 0 ? -1 : cover_all(&c);
}
