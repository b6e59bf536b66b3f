/* Sends requests to registries: finds the host, the credentials and the token. */
#include "registry/client/access.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/shell.h"
#include "data/data.h"
#include "data/json.h"
#include "registry/client/credentials.h"
#include "registry/reference.h"

#include <string.h>

#define HUB "docker.io"
#define HUB_HOST "registry-1.docker.io"
#define REASON_BYTES 4096

/* A registry that has been probed for its requirements. */
struct registry_host {
    const char *name;      /* as in references */
    const char *url;       /* "https://registry.example.com" */
    const char *challenge; /* its challenge; NULL: anonymous access */
    bool asked;
    bool speaks;                     /* sent its API version */
    struct registry_trouble trouble; /* why probing failed; it is not repeated */
};

/* The authorization for one kind of request to one repository. */
struct registry_token {
    struct registry_host *host;
    const char *path, *push; /* as in the request */
    const char *authorization;
    struct registry_trouble trouble;
    struct registry_trouble
        nobody; /* what is wrong if it does not do: it was asked for by nobody */
};

/* ------------------------------------------------------------------ troubles */

static struct registry_trouble trouble_of(struct arena *arena, const struct err *err)
{
    return (struct registry_trouble){err->exit, err->code, arena_strdup(arena, err->message),
                                     err->hint ? arena_strdup(arena, err->hint) : NULL};
}

static struct registry_trouble trouble_answer(struct arena *arena,
                                              const struct http_exchange *answer)
{
    ERR_SCRATCH(err);
    (void)http_fail(&err, answer);
    return trouble_of(arena, &err);
}

/* `why`: the reason for missing credentials if `docker login` would not help; or NULL. */
static struct registry_trouble no_password(struct arena *arena, const char *host, const char *why)
{
    return (struct registry_trouble){
        TG_RUNTIME, "network", arena_printf(arena, "%s: it wants a user and a password", host),
        why ? why : shell_command(arena, "docker login %s, or podman login %s", host, host)};
}

static bool wants_somebody(const struct http_exchange *answer)
{
    return answer->status == 401 || answer->status == 403;
}

static int fail(struct err *err, const struct registry_trouble *trouble)
{
    (void)err_set(err, trouble->exit, trouble->code, "%s", trouble->message);
    return trouble->hint ? err_hint(err, "%s", trouble->hint) : -1;
}

/* The first error in a registry's answer; or NULL. */
static const struct data *error_of(struct arena *arena, const struct http_exchange *answer)
{
    ERR_SCRATCH(err);
    struct data *document;
    if (answer->body.len > REASON_BYTES ||
        json_parse(&document, arena, "the answer", answer->body, &err) < 0)
        return NULL;
    const struct data *errors = data_get(document, "errors");
    if (!errors || errors->kind != DATA_LIST || !errors->list.count)
        return NULL;
    return errors->list.items[0];
}

const char *access_error_code(struct arena *arena, const struct http_exchange *answer)
{
    return data_get_text(error_of(arena, answer), "code");
}

/* The registry's reason for a failure ("DENIED: requested access is denied"); or NULL. */
static const char *reason_of(struct arena *arena, const struct http_exchange *answer)
{
    const struct data *error = error_of(arena, answer);
    const char *code = data_get_text(error, "code");
    const char *message = data_get_text(error, "message");
    return code && message ? arena_printf(arena, "%s: %s", code, message) : code;
}

/* Storage servers behind a redirect have no user accounts. */
static const char *hint_of(const struct access_request *request, const struct err *err)
{
    const struct http_exchange *answer = &request->exchange;
    const struct registry_token *token = request->token;
    bool turned_away = wants_somebody(answer) && token && token->nobody.hint &&
                       http_same_origin(answer->final_url, request->host->url);
    return turned_away ? token->nobody.hint : err->hint;
}

int access_fail(struct err *err, const struct access_request *request)
{
    ARENA_SCRATCH(scratch);
    const struct http_exchange *answer = &request->exchange;
    if (request->trouble.message)
        return fail(err, &request->trouble);
    (void)http_fail(err, answer);
    const char *reason = reason_of(&scratch, answer), *hint = hint_of(request, err);
    if (hint)
        hint = arena_strdup(&scratch, hint);
    if (reason)
        (void)err_set(err, err->exit, err->code, "%s (%s)", arena_strdup(&scratch, err->message),
                      reason);
    return hint ? err_hint(err, "%s", hint) : -1;
}

