/* The proven base of an update: what the child was made from, and how we know. */
#include "update/base/proven_base.h"

#include "base/arena.h"
#include "base/shell.h"
#include "catalog/catalog.h"
#include "catalog/render.h"
#include "catalog/revision.h"
#include "child/base_ref.h"
#include "child/proof.h"
#include "child/record.h"
#include "git/repo.h"
#include "update/base/base_given.h"
#include "update/base/base_history.h"
#include "update/base/base_render.h"
#include "update/base/base_tree.h"

#include <stdlib.h>
#include <string.h>

const char *const proof_names[PROOFS] = {
    [PROOF_RENDER] = "render",
    [PROOF_REF] = "ref",
    [PROOF_HISTORY] = "history",
    [PROOF_GIVEN] = "given",
};

enum { REVISIONS_TRIED = 24 };

/* One climb of the ladder. */
struct climb {
    struct base *out;
    const struct repo *repo;
    struct arena *arena;
    const struct record *record;
    const struct base_options *options;
    struct oid wanted; /* the recorded tree */
    char rendered[41]; /* what the re-render gave; "" where there was none */
    struct render render;
    struct base_history history;
    struct err why; /* why there was no re-render */
    struct err *err;
};

/* ---------------------------------------------------------------- rung 1 */

static const char *recorded_source(const struct climb *c)
{
    return c->record->catalog.source;
}

/* Where the catalog is now. */
static const char *source_now(const struct climb *c)
{
    return c->options->moved_to ? c->options->moved_to : recorded_source(c);
}

static bool proven_by_render(struct climb *c)
{
    ERR_SCRATCH(other);
    const char *commit = c->record->catalog.commit;
    const struct render *alike = c->options->alike;
    if (base_render(&c->render, c->arena, c->record, recorded_source(c), commit, alike, &c->why) <
            0 &&
        (!c->options->moved_to || base_render(&c->render, c->arena, c->record, c->options->moved_to,
                                              commit, alike, &other) < 0))
        return false;
    memcpy(c->rendered, c->render.tree, sizeof(c->rendered));
    return strcmp(c->rendered, c->record->tree) == 0;
}

static void take_render(struct climb *c)
{
    base_list_render(&c->out->files, c->arena, &c->render);
    c->out->has_rules = true;
    c->out->proof = PROOF_RENDER;
    if (oid_parse(&c->out->tree, c->rendered) < 0)
        c->out->tree = c->wanted;
}

/* ---------------------------------------------------------------- rung 2 */

static int take_tree(struct climb *c, enum proof proof, const struct base_tree *tree)
{
    char hex[41];
    oid_hex(hex, &tree->commit);
    c->out->proof = proof;
    c->out->tree = tree->tree;
    c->out->commit = proof == PROOF_REF ? NULL : arena_strdup(c->arena, hex);
    return base_tree_files(&c->out->files, c->arena, c->repo, &tree->held, c->err);
}

static int proven_by_ref(bool *proven, struct climb *c)
{
    struct oid commit;
    struct base_tree tree;
    const char *name = arena_printf(c->arena, BASE_REF_PREFIX "%s", c->record->tree);
    if (repo_ref(&commit, proven, c->repo, name, c->err) < 0)
        return -1;
    if (!*proven)
        return 0;
    if (base_tree_at(&tree, proven, c->repo, &commit, true, c->err) < 0)
        return -1;
    *proven = *proven && oid_equal(&tree.tree, &c->wanted);
    return *proven ? take_tree(c, PROOF_REF, &tree) : 0;
}

/* Whatever is wrong with what is remembered, rendering it again settles. */
static bool proven_before(struct climb *c)
{
    ERR_SCRATCH(ignored);
    struct base known = {.has_rules = true};
    struct climb look = *c;
    bool proven;
    look.out = &known;
    look.err = &ignored;
    if (!c->options->looks || proven_by_ref(&proven, &look) < 0 || !proven ||
        !proof_recall(&known.files, c->repo, c->record))
        return false;
    *c->out = known;
    return true;
}

static int proven_by_history(bool *proven, struct climb *c)
{
    if (base_history_read(&c->history, c->arena, c->repo, &c->wanted, c->err) < 0)
        return -1;
    const struct base_tree *tree = base_history_find(&c->history, &c->wanted);
    *proven = tree != NULL;
    return tree ? take_tree(c, PROOF_HISTORY, tree) : 0;
}

/* The catalog's history was written anew: what goes by the recorded name may render the same. */
static bool proven_by_name(struct climb *c)
{
    ERR_SCRATCH(other);
    struct render render;
    const struct catalog_origin *recorded = &c->record->catalog;
    if (*c->rendered || !recorded->ref || !recorded->commit ||
        base_render(&render, c->arena, c->record, source_now(c), recorded->ref, NULL, &other) < 0 ||
        strcmp(render.tree, c->record->tree) != 0)
        return false;
    c->render = render;
    memcpy(c->rendered, render.tree, sizeof(c->rendered));
    return true;
}

