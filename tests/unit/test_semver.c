/* Semantic versions: what is one, and which is newer. */
#include "catalog/semver.h"
#include "unit/rows.h"
#include "unit/test.h"

TEST(test_semver__order_is_that_of_semver_org)
{
    static const char *const rising[] = {
        "0.0.0-0",       "0.0.0",           "0.0.9",
        "0.0.10",        "1.0.0-0",         "1.0.0-1",
        "1.0.0-2",       "1.0.0-10",        "1.0.0-alpha",
        "1.0.0-alpha.1", "1.0.0-alpha.1.0", "1.0.0-alpha.beta",
        "1.0.0-beta",    "1.0.0-beta.2",    "1.0.0-beta.11",
        "1.0.0-rc.1",    "1.0.0",           "1.2.0",
        "1.10.0",        "2.0.0",           "18446744073709551600.0.0"};
    for (EACH_ROW(i, rising, rising[i]))
        for (size_t j = 0; j < COUNT(rising); j++) {
            struct semver a, b;
            assert_true(semver_parse(&a, rising[i]));
            assert_true(semver_parse(&b, rising[j]));
            int order = semver_compare(&a, &b);
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

TEST(test_semver__build_metadata_does_not_count)
{
    struct semver a, b;
    assert_true(semver_parse(&a, "1.0.0-rc.1+001"));
    assert_true(semver_parse(&b, "1.0.0-rc.1+exp.sha-5114f85"));
    assert_int_equal(semver_compare(&a, &b), 0);
}

TEST(test_semver__refuses_what_is_none)
{
    static const char *const bad[] = {"",
                                      "1",
                                      "1.2",
                                      "1.2.3.4",
                                      "v1.2.3",
                                      " 1.2.3",
                                      "1.2.3 ",
                                      "01.2.3",
                                      "1.02.3",
                                      "1.2.03",
                                      "1.2.3-",
                                      "1.2.3+",
                                      "1.2.3-a.",
                                      "1.2.3-.a",
                                      "1.2.3-a..b",
                                      "1.2.3-01",
                                      "1.2.3-a_b",
                                      "1.2.3+a.",
                                      "-1.2.3",
                                      "1.-2.3",
                                      "a.b.c",
                                      "1,2,3",
                                      "18446744073709551616.0.0",
                                      "1.2.3-\xc3\xa9"};
    struct semver version;
    for (EACH_ROW(i, bad, bad[i]))
        if (semver_parse(&version, bad[i]))
            fail_msg("'%s' is no semantic version", bad[i]);
}

TEST(test_semver__tags_may_begin_with_one_v)
{
    struct semver version;
    assert_true(semver_parse_tag(&version, "v1.2.3"));
    assert_true(semver_parse_tag(&version, "1.2.3-rc.1"));
    assert_false(semver_is_release(&version));
    assert_false(semver_parse_tag(&version, "vv1.2.3"));
    assert_false(semver_parse_tag(&version, "V1.2.3"));
    assert_false(semver_parse_tag(&version, "release-1.2.3"));
    assert_false(semver_parse_tag(&version, "v"));
}

TEST(test_semver_range__admits_what_its_policy_says)
{
    static const struct {
        const char *policy, *version;
        bool admits;
    } cases[] = {
        {"^1.2", "1.2.0", true},    {"^1.2", "1.99.0", true},      {"^1.2", "1.1.9", false},
        {"^1.2", "2.0.0", false},   {"^1.2", "2.0.0-rc.1", false}, {"^1.2", "1.2.0-rc.1", false},
        {"^1.2.3", "1.2.2", false}, {"^1.2.3", "1.2.3", true},     {"^0.3", "0.3.9", true},
        {"^0.3", "0.4.0", false},   {"^0", "0.9.0", true},         {"^0", "1.0.0", false},
        {"^0.0", "0.0.7", true},    {"^0.0", "0.1.0", false},      {"^0.0.3", "0.0.3", true},
        {"^0.0.3", "0.0.4", false}, {"~1.4", "1.4.7", true},       {"~1.4", "1.5.0", false},
        {"~1.4.2", "1.4.1", false}, {"~1.4.2", "1.4.9", true},     {"~1", "1.9.0", true},
        {"~1", "2.0.0", false},     {"1.x", "1.0.0", true},        {"1.x", "2.0.0", false},
        {"1.2.x", "1.2.9", true},   {"1.2.x", "1.3.0", false},     {"0.x", "0.9.9", true},
    };
    for (EACH_ROW(i, cases, cases[i].policy)) {
        struct semver_range range;
        struct semver version;
        assert_true(semver_range_parse(&range, cases[i].policy));
        assert_true(semver_parse(&version, cases[i].version));
        if (semver_range_has(&range, &version) != cases[i].admits)
            fail_msg("%s and %s", cases[i].policy, cases[i].version);
    }
}

TEST(test_semver_range__refuses_what_is_none)
{
    static const char *const bad[] = {"",
                                      "^",
                                      "~",
                                      "^x",
                                      "1",
                                      "1.2",
                                      "1.2.3",
                                      "x",
                                      "1.x.x",
                                      "1.2.3.x",
                                      "^1.x",
                                      "^1.2-rc",
                                      "^01",
                                      "^1.2.",
                                      ">=1.2",
                                      "^1.2.3.4",
                                      "v1.x",
                                      "^v1",
                                      "1.X",
                                      " ^1",
                                      "^1 ",
                                      "^~1",
                                      "^18446744073709551616"};
    struct semver_range range;
    for (EACH_ROW(i, bad, bad[i]))
        if (semver_range_parse(&range, bad[i]))
            fail_msg("'%s' is no policy", bad[i]);
}