/* ------------------------------------------------------------------ hosts */

void access_locate(const char **host, const char **path, const struct registry *registry,
                   const struct image_reference *reference)
{
    bool mirrored = registry->mirror_host && str_equal(reference->host, HUB);
    *host = mirrored ? registry->mirror_host : reference->host;
    *path = mirrored ? arena_printf(registry->arena, "%s%s", registry->mirror_path, reference->path)
                     : reference->path;
}

static struct registry_host *find_host(struct registry *registry, const char *name)
{
    for (size_t i = 0; i < registry->host_count; i++)
        if (str_equal(registry->hosts[i]->name, name))
            return registry->hosts[i];
    struct registry_host *host = arena_alloc(registry->arena, sizeof(*host));
    host->name = name;
    return arena_push(registry->arena, registry->hosts, registry->host_count) = host;
}

/* Only the registry's own answer counts, not a redirect or its target. */
static bool says_version(struct arena *arena, const struct http_exchange *answer)
{
    const char *version = http_header(arena, answer->headers, "docker-distribution-api-version");
    return version && strstr(version, "registry/2.") &&
           http_same_origin(answer->final_url, answer->url);
}

bool access_is_registry(const struct registry *registry, const struct access_request *request)
{
    return request->host->speaks || says_version(registry->arena, &request->exchange);
}

static void take_probe(struct registry_host *host, struct registry *registry,
                       const struct http_exchange *answer, const char *url)
{
    host->url = url;
    host->speaks = says_version(registry->arena, answer);
    host->trouble = (struct registry_trouble){0};
    if (answer->status == 401)
        host->challenge = challenge_of(registry->arena, answer->headers);
    else if (answer->status != 200)
        host->trouble = trouble_answer(registry->arena, answer);
}

/* To plain HTTP, a server that expects TLS answers 400, a redirect, or nothing. */
static bool is_meant_plainly(const struct http_exchange *answer)
{
    return answer->status && answer->status != 400 && answer->status / 100 != 3 &&
           http_same_origin(answer->final_url, answer->url);
}

/* A registry that timed out is not probed again with TLS: that would only double the wait. */
static void take_plain(struct registry_host *host, struct registry *registry,
                       const struct http_exchange *answer, const char *url)
{
    if (is_meant_plainly(answer))
        take_probe(host, registry, answer, url);
    else if (answer->late)
        host->trouble = trouble_answer(registry->arena, answer);
    host->asked = answer->late || (host->url && !host->trouble.message);
}

static void take_secure(struct registry_host *host, struct registry *registry,
                        const struct http_exchange *answer, const char *url)
{
    if (answer->status)
        take_probe(host, registry, answer, url);
    else if (!host->trouble.message)
        host->trouble = trouble_answer(registry->arena, answer);
    host->asked = true;
}

/* Probes the hosts that are not known yet, under /v2/. */
static int probe(struct registry *registry, bool plain, struct err *err)
{
    struct arena *arena = registry->arena;
    size_t count = 0, room = registry->host_count + 1;
    struct http_exchange *answers = arena_array(arena, room, sizeof(*answers));
    struct registry_host **hosts = arena_array(arena, room, sizeof(struct registry_host *));
    const char **urls = arena_array(arena, room, sizeof(*urls));
    for (size_t i = 0; i < registry->host_count; i++) {
        struct registry_host *host = registry->hosts[i];
        const char *name = str_equal(host->name, HUB) ? HUB_HOST : host->name;
        if (host->asked || (plain && !http_is_this_machine(name)))
            continue;
        urls[count] = arena_printf(arena, "%s://%s", plain ? "http" : "https", name);
        answers[count] = (struct http_exchange){.url = arena_printf(arena, "%s/v2/", urls[count]),
                                                .hasty = plain,
                                                .max_bytes = LIMIT_DOCUMENT_BYTES};
        hosts[count++] = host;
    }
    int rc = count ? http_run(registry->http, arena, answers, count, err) : 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        (plain ? take_plain : take_secure)(hosts[i], registry, &answers[i], urls[i]);
    http_release(answers, count);
    return rc;
}

