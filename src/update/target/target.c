/* Where an update goes: which revision of the catalog, which answers, which stack. */
#include "update/target/target.h"

#include "base/arena.h"
#include "catalog/catalog.h"
#include "catalog/manifest.h"
#include "catalog/origin.h"
#include "catalog/revision.h"
#include "catalog/semver.h"
#include "child/team_image.h"
#include "data/data.h"
#include "data/yaml.h"
#include "update/target/migrate.h"
#include "update/target/release_notes.h"
#include "update/target/update_stack.h"

#include <stdlib.h>
#include <string.h>

struct aiming {
    struct target *out;
    struct arena *arena;
    const struct provenance *provenance;
    const struct target_options *options;
    const char *source;
    const char *ref;                   /* what to open; NULL: the default */
    const char *shown;                 /* what the record calls it; NULL: as opened */
    const struct catalog_origin *made; /* what it extends stays, too, as it is there; or NULL */
    struct catalog_revision *revisions;
    size_t revision_count;
    struct catalog *catalog;
    struct given_list given;
    struct answers answers;
    struct data *request, *resolution;
    struct err *err;
};

static void warn(struct aiming *a, const char *text)
{
    struct target *out = a->out;
    out->warnings = arena_grow(a->arena, out->warnings, out->warning_count, sizeof(*out->warnings));
    out->warnings[out->warning_count++] = text;
}

/* ---------------------------------------------------------------- the revision */

static const struct catalog_revision *find(const struct aiming *a, enum revision_kind kind,
                                           const char *name)
{
    return revision_find(a->revisions, a->revision_count, kind, name);
}

/* At the recorded commit, under the name that the record has for it. */
static void stay(struct aiming *a)
{
    const struct catalog_origin *recorded = &a->provenance->wanted.catalog;
    a->ref = recorded->commit;
    a->shown = recorded->ref;
}

/* The version that a recorded tag stands for: its own, else the catalog's. */
static bool recorded_version(struct semver *out, const struct catalog_origin *recorded)
{
    return semver_parse_tag(out, recorded->ref) || semver_parse(out, recorded->version);
}

/* The tag that was recorded: of a policy, the one of the recorded version. */
static const struct catalog_revision *recorded_tag(const struct aiming *a,
                                                   const struct semver_range *range)
{
    const struct catalog_origin *recorded = &a->provenance->wanted.catalog;
    if (!range || !recorded->version)
        return find(a, REVISION_TAG, recorded->ref);
    const char *name = arena_printf(a->arena, "v%s", recorded->version);
    const struct catalog_revision *tag = find(a, REVISION_TAG, name);
    return tag ? tag : find(a, REVISION_TAG, name + 1);
}

/* To the newest release, or the newest of a policy, which stays in the record. */
static void follow_tags(struct aiming *a, const struct semver_range *range)
{
    const struct catalog_origin *recorded = &a->provenance->wanted.catalog;
    const struct catalog_revision *same = recorded_tag(a, range);
    const struct catalog_revision *newest =
        revision_newest(a->revisions, a->revision_count, range, a->options->prerelease);
    struct semver here, there;
    if (same && recorded->commit && strcmp(same->commit, recorded->commit) != 0)
        warn(a, arena_printf(a->arena,
                             "the tag '%s' now points to %.12s; the recorded commit %.12s "
                             "counts",
                             same->name, same->commit, recorded->commit));
    if (!newest || !semver_parse_tag(&there, newest->name) ||
        (recorded_version(&here, recorded) && semver_compare(&there, &here) <= 0)) {
        stay(a);
        return;
    }
    a->ref = newest->name;
    a->shown = range ? recorded->ref : NULL;
}

/* The ref is a commit, which has nothing newer, or nothing of that name is there any more. */
static void stay_where_it_was(struct aiming *a)
{
    const struct catalog_origin *recorded = &a->provenance->wanted.catalog;
    if (recorded->commit && !str_starts(recorded->commit, recorded->ref))
        warn(a, arena_printf(a->arena,
                             "the catalog has no branch or tag '%s' any more; the project "
                             "stays at %.12s: --to names another",
                             recorded->ref, recorded->commit));
    a->made = recorded;
    stay(a);
}

