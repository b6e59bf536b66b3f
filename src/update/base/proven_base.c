/* The proven base of an update: the render that the child was made from, and its proof. */
#include "update/base/proven_base.h"

#include "base/arena.h"
#include "base/shell.h"
#include "catalog/catalog.h"
#include "catalog/render.h"
#include "catalog/revision.h"
#include "child/base_ref.h"
#include "child/record.h"
#include "data/document.h"
#include "git/repo.h"
#include "update/base/base_given.h"
#include "update/base/base_history.h"
#include "update/base/base_render.h"

#include <string.h>

static const char *const proof_names[PROOFS] = {
    [PROOF_RENDER] = "render",
    [PROOF_REF] = "ref",
    [PROOF_HISTORY] = "history",
    [PROOF_GIVEN] = "given",
};

enum { REVISIONS_TRIED = 24 };

struct base_search {
    struct base *out;
    const struct repo *repo;
    struct arena *arena;
    const struct record *record;
    const struct base_options *options;
    struct oid wanted; /* the recorded tree */
    /* Found on the way: */
    char rendered[41]; /* the tree of `render`; "" where there is none */
    struct render render;
    struct err why; /* why there is no render */
    struct base_history history;
    struct err *err;
};

/* ---------------------------------------------------------------- rendered again */

/* The catalog's present source. */
static const char *source_now(const struct base_search *s)
{
    return s->options->moved_to ? s->options->moved_to : s->record->catalog.source;
}

static bool proven_by_render(struct base_search *s)
{
    ERR_SCRATCH(other);
    const char *commit = s->record->catalog.commit;
    const struct render *alike = s->options->alike;
    if (base_render(&s->render, s->arena, s->record, s->record->catalog.source, commit, alike,
                    &s->why) < 0 &&
        (!s->options->moved_to || base_render(&s->render, s->arena, s->record, s->options->moved_to,
                                              commit, alike, &other) < 0))
        return false;
    memcpy(s->rendered, s->render.tree, sizeof(s->rendered));
    return strcmp(s->rendered, s->record->tree) == 0;
}

static void take_render(struct base_search *s)
{
    base_list_render(&s->out->files, s->arena, &s->render);
    s->out->has_rules = true;
    s->out->proof = PROOF_RENDER;
    if (oid_parse(&s->out->tree, s->rendered) < 0)
        s->out->tree = s->wanted;
}

/* ---------------------------------------------------------------- in the repository */

static int take_tree(struct base_search *s, enum proof proof, const struct base_tree *tree)
{
    s->out->proof = proof;
    s->out->tree = tree->tree;
    return base_tree_files(&s->out->files, s->arena, s->repo, &tree->held, s->err);
}

static int proven_by_ref(bool *proven, struct base_search *s)
{
    struct oid commit;
    struct base_tree tree;
    const char *name = base_ref_name(s->arena, &s->wanted);
    if (repo_ref(&commit, proven, s->repo, name, s->err) < 0)
        return -1;
    if (!*proven)
        return 0;
    if (base_tree_at(&tree, proven, s->repo, &commit, true, s->err) < 0)
        return -1;
    *proven = *proven && oid_equal(&tree.tree, &s->wanted);
    return *proven ? take_tree(s, PROOF_REF, &tree) : 0;
}

/* An unreadable proof counts as none: then the base is rendered again. */
static bool proven_before(struct base_search *s)
{
    ERR_SCRATCH(ignored);
    struct base known = {.has_rules = true};
    struct base_search look = *s;
    bool proven;
    look.out = &known;
    look.err = &ignored;
    if (!s->options->looks || proven_by_ref(&proven, &look) < 0 || !proven ||
        !proof_recall(&known.files, s->repo, s->record))
        return false;
    *s->out = known;
    return true;
}

static int proven_by_history(bool *proven, struct base_search *s)
{
    if (base_history_read(&s->history, s->arena, s->repo, &s->wanted, s->err) < 0)
        return -1;
    const struct base_tree *tree = base_history_find(&s->history, &s->wanted);
    *proven = tree != NULL;
    return tree ? take_tree(s, PROOF_HISTORY, tree) : 0;
}

/* The catalog's history was rewritten: its recorded ref may still render the same. */
static bool proven_by_name(struct base_search *s)
{
    ERR_SCRATCH(other);
    struct render render;
    const struct catalog_origin *recorded = &s->record->catalog;
    if (*s->rendered || !recorded->ref || !recorded->commit ||
        base_render(&render, s->arena, s->record, source_now(s), recorded->ref, NULL, &other) < 0 ||
        strcmp(render.tree, s->record->tree) != 0)
        return false;
    s->render = render;
    memcpy(s->rendered, render.tree, sizeof(s->rendered));
    return true;
}

/* ---------------------------------------------------------------- --base */