/* ------------------------------------------------------------------ tokens */

static struct registry_token *find_token(struct registry *registry,
                                         const struct access_request *request)
{
    for (size_t i = 0; i < registry->token_count; i++) {
        struct registry_token *token = registry->tokens[i];
        if (token->host == request->host && str_equal(token->path, request->path) &&
            str_equal(token->push, request->push))
            return token;
    }
    struct registry_token *token = arena_alloc(registry->arena, sizeof(*token));
    *token = (struct registry_token){
        .host = request->host, .path = request->path, .push = request->push};
    return arena_push(registry->arena, registry->tokens, registry->token_count) = token;
}

/* Passwords and identity tokens go only to the registry's own token server. */
static struct credential credential_of(struct registry *registry,
                                       const struct registry_token *token, const char *url)
{
    const struct registry_host *host = token->host;
    if (challenge_may_have_password(registry->arena, host->url, url))
        return credentials_for(registry->credentials, host->name, token->path);
    return (struct credential){
        .failure = arena_printf(registry->arena,
                                "%s is not of the registry's own domain: its password is not sent "
                                "there",
                                http_shown(registry->arena, url))};
}

/* Prepares the token request with its credentials. */
static int token_question(struct http_exchange *out, struct registry *registry,
                          struct registry_token *token, struct err *err)
{
    struct arena *arena = registry->arena;
    const struct registry_host *host = token->host;
    const char *scopes[2];
    struct challenge_question question = {host->challenge, host->url, {scopes, 1}};
    scopes[0] =
        arena_printf(arena, "repository:%s:%s", token->path, token->push ? "pull,push" : "pull");
    if (token->push && *token->push)
        scopes[question.scopes.count++] = arena_printf(arena, "repository:%s:pull", token->push);
    *out = (struct http_exchange){.max_bytes = LIMIT_DOCUMENT_BYTES};
    if (challenge_token_url(&out->url, arena, &question, err) < 0)
        return -1;
    struct credential credential = credential_of(registry, token, out->url);
    if (!credential.basic && !credential.identity)
        token->nobody = no_password(arena, host->name, credential.failure);
    out->authorization = credential.basic;
    if (!credential.identity)
        return 0;
    out->authorization = NULL;
    out->method = "POST";
    out->content_type = "application/x-www-form-urlencoded";
    return challenge_token_form(&out->url, &out->content, arena, &question, credential.identity,
                                err);
}

static void take_token(struct registry_token *token, struct arena *arena,
                       const struct http_exchange *answer)
{
    ERR_SCRATCH(err);
    if (wants_somebody(answer) && token->nobody.message) {
        token->trouble = token->nobody;
        return;
    }
    int rc = answer->status == 200
                 ? challenge_read_token(&token->authorization, arena,
                                        http_shown(arena, answer->final_url), answer->body, &err)
                 : http_fail(&err, answer);
    if (rc < 0)
        token->trouble = trouble_of(arena, &err);
}

static int fetch_tokens(struct registry *registry, struct err *err)
{
    struct arena *arena = registry->arena;
    size_t room = registry->token_count + 1, count = 0;
    struct http_exchange *answers = arena_array(arena, room, sizeof(*answers));
    struct registry_token **wanted = arena_array(arena, room, sizeof(struct registry_token *));
    for (size_t i = 0; i < registry->token_count; i++) {
        ERR_SCRATCH(one);
        struct registry_token *token = registry->tokens[i];
        if (token->authorization || token->trouble.message)
            continue;
        if (token_question(&answers[count], registry, token, &one) < 0)
            token->trouble = trouble_of(arena, &one);
        else
            wanted[count++] = token;
    }
    int rc = count ? http_run(registry->http, arena, answers, count, err) : 0;
    for (size_t i = 0; rc == 0 && i < count; i++)
        take_token(wanted[i], arena, &answers[i]);
    http_release(answers, count);
    return rc;
}

/* ------------------------------------------------------------------ questions */

/* Applies what is known of the host; the token is fetched afterwards. */
static void meet_host(struct access_request *request, struct registry *registry)
{
    struct registry_host *host = request->host;
    request->trouble = host->trouble;
    request->token = NULL;
    request->exchange.authorization = NULL;
    if (host->trouble.message || !host->challenge)
        return;
    if (!challenge_is(host->challenge, "Basic")) {
        request->token = find_token(registry, request);
        return;
    }
    struct credential credential =
        credentials_for(registry->credentials, host->name, request->path);
    request->exchange.authorization = credential.basic;
    if (!credential.basic)
        request->trouble = no_password(registry->arena, host->name, credential.failure);
}

