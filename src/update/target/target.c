/* The target of an update: which revision of the catalog, which answers, which stack. */

#include "base/arena.h"
#include "catalog/catalog.h"
#include "catalog/manifest.h"
#include "catalog/origin.h"
#include "catalog/revision.h"
#include "catalog/semver.h"
#include "child/team_image.h"
#include "data/data.h"
#include "update/target/update_target.h"

#include <stdlib.h>
#include <string.h>

/* The arguments of target_choose, and the catalog that it has opened. */
struct target_run {
    struct arena *arena;
    const struct provenance *provenance;
    const struct catalog_origin *recorded; /* of `wanted` */
    const struct target_options *options;
    const char *source;
    struct catalog *catalog;
};

/* ---------------------------------------------------------------- the revision */

/* The search for the revision to open. */
struct revision_search {
    const struct target_run *run;
    struct words *warnings;
    struct catalog_revision *revisions; /* of the catalog; none where it cannot list them */
    size_t revision_count;
    const char *ref;                   /* NULL: the default */
    const char *shown;                 /* its name in the record; NULL: as opened */
    const struct catalog_origin *made; /* the catalogs that it extends stay as they are here; or
                                          NULL */
    struct err *err;
};

static const struct catalog_revision *find(const struct revision_search *s, enum revision_kind kind,
                                           const char *name)
{
    return revision_find(s->revisions, s->revision_count, kind, name);
}

/* Stays at the recorded commit, under its name in the record. */
static void stay(struct revision_search *s)
{
    s->ref = s->run->recorded->commit;
    s->shown = s->run->recorded->ref;
}

/* The recorded tag; where a policy is recorded, the tag of the recorded version. */
static const struct catalog_revision *recorded_tag(const struct revision_search *s,
                                                   const struct semver_range *range)
{
    const struct catalog_origin *recorded = s->run->recorded;
    if (!range || !recorded->version)
        return find(s, REVISION_TAG, recorded->ref);
    const char *name = arena_printf(s->run->arena, "v%s", recorded->version);
    const struct catalog_revision *tag = find(s, REVISION_TAG, name);
    return tag ? tag : find(s, REVISION_TAG, name + 1);
}

/* Goes to the newest release, or to the newest that a policy allows; the policy stays recorded. */
static void follow_tags(struct revision_search *s, const struct semver_range *range)
{
    const struct catalog_origin *recorded = s->run->recorded;
    const struct catalog_revision *same = recorded_tag(s, range);
    const struct catalog_revision *newest =
        revision_newest(s->revisions, s->revision_count, range, s->run->options->prerelease);
    struct semver here, there;
    if (same && recorded->commit && strcmp(same->commit, recorded->commit) != 0)
        words_printf(s->warnings, s->run->arena,
                     "the tag '%s' now points to %.12s; the recorded commit %.12s "
                     "counts",
                     same->name, same->commit, recorded->commit);
    if (!newest || !semver_parse_tag(&there, newest->name) ||
        ((semver_parse_tag(&here, recorded->ref) || semver_parse(&here, recorded->version)) &&
         semver_compare(&there, &here) <= 0)) {
        stay(s);
        return;
    }
    s->ref = newest->name;
    s->shown = range ? recorded->ref : NULL;
}

/* The ref is a commit, which has nothing newer, or the catalog no longer has such a name. */
static void stay_where_it_was(struct revision_search *s)
{
    const struct catalog_origin *recorded = s->run->recorded;
    if (recorded->commit && !str_starts(recorded->commit, recorded->ref))
        words_printf(s->warnings, s->run->arena,
                     "the catalog has no branch or tag '%s' any more; the project "
                     "stays at %.12s: --to names another",
                     recorded->ref, recorded->commit);
    s->made = recorded;
    stay(s);
}

/* True where the record of a built-in catalog names a commit that its user did not choose. */
static bool is_between_releases(const struct revision_search *s)
{
    return s->run->options->source && strcmp(s->run->recorded->source, CATALOG_BUILTIN) == 0 &&
           strcmp(s->run->source, CATALOG_BUILTIN) != 0;
}

