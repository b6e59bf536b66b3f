/* Compares the catalog with its releases: what children would lose without a notice. */
#include "author/lint/lint_run.h"

#include "base/arena.h"
#include "base/budget.h"
#include "catalog/catalog.h"
#include "catalog/manifest.h"
#include "catalog/revision.h"
#include "catalog/semver.h"
#include "data/data.h"
#include "data/fileset.h"
#include "data/yaml.h"

#include <string.h>

#define RELEASES_MAX ((size_t)50) /* whose answers' names are read */

struct history {
    struct lint *lint;
    struct catalog_revision *revisions;
    size_t count;
    struct catalog *last; /* the release before this version */
};

/* ---------------------------------------------------------------- the version */

/* The highest release that is lower than a version, or with `equal` is that version. */
static const struct catalog_revision *release_before(const struct history *h,
                                                     const struct semver *version, bool equal)
{
    const struct catalog_revision *best = NULL;
    struct semver tag, highest;
    for (size_t i = 0; i < h->count; i++) {
        const struct catalog_revision *revision = &h->revisions[i];
        if (revision->kind != REVISION_TAG || !semver_parse_tag(&tag, revision->name))
            continue;
        int order = semver_compare(&tag, version);
        if (equal ? order != 0
                  : order >= 0 || !semver_is_release(&tag) ||
                        (best && semver_compare(&tag, &highest) <= 0))
            continue;
        best = revision;
        highest = tag;
    }
    return best;
}

/* Finds the first path that differs; NULL: none does. */
static int first_difference(const char **out, const struct fileset *a, const struct fileset *b,
                            struct err *err)
{
    size_t i = 0, j = 0;
    for (*out = NULL; !*out && (i < a->count || j < b->count); i++, j++) {
        int order = i == a->count   ? 1
                    : j == b->count ? -1
                                    : strcmp(a->entries[i].path, b->entries[j].path);
        struct span left, right;
        if (order != 0) {
            *out = order < 0 ? a->entries[i].path : b->entries[j].path;
            break;
        }
        if (a->read(&left, a, i, err) < 0 || b->read(&right, b, j, err) < 0)
            return -1;
        if (!span_equal(left, right) || a->entries[i].executable != b->entries[j].executable)
            *out = a->entries[i].path;
    }
    return 0;
}

/* Places the error at a member of a manifest, or at its beginning where that is missing. */
static void place_at(struct err *wrong, const struct lint *lint, const char *path, const char *key)
{
    ERR_SCRATCH(ignored);
    struct yaml_doc *doc;
    if (fileset_document(&doc, lint->arena, lint->files, path, &ignored) < 0)
        return;
    const struct yaml_node *node = yaml_get(doc->root, key);
    (void)yaml_at(wrong, node ? node : doc->root);
}

/* `*differs`: it differs from the release of its version, and its version is the same. */
static int check_version(bool *differs, const struct history *h, const struct semver *now)
{
    ERR_SCRATCH(wrong);
    struct lint *lint = h->lint;
    struct catalog *same;
    const char *path;
    const struct catalog_revision *release = release_before(h, now, true);
    *differs = false;
    if (!release)
        return 0;
    if (catalog_open(&same, lint->arena, lint->catalog->origin.source, release->name, lint->err) <
        0)
        return -1;
    int rc = first_difference(&path, lint->files, same->files, lint->err);
    catalog_close(same);
    if (rc < 0 || !path)
        return rc;
    *differs = true;
    (void)err_set(&wrong, TG_USAGE, "invalid", "%s is released as '%s', and '%s' differs from it",
                  lint->catalog->origin.version, release->name, path);
    (void)err_hint(&wrong, "raise the version, with a suffix such as -dev until it is released");
    place_at(&wrong, lint, "catalog.yml", "version");
    return lint_keep(lint, RULE_VERSION, &wrong);
}

/* ---------------------------------------------------------------- answers */

static bool is_renamed(const struct manifest *manifest, const char *answer)
{
    for (size_t i = 0; i < manifest->migration_count; i++) {
        const struct migration *migration = &manifest->migrations[i];
        if (str_is_among(answer, migration->rename_answers.old, migration->rename_answers.count) ||
            str_is_among(answer, migration->drop_answers.items, migration->drop_answers.count))
            return true;
    }
    return false;
}

/* A new question that may replace the old one: by name, else by help or default. */
static const char *successor_of(struct arena *arena, const struct question *old,
                                const struct manifest *before, const struct manifest *now)
{
    const char **names = arena_array(arena, now->question_count + 1, sizeof(*names));
    size_t count = 0;
    for (size_t i = 0; i < now->question_count; i++)
        if (!manifest_question(before, now->questions[i].name) &&
            now->questions[i].type == old->type)
            names[count++] = now->questions[i].name;
    const char *near = str_nearest(old->name, names, count);
    for (size_t i = 0; !near && i < count; i++) {
        const struct question *new = manifest_question(now, names[i]);
        if (old->help.text && str_equal(old->help.text, new->help.text))
            near = names[i];
    }
    return near;
}

