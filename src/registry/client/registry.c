/* An OCI registry's API, to read: manifests by tag or digest, platforms, small blobs. */
#include "registry/registry.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/sha.h"
#include "data/data.h"
#include "io/http.h"
#include "registry/client/access.h"
#include "registry/client/credentials.h"
#include "registry/reference.h"

#include <string.h>

#define ACCEPT_MANIFEST                                                                            \
    MEDIA_OCI_INDEX ", " MEDIA_DOCKER_LIST ", " MEDIA_OCI_MANIFEST ", " MEDIA_DOCKER_MANIFEST

int registry_open(struct registry **out, struct arena *arena, struct http *http, struct err *err)
{
    struct registry *registry = arena_alloc(arena, sizeof(*registry));
    registry->arena = arena;
    registry->http = http;
    *out = registry;
    return credentials_load(&registry->credentials, arena, err);
}

int registry_set_mirror(struct registry *registry, const char *mirror, struct err *err)
{
    struct image_reference reference;
    registry->mirror_host = NULL;
    if (!mirror || !*mirror)
        return 0;
    if (image_mirror_parse(&reference, registry->arena, mirror, err) < 0)
        return -1;
    registry->mirror_host = reference.host;
    registry->mirror_path =
        arena_memdup(registry->arena, reference.path, strlen(reference.path) - 1);
    return 0;
}

bool registry_is_mirrored(const struct registry *registry, const struct image_reference *reference)
{
    const char *host, *path;
    access_locate(&host, &path, registry, reference);
    return host != reference->host;
}

static struct access_request manifest_request(struct arena *arena,
                                              const struct image_reference *reference)
{
    const char *which = reference->digest ? reference->digest : reference->tag;
    return (struct access_request){
        .reference = reference,
        .rest = arena_printf(arena, "manifests/%s", which),
        .exchange = {.accept = ACCEPT_MANIFEST, .max_bytes = LIMIT_HTTP_MANIFEST_BYTES}};
}

/* One text of it all: whoever asks for many images at once has one hint for all of them. */
static const char *told(struct arena *arena, const struct err *err)
{
    return arena_printf(arena, "%s%s%s", err->message, err->hint ? "; " : "",
                        err->hint ? err->hint : "");
}

/* ------------------------------------------------------------------ answers */

/* Is it not there? Only a registry can say so; a portal has no page of that name either. */
static bool is_gone(const struct registry *registry, const struct access_request *request)
{
    const struct http_exchange *answer = &request->exchange;
    return !request->trouble.message && answer->status == 404 &&
           (access_is_registry(registry, request) || access_error_code(registry->arena, answer));
}

static int take_manifest(struct registry_manifest *out, struct registry *registry,
                         const struct access_request *request, struct err *err)
{
    struct arena *arena = registry->arena;
    const struct http_exchange *answer = &request->exchange;
    const struct image_reference *reference = request->reference;
    if (is_gone(registry, request)) {
        const char *host, *path;
        access_locate(&host, &path, registry, reference);
        return err_set(err, TG_RUNTIME, "not-found", "%s/%s has no %s", host, path,
                       reference->digest ? reference->digest : reference->tag);
    }
    if (request->trouble.message || answer->status != 200)
        return access_fail(err, request);
    const char *said = http_header(arena, answer->headers, "docker-content-digest");
    const char *wanted = reference->digest ? reference->digest : said;
    if (said && !str_equal(said, wanted))
        return err_set(err, TG_RUNTIME, "answer", "%s: what came is '%s', not %s",
                       http_shown(arena, answer->url), said, wanted);
    return registry_read_manifest(out, arena, http_shown(arena, answer->url),
                                  http_header(arena, answer->headers, "content-type"), answer->body,
                                  wanted, err);
}

/* ------------------------------------------------------------------ looking */

/*
 * Takes what the head of an answer proves: that it is there, by a manifest's media type, a digest
 * and the registry's API; or that it is not. Else the manifest itself has to be seen.
 */
static bool take_head(struct registry_image *image, const struct registry *registry,
                      const struct access_request *request)
{
    struct arena *arena = registry->arena;
    const struct http_exchange *answer = &request->exchange;
    const char *wanted = image->reference->digest;
    if (request->trouble.message || !access_is_registry(registry, request))
        return false;
    if (answer->status == 404) {
        image->presence = IMAGE_GONE;
        return true;
    }
    const char *digest = http_header(arena, answer->headers, "docker-content-digest");
    const char *type = http_header(arena, answer->headers, "content-type");
    if (answer->status != 200 || !digest || !image_digest_is_valid(digest) ||
        (wanted && !str_equal(digest, wanted)) || !registry_is_media(arena, type))
        return false;
    image->presence = IMAGE_THERE;
    image->digest = digest;
    return true;
}

/* Whether there is nothing to be seen by asking for all of it. */
static bool is_hopeless(const struct access_request *request)
{
    long status = request->exchange.status;
    return request->trouble.message || (status != 200 && status != 404);
}

static void take_look(struct registry_image *image, struct registry *registry,
                      const struct access_request *request)
{
    ERR_SCRATCH(err);
    struct registry_manifest manifest = {.digest = NULL};
    image->presence = IMAGE_THERE;
    if (take_manifest(&manifest, registry, request, &err) == 0) {
        image->digest = manifest.digest;
        return;
    }
    image->presence = str_equal(err.code, "not-found") ? IMAGE_GONE : IMAGE_FAILED;
    if (image->presence == IMAGE_FAILED)
        image->failure = told(registry->arena, &err);
}

