/* An OCI registry's API: manifests by tag or digest, tag lists, tokens. */
#include "registry/registry.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/data.h"
#include "base/http.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/sha.h"
#include "registry/credentials.h"
#include "registry/reference.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define HUB "docker.io"
#define HUB_HOST "registry-1.docker.io"
#define HOSTS_MAX 16
#define TOKENS_MAX 64
#define PAGES_MAX 1000
#define TAGS_MAX ((size_t)200000)
#define PAGE_SIZE "1000"
#define ACCEPT_MANIFEST                                                                            \
    "application/vnd.oci.image.index.v1+json, "                                                    \
    "application/vnd.docker.distribution.manifest.list.v2+json, "                                  \
    "application/vnd.oci.image.manifest.v1+json, "                                                 \
    "application/vnd.docker.distribution.manifest.v2+json"

/* A registry that was asked how it wants to be asked. */
struct registry_host {
    const char *name;      /* as in references */
    const char *url;       /* "https://registry.example.com" */
    const char *challenge; /* what it answered; NULL: nobody need say who he is */
    const char *basic;     /* the user's credentials, or NULL */
    const char *failure;   /* why it could not be asked: it is asked once */
};

struct registry_token {
    const char *host, *path;
    const char *authorization; /* NULL: there was none to be had, for this reason */
    const char *failure;
};

struct registry {
    struct arena *arena;
    struct http *http;
    struct data *credentials;
    struct registry_host hosts[HOSTS_MAX];
    struct registry_token tokens[TOKENS_MAX];
    size_t host_count, token_count;
};

int registry_open(struct registry **out, struct arena *arena, struct http *http, struct err *err)
{
    struct registry *registry = arena_alloc(arena, sizeof(*registry));
    registry->arena = arena;
    registry->http = http;
    *out = registry;
    return credentials_load(&registry->credentials, arena, err);
}

/* One question by itself. */
static int ask(struct http_exchange *exchange, struct registry *registry, struct err *err)
{
    if (http_run(registry->http, registry->arena, exchange, 1, err) < 0)
        return -1;
    if (exchange->status)
        return 0;
    int rc = http_fail(err, exchange);
    http_release(exchange, 1);
    return rc;
}

/* ------------------------------------------------------------------ who may ask */

/* The value at `*at`, quoted or not; `*at` moves behind it. */
static const char *challenge_value(struct arena *arena, const char **at)
{
    bool quoted = **at == '"';
    const char *start = *at + quoted;
    size_t len = strcspn(start, quoted ? "\"" : ", ");
    *at = start + len + (quoted && start[len] == '"');
    return arena_memdup(arena, start, len);
}

const char *registry_challenge(struct arena *arena, const char *header, const char *scheme,
                               const char *parameter)
{
    size_t len = strlen(scheme), name_len = strlen(parameter);
    if (!header || strncasecmp(header, scheme, len) != 0 || (header[len] && header[len] != ' '))
        return NULL;
    for (const char *at = header + len; *at;) {
        at += strspn(at, ", \t");
        size_t name = strcspn(at, "=, \t");
        if (at[name] != '=') {
            at += name;
            continue;
        }
        const char *start = at;
        at += name + 1;
        const char *value = challenge_value(arena, &at);
        if (name == name_len && strncasecmp(start, parameter, name) == 0)
            return value;
    }
    return NULL;
}

/* The host of a URL, without its port. */
static const char *host_of(struct arena *arena, const char *url)
{
    const char *scheme = strstr(url, "://");
    const char *start = scheme ? scheme + 3 : url;
    size_t len = strcspn(start, "/?#");
    const char *at = memrchr(start, '@', len);
    if (at) {
        len -= (size_t)(at + 1 - start);
        start = at + 1;
    }
    const char *colon = *start == '[' ? NULL : memchr(start, ':', len);
    return arena_memdup(arena, start, colon ? (size_t)(colon - start) : len);
}

