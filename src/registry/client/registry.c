/* An OCI registry's API: manifests by tag or digest, platforms, small blobs. */
#include "registry/registry.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/sha.h"
#include "data/data.h"
#include "io/http.h"
#include "registry/client/access.h"
#include "registry/client/credentials.h"
#include "registry/image_manifest.h"
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

/* ------------------------------------------------------------------ answers */

/* Whether the manifest is missing. Only a registry can tell: a portal has no such page either. */
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

/* In a batch, each question keeps its hint beside its message. */
static void take_answer(struct registry_question *question, struct registry *registry,
                        const struct access_request *request)
{
    ERR_SCRATCH(err);
    question->presence = IMAGE_THERE;
    question->failure = NULL;
    if (take_manifest(&question->manifest, registry, request, &err) == 0)
        return;
    question->presence = str_equal(err.code, "not-found") ? IMAGE_GONE : IMAGE_FAILED;
    if (question->presence == IMAGE_FAILED)
        question->failure = arena_printf(registry->arena, "%s%s%s", err.message,
                                         err.hint ? "; " : "", err.hint ? err.hint : "");
}

/* ------------------------------------------------------------------ looking */

/*
 * Uses the headers of an answer if they are proof: the manifest exists (media type, digest and the
 * registry's API), or it does not. Otherwise the manifest must be fetched.
 */
static bool take_head(struct registry_question *question, const struct registry *registry,
                      const struct access_request *request)
{
    struct arena *arena = registry->arena;
    const struct http_exchange *answer = &request->exchange;
    const char *wanted = question->reference->digest;
    if (request->trouble.message || !access_is_registry(registry, request))
        return false;
    if (answer->status == 404) {
        question->presence = IMAGE_GONE;
        return true;
    }
    const char *digest = http_header(arena, answer->headers, "docker-content-digest");
    const char *type = http_header(arena, answer->headers, "content-type");
    if (answer->status != 200 || !digest || !image_digest_is_valid(digest) ||
        (wanted && !str_equal(digest, wanted)) || !registry_is_media(arena, type))
        return false;
    question->presence = IMAGE_THERE;
    question->manifest.digest = digest;
    return true;
}

