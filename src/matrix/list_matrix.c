/* The rows of a matrix for people and programs. */
#include "matrix/matrix.h"

#include "base/arena.h"
#include "base/buf.h"
#include "data/data.h"
#include "data/yaml.h"
#include "matrix/facts.h"

#include <string.h>

#define COLUMNS_MAX 8
#define COLUMN_WIDTH_MAX 44 /* a wider text runs on in its column's last place only */

const char *const matrix_topics[] = {"gpus", "drivers", "images", "platforms"};
const size_t matrix_topic_count = sizeof matrix_topics / sizeof *matrix_topics;

struct matrix_listing {
    struct arena *arena;
    const struct matrix *matrix;
};

static void put_ccs(const struct matrix_listing *l, struct data *map, const char *name,
                    const struct ccs *ccs)
{
    struct data *list = data_list(l->arena);
    for (size_t i = 0; i < ccs->count; i++)
        data_push(l->arena, list, data_str(l->arena, cc_text(l->arena, ccs->items[i])));
    data_put(l->arena, map, name, list);
}

/* A mapping of texts. */
static void put_map(const struct matrix_listing *l, struct data *map, const char *name,
                    const struct pairs *pairs)
{
    struct data *inner = data_map(l->arena);
    for (size_t i = 0; i < pairs->count; i++)
        data_put_text(l->arena, inner, pairs->items[i].name, pairs->items[i].value);
    data_put(l->arena, map, name, inner);
}

/* Source, date, confidence: the end of every row. */
static void put_fact(const struct matrix_listing *l, struct data *map, const struct fact *fact)
{
    static const char *const words[] = {"high", "medium", "low"};
    data_put_text(l->arena, map, "note", fact->note);
    data_put_text(l->arena, map, "source", fact->source);
    data_put_text(l->arena, map, "as_of", fact->as_of);
    data_put_text(l->arena, map, "confidence", words[fact->confidence]);
}

/* ------------------------------------------------------------------ frameworks */

static struct data *build_data(const struct matrix_listing *l, const struct framework *framework,
                               const struct build *build)
{
    struct data *map = data_map(l->arena);
    data_put_text(l->arena, map, "variant", build->variant);
    data_put_text(l->arena, map, "cuda", build->cuda.text);
    data_put_text(l->arena, map, "cudnn", build->cudnn);
    data_put_text(l->arena, map, "supply", build->cuda.text ? supply_of(framework, build) : NULL);
    put_ccs(l, map, "x86_64", &build->x86_64);
    put_ccs(l, map, "aarch64", &build->aarch64);
    data_put_text(l->arena, map, "ptx", build->ptx ? cc_text(l->arena, build->ptx) : NULL);
    put_fact(l, map, &build->fact);
    return map;
}

static struct data *releases_data(const struct matrix_listing *l, const struct framework *framework)
{
    struct data *list = data_list(l->arena);
    for (size_t i = 0; i < framework->releases.count; i++) {
        const struct release *release = ROW(struct release, framework->releases, i);
        struct data *map = data_map(l->arena), *builds = data_list(l->arena);
        for (size_t j = 0; j < release->build_count; j++)
            if (*release->builds[j]->fact.source) /* else it goes with any of its framework's */
                data_push(l->arena, builds, build_data(l, framework, release->builds[j]));
        data_put_text(l->arena, map, "release", release->version.text);
        data_put_text(l->arena, map, "default", release->default_variant);
        data_put(l->arena, map, "builds", builds);
        data_put(l->arena, map, "pythons",
                 data_texts(l->arena, release->pythons.items, release->pythons.count));
        data_put(l->arena, map, "experimental",
                 data_texts(l->arena, release->experimental.items, release->experimental.count));
        data_put_text(l->arena, map, "pypi", release->pypi);
        put_map(l, map, "companions", &release->companions);
        data_put_text(l->arena, map, "requires", release->requires);
        data_put(l->arena, map, "variants",
                 data_texts(l->arena, release->variants.items, release->variants.count));
        put_fact(l, map, &release->fact);
        data_push(l->arena, list, map);
    }
    return list;
}

