/* SHA-1 and SHA-256 of libcrypto, or in the one file (`make portable`) those of libgit2. */
#include "base/sha.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

enum { SHA256_SIZE = SHA256_HEX_SIZE / 2 };

#ifdef TG_PORTABLE

#include <rfc6234/sha.h>
#include <sha1dc/sha1.h>

static bool sha1(unsigned char out[SHA1_SIZE], struct span head, struct span bytes)
{
    SHA1_CTX sum;
    SHA1DCInit(&sum);
    SHA1DCUpdate(&sum, head.ptr, head.len);
    SHA1DCUpdate(&sum, bytes.ptr, bytes.len);
    (void)SHA1DCFinal(out, &sum); /* of a crafted collision it makes another sum: that is damage */
    return true;
}

static bool sha256(unsigned char out[SHA256_SIZE], const void *data, size_t len)
{
    SHA256Context sum;
    return len <= UINT_MAX && SHA256Reset(&sum) == shaSuccess &&
           SHA256Input(&sum, data, (unsigned)len) == shaSuccess &&
           SHA256Result(&sum, out) == shaSuccess;
}

#else

/*
 * The deprecated interface: the newer one looks algorithms up by name among all providers, which
 * takes longer than all hashing of a run.
 */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/sha.h>

static bool sha1(unsigned char out[SHA1_SIZE], struct span head, struct span bytes)
{
    SHA_CTX sum;
    return SHA1_Init(&sum) && SHA1_Update(&sum, head.ptr, head.len) &&
           SHA1_Update(&sum, bytes.ptr, bytes.len) && SHA1_Final(out, &sum);
}

static bool sha256(unsigned char out[SHA256_SIZE], const void *data, size_t len)
{
    SHA256_CTX sum;
    return SHA256_Init(&sum) && SHA256_Update(&sum, data, len) && SHA256_Final(out, &sum);
}

#endif

static void must(bool succeeded)
{
    if (succeeded)
        return;
    (void)fputs("tmplgen: SHA-1 or SHA-256 cannot be computed\n", stderr);
    abort();
}

void sha1_sum(unsigned char out[SHA1_SIZE], struct span head, struct span bytes)
{
    must(sha1(out, head, bytes));
}

void sha256_hex(char out[SHA256_HEX_SIZE], const void *data, size_t len)
{
    unsigned char bytes[SHA256_SIZE];
    must(sha256(bytes, data, len));
    for (size_t i = 0; i < sizeof(bytes); i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}