static void meet_token(struct access_request *request, struct arena *arena)
{
    if (request->token) {
        request->trouble = request->token->trouble;
        request->exchange.authorization = request->token->authorization;
    }
    if (!request->trouble.message && request->rest)
        request->exchange.url =
            arena_printf(arena, "%s/v2/%s/%s", request->host->url, request->path, request->rest);
}

static int authorize(struct registry *registry, struct access_request **requests, size_t count,
                     struct err *err)
{
    for (size_t i = 0; i < count; i++) {
        const char *name;
        access_locate(&name, &requests[i]->path, registry, requests[i]->reference);
        requests[i]->host = find_host(registry, name);
    }
    /*
     * As docker does, accepts a local registry without TLS. Tries that first: most have none, and
     * for TLS libcurl would read all certificates of the system.
     */
    if (probe(registry, true, err) < 0 || probe(registry, false, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        meet_host(requests[i], registry);
    if (fetch_tokens(registry, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        meet_token(requests[i], registry->arena);
    return 0;
}

/* Sends the requests that are ready. */
static int ask_all(struct registry *registry, struct access_request **requests, size_t count,
                   struct err *err)
{
    struct arena *arena = registry->arena;
    struct http_exchange *exchanges = arena_array(arena, count + 1, sizeof(*exchanges));
    struct access_request **asked = arena_array(arena, count + 1, sizeof(*requests));
    size_t n = 0;
    if (authorize(registry, requests, count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (!requests[i]->trouble.message) {
            exchanges[n] = requests[i]->exchange;
            asked[n++] = requests[i];
        }
    int rc = n ? http_run(registry->http, arena, exchanges, n, err) : 0;
    for (size_t i = 0; rc == 0 && i < n; i++) {
        asked[i]->exchange = exchanges[i];
        asked[i]->exchange.err = (struct err)ERR_INIT;
        if (!exchanges[i].status)
            asked[i]->trouble = trouble_answer(arena, &exchanges[i]);
    }
    http_release(exchanges, n);
    return rc;
}

static void drop_token(struct registry *registry, const struct registry_token *token)
{
    for (size_t i = 0; i < registry->token_count; i++)
        if (registry->tokens[i] == token)
            registry->tokens[i] = registry->tokens[--registry->token_count];
}

/* Whether to retry with a fresh token, or with the challenge that the registry now sent. */
static bool is_turned_away(struct registry *registry, const struct access_request *request)
{
    struct registry_host *host = request->host;
    const struct http_exchange *answer = &request->exchange;
    if (request->trouble.message || answer->status != 401)
        return false;
    if (!http_same_origin(answer->final_url, host->url))
        return false;
    if (request->token) {
        drop_token(registry, request->token);
        return true;
    }
    if (!host->challenge)
        host->challenge = challenge_of(registry->arena, answer->headers);
    return host->challenge && !answer->authorization;
}

int access_run(struct registry *registry, struct access_request *requests, size_t count,
               struct err *err)
{
    struct access_request **some =
        arena_array(registry->arena, count + 1, sizeof(struct access_request *));
    size_t again = 0;
    for (size_t i = 0; i < count; i++)
        some[i] = &requests[i];
    if (ask_all(registry, some, count, err) < 0)
        return -1;
    for (size_t i = 0; i < count; i++)
        if (is_turned_away(registry, &requests[i])) {
            struct http_exchange *exchange = &requests[i].exchange;
            exchange->status = 0;
            exchange->body = span_of(NULL, 0);
            exchange->headers = exchange->final_url = NULL;
            exchange->from_cache = false;
            some[again++] = &requests[i];
        }
    return again ? ask_all(registry, some, again, err) : 0;
}

int access_ask(struct registry *registry, struct access_request *request, struct err *err)
{
    if (access_run(registry, request, 1, err) < 0)
        return -1;
    return request->trouble.message ? fail(err, &request->trouble) : 0;
}

const char *access_url(const struct access_request *request)
{
    return request->host->url;
}
