/* The name of an image: registry, repository, tag or digest. */
#include "registry/reference.h"

#include "base/arena.h"
#include "base/str.h"

#include <string.h>

#define PATH_BYTES_MAX 255
#define TAG_BYTES_MAX 128
#define DIGITS "0123456789"
#define LOWER "abcdefghijklmnopqrstuvwxyz"
#define UPPER "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

bool image_digest_is_valid(const char *text)
{
    return str_starts(text, "sha256:") && strlen(text) == strlen("sha256:") + 64 &&
           strspn(text + strlen("sha256:"), DIGITS "abcdef") == 64;
}

static bool is_host(const char *text)
{
    return strlen(text) <= PATH_BYTES_MAX && *text && *text != '-' &&
           strspn(text, DIGITS LOWER UPPER ".-:[]_") == strlen(text);
}

/* Parts of letters and digits, with separators between them; a part begins and ends without one. */
static bool is_path(const char *text)
{
    char before = '/';
    if (strlen(text) > PATH_BYTES_MAX)
        return false;
    for (const char *c = text; *c; before = *c++) {
        bool solid = strchr(DIGITS LOWER, *c) != NULL, inside = strchr("._-", *c) != NULL;
        if (!solid && !inside && *c != '/')
            return false;
        if ((before == '/' && !solid) || (*c == '/' && !strchr(DIGITS LOWER, before)))
            return false;
        if (*c == '.' && before == '.')
            return false;
    }
    return strchr(DIGITS LOWER, before) != NULL;
}

static bool is_tag(const char *text)
{
    return *text && *text != '.' && *text != '-' && strlen(text) <= TAG_BYTES_MAX &&
           strspn(text, DIGITS LOWER UPPER "._-") == strlen(text);
}

static int invalid(struct err *err, const char *text)
{
    (void)err_set(err, TG_USAGE, "invalid-image", "'%s' is no name of an image", text);
    return err_hint(err, "such as nvidia/cuda:12.6.3-base-ubuntu24.04 or "
                         "registry.example.com/team/base@sha256:...");
}

/* The part before the first '/', where it is a host. */
static char *split_host(struct image_reference *out, char *text)
{
    char *slash = strchr(text, '/');
    out->host = "docker.io";
    if (!slash)
        return text;
    *slash = '\0';
    if (strpbrk(text, ".:") || str_equal(text, "localhost")) {
        out->host = text;
        return slash + 1;
    }
    *slash = '/';
    return text;
}

int image_reference_parse(struct image_reference *out, struct arena *arena, const char *text,
                          struct err *err)
{
    char *rest = split_host(out, arena_strdup(arena, text));
    char *at = strchr(rest, '@');
    out->tag = out->digest = NULL;
    if (at) {
        *at = '\0';
        out->digest = at + 1;
    }
    char *colon = strrchr(rest, ':');
    if (colon) {
        *colon = '\0';
        out->tag = colon + 1;
    }
    bool official = str_equal(out->host, "docker.io") && !strchr(rest, '/');
    out->path = official ? arena_printf(arena, "library/%s", rest) : rest;
    if (!is_host(out->host) || !is_path(out->path) || (out->tag && !is_tag(out->tag)) ||
        (out->digest && !image_digest_is_valid(out->digest)))
        return invalid(err, text);
    if (!out->tag && !out->digest)
        out->tag = "latest";
    return 0;
}
