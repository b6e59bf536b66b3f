/* Image references: registry, repository, tag or digest. */
#include "registry/reference.h"

#include "base/arena.h"
#include "base/str.h"
#include "io/http.h"

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
    return strlen(text) <= PATH_BYTES_MAX && *text && !strchr("-._:]", *text) &&
           strspn(text, DIGITS LOWER UPPER ".-:[]_") == strlen(text);
}

/* Parts of letters and digits joined by separators. */
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

bool image_name_is_valid(const char *text)
{
    return is_path(text) && !strchr(text, '/');
}

bool image_tag_is_valid(const char *text)
{
    return *text && *text != '.' && *text != '-' && strlen(text) <= TAG_BYTES_MAX &&
           strspn(text, DIGITS LOWER UPPER "._-") == strlen(text);
}

/* '@' may precede only a digest: otherwise the text before it is a user. */
static const char *behind_user(const char *text)
{
    const char *rest = text;
    for (const char *at = strchr(text, '@'); at; at = strchr(at + 1, '@'))
        if (!str_starts(at + 1, "sha256:"))
            rest = at + 1;
    return rest;
}

int image_refuse_user(const char *text, const char *code, struct err *err)
{
    const char *rest = behind_user(text);
    if (rest == text)
        return 0;
    (void)err_set(err, TG_USAGE, code, "'%s' must be named without user and password", rest);
    return err_hint(err, "docker login or podman login keeps them");
}

const char *image_shown(struct arena *arena, const char *text)
{
    const char *rest = behind_user(text);
    return rest == text ? text : arena_printf(arena, "***@%s", rest);
}

static int invalid(struct err *err, const char *text)
{
    if (image_refuse_user(text, "invalid-image", err) < 0)
        return -1;
    (void)err_set(err, TG_USAGE, "invalid-image", "'%s' is no name of an image", text);
    return err_hint(err, "such as nvidia/cuda:12.6.3-base-ubuntu24.04 or "
                         "registry.example.com/team/base@sha256:...");
}

/* Cuts off the part before the first '/' if it is a host. */
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
    if (!is_host(out->host) || !is_path(out->path) || (out->tag && !image_tag_is_valid(out->tag)) ||
        (out->digest && !image_digest_is_valid(out->digest)))
        return invalid(err, text);
    if (!out->tag && !out->digest)
        out->tag = "latest";
    return 0;
}

int image_mirror_parse(struct image_reference *out, struct arena *arena, const char *mirror,
                       struct err *err)
{
    ERR_SCRATCH(inner);
    const char *name = arena_printf(arena, "%s/x", mirror);
    if (image_reference_parse(out, arena, name, &inner) == 0 && str_starts(mirror, out->host) &&
        !str_equal(out->host, "docker.io"))
        return 0;
    if (image_refuse_user(mirror, "invalid-image", err) < 0)
        return -1;
    (void)err_set(err, TG_USAGE, "invalid-image", "'%s' is no mirror of images",
                  http_shown(arena, mirror));
    return err_hint(err, "HOST or HOST/PATH, such as registry.example.com/hub");
}
