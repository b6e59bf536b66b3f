/* Finds combinations in which every two values of two factors meet at least once. */
#include "author/test/cases.h"

#include "base/arena.h"
#include "base/limits.h"
#include "io/interrupt.h"

#include <stdbool.h>

struct pair_coverage {
    struct arena *arena;
    const struct pairs_problem *problem;
    struct pair_rows *out;
    size_t *first;  /* of each factor: the number of its value 0 among all values */
    size_t *factor; /* of each value: its factor */
    size_t values;
    const int **witness; /* for each value: a row in which it has an effect; or NULL */
    int **tried;         /* the first row that is not ruled out, and the witnesses */
    size_t tried_count;
    bool *settled; /* for two values: they have met, or never will */
    size_t *left;  /* for each value: the number of its pairs that are not settled */
    struct err *err;
};

static bool *pair(const struct pair_coverage *c, size_t a, size_t b)
{
    return &c->settled[a < b ? a * c->values + b : b * c->values + a];
}

static size_t value_number(const struct pair_coverage *c, size_t factor, int value)
{
    return c->first[factor] + (size_t)value;
}

static int *copy(const struct pair_coverage *c, const int *row)
{
    return (int *)(void *)arena_memdup(c->arena, row, c->problem->count * sizeof(*row));
}

static const int *keep(struct pair_coverage *c, const int *row)
{
    return arena_push(c->arena, c->tried, c->tried_count) = copy(c, row);
}

/* Tries a row; keeps it where it is not ruled out and the first to show a value's effect. */
static int attempt(int *effect, struct pair_coverage *c, const int *row)
{
    if (interrupt_check(c->err) < 0)
        return -1;
    int good = c->problem->attempt(effect, c->problem->context, row, c->err);
    const int *kept = NULL;
    if (good == 1 && c->tried_count == 0)
        kept = keep(c, row);
    for (size_t i = 0; good == 1 && i < c->problem->count; i++) {
        if (effect[i] < 0 || c->witness[value_number(c, i, effect[i])])
            continue;
        kept = kept ? kept : keep(c, row);
        c->witness[value_number(c, i, effect[i])] = kept;
    }
    return good;
}

/* Each value that no row shows yet, put into each of those that there are, until that helps no
 * more. */
static int find_witnesses(struct pair_coverage *c)
{
    int *effect = arena_array(c->arena, c->problem->count + 1, sizeof(*effect));
    for (size_t at = 0; at < c->tried_count; at++)
        for (size_t l = 0; l < c->values; l++) {
            if (c->witness[l])
                continue;
            int *row = copy(c, c->tried[at]);
            row[c->factor[l]] = (int)(l - c->first[c->factor[l]]);
            if (attempt(effect, c, row) < 0)
                return -1;
        }
    return 0;
}

/* The number of new pairs that a value would make with the chosen ones. */
static size_t gain(const struct pair_coverage *c, const int *row, const bool *chosen, size_t l)
{
    size_t count = 0;
    for (size_t i = 0; i < c->problem->count; i++)
        count += chosen[i] && !*pair(c, l, value_number(c, i, row[i]));
    return count;
}

/*
 * The value of a factor that makes most new pairs with the chosen ones; of equals the one with most
 * pairs left.
 */
static int best_value(const struct pair_coverage *c, const int *row, const bool *chosen,
                      size_t factor)
{
    size_t best = 0, most = 0;
    int found = row[factor];
    for (size_t v = 0; v < c->problem->values[factor]; v++) {
        size_t l = value_number(c, factor, (int)v),
               more = c->witness[l] ? gain(c, row, chosen, l) : 0;
        if (more > best || (more == best && c->left[l] > most)) {
            best = more;
            most = c->left[l];
            found = (int)v;
        }
    }
    return found;
}

/* Settles a pair; true where it was not settled before. */
static bool settle(struct pair_coverage *c, size_t a, size_t b)
{
    bool *settled = pair(c, a, b);
    if (*settled)
        return false;
    *settled = true;
    c->left[a]--;
    c->left[b] -= a != b;
    return true;
}