/* Reports a loss at the migrations. */
static void keep_loss(const struct history *h, struct err *wrong, const char *old,
                      const struct lint_type *type)
{
    const char *path = arena_printf(h->lint->arena, "templates/%s/template.yml", type->name);
    place_at(wrong, h->lint, path, "migrations");
    findings_add_of(h->lint->findings, RULE_MISSING_MIGRATION, wrong, old, type->name);
}

static void lost_answer(const struct history *h, const struct lint_type *type,
                        const struct question *old, const struct manifest *before)
{
    ERR_SCRATCH(wrong);
    const char *new = successor_of(h->lint->arena, old, before, type->manifest);
    (void)err_set(&wrong, TG_USAGE, "invalid",
                  "the question '%s' of '%s' is gone, and no migration says so", old->name,
                  h->last->origin.ref);
    if (new)
        (void)err_hint(&wrong,
                       "add to migrations: - {from: \"<=%s\", rename_answers: {%s: %s}} (or, where "
                       "it is another question, drop_answers: [%s])",
                       h->last->origin.version, old->name, new, old->name);
    else
        (void)err_hint(&wrong, "add to migrations: - {from: \"<=%s\", drop_answers: [%s]}",
                       h->last->origin.version, old->name);
    keep_loss(h, &wrong, old->name, type);
}

/* ---------------------------------------------------------------- files */

static bool is_moved(const struct manifest *manifest, const char *path)
{
    for (size_t i = 0; i < manifest->migration_count; i++)
        if (str_is_among(path, manifest->migrations[i].rename_files.old,
                         manifest->migrations[i].rename_files.count))
            return true;
    return false;
}

static struct intern paths_of(struct arena *arena, const struct type_files *parts)
{
    struct intern paths = {0};
    for (size_t i = 0; i < parts->file_count; i++)
        (void)intern_add(&paths, arena, span_from(parts->files[i].path));
    return paths;
}

/* True where one has many of the other's lines. */
static bool is_alike(struct span a, struct span b, struct arena *arena)
{
    struct intern lines = {0};
    size_t mine = 0, theirs = 0, both = 0;
    for (int side = 0; side < 2; side++) {
        struct span text = side ? b : a;
        while (text.len) {
            struct span line = span_cut_line(&text);
            if (line.len < 4)
                continue;
            if (side == 0)
                mine += intern_add(&lines, arena, line) + 1 == lines.count;
            else
                both += intern_find(&lines, line) != INTERN_NONE, theirs++;
        }
    }
    return mine + theirs > 8 && 2 * both > (mine > theirs ? mine : theirs);
}

static void lost_file(const struct history *h, const struct lint_type *type, const char *old,
                      const struct type_file *new)
{
    ERR_SCRATCH(wrong);
    (void)err_set(&wrong, TG_USAGE, "invalid",
                  "'%s' of '%s' is gone, '%s' is much like it, and no migration says that it moved",
                  old, h->last->origin.ref, new->path);
    (void)err_hint(&wrong, "add to migrations: - {from: \"<=%s\", rename_files: {\"%s\": \"%s\"}}",
                   h->last->origin.version, old, new->path);
    keep_loss(h, &wrong, old, type);
}

/* Finds the new file that may be a lost one: its copy, else the first that resembles it. */
static int find_moved(const struct type_file **out, const struct history *h,
                      const struct lint_type *type, const struct type_file *old,
                      const struct intern *olds)
{
    struct lint *lint = h->lint;
    struct span text, other;
    *out = NULL;
    if (h->last->files->read(&text, h->last->files, old->index, lint->err) < 0)
        return -1;
    for (size_t i = 0; i < type->parts.file_count; i++) {
        ARENA_SCRATCH(scratch);
        const struct type_file *new = &type->parts.files[i];
        if (strchr(new->pattern, '*') || intern_find(olds, span_from(new->path)) != INTERN_NONE)
            continue;
        if (lint->files->read(&other, lint->files, new->index, lint->err) < 0 ||
            budget_steps(budget_steps_of(text.len + other.len), lint->err) < 0)
            return -1;
        bool same = text.len && span_equal(text, other);
        if (same || (!*out && is_alike(text, other, &scratch)))
            *out = new;
        if (same)
            return 0;
    }
    return 0;
}

/*
 * No child has a path with {{ }}, so no migration could name one. A path that changes by case alone
 * needs no migration.
 */
static int check_files(const struct history *h, const struct lint_type *type,
                       const struct type_files *before)
{
    struct arena *arena = h->lint->arena;
    struct intern olds = paths_of(arena, before), news = paths_of(arena, &type->parts);
    for (size_t i = 0; i < before->file_count; i++) {
        const struct type_file *moved, *old = &before->files[i];
        if (strchr(old->pattern, '*') || is_moved(type->manifest, old->path) ||
            intern_find(&news, span_from(old->path)) != INTERN_NONE)
            continue;
        if (find_moved(&moved, h, type, old, &olds) < 0)
            return -1;
        if (moved && strcasecmp(moved->path, old->path) != 0)
            lost_file(h, type, old->path, moved);
    }
    return 0;
}

