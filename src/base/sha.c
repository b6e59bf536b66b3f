/* SHA-1 and SHA-256 through libcrypto. */
#include "base/sha.h"

#include "base/library.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

static void must(bool succeeded)
{
    if (succeeded)
        return;
    (void)fputs("tmplgen: libcrypto cannot compute SHA-1 or SHA-256\n", stderr);
    abort();
}

static void start(void)
{
    ERR_SCRATCH(err);
    must(library_load("libcrypto", &err) == 0);
    /*
     * Its configuration takes longer to load than all that is hashed. Its tables of digests and
     * ciphers would, too, but left out once they are missing to TLS later, which then trusts
     * nobody.
     */
    (void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
}

/* Looked up once: the way from EVP_sha1() to the code costs more than a small object. */
static const EVP_MD *get(EVP_MD **fetched, const char *name)
{
    if (!*fetched) {
        start();
        *fetched = EVP_MD_fetch(NULL, name, NULL);
        must(*fetched);
    }
    return *fetched;
}

void sha1_sum(unsigned char out[SHA1_SIZE], struct span head, struct span bytes)
{
    static EVP_MD *fetched;
    const EVP_MD *sha1 = get(&fetched, "SHA1");
    EVP_MD_CTX *sum = EVP_MD_CTX_new();
    must(sum && EVP_DigestInit_ex(sum, sha1, NULL) && EVP_DigestUpdate(sum, head.ptr, head.len) &&
         EVP_DigestUpdate(sum, bytes.ptr, bytes.len) && EVP_DigestFinal_ex(sum, out, NULL));
    EVP_MD_CTX_free(sum);
}

/* Never made: libcrypto's own context under our name. */
struct sha256;

static EVP_MD_CTX *context(struct sha256 *sum)
{
    return (EVP_MD_CTX *)sum;
}

struct sha256 *sha256_new(void)
{
    static EVP_MD *fetched;
    const EVP_MD *sha256 = get(&fetched, "SHA256");
    EVP_MD_CTX *sum = EVP_MD_CTX_new();
    must(sum && EVP_DigestInit_ex(sum, sha256, NULL));
    return (struct sha256 *)sum;
}

void sha256_update(struct sha256 *sum, const void *data, size_t len)
{
    must(EVP_DigestUpdate(context(sum), data, len));
}

void sha256_finish(char out[SHA256_HEX_SIZE], struct sha256 *sum)
{
    unsigned char bytes[SHA256_HEX_SIZE / 2];
    must(EVP_DigestFinal_ex(context(sum), bytes, NULL));
    EVP_MD_CTX_free(context(sum));
    for (size_t i = 0; i < sizeof(bytes); i++)
        (void)snprintf(out + 2 * i, 3, "%02x", bytes[i]);
}

void sha256_hex(char out[SHA256_HEX_SIZE], const void *data, size_t len)
{
    struct sha256 *sum = sha256_new();
    sha256_update(sum, data, len);
    sha256_finish(out, sum);
}
