/* Renders a record with a catalog that has its version. */
#include "update/base/base_render.h"

#include "base/arena.h"
#include "base/str.h"
#include "catalog/answers.h"
#include "catalog/catalog.h"
#include "catalog/render.h"
#include "child/record.h"
#include "data/data.h"
#include "data/yaml.h"
#include "plan/plan.h"

#include <string.h>

void base_list_render(struct plan_list *out, struct arena *arena, const struct render *render)
{
    struct plan_file *files = arena_array(arena, render->count + 1, sizeof(*files));
    for (size_t i = 0; i < render->count; i++) {
        const struct render_entry *entry = &render->entries[i];
        files[i] = (struct plan_file){
            .path = entry->path,
            .entry.mode = entry->executable ? LEAF_EXECUTABLE : LEAF_FILE,
            .bytes = span_of(entry->bytes.ptr ? entry->bytes.ptr : "", entry->bytes.len),
            .source = entry->source,
            .policy = entry->policy,
            .merge = entry->merge};
        memcpy(files[i].entry.id.id, entry->id, sizeof(entry->id));
    }
    *out = (struct plan_list){files, render->count};
}

/* The values as templates see them: a hidden question has its default. */
static int recorded_answers(struct answers *out, struct arena *arena,
                            const struct manifest *manifest, const struct record *record,
                            const struct render_input *input, struct err *err)
{
    struct given_list given = {0};
    const struct yaml_node *node = record->answers_node;
    for (size_t i = 0; node && i < node->map.count; i++)
        given_add(&given, arena,
                  (struct given){.name = node->map.members[i].key->text.ptr,
                                 .from = GIVEN_RECORD,
                                 .node = node->map.members[i].value});
    const char *name = data_text(data_get(record->answers, "name"));
    return answers_collect(out, arena, manifest, &given, render_context(arena, input),
                           name ? name : record->type, NULL, err);
}

static int render_catalog(struct render *out, struct arena *arena, const struct catalog *catalog,
                          const struct record *record, const struct render *alike, struct err *err)
{
    struct manifest *manifest;
    struct answers answers;
    struct render_input input = {.catalog = catalog,
                                 .request = record->request,
                                 .resolution = record->resolution,
                                 .alike = alike};
    if (manifest_load(&manifest, arena, catalog, record->type, err) < 0)
        return -1;
    input.manifest = manifest;
    if (recorded_answers(&answers, arena, manifest, record, &input, err) < 0)
        return -1;
    input.answers = answers.values;
    if (render(out, arena, &input, err) < 0)
        return -1;
    render_keep_bytes(out, arena);
    return 0;
}

int base_render(struct render *out, struct arena *arena, const struct record *record,
                const char *source, const char *ref, const struct render *alike, struct err *err)
{
    const struct catalog_origin *made = &record->catalog;
    struct catalog *catalog;
    if (!ref || !(str_equal(ref, made->commit) || str_equal(ref, made->ref)))
        made = NULL;
    if (catalog_open_made(&catalog, arena, source, ref, made, err) < 0)
        return -1;
    int rc = render_catalog(out, arena, catalog, record, alike, err);
    catalog_close(catalog);
    return rc;
}
