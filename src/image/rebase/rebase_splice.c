/* An image's config and manifest on the layers of another base. Pure. */
#include "image/rebase/rebase_parts.h"

#include "base/arena.h"
#include "data/document.h"
#include "registry/image_manifest.h"

#include <string.h>

#define BASE_NAME "org.opencontainers.image.base.name"
#define BASE_DIGEST "org.opencontainers.image.base.digest"

const char *rebase_label(const struct data *config, const char *name)
{
    return data_get_text(data_get(data_get(config, "config"), "Labels"), name);
}

static const struct data *list_of(const struct data *map, const char *name)
{
    const struct data *list = data_get(map, name);
    return list && list->kind == DATA_LIST ? list : NULL;
}

static const struct data *diff_ids(const struct rebase_image *image)
{
    return list_of(data_get(image->config, "rootfs"), "diff_ids");
}

static void push_all(struct arena *arena, struct data *out, const struct data *list, size_t from)
{
    for (size_t i = from; list && i < list->list.count; i++)
        data_push(arena, out, list->list.items[i]);
}

/* ------------------------------------------------------------------ proof */

int rebase_layer_count(size_t *out, const struct rebase_image *image, struct err *err)
{
    const struct data *ids = diff_ids(image), *layers = list_of(image->manifest, "layers");
    if (!ids || !layers || ids->list.count != layers->list.count)
        return err_set(err, TG_RUNTIME, "answer",
                       "%s: its manifest and its config name different layers", image->name);
    *out = ids->list.count;
    return 0;
}

int rebase_is_below(const struct rebase_image *base, const struct rebase_image *image,
                    struct err *err)
{
    size_t below, all;
    if (rebase_layer_count(&below, base, err) < 0 || rebase_layer_count(&all, image, err) < 0)
        return -1;
    bool is = below > 0 && below <= all;
    for (size_t i = 0; is && i < below; i++)
        is = data_equal(diff_ids(base)->list.items[i], diff_ids(image)->list.items[i]);
    return is ? 0
              : err_set(err, TG_REFUSED, "unproven-base", "'%s' is a base that is not below '%s'",
                        base->name, image->name);
}

/* ------------------------------------------------------------------ history */

static bool makes_layer(const struct data *entry)
{
    return !data_is_true(entry, "empty_layer");
}

static size_t layers_of_history(const struct data *history)
{
    size_t count = 0;
    for (size_t i = 0; history && i < history->list.count; i++)
        count += makes_layer(history->list.items[i]);
    return count;
}

/* Builders may set their own time on steps that they took over. */
static bool is_same_step(const struct data *a, const struct data *b)
{
    return makes_layer(a) == makes_layer(b) &&
           str_equal(data_shown(a, "created_by"), data_shown(b, "created_by"));
}

bool rebase_own_history(size_t *from, const struct rebase_image *image,
                        const struct rebase_image *old)
{
    const struct data *history = list_of(image->config, "history");
    const struct data *base = list_of(old->config, "history");
    size_t below = diff_ids(old)->list.count, i = 0;
    if (layers_of_history(history) != diff_ids(image)->list.count)
        return false;
    while (base && i < base->list.count && i < history->list.count &&
           is_same_step(base->list.items[i], history->list.items[i]))
        i++;
    bool all = base && i == base->list.count && layers_of_history(base) == below;
    for (i = all ? i : 0; !all && below && i < history->list.count; i++)
        below -= makes_layer(history->list.items[i]);
    *from = i;
    return true;
}

/* The history of a base's layers: its own, else a line that names the base. */
static void push_history(struct data *out, struct arena *arena, const struct rebase_image *base)
{
    const struct data *history = list_of(base->config, "history");
    size_t count = diff_ids(base)->list.count;
    if (layers_of_history(history) == count) {
        push_all(arena, out, history, 0);
        return;
    }
    const char *maker = arena_printf(arena, "a layer of %s", base->name);
    for (size_t i = 0; i < count; i++)
        data_push(arena, out, data_of(arena, FIELD("created_by", maker)));
}

/* Empty where the image's own does not cover every layer: none is better than a wrong one. */
static struct data *splice_history(struct arena *arena, const struct rebase_image *image,
                                   const struct rebase_image *old, const struct rebase_image *new)
{
    size_t from;
    struct data *out = data_list(arena);
    if (!rebase_own_history(&from, image, old))
        return out;
    push_history(out, arena, new);
    push_all(arena, out, list_of(image->config, "history"), from);
    return out;
}

/* ------------------------------------------------------------------ environment, labels, rest */

/*
 * Merges two maps: the image's own values, and for the rest the new base's, in the new base's order
 * first. Values that the image has unchanged from its old base are the base's.
 */
static struct data *merge(struct arena *arena, const struct data *image, const struct data *old,
                          const struct data *new)
{
    struct data *out = data_map(arena);
    for (size_t i = 0; new &&new->kind == DATA_MAP &&i < new->map.count; i++) {
        const struct data_member *member = &new->map.members[i];
        const struct data *own = data_get_span(image, member->name);
        const struct data *was = data_get_span(old, member->name);
        bool set = own && !(was && data_equal(own, was));
        data_put_span(arena, out, member->name, (struct data *)(set ? own : member->value));
    }
    for (size_t i = 0; image && image->kind == DATA_MAP && i < image->map.count; i++) {
        const struct data_member *member = &image->map.members[i];
        const struct data *was = data_get_span(old, member->name);
        if (!data_get_span(out, member->name) && !(was && data_equal(member->value, was)))
            data_put_span(arena, out, member->name, member->value);
    }
    return out;
}

