/* Parses a registry's answers: manifests, indexes, configs. Pure. */
#include "registry/image_manifest.h"

#include "base/arena.h"
#include "base/limits.h"
#include "base/sha.h"
#include "data/data.h"
#include "data/json.h"
#include "registry/reference.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define PLATFORMS_MAX ((size_t)1000)
#define MEDIA_SCHEMA1 "application/vnd.docker.distribution.manifest.v1"

/* The content of each media type. */
static const struct media {
    const char *name;
    bool index;
} media_types[] = {
    {MEDIA_OCI_INDEX, true},
    {MEDIA_OCI_MANIFEST, false},
    {MEDIA_DOCKER_LIST, true},
    {MEDIA_DOCKER_MANIFEST, false},
};
/* Types sent by file servers that know nothing of images. */
static const char *const plain_types[] = {"application/json", "application/octet-stream",
                                          "binary/octet-stream", "text/plain"};

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

int registry_read_json(struct data **out, struct arena *arena, const char *name, struct span bytes,
                       size_t max, struct err *err)
{
    if (json_parse_large(out, arena, name, bytes, max, err) == 0)
        return 0;
    const char *code = str_equal(err->code, "limit") ? "limit" : "answer";
    return err_set(err, TG_RUNTIME, code, "%s: %s", name, arena_strdup(arena, err->message));
}

/* ------------------------------------------------------------------ manifests */

static const struct media *find_media(const char *type)
{
    for (size_t i = 0; type && i < COUNT(media_types); i++)
        if (strcasecmp(media_types[i].name, type) == 0)
            return &media_types[i];
    return NULL;
}

/* A Content-Type without its parameters; NULL if it is too general. */
static const char *bare_type(struct arena *arena, const char *type)
{
    if (!type)
        return NULL;
    size_t len = strcspn(type, "; \t");
    const char *bare = arena_memdup(arena, type, len);
    for (size_t i = 0; i < COUNT(plain_types); i++)
        if (strcasecmp(bare, plain_types[i]) == 0)
            return NULL;
    return len ? bare : NULL;
}

static bool is_kind(const struct data *document, const char *member, enum data_kind kind)
{
    const struct data *value = data_get(document, member);
    return value && value->kind == kind;
}

static int refuse_schema1(const struct data *document, const char *type, const char *name,
                          struct err *err)
{
    const struct data *version = data_get(document, "schemaVersion");
    bool one = version && version->kind == DATA_INT && version->integer == 1;
    if (!one && !(type && strncasecmp(type, MEDIA_SCHEMA1, strlen(MEDIA_SCHEMA1)) == 0))
        return 0;
    (void)err_set(err, TG_RUNTIME, "answer",
                  "%s: it is an image of docker's first format (schema1)", name);
    return err_hint(err, "push it again with a builder of today");
}

/* The kind by content. Never both: two readers would see two different images. */
static int kind_of_content(bool *index, const struct data *document, const char *name,
                           struct err *err)
{
    *index = is_kind(document, "manifests", DATA_LIST);
    bool manifest = is_kind(document, "config", DATA_MAP);
    if (!*index && !manifest)
        return err_set(err, TG_RUNTIME, "answer", "%s: it is neither a manifest nor an index",
                       name);
    if (*index && (manifest || data_get(document, "layers")))
        return err_set(err, TG_RUNTIME, "answer", "%s: it is a manifest and an index at once",
                       name);
    return 0;
}

static int find_type(struct registry_manifest *out, struct arena *arena, const char *name,
                     const char *type, struct err *err)
{
    bool index;
    const char *own = data_get_text(out->document, "mediaType");
    const char *bare = bare_type(arena, type);
    if (refuse_schema1(out->document, bare, name, err) < 0 ||
        kind_of_content(&index, out->document, name, err) < 0)
        return -1;
    if (own && bare && strcasecmp(own, bare) != 0)
        return err_set(err, TG_RUNTIME, "answer",
                       "%s: it says that it is '%s', and the registry that it is '%s'", name, own,
                       bare);
    const char *said = own ? own : bare;
    const struct media *media = find_media(said);
    if (said && !media)
        return err_set(err, TG_RUNTIME, "answer", "%s: '%s' is no manifest of an image", name,
                       said);
    if (media && media->index != index)
        return err_set(err, TG_RUNTIME, "answer", "%s: it says that it is '%s' and holds %s", name,
                       said, index ? "an index" : "a manifest");
    out->media_type = media ? media->name : index ? MEDIA_OCI_INDEX : MEDIA_OCI_MANIFEST;
    return 0;
}

