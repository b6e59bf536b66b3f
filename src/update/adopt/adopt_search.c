/* Finds the version of a catalog that a repository's files resemble most: their origin. */
#include "update/adopt/adopt_search.h"

#include "base/arena.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "catalog/render.h"
#include "catalog/revision.h"
#include "catalog/semver.h"
#include "child/child.h"
#include "data/document.h"
#include "git/store.h"
#include "io/interrupt.h"
#include "plan/similarity.h"
#include "update/base/base_render.h"

#include <stdlib.h>

/* One file of the child. */
struct sought {
    const char *path;
    struct oid id;
    struct bag bag;
};

/* How much a version resembles the child. */
struct resemblance {
    size_t identical;
    size_t common, all; /* bytes */
};

struct version_search {
    struct alike *out;
    struct arena *arena;
    const struct child *child;
    struct record record;               /* with its nodes */
    const char *version, *ref, *commit; /* under comparison; `ref` NULL: as it lies there */
    struct sought *files;
    size_t count;
    struct resemblance best;
    struct data *versions, *best_files;
    const char *best_commit;
    struct err *err;
};

/* ---------------------------------------------------------------- one version */

static size_t percent(size_t common, size_t all)
{
    return all ? common * 100 / all : 100;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* Compares one file, and adds its line to `lines`. */
static void compare_file(struct resemblance *sum, struct data *lines,
                         const struct version_search *s, const struct sought *file,
                         const struct plan_list *render)
{
    ARENA_SCRATCH(scratch);
    const struct plan_file *theirs = plan_list_find(render, file->path);
    struct bag bag = {0};
    if (theirs)
        bag_make(&bag, &scratch, theirs->bytes);
    bool identical = theirs && oid_equal(&theirs->entry.id, &file->id);
    size_t all = larger(larger(bag.bytes, file->bag.bytes), 1);
    size_t common = identical ? all : theirs ? bag_common(&bag, &file->bag) : 0;
    sum->identical += identical;
    sum->common += common;
    sum->all += all;
    data_push(s->arena, lines,
              data_of(s->arena, FIELD("path", file->path), FIELD("alike", percent(common, all))));
}

static bool is_better(const struct resemblance *a, const struct resemblance *b)
{
    if (a->identical != b->identical)
        return a->identical > b->identical;
    /* compares fractions */
    return (double)a->common * (double)b->all > (double)b->common * (double)a->all;
}

/* Copies the files at the paths: the render itself is freed. */
static void keep_files(struct version_search *s, const struct plan_list *render)
{
    struct plan_file *files = arena_array(s->arena, s->count + 1, sizeof(*files));
    size_t count = 0;
    for (size_t i = 0; i < s->count; i++) {
        const struct plan_file *theirs = plan_list_find(render, s->files[i].path);
        if (!theirs)
            continue;
        struct plan_file *kept = &files[count++];
        *kept = *theirs;
        kept->path = s->files[i].path;
        kept->source = NULL;
        kept->bytes = span_of(arena_memdup(s->arena, theirs->bytes.ptr, theirs->bytes.len),
                              theirs->bytes.len);
    }
    s->out->base = (struct plan_list){files, count};
}

static void add_version(struct version_search *s, struct data *alike, size_t identical,
                        const char *problem)
{
    data_push(s->arena, s->versions,
              data_of(s->arena, FIELD("version", s->version), FIELD("ref", s->ref),
                      FIELD("commit", s->commit), FIELD("alike", alike),
                      FIELD("identical", identical), FIELD("problem", problem)));
}

static void compare(struct version_search *s, const struct plan_list *render)
{
    struct resemblance sum = {0};
    struct data *lines = data_list(s->arena);
    for (size_t i = 0; i < s->count; i++)
        compare_file(&sum, lines, s, &s->files[i], render);
    add_version(s, data_int(s->arena, (int64_t)percent(sum.common, sum.all)), sum.identical, NULL);
    if (s->out->version && !is_better(&sum, &s->best))
        return;
    s->best = sum;
    s->best_files = lines;
    s->best_commit = s->commit;
    s->out->version = s->version;
    keep_files(s, render);
}

/* Leaves out a version that cannot be rendered with these answers; the report says why. */
static int look_at(struct version_search *s)
{
    ARENA_SCRATCH(scratch);
    ERR_SCRATCH(why);
    struct render render;
    struct plan_list list;
    if (interrupt_check(s->err) < 0)
        return -1;
    if (base_render(&render, &scratch, &s->record, s->record.catalog.source,
                    s->commit ? s->commit : s->ref, NULL, &why) < 0) {
        add_version(s, NULL, 0, why.message);
        return 0;
    }
    base_list_render(&list, &scratch, &render);
    compare(s, &list);
    return 0;
}

/* ---------------------------------------------------------------- all versions */

struct tagged {
    const struct catalog_revision *revision;
    struct semver version;
};

static int newest_first(const void *a, const void *b)
{
    const struct tagged *left = a, *right = b;
    return semver_compare(&right->version, &left->version);
}

static size_t list_releases(struct tagged **out, struct arena *arena,
                            const struct catalog_revision *revisions, size_t count)
{
    struct tagged *releases = arena_array(arena, count + 1, sizeof(*releases));
    size_t found = 0;
    for (size_t i = 0; i < count; i++)
        if (revisions[i].kind == REVISION_TAG &&
            semver_parse_tag(&releases[found].version, revisions[i].name))
            releases[found++].revision = &revisions[i];
    qsort(releases, found, sizeof(*releases), newest_first);
    *out = releases;
    return found;
}

static int look_at_all(struct version_search *s)
{
    const struct catalog_origin *origin = &s->record.catalog;
    struct catalog_revision *revisions;
    struct tagged *releases;
    size_t count;
    bool seen = false;
    if (catalog_revisions(&revisions, &count, s->arena, origin->source, s->err) < 0)
        return -1;
    count = list_releases(&releases, s->arena, revisions, count);
    for (size_t i = 0; i < count; i++) {
        s->ref = releases[i].revision->name;
        s->version = s->ref + (*s->ref == 'v');
        s->commit = releases[i].revision->commit;
        seen |= str_equal(s->commit, origin->commit);
        if (look_at(s) < 0)
            return -1;
    }
    s->version = origin->version;
    s->ref = origin->ref;
    s->commit = origin->commit;
    return seen ? 0 : look_at(s);
}

static int list_files(struct version_search *s, const struct words *paths)
{
    s->files = arena_array(s->arena, paths->count + 1, sizeof(*s->files));
    for (size_t i = 0; i < paths->count; i++) {
        const char *path = paths->items[i];
        const struct plan_file *file = plan_list_find(&s->child->files, path);
        struct sought *sought = &s->files[s->count++];
        STORE_BYTES_SCRATCH(bytes);
        *sought = (struct sought){.path = path, .id = file->entry.id};
        if (store_get(&bytes, s->child->repo.store, STORE_BLOB, &file->entry.id, path, s->err) < 0)
            return -1;
        bag_make(&sought->bag, s->arena, bytes.bytes);
    }
    return 0;
}

int adopt_search(struct alike *out, struct arena *arena, const struct child *child,
                 const struct record *record, const struct words *paths, struct err *err)
{
    struct version_search s = {
        .out = out, .arena = arena, .child = child, .versions = data_list(arena), .err = err};
    struct span text;
    *out = (struct alike){0};
    if (record_text(&text, arena, record, err) < 0 ||
        record_parse(&s.record, arena, RECORD_PATH, text, err) < 0 || list_files(&s, paths) < 0 ||
        look_at_all(&s) < 0)
        return -1;
    out->report = data_of(arena, FIELD("version", out->version), FIELD("commit", s.best_commit),
                          FIELD("files", s.best_files ? s.best_files : data_list(arena)),
                          FIELD("versions", s.versions));
    return 0;
}