struct data *rebase_env(struct arena *arena, const struct data *config)
{
    const struct data *env = list_of(data_get(config, "config"), "Env");
    struct data *out = data_map(arena);
    for (size_t i = 0; env && i < env->list.count; i++) {
        const char *text = data_text(env->list.items[i]);
        const char *equals = text ? strchr(text, '=') : NULL;
        if (equals)
            data_put_span(arena, out, span_of(text, (size_t)(equals - text)),
                          data_str(arena, equals + 1));
    }
    return out;
}

static struct data *merge_env(struct arena *arena, const struct rebase_image *image,
                              const struct rebase_image *old, const struct rebase_image *new)
{
    const struct data *merged =
        merge(arena, rebase_env(arena, image->config), rebase_env(arena, old->config),
              rebase_env(arena, new->config));
    struct data *out = data_list(arena);
    for (size_t i = 0; i < merged->map.count; i++) {
        const struct data_member *member = &merged->map.members[i];
        data_push(arena, out,
                  data_str(arena, arena_printf(arena, "%.*s=%s", (int)member->name.len,
                                               member->name.ptr, data_text(member->value))));
    }
    return out;
}

static struct data *merge_labels(struct arena *arena, const struct rebase_image *image,
                                 const struct rebase_image *old, const struct rebase_image *new,
                                 const struct data *labels)
{
    struct data *out = merge(arena, data_get(data_get(image->config, "config"), "Labels"),
                             data_get(data_get(old->config, "config"), "Labels"),
                             data_get(data_get(new->config, "config"), "Labels"));
    for (size_t i = 0; i < labels->map.count; i++)
        data_put_span(arena, out, labels->map.members[i].name, labels->map.members[i].value);
    return out;
}

struct data *rebase_config(struct arena *arena, const struct rebase_image *image,
                           const struct rebase_image *old, const struct rebase_image *new,
                           const struct data *labels)
{
    struct data *ids = data_list(arena);
    struct data *config = merge(arena, data_get(image->config, "config"),
                                data_get(old->config, "config"), data_get(new->config, "config"));
    data_add(arena, config, FIELD("Env", merge_env(arena, image, old, new)),
             FIELD("Labels", merge_labels(arena, image, old, new, labels)));
    push_all(arena, ids, diff_ids(new), 0);
    push_all(arena, ids, diff_ids(image), diff_ids(old)->list.count);
    return data_add(
        arena, data_copy(arena, image->config), FIELD("config", config),
        FIELD("rootfs", data_of(arena, FIELD("type", "layers"), FIELD("diff_ids", ids))),
        FIELD("history", splice_history(arena, image, old, new)));
}

/* ------------------------------------------------------------------ manifests */

static const struct family {
    const char *docker, *oci;
} families[] = {
    {"application/vnd.docker.image.rootfs.diff.tar.gzip",
     "application/vnd.oci.image.layer.v1.tar+gzip"},
    {"application/vnd.docker.image.rootfs.diff.tar", "application/vnd.oci.image.layer.v1.tar"},
};

/* The other family's type for the same layer; NULL: it has none. */
static const char *translated(const char *type, bool docker)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(*families); i++)
        if (str_equal(type, families[i].docker) || str_equal(type, families[i].oci))
            return docker ? families[i].docker : families[i].oci;
    bool zstd = str_equal(type, "application/vnd.oci.image.layer.v1.tar+zstd");
    return zstd && !docker ? type : NULL;
}

static int push_layer(struct data *out, struct arena *arena, const struct data *layer, bool docker,
                      const char *name, struct err *err)
{
    const char *type = data_get_text(layer, "mediaType");
    const char *ours = translated(type, docker);
    if (!ours || data_get(layer, "urls"))
        return err_set(err, TG_REFUSED, "missing-layers",
                       "'%s' has a layer of a kind that cannot be taken: %s", name,
                       type ? type : "none");
    struct data *copy = data_copy(arena, layer);
    data_put_text(arena, copy, "mediaType", ours);
    data_push(arena, out, copy);
    return 0;
}

void rebase_annotations(struct arena *arena, struct data *document, const char *name,
                        const char *digest)
{
    const struct data *annotations = data_get(document, "annotations");
    if (!annotations || annotations->kind != DATA_MAP)
        return;
    struct data *copy = data_copy(arena, annotations);
    if (data_get(copy, BASE_NAME))
        data_put_text(arena, copy, BASE_NAME, name);
    if (data_get(copy, BASE_DIGEST))
        data_put_text(arena, copy, BASE_DIGEST, digest);
    data_put(arena, document, "annotations", copy);
}

int rebase_manifest(struct data **out, struct arena *arena, const struct rebase_image *image,
                    const struct rebase_image *old, const struct rebase_image *new,
                    const struct data *config, struct err *err)
{
    const struct data *below = list_of(new->manifest, "layers");
    struct data *layers = data_list(arena);
    bool docker = str_equal(image->media_type, MEDIA_DOCKER_MANIFEST);
    for (size_t i = 0; i < below->list.count; i++)
        if (push_layer(layers, arena, below->list.items[i], docker, new->name, err) < 0)
            return -1;
    push_all(arena, layers, list_of(image->manifest, "layers"), diff_ids(old)->list.count);
    *out = data_add(arena, data_copy(arena, image->manifest),
                    FIELD("config", (struct data *)config), FIELD("layers", layers));
    return 0;
}
