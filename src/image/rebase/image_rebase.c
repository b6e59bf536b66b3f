/* Moves a pushed image to another base: exchanges layers by the registry's API, pulls none. */
#include "image/image_rebase.h"

#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/sha.h"
#include "base/shell.h"
#include "base/utf8.h"
#include "data/document.h"
#include "data/json.h"
#include "image/rebase/rebase_parts.h"
#include "registry/reference.h"
#include "registry/registry.h"

#include <stdarg.h>
#include <string.h>

#define LABEL_BASE "tmplgen.base"
#define OCI_BASE "org.opencontainers.image.base."

/* An image in a registry, with its platforms. */
struct rebase_source {
    struct image_reference reference;
    struct registry_manifest manifest;
    struct registry_platform *platforms;
    size_t count;
    struct data *config; /* of a plain manifest; NULL: the image is an index */
    const char *name;    /* "REPO:TAG@DIGEST" */
};

/* One platform of the image, before and after. */
struct rebase_part {
    const char *platform;
    struct rebase_image image, old, new;
    struct rebase_source base; /* the old base */
    const char *old_digest, *new_digest;
    struct span config;
    const char *config_digest;
    struct registry_manifest manifest;
};

struct rebase_run {
    struct arena *arena;
    struct registry *registry;
    struct rebase_source image, base;
    struct rebase_part *parts;
    struct image_rebased *out;
    bool check;
    struct err *err;
};

/* ------------------------------------------------------------------ names */

/* The short form, without docker.io and library. */
static const char *repository_name(struct arena *arena, const struct image_reference *reference)
{
    if (!str_equal(reference->host, "docker.io"))
        return arena_printf(arena, "%s/%s", reference->host, reference->path);
    return str_starts(reference->path, "library/") ? reference->path + strlen("library/")
                                                   : reference->path;
}

static const char *tagged_name(struct arena *arena, const struct image_reference *reference)
{
    const char *name = repository_name(arena, reference);
    return reference->tag ? arena_printf(arena, "%s:%s", name, reference->tag) : name;
}

static const char *short_name(const struct rebase_run *run)
{
    const struct image_reference *reference = &run->image.reference;
    const char *name = tagged_name(run->arena, reference);
    return reference->tag ? name : arena_printf(run->arena, "%s@%s", name, reference->digest);
}

/* ------------------------------------------------------------------ reading */

/* Like registry_platforms, but keeps a plain manifest's config for later: fetches it once. */
static int load_platforms(struct rebase_source *out, struct rebase_run *run)
{
    if (registry_is_index(&out->manifest))
        return registry_platforms(&out->platforms, &out->count, run->registry, &out->reference,
                                  &out->manifest, run->err);
    if (registry_config(&out->config, run->registry, &out->reference, &out->manifest, run->err) < 0)
        return -1;
    out->platforms = arena_alloc(run->arena, sizeof(*out->platforms));
    out->platforms->name = registry_platform_name(run->arena, out->config);
    out->platforms->manifest.digest = out->manifest.digest;
    out->count = 1;
    return out->platforms->name
               ? 0
               : err_set(run->err, TG_RUNTIME, "answer", "%s: it is an image for no platform",
                         tagged_name(run->arena, &out->reference));
}

static int load_source(struct rebase_source *out, struct rebase_run *run)
{
    if (registry_manifest(&out->manifest, run->registry, &out->reference, run->err) < 0 ||
        load_platforms(out, run) < 0)
        return -1;
    out->name = arena_printf(run->arena, "%s@%s", tagged_name(run->arena, &out->reference),
                             out->manifest.digest);
    return 0;
}

/* Loads manifest and config of one platform; `*digest` is the manifest's. */
static int load_image(struct rebase_image *out, const char **digest, struct rebase_run *run,
                      const struct rebase_source *source, const char *platform)
{
    struct image_reference reference = source->reference;
    struct registry_manifest manifest = source->manifest;
    struct data *config = source->config;
    const struct registry_platform *found = NULL;
    for (size_t i = 0; !found && i < source->count; i++)
        if (str_equal(source->platforms[i].name, platform))
            found = &source->platforms[i];
    if (!found)
        return err_set(run->err, TG_REFUSED, "missing-platform", "'%s' is not there for %s",
                       source->name, platform);
    reference.tag = NULL;
    reference.digest = found->manifest.digest;
    if (!str_equal(reference.digest, manifest.digest) &&
        registry_manifest(&manifest, run->registry, &reference, run->err) < 0)
        return -1;
    if (registry_is_index(&manifest))
        return err_set(run->err, TG_RUNTIME, "answer", "%s: an index inside an index",
                       source->name);
    if (!config && registry_config(&config, run->registry, &reference, &manifest, run->err) < 0)
        return -1;
    *digest = manifest.digest;
    *out = (struct rebase_image){manifest.document, manifest.media_type, config, source->name};
    size_t count;
    return rebase_layer_count(&count, out, run->err);
}