/* Of those that are taken unasked. */
static const struct release *newest_release(const struct framework *framework)
{
    for (size_t i = 0; i < framework->releases.count; i++) {
        const struct release *release = ROW(struct release, framework->releases, i);
        if (release->fact.confidence != CONFIDENCE_LOW)
            return release;
    }
    return NULL;
}

static struct data *frameworks_data(const struct matrix_listing *l)
{
    struct data *list = data_list(l->arena);
    for (size_t i = 0; i < l->matrix->framework_count; i++) {
        const struct framework *framework = &l->matrix->frameworks[i];
        const struct release *newest = newest_release(framework);
        struct data *map = data_map(l->arena);
        data_put_text(l->arena, map, "framework", framework->name);
        data_put_text(l->arena, map, "title", framework->title);
        data_put_text(l->arena, map, "newest", newest ? newest->version.text : NULL);
        data_put_text(l->arena, map, "default", newest ? newest->default_variant : NULL);
        data_put_text(l->arena, map, "supply", framework->supply);
        data_put(l->arena, map, "releases", data_int(l->arena, (int64_t)framework->releases.count));
        data_push(l->arena, list, map);
    }
    return list;
}

static struct data *packages_data(const struct matrix_listing *l)
{
    struct data *list = data_list(l->arena);
    for (size_t i = 0; i < l->matrix->package_count; i++) {
        const struct framework *package = &l->matrix->packages[i];
        const struct release *newest = newest_release(package);
        struct data *map = data_map(l->arena);
        data_put_text(l->arena, map, "package", package->name);
        data_put_text(l->arena, map, "title", package->title);
        data_put_text(l->arena, map, "on", package->on);
        data_put_text(l->arena, map, "newest", newest ? newest->version.text : NULL);
        data_put_text(l->arena, map, "supply", package->supply);
        data_put(l->arena, map, "releases", data_int(l->arena, (int64_t)package->releases.count));
        data_push(l->arena, list, map);
    }
    return list;
}

/* ------------------------------------------------------------------ the other files */

static struct data *gpus_data(const struct matrix_listing *l)
{
    struct data *list = data_list(l->arena);
    for (size_t i = 0; i < l->matrix->gpus.count; i++) {
        const struct gpu *gpu = ROW(struct gpu, l->matrix->gpus, i);
        const struct architecture *architecture = architecture_of(l->matrix, gpu->cc);
        struct data *map = data_map(l->arena);
        data_put_text(l->arena, map, "gpu", gpu->name);
        data_put_text(l->arena, map, "compute_capability", cc_text(l->arena, gpu->cc));
        data_put_text(l->arena, map, "architecture", architecture ? architecture->name : NULL);
        data_put_text(l->arena, map, "class", gpu->class);
        data_put(l->arena, map, "memory_gb",
                 data_texts(l->arena, gpu->memory.items, gpu->memory.count));
        data_put(l->arena, map, "bandwidth_gb_s",
                 gpu->bandwidth ? data_int(l->arena, gpu->bandwidth) : data_null(l->arena));
        data_put_text(l->arena, map, "last_driver",
                      architecture && architecture->last_branch
                          ? arena_printf(l->arena, "%lld", (long long)architecture->last_branch)
                          : NULL);
        data_put_text(l->arena, map, "names", gpu->names);
        put_map(l, map, "on", &gpu->on);
        put_map(l, map, "mig", &gpu->mig);
        data_put(l->arena, map, "instances",
                 data_texts(l->arena, gpu->instances.items, gpu->instances.count));
        data_put(l->arena, map, "products",
                 data_texts(l->arena, gpu->products.items, gpu->products.count));
        put_fact(l, map, &gpu->fact);
        data_push(l->arena, list, map);
    }
    return list;
}