/* What a name shares with its siblings: "example.com", "example.co.uk"; all of an address. */
static const char *domain_of(const char *host)
{
    const char *last = strrchr(host, '.');
    if (!last || strspn(host, "0123456789.") == strlen(host) || *host == '[')
        return host;
    const char *second = memrchr(host, '.', (size_t)(last - host));
    if (!second)
        return host;
    if (strlen(last + 1) > 2 || last - second - 1 > 3)
        return second + 1;
    const char *third = memrchr(host, '.', (size_t)(second - host));
    return third ? third + 1 : host;
}

/* A token server gets the password only where it is the registry's own. */
static bool may_have_password(struct arena *arena, const struct registry_host *host,
                              const char *realm)
{
    bool secure = str_starts(realm, "https:") || str_starts(host->url, "http:");
    const char *here = host_of(arena, host->url), *there = host_of(arena, realm);
    return secure && strcasecmp(domain_of(here), domain_of(there)) == 0;
}

static void put_query(struct buf *out, const char *name, const char *value)
{
    if (!value)
        return;
    (void)buf_printf(out, "%s%s=", strchr(buf_text(out), '?') ? "&" : "?", name);
    for (const char *c = value; *c; c++)
        if (strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:/", *c))
            (void)buf_putc(out, *c);
        else
            (void)buf_printf(out, "%%%02X", (unsigned char)*c);
}

static int read_token(const char **out, struct arena *arena, const struct http_exchange *answer,
                      struct err *err)
{
    struct data *document;
    if (answer->status != 200)
        return http_fail(err, answer);
    if (json_parse(&document, arena, "the token", answer->body, err) < 0) {
        err->exit = TG_RUNTIME;
        err->code = "answer";
        return err_wrap(err, "%s", http_shown(arena, answer->final_url));
    }
    const char *token = data_text(data_get(document, "token"));
    if (!token || !*token)
        token = data_text(data_get(document, "access_token"));
    if (!token || !*token)
        return err_set(err, TG_RUNTIME, "answer", "%s: it gives no token",
                       http_shown(arena, answer->final_url));
    *out = arena_printf(arena, "Bearer %s", token);
    return 0;
}

static int fetch_token(const char **out, struct registry *registry,
                       const struct registry_host *host, const char *path, struct err *err)
{
    struct arena *arena = registry->arena;
    const char *realm = registry_challenge(arena, host->challenge, "Bearer", "realm");
    BUF_SCRATCH(url, 4096);
    if (!realm || (!str_starts(realm, "https://") && !str_starts(host->url, "http://")))
        return err_set(err, TG_RUNTIME, "answer", "%s: it names no token server with https",
                       host->name);
    (void)buf_puts(&url, realm);
    put_query(&url, "service", registry_challenge(arena, host->challenge, "Bearer", "service"));
    put_query(&url, "scope", arena_printf(arena, "repository:%s:pull", path));
    if (url.overflowed)
        return err_set(err, TG_RUNTIME, "answer", "%s: its token server's URL is too long",
                       host->name);
    struct http_exchange exchange = {.url = arena_strdup(arena, buf_text(&url)),
                                     .authorization =
                                         may_have_password(arena, host, realm) ? host->basic : NULL,
                                     .max_bytes = LIMIT_DOCUMENT_BYTES};
    if (ask(&exchange, registry, err) < 0)
        return -1;
    int rc = read_token(out, arena, &exchange, err);
    http_release(&exchange, 1);
    return rc;
}

static const struct registry_token *find_token(const struct registry *registry,
                                               const struct registry_host *host, const char *path)
{
    for (size_t i = 0; i < registry->token_count; i++)
        if (str_equal(registry->tokens[i].host, host->name) &&
            str_equal(registry->tokens[i].path, path))
            return &registry->tokens[i];
    return NULL;
}

/* `*out` NULL: the registry wants nothing. */
static int authorize(const char **out, struct registry *registry, const struct registry_host *host,
                     const char *path, struct err *err)
{
    *out = NULL;
    if (!host->challenge)
        return 0;
    if (strncasecmp(host->challenge, "Basic", strlen("Basic")) == 0) {
        *out = host->basic;
        if (host->basic)
            return 0;
        (void)err_set(err, TG_RUNTIME, "network", "%s: it wants a user and a password", host->name);
        return err_hint(err, "docker login %s, or podman login %s", host->name, host->name);
    }
    const struct registry_token *known = find_token(registry, host, path);
    if (known && known->failure)
        return err_set(err, TG_RUNTIME, "network", "%s", known->failure);
    if (known) {
        *out = known->authorization;
        return 0;
    }
    int rc = fetch_token(out, registry, host, path, err);
    if (registry->token_count < TOKENS_MAX)
        registry->tokens[registry->token_count++] =
            (struct registry_token){host->name, path, rc < 0 ? NULL : *out,
                                    rc < 0 ? arena_strdup(registry->arena, err->message) : NULL};
    return rc;
}

/* ------------------------------------------------------------------ hosts */

/* `answer` is what the registry says of itself under /v2/. */
static int probe(struct http_exchange *answer, struct registry *registry, const char *url,
                 struct err *err)
{
    *answer = (struct http_exchange){.url = arena_printf(registry->arena, "%s/v2/", url),
                                     .max_bytes = LIMIT_DOCUMENT_BYTES};
    return ask(answer, registry, err);
}

/* On this machine a registry without TLS is taken, as docker does. */
static int find_url(const char **url, struct http_exchange *answer, struct registry *registry,
                    const char *host, struct err *err)
{
    ERR_SCRATCH(plain);
    const char *name = str_equal(host, HUB) ? HUB_HOST : host;
    *url = arena_printf(registry->arena, "https://%s", name);
    if (probe(answer, registry, *url, err) == 0)
        return 0;
    if (err->exit != TG_RUNTIME || !http_is_this_machine(name))
        return -1;
    const char *other = arena_printf(registry->arena, "http://%s", name);
    if (probe(answer, registry, other, &plain) < 0)
        return -1;
    *url = other;
    err_release(err);
    return 0;
}

static int ask_host(struct registry_host *host, struct registry *registry, struct err *err)
{
    struct http_exchange answer;
    if (find_url(&host->url, &answer, registry, host->name, err) < 0)
        return -1;
    if (answer.status == 401)
        host->challenge = http_header(registry->arena, answer.headers, "www-authenticate");
    else if (answer.status != 200)
        return http_fail(err, &answer);
    host->basic = credentials_for(registry->arena, registry->credentials, host->name);
    return 0;
}

static int find_host(struct registry_host **out, struct registry *registry, const char *name,
                     struct err *err)
{
    struct registry_host *host = NULL;
    for (size_t i = 0; !host && i < registry->host_count; i++)
        if (str_equal(registry->hosts[i].name, name))
            host = &registry->hosts[i];
    if (!host && registry->host_count == HOSTS_MAX)
        return err_set(err, TG_RUNTIME, "limit", "more than %d registries, the limit", HOSTS_MAX);
    if (!host) {
        host = &registry->hosts[registry->host_count++];
        *host = (struct registry_host){.name = name};
        if (ask_host(host, registry, err) < 0) {
            host->failure = arena_strdup(registry->arena, err->message);
            return -1;
        }
    }
    *out = host;
    return host->failure ? err_set(err, TG_RUNTIME, "network", "%s", host->failure) : 0;
}

/* A question about a repository: its URL and what authorizes it. */
static int prepare(struct http_exchange *out, struct registry *registry,
                   const struct image_reference *reference, const char *rest, struct err *err)
{
    struct registry_host *host;
    *out =
        (struct http_exchange){.accept = ACCEPT_MANIFEST, .max_bytes = LIMIT_HTTP_MANIFEST_BYTES};
    if (find_host(&host, registry, reference->host, err) < 0 ||
        authorize(&out->authorization, registry, host, reference->path, err) < 0)
        return -1;
    out->url = arena_printf(registry->arena, "%s/v2/%s/%s", host->url, reference->path, rest);
    return 0;
}

static const char *manifest_part(struct arena *arena, const struct image_reference *reference)
{
    return arena_printf(arena, "manifests/%s",
                        reference->digest ? reference->digest : reference->tag);
}

/* ------------------------------------------------------------------ looking */

static void take_look(struct registry_image *image, struct arena *arena,
                      const struct http_exchange *answer)
{
    ERR_SCRATCH(err);
    const char *digest = http_header(arena, answer->headers, "docker-content-digest");
    if (answer->status == 200) {
        image->presence = IMAGE_THERE;
        image->digest = digest && image_digest_is_valid(digest) ? digest : NULL;
    } else if (answer->status == 404) {
        image->presence = IMAGE_GONE;
    } else {
        (void)http_fail(&err, answer);
        image->failure = arena_strdup(arena, err.message);
    }
}

int registry_look(struct registry *registry, struct registry_image *images, size_t count,
                  struct err *err)
{
    struct http_exchange *exchanges = arena_array(registry->arena, count + 1, sizeof(*exchanges));
    size_t *places = arena_array(registry->arena, count + 1, sizeof(*places)), asked = 0;
    for (size_t i = 0; i < count; i++) {
        ERR_SCRATCH(one);
        const char *rest = manifest_part(registry->arena, images[i].reference);
        images[i].presence = IMAGE_FAILED;
        if (prepare(&exchanges[asked], registry, images[i].reference, rest, &one) < 0) {
            if (one.exit != TG_RUNTIME)
                return err_set(err, one.exit, one.code, "%s", one.message);
            images[i].failure = arena_strdup(registry->arena, one.message);
            continue;
        }
        exchanges[asked].head = true;
        places[asked++] = i;
    }
    int rc = http_run(registry->http, registry->arena, exchanges, asked, err);
    for (size_t i = 0; rc == 0 && i < asked; i++)
        take_look(&images[places[i]], registry->arena, &exchanges[i]);
    http_release(exchanges, asked);
    return rc;
}

/* ------------------------------------------------------------------ manifests and tags */

int registry_read_manifest(struct registry_manifest *out, struct arena *arena, const char *name,
                           struct span bytes, const char *wanted, struct err *err)
{
    char sum[SHA256_HEX_SIZE];
    sha256_hex(sum, bytes.ptr, bytes.len);
    *out =
        (struct registry_manifest){.digest = arena_printf(arena, "sha256:%s", sum), .bytes = bytes};
    if (wanted && !str_equal(wanted, out->digest))
        return err_set(err, TG_RUNTIME, "answer", "%s: what came is %s, not %s", name, out->digest,
                       wanted);
    if (json_parse_large(&out->document, arena, name, bytes, LIMIT_HTTP_MANIFEST_BYTES, err) < 0) {
        err->exit = TG_RUNTIME;
        err->code = str_equal(err->code, "limit") ? "limit" : "answer";
        return -1;
    }
    const struct data *manifests = data_get(out->document, "manifests");
    const struct data *config = data_get(out->document, "config");
    out->media_type = data_text(data_get(out->document, "mediaType"));
    if (!(manifests && manifests->kind == DATA_LIST) && !(config && config->kind == DATA_MAP))
        return err_set(err, TG_RUNTIME, "answer", "%s: it is neither a manifest nor an index",
                       name);
    return 0;
}

int registry_manifest(struct registry_manifest *out, struct registry *registry,
                      const struct image_reference *reference, struct err *err)
{
    struct http_exchange exchange;
    struct arena *arena = registry->arena;
    if (prepare(&exchange, registry, reference, manifest_part(arena, reference), err) < 0 ||
        ask(&exchange, registry, err) < 0)
        return -1;
    if (exchange.status == 404)
        return err_set(err, TG_RUNTIME, "not-found", "%s/%s has no %s", reference->host,
                       reference->path, reference->digest ? reference->digest : reference->tag);
    if (exchange.status != 200)
        return http_fail(err, &exchange);
    const char *said = http_header(arena, exchange.headers, "docker-content-digest");
    const char *type = http_header(arena, exchange.headers, "content-type");
    const char *wanted = reference->digest ? reference->digest : said;
    if (registry_read_manifest(out, arena, http_shown(arena, exchange.url), exchange.body, wanted,
                               err) < 0)
        return -1;
    if (!out->media_type)
        out->media_type = type;
    return 0;
}

int registry_read_tags(struct data *list, struct arena *arena, const char *name, struct span bytes,
                       struct err *err)
{
    struct data *document;
    if (json_parse_large(&document, arena, name, bytes, LIMIT_HTTP_JSON_BYTES, err) < 0) {
        err->exit = TG_RUNTIME;
        err->code = str_equal(err->code, "limit") ? "limit" : "answer";
        return -1;
    }
    const struct data *tags = data_get(document, "tags");
    if (tags && tags->kind == DATA_NULL)
        return 0;
    if (!tags || tags->kind != DATA_LIST)
        return err_set(err, TG_RUNTIME, "answer", "%s: it lists no tags", name);
    for (size_t i = 0; i < tags->list.count; i++) {
        const char *tag = data_text(tags->list.items[i]);
        if (!tag)
            return err_set(err, TG_RUNTIME, "answer", "%s: a tag that is no text", name);
        if (list->list.count >= TAGS_MAX)
            return err_set(err, TG_RUNTIME, "limit", "%s: more than %zu tags, the limit", name,
                           TAGS_MAX);
        data_push(arena, list, data_str(arena, tag));
    }
    return 0;
}

/* The URL of `Link: </v2/...>; rel="next"` on the same host, or NULL. */
static const char *next_page(struct arena *arena, const struct http_exchange *answer,
                             const char *root)
{
    const char *link = http_header(arena, answer->headers, "link");
    const char *end = link && *link == '<' ? strchr(link, '>') : NULL;
    if (!end || !strstr(end, "next"))
        return NULL;
    const char *to = arena_memdup(arena, link + 1, (size_t)(end - link) - 1);
    const char *url = http_join(arena, answer->final_url, to);
    size_t len = strlen(root);
    return url && strncmp(url, root, len) == 0 && url[len] == '/' ? url : NULL;
}

int registry_tags(const char ***tags, size_t *count, struct registry *registry,
                  const struct image_reference *repository, struct err *err)
{
    struct arena *arena = registry->arena;
    struct data *list = data_list(arena);
    struct http_exchange exchange;
    struct registry_host *host;
    if (prepare(&exchange, registry, repository, "tags/list?n=" PAGE_SIZE, err) < 0 ||
        find_host(&host, registry, repository->host, err) < 0)
        return -1;
    exchange.accept = "application/json";
    exchange.max_bytes = LIMIT_HTTP_JSON_BYTES;
    for (int page = 0; exchange.url; page++) {
        size_t before = list->list.count;
        if (page == PAGES_MAX)
            return err_set(err, TG_RUNTIME, "limit", "%s: more than %d pages of tags, the limit",
                           repository->path, PAGES_MAX);
        if (ask(&exchange, registry, err) < 0)
            return -1;
        if (exchange.status != 200)
            return http_fail(err, &exchange);
        if (registry_read_tags(list, arena, http_shown(arena, exchange.url), exchange.body, err) <
            0)
            return -1;
        const char *next = next_page(arena, &exchange, host->url);
        if (str_equal(next, exchange.url))
            return err_set(err, TG_RUNTIME, "answer", "%s: its next page is itself",
                           http_shown(arena, next));
        exchange = (struct http_exchange){.url = list->list.count > before ? next : NULL,
                                          .accept = exchange.accept,
                                          .authorization = exchange.authorization,
                                          .max_bytes = exchange.max_bytes};
    }
    *count = list->list.count;
    *tags = arena_array(arena, *count + 1, sizeof(**tags));
    for (size_t i = 0; i < *count; i++)
        (*tags)[i] = data_text(list->list.items[i]);
    return 0;
}
