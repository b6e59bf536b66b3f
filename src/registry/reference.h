/* The name of an image: registry, repository, tag or digest. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct arena;

/* Texts in the arena. A tag and a digest may both be there; NULL: not given. */
struct image_reference {
    const char *host;   /* "docker.io" where none was named; with its port */
    const char *path;   /* "nvidia/cuda", "library/ubuntu" */
    const char *tag;    /* "latest" where neither tag nor digest was named */
    const char *digest; /* "sha256:..." */
};

/*
 * `[HOST/]PATH[:TAG][@DIGEST]`, by the rules that docker has: the first part is a host where it
 * holds a '.' or ':' or is `localhost`. Exit 2, "invalid-image", where it is not of that form.
 */
TG_CHECKED int image_reference_parse(struct image_reference *out, struct arena *arena,
                                     const char *text, struct err *err);
/* HOST[/PATH] of a mirror, as the name of an image `x` below it. Exit 2, "invalid-image", else. */
TG_CHECKED int image_mirror_parse(struct image_reference *out, struct arena *arena,
                                  const char *mirror, struct err *err);
/*
 * Exit 2 with `code` where a user, and so maybe a password, stands in what should be a name: the
 * message has only what stands behind.
 */
TG_CHECKED int image_refuse_user(const char *text, const char *code, struct err *err);
/* What may be a name of an image, fit for messages: without user and password. */
const char *image_shown(struct arena *arena, const char *text);
/* "sha256:" and 64 lower-case hexadecimal digits. */
bool image_digest_is_valid(const char *text);
/* Lower-case letters and digits, with '.', '_' or '-' between them; no '/', at most 255 bytes. */
bool image_name_is_valid(const char *text);
/* At most 128 letters, digits and `_.-`, none of the last two at the start. */
bool image_tag_is_valid(const char *text);