/* Without --to and --catalog the record decides. */
static void follow_record(struct revision_search *s)
{
    const struct catalog_origin *recorded = s->run->recorded;
    struct semver_range range;
    struct semver version;
    s->ref = NULL; /* as the folder is; the binary's own is the newest built-in catalog */
    if (!recorded->ref)
        return;
    if (find(s, REVISION_TAG, recorded->ref) || semver_parse_tag(&version, recorded->ref) ||
        is_between_releases(s))
        follow_tags(s, NULL);
    else if (find(s, REVISION_BRANCH, recorded->ref))
        s->ref = recorded->ref;
    else if (semver_range_parse(&range, recorded->ref))
        follow_tags(s, &range);
    else if (strcmp(s->run->source, CATALOG_BUILTIN) != 0)
        stay_where_it_was(s);
}

static int choose_ref(struct revision_search *s)
{
    if (s->run->options->to || s->run->options->ref) {
        s->ref = s->run->options->to ? s->run->options->to : s->run->options->ref;
        return 0;
    }
    if (catalog_revisions(&s->revisions, &s->revision_count, s->run->arena, s->run->source,
                          s->err) < 0)
        return -1;
    follow_record(s);
    return 0;
}

/* True where the recorded source or commit is gone; the user did not type it. */
static bool is_gone(const struct revision_search *s)
{
    static const char *const codes[] = {"unknown-catalog", "unknown-ref", "unreachable-catalog"};
    bool typed = s->run->options->to != NULL && strcmp(s->err->code, "unknown-ref") == 0;
    if (s->run->options->source || typed || s->revision_count)
        return false;
    for (size_t i = 0; i < sizeof(codes) / sizeof(*codes); i++)
        if (strcmp(s->err->code, codes[i]) == 0)
            return true;
    return false;
}

/* True where a catalog.yml extends a missing catalog: then the error has a place. */
static bool lacks_extended(const struct err *err)
{
    return err->where.file && (strcmp(err->code, "unknown-catalog") == 0 ||
                               strcmp(err->code, "unreachable-catalog") == 0);
}

