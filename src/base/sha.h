/* SHA-1 and SHA-256. Neither fails: a machine without them or memory ends the process. */
#pragma once

#include "base/str.h"

#include <stddef.h>

#define SHA1_SIZE 20
#define SHA256_HEX_SIZE 65 /* with the NUL */

/*
 * Of `head` and then `bytes`. It is quick and does not notice made collisions: good for finding
 * damage. What becomes an object is hashed by libgit2, which does notice.
 */
void sha1_sum(unsigned char out[SHA1_SIZE], struct span head, struct span bytes);

/* As hexadecimal digits. */
void sha256_hex(char out[SHA256_HEX_SIZE], const void *data, size_t len);
