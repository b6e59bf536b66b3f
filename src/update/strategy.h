/* How the new render gets onto the child's branch. */
#pragma once

#include "apply/journal.h"
#include "base/err.h"
#include "base/str.h"
#include "git/commit.h"
#include "git/tree_entry.h"
#include "plan/plan.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct base;
struct child;
struct data;
struct manifest;
struct plan_edit;
struct plan_input;
struct record;
struct repo;

/* The input for a strategy's commits. Trees and files are objects of the repository's store. */
struct strategy_input {
    const struct repo *repo;
    const struct base *base;   /* the child's base, */
    const struct record *made; /* and the base's record */
    struct oid render_tree;    /* the new render, without its record */
    struct oid base_commit;    /* a commit of that tree, where the next update starts */
    struct tree_entry record;  /* the new record */
    struct oid result; /* the tree of the whole repository afterwards, if nothing conflicts */
    struct identity who;
    bool sealed; /* the commit gets a seal (update/report/commit_message.h) */
    /* For a strategy that replays commits: */
    const struct plan_input *input;
    const struct plan *plan;
    const struct manifest *manifest; /* of the new version */
    bool rewrite_published;
    const char *branch; /* --branch, or NULL */
};

/* The result of a replay of commits, before anything is touched. */
struct replay_result {
    bool stops;              /* at a conflict */
    struct plan_edit *edits; /* of files and index, from the top of the work tree */
    size_t edit_count;
    struct oid tree; /* the tree afterwards; at a stop the one on disk */
    struct oid from; /* the tree before: HEAD's, or that of the commit at which it stops */
    struct oid tip;  /* of the replayed commits */
    struct journal_steps steps;
    struct data *commits, *rewritten; /* of the document */
    struct words warnings;
    struct data *document; /* the whole update's, for the run that ends it; or NULL */
    /* At a stop: */
    struct oid picked;
    const char *message;
    struct plan stopped;  /* lines of the report, and conflicts */
    struct data *context; /* for `resume` */
};

/*
 * A strategy is a file with such a struct, and a row in commit_strategies.c. The kind of the
 * journal is decided before: a commit, a conflict, or a staged result.
 */
struct strategy {
    const char *name;        /* --strategy, and in JSON */
    const char *git_command; /* git's command that goes on from a stop, with --continue and --abort;
                                NULL: there is none */
    const char *const *refuses; /* options that do not go with it, NULL after the last */
    bool at_root; /* its commits have the template at their top: the child must be there, too */
    /* Replays the child's commits; NULL: it makes one commit. */
    TG_CHECKED int (*replay)(struct replay_result *out, const struct strategy_input *in,
                             struct err *err);
    /* Fills in the branch's new commit, or git's own files for the stop. */
    TG_CHECKED int (*fill_journal)(struct journal *journal, const struct strategy_input *in,
                                   const struct replay_result *replayed, const char *message,
                                   struct err *err);
    /*
     * Makes the commit of a stop that the user has resolved; `tree` is the index's. `message` is
     * NULL where a replayed commit keeps its own.
     */
    TG_CHECKED int (*commit_stop)(struct oid *commit, const struct journal *stopped,
                                  const struct repo *repo, const struct oid *tree,
                                  const struct identity *who, const char *message, struct err *err);
    /*
     * Replays the commits after a stop, and fills in the journal of that. `made` is the commit of
     * the stop; NULL: the user has given up its content, and it is tried again. Needs child_read
     * first. NULL: a stop's commit is the last one.
     */
    TG_CHECKED int (*resume)(struct journal *next, struct replay_result *out,
                             const struct journal *stopped, struct child *child,
                             const struct oid *made, struct err *err);
};

extern const struct strategy strategy_default; /* pick */
extern const struct strategy strategy_merge;
extern const struct strategy strategy_rebase;

/* Finds a strategy by name; NULL: there is none. */
const struct strategy *strategy_find(const char *name);
/* All names, separated by ", ". */
const char *strategy_names(struct arena *arena);
/* The strategy of a stopped run. */
const struct strategy *strategy_of(const struct journal *stopped);
