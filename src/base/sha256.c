/* SHA-256 through libcrypto. */
#include "base/sha256.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

/* Never made: libcrypto's own context under our name. */
struct sha256;

static EVP_MD_CTX *context(struct sha256 *sum)
{
    return (EVP_MD_CTX *)sum;
}

static void must(int succeeded)
{
    if (succeeded)
        return;
    (void)fputs("tmplgen: libcrypto cannot compute SHA-256\n", stderr);
    abort();
}

struct sha256 *sha256_new(void)
{
    /* libcrypto's configuration and tables of ciphers take longer to load than all we hash */
    (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_NO_ADD_ALL_CIPHERS |
                                  OPENSSL_INIT_NO_ADD_ALL_DIGESTS,
                              NULL);
    EVP_MD_CTX *sum = EVP_MD_CTX_new();
    must(sum && EVP_DigestInit_ex(sum, EVP_sha256(), NULL));
    return (struct sha256 *)sum;
}

void sha256_update(struct sha256 *sum, const void *data, size_t len)
{
    must(EVP_DigestUpdate(context(sum), data, len));
}

void sha256_finish(char out[SHA256_HEX_SIZE], struct sha256 *sum)
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned count = 0;
    must(EVP_DigestFinal_ex(context(sum), bytes, &count) && count == SHA256_HEX_SIZE / 2);
    EVP_MD_CTX_free(context(sum));
    for (unsigned i = 0; i < count; i++)
        (void)snprintf(out + 2 * (size_t)i, 3, "%02x", bytes[i]);
}

void sha256_hex(char out[SHA256_HEX_SIZE], const void *data, size_t len)
{
    struct sha256 *sum = sha256_new();
    sha256_update(sum, data, len);
    sha256_finish(out, sum);
}