__attribute__((format(printf, 3, 4))) static int refuse(struct rebase_run *run, const char *code,
                                                        const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *why = arena_vprintf(run->arena, format, args);
    va_end(args);
    return err_set(run->err, TG_REFUSED, code, "'%s': %s", short_name(run), why);
}

/* Finds the base that the image's labels name. */
static int find_old_base(struct rebase_part *part, struct rebase_run *run)
{
    ERR_SCRATCH(one);
    const char *name = rebase_label(part->image.config, LABEL_BASE);
    const char *oci = rebase_label(part->image.config, OCI_BASE "name");
    const char *digest = rebase_label(part->image.config, OCI_BASE "digest");
    if (!name || !*name) {
        (void)refuse(run, "unproven-base", "no label says which base it was built from");
        return err_hint(run->err, "images that tmplgen renders have the label " LABEL_BASE);
    }
    if (image_reference_parse(&part->base.reference, run->arena, name, &one) < 0)
        return refuse(run, "unproven-base", "its label " LABEL_BASE " names no image");
    if (!part->base.reference.digest && str_equal(oci, name) && digest &&
        image_digest_is_valid(digest))
        part->base.reference.digest = digest;
    if (load_source(&part->base, run) < 0) {
        if (!str_equal(run->err->code, "not-found"))
            return -1;
        return refuse(run, "unproven-base", "its base '%s' is not there any more", name);
    }
    return 0;
}

static int load_part(struct rebase_part *part, struct rebase_run *run, const char *platform)
{
    part->platform = platform;
    const char *own;
    return load_image(&part->image, &own, run, &run->image, platform) < 0 ||
                   find_old_base(part, run) < 0 ||
                   load_image(&part->old, &part->old_digest, run, &part->base, platform) < 0 ||
                   load_image(&part->new, &part->new_digest, run, &run->base, platform) < 0
               ? -1
               : 0;
}

/* ------------------------------------------------------------------ checks */

/* A foreign text, cut between two characters to the length of a message. */
static const char *shown(struct arena *arena, const char *text)
{
    size_t len = strlen(text), max = 120;
    if (len <= max)
        return text;
    while (max && utf8_continues(text[max]))
        max--;
    return arena_printf(arena, "%.*s...", (int)max, text);
}

/* Checks by its labels what the image's own layers did to files of its base. */
static int check_labels(const struct rebase_part *part, struct rebase_run *run)
{
    const char *packages = rebase_label(part->image.config, "tmplgen.system.packages");
    const char *writes = rebase_label(part->image.config, REBASE_LABEL_WRITES);
    if (!packages || !writes) {
        (void)refuse(run, "unproven-base", "no label says whether it changed files of its base");
        return err_hint(run->err, "images that tmplgen renders have the labels "
                                  "tmplgen.system.packages and " REBASE_LABEL_WRITES);
    }
    if (packages[strspn(packages, " \t")])
        return refuse(run, "changed-base",
                      "it installed system packages (%s): its list of what is "
                      "installed would hide the new base's",
                      shown(run->arena, packages));
    char *save = NULL, *words = arena_strdup(run->arena, writes);
    for (char *word = strtok_r(words, " ", &save); word; word = strtok_r(NULL, " ", &save))
        if (!rebase_is_left_to_others(run->arena, word))
            return refuse(run, "changed-base", "its layers write to '%s', where its base has files",
                          shown(run->arena, word));
    return 0;
}

static const char *step_of(const struct data *history, size_t i)
{
    return data_shown(history->list.items[i], "created_by");
}

/* Labels are inherited: they do not cover the steps of a later Dockerfile above them. */
static int check_steps(const struct rebase_part *part, struct rebase_run *run, size_t from)
{
    const struct data *history = data_get(part->image.config, "history");
    size_t spoken = history->list.count; /* the first step that no label covers */
    while (spoken && !rebase_step_speaks(run->arena, step_of(history, spoken - 1)))
        spoken--;
    struct rebase_place place = rebase_place_on(run->arena, part->old.config);
    for (size_t i = from; i < history->list.count; i++) {
        const char *step = step_of(history, i);
        enum rebase_wrote wrote = rebase_wrote(&place, step);
        if (wrote == REBASE_WROTE_NOTHING)
            continue;
        if (i >= spoken) {
            (void)refuse(run, "unproven-base", "no label says what this step wrote: %s",
                         shown(run->arena, step));
            return err_hint(run->err, "build it again on the new base");
        }
        if (wrote == REBASE_WROTE_UNKNOWN)
            return refuse(run, "changed-base", "a step may have changed files of its base: %s",
                          shown(run->arena, step));
    }
    return spoken > from ? 0
                         : refuse(run, "unproven-base", "its history does not say how it was made");
}

