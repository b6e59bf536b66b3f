/* Whatever a registry answers: it is a manifest of its digest, a list of tags, or refused. */
#include "base/arena.h"
#include "base/data.h"
#include "base/http.h"
#include "base/json.h"
#include "base/limits.h"
#include "registry/credentials.h"
#include "registry/reference.h"
#include "registry/registry.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static void must(bool held)
{
    if (!held)
        abort();
}

static void read_manifest(struct arena *arena, struct span text)
{
    ERR_SCRATCH(err);
    struct registry_manifest manifest, again;
    if (registry_read_manifest(&manifest, arena, "it", text, NULL, &err) < 0) {
        must(err.exit == TG_RUNTIME && err.message);
        return;
    }
    must(image_digest_is_valid(manifest.digest));
    must(registry_read_manifest(&again, arena, "it", text, manifest.digest, &err) == 0);
}

static void read_tags(struct arena *arena, struct span text)
{
    ERR_SCRATCH(err);
    struct data *list = data_list(arena);
    if (registry_read_tags(list, arena, "it", text, &err) < 0)
        must(err.exit == TG_RUNTIME && err.message);
}

/* A reference that is one says the same when it is written out. */
static void read_reference(struct arena *arena, const char *text)
{
    ERR_SCRATCH(err);
    struct image_reference one, two;
    if (image_reference_parse(&one, arena, text, &err) < 0) {
        must(err.exit == TG_USAGE);
        return;
    }
    const char *again =
        arena_printf(arena, "%s/%s%s%s%s%s", one.host, one.path, one.tag ? ":" : "",
                     one.tag ? one.tag : "", one.digest ? "@" : "", one.digest ? one.digest : "");
    must(image_reference_parse(&two, arena, again, &err) == 0);
    must(str_equal(one.host, two.host) && str_equal(one.path, two.path) &&
         str_equal(one.tag, two.tag) && str_equal(one.digest, two.digest));
}

static void read_headers(struct arena *arena, const char *text)
{
    const char *value = http_header(arena, text, "www-authenticate");
    (void)registry_challenge(arena, value ? value : text, "Bearer", "realm");
    (void)http_shown(arena, text);
    (void)http_join(arena, "https://registry.invalid/v2/", text);
}

static void read_credentials(struct arena *arena, struct span text)
{
    ERR_SCRATCH(err);
    struct data *file;
    if (json_parse(&file, arena, "config.json", text, &err) == 0)
        (void)credentials_for(arena, file, "docker.io");
}

/* The first byte says what the rest is. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    ARENA_SCRATCH(arena);
    if (!size)
        return 0;
    struct span text = span_of((const char *)bytes + 1, size - 1);
    const char *line = arena_memdup(&arena, text.ptr, text.len);
    switch (bytes[0] % 5) {
    case 0:
        read_manifest(&arena, text);
        break;
    case 1:
        read_tags(&arena, text);
        break;
    case 2:
        read_reference(&arena, line);
        break;
    case 3:
        read_headers(&arena, line);
        break;
    default:
        read_credentials(&arena, text);
        break;
    }
    return 0;
}
