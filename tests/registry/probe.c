/*
 * Asks a registry: `registry-probe QUESTION REFERENCE...`; prints what came, one line each. The
 * environment's PROBE_MIRROR is a mirror, its PROBE_RUN_SECONDS how long servers are waited for.
 */
#include "base/arena.h"
#include "io/http.h"
#include "registry/reference.h"
#include "registry/registry.h"

#include <stdio.h>
#include <stdlib.h>
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

static int show_manifests(struct registry *registry, const struct image_reference *references,
                          size_t count, struct err *err)
{
    static const char *const words[] = {
        [IMAGE_FAILED] = "failed", [IMAGE_THERE] = "there", [IMAGE_GONE] = "gone"};
    struct registry_question *questions = calloc(count + 1, sizeof(*questions));
    if (!questions)
        return -1;
    for (size_t i = 0; i < count; i++)
        questions[i].reference = &references[i];
    int rc = registry_manifests(registry, questions, count, err);
    for (size_t i = 0; rc == 0 && i < count; i++) {
        const struct registry_question *q = &questions[i];
        bool there = q->presence == IMAGE_THERE;
        (void)printf("%s %s\n", words[q->presence],
                     there        ? q->manifest.digest
                     : q->failure ? q->failure
                                  : "-");
    }
    free(questions);
    return rc;
}

static int show_platforms(struct registry *registry, const struct image_reference *reference,
                          struct err *err)
{
    struct registry_manifest manifest;
    struct registry_platform *platforms;
    size_t count;
    if (registry_manifest(&manifest, registry, reference, err) < 0 ||
        registry_platforms(&platforms, &count, registry, reference, &manifest, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        (void)printf("%s %s\n", platforms[i].name, platforms[i].manifest.digest);
    return 0;
}

static int ask(struct registry *registry, const char *question,
               const struct image_reference *references, size_t count, struct err *err)
{
    if (strcmp(question, "manifests") == 0)
        return show_manifests(registry, references, count, err);
    if (strcmp(question, "platforms") == 0)
        return show_platforms(registry, references, err);
    return show_manifest(registry, references, err);
}

#define REFERENCES_MAX 2000

int main(int argc, char **argv)
{
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    const char *limit = getenv("PROBE_RUN_SECONDS");
    const struct http_settings settings = {
        .seconds = 10, .parallel = 16, .run_seconds = limit ? strtol(limit, NULL, 10) : 0};
    static struct image_reference references[REFERENCES_MAX];
    struct http *http = NULL;
    struct registry *registry;
    size_t count = (size_t)argc - 2;
    int rc = argc < 3 || count > REFERENCES_MAX ? -1 : 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        rc = image_reference_parse(&references[i], &arena, argv[i + 2], &err);
    if (rc == 0)
        rc = http_open(&http, &settings, &err) < 0 ||
                     registry_open(&registry, &arena, http, &err) < 0 ||
                     registry_set_mirror(registry, getenv("PROBE_MIRROR"), &err) < 0 ||
                     ask(registry, argv[1], references, count, &err) < 0
                 ? -1
                 : 0;
    http_close(http);
    if (rc < 0)
        (void)fprintf(stderr, "%s: %s\n", err.code, err.message);
    return rc < 0 ? (int)err.exit : 0;
}