/* The built-in catalog names a commit then, which nobody chose, and which a fork of it has, too. */
static bool is_between_releases(const struct aiming *a)
{
    const struct catalog_origin *recorded = &a->provenance->wanted.catalog;
    return a->options->source && strcmp(recorded->source, CATALOG_BUILTIN) == 0 &&
           strcmp(a->source, CATALOG_BUILTIN) != 0;
}

/* Where the record leads when nobody says anything. */
static void follow_record(struct aiming *a)
{
    const struct catalog_origin *recorded = &a->provenance->wanted.catalog;
    struct semver_range range;
    struct semver version;
    a->ref = NULL; /* as it lies there; of the built-in one the binary's own, the newest there is */
    if (!recorded->ref)
        return;
    if (find(a, REVISION_TAG, recorded->ref) || semver_parse_tag(&version, recorded->ref) ||
        is_between_releases(a))
        follow_tags(a, NULL);
    else if (find(a, REVISION_BRANCH, recorded->ref))
        a->ref = recorded->ref;
    else if (semver_range_parse(&range, recorded->ref))
        follow_tags(a, &range);
    else if (strcmp(a->source, CATALOG_BUILTIN) != 0)
        stay_where_it_was(a);
}

static int choose_ref(struct aiming *a)
{
    if (a->options->to || a->options->ref) {
        a->ref = a->options->to ? a->options->to : a->options->ref;
        return 0;
    }
    if (catalog_revisions(&a->revisions, &a->revision_count, a->arena, a->source, a->err) < 0)
        return -1;
    follow_record(a);
    return 0;
}

/* The place that the record names has nothing of a catalog, or not the commit: nobody typed that.
 */
static bool is_gone(const struct aiming *a)
{
    static const char *const codes[] = {"unknown-catalog", "unknown-ref", "unreachable-catalog"};
    bool typed = a->options->to != NULL && strcmp(a->err->code, "unknown-ref") == 0;
    if (a->options->source || typed || a->revision_count)
        return false;
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
        if (strcmp(a->err->code, codes[i]) == 0)
            return true;
    return false;
}

/* A catalog.yml names what is not there: the place of that is known. */
static bool lacks_extended(const struct err *err)
{
    return err->where.file && (strcmp(err->code, "unknown-catalog") == 0 ||
                               strcmp(err->code, "unreachable-catalog") == 0);
}

static int explain_source(const struct aiming *a)
{
    struct err *err = a->err;
    bool extended = lacks_extended(err);
    if (extended || is_gone(a)) {
        bool told = err->hint && strcmp(err->code, "unreachable-catalog") == 0;
        err->exit = TG_RUNTIME;
        err->code = "unreachable-catalog";
        if (told)
            return -1;
        return extended
                   ? err_hint(err, "a newer release of the catalog may name the place where it is")
                   : err_hint(err,
                              "where the catalog has moved, --catalog NEW takes it from there");
    }
    return strcmp(err->code, "unknown-catalog") == 0
               ? err_hint(err, "'--catalog' names a folder with a catalog.yml, a git repository "
                               "of one, or 'builtin'")
               : -1;
}

/* Another catalog has not the recorded commit: then it is the newest of that one. */
static bool is_elsewhere(const struct aiming *a)
{
    const char *commit = a->provenance->wanted.catalog.commit;
    return a->options->source && commit && a->ref == commit &&
           strcmp(a->err->code, "unknown-ref") == 0 && !a->err->where.file;
}

static int open_chosen(struct aiming *a)
{
    if (catalog_open_made(&a->catalog, a->arena, a->source, a->ref, a->made, a->err) == 0)
        return 0;
    if (!is_elsewhere(a))
        return -1;
    err_release(a->err);
    a->ref = a->shown = NULL;
    a->made = NULL;
    return catalog_open(&a->catalog, a->arena, a->source, NULL, a->err);
}

static int open_catalog(struct aiming *a)
{
    if (open_chosen(a) < 0)
        return explain_source(a);
    if (a->catalog->warning)
        warn(a, a->catalog->warning);
    a->out->origin = a->catalog->origin;
    a->out->catalog_name = a->catalog->name;
    if (a->shown)
        a->out->origin.ref = a->shown;
    return 0;
}

