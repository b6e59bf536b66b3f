/* SHA-256 against the examples of FIPS 180-4. */
#include "base/sha.h"
#include "unit/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void test_sha256__gives_the_digests_of_the_standard(void **state)
{
    static const char *const examples[][2] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    (void)state;
    for (EACH_ROW(i, examples, examples[i][0])) {
        char out[SHA256_HEX_SIZE];
        sha256_hex(out, examples[i][0], strlen(examples[i][0]));
        assert_string_equal(out, examples[i][1]);
    }
}

static void test_sha256__gives_that_of_a_million_letters(void **state)
{
    static char letters[1000 * 1000];
    char out[SHA256_HEX_SIZE];
    (void)state;
    memset(letters, 'a', sizeof(letters));
    sha256_hex(out, letters, sizeof(letters));
    assert_string_equal(out, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sha256__gives_the_digests_of_the_standard),
        cmocka_unit_test(test_sha256__gives_that_of_a_million_letters),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
