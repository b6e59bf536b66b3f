/* PEP 440 versions and SPECs. `--probe` answers questions on stdin, for the comparison with
 * Python's packaging (tests/matrix/test_versions.py). */
#include "base/arena.h"
#include "matrix/version.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct version parsed(const char *text)
{
    struct version version;
    if (version_parse(&version, text))
        fail_msg("'%s' is a version", text);
    return version;
}

TEST(test_version__sorts_as_pep_440_says)
{
    static const char *const ascending[] = {
        "0.9",     "1.dev1",    "1a1.dev1",  "1a1",        "1a2",   "1b1",
        "1rc1",    "1",         "1+local",   "1+local.1",  "1+1",   "1.post1.dev1",
        "1.post1", "1.0.1",     "1.2",       "1.10",       "2.0.0", "2.0.1rc1",
        "2.0.1",   "450.80.02", "535.54.03", "535.104.05", "1!0.1"};
    for (EACH_ROW(i, ascending, ascending[i]))
        for (size_t j = 0; j < COUNT(ascending); j++) {
            struct version a = parsed(ascending[i]), b = parsed(ascending[j]);
            int order = version_compare(&a, &b);
            if ((order < 0) != (i < j) || (order > 0) != (i > j))
                fail_msg("%s against %s: %d", ascending[i], ascending[j], order);
        }
}

TEST(test_version__takes_other_spellings_of_the_same)
{
    static const char *const same[][2] = {
        {"1.0", "1"},          {"v1.0", "1.0.0"},       {"1.0-alpha.1", "1a1"}, {"1.0_RC2", "1rc2"},
        {"1.0-1", "1.post1"},  {"1.0.rev3", "1.post3"}, {"1.0preview", "1rc0"}, {" 1.0 ", "1"},
        {"1.0.dev", "1.dev0"}, {"1+A.b", "1+a.B"},      {"1+a-b", "1+a.b"},     {"1+01", "1+1"}};
    for (EACH_ROW(i, same, same[i][0])) {
        struct version a = parsed(same[i][0]), b = parsed(same[i][1]);
        if (version_compare(&a, &b))
            fail_msg("%s is %s", same[i][0], same[i][1]);
    }
}

TEST(test_version__refuses_what_is_none)
{
    static const char *const wrong[] = {"",
                                        "v",
                                        "abc",
                                        "1.",
                                        "1..2",
                                        "1.2.x",
                                        "1.0+",
                                        "1.0+a..b",
                                        "1 2",
                                        "1.0-",
                                        "1!",
                                        "-1",
                                        "1.0+_",
                                        "1,2",
                                        "1.2.3.4.5.6.7.8.9",
                                        "99999999999999999999"};
    for (EACH_ROW(i, wrong, wrong[i])) {
        struct version version;
        if (version_parse(&version, wrong[i]) == 0)
            fail_msg("'%s' is no version", wrong[i]);
    }
}

static bool matches(const char *spec_text, const char *version_text)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct spec spec;
    struct version version = parsed(version_text);
    if (spec_parse(&spec, &arena, spec_text, "--framework", &err))
        fail_msg("'%s' is a SPEC: %s", spec_text, err.message);
    return spec_matches(&spec, &version);
}

TEST(test_spec__means_what_design_says)
{
    static const struct {
        const char *spec, *in, *out;
    } cases[] = {{"2.4", "2.4.1", "2.5.0"},
                 {"2.4", "2.4.0", "2.40.0"},
                 {"==2.4.*", "2.4.1", "2.3.9"},
                 {"==2.4", "2.4.0", "2.4.1"},
                 {">=2.3,<2.6", "2.5.1", "2.6.0"},
                 {"~=2.4", "2.9.1", "3.0"},
                 {"~=2.4.1", "2.4.9", "2.5"},
                 {"!=2.4.*", "2.5.0", "2.4.1"},
                 {">2.4", "2.4.1", "2.4.0"},
                 {"<=2.4", "2.4.0", "2.4.1"},
                 {" >= 2.3 , < 2.6 ", "2.3", "2.2.9"},
                 {"", "2.4.1", "2.4.1rc1"},
                 {"<3.0", "2.9", "3.0rc1"},
                 {">=2.22.0rc0", "2.22.0rc0", "2.21"}};
    for (EACH_ROW(i, cases, cases[i].spec)) {
        if (!matches(cases[i].spec, cases[i].in))
            fail_msg("'%s' takes %s", cases[i].spec, cases[i].in);
        if (matches(cases[i].spec, cases[i].out))
            fail_msg("'%s' does not take %s", cases[i].spec, cases[i].out);
    }
}

TEST(test_spec__refuses_bad_ones_by_name)
{
    static const char *const wrong[] = {"abc",       "==",         ">=2.4.*", "~=2",
                                        "2.4,",      ",2.4",       "=2.4",    "==2.*.1",
                                        ">=2.4+cu1", "==2.4rc1.*", "===2.4",  "2.4 2.5"};
    for (EACH_ROW(i, wrong, wrong[i])) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        struct spec spec;
        if (spec_parse(&spec, &arena, wrong[i], "--python", &err) == 0)
            fail_msg("'%s' is no SPEC", wrong[i]);
        assert_int_equal(err.exit, TG_USAGE);
        assert_string_equal(err.code, "invalid-spec");
        assert_non_null(strstr(err.message, "--python"));
        assert_non_null(err.hint);
    }
}

