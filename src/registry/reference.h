/* Image references: registry, repository, tag or digest. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct arena;

/* Texts in the arena. A tag and a digest may both be there; NULL: not given. */
struct image_reference {
    const char *host;   /* with port; "docker.io" by default */
    const char *path;   /* "nvidia/cuda", "library/ubuntu" */
    const char *tag;    /* "latest" if neither tag nor digest was given */
    const char *digest; /* "sha256:..." */
};

/*
 * Parses `[HOST/]PATH[:TAG][@DIGEST]` as docker does: the first part is a host if it contains '.'
 * or ':' or is `localhost`. Exit 2, "invalid-image", if the form is wrong.
 */
TG_CHECKED int image_reference_parse(struct image_reference *out, struct arena *arena,
                                     const char *text, struct err *err);
/* Parses a mirror, HOST[/PATH], as an image `x` below it. Else exit 2, "invalid-image". */
TG_CHECKED int image_mirror_parse(struct image_reference *out, struct arena *arena,
                                  const char *mirror, struct err *err);
/*
 * Exit 2 with `code` if a name contains a user, and so perhaps a password. The message shows only
 * the part behind it.
 */
TG_CHECKED int image_refuse_user(const char *text, const char *code, struct err *err);
/* A possible image name for messages: without user and password. */
const char *image_shown(struct arena *arena, const char *text);
/* "sha256:" and 64 lower-case hexadecimal digits. */
bool image_digest_is_valid(const char *text);
/* Lower-case letters and digits, with '.', '_' or '-' between them; no '/', at most 255 bytes. */
bool image_name_is_valid(const char *text);
/* At most 128 letters, digits and `_.-`; the first is not '.' or '-'. */
bool image_tag_is_valid(const char *text);
