/* Asks a registry: `registry-probe manifest|tags REFERENCE`; prints what came, one line each. */
#include "base/arena.h"
#include "base/http.h"
#include "registry/reference.h"
#include "registry/registry.h"

#include <stdio.h>
#include <string.h>

static int show_manifest(struct registry *registry, const struct image_reference *reference,
                         struct err *err)
{
    struct registry_manifest manifest;
    if (registry_manifest(&manifest, registry, reference, err) < 0)
        return -1;
    (void)printf("%s\n%s\n%zu\n", manifest.digest, manifest.media_type, manifest.bytes.len);
    return 0;
}

static int show_tags(struct registry *registry, const struct image_reference *reference,
                     struct err *err)
{
    const char **tags;
    size_t count;
    if (registry_tags(&tags, &count, registry, reference, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        (void)printf("%s\n", tags[i]);
    return 0;
}

int main(int argc, char **argv)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    const struct http_settings settings = {.seconds = 10};
    struct http *http = NULL;
    struct registry *registry;
    struct image_reference reference;
    if (argc != 3)
        return 2;
    int rc = image_reference_parse(&reference, &arena, argv[2], &err) < 0 ||
                     http_open(&http, &settings, &err) < 0 ||
                     registry_open(&registry, &arena, http, &err) < 0
                 ? -1
             : strcmp(argv[1], "tags") == 0 ? show_tags(registry, &reference, &err)
                                            : show_manifest(registry, &reference, &err);
    http_close(http);
    if (rc < 0)
        (void)fprintf(stderr, "%s: %s\n", err.code, err.message);
    return rc < 0 ? (int)err.exit : 0;
}