/* ---------------------------------------------------------------- --base */

/* Is it, in the child's folder or as a whole, what the record says? Else what it is. */
static int look_at_given(bool *proven, struct base_tree *tree, struct climb *c)
{
    struct oid commit;
    struct base_tree whole;
    bool found, all;
    if (base_given_resolve(&commit, c->repo, c->options->commit, c->err) < 0 ||
        base_tree_at(tree, &found, c->repo, &commit, false, c->err) < 0 ||
        base_tree_at(&whole, &all, c->repo, &commit, true, c->err) < 0)
        return -1;
    if (!found && !all)
        return err_set(c->err, TG_USAGE, "unknown-commit", "--base: the tree of '%s' is not here",
                       c->options->commit);
    if (!found || (all && oid_equal(&whole.tree, &c->wanted)))
        *tree = whole;
    *proven = oid_equal(&tree->tree, &c->wanted);
    return 0;
}

/* Renders of the template, to know its files by. */
struct known_renders {
    const struct plan_list **lists;
    size_t count;
};

static void add_known(struct known_renders *known, struct climb *c, const struct plan_list *list)
{
    struct plan_list *copy = arena_alloc(c->arena, sizeof(*copy));
    *copy = *list;
    known->lists = arena_grow(c->arena, known->lists, known->count, sizeof(*known->lists));
    known->lists[known->count++] = copy;
}

static void add_render(struct known_renders *known, struct climb *c, const struct render *render)
{
    struct plan_list list;
    base_list_render(&list, c->arena, render);
    add_known(known, c, &list);
}

/* Other versions of the catalog, as many as are soon rendered. */
static void add_revisions(struct known_renders *known, struct climb *c)
{
    ERR_SCRATCH(ignored);
    struct catalog_revision *revisions;
    size_t count;
    if (catalog_revisions(&revisions, &count, c->arena, source_now(c), &ignored) < 0)
        return;
    for (size_t i = 0, tried = 0; i < count && tried < REVISIONS_TRIED; i++) {
        ERR_SCRATCH(other);
        struct render render;
        if (revisions[i].kind != REVISION_TAG)
            continue;
        tried++;
        if (base_render(&render, c->arena, c->record, source_now(c), revisions[i].name, NULL,
                        &other) == 0)
            add_render(known, c, &render);
    }
}

static int gather_known(struct known_renders *known, struct climb *c)
{
    *known = (struct known_renders){NULL, 0};
    add_known(known, c, c->options->render);
    if (*c->rendered)
        add_render(known, c, &c->render);
    add_revisions(known, c);
    if (base_history_read(&c->history, c->arena, c->repo, &c->wanted, c->err) < 0)
        return -1;
    for (size_t i = 0; i < c->history.count; i++) {
        struct plan_list list;
        if (base_tree_files(&list, c->arena, c->repo, &c->history.trees[i].held, c->err) < 0)
            return -1;
        add_known(known, c, &list);
    }
    return 0;
}

static int refuse_given(const struct climb *c, const struct base_tree *tree,
                        const struct base_judgement *judged, bool provable)
{
    char found[41];
    const char *harm = "";
    oid_hex(found, &tree->tree);
    if (judged->deleted.count)
        harm = arena_printf(c->arena, "; as it is, it would delete %s",
                            base_given_list(c->arena, &judged->deleted, " of your own"));
    if (judged->undone.count)
        harm = arena_printf(c->arena, "%s%s undo what you changed in %s", harm,
                            *harm ? " and" : "; it would",
                            base_given_list(c->arena, &judged->undone, ""));
    (void)err_set(c->err, TG_REFUSED, "unproven-base",
                  "--base: '%s' is not what the project was made from: the record says tree %s, "
                  "that commit has %s%s",
                  c->options->commit, c->record->tree, found, harm);
    if (provable)
        return err_hint(c->err,
                        "leave --base out: what the project was made from is known without");
    return err_hint(c->err,
                    "give the commit that is the unchanged rendering. `%s` takes "
                    "this one all the same: files that no version of the template has stay yours, "
                    "what you changed in others is undone",
                    shell_command(c->arena, "--base %s --trust-base", c->options->commit));
}

static const char *own_note(const struct climb *c, const struct path_list *own)
{
    return own->count ? arena_printf(c->arena,
                                     "%s of '%s' no version of the template renders: yours, and "
                                     "left alone",
                                     base_given_list(c->arena, own, ""), c->options->commit)
                      : NULL;
}

static const char *proven_note(const struct climb *c, const struct path_list *saved)
{
    return saved->count ? arena_printf(c->arena,
                                       "'%s' has changes of your own in %s: there what the record "
                                       "says is the base, as it is known",
                                       c->options->commit, base_given_list(c->arena, saved, ""))
                        : NULL;
}