int registry_look(struct registry *registry, struct registry_image *images, size_t count,
                  struct err *err)
{
    struct arena *arena = registry->arena;
    struct access_request *requests = arena_array(arena, count + 1, sizeof(*requests));
    size_t *places = arena_array(arena, count + 1, sizeof(*places)), open = 0;
    bool compared = false;
    for (size_t i = 0; i < count; i++) {
        requests[i] = manifest_request(arena, images[i].reference);
        requests[i].exchange.head = true;
    }
    if (access_run(registry, requests, count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        bool taken = take_head(&images[i], registry, &requests[i]);
        if (taken && (images[i].presence == IMAGE_GONE || compared))
            continue;
        compared |= taken;
        if (is_hopeless(&requests[i])) {
            take_look(&images[i], registry, &requests[i]);
            continue;
        }
        places[open] = i;
        requests[open++] = manifest_request(arena, images[i].reference);
    }
    if (access_run(registry, requests, open, err) < 0)
        return -1;
    for (size_t i = 0; i < open; i++)
        take_look(&images[places[i]], registry, &requests[i]);
    return 0;
}

/* ------------------------------------------------------------------ manifests */

int registry_manifest(struct registry_manifest *out, struct registry *registry,
                      const struct image_reference *reference, struct err *err)
{
    struct access_request request = manifest_request(registry->arena, reference);
    if (access_run(registry, &request, 1, err) < 0)
        return -1;
    return take_manifest(out, registry, &request, err);
}

int registry_manifests(struct registry *registry, struct registry_question *questions, size_t count,
                       struct err *err)
{
    struct arena *arena = registry->arena;
    struct access_request *requests = arena_array(arena, count + 1, sizeof(*requests));
    for (size_t i = 0; i < count; i++)
        requests[i] = manifest_request(arena, questions[i].reference);
    if (access_run(registry, requests, count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        ERR_SCRATCH(one);
        struct registry_question *question = &questions[i];
        question->presence = IMAGE_THERE;
        question->failure = NULL;
        if (take_manifest(&question->manifest, registry, &requests[i], &one) == 0)
            continue;
        question->presence = str_equal(one.code, "not-found") ? IMAGE_GONE : IMAGE_FAILED;
        if (question->presence == IMAGE_FAILED)
            question->failure = told(arena, &one);
    }
    return 0;
}

/* ------------------------------------------------------------------ blobs, platforms */

static int check_blob(const char *name, struct span bytes, const struct registry_descriptor *blob,
                      struct err *err)
{
    char sum[SHA256_HEX_SIZE];
    sha256_hex(sum, bytes.ptr, bytes.len);
    if (bytes.len != (size_t)blob->size)
        return err_set(err, TG_RUNTIME, "answer", "%s: %zu bytes came, not %zu", name, bytes.len,
                       (size_t)blob->size);
    if (!str_equal(sum, blob->digest + strlen("sha256:")))
        return err_set(err, TG_RUNTIME, "answer", "%s: what came is sha256:%s", name, sum);
    return 0;
}

int registry_blob(struct span *bytes, struct registry *registry,
                  const struct image_reference *reference, const struct registry_descriptor *blob,
                  size_t max, struct err *err)
{
    struct arena *arena = registry->arena;
    if (blob->size > (int64_t)max)
        return err_set(err, TG_RUNTIME, "limit", "%s/%s: %s is larger than %zu bytes, the limit",
                       reference->host, reference->path, blob->digest, max);
    struct access_request request = {.reference = reference,
                                     .rest = arena_printf(arena, "blobs/%s", blob->digest),
                                     .exchange = {.max_bytes = (size_t)blob->size}};
    if (access_ask(registry, &request, err) < 0)
        return -1;
    if (request.exchange.status == 404)
        return err_set(err, TG_RUNTIME, "not-found", "%s/%s has no blob %s", reference->host,
                       reference->path, blob->digest);
    if (request.exchange.status != 200)
        return access_fail(err, &request);
    *bytes = request.exchange.body;
    return check_blob(http_shown(arena, request.exchange.url), *bytes, blob, err);
}

int registry_config(struct data **out, struct registry *registry,
                    const struct image_reference *reference,
                    const struct registry_manifest *manifest, struct err *err)
{
    struct span bytes = span_of(NULL, 0);
    struct registry_descriptor config;
    const char *name =
        arena_printf(registry->arena, "the config of %s/%s", reference->host, reference->path);
    if (registry_read_descriptor(&config, name, data_get(manifest->document, "config"), err) < 0 ||
        registry_blob(&bytes, registry, reference, &config, LIMIT_HTTP_JSON_BYTES, err) < 0)
        return -1;
    return registry_read_json(out, registry->arena, name, bytes, LIMIT_HTTP_JSON_BYTES, err);
}

int registry_platforms(struct registry_platform **out, size_t *count, struct registry *registry,
                       const struct image_reference *reference,
                       const struct registry_manifest *manifest, struct err *err)
{
    struct arena *arena = registry->arena;
    struct data *config;
    const char *name = arena_printf(arena, "%s/%s", reference->host, reference->path);
    if (registry_is_index(manifest)) {
        if (registry_read_platforms(out, count, arena, name, manifest, err) < 0)
            return -1;
    } else {
        if (registry_config(&config, registry, reference, manifest, err) < 0)
            return -1;
        *out = arena_array(arena, 1, sizeof(**out));
        **out = (struct registry_platform){
            .name = registry_platform_name(arena, config),
            .manifest = {manifest->media_type, manifest->digest, (int64_t)manifest->bytes.len}};
        *count = (*out)->name != NULL;
    }
    return *count ? 0
                  : err_set(err, TG_RUNTIME, "answer", "%s: %s is an image for no platform", name,
                            manifest->digest);
}
