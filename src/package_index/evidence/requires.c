/* What a release's metadata says of another package, beside what a row says of it. */
#include "package_index/evidence/requires.h"

#include "base/arena.h"
#include "base/str.h"
#include "data/data.h"
#include "matrix/facts.h"
#include "package_index/evidence/evidence.h"
#include "package_index/package_index.h"
#include "package_index/requirement.h"

#include <string.h>

#define TEXTS_MAX 16 /* of one package in one release: some have one for each Python */

/* Whatever a release says of one package. */
struct sayings {
    struct requirement items[TEXTS_MAX];
    const char *texts[TEXTS_MAX];
    size_t count;
};

static void find_sayings(struct sayings *out, struct arena *arena, const struct data *list,
                         const char *name)
{
    out->count = 0;
    for (size_t i = 0; list && i < list->list.count && out->count < TEXTS_MAX; i++) {
        struct requirement *item = &out->items[out->count];
        const char *text = data_text(list->list.items[i]);
        if (requirement_parse(item, arena, text) == 0 && str_equal(item->name, name))
            out->texts[out->count++] = text;
    }
}

/* All that holds in a world, as one SPEC; false where nothing does. `*said` is the last of it. */
static bool join_sayings(struct spec *out, const char **said, struct arena *arena,
                         const struct sayings *sayings, const struct marker_world *world)
{
    bool found = false;
    *out = (struct spec){.text = ""};
    for (size_t i = 0; i < sayings->count; i++) {
        const struct spec *spec = &sayings->items[i].spec;
        if (!marker_holds(arena, sayings->items[i].marker, world))
            continue;
        found = true;
        *said = sayings->texts[i];
        if (!spec->count)
            continue;
        struct spec_clause *both =
            arena_array(arena, out->count + spec->count, sizeof(struct spec_clause));
        for (size_t j = 0; j < out->count + spec->count; j++)
            both[j] = j < out->count ? out->clauses[j] : spec->clauses[j - out->count];
        out->clauses = both;
        out->count += spec->count;
    }
    return found;
}

bool requires_agree(const char **said, struct arena *arena, const struct data *release,
                    const struct words *pythons, const struct requirement *row)
{
    struct sayings sayings;
    struct spec spec;
    *said = NULL;
    for (int p = 0; p < PROCESSORS; p++) {
        find_sayings(&sayings, arena, index_requires(release, processor_names[p]), row->name);
        for (size_t i = 0; i < pythons->count; i++) {
            const struct marker_world world = {processor_names[p], pythons->items[i], row->name};
            if (join_sayings(&spec, said, arena, &sayings, &world) && spec_same(&spec, &row->spec))
                return true;
        }
    }
    return false;
}

bool requires_version(struct arena *arena, const struct data *release, const char *name,
                      const char *version)
{
    const struct marker_world world = {processor_names[X86_64], NULL, ""};
    struct sayings sayings;
    struct version wanted;
    if (version_parse(&wanted, version) < 0)
        return false;
    find_sayings(&sayings, arena, index_requires(release, processor_names[X86_64]), name);
    for (size_t i = 0; i < sayings.count; i++)
        if (marker_holds(arena, sayings.items[i].marker, &world))
            return spec_matches(&sayings.items[i].spec, &wanted);
    return false;
}

bool requires_always(struct arena *arena, const struct requirement *said,
                     const struct words *pythons)
{
    for (int p = 0; p < PROCESSORS; p++)
        for (size_t i = 0; i < pythons->count; i++) {
            const struct marker_world world = {processor_names[p], pythons->items[i], ""};
            if (!marker_holds(arena, said->marker, &world))
                return false;
        }
    return true;
}
