/* What the user's container tools know of registries: user names and passwords. */
#include "registry/credentials.h"

#include "base/arena.h"
#include "base/data.h"
#include "base/io.h"
#include "base/json.h"
#include "base/limits.h"
#include "base/str.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Docker Hub is written in its own way there. */
#define HUB_KEY "https://index.docker.io/v1/"

static const char *below(struct arena *arena, const char *variable, const char *rest)
{
    const char *folder = getenv(variable);
    return folder && *folder ? arena_printf(arena, "%s%s", folder, rest) : NULL;
}

int credentials_load(struct data **out, struct arena *arena, struct err *err)
{
    const char *paths[] = {below(arena, "REGISTRY_AUTH_FILE", ""),
                           below(arena, "DOCKER_CONFIG", "/config.json"),
                           below(arena, "HOME", "/.docker/config.json"),
                           below(arena, "XDG_RUNTIME_DIR", "/containers/auth.json")};
    struct span text;
    *out = NULL;
    for (size_t i = 0; i < sizeof(paths) / sizeof(*paths); i++) {
        if (!paths[i] || access(paths[i], F_OK) != 0)
            continue;
        if (io_read(&text, arena, AT_FDCWD, paths[i], LIMIT_DOCUMENT_BYTES, err) < 0)
            return -1;
        if (json_parse(out, arena, paths[i], text, err) == 0)
            return 0;
        free(err->where.source); /* may hold a password */
        err->where.source = NULL;
        return -1;
    }
    return 0;
}

/* "https://registry.example.com/v2/" is of "registry.example.com". */
static bool is_of(const char *key, const char *host)
{
    const char *scheme = strstr(key, "://");
    const char *start = scheme ? scheme + 3 : key;
    size_t len = strcspn(start, "/");
    return strlen(host) == len && memcmp(start, host, len) == 0;
}

const char *credentials_for(struct arena *arena, const struct data *file, const char *host)
{
    const struct data *auths = data_get(file, "auths");
    bool hub = str_equal(host, "docker.io");
    for (size_t i = 0; auths && auths->kind == DATA_MAP && i < auths->map.count; i++) {
        const struct data_member *member = &auths->map.members[i];
        const char *auth = data_text(data_get(member->value, "auth"));
        if (auth && *auth &&
            (is_of(member->name.ptr, host) || (hub && str_equal(member->name.ptr, HUB_KEY))))
            return arena_printf(arena, "Basic %s", auth);
    }
    return NULL;
}