/* Compares the commit's tree, in the child's folder or as a whole, with the record's. */
static int look_at_given(bool *proven, struct base_tree *tree, struct base_search *s)
{
    struct oid commit;
    struct base_tree whole;
    bool found, all;
    if (base_given_resolve(&commit, s->repo, s->options->commit, s->err) < 0 ||
        base_tree_at(tree, &found, s->repo, &commit, false, s->err) < 0 ||
        base_tree_at(&whole, &all, s->repo, &commit, true, s->err) < 0)
        return -1;
    if (!found && !all)
        return err_set(s->err, TG_USAGE, "unknown-commit", "--base: the tree of '%s' is not here",
                       s->options->commit);
    if (!found || (all && oid_equal(&whole.tree, &s->wanted)))
        *tree = whole;
    *proven = oid_equal(&tree->tree, &s->wanted);
    return 0;
}

/* Renders of the template, which tell its files apart from the child's own. */
struct known_renders {
    struct plan_list *lists;
    size_t count;
};

static void add_render(struct known_renders *known, struct base_search *s,
                       const struct render *render)
{
    struct plan_list *list = &arena_push(s->arena, known->lists, known->count);
    base_list_render(list, s->arena, render);
}

/* Adds other versions of the catalog, only as many as render in a short time. */
static void add_revisions(struct known_renders *known, struct base_search *s)
{
    ERR_SCRATCH(ignored);
    struct catalog_revision *revisions;
    size_t count;
    if (catalog_revisions(&revisions, &count, s->arena, source_now(s), &ignored) < 0)
        return;
    for (size_t i = 0, tried = 0; i < count && tried < REVISIONS_TRIED; i++) {
        ERR_SCRATCH(other);
        struct render render;
        if (revisions[i].kind != REVISION_TAG)
            continue;
        tried++;
        if (base_render(&render, s->arena, s->record, source_now(s), revisions[i].name, NULL,
                        &other) == 0)
            add_render(known, s, &render);
    }
}

static int gather_known(struct known_renders *known, struct base_search *s)
{
    *known = (struct known_renders){NULL, 0};
    arena_push(s->arena, known->lists, known->count) = *s->options->render;
    if (*s->rendered)
        add_render(known, s, &s->render);
    add_revisions(known, s);
    if (base_history_read(&s->history, s->arena, s->repo, &s->wanted, s->err) < 0)
        return -1;
    for (size_t i = 0; i < s->history.count; i++) {
        struct plan_list list;
        if (base_tree_files(&list, s->arena, s->repo, &s->history.trees[i].held, s->err) < 0)
            return -1;
        arena_push(s->arena, known->lists, known->count) = list;
    }
    return 0;
}

static int refuse_given(const struct base_search *s, const struct base_tree *tree,
                        const struct base_judgement *judged, bool provable)
{
    const char *harm = "";
    if (judged->deleted.count)
        harm = arena_printf(s->arena, "; as it is, it would delete %s",
                            base_given_list(s->arena, &judged->deleted, " of your own"));
    if (judged->undone.count)
        harm = arena_printf(s->arena, "%s%s undo what you changed in %s", harm,
                            *harm ? " and" : "; it would",
                            base_given_list(s->arena, &judged->undone, ""));
    (void)err_set(s->err, TG_REFUSED, "unproven-base",
                  "--base: '%s' is not what the project was made from: the record says tree %s, "
                  "that commit has %s%s",
                  s->options->commit, s->record->tree, oid_text(s->arena, &tree->tree), harm);
    if (provable)
        return err_hint(s->err,
                        "leave --base out: what the project was made from is known without");
    return err_hint(s->err,
                    "give the commit that is the unchanged rendering. `%s` takes "
                    "this one all the same: files that no version of the template has stay yours, "
                    "what you changed in others is undone",
                    shell_command(s->arena, "--base %s --trust-base", s->options->commit));
}

static const char *own_note(const struct base_search *s, const struct words *own)
{
    return own->count ? arena_printf(s->arena,
                                     "%s of '%s' no version of the template renders: yours, and "
                                     "left alone",
                                     base_given_list(s->arena, own, ""), s->options->commit)
                      : NULL;
}

static const char *proven_note(const struct base_search *s, const struct words *saved)
{
    return saved->count ? arena_printf(s->arena,
                                       "'%s' has changes of your own in %s: there what the record "
                                       "says is the base, as it is known",
                                       s->options->commit, base_given_list(s->arena, saved, ""))
                        : NULL;
}

/* Finds the render of the record, if it is known without --base; else NULL. */
static int find_proven(const struct plan_list **out, struct base_search *s, bool rendered)
{
    struct plan_list *list = arena_alloc(s->arena, sizeof(*list));
    const struct base_tree *tree = rendered ? NULL : base_history_find(&s->history, &s->wanted);
    *out = rendered || tree ? list : NULL;
    if (rendered)
        base_list_render(list, s->arena, &s->render);
    return tree ? base_tree_files(list, s->arena, s->repo, &tree->held, s->err) : 0;
}