static int explain_source(const struct revision_search *s)
{
    struct err *err = s->err;
    bool extended = lacks_extended(err);
    if (extended || is_gone(s)) {
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

/* --catalog names another catalog, which lacks the recorded commit: takes its newest revision. */
static bool is_elsewhere(const struct revision_search *s)
{
    const char *commit = s->run->provenance->wanted.catalog.commit;
    return s->run->options->source && commit && s->ref == commit &&
           strcmp(s->err->code, "unknown-ref") == 0 && !s->err->where.file;
}

static int open_chosen(struct catalog **out, struct revision_search *s)
{
    const struct target_run *run = s->run;
    if (catalog_open_made(out, run->arena, run->source, s->ref, s->made, s->err) == 0)
        return 0;
    if (!is_elsewhere(s))
        return -1;
    err_release(s->err);
    s->shown = NULL;
    return catalog_open(out, run->arena, run->source, NULL, s->err);
}

static int open_revision(struct target *out, struct target_run *run, struct err *err)
{
    struct revision_search s = {.run = run, .warnings = &out->warnings, .err = err};
    if (choose_ref(&s) < 0)
        return -1;
    if (open_chosen(&run->catalog, &s) < 0)
        return explain_source(&s);
    if (run->catalog->warning)
        words_add(&out->warnings, run->arena, run->catalog->warning);
    out->origin = run->catalog->origin;
    out->catalog_name = run->catalog->name;
    if (s.shown)
        out->origin.ref = s.shown;
    return 0;
}

/* Where one of the two extends the other's catalog, compares the versions of that catalog. */
static int check_direction(const struct target *target, const struct target_run *run,
                           struct err *err)
{
    const struct catalog_origin *recorded = run->recorded;
    const struct catalog_origin *there = origin_like(&target->origin, recorded->source, 0);
    const struct catalog_origin *here = origin_like(recorded, there->source, 0);
    if (run->options->allow_downgrade || origin_compare(there, here) >= 0)
        return 0;
    (void)err_set(err, TG_REFUSED, "downgrade",
                  "the project is at version %s of the catalog, and %s is older",
                  origin_words(run->arena, here), origin_words(run->arena, there));
    return err_hint(err, "--allow-downgrade goes there all the same");
}

/*
 * Looks for the built-in catalog, which others may extend. Sets `*newest` and `*older` where the
 * program's version of it is older than the child's; else `*newest` is NULL.
 */
static int find_older(const char **newest, const struct catalog_origin **older,
                      const struct target_run *run, struct err *err)
{
    const struct target_options *options = run->options;
    struct semver here, there;
    struct catalog *catalog;
    *newest = NULL;
    *older = &run->provenance->wanted.catalog;
    while (*older && strcmp((*older)->source, CATALOG_BUILTIN) != 0)
        *older = (*older)->extends;
    if (!*older || options->to || options->ref || options->source ||
        !semver_parse(&here, (*older)->version))
        return 0;
    if (catalog_open(&catalog, run->arena, CATALOG_BUILTIN, NULL, err) < 0)
        return -1;
    if (semver_parse(&there, catalog->origin.version) && semver_compare(&there, &here) < 0)
        *newest = catalog->origin.version;
    catalog_close(catalog);
    return 0;
}

static int refuse_older(struct target *out, const struct target_run *run, const char *newest,
                        const struct catalog_origin *older, struct err *err)
{
    const char *text =
        arena_printf(run->arena, "this tmplgen is older than the project: %s against %s", newest,
                     older->version);
    if (!run->options->looks) {
        (void)err_set(err, TG_USAGE, "unknown-ref", "%s", text);
        return err_hint(err, "a newer tmplgen has newer versions of its catalog");
    }
    words_printf(&out->warnings, run->arena, "%s; a newer one may have an update", text);
    out->origin = run->provenance->wanted.catalog;
    out->nothing_new = true;
    return 0;
}

/* ---------------------------------------------------------------- nothing to do */

/* True where every input of a render is the same, except answers and stack choices. */
static bool is_same(const struct target *target, const struct target_run *run)
{
    const struct provenance *provenance = run->provenance;
    return origin_is_same_commit(&provenance->wanted.catalog, &target->origin) &&
           provenance->wanted.engine == TEMPLATE_ENGINE && !provenance->edited &&
           !provenance->overlay_changed && !run->options->upgrade;
}

static bool says_anything(const struct target_options *options)
{
    static const struct stack_request nothing;
    bool answers = false;
    for (size_t i = 0; options->sets && i < options->sets->count; i++)
        answers |= options->sets->items[i].from < GIVEN_RECORD;
    return answers || options->unset.count ||
           (options->stack && memcmp(options->stack, &nothing, sizeof(nothing)) != 0);
}

/* ---------------------------------------------------------------- the stack */

/* The inputs of the render, filled in step by step. */
struct making_target {
    const struct target_run *run;
    struct target *out;
    struct given_list given;
    struct answers answers;
    struct data *request, *resolution;
    struct err *err;
};

static int make_stack(struct making_target *m)
{
    const struct target_run *run = m->run;
    struct stack_input input = {.files = run->catalog->files,
                                .overlay = run->provenance->overlay,
                                .recorded = &run->provenance->wanted,
                                .need = manifest_need(m->out->manifest),
                                .said = run->options->stack,
                                .unset = run->options->unset,
                                .upgrade = run->options->upgrade,
                                .keep = is_same(m->out, run)};
    struct carried_stack stack;
    if (!m->out->manifest->has_stack)
        return stack_refuse(&input, m->out->manifest->type, m->err);
    int rc = stack_make(&stack, run->arena, &input, m->err);
    m->out->refusal = stack.refusal;
    if (rc < 0)
        return -1;
    if (stack.note)
        words_add(&m->out->warnings, run->arena, stack.note);
    m->request = stack.request;
    m->resolution = stack.resolution;
    return 0;
}

/* ---------------------------------------------------------------- the answers */

static struct render_input render_input(const struct making_target *m)
{
    return (struct render_input){.catalog = m->run->catalog,
                                 .manifest = m->out->manifest,
                                 .answers = m->answers.values,
                                 .request = m->request,
                                 .resolution = m->resolution};
}

static int make_answers(struct making_target *m)
{
    struct render_input input = render_input(m);
    const char *name = data_text(data_get(m->run->provenance->wanted.answers, "name"));
    if (answers_collect(&m->answers, m->run->arena, m->out->manifest, &m->given,
                        render_context(m->run->arena, &input),
                        name ? name : m->run->provenance->wanted.type, m->run->options->asker,
                        m->err) < 0)
        return -1;
    migrate_compare(&m->out->migrated, m->run->arena, m->run->provenance, m->answers.kept);
    return 0;
}

/* Adds the image that the answers choose to the stack. */
static int make_image(struct making_target *m)
{
    struct team_image_input input = {.catalog = m->run->catalog,
                                     .overlay = m->run->provenance->overlay,
                                     .manifest = m->out->manifest,
                                     .answers = m->answers.values,
                                     .request = m->request};
    if (team_image_put(&m->resolution, m->run->arena, &input, m->err) < 0)
        return -1;
    if (m->resolution)
        m->out->stack =
            stack_changes(m->run->arena, m->run->provenance->made.resolution, m->resolution);
    return 0;
}

/* ---------------------------------------------------------------- the render */

static int make_render(struct making_target *m)
{
    struct render_input input = render_input(m);
    if (render(&m->out->render, m->run->arena, &input, m->err) < 0)
        return -1;
    render_keep_bytes(&m->out->render, m->run->arena);
    struct record *record = &m->out->record;
    *record = (struct record){.catalog = m->out->origin,
                              .type = m->out->manifest->type,
                              .answers = m->answers.kept,
                              .request = m->request,
                              .resolution = m->resolution,
                              .engine = TEMPLATE_ENGINE,
                              .yours = m->run->provenance->wanted.yours};
    memcpy(record->tree, m->out->render.tree, sizeof(record->tree));
    record_hash_inputs(record->inputs, record, m->run->provenance->overlay);
    return 0;
}

/* Notes are only words: where they cannot be read, the update goes on without them. */
static void make_notes(struct making_target *m)
{
    ERR_SCRATCH(why);
    struct arena *arena = m->run->arena;
    if (notes_collect(&m->out->notes, arena, m->run->catalog, &m->out->migrated,
                      &m->run->provenance->made.catalog, &why) < 0)
        words_printf(&m->out->warnings, arena, "what is new is not known: %s", why.message);
}

int target_choose(struct target *out, struct arena *arena, const struct provenance *provenance,
                  const struct target_options *options, struct err *err)
{
    const struct catalog_origin *recorded = &provenance->wanted.catalog, *older;
    struct target_run *run = arena_alloc(arena, sizeof(*run));
    const char *newest;
    *out = (struct target){.run = run};
    *run = (struct target_run){.arena = arena,
                               .provenance = provenance,
                               .recorded = recorded,
                               .options = options,
                               .source = options->source ? options->source : recorded->source};
    if (find_older(&newest, &older, run, err) < 0)
        return -1;
    if (newest)
        return refuse_older(out, run, newest, older, err);
    if (open_revision(out, run, err) < 0 || check_direction(out, run, err) < 0)
        return -1;
    out->nothing_new =
        is_same(out, run) && !says_anything(options) && origin_is_equal(recorded, &out->origin);
    return 0;
}

int target_make(struct target *target, struct err *err)
{
    const struct target_run *run = target->run;
    const struct provenance *provenance = run->provenance;
    struct making_target m = {.run = run, .out = target, .err = err};
    if (manifest_load(&target->manifest, run->arena, run->catalog, provenance->wanted.type, err) <
            0 ||
        migrations_check(run->arena, target->manifest, err) < 0 ||
        migrate_apply(&target->migrated, &m.given, run->arena, target->manifest, provenance,
                      run->options->sets, err) < 0 ||
        make_stack(&m) < 0 || make_answers(&m) < 0 || make_image(&m) < 0)
        return -1;
    make_notes(&m);
    return make_render(&m);
}

void target_close(struct target *target)
{
    if (!target->run)
        return;
    catalog_close(target->run->catalog);
    target->run->catalog = NULL;
}
