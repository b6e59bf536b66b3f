/* Lists the rows of a matrix, for users and programs. */
#include "matrix/matrix.h"

#include "base/arena.h"
#include "base/buf.h"
#include "data/document.h"
#include "matrix/facts.h"

#include <string.h>

#define COLUMNS_MAX 8
#define COLUMN_WIDTH_MAX 44 /* wider texts are allowed only in the last column */

const char *const matrix_topics[] = {"gpus", "drivers", "images", "platforms"};
const size_t matrix_topic_count = sizeof matrix_topics / sizeof *matrix_topics;

static struct data *ccs_data(struct arena *arena, const struct ccs *ccs)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < ccs->count; i++)
        data_push(arena, list, data_str(arena, cc_text(arena, ccs->items[i])));
    return list;
}

static struct data *pairs_data(struct arena *arena, const struct pairs *pairs)
{
    struct data *map = data_map(arena);
    for (size_t i = 0; i < pairs->count; i++)
        data_put_text(arena, map, pairs->items[i].name, pairs->items[i].value);
    return map;
}

/* A driver's branch; NULL for 0, which means none. */
static const char *branch_text(struct arena *arena, int64_t number)
{
    return number ? arena_printf(arena, "%lld", (long long)number) : NULL;
}

/* The fields at the end of every row. */
#define FACT_FIELDS(fact)                                                                          \
    FIELD("note", (fact).note), FIELD("source", (fact).source), FIELD("as_of", (fact).as_of),      \
        FIELD("confidence", confidence_names[(fact).confidence])

/* ------------------------------------------------------------------ frameworks */

static struct data *build_data(struct arena *arena, const struct framework *framework,
                               const struct build *build)
{
    return data_of(arena, FIELD("variant", build->variant), FIELD("cuda", build->cuda.text),
                   FIELD("cudnn", build->cudnn),
                   FIELD("supply", build->cuda.text ? supply_of(framework, build) : NULL),
                   FIELD("x86_64", ccs_data(arena, &build->x86_64)),
                   FIELD("aarch64", ccs_data(arena, &build->aarch64)),
                   FIELD("ptx", build->ptx ? cc_text(arena, build->ptx) : NULL),
                   FACT_FIELDS(build->fact));
}

static struct data *releases_data(struct arena *arena, const struct framework *framework)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < framework->releases.count; i++) {
        const struct release *release = ROW(struct release, framework->releases, i);
        struct data *builds = data_list(arena);
        for (size_t j = 0; j < release->build_count; j++)
            if (*release->builds[j]->fact.source) /* else it goes with any of its framework's */
                data_push(arena, builds, build_data(arena, framework, release->builds[j]));
        struct data *row =
            data_of(arena, FIELD("release", release->version.text),
                    FIELD("default", release->default_variant), FIELD("builds", builds),
                    FIELD("pythons", release->pythons),
                    FIELD("experimental", release->experimental), FIELD("pypi", release->pypi),
                    FIELD("companions", pairs_data(arena, &release->companions)),
                    FIELD("requires", release->requires), FIELD("variants", release->variants),
                    FACT_FIELDS(release->fact));
        data_push(arena, list, row);
    }
    return list;
}

/* Releases of low confidence are never chosen by default. */
static const struct release *newest_release(const struct framework *framework)
{
    for (size_t i = 0; i < framework->releases.count; i++) {
        const struct release *release = ROW(struct release, framework->releases, i);
        if (release->fact.confidence != CONFIDENCE_LOW)
            return release;
    }
    return NULL;
}

static struct data *frameworks_data(struct arena *arena, const struct matrix *matrix)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < matrix->framework_count; i++) {
        const struct framework *f = &matrix->frameworks[i];
        const struct release *newest = newest_release(f);
        struct data *row =
            data_of(arena, FIELD("framework", f->name), FIELD("title", f->title),
                    FIELD("newest", newest ? newest->version.text : NULL),
                    FIELD("default", newest ? newest->default_variant : NULL),
                    FIELD("supply", f->supply), FIELD("releases", f->releases.count));
        data_push(arena, list, row);
    }
    return list;
}

static struct data *packages_data(struct arena *arena, const struct matrix *matrix)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < matrix->package_count; i++) {
        const struct framework *f = &matrix->packages[i];
        const struct release *newest = newest_release(f);
        struct data *row =
            data_of(arena, FIELD("package", f->name), FIELD("title", f->title), FIELD("on", f->on),
                    FIELD("newest", newest ? newest->version.text : NULL),
                    FIELD("supply", f->supply), FIELD("releases", f->releases.count));
        data_push(arena, list, row);
    }
    return list;
}

