/* How the new render gets onto the child's branch. */
#ifndef TMPLGEN_STRATEGY_H
#define TMPLGEN_STRATEGY_H

#include "base/err.h"
#include "base/str.h"
#include "git/tree_entry.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct base;
struct child;
struct data;
struct identity;
struct journal;
struct manifest;
struct plan_edit;
struct plan_input;
struct record;
struct repo;

/* What a strategy makes its commits of. All trees and files are objects of the repository's store.
 */
struct strategy_step {
    struct arena *arena;
    const struct repo *repo;
    const struct base *base;   /* what the child was made from, */
    const struct record *made; /* and what said so */
    struct oid base_tree;      /* the new render, without its record; */
    struct oid base_commit;    /* the commit of it that the next update starts from */
    struct tree_entry record;  /* the new one */
    struct oid result;         /* the whole repository afterwards, where nothing conflicts */
    const struct identity *who;
    const char *message;
    bool sealed; /* its commit gets a seal (update/report/commit_message.h) */
    /* For those that replay: */
    const struct plan_input *input;
    const struct plan *plan;
    const struct manifest *manifest; /* of the new version */
    bool rewrite_published;
    const char *branch;              /* --branch, or NULL */
    const struct unrolled *unrolled; /* what came of it, */
    struct data *document;           /* and, where that stops, the document of the end */
};

/* What becomes of commits that are replayed, before anything is touched. */
struct unrolled {
    bool stops;              /* at a conflict */
    struct plan_edit *edits; /* of files and index, from the top of the work tree */
    size_t edit_count;
    struct oid tree; /* afterwards; of a stop: with what lies on disk, */
    struct oid from; /* and what that is made of: the commit's own tree; else HEAD's */
    struct oid tip;  /* of what is replayed */
    struct journal_step *steps;
    size_t step_count;
    struct data *commits, *rewritten; /* of the document; */
    const char **warnings;
    size_t warning_count;
    /* Of a stop: */
    struct oid picked;
    const char *message;
    struct plan stopped;  /* lines of the report, and conflicts */
    struct data *context; /* for go_on */
    /* Of what went on from a stop, and ends: the document that was kept for that, or NULL. */
    struct data *document;
};

/*
 * A further strategy is a file with such a struct, and a row in strategies.c. The journal's kind is
 * settled before: committed, a conflict, or staged.
 */
struct strategy {
    const char *name;           /* --strategy, and in JSON */
    const char *git_command;    /* git's own that goes on from a stop, with --continue and --abort;
                                   NULL: there is none */
    const char *const *refuses; /* options that make no sense with it, NULL behind the last */
    /* What it asks of the repository beyond what every update does: else exit 3. NULL: nothing. */
    TG_CHECKED int (*check)(const struct repo *repo, struct err *err);
    /* Of one that makes more than one commit; else NULL. `landing` has no message yet. */
    TG_CHECKED int (*replay)(struct unrolled *out, const struct strategy_step *landing,
                             struct err *err);
    /* Fills in the journal's `branch_new`, where it commits, or what git is told of the stop. */
    TG_CHECKED int (*land)(struct journal *journal, const struct strategy_step *landing,
                           struct err *err);
    /*
     * The commit that ends a stop, of what the user made of it; `tree` is the index. `message` is
     * NULL where a commit is being replayed, and its words were not touched.
     */
    TG_CHECKED int (*conclude)(struct oid *commit, const struct journal *stopped,
                               const struct repo *repo, const struct oid *tree,
                               const struct identity *who, const char *message, struct err *err);
    /*
     * Of one that stops more than once: what comes behind a stop, and the journal of that.
     * `made` is the commit that ends the stop; NULL: its user has given up what it brought, which
     * is tried again. After child_read. NULL: a stop's commit is the end.
     */
    TG_CHECKED int (*go_on)(struct journal *next, struct unrolled *out,
                            const struct journal *stopped, struct child *child,
                            const struct oid *made, struct err *err);
};

/* The one that is taken where nobody names one. */
extern const struct strategy strategy_default;
extern const struct strategy strategy_merge;
extern const struct strategy strategy_rebase;

#endif