int registry_read_manifest(struct registry_manifest *out, struct arena *arena, const char *name,
                           const char *type, struct span bytes, const char *wanted, struct err *err)
{
    char sum[SHA256_HEX_SIZE];
    sha256_hex(sum, bytes.ptr, bytes.len);
    *out =
        (struct registry_manifest){.digest = arena_printf(arena, "sha256:%s", sum), .bytes = bytes};
    if (wanted && !str_equal(wanted, out->digest))
        return err_set(err, TG_RUNTIME, "answer", "%s: what came is %s, not %s", name, out->digest,
                       wanted);
    if (registry_read_json(&out->document, arena, name, bytes, LIMIT_HTTP_MANIFEST_BYTES, err) < 0)
        return -1;
    return find_type(out, arena, name, type, err);
}

bool registry_is_media(struct arena *arena, const char *type)
{
    return find_media(bare_type(arena, type)) != NULL;
}

bool registry_is_index(const struct registry_manifest *manifest)
{
    const struct media *media = find_media(manifest->media_type);
    return media && media->index;
}

/* ------------------------------------------------------------------ descriptors, platforms */

int registry_read_descriptor(struct registry_descriptor *out, const char *name,
                             const struct data *from, struct err *err)
{
    const struct data *size = data_get(from, "size");
    *out = (struct registry_descriptor){.media_type = data_shown(from, "mediaType"),
                                        .digest = data_get_text(from, "digest")};
    if (!out->digest || !image_digest_is_valid(out->digest))
        return err_set(err, TG_RUNTIME, "answer", "%s: a part without a sha256 digest", name);
    if (!size || size->kind != DATA_INT || size->integer < 0)
        return err_set(err, TG_RUNTIME, "answer", "%s: %s is of no size", name, out->digest);
    out->size = size->integer;
    return 0;
}

static bool is_word(const char *text)
{
    return text && *text && strlen(text) <= 64 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789._-") == strlen(text);
}

const char *registry_platform_name(struct arena *arena, const struct data *from)
{
    const char *os = data_get_text(from, "os"), *arch = data_get_text(from, "architecture");
    const char *variant = data_get_text(from, "variant");
    if (!is_word(os) || !is_word(arch))
        return NULL;
    /* arm64 has only this variant, so it is left out */
    if (!is_word(variant) || (str_equal(arch, "arm64") && str_equal(variant, "v8")))
        return arena_printf(arena, "%s/%s", os, arch);
    return arena_printf(arena, "%s/%s/%s", os, arch, variant);
}

static bool has_platform(const struct registry_platform *list, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(list[i].name, name))
            return true;
    return false;
}

/* Sets `*name` to NULL if the entry is not an image for a machine. */
static int read_entry(struct registry_platform *out, struct arena *arena, const char *name,
                      const struct data *entry, struct err *err)
{
    if (registry_read_descriptor(&out->manifest, name, entry, err) < 0)
        return -1;
    const struct media *media = find_media(out->manifest.media_type);
    if (media && media->index)
        return err_set(err, TG_RUNTIME, "answer", "%s: an index inside an index is not followed",
                       name);
    if (*out->manifest.media_type && !media &&
        refuse_schema1(NULL, out->manifest.media_type, name, err) < 0)
        return -1;
    out->name = media || !*out->manifest.media_type
                    ? registry_platform_name(arena, data_get(entry, "platform"))
                    : NULL;
    if (out->name && str_starts(out->name, "unknown/"))
        out->name = NULL;
    return 0;
}

int registry_read_platforms(struct registry_platform **out, size_t *count, struct arena *arena,
                            const char *name, const struct registry_manifest *index,
                            struct err *err)
{
    const struct data *list = data_get(index->document, "manifests");
    *out = NULL;
    *count = 0;
    if (!list || list->kind != DATA_LIST)
        return err_set(err, TG_RUNTIME, "answer", "%s: it is no index", name);
    if (list->list.count > PLATFORMS_MAX)
        return err_set(err, TG_RUNTIME, "limit", "%s: more than %zu entries, the limit", name,
                       PLATFORMS_MAX);
    for (size_t i = 0; i < list->list.count; i++) {
        struct registry_platform one;
        if (read_entry(&one, arena, name, list->list.items[i], err) < 0)
            return -1;
        if (!one.name || has_platform(*out, *count, one.name))
            continue;
        arena_push(arena, *out, *count) = one;
    }
    if (*count)
        qsort(*out, *count, sizeof(**out), str_compare_first);
    return 0;
}
