/* Credentials of the user's container tools: user names, passwords, identity tokens. */
#include "registry/client/credentials.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "data/data.h"
#include "data/json.h"
#include "io/http.h"
#include "io/io.h"
#include "io/process.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The tools have their own spelling of Docker Hub. */
#define HUB "docker.io"
#define HUB_KEY "https://index.docker.io/v1/"
#define FILES_MAX 4
#define HELPER_SECONDS 30

/* A helper's answer for a host, kept because asking may open a window. */
struct credential_answer {
    const char *helper, *host;
    struct credential credential;
    bool known;
};

struct credentials {
    struct arena *arena;
    struct data *files[FILES_MAX];
    struct credential_answer *answers;
    size_t count, answer_count;
};

/* ------------------------------------------------------------------ files */

static const char *below(struct arena *arena, const char *variable, const char *rest)
{
    const char *folder = getenv(variable);
    return folder && *folder ? arena_printf(arena, "%s%s", folder, rest) : NULL;
}

static int load(struct credentials *credentials, const char *path, struct err *err)
{
    struct span text;
    struct data *file;
    if (io_read(&text, credentials->arena, AT_FDCWD, path, LIMIT_DOCUMENT_BYTES, err) < 0)
        return -1;
    if (json_parse(&file, credentials->arena, path, text, err) == 0) {
        credentials->files[credentials->count++] = file;
        return 0;
    }
    err_hide_source(err);
    return -1;
}

static bool is_there(const char *path)
{
    return path && access(path, F_OK) == 0;
}

int credentials_load(struct credentials **out, struct arena *arena, struct err *err)
{
    struct credentials *credentials = arena_alloc(arena, sizeof(*credentials));
    const char *only = below(arena, "REGISTRY_AUTH_FILE", "");
    const char *docker = below(arena, "DOCKER_CONFIG", "/config.json");
    const char *paths[] = {is_there(docker) ? docker : below(arena, "HOME", "/.docker/config.json"),
                           below(arena, "XDG_RUNTIME_DIR", "/containers/auth.json"),
                           below(arena, "HOME", "/.config/containers/auth.json")};
    credentials->arena = arena;
    *out = credentials;
    if (is_there(only))
        return load(credentials, only, err);
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++)
        if (is_there(paths[i]) && load(credentials, paths[i], err) < 0)
            return -1;
    return 0;
}

/* ------------------------------------------------------------------ entries */

static bool is_host(const char *name, size_t len, const char *host)
{
    return (strlen(host) == len && memcmp(name, host, len) == 0) ||
           (str_equal(host, HUB) && len == strlen("index.docker.io") &&
            memcmp(name, "index.docker.io", len) == 0);
}

/*
 * How well a key matches; 0: not at all. "https://registry.example.com/v2/" matches the host,
 * "registry.example.com/team" the repositories below it.
 */
static size_t fit(const char *key, const char *host, const char *path)
{
    const char *scheme = strstr(key, "://");
    const char *start = scheme ? scheme + 3 : key;
    size_t len = strcspn(start, "/");
    const char *rest = start[len] ? start + len + 1 : "";
    size_t below = strlen(rest);
    while (below && rest[below - 1] == '/')
        below--;
    if (!is_host(start, len, host))
        return 0;
    if (scheme || !below ||
        (below == 2 && (memcmp(rest, "v1", 2) == 0 || memcmp(rest, "v2", 2) == 0)))
        return 1;
    return strncmp(path, rest, below) == 0 && (!path[below] || path[below] == '/') ? 1 + below : 0;
}

