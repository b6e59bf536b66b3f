/* What one run may spend: memory, steps, rendered bytes, and on whose account. */
#include "base/arena.h"
#include "base/budget.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/parallel.h"
#include "data/data.h"
#include "data/json.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <stdlib.h>
#include <string.h>

static void assert_limit(const struct err *err, const char *words)
{
    assert_int_equal(err->exit, TG_USAGE);
    assert_string_equal(err->code, "limit");
    assert_non_null(strstr(err->message, words));
}

static void begin(void)
{
    ERR_SCRATCH(err);
    assert_int_equal(budget_start("64", &err), 0);
}

TEST(test_budget__counts_arenas_until_they_are_released)
{
    ERR_SCRATCH(err);
    struct arena arena = ARENA_INIT;
    begin();
    for (size_t i = 0; i < 63; i++) {
        (void)arena_alloc(&arena, LIMIT_MIB);
        assert_int_equal(budget_check(&err), 0);
    }
    assert_int_equal(budget_room(LIMIT_MIB / 2, &err), 0);
    assert_int_equal(budget_room(LIMIT_MIB, &err), -1);
    assert_limit(&err, "more than 64 MiB of memory");
    assert_int_equal(budget_check(&err), 0); /* it was not taken */
    (void)arena_alloc(&arena, 2 * LIMIT_MIB);
    assert_int_equal(budget_check(&err), -1);
    assert_limit(&err, "more than 64 MiB of memory");
    assert_non_null(strstr(err.hint, "TMPLGEN_MEMORY=128"));
    arena_release(&arena);
    assert_true(account_has_room(64 * LIMIT_MIB));
    assert_int_equal(budget_check(&err), -1); /* what was read meanwhile may lack its end */
    begin();
    assert_int_equal(budget_check(&err), 0);
}

TEST(test_budget__counts_buffers_by_their_room)
{
    static char mebibyte[LIMIT_MIB];
    for (int round = 0; round < 3; round++) { /* what is released is had again */
        BUF_SCRATCH(buf, 64 * LIMIT_MIB);
        BUF_SCRATCH(other, 64 * LIMIT_MIB);
        begin();
        while (buf.len < 20 * LIMIT_MIB) /* a little more than 32 MiB of room */
            (void)buf_append(&buf, mebibyte, sizeof(mebibyte));
        assert_false(account_is_spent());
        while (other.len < 20 * LIMIT_MIB)
            (void)buf_append(&other, mebibyte, sizeof(mebibyte));
        assert_true(account_is_spent());
        buf_release(&buf);
        buf_release(&other);
        assert_true(account_has_room(64 * LIMIT_MIB));
    }
}

static void take_foreign(struct arena *arena, size_t bytes)
{
    ACCOUNT_SCOPE(ACCOUNT_FOREIGN);
    (void)arena_alloc(arena, bytes);
}

static void take_own(struct arena *arena, size_t bytes)
{
    ACCOUNT_SCOPE(ACCOUNT_OWN);
    (void)arena_alloc(arena, bytes);
    assert_false(account_is_spent());
    ARENA_SCRATCH(foreign); /* the caller */
    take_foreign(&foreign, 65 * LIMIT_MIB);
    assert_true(account_is_spent());
}

TEST(test_budget__a_users_own_data_are_free)
{
    ARENA_SCRATCH(arena);
    for (int round = 0; round < 3; round++) { /* nothing is given back that was not counted */
        begin();
        take_own(&arena, 70 * LIMIT_MIB);
        assert_true(account_has_room(64 * LIMIT_MIB));
        arena_release(&arena);
        assert_true(account_has_room(64 * LIMIT_MIB));
        assert_false(account_has_room(64 * LIMIT_MIB + 1));
    }
    (void)arena_alloc(&arena, 65 * LIMIT_MIB);
    assert_true(account_is_spent());
}

static void take_in_a_thread(void *context, size_t number)
{
    (void)arena_alloc(&((struct arena *)context)[number], 20 * LIMIT_MIB);
}

TEST(test_budget__threads_are_on_the_account_of_their_starter)
{
    for (int own = 0; own < 2; own++) {
        struct arena arenas[8] = {ARENA_INIT};
        ACCOUNT_SCOPE(own ? ACCOUNT_OWN : ACCOUNT_FOREIGN);
        begin();
        parallel_run(own ? 8 : 3, 8, take_in_a_thread, arenas);
        assert_int_equal(account_has_room(5 * LIMIT_MIB), own);
        for (size_t i = 0; i < 8; i++)
            arena_release(&arenas[i]);
    }
}

/* "[", many "[],", "{}]": more than 64 MiB while it is read, little when it has been. */
static void put_lists(struct buf *text, size_t bytes)
{
    (void)buf_puts(text, "{\"junk\": [");
    while (text->len < bytes)
        (void)buf_puts(text, "[],");
    (void)buf_puts(text, "[]], \"last\": {\"a\": 1}}");
}

TEST(test_budget__counts_what_the_json_library_takes)
{
    ERR_SCRATCH(err);
    for (size_t kib = 64; kib <= 4096; kib *= 4) { /* all of it, or none */
        BUF_SCRATCH(text, 8 * LIMIT_MIB);
        ARENA_SCRATCH(arena);
        struct data *data = NULL;
        put_lists(&text, kib * LIMIT_KIB);
        begin();
        int rc =
            json_parse_large(&data, &arena, "x", span_of(text.ptr, text.len), 8 * LIMIT_MIB, &err);
        if (rc == 0)
            assert_non_null(data_get(data_get(data, "last"), "a"));
        else
            assert_limit(&err, "more than 64 MiB of memory");
        assert_true(kib > 128 || rc == 0);
        assert_true(kib < 3072 || rc < 0);
    }
}

TEST(test_budget__steps_add_up_over_a_run)
{
    ERR_SCRATCH(err);
    assert_int_equal(budget_start(NULL, &err), 0);
    assert_int_equal(budget_steps(LIMIT_RUN_STEPS - 1, &err), 0);
    assert_int_equal(budget_steps(1, &err), 0);
    assert_int_equal(budget_steps(1, &err), -1);
    assert_limit(&err, "more than 20000000 steps");
    assert_int_equal(budget_start(NULL, &err), 0);
    assert_int_equal(budget_steps(SIZE_MAX, &err), -1);
    assert_int_equal(budget_steps_of(0), 1);
    assert_true(budget_steps_of(LIMIT_MIB) > 10000);
}

TEST(test_budget__rendered_bytes_add_up_over_a_run)
{
    ERR_SCRATCH(err);
    assert_int_equal(budget_start(NULL, &err), 0);
    assert_int_equal(budget_rendered(LIMIT_RUN_RENDERED_BYTES, &err), 0);
    assert_int_equal(budget_rendered(1, &err), -1);
    assert_limit(&err, "more than 1024 MiB would be rendered");
}

TEST(test_budget__memory_is_a_number_that_makes_sense)
{
    static const char *const bad[] = {"0",    "63",    "-1",      "1e3",
                                      "512M", " 512",  "+512",    "abc",
                                      "512 ", "0x200", "1048577", "99999999999999999999"};
    ERR_SCRATCH(err);
    for (EACH_ROW(i, bad, bad[i])) {
        assert_int_equal(budget_start(bad[i], &err), -1);
        assert_int_equal(err.exit, TG_USAGE);
    }
    assert_int_equal(budget_start("1048576", &err), 0);
    assert_int_equal(budget_start("", &err), 0);
}
