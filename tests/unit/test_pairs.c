/* author/test/pairs: every two values meet, as far as they can. */
#include "author/test/cases.h"
#include "base/arena.h"
#include "unit/test.h"

#include <string.h>

/* Factors 0 and 1 switch on 2; what is ruled out is a pair of values. */
struct rules {
    size_t count;
    bool chained; /* factor i + 1 has an effect only beside value 1 of factor i */
    int out[4];   /* factor, value, factor, value; -1: nothing */
};

static int attempt(int *effect, void *context, const int *row, struct err *err)
{
    const struct rules *rules = context;
    (void)err;
    for (size_t i = 0; i < rules->count; i++)
        effect[i] = rules->chained && i > 0 && effect[i - 1] != 1 ? -1 : row[i];
    const int *out = rules->out;
    return out[0] < 0 || effect[out[0]] != out[1] || effect[out[2]] != out[3];
}

static struct pair_rows cover(struct arena *arena, struct rules *rules, const size_t *values)
{
    struct pair_rows out;
    ERR_SCRATCH(err);
    struct pairs_problem problem = {
        .values = values, .count = rules->count, .attempt = attempt, .context = rules};
    assert_int_equal(pairs_cover(&out, arena, &problem, &err), 0);
    return out;
}

/* The pairs that the rows show, counted apart from how they were found. */
static size_t shown(const struct pair_rows *rows, struct rules *rules)
{
    static uint8_t met[8][8][8][8];
    size_t count = 0;
    memset(met, 0, sizeof(met));
    for (size_t r = 0; r < rows->count; r++) {
        int effect[8];
        assert_int_equal(attempt(effect, rules, rows->rows[r], NULL), 1);
        for (size_t i = 0; i < rules->count; i++)
            for (size_t j = i + 1; j < rules->count; j++)
                if (effect[i] >= 0 && effect[j] >= 0) {
                    count += !met[i][effect[i]][j][effect[j]];
                    met[i][effect[i]][j][effect[j]] = 1;
                }
    }
    return count;
}

TEST(test_pairs__all_meet_in_few_rows)
{
    ARENA_SCRATCH(arena);
    struct rules rules = {.count = 4, .out = {-1}};
    const size_t values[] = {3, 3, 3, 3};
    struct pair_rows out = cover(&arena, &rules, values);
    assert_int_equal(out.met, 6 * 9);
    assert_int_equal(shown(&out, &rules), 6 * 9);
    assert_int_equal(out.ruled_out, 0);
    assert_true(out.count <= 13); /* 9 at least, of 81 */
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(out.rows[0][i], 0);
}

TEST(test_pairs__a_chain_of_conditions_is_followed)
{
    ARENA_SCRATCH(arena);
    struct rules rules = {.count = 5, .chained = true, .out = {-1}};
    const size_t values[] = {2, 2, 2, 2, 2};
    struct pair_rows out = cover(&arena, &rules, values);
    /* value 0 of one goes with no later one; value 1 with both of the next, and so on */
    assert_int_equal(out.met, shown(&out, &rules));
    assert_int_equal(out.met, (4 + 3 + 2 + 1) * 2);
    for (size_t i = 0; i < 10; i++)
        assert_true(out.reached[i]);
}

TEST(test_pairs__what_is_ruled_out_is_in_no_row)
{
    ARENA_SCRATCH(arena);
    struct rules rules = {.count = 3, .out = {0, 1, 2, 0}};
    const size_t values[] = {2, 3, 2};
    struct pair_rows out = cover(&arena, &rules, values);
    assert_int_equal(out.ruled_out, 1);
    assert_int_equal(out.met, 6 + 4 + 6 - 1);
    assert_int_equal(shown(&out, &rules), out.met);
}

TEST(test_pairs__the_first_may_be_ruled_out)
{
    ARENA_SCRATCH(arena);
    struct rules rules = {.count = 2, .out = {0, 0, 1, 0}};
    const size_t values[] = {2, 2};
    struct pair_rows out = cover(&arena, &rules, values);
    assert_int_equal(out.count, 3);
    assert_int_equal(out.ruled_out, 1);
}

TEST(test_pairs__a_single_factor_has_all_its_values)
{
    ARENA_SCRATCH(arena);
    struct rules rules = {.count = 1, .out = {-1}};
    const size_t values[] = {4};
    struct pair_rows out = cover(&arena, &rules, values);
    assert_int_equal(out.count, 4);
    rules.count = 0;
    assert_int_equal(cover(&arena, &rules, values).count, 1);
}

TEST(test_pairs__all_may_be_ruled_out)
{
    ARENA_SCRATCH(arena);
    struct rules rules = {.count = 1, .out = {0, 0, 0, 0}};
    const size_t values[] = {1};
    struct pair_rows out = cover(&arena, &rules, values);
    assert_int_equal(out.count, 0);
    assert_false(out.reached[0]);
}