static int check_history(const struct rebase_part *part, struct rebase_run *run)
{
    const char *folder = data_get_text(data_get(part->image.config, "config"), "WorkingDir");
    size_t from;
    if (!rebase_own_history(&from, &part->image, &part->old))
        return refuse(run, "unproven-base", "its history does not tell of every layer");
    if (check_steps(part, run, from) < 0)
        return -1;
    return !folder || !*folder || rebase_is_left_to_others(run->arena, folder)
               ? 0
               : refuse(run, "changed-base", "it works in '%s', where its base has files", folder);
}

static size_t layers_of(const struct data *manifest)
{
    return data_get(manifest, "layers")->list.count;
}

static int check_system(const struct rebase_part *part, struct rebase_run *run)
{
    struct rebase_system old =
        rebase_system_of(run->arena, part->old.config, &part->base.reference);
    struct rebase_system new = rebase_system_of(run->arena, part->new.config, &run->base.reference);
    const char *os = rebase_label(part->image.config, "tmplgen.os");
    old.os =
        os && *os ? os : old.os; /* the label has the stack's CUDA, which may come from wheels */
    const char *stands_on = rebase_label(part->new.config, LABEL_BASE);
    if (!layers_of(part->new.manifest))
        return refuse(run, "other-base", "'%s' has no layers", run->base.name);
    if (stands_on)
        return refuse(run, "other-base", "'%s' is no base but an image on '%s'", run->base.name,
                      shown(run->arena, stands_on));
    const char *why =
        rebase_system_refusal(run->arena, &old, part->old.config, &new, part->new.config);
    return why ? refuse(run, "other-base", "%s", why) : 0;
}

/* ------------------------------------------------------------------ the new image */

static int write_document(struct span *out, const char **digest, struct rebase_run *run,
                          const struct data *document)
{
    char sum[SHA256_HEX_SIZE];
    BUF_SCRATCH(text, LIMIT_HTTP_MANIFEST_BYTES);
    if (json_write(&text, document, false) < 0)
        return err_set(run->err, TG_RUNTIME, "limit", "'%s' would be too large", short_name(run));
    *out = span_of(arena_memdup(run->arena, buf_text(&text), text.len), text.len);
    sha256_hex(sum, out->ptr, out->len);
    *digest = arena_printf(run->arena, "sha256:%s", sum);
    return 0;
}

static struct data *descriptor(struct arena *arena, const struct data *like, const char *digest,
                               size_t size)
{
    return data_add(arena, data_copy(arena, like), FIELD("digest", digest), FIELD("size", size));
}

/* True where OCI's label names the lowest base, with its digest or without. */
static bool is_base_named(const struct data *config)
{
    const char *oci = rebase_label(config, OCI_BASE "name");
    const char *base = rebase_label(config, LABEL_BASE);
    size_t len = strcspn(base, "@");
    return oci && (str_equal(oci, base) || (strlen(oci) == len && memcmp(oci, base, len) == 0));
}

static const struct data *new_labels(const struct rebase_part *part, struct rebase_run *run)
{
    struct arena *arena = run->arena;
    struct data *labels = data_of(arena, FIELD(LABEL_BASE, run->base.name),
                                  FIELD(LABEL_BASE ".was", part->base.name));
    /* A child's Dockerfile began with another image, and its label stays. */
    if (!is_base_named(part->image.config))
        return labels;
    return data_add(arena, labels, FIELD(OCI_BASE "name", tagged_name(arena, &run->base.reference)),
                    FIELD(OCI_BASE "digest", run->base.manifest.digest));
}

static int make_part(struct rebase_part *part, struct rebase_run *run)
{
    struct arena *arena = run->arena;
    struct data *manifest,
        *config = rebase_config(arena, &part->image, &part->old, &part->new, new_labels(part, run));
    const char *digest;
    struct span bytes;
    if (write_document(&part->config, &part->config_digest, run, config) < 0)
        return -1;
    const struct data *named = descriptor(arena, data_get(part->image.manifest, "config"),
                                          part->config_digest, part->config.len);
    if (rebase_manifest(&manifest, arena, &part->image, &part->old, &part->new, named, run->err) <
        0)
        return -1;
    rebase_annotations(arena, manifest, tagged_name(arena, &run->base.reference),
                       run->base.manifest.digest);
    if (write_document(&bytes, &digest, run, manifest) < 0)
        return -1;
    part->manifest = (struct registry_manifest){digest, part->image.media_type, bytes, manifest};
    return 0;
}