/* What the record says, where it is known without --base; else NULL. */
static int find_proven(const struct plan_list **out, struct climb *c, bool rendered)
{
    struct plan_list *list = arena_alloc(c->arena, sizeof(*list));
    const struct base_tree *tree = rendered ? NULL : base_history_find(&c->history, &c->wanted);
    *out = rendered || tree ? list : NULL;
    if (rendered)
        base_list_render(list, c->arena, &c->render);
    return tree ? base_tree_files(list, c->arena, c->repo, &tree->held, c->err) : 0;
}

static void take_judged(struct climb *c, const struct base_judgement *judged, bool proven)
{
    const char *own = own_note(c, &judged->own);
    const char *saved = proven ? proven_note(c, &judged->undone) : NULL;
    c->out->files = judged->files;
    c->out->note = own && saved ? arena_printf(c->arena, "%s; %s", own, saved) : own ? own : saved;
    if (proven)
        return;
    c->out->undone = judged->undone.paths;
    c->out->undone_count = judged->undone.count;
}

static int judge_given(struct climb *c, const struct base_tree *tree)
{
    struct known_renders known;
    struct plan_list given;
    struct base_judgement judged;
    const struct plan_list *proven;
    bool rendered = proven_by_render(c);
    if (gather_known(&known, c) < 0 || find_proven(&proven, c, rendered) < 0 ||
        base_tree_files(&given, c->arena, c->repo, &tree->held, c->err) < 0)
        return -1;
    struct base_claim claim = {.given = &given,
                               .child = c->options->child,
                               .render = c->options->render,
                               .known = known.lists,
                               .known_count = known.count,
                               .proven = proven};
    base_given_judge(&judged, c->arena, &claim);
    if (!c->options->trust)
        return refuse_given(c, tree, &judged, proven != NULL);
    if (take_tree(c, PROOF_GIVEN, tree) < 0)
        return -1;
    take_judged(c, &judged, proven != NULL);
    return 0;
}

static int take_given(struct climb *c)
{
    struct base_tree tree;
    bool proven;
    if (look_at_given(&proven, &tree, c) < 0)
        return -1;
    return proven ? take_tree(c, PROOF_GIVEN, &tree) : judge_given(c, &tree);
}

/* ---------------------------------------------------------------- the ladder */

static int refuse_drift(const struct climb *c)
{
    (void)err_set(
        c->err, TG_REFUSED, "drift",
        "the base cannot be proven: the record says tree %s, made by engine %d; engine %d "
        "renders %s",
        c->record->tree, c->record->engine, TEMPLATE_ENGINE, c->rendered);
    return err_hint(c->err, "--accept-drift takes the new rendering as the base: what the engine "
                            "changed then counts as yours. --base COMMIT names a base of your own");
}

static int refuse_base(const struct climb *c)
{
    const char *why = *c->rendered
                          ? arena_printf(c->arena, "the catalog '%s' renders tree %s today",
                                         c->record->catalog.source, c->rendered)
                          : arena_printf(c->arena, "%s", c->why.message);
    bool shallow = repo_is_shallow(c->repo);
    (void)err_set(c->err, TG_REFUSED, "no-base",
                  "the base cannot be proven: the record says tree %s, but %s%s", c->record->tree,
                  why, shallow ? ", and this clone is shallow: older commits are not here" : "");
    if (shallow)
        return err_hint(c->err, "'git fetch --unshallow' brings the commits that may prove it");
    return err_hint(c->err,
                    "--base COMMIT names the commit of this repository that is the unchanged "
                    "rendering; with --trust-base any other is taken: without it you are told "
                    "first what that would do to your files. Or start anew: `%s`, commit, "
                    "then `%s` keeps your files as they are",
                    shell_command(c->arena, "git rm %s", RECORD_PATH),
                    shell_command(c->arena, "tmplgen adopt --type %s", c->record->type));
}

static int climb(struct climb *c)
{
    bool proven = false;
    if (c->options->commit)
        return take_given(c);
    if (proven_before(c))
        return 0;
    if (proven_by_render(c)) {
        take_render(c);
        return 0;
    }
    if (proven_by_ref(&proven, c) < 0)
        return -1;
    if (!proven && proven_by_history(&proven, c) < 0)
        return -1;
    if (proven)
        return 0;
    if (proven_by_name(c)) {
        take_render(c);
        return 0;
    }
    if (!*c->rendered || c->record->engine == TEMPLATE_ENGINE)
        return refuse_base(c);
    if (!c->options->accept_drift)
        return refuse_drift(c);
    take_render(c);
    c->out->drift = c->record->tree;
    return 0;
}

int base_prove(struct base *out, const struct repo *repo, const struct record *record,
               const struct base_options *options, struct err *err)
{
    struct climb c = {.out = out,
                      .repo = repo,
                      .arena = repo->arena,
                      .record = record,
                      .options = options,
                      .err = err};
    *out = (struct base){.proof = PROOF_RENDER};
    int rc = oid_parse(&c.wanted, record->tree);
    if (rc < 0)
        (void)err_set(err, TG_USAGE, "invalid-record", "'tree' of the record is no id");
    else
        rc = climb(&c);
    err_release(&c.why);
    return rc;
}