/* ---------------------------------------------------------------- a type of both */

/* A part of a release that cannot be read today belongs to no child, or cannot be compared. */
static int check_type(const struct history *h, const struct lint_type *type)
{
    ERR_SCRATCH(ignored);
    struct manifest *before;
    struct type_files parts;
    if (type->image || type->damaged || type->layers_damaged || !type->manifest ||
        manifest_load(&before, h->lint->arena, h->last, type->name, &ignored) < 0)
        return 0;
    for (size_t i = 0; i < before->question_count; i++) {
        const char *name = before->questions[i].name;
        if (!manifest_question(type->manifest, name) && !is_renamed(type->manifest, name))
            lost_answer(h, type, &before->questions[i], before);
    }
    if (type_files_gather(&parts, h->lint->arena, h->last->files, before, NULL, NULL, &ignored) < 0)
        return budget_steps(0, h->lint->err);
    return check_files(h, type, &parts);
}

/* ---------------------------------------------------------------- unknown answers */

static void add_names(const struct history *h, const struct catalog_revision *release,
                      const char *type, struct data *names)
{
    ERR_SCRATCH(ignored);
    struct manifest *manifest;
    struct catalog *catalog;
    if (catalog_open(&catalog, h->lint->arena, h->lint->catalog->origin.source, release->name,
                     &ignored) < 0)
        return;
    if (manifest_load(&manifest, h->lint->arena, catalog, type, &ignored) == 0)
        for (size_t i = 0; i < manifest->question_count; i++)
            data_put(h->lint->arena, names, manifest->questions[i].name, data_null(h->lint->arena));
    catalog_close(catalog);
}

static void unknown_answer(const struct history *h, const struct lint_type *type, const char *name,
                           const struct yaml_node *node)
{
    ERR_SCRATCH(wrong);
    (void)yaml_error(&wrong, node, "no release asked for '%s'", name);
    (void)err_hint(&wrong, "name the answer as the version had it that 'from' speaks of");
    findings_add_of(h->lint->findings, RULE_UNKNOWN_ANSWER, &wrong, name, type->name);
}

static void check_migrations(const struct history *h, const struct lint_type *type,
                             struct data *names)
{
    for (size_t i = 0; i < type->manifest->migration_count; i++) {
        const struct migration *migration = &type->manifest->migrations[i];
        const struct yaml_node *renames = yaml_get(migration->node, "rename_answers");
        const struct yaml_node *drops = yaml_get(migration->node, "drop_answers");
        for (size_t j = 0; j < migration->rename_answers.count; j++) {
            if (!data_get(names, migration->rename_answers.old[j]))
                unknown_answer(h, type, migration->rename_answers.old[j],
                               renames->map.members[j].key);
            data_put(h->lint->arena, names, migration->rename_answers.new[j],
                     data_null(h->lint->arena));
        }
        for (size_t j = 0; j < migration->drop_answers.count; j++)
            if (!data_get(names, migration->drop_answers.items[j]))
                unknown_answer(h, type, migration->drop_answers.items[j], drops->list.items[j]);
    }
}

static bool speaks_of_answers(const struct lint_type *type)
{
    for (size_t i = 0; type->manifest && i < type->manifest->migration_count; i++)
        if (type->manifest->migrations[i].rename_answers.count ||
            type->manifest->migrations[i].drop_answers.count)
            return true;
    return false;
}

static int check_names(const struct history *h, const struct lint_type *type)
{
    struct data *names = data_map(h->lint->arena);
    struct semver version;
    size_t releases = 0;
    if (type->damaged || !speaks_of_answers(type))
        return 0;
    for (size_t i = 0; i < h->count; i++) {
        if (h->revisions[i].kind != REVISION_TAG ||
            !semver_parse_tag(&version, h->revisions[i].name))
            continue;
        if (++releases > RELEASES_MAX)
            return 0; /* not known */
        add_names(h, &h->revisions[i], type->name, names);
    }
    check_migrations(h, type, names);
    return budget_steps(0, h->lint->err);
}

/* ---------------------------------------------------------------- all of it */

int lint_history(struct lint *lint)
{
    struct history h = {.lint = lint};
    struct semver now;
    bool differs;
    if (catalog_revisions(&h.revisions, &h.count, lint->arena, lint->catalog->origin.source,
                          lint->err) < 0)
        return -1;
    if (!semver_parse(&now, lint->catalog->origin.version))
        return 0;
    if (check_version(&differs, &h, &now) < 0)
        return -1;
    const struct catalog_revision *last = release_before(&h, &now, differs);
    if (!last)
        return 0;
    if (catalog_open(&h.last, lint->arena, lint->catalog->origin.source, last->name, lint->err) < 0)
        return -1;
    int rc = 0;
    for (size_t i = 0; rc == 0 && i < lint->type_count; i++)
        rc = check_type(&h, &lint->types[i]) < 0 || check_names(&h, &lint->types[i]) < 0 ? -1 : 0;
    catalog_close(h.last);
    return rc;
}
