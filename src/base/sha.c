/*
 * SHA-1 and SHA-256 through libcrypto's deprecated interface. The newer one looks algorithms up by
 * name among all providers, which takes longer than all hashing of a run.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include "base/sha.h"

#include "base/library.h"

#include <openssl/sha.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

_Static_assert(SHA1_SIZE == SHA_DIGEST_LENGTH && SHA256_HEX_SIZE == 2 * SHA256_DIGEST_LENGTH + 1,
               "as libcrypto has them");

static void must(bool succeeded)
{
    if (succeeded)
        return;
    (void)fputs("tmplgen: libcrypto cannot compute SHA-1 or SHA-256\n", stderr);
    abort();
}

static void start(void)
{
    static bool started;
    ERR_SCRATCH(err);
    if (!started)
        must(library_load("libcrypto", &err) == 0);
    started = true;
}

void sha1_sum(unsigned char out[SHA1_SIZE], struct span head, struct span bytes)
{
    SHA_CTX sum;
    start();
    must(SHA1_Init(&sum) && SHA1_Update(&sum, head.ptr, head.len) &&
         SHA1_Update(&sum, bytes.ptr, bytes.len) && SHA1_Final(out, &sum));
}

void sha256_hex(char out[SHA256_HEX_SIZE], const void *data, size_t len)
{
    unsigned char bytes[SHA256_DIGEST_LENGTH];
    SHA256_CTX sum;
    start();
    must(SHA256_Init(&sum) && SHA256_Update(&sum, data, len) && SHA256_Final(bytes, &sum));
    for (size_t i = 0; i < sizeof(bytes); i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}