/* True for a builder's statement on the old image, which would no longer exist. */
static bool is_attestation(const struct data *entry)
{
    return str_equal(data_get_text(data_get(entry, "annotations"), "vnd.docker.reference.type"),
                     "attestation-manifest") ||
           str_equal(data_get_text(data_get(entry, "platform"), "os"), "unknown");
}

static const struct rebase_part *part_of(const struct rebase_run *run, const struct data *entry)
{
    for (size_t i = 0; i < run->image.count; i++)
        if (str_equal(run->image.platforms[i].manifest.digest, data_get_text(entry, "digest")))
            return &run->parts[i];
    return NULL;
}

/* Makes the index with every part exchanged; any other entry would stay on the old base. */
static int make_index(struct registry_manifest *out, struct rebase_run *run)
{
    struct arena *arena = run->arena;
    struct data *index = data_copy(arena, run->image.manifest.document), *list = data_list(arena);
    const struct data *entries = data_get(run->image.manifest.document, "manifests");
    for (size_t i = 0; i < entries->list.count; i++) {
        const struct data *entry = entries->list.items[i];
        const struct rebase_part *part = part_of(run, entry);
        if (part)
            data_push(arena, list,
                      descriptor(arena, entry, part->manifest.digest, part->manifest.bytes.len));
        else if (is_attestation(entry))
            run->out->attestations++;
        else
            return refuse(run, "missing-platform",
                          "its index has an entry that is for no platform, or a second for one");
    }
    data_put(arena, index, "manifests", list);
    rebase_annotations(arena, index, tagged_name(arena, &run->base.reference),
                       run->base.manifest.digest);
    out->media_type = run->image.manifest.media_type;
    out->document = index;
    return write_document(&out->bytes, &out->digest, run, index);
}

static struct data *tell_layers(struct rebase_run *run)
{
    struct arena *arena = run->arena;
    struct data *out = data_list(arena);
    for (size_t i = 0; i < run->image.count; i++) {
        const struct rebase_part *part = &run->parts[i];
        size_t removed = layers_of(part->old.manifest), all = layers_of(part->image.manifest);
        size_t added = layers_of(part->new.manifest);
        data_push(arena, out,
                  data_of(arena, FIELD("platform", part->platform),
                          FIELD("digest", part->manifest.digest), FIELD("removed", removed),
                          FIELD("added", added), FIELD("kept", (all - removed))));
    }
    return out;
}

/* ------------------------------------------------------------------ writing */

static size_t collect_needs(struct registry_need **needs, struct rebase_run *run)
{
    size_t count = 0;
    *needs = NULL;
    for (size_t i = 0; i < run->image.count; i++) {
        const struct data *layers = data_get(run->parts[i].new.manifest, "layers");
        for (size_t j = 0; j < layers->list.count; j++) {
            const char *digest = data_get_text(layers->list.items[j], "digest");
            bool known = false;
            for (size_t k = 0; k < count; k++)
                known = known || str_equal((*needs)[k].digest, digest);
            if (known)
                continue;
            arena_push(run->arena, *needs, count) = (struct registry_need){digest, false};
        }
    }
    return count;
}

static size_t count_missing(const struct registry_need *needs, size_t count)
{
    size_t missing = 0;
    for (size_t i = 0; i < count; i++)
        missing += !needs[i].there;
    return missing;
}

/* The new base's layers must be in the image's registry, which can take them from itself. */
static int bring_layers(struct rebase_run *run)
{
    struct registry_need *needs;
    size_t count = collect_needs(&needs, run);
    const struct image_reference *to = &run->image.reference, *from = &run->base.reference;
    bool same = registry_is_same_host(run->registry, to, from);
    if (registry_have_blobs(run->registry, to, needs, count, run->err) < 0)
        return -1;
    if (count_missing(needs, count) && same && run->check)
        return 0;
    if (count_missing(needs, count) && same &&
        registry_mount(run->registry, to, from, needs, count, run->err) < 0)
        return -1;
    size_t missing = count_missing(needs, count);
    if (!missing)
        return 0;
    (void)refuse(run, "missing-layers", "%zu of %zu layers of the new base are not in its %s",
                 missing, count, same ? "repository" : "registry");
    const char *there = same ? repository_name(run->arena, to)
                             : arena_printf(run->arena, "%s/%s", to->host, from->path);
    return err_hint(run->err, "copy it there first: %s",
                    shell_command(run->arena, "skopeo copy --all docker://%s docker://%s:TAG",
                                  run->base.name, there));
}