static struct data *drivers_data(const struct matrix_listing *l)
{
    struct data *list = data_list(l->arena);
    for (size_t i = l->matrix->branches.count; i-- > 0;) {
        const struct branch *branch = ROW(struct branch, l->matrix->branches, i);
        struct data *map = data_map(l->arena);
        data_put_text(l->arena, map, "branch",
                      arena_printf(l->arena, "%lld", (long long)branch->number));
        data_put_text(l->arena, map, "cuda", branch->cuda.text);
        data_put_text(l->arena, map, "kind", branch->kind);
        data_put_text(l->arena, map, "ended",
                      branch->ended ? branch->eol ? branch->eol : "yes" : NULL);
        put_fact(l, map, &branch->fact);
        data_push(l->arena, list, map);
    }
    return list;
}

static struct data *images_data(const struct matrix_listing *l)
{
    struct data *list = data_list(l->arena);
    for (size_t i = l->matrix->images.count; i-- > 0;) {
        const struct image *image = ROW(struct image, l->matrix->images, i);
        const struct gate *gate = gate_of(l->matrix, image);
        struct data *map = data_map(l->arena), *tags = data_list(l->arena);
        for (size_t j = 0; j < image->tag_count; j++)
            data_push(l->arena, tags,
                      data_str(l->arena, tag_text(l->arena, image, &image->tags[j])));
        data_put_text(l->arena, map, "cuda", image->cuda.text);
        data_put_text(l->arena, map, "state", image->state);
        data_put_text(l->arena, map, "superseded_by", image->superseded_by);
        data_put_text(l->arena, map, "cudnn", image->cudnn);
        data_put_text(l->arena, map, "starts_on", gate ? gate->cuda.text : NULL);
        data_put(l->arena, map, "or_branches",
                 data_texts(l->arena, gate ? gate->branches.items : NULL,
                            gate ? gate->branches.count : 0));
        data_put(l->arena, map, "tags", tags);
        put_fact(l, map, &image->fact);
        data_push(l->arena, list, map);
    }
    return list;
}

static struct data *platforms_data(const struct matrix_listing *l)
{
    struct data *list = data_list(l->arena);
    for (size_t i = 0; i < l->matrix->platforms.count; i++) {
        const struct platform *platform = ROW(struct platform, l->matrix->platforms, i);
        struct data *map = data_map(l->arena);
        data_put_text(l->arena, map, "platform", platform->name);
        data_put_text(l->arena, map, "title", platform->title);
        data_put_text(l->arena, map, "driver",
                      platform->driver ? arena_printf(l->arena, "%lld", (long long)platform->driver)
                                       : NULL);
        data_put(l->arena, map, "latest",
                 data_texts(l->arena, platform->latest.items, platform->latest.count));
        data_put_text(l->arena, map, "library_path", platform->library_path);
        data_put_text(l->arena, map, "selector", platform->selector);
        put_fact(l, map, &platform->fact);
        data_push(l->arena, list, map);
    }
    return list;
}

struct data *matrix_list_data(struct arena *arena, const struct matrix *matrix, const char *topic)
{
    static struct data *(*const topics[])(const struct matrix_listing *) = {
        gpus_data, drivers_data, images_data, platforms_data};
    const struct matrix_listing l = {arena, matrix};
    struct data *map = data_map(arena);
    const struct framework *framework = topic ? framework_or_package(matrix, topic) : NULL;
    if (framework)
        data_put(arena, map, "releases", releases_data(&l, framework));
    for (size_t i = 0; topic && !framework && i < matrix_topic_count; i++)
        if (str_equal(topic, matrix_topics[i]))
            data_put(arena, map, topic, topics[i](&l));
    if (topic)
        return map;
    data_put(arena, map, "frameworks", frameworks_data(&l));
    data_put(arena, map, "packages", packages_data(&l));
    return map;
}

/* ------------------------------------------------------------------ tables */

