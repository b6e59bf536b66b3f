/* Runs the tests of a program in the order of their file. build/unit/test_NAME PATTERN runs those
 * whose names match a pattern such as "*loose*". */
#include "test.h"

#include "place.h"

#include <errno.h>
#include <stdlib.h>

static struct CMUnitTest tests[64]; /* cmocka passes over those without a name */
static size_t count;
static CMFixtureFunction group_start, group_stop;

static void add(const char *name, CMUnitTestFunction test, CMFixtureFunction start,
                CMFixtureFunction stop)
{
    if (count == sizeof(tests) / sizeof(*tests))
        abort();
    tests[count++] = (struct CMUnitTest){name, test, start, stop, NULL};
}

void test_add(const char *name, CMUnitTestFunction test)
{
    add(name, test, NULL, NULL);
}

void test_add_in_place(const char *name, CMUnitTestFunction test)
{
    add(name, test, place_make, place_remove);
}

void test_group(CMFixtureFunction start, CMFixtureFunction stop)
{
    group_start = start;
    group_stop = stop;
}

int main(int argc, char **argv)
{
    if (argc == 2)
        cmocka_set_test_filter(argv[1]);
    return cmocka_run_group_tests_name(program_invocation_short_name, tests, group_start,
                                       group_stop);
}