bool credentials_find(struct credential *out, struct arena *arena, const struct data *file,
                      const char *host, const char *path)
{
    const struct data *auths = data_get(file, "auths");
    size_t best = 0;
    for (size_t i = 0; auths && auths->kind == DATA_MAP && i < auths->map.count; i++) {
        const struct data_member *member = &auths->map.members[i];
        const char *auth = data_get_text(member->value, "auth");
        const char *identity = data_get_text(member->value, "identitytoken");
        size_t fits = fit(member->name.ptr, host, path);
        bool says = (auth && *auth) || (identity && *identity);
        if (!says || fits <= best)
            continue;
        best = fits;
        *out = (struct credential){
            .basic = auth && *auth ? arena_printf(arena, "Basic %s", auth) : NULL,
            .identity = identity && *identity ? arena_strdup(arena, identity) : NULL};
    }
    return best > 0;
}

/* ------------------------------------------------------------------ helpers */

bool credentials_read_answer(struct credential *out, struct arena *arena, const char *text)
{
    ERR_SCRATCH(err);
    struct data *answer;
    if (json_parse(&answer, arena, "the helper's answer", span_from(text), &err) < 0)
        return false;
    const char *user = data_get_text(answer, "Username");
    const char *secret = data_get_text(answer, "Secret");
    if (!user || !secret || !*secret)
        return false;
    *out = (struct credential){0};
    if (str_equal(user, "<token>")) {
        out->identity = secret;
        return true;
    }
    out->basic = http_basic(arena, user, secret);
    return true;
}

/* process_capture provides no input, but the helper reads the host from it. */
static void run_helper(struct credential_answer *answer, struct arena *arena)
{
    static const char script[] = "printf %s \"$1\" | \"docker-credential-$2\" get";
    ERR_SCRATCH(err);
    BUF_SCRATCH(text, LIMIT_DOCUMENT_BYTES);
    int status = 0;
    const char *host = str_equal(answer->host, HUB) ? HUB_KEY : answer->host;
    const char *const argv[] = {"sh", "-c", script, "sh", host, answer->helper, NULL};
    int rc = process_capture(&text, &status, argv, HELPER_SECONDS, &err);
    if (rc == 0 && status == 0 &&
        credentials_read_answer(&answer->credential, arena, buf_text(&text))) {
        answer->known = true;
        return;
    }
    if (rc == 0 && strstr(buf_text(&text), "credentials not found"))
        return;
    answer->credential.failure =
        arena_printf(arena, "docker-credential-%s, which should know, %s", answer->helper,
                     rc < 0          ? "does not answer"
                     : status == 127 ? "is not there"
                                     : "failed");
}

static const struct credential_answer *ask_helper(struct credentials *credentials,
                                                  const char *helper, const char *host)
{
    for (size_t i = 0; i < credentials->answer_count; i++)
        if (str_equal(credentials->answers[i].helper, helper) &&
            str_equal(credentials->answers[i].host, host))
            return &credentials->answers[i];
    struct credential_answer *answer =
        &arena_push(credentials->arena, credentials->answers, credentials->answer_count);
    *answer = (struct credential_answer){.helper = helper, .host = host};
    run_helper(answer, credentials->arena);
    return answer;
}

/* The helper that a file sets for a host, if it is a safe program name; or NULL. */
static const char *helper_of(const struct data *file, const char *host)
{
    const struct data *helpers = data_get(file, "credHelpers");
    const char *name = data_get_text(helpers, host);
    if (!name && str_equal(host, HUB))
        name = data_get_text(helpers, HUB_KEY);
    if (!name)
        name = data_get_text(file, "credsStore");
    if (!name || !*name)
        return NULL;
    return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-")]
               ? NULL
               : name;
}

struct credential credentials_for(struct credentials *credentials, const char *host,
                                  const char *path)
{
    struct credential found = {0};
    const char *failure = NULL;
    for (size_t i = 0; i < credentials->count; i++) {
        const struct data *file = credentials->files[i];
        const char *helper = helper_of(file, host);
        const struct credential_answer *answer =
            helper ? ask_helper(credentials, helper, host) : NULL;
        if (answer && answer->known)
            return answer->credential;
        if (answer && answer->credential.failure)
            failure = answer->credential.failure;
        if (credentials_find(&found, credentials->arena, file, host, path))
            return found;
    }
    return (struct credential){.failure = failure};
}