TEST(test_spec__knows_when_one_version_is_named)
{
    static const struct {
        const char *spec;
        bool exact;
    } cases[] = {{"==2.4.1", true},  {"2.4.1", false}, {"==2.4.*", false},
                 {">=2.4.1", false}, {"", false},      {"==2.4.1,!=2.5", true}};
    for (EACH_ROW(i, cases, cases[i].spec)) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        struct spec spec;
        assert_int_equal(spec_parse(&spec, &arena, cases[i].spec, "x", &err), 0);
        assert_int_equal(spec_is_exact(&spec), cases[i].exact);
    }
}

TEST(test_spec__knows_whether_two_have_a_version_in_common)
{
    static const struct {
        const char *a, *b;
        bool overlap;
    } cases[] = {{"<2", "<2", true},
                 {"<2", "<=1.26", true},
                 {"<2", ">=2", false},
                 {"<=2", ">=2", true},
                 {">1", "<=1", false},
                 {">1", ">2", true},
                 {">1,<2", "!=1.5", true},
                 {"==1.*", "!=1.0", true},
                 {"==1.*", "!=1.0.*", true},
                 {"==1.*", "!=1.*", false},
                 {"!=0", "<1", true},
                 {"==1.26.4", "==1.26.*", true},
                 {"==1.26.4", "~=1.26.5", false},
                 {"==2.0rc1", "", true},
                 {"", "", true}};
    for (EACH_ROW(i, cases, cases[i].a)) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        struct spec a, b;
        assert_int_equal(spec_parse(&a, &arena, cases[i].a, "a", &err), 0);
        assert_int_equal(spec_parse(&b, &arena, cases[i].b, "b", &err), 0);
        if (spec_overlaps(&a, &b) != cases[i].overlap || spec_overlaps(&b, &a) != cases[i].overlap)
            fail_msg("'%s' and '%s'", cases[i].a, cases[i].b);
    }
}

TEST(test_spec__knows_whether_two_are_met_by_the_same_versions)
{
    static const struct {
        const char *a, *b;
        bool same;
    } cases[] = {{"==2.14.0", "==2.14", true},
                 {">=5.16.1,<5.21.0", "<5.21,>=5.16.1", true},
                 {">=2,>=1", ">=2", true},
                 {"~=2.4", ">=2.4,==2.*", true},
                 {"~=2.4", ">=2.4,<3", true},
                 {"~=2.4.1", ">=2.4.1,<2.5", true},
                 {"~=2.4.1", ">=2.4.1,<2.6", false},
                 {"==2.15.*", ">=2.15,<2.16", true},
                 {"==2.15.*", ">=2.15.0", false},
                 {">=1,!=2.1", ">=1,!=2.1.0", true},
                 {">=1,!=2.1", ">=1,!=2.1.*", false},
                 {">=1,!=0.5", ">=1", true},
                 {">1", ">=1", false},
                 {"<2", "<=2", false},
                 {"<2", "", false},
                 {">=2.0rc1", ">=2.0", false},
                 {"", "", true}};
    for (EACH_ROW(i, cases, cases[i].a)) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        struct spec a, b;
        assert_int_equal(spec_parse(&a, &arena, cases[i].a, "a", &err), 0);
        assert_int_equal(spec_parse(&b, &arena, cases[i].b, "b", &err), 0);
        if (spec_same(&a, &b) != cases[i].same || spec_same(&b, &a) != cases[i].same)
            fail_msg("'%s' and '%s'", cases[i].a, cases[i].b);
    }
}

/* Lines `v VERSION`, `c VERSION VERSION`, `s VERSION SPEC`; one answer a line. */
static int probe(void)
{
    char line[1024];
    while (fgets(line, sizeof line, stdin)) {
        ARENA_SCRATCH(arena);
        ERR_SCRATCH(err);
        struct version a, b;
        struct spec spec;
        line[strcspn(line, "\n")] = '\0';
        char *first = line + 2, *tab = strchr(first, '\t'), *second = tab ? tab + 1 : first;
        if (tab)
            *tab = '\0';
        if (version_parse(&a, first) || (*line == 'c' && version_parse(&b, second)) ||
            (*line == 's' && spec_parse(&spec, &arena, second, "spec", &err)))
            puts("invalid");
        else if (*line == 'c')
            printf("%d\n", (version_compare(&a, &b) > 0) - (version_compare(&a, &b) < 0));
        else if (*line == 's')
            puts(spec_matches(&spec, &a) ? "yes" : "no");
        else
            puts("valid");
    }
    return 0;
}

/* glibc gives a constructor what it gives main. */
__attribute__((constructor)) static void answer(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "--probe") == 0)
        exit(probe());
}