/* Where one of the two extends the other's catalog, those versions are compared. */
static int check_direction(const struct aiming *a)
{
    const struct catalog_origin *recorded = &a->provenance->wanted.catalog;
    const struct catalog_origin *there = origin_like(&a->out->origin, recorded->source, 0);
    const struct catalog_origin *here = origin_like(recorded, there->source, 0);
    if (a->options->allow_downgrade || origin_compare(there, here) >= 0)
        return 0;
    (void)err_set(a->err, TG_REFUSED, "downgrade",
                  "the project is at version %s of the catalog, and %s is older",
                  origin_words(a->arena, here), origin_words(a->arena, there));
    return err_hint(a->err, "--allow-downgrade goes there all the same");
}

/* Of the built-in catalog, which others may extend: the program has versions up to its own. */
static int find_older(const char **newest, const struct catalog_origin **older, struct aiming *a)
{
    struct semver here, there;
    struct catalog *catalog;
    *newest = NULL;
    *older = &a->provenance->wanted.catalog;
    while (*older && strcmp((*older)->source, CATALOG_BUILTIN) != 0)
        *older = (*older)->extends;
    if (!*older || a->options->to || a->options->ref || a->options->source ||
        !semver_parse(&here, (*older)->version))
        return 0;
    if (catalog_open(&catalog, a->arena, CATALOG_BUILTIN, NULL, a->err) < 0)
        return -1;
    if (semver_parse(&there, catalog->origin.version) && semver_compare(&there, &here) < 0)
        *newest = catalog->origin.version;
    catalog_close(catalog);
    return 0;
}

static int refuse_older(struct aiming *a, const char *newest, const struct catalog_origin *older)
{
    const char *text = arena_printf(
        a->arena, "this tmplgen is older than the project: %s against %s", newest, older->version);
    if (!a->options->looks) {
        (void)err_set(a->err, TG_USAGE, "unknown-ref", "%s", text);
        return err_hint(a->err, "a newer tmplgen has newer versions of its catalog");
    }
    warn(a, arena_printf(a->arena, "%s; a newer one may have an update", text));
    a->out->origin = a->provenance->wanted.catalog;
    a->out->nothing_new = true;
    return 0;
}

static int choose(struct aiming *a)
{
    if (choose_ref(a) < 0 || open_catalog(a) < 0)
        return -1;
    return check_direction(a);
}

/* ---------------------------------------------------------------- nothing to do */

/* Everything that makes a render is what it was. */
static bool is_same(const struct aiming *a)
{
    const struct record *recorded = &a->provenance->wanted;
    return origin_is_same_commit(&recorded->catalog, &a->out->origin) &&
           recorded->engine == TEMPLATE_ENGINE && !a->provenance->edited &&
           !a->provenance->overlay_changed && !a->options->upgrade;
}

static bool says_anything(const struct target_options *options)
{
    static const struct stack_request nothing;
    bool answers = false;
    for (size_t i = 0; options->sets && i < options->sets->count; i++)
        answers |= options->sets->items[i].from < GIVEN_RECORD;
    return answers || options->unset_count ||
           (options->stack && memcmp(options->stack, &nothing, sizeof(nothing)) != 0);
}

/* ---------------------------------------------------------------- the stack */

static int make_stack(struct aiming *a)
{
    struct stack_input input = {.files = a->catalog->files,
                                .overlay = a->provenance->overlay,
                                .recorded = &a->provenance->wanted,
                                .need = manifest_need(a->out->manifest),
                                .said = a->options->stack,
                                .unset = a->options->unset,
                                .unset_count = a->options->unset_count,
                                .upgrade = a->options->upgrade,
                                .keep = is_same(a)};
    struct carried_stack stack;
    if (!a->out->manifest->has_stack)
        return stack_refuse(&input, a->out->manifest->type, a->err);
    int rc = stack_make(&stack, a->arena, &input, a->err);
    a->out->refusal = stack.refusal;
    if (rc < 0)
        return -1;
    for (size_t i = 0; i < stack.warning_count; i++)
        warn(a, stack.warnings[i]);
    a->request = stack.request;
    a->resolution = stack.resolution;
    return 0;
}