/* Settles each pair that meets in a row; a value with an effect also meets itself. */
static size_t meet(struct pair_coverage *c, const int *effect)
{
    size_t more = 0, count = c->problem->count;
    for (size_t i = 0; i < count; i++)
        for (size_t j = i; effect[i] >= 0 && j < count; j++) {
            if (effect[j] < 0 ||
                !settle(c, value_number(c, i, effect[i]), value_number(c, j, effect[j])))
                continue;
            more++;
            c->out->met += i != j;
        }
    return more;
}

/* Adds the row to the result if a pair meets in it for the first time. */
static int take(struct pair_coverage *c, const int *row, const int *effect)
{
    if (meet(c, effect) == 0 && c->out->count)
        return 0;
    if (c->out->count == LIMIT_CASES)
        return err_set(c->err, TG_USAGE, "limit", "the answers of a type give more than %zu cases",
                       LIMIT_CASES);
    arena_push(c->arena, c->out->rows, c->out->count) = copy(c, row);
    return 0;
}

/* A pair of values to find a row for, and the row so far. */
struct seed {
    size_t a, b;
    int *row, *effect;
    bool *chosen; /* factors that the pair needs unchanged, and those already settled */
};

static bool has_effect(const struct pair_coverage *c, const struct seed *seed, size_t l)
{
    return seed->effect[c->factor[l]] == (int)(l - c->first[c->factor[l]]);
}

/* Returns 1 where the row is not ruled out and the pair meets in it. */
static int shows(struct pair_coverage *c, const struct seed *seed)
{
    int good = attempt(seed->effect, c, seed->row);
    return good == 1 ? has_effect(c, seed, seed->a) && has_effect(c, seed, seed->b) : good;
}

enum { TRIES = 3 };

/* Begins with the needs of one of the two, or of both, and the pair itself. */
static void begin(const struct pair_coverage *c, struct seed *seed, int number)
{
    const int *one = c->witness[number == 1 ? seed->b : seed->a];
    const int *other = c->witness[number == 1 ? seed->a : seed->b], *plain = c->tried[0];
    size_t fa = c->factor[seed->a], fb = c->factor[seed->b];
    for (size_t i = 0; i < c->problem->count; i++) {
        seed->row[i] = number == 2 && one[i] == plain[i] ? other[i] : one[i];
        seed->chosen[i] = i == fa || i == fb || seed->row[i] != plain[i];
    }
    seed->row[fa] = (int)(seed->a - c->first[fa]);
    seed->row[fb] = (int)(seed->b - c->first[fb]);
}

/*
 * Gives the other factors, one after the other, the value that makes most new pairs, as long as the
 * pair still meets.
 */
static int enrich(struct pair_coverage *c, struct seed *seed)
{
    for (size_t i = 0; i < c->problem->count; i++) {
        int before = seed->row[i];
        if (seed->chosen[i])
            continue;
        seed->row[i] = best_value(c, seed->row, seed->chosen, i);
        int good = seed->row[i] == before ? 1 : shows(c, seed);
        if (good < 0)
            return -1;
        if (!good)
            seed->row[i] = before;
        seed->chosen[i] = true;
    }
    return shows(c, seed);
}

static int cover_pair(struct pair_coverage *c, size_t a, size_t b)
{
    size_t count = c->problem->count + 1;
    struct seed seed = {.a = a,
                        .b = b,
                        .row = arena_array(c->arena, count, sizeof(*seed.row)),
                        .effect = arena_array(c->arena, count, sizeof(*seed.effect)),
                        .chosen = arena_array(c->arena, count, sizeof(*seed.chosen))};
    for (int number = 0; number < TRIES; number++) {
        begin(c, &seed, number);
        int good = shows(c, &seed);
        if (good == 1)
            good = enrich(c, &seed);
        if (good)
            return good < 0 ? -1 : take(c, seed.row, seed.effect);
    }
    c->out->ruled_out++;
    (void)settle(c, a, b);
    return 0;
}

