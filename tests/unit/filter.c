/* build/unit/test_NAME PATTERN runs the tests whose names match a pattern such as "*loose*". */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* glibc gives a constructor what it gives main, so that no main of a test has to care. */
__attribute__((constructor)) static void choose(int argc, char **argv)
{
    if (argc == 2 && argv[1][0] != '-')
        cmocka_set_test_filter(argv[1]);
}