/* What a table shows of each kind of list, in this order. */
static const struct {
    const char *list;
    const char *columns[COLUMNS_MAX];
} tables[] = {
    {"frameworks", {"framework", "title", "newest", "default", "supply", "releases"}},
    {"packages", {"package", "title", "on", "newest", "supply", "releases"}},
    {"releases", {"release", "default", "builds", "pythons", "companions", "confidence"}},
    {"gpus", {"gpu", "compute_capability", "architecture", "class", "memory_gb", "last_driver"}},
    {"drivers", {"branch", "cuda", "kind", "ended", "note"}},
    {"images", {"cuda", "state", "cudnn", "starts_on", "or_branches", "tags"}},
    {"platforms", {"platform", "driver", "latest", "selector", "title"}},
};

/* The first and last of a list of versions, "3.10 - 3.14", or all of a short one. */
static const char *list_cell(struct arena *arena, const char *column, const struct data *list)
{
    size_t count = list->list.count;
    if (str_equal(column, "tags"))
        return arena_printf(arena, "%zu", count);
    if (str_equal(column, "pythons") && count > 2)
        return arena_printf(arena, "%s - %s", data_text(list->list.items[0]),
                            data_text(list->list.items[count - 1]));
    const char **words = arena_array(arena, count + 1, sizeof(*words));
    for (size_t i = 0; i < count; i++) {
        const struct data *item = list->list.items[i];
        const char *word = data_text(item->kind == DATA_MAP ? data_get(item, "variant") : item);
        words[i] = word ? word : "";
    }
    return str_join(arena, words, count, " ");
}

static const char *cell(struct arena *arena, const struct data *row, const char *column)
{
    const struct data *value = data_get(row, column);
    const char *text = "";
    if (!value || value->kind == DATA_NULL)
        return "-";
    if (value->kind == DATA_INT)
        return arena_printf(arena, "%lld", (long long)value->integer);
    if (value->kind == DATA_LIST)
        return list_cell(arena, column, value);
    if (value->kind != DATA_MAP)
        return data_text(value);
    for (size_t i = 0; i < value->map.count; i++)
        text = arena_printf(arena, "%s%s%s %s", text, i ? ", " : "", value->map.members[i].name.ptr,
                            data_text(value->map.members[i].value));
    return *text ? text : "-";
}

static void print_row(struct buf *out, const char *const *cells, const size_t *widths, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (i + 1 < count)
            buf_printf(out, "%-*s  ", (int)widths[i], cells[i]);
        else
            buf_printf(out, "%s\n", cells[i]);
}

/* "compute_capability" is too wide for a heading. */
static const char *heading(const char *column)
{
    static const char *const short_names[][2] = {{"compute_capability", "cc"},
                                                 {"memory_gb", "GB"},
                                                 {"last_driver", "last driver"},
                                                 {"starts_on", "starts on"},
                                                 {"or_branches", "or branches"}};
    for (size_t i = 0; i < sizeof short_names / sizeof *short_names; i++)
        if (str_equal(column, short_names[i][0]))
            return short_names[i][1];
    return column;
}

static void print_table(struct buf *out, struct arena *arena, const char *const *columns,
                        const struct data *rows)
{
    size_t widths[COLUMNS_MAX] = {0}, count = 0;
    const char *cells[COLUMNS_MAX];
    for (; count < COLUMNS_MAX && columns[count]; count++)
        cells[count] = heading(columns[count]);
    for (size_t i = 0; i < count; i++) {
        widths[i] = strlen(cells[i]);
        for (size_t j = 0; j < rows->list.count; j++) {
            size_t len = strlen(cell(arena, rows->list.items[j], columns[i]));
            if (len > widths[i] && len <= COLUMN_WIDTH_MAX)
                widths[i] = len;
        }
    }
    print_row(out, cells, widths, count);
    for (size_t j = 0; j < rows->list.count; j++) {
        for (size_t i = 0; i < count; i++)
            cells[i] = cell(arena, rows->list.items[j], columns[i]);
        print_row(out, cells, widths, count);
    }
}

int matrix_list_table(struct buf *out, struct arena *arena, const struct data *list)
{
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct data *rows = data_get(list, tables[i].list);
        if (rows)
            print_table(out, arena, tables[i].columns, rows);
    }
    return out->overflowed ? -1 : 0;
}
