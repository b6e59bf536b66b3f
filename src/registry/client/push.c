/* An OCI registry's API, to write: layers that it has already, small blobs, manifests. */
#include "registry/registry.h"

#include "base/arena.h"
#include "base/limits.h"
#include "io/http.h"
#include "registry/client/access.h"
#include "registry/image_manifest.h"
#include "registry/reference.h"

#include <string.h>

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

/* 201: it was taken; 202: the registry would rather have it sent. */
static int take_mount(struct registry_need *need, const struct access_request *request,
                      struct err *err)
{
    long status = request->exchange.status;
    if (request->trouble.message || (status != 201 && status != 202))
        return access_fail(err, request);
    need->there = status == 201;
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
    for (size_t i = 0; i < asked; i++)
        if (take_mount(&needs[places[i]], &requests[i], err) < 0)
            return -1;
    return 0;
}

/* ------------------------------------------------------------------ small blobs */

/* Where the registry wants it: a path of its own, or nothing that a secret would follow. */
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

/* What broke off may have arrived: whether it is there is asked, before it is sent once more. */
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
    /* a page is answered by 200 as well */
    if (status != 201 && !(status == 200 && said))
        return access_fail(err, &request);
    if (said && !str_equal(said, manifest->digest))
        return err_set(err, TG_RUNTIME, "answer", "%s: what was put as %s became %s",
                       http_shown(arena, request.exchange.url), manifest->digest, said);
    return 0;
}
