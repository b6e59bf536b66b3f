/* Whatever three images say of themselves: the layers of one base become those of another. */
#include "fuzz.h"

#include "base/arena.h"
#include "base/limits.h"
#include "data/data.h"
#include "data/json.h"
#include "image/rebase/rebase_parts.h"
#include "registry/image_manifest.h"
#include "registry/reference.h"

#include <stdint.h>
#include <string.h>

static struct rebase_image image_of(const struct data *document, const char *name)
{
    const struct data *one = data_get(document, name);
    return (struct rebase_image){data_get(one, "manifest"), MEDIA_OCI_MANIFEST,
                                 data_get(one, "config"), name};
}

static const struct data *ids_of(const struct data *config)
{
    return data_get(data_get(config, "rootfs"), "diff_ids");
}

static const char *said(struct arena *arena, const struct rebase_image *old,
                        const struct rebase_image *new)
{
    struct image_reference reference = {"docker.io", "nvidia/cuda", "13.0.1-base-ubuntu24.04",
                                        NULL};
    struct rebase_system one = rebase_system_of(arena, old->config, &reference);
    struct rebase_system two = rebase_system_of(arena, new->config, &reference);
    return rebase_system_refusal(arena, &one, old->config, &two, new->config);
}

/* What went there comes back: layers, and never more history than layers have. */
static void go_and_return(struct arena *arena, const struct rebase_image *image,
                          const struct rebase_image *old, const struct rebase_image *new)
{
    ERR_SCRATCH(err);
    size_t count;
    struct data *labels = data_map(arena), *manifest, *descriptor = data_map(arena);
    struct rebase_image there = *image;
    data_put_text(arena, labels, "tmplgen.base", "new");
    there.config = rebase_config(arena, image, old, new, labels);
    must(str_equal(rebase_label(there.config, "tmplgen.base"), "new"));
    if (rebase_manifest(&manifest, arena, image, old, new, descriptor, &err) < 0) {
        must(err.exit == TG_REFUSED && err.message);
        return;
    }
    rebase_annotations(arena, manifest, "new", "digest");
    there.manifest = manifest;
    must(rebase_layer_count(&count, &there, &err) == 0);
    must(rebase_is_below(new, &there, &err) == 0);
    const struct data *back = rebase_config(arena, &there, new, old, labels);
    must(data_equal(ids_of(back), ids_of(image->config)));
}

/* What stands in a build argument is not believed for the command behind it. */
static void walk(struct arena *arena, const struct rebase_image *image,
                 const struct rebase_image *old)
{
    const struct data *history = data_get(image->config, "history");
    struct rebase_place place = rebase_place_on(arena, old->config);
    for (size_t i = 0; history && history->kind == DATA_LIST && i < history->list.count; i++) {
        const char *step = data_shown(history->list.items[i], "created_by");
        const char *hidden = arena_printf(arena, "|1 A=%s /bin/sh -c rm /etc/passwd", step);
        must(rebase_wrote(&place, hidden) == REBASE_WROTE_UNKNOWN);
        (void)rebase_wrote(&place, step);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    fuzz_begin();
    ARENA_SCRATCH(arena);
    ERR_SCRATCH(err);
    struct data *document;
    size_t count;
    if (json_parse(&document, &arena, "it", span_of((const char *)bytes, size), &err) < 0)
        return 0;
    struct rebase_image image = image_of(document, "image"), old = image_of(document, "old"),
                        new = image_of(document, "new");
    (void)said(&arena, &old, &new);
    walk(&arena, &image, &old);
    if (rebase_layer_count(&count, &new, &err) < 0 || !count) {
        must(err.message || !count);
        return 0;
    }
    err_release(&err);
    err = (struct err)ERR_INIT;
    if (rebase_is_below(&old, &image, &err) < 0) {
        must(err.message && err.exit);
        return 0;
    }
    go_and_return(&arena, &image, &old, &new);
    return 0;
}