static int put_parts(struct rebase_run *run)
{
    for (size_t i = 0; i < run->image.count; i++) {
        const struct rebase_part *part = &run->parts[i];
        struct image_reference reference = run->image.reference;
        if (registry_upload(run->registry, &reference, part->config, part->config_digest,
                            run->err) < 0)
            return -1;
        reference.tag = NULL;
        if (registry_is_index(&run->image.manifest) &&
            registry_put_manifest(run->registry, &reference, &part->manifest, run->err) < 0)
            return -1;
    }
    return 0;
}

/* Another push may have come while layers were compared. */
static int check_unmoved(struct rebase_run *run)
{
    struct registry_manifest now;
    struct image_reference reference = run->image.reference;
    if (reference.digest)
        return 0;
    if (registry_manifest(&now, run->registry, &reference, run->err) < 0)
        return -1;
    return str_equal(now.digest, run->image.manifest.digest)
               ? 0
               : refuse(run, "changed-meanwhile", "it was pushed anew meanwhile");
}

/* Puts the tag last: until then the image is unchanged. */
static int put_image(struct rebase_run *run, const struct registry_manifest *made)
{
    struct image_reference reference = run->image.reference;
    if (reference.digest)
        reference.tag = NULL;
    return bring_layers(run) < 0 ||
                   (!run->check &&
                    (put_parts(run) < 0 || check_unmoved(run) < 0 ||
                     registry_put_manifest(run->registry, &reference, made, run->err) < 0))
               ? -1
               : 0;
}

/* ------------------------------------------------------------------ the whole */

static int load_all(struct rebase_run *run)
{
    if (load_source(&run->image, run) < 0 || load_source(&run->base, run) < 0)
        return -1;
    run->parts = arena_array(run->arena, run->image.count + 1, sizeof(*run->parts));
    for (size_t i = 0; i < run->image.count; i++)
        if (load_part(&run->parts[i], run, run->image.platforms[i].name) < 0)
            return -1;
    return 0;
}

static bool is_there_already(const struct rebase_run *run)
{
    for (size_t i = 0; i < run->image.count; i++)
        if (!str_equal(run->parts[i].old_digest, run->parts[i].new_digest))
            return false;
    return true;
}

static int make_all(struct registry_manifest *made, struct rebase_run *run)
{
    for (size_t i = 0; i < run->image.count; i++) {
        const struct rebase_part *part = &run->parts[i];
        if (check_labels(part, run) < 0 ||
            rebase_is_below(&part->old, &part->image, run->err) < 0 ||
            check_history(part, run) < 0 || check_system(part, run) < 0)
            return -1;
    }
    for (size_t i = 0; i < run->image.count; i++)
        if (make_part(&run->parts[i], run) < 0)
            return -1;
    if (registry_is_index(&run->image.manifest))
        return make_index(made, run);
    *made = run->parts[0].manifest;
    return 0;
}

int image_rebase(struct image_rebased *out, struct arena *arena, struct registry *registry,
                 const char *name, const char *onto, bool check, struct err *err)
{
    struct rebase_run run = {
        .arena = arena, .registry = registry, .out = out, .check = check, .err = err};
    struct registry_manifest made;
    if (image_reference_parse(&run.image.reference, arena, name, err) < 0 ||
        image_reference_parse(&run.base.reference, arena, onto, err) < 0)
        return -1;
    if (registry_is_mirrored(registry, &run.image.reference)) {
        (void)err_set(err, TG_USAGE, "usage", "'%s' would be pushed to the mirror of Docker Hub",
                      name);
        return err_hint(err, "name the registry, or ask Docker Hub itself: --mirror ''");
    }
    if (load_all(&run) < 0)
        return -1;
    *out =
        (struct image_rebased){.from = run.parts[0].base.name,
                               .to = run.base.name,
                               .tag = run.image.reference.digest ? NULL : run.image.reference.tag,
                               .digest = run.image.manifest.digest,
                               .already = is_there_already(&run),
                               .layers = data_list(arena)};
    if (out->already)
        return 0;
    if (make_all(&made, &run) < 0 || put_image(&run, &made) < 0)
        return -1;
    out->digest = made.digest;
    out->layers = tell_layers(&run);
    return 0;
}
