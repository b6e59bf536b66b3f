/* SHA-256, as 64 hexadecimal digits. */
#ifndef TMPLGEN_BASE_SHA256_H
#define TMPLGEN_BASE_SHA256_H

#include <stddef.h>

#define SHA256_HEX_SIZE 65 /* with the NUL */

/* Neither form fails; a machine without SHA-256 or memory ends the process. */
void sha256_hex(char out[SHA256_HEX_SIZE], const void *data, size_t len);

/* The same piece by piece: new, update as often as there are pieces, then finish, which frees. */
struct sha256;
struct sha256 *sha256_new(void);
void sha256_update(struct sha256 *sum, const void *data, size_t len);
void sha256_finish(char out[SHA256_HEX_SIZE], struct sha256 *sum);

#endif