/* ------------------------------------------------------------------ the other files */

static struct data *gpus_data(struct arena *arena, const struct matrix *matrix)
{
    struct data *list = data_list(arena), *null = data_null(arena);
    for (size_t i = 0; i < matrix->gpus.count; i++) {
        const struct gpu *gpu = ROW(struct gpu, matrix->gpus, i);
        const struct architecture *of = architecture_of(matrix, gpu->cc);
        struct data *row = data_of(
            arena, FIELD("gpu", gpu->name), FIELD("compute_capability", cc_text(arena, gpu->cc)),
            FIELD("architecture", of ? of->name : NULL), FIELD("class", gpu->class),
            FIELD("memory_gb", gpu->memory),
            FIELD("bandwidth_gb_s", gpu->bandwidth ? data_int(arena, gpu->bandwidth) : null),
            FIELD("last_driver", of ? branch_text(arena, of->last_branch) : NULL),
            FIELD("names", gpu->names), FIELD("on", pairs_data(arena, &gpu->on)),
            FIELD("mig", pairs_data(arena, &gpu->mig)), FIELD("instances", gpu->instances),
            FIELD("products", gpu->products), FACT_FIELDS(gpu->fact));
        data_push(arena, list, row);
    }
    return list;
}

static struct data *drivers_data(struct arena *arena, const struct matrix *matrix)
{
    struct data *list = data_list(arena);
    for (size_t i = matrix->branches.count; i-- > 0;) {
        const struct branch *branch = ROW(struct branch, matrix->branches, i);
        struct data *row =
            data_of(arena, FIELD("branch", arena_printf(arena, "%lld", (long long)branch->number)),
                    FIELD("cuda", branch->cuda.text), FIELD("kind", branch->kind),
                    FIELD("ended", branch->ended ? branch->eol ? branch->eol : "yes" : NULL),
                    FACT_FIELDS(branch->fact));
        data_push(arena, list, row);
    }
    return list;
}

static struct data *images_data(struct arena *arena, const struct matrix *matrix)
{
    struct data *list = data_list(arena);
    for (size_t i = matrix->images.count; i-- > 0;) {
        const struct image *image = ROW(struct image, matrix->images, i);
        const struct gate *gate = gate_of(matrix, image);
        struct data *tags = data_list(arena);
        for (size_t j = 0; j < image->tag_count; j++)
            data_push(arena, tags, data_str(arena, tag_text(arena, image, &image->tags[j])));
        struct data *row =
            data_of(arena, FIELD("cuda", image->cuda.text), FIELD("state", image->state),
                    FIELD("superseded_by", image->superseded_by), FIELD("cudnn", image->cudnn),
                    FIELD("starts_on", gate ? gate->cuda.text : NULL),
                    FIELD("or_branches", gate ? gate->branches : (struct words){0}),
                    FIELD("tags", tags), FACT_FIELDS(image->fact));
        data_push(arena, list, row);
    }
    return list;
}

static struct data *platforms_data(struct arena *arena, const struct matrix *matrix)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < matrix->platforms.count; i++) {
        const struct platform *p = ROW(struct platform, matrix->platforms, i);
        struct data *row =
            data_of(arena, FIELD("platform", p->name), FIELD("title", p->title),
                    FIELD("driver", branch_text(arena, p->driver)), FIELD("latest", p->latest),
                    FIELD("library_path", p->library_path), FIELD("selector", p->selector),
                    FACT_FIELDS(p->fact));
        data_push(arena, list, row);
    }
    return list;
}

struct data *matrix_list_data(struct arena *arena, const struct matrix *matrix, const char *topic)
{
    static struct data *(*const topics[])(struct arena *, const struct matrix *) = {
        gpus_data, drivers_data, images_data, platforms_data};
    const struct framework *framework = topic ? framework_or_package(matrix, topic) : NULL;
    if (framework)
        return data_of(arena, FIELD("releases", releases_data(arena, framework)));
    for (size_t i = 0; topic && i < matrix_topic_count; i++)
        if (str_equal(topic, matrix_topics[i]))
            return data_of(arena, FIELD(topic, topics[i](arena, matrix)));
    return data_of(arena, FIELD("frameworks", frameworks_data(arena, matrix)),
                   FIELD("packages", packages_data(arena, matrix)));
}

/* ------------------------------------------------------------------ tables */

/* The columns of each kind of list, in order. */
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

int matrix_list_table(struct buf *out, const struct data *list)
{
    ARENA_SCRATCH(scratch);
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const struct data *rows = data_get(list, tables[i].list);
        if (rows)
            print_table(out, &scratch, tables[i].columns, rows);
    }
    return out->overflowed ? -1 : 0;
}
