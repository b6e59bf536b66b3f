/* SHA-1 and SHA-256. Neither fails: without the algorithm or memory the process ends. */
#pragma once

#include "base/str.h"

#include <stddef.h>

#define SHA1_SIZE 20
#define SHA256_HEX_SIZE 65 /* with the NUL */

/*
 * Hashes `head` followed by `bytes`. Fast, but blind to crafted collisions: use it to find damage.
 * Objects are hashed by libgit2, which detects such collisions.
 */
void sha1_sum(unsigned char out[SHA1_SIZE], struct span head, struct span bytes);

/* As hexadecimal digits, with a NUL. */
void sha256_hex(char out[SHA256_HEX_SIZE], const void *data, size_t len);