/* ---------------------------------------------------------------- the answers */

static int make_answers(struct aiming *a)
{
    struct render_input input = {.catalog = a->catalog,
                                 .manifest = a->out->manifest,
                                 .request = a->request,
                                 .resolution = a->resolution};
    const char *name = data_text(data_get(a->provenance->wanted.answers, "name"));
    if (answers_collect(&a->answers, a->arena, a->out->manifest, &a->given,
                        render_context(a->arena, &input), name ? name : a->provenance->wanted.type,
                        a->options->asker, a->err) < 0)
        return -1;
    migrate_compare(&a->out->migrated, a->arena, a->provenance, a->answers.kept);
    return 0;
}

/* The stack is complete with the image that the answers ask for. */
static int make_image(struct aiming *a)
{
    struct team_image_input input = {.catalog = a->catalog,
                                     .overlay = a->provenance->overlay,
                                     .manifest = a->out->manifest,
                                     .answers = a->answers.values,
                                     .request = a->request};
    if (team_image_put(&a->resolution, a->arena, &input, a->err) < 0)
        return -1;
    if (a->resolution)
        a->out->stack = stack_changes(a->arena, a->provenance->made.resolution, a->resolution);
    return 0;
}

/* ---------------------------------------------------------------- the render */

static int make_render(struct aiming *a)
{
    struct render_input input = {.catalog = a->catalog,
                                 .manifest = a->out->manifest,
                                 .answers = a->answers.values,
                                 .request = a->request,
                                 .resolution = a->resolution};
    if (render(&a->out->render, a->arena, &input, a->err) < 0)
        return -1;
    render_keep_bytes(&a->out->render, a->arena);
    struct record *record = &a->out->record;
    *record = (struct record){.catalog = a->out->origin,
                              .type = a->out->manifest->type,
                              .answers = a->answers.kept,
                              .request = a->request,
                              .resolution = a->resolution,
                              .engine = TEMPLATE_ENGINE,
                              .yours = a->provenance->wanted.yours,
                              .yours_count = a->provenance->wanted.yours_count};
    memcpy(record->tree, a->out->render.tree, sizeof(record->tree));
    record_hash_inputs(record->inputs, record, a->provenance->overlay);
    return 0;
}

/* Words only: where they cannot be read, the update goes on without. */
static void make_notes(struct aiming *a)
{
    ERR_SCRATCH(why);
    if (notes_collect(&a->out->notes, a->arena, a->catalog, &a->out->migrated,
                      &a->provenance->made.catalog, &why) < 0)
        warn(a, arena_printf(a->arena, "what is new is not known: %s", why.message));
}

int target_choose(struct target *out, struct arena *arena, const struct provenance *provenance,
                  const struct target_options *options, struct err *err)
{
    struct aiming *a = arena_alloc(arena, sizeof(*a));
    *out = (struct target){.aiming = a};
    *a = (struct aiming){
        .out = out, .arena = arena, .provenance = provenance, .options = options, .err = err};
    const struct catalog_origin *older;
    const char *newest;
    a->source = options->source ? options->source : provenance->wanted.catalog.source;
    if (find_older(&newest, &older, a) < 0)
        return -1;
    if (newest)
        return refuse_older(a, newest, older);
    if (choose(a) < 0)
        return -1;
    out->nothing_new = is_same(a) && !says_anything(options) &&
                       origin_is_equal(&provenance->wanted.catalog, &out->origin);
    return 0;
}

int target_make(struct target *target, struct err *err)
{
    struct aiming *a = target->aiming;
    a->err = err;
    if (manifest_load(&target->manifest, a->arena, a->catalog, a->provenance->wanted.type, err) <
            0 ||
        migrations_check(a->arena, target->manifest, err) < 0 ||
        migrate_apply(&target->migrated, &a->given, a->arena, target->manifest, a->provenance,
                      a->options->sets, err) < 0 ||
        make_stack(a) < 0 || make_answers(a) < 0 || make_image(a) < 0)
        return -1;
    make_notes(a);
    return make_render(a);
}

void target_close(struct target *target)
{
    if (!target->aiming)
        return;
    catalog_close(target->aiming->catalog);
    target->aiming->catalog = NULL;
}