int registry_look(struct registry *registry, struct registry_question *questions, size_t count,
                  struct err *err)
{
    struct arena *arena = registry->arena;
    struct access_request *requests = arena_array(arena, count + 1, sizeof(*requests));
    size_t *places = arena_array(arena, count + 1, sizeof(*places)), open = 0;
    bool compared = false;
    for (size_t i = 0; i < count; i++) {
        requests[i] = manifest_request(arena, questions[i].reference);
        requests[i].exchange.head = true;
    }
    if (access_run(registry, requests, count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        bool taken = take_head(&questions[i], registry, &requests[i]);
        long status = requests[i].exchange.status;
        if (taken && (questions[i].presence == IMAGE_GONE || compared))
            continue;
        compared |= taken;
        if (requests[i].trouble.message || (status != 200 && status != 404)) {
            take_answer(&questions[i], registry, &requests[i]); /* all of it would not help */
            continue;
        }
        places[open] = i;
        requests[open++] = manifest_request(arena, questions[i].reference);
    }
    if (access_run(registry, requests, open, err) < 0)
        return -1;
    for (size_t i = 0; i < open; i++)
        take_answer(&questions[places[i]], registry, &requests[i]);
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
    for (size_t i = 0; i < count; i++)
        take_answer(&questions[i], registry, &requests[i]);
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

/* Fetches a small blob, and checks its size and digest against the descriptor. */
static int fetch_blob(struct span *bytes, struct registry *registry,
                      const struct image_reference *reference,
                      const struct registry_descriptor *blob, struct err *err)
{
    struct arena *arena = registry->arena;
    if (blob->size > (int64_t)LIMIT_HTTP_JSON_BYTES)
        return err_set(err, TG_RUNTIME, "limit", "%s/%s: %s is larger than %zu bytes, the limit",
                       reference->host, reference->path, blob->digest, LIMIT_HTTP_JSON_BYTES);
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
        fetch_blob(&bytes, registry, reference, &config, err) < 0)
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

/* ------------------------------------------------------------------ writing */

#define UPLOAD_TRIES 2

bool registry_is_same_host(const struct registry *registry, const struct image_reference *a,
                           const struct image_reference *b)
{
    const char *host, *other, *path;
    access_locate(&host, &path, registry, a);
    access_locate(&other, &path, registry, b);
    return str_equal(host, other);
}

int registry_have_blobs(struct registry *registry, const struct image_reference *repository,
                        struct registry_need *needs, size_t count, struct err *err)
{
    struct arena *arena = registry->arena;
    struct access_request *requests = arena_array(arena, count + 1, sizeof(*requests));
    for (size_t i = 0; i < count; i++)
        requests[i] =
            (struct access_request){.reference = repository,
                                    .rest = arena_printf(arena, "blobs/%s", needs[i].digest),
                                    .exchange = {.head = true, .max_bytes = LIMIT_DOCUMENT_BYTES}};
    if (access_run(registry, requests, count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++) {
        long status = requests[i].exchange.status;
        if (requests[i].trouble.message || (status != 200 && status != 404))
            return access_fail(err, &requests[i]);
        needs[i].there = status == 200;
    }
    return 0;
}

int registry_mount(struct registry *registry, const struct image_reference *repository,
                   const struct image_reference *from, struct registry_need *needs, size_t count,
                   struct err *err)
{
    struct arena *arena = registry->arena;
    struct access_request *requests = arena_array(arena, count + 1, sizeof(*requests));
    size_t *places = arena_array(arena, count + 1, sizeof(*places)), asked = 0;
    const char *host, *path;
    access_locate(&host, &path, registry, from);
    for (size_t i = 0; i < count; i++) {
        if (needs[i].there)
            continue;
        requests[asked] = (struct access_request){
            .reference = repository,
            .rest = arena_printf(arena, "blobs/uploads/?mount=%s&from=%s", needs[i].digest, path),
            .push = path,
            .exchange = {.method = "POST", .once = true, .max_bytes = LIMIT_DOCUMENT_BYTES}};
        places[asked++] = i;
    }
    if (access_run(registry, requests, asked, err) < 0)
        return -1;
    for (size_t i = 0; i < asked; i++) { /* 202: it must be uploaded */
        long status = requests[i].exchange.status;
        if (requests[i].trouble.message || (status != 201 && status != 202))
            return access_fail(err, &requests[i]);
        needs[places[i]].there = status == 201;
    }
    return 0;
}

/* ------------------------------------------------------------------ small blobs */

/* The upload URL of the registry: its own path, or a URL that gets no secrets. */
static int upload_url(const char **out, struct arena *arena, const struct access_request *begun,
                      const char *digest, struct err *err)
{
    const struct http_exchange *answer = &begun->exchange;
    const char *to = http_header(arena, answer->headers, "location");
    const char *url = to ? http_join(arena, answer->final_url, to) : NULL;
    if (!url)
        return err_set(err, TG_RUNTIME, "answer", "%s: it does not say where to send what",
                       http_shown(arena, answer->url));
    if (!http_same_origin(url, access_url(begun)))
        return err_set(err, TG_RUNTIME, "answer",
                       "%s: it wants a blob sent to another server, %s, which is not done",
                       http_shown(arena, answer->url), http_shown(arena, url));
    int len = (int)strcspn(url, "#");
    bool query = memchr(url, '?', (size_t)len) != NULL;
    *out = arena_printf(arena, "%.*s%sdigest=%s", len, url, query ? "&" : "?", digest);
    return 0;
}

static int send_blob(struct registry *registry, const struct image_reference *repository,
                     struct span bytes, const char *digest, struct err *err)
{
    struct access_request begin = {
        .reference = repository,
        .rest = "blobs/uploads/",
        .push = "",
        .exchange = {.method = "POST", .once = true, .max_bytes = LIMIT_DOCUMENT_BYTES}};
    struct access_request end = {.reference = repository,
                                 .push = "",
                                 .exchange = {.method = "PUT",
                                              .once = true,
                                              .content = bytes,
                                              .content_type = "application/octet-stream",
                                              .max_bytes = LIMIT_DOCUMENT_BYTES}};
    if (access_ask(registry, &begin, err) < 0)
        return -1;
    if (begin.exchange.status != 202)
        return access_fail(err, &begin);
    if (upload_url(&end.exchange.url, registry->arena, &begin, digest, err) < 0 ||
        access_ask(registry, &end, err) < 0)
        return -1;
    return end.exchange.status == 201 ? 0 : access_fail(err, &end);
}

/* An interrupted upload may have succeeded: checks for the blob before it retries. */
int registry_upload(struct registry *registry, const struct image_reference *repository,
                    struct span bytes, const char *digest, struct err *err)
{
    struct registry_need need = {digest, false};
    for (int tries = 0; tries < UPLOAD_TRIES; tries++) {
        ERR_SCRATCH(one);
        if (registry_have_blobs(registry, repository, &need, 1, err) < 0)
            return -1;
        if (need.there || send_blob(registry, repository, bytes, digest, &one) == 0)
            return 0;
        if (tries + 1 == UPLOAD_TRIES || one.exit != TG_RUNTIME ||
            !str_equal(one.code, "network")) {
            (void)err_set(err, one.exit, one.code, "%s", one.message);
            return one.hint ? err_hint(err, "%s", one.hint) : -1;
        }
    }
    return 0;
}

/* ------------------------------------------------------------------ manifests */

int registry_put_manifest(struct registry *registry, const struct image_reference *reference,
                          const struct registry_manifest *manifest, struct err *err)
{
    struct arena *arena = registry->arena;
    const char *name = reference->tag ? reference->tag : manifest->digest;
    struct access_request request = {.reference = reference,
                                     .rest = arena_printf(arena, "manifests/%s", name),
                                     .push = "",
                                     .exchange = {.method = "PUT",
                                                  .content = manifest->bytes,
                                                  .content_type = manifest->media_type,
                                                  .max_bytes = LIMIT_DOCUMENT_BYTES}};
    if (access_ask(registry, &request, err) < 0)
        return -1;
    const char *said = http_header(arena, request.exchange.headers, "docker-content-digest");
    long status = request.exchange.status;
    /* a portal's page comes with 200, too */
    if (status != 201 && !(status == 200 && said))
        return access_fail(err, &request);
    if (said && !str_equal(said, manifest->digest))
        return err_set(err, TG_RUNTIME, "answer", "%s: what was put as %s became %s",
                       http_shown(arena, request.exchange.url), manifest->digest, said);
    return 0;
}