/* The value with most pairs left, of those that may still meet `other` (VALUE_NONE: any). */
#define VALUE_NONE ((size_t)-1)
static size_t busiest(const struct pair_coverage *c, size_t other)
{
    size_t found = VALUE_NONE;
    for (size_t l = 0; l < c->values; l++) {
        bool open =
            c->witness[l] && c->left[l] &&
            (other == VALUE_NONE || (c->factor[l] != c->factor[other] && !*pair(c, l, other)));
        if (open && (found == VALUE_NONE || c->left[l] > c->left[found]))
            found = l;
    }
    return found;
}

/* Each value may meet those of other factors, and itself. */
static void count_left(struct pair_coverage *c)
{
    size_t shown = 0;
    for (size_t l = 0; l < c->values; l++)
        shown += c->witness[l] != NULL;
    for (size_t i = 0; i < c->problem->count; i++) {
        size_t own = 0;
        for (size_t v = 0; v < c->problem->values[i]; v++)
            own += c->witness[value_number(c, i, (int)v)] != NULL;
        for (size_t v = 0; v < c->problem->values[i]; v++)
            c->left[value_number(c, i, (int)v)] = shown - own + 1;
    }
}

static int cover_all(struct pair_coverage *c)
{
    int *effect = arena_array(c->arena, c->problem->count + 1, sizeof(*effect));
    count_left(c);
    if (attempt(effect, c, c->tried[0]) < 0 || take(c, c->tried[0], effect) < 0)
        return -1;
    for (size_t a; (a = busiest(c, VALUE_NONE)) != VALUE_NONE;) {
        size_t b = busiest(c, a);
        if (b != VALUE_NONE) {
            if (cover_pair(c, a, b) < 0)
                return -1;
            continue;
        }
        /* a single factor's value, or one that meets no other: takes its witness */
        if (attempt(effect, c, c->witness[a]) < 0 || take(c, c->witness[a], effect) < 0)
            return -1;
        (void)settle(c, a, a);
    }
    for (size_t l = 0; l < c->values; l++)
        c->out->reached[l] = *pair(c, l, l);
    return 0;
}

/* The row of all zeros; where that is ruled out, the first valid row with one other value. */
static int find_first(struct pair_coverage *c)
{
    int *row = arena_array(c->arena, c->problem->count + 1, sizeof(*row));
    int *effect = arena_array(c->arena, c->problem->count + 1, sizeof(*effect));
    int good = attempt(effect, c, row);
    for (size_t l = 0; good == 0 && l < c->values; l++) {
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
    struct pair_coverage c = {.arena = arena, .problem = problem, .out = out, .err = err};
    *out = (struct pair_rows){0};
    c.first = arena_array(arena, problem->count + 1, sizeof(*c.first));
    for (size_t i = 0; i < problem->count; i++) {
        c.first[i] = c.values;
        c.values += problem->values[i];
    }
    if (c.values > LIMIT_FACTOR_VALUES)
        return err_set(err, TG_USAGE, "limit",
                       "the questions of a type have more than %zu values to try",
                       LIMIT_FACTOR_VALUES);
    c.factor = arena_array(arena, c.values + 1, sizeof(*c.factor));
    for (size_t i = 0; i < problem->count; i++)
        for (size_t v = 0; v < problem->values[i]; v++)
            c.factor[c.first[i] + v] = i;
    c.witness = arena_array(arena, c.values + 1, sizeof(*c.witness));
    c.left = arena_array(arena, c.values + 1, sizeof(*c.left));
    c.settled = arena_array(arena, c.values * c.values + 1, sizeof(*c.settled));
    out->reached = arena_array(arena, c.values + 1, sizeof(*out->reached));
    int good = find_first(&c);
    if (good <= 0 || !c.tried)
        return good;
    return find_witnesses(&c) < 0 ? -1 : cover_all(&c);
}
