/* Command lines: both forms of a value, switches, the end of options, and exact refusals. */
#include "base/arena.h"
#include "cmd/common/opt.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <string.h>

static const struct option options[] = {
    {"type", "TYPE", "kind", false},
    {"gpu", "MODEL", "gpu", true},
    {"json", NULL, "json", false},
    {NULL, NULL, NULL, false},
};
static const struct option_group groups[] = {{"All", options}, {NULL, NULL}};

static int parse(struct parsed *out, struct arena *arena, struct err *err, size_t count,
                 const char *const *words)
{
    return opt_parse(out, arena, groups, words, count, err);
}

TEST(test_opt__takes_both_forms_of_a_value)
{
    static const char *const words[] = {"a", "--type=x=y", "--gpu", "T4", "--gpu=A100", "--json"};
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct parsed parsed;
    assert_int_equal(parse(&parsed, &arena, &err, 6, words), 0);
    assert_string_equal(opt_value(&parsed, "type"), "x=y");
    const struct words gpus = opt_values(&arena, &parsed, "gpu");
    assert_int_equal(gpus.count, 2);
    assert_string_equal(gpus.items[0], "T4");
    assert_string_equal(gpus.items[1], "A100");
    assert_true(opt_given(&parsed, "json"));
    assert_int_equal(parsed.argument_count, 1);
}

TEST(test_opt__ends_options_at_two_dashes)
{
    static const char *const words[] = {"--", "--type", "-"};
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct parsed parsed;
    assert_int_equal(parse(&parsed, &arena, &err, 3, words), 0);
    assert_int_equal(parsed.argument_count, 2);
    assert_null(opt_value(&parsed, "type"));
}

TEST(test_opt__refuses_with_the_nearest_name)
{
    static const struct {
        const char *words[2];
        size_t count;
        const char *message, *hint;
    } cases[] = {
        {{"--tpye", "x"}, 2, "unknown option '--tpye'", "did you mean '--type'?"},
        {{"--tpye=x"}, 1, "unknown option '--tpye'", "did you mean '--type'?"},
        {{"--type"}, 1, "'--type' needs a value: TYPE", NULL},
        {{"--json=1"}, 1, "'--json' takes no value", NULL},
        {{"--type=a", "--type=b"}, 2, "'--type' is given twice", NULL},
        {{"-j"},
         1,
         "unknown option '-j'",
         "only -h, -q, -v and -V are short: --help lists the others"},
    };
    for (EACH_ROW(i, cases, cases[i].words[0])) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        struct parsed parsed;
        assert_int_equal(parse(&parsed, &arena, &err, cases[i].count, cases[i].words), -1);
        assert_int_equal(err.exit, TG_USAGE);
        assert_string_equal(err.message, cases[i].message);
        if (cases[i].hint)
            assert_string_equal(err.hint, cases[i].hint);
        else
            assert_null(err.hint);
    }
}
