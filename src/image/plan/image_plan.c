/* A plan: the rows of base images that a team builds, and where they go. */
#include "image/image_rows.h"

#include "base/arena.h"
#include "base/limits.h"
#include "data/yaml.h"
#include "io/io.h"
#include "registry/reference.h"

#include <fcntl.h>
#include <string.h>

int plan_check_registry(const char *text, struct err *err)
{
    ARENA_SCRATCH(scratch);
    struct image_reference reference;
    ERR_SCRATCH(inner);
    const char *name = arena_printf(&scratch, "%s/image", text);
    if (image_reference_parse(&reference, &scratch, name, &inner) == 0 &&
        str_starts(name, arena_printf(&scratch, "%s/", reference.host)))
        return 0;
    if (image_refuse_user(text, "invalid-registry", err) < 0)
        return -1;
    (void)err_set(err, TG_USAGE, "invalid-registry", "'%s' is no HOST/PATH of a registry", text);
    return err_hint(err, "such as ghcr.io/team or registry.example.com:5000/ml");
}

static int read_entry(struct plan_entry *out, struct arena *arena, const struct yaml_node *node,
                      struct err *err)
{
    static const char *const keys[] = {"image", "request", "tags", NULL};
    const struct yaml_node *request = yaml_get(node, "request");
    *out = (struct plan_entry){.node = node};
    if (yaml_check_keys(node, keys, err) < 0 ||
        yaml_text(&out->image, yaml_get(node, "image"), "image", err) < 0 ||
        yaml_texts(&out->tags, arena, yaml_get(node, "tags"), "tags", err) < 0)
        return -1;
    if (!out->image)
        return yaml_error(err, node, "'image' is missing");
    for (size_t i = 0; i < out->tags.count; i++)
        if (!image_tag_is_valid(out->tags.items[i]))
            return yaml_error(err, yaml_get(node, "tags")->list.items[i], "'%s' is no tag",
                              out->tags.items[i]);
    out->asks = request && !yaml_is_null(request);
    return out->asks ? stack_request_read(&out->request, arena, request, err) : 0;
}

static int read_entries(struct image_plan *out, struct arena *arena, const struct yaml_node *node,
                        struct err *err)
{
    if (node->kind != YAML_LIST)
        return yaml_error(err, node, "'images' must be a list of {image, request, tags}");
    if (node->list.count > LIMIT_IMAGE_ROWS)
        return yaml_over_limit(err, node, node->list.count, "rows", LIMIT_IMAGE_ROWS);
    out->entries = arena_array(arena, node->list.count + 1, sizeof(*out->entries));
    size_t tags = 0;
    for (size_t i = 0; i < node->list.count; i++) {
        struct plan_entry *entry = &out->entries[out->count++];
        if (read_entry(entry, arena, node->list.items[i], err) < 0)
            return -1;
        tags += entry->tags.count;
        if (tags > LIMIT_IMAGE_TAGS)
            return yaml_over_limit(err, entry->node, tags, "further tags", LIMIT_IMAGE_TAGS);
    }
    return 0;
}

static int read_plan(struct image_plan *out, struct arena *arena, const struct yaml_node *root,
                     struct err *err)
{
    static const char *const keys[] = {"schema", "registry", "images", NULL};
    const struct yaml_node *registry = yaml_get(root, "registry");
    int64_t schema = 0;
    ERR_SCRATCH(inner);
    if (yaml_check_keys(root, keys, err) < 0 ||
        yaml_int(&schema, yaml_get(root, "schema"), "schema", err) < 0)
        return -1;
    if (schema != 1) {
        (void)yaml_error(err, yaml_get(root, "schema") ? yaml_get(root, "schema") : root,
                         "'schema' must be 1");
        return err_hint(err, "a newer plan needs a newer tmplgen");
    }
    if (registry && !yaml_is_null(registry) &&
        yaml_text(&out->registry, registry, "registry", err) < 0)
        return -1;
    if (out->registry && plan_check_registry(out->registry, &inner) < 0) {
        (void)yaml_error(err, registry, "%s", inner.message);
        err_hide_source(err);
        return err_hint(err, "%s", inner.hint);
    }
    if (!yaml_get(root, "images"))
        return yaml_error(err, root, "'images' is missing: a list of {image, request, tags}");
    return read_entries(out, arena, yaml_get(root, "images"), err);
}

int plan_load(struct image_plan **out, struct arena *arena, const char *path, struct err *err)
{
    struct yaml_doc *doc;
    struct span text;
    struct image_plan *plan = arena_alloc(arena, sizeof(*plan));
    if (io_read_file(&text, arena, AT_FDCWD, path, LIMIT_DOCUMENT_BYTES, err) < 0 ||
        yaml_parse(&doc, arena, path, text, err) < 0)
        return -1;
    if (!doc->root)
        return err_set(err, TG_USAGE, "invalid", "the plan '%s' is empty", path);
    if (read_plan(plan, arena, doc->root, err) < 0)
        return -1;
    *out = plan;
    return 0;
}
