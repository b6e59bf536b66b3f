/* SHA-256 against the examples of FIPS 180-4. */
#include "base/sha.h"
#include "unit/rows.h"
#include "unit/test.h"

#include <string.h>

TEST(test_sha256__gives_the_digests_of_the_standard)
{
    static const char *const examples[][2] = {
        {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
        {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
        {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
         "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
    };
    for (EACH_ROW(i, examples, examples[i][0])) {
        char out[SHA256_HEX_SIZE];
        sha256_hex(out, examples[i][0], strlen(examples[i][0]));
        assert_string_equal(out, examples[i][1]);
    }
}

TEST(test_sha256__gives_that_of_a_million_letters)
{
    static char letters[1000 * 1000];
    char out[SHA256_HEX_SIZE];
    memset(letters, 'a', sizeof(letters));
    sha256_hex(out, letters, sizeof(letters));
    assert_string_equal(out, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}
