/* Whatever a registry answers: it is a manifest of its digest, or refused. */
#include "fuzz.h"

#include "base/arena.h"
#include "base/limits.h"
#include "data/data.h"
#include "data/json.h"
#include "io/http.h"
#include "registry/client/credentials.h"
#include "registry/reference.h"
#include "registry/registry.h"

#include <stdint.h>
#include <string.h>

/* What an index and a manifest name has a digest and a size; platforms are sorted, each once. */
static void read_parts(struct arena *arena, const struct registry_manifest *manifest)
{
    ERR_SCRATCH(err);
    struct registry_platform *platforms;
    struct registry_descriptor config;
    size_t count;
    const struct data *from = data_get(manifest->document, "config");
    if (!registry_is_index(manifest)) {
        if (registry_read_descriptor(&config, "it", from, &err) == 0)
            must(image_digest_is_valid(config.digest) && config.size >= 0 && config.media_type);
        (void)registry_platform_name(arena, manifest->document);
        return;
    }
    if (registry_read_platforms(&platforms, &count, arena, "it", manifest, &err) < 0) {
        must(err.exit == TG_RUNTIME && err.message);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        must(image_digest_is_valid(platforms[i].manifest.digest));
        must(i == 0 || strcmp(platforms[i - 1].name, platforms[i].name) < 0);
    }
}

static void read_manifest(struct arena *arena, struct span text)
{
    ERR_SCRATCH(err);
    struct registry_manifest manifest, again;
    if (registry_read_manifest(&manifest, arena, "it", NULL, text, NULL, &err) < 0) {
        must(err.exit == TG_RUNTIME && err.message);
        return;
    }
    must(image_digest_is_valid(manifest.digest));
    must(registry_read_manifest(&again, arena, "it", manifest.media_type, text, manifest.digest,
                                &err) == 0);
    must(registry_is_index(&manifest) == registry_is_index(&again));
    read_parts(arena, &manifest);
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

/* A token is asked for with TLS alone, where the registry has it. */
static void read_challenge(struct arena *arena, const char *header)
{
    ERR_SCRATCH(err);
    const char *url, *scope = "repository:a/b:pull";
    const struct challenge_question question = {header, "https://registry.invalid", {&scope, 1}};
    struct span form;
    if (challenge_token_url(&url, arena, &question, &err) == 0)
        must(str_starts(url, "https://"));
    else
        must(err.exit == TG_RUNTIME && err.message);
    if (challenge_token_form(&url, &form, arena, &question, header, &err) == 0)
        must(str_starts(url, "https://") && !memchr(form.ptr, '\n', form.len));
    (void)challenge_may_have_password(arena, "https://registry.invalid", header);
}

static void read_token(struct arena *arena, struct span text)
{
    ERR_SCRATCH(err);
    const char *token;
    if (challenge_read_token(&token, arena, "it", text, &err) < 0)
        must(err.exit == TG_RUNTIME && err.message);
}

static void read_headers(struct arena *arena, const char *text)
{
    const char *value = challenge_of(arena, text);
    read_challenge(arena, value ? value : text);
    (void)http_shown(arena, text);
    (void)http_join(arena, "https://registry.invalid/v2/", text);
}

static void read_credentials(struct arena *arena, struct span text)
{
    ERR_SCRATCH(err);
    struct data *file;
    struct credential found;
    if (json_parse(&file, arena, "config.json", text, &err) == 0 &&
        credentials_find(&found, arena, file, "docker.io", "library/ubuntu"))
        must(found.basic || found.identity);
    if (credentials_read_answer(&found, arena, arena_memdup(arena, text.ptr, text.len)))
        must(!found.basic != !found.identity);
}

/* The first byte says what the rest is. */
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    if (!size)
        return 0;
    struct span text = span_of((const char *)bytes + 1, size - 1);
    const char *line = arena_memdup(&arena, text.ptr, text.len);
    switch (bytes[0] % 6) {
    case 0:
        read_manifest(&arena, text);
        break;
    case 2:
        read_reference(&arena, line);
        break;
    case 3:
        read_headers(&arena, line);
        break;
    case 4:
        read_credentials(&arena, text);
        break;
    default:
        read_token(&arena, text);
        break;
    }
    return 0;
}