static void take_judged(struct base_search *s, const struct base_judgement *judged, bool proven)
{
    const char *own = own_note(s, &judged->own);
    const char *saved = proven ? proven_note(s, &judged->undone) : NULL;
    s->out->files = judged->files;
    s->out->note = own && saved ? arena_printf(s->arena, "%s; %s", own, saved) : own ? own : saved;
    if (!proven)
        s->out->undone = judged->undone;
}

static int judge_given(struct base_search *s, const struct base_tree *tree)
{
    struct known_renders known;
    struct plan_list given;
    struct base_judgement judged;
    const struct plan_list *proven;
    bool rendered = proven_by_render(s);
    if (gather_known(&known, s) < 0 || find_proven(&proven, s, rendered) < 0 ||
        base_tree_files(&given, s->arena, s->repo, &tree->held, s->err) < 0)
        return -1;
    struct base_claim claim = {.given = &given,
                               .child = s->options->child,
                               .render = s->options->render,
                               .known = known.lists,
                               .known_count = known.count,
                               .proven = proven};
    base_given_judge(&judged, s->arena, &claim);
    if (!s->options->trust)
        return refuse_given(s, tree, &judged, proven != NULL);
    if (take_tree(s, PROOF_GIVEN, tree) < 0)
        return -1;
    take_judged(s, &judged, proven != NULL);
    return 0;
}

static int take_given(struct base_search *s)
{
    struct base_tree tree;
    bool proven;
    if (look_at_given(&proven, &tree, s) < 0)
        return -1;
    return proven ? take_tree(s, PROOF_GIVEN, &tree) : judge_given(s, &tree);
}

/* ---------------------------------------------------------------- the search */

static int refuse_drift(const struct base_search *s)
{
    (void)err_set(
        s->err, TG_REFUSED, "drift",
        "the base cannot be proven: the record says tree %s, made by engine %d; engine %d "
        "renders %s",
        s->record->tree, s->record->engine, TEMPLATE_ENGINE, s->rendered);
    return err_hint(s->err, "--accept-drift takes the new rendering as the base: what the engine "
                            "changed then counts as yours. --base COMMIT names a base of your own");
}

static int refuse_base(const struct base_search *s)
{
    const char *why = *s->rendered
                          ? arena_printf(s->arena, "the catalog '%s' renders tree %s today",
                                         s->record->catalog.source, s->rendered)
                          : arena_printf(s->arena, "%s", s->why.message);
    bool shallow = repo_is_shallow(s->repo);
    (void)err_set(s->err, TG_REFUSED, "no-base",
                  "the base cannot be proven: the record says tree %s, but %s%s", s->record->tree,
                  why, shallow ? ", and this clone is shallow: older commits are not here" : "");
    if (shallow)
        return err_hint(s->err, "'git fetch --unshallow' brings the commits that may prove it");
    return err_hint(s->err,
                    "--base COMMIT names the commit of this repository that is the unchanged "
                    "rendering; with --trust-base any other is taken: without it you are told "
                    "first what that would do to your files. Or start anew: `%s`, commit, "
                    "then `%s` keeps your files as they are",
                    shell_command(s->arena, "git rm %s", RECORD_PATH),
                    shell_command(s->arena, "tmplgen adopt --type %s", s->record->type));
}

static int search(struct base_search *s)
{
    bool proven = false;
    if (s->options->commit)
        return take_given(s);
    if (proven_before(s))
        return 0;
    if (proven_by_render(s)) {
        take_render(s);
        return 0;
    }
    if (proven_by_ref(&proven, s) < 0)
        return -1;
    if (!proven && proven_by_history(&proven, s) < 0)
        return -1;
    if (proven)
        return 0;
    if (proven_by_name(s)) {
        take_render(s);
        return 0;
    }
    if (!*s->rendered || s->record->engine == TEMPLATE_ENGINE)
        return refuse_base(s);
    if (!s->options->accept_drift)
        return refuse_drift(s);
    take_render(s);
    s->out->drift = s->record->tree;
    return 0;
}

int base_prove(struct base *out, const struct repo *repo, const struct record *record,
               const struct base_options *options, struct err *err)
{
    struct base_search s = {.out = out,
                            .repo = repo,
                            .arena = repo->arena,
                            .record = record,
                            .options = options,
                            .err = err};
    *out = (struct base){.proof = PROOF_RENDER};
    int rc = oid_parse(&s.wanted, record->tree);
    if (rc < 0)
        (void)err_set(err, TG_USAGE, "invalid-record", "'tree' of the record is no id");
    else
        rc = search(&s);
    err_release(&s.why);
    return rc;
}

struct data *base_data(struct arena *arena, const struct base *base)
{
    return data_of(arena, FIELD("tree", oid_text(arena, &base->tree)),
                   FIELD("proven_by", proof_names[base->proof]));
}
