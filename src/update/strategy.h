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

/* What a strategy makes its commits of. Trees and files are objects of the repository's store. */
struct strategy_input {
    const struct repo *repo;
    const struct base *base;   /* the render that the child was made from, */
    const struct record *made; /* and its record */
    struct oid render_tree;    /* the new render, without its record */
    struct oid base_commit;    /* a commit of that, from which the next update starts */
    struct tree_entry record;  /* the new one */
    struct oid result; /* the tree of the whole repository afterwards, where nothing conflicts */
    struct identity who;
    bool sealed; /* the commit gets a seal (update/report/commit_message.h) */
    /* Of a strategy that replays commits: */
    const struct plan_input *input;
    const struct plan *plan;
    const struct manifest *manifest; /* of the new version */
    bool rewrite_published;
    const char *branch; /* --branch, or NULL */
};

/* What a replay of commits does, before anything is touched. */
struct replay_result {
    bool stops;              /* at a conflict */
    struct plan_edit *edits; /* of files and index, from the top of the work tree */
    size_t edit_count;
    struct oid tree; /* afterwards; at a stop the one that lies on disk */
    struct oid from; /* the tree before: HEAD's, or that of the commit at which it stops */
    struct oid tip;  /* of the replayed commits */
    struct journal_steps steps;
    struct data *commits, *rewritten; /* of the document */
    struct words warnings;
    struct data *document; /* of the whole update, for the run that ends it; or NULL */
    /* At a stop: */
    struct oid picked;
    const char *message;
    struct plan stopped;  /* lines of the report, and conflicts */
    struct data *context; /* for `resume` */
};

/*
 * A strategy is a file with such a struct, and a row in commit_strategies.c. The kind of the
 * journal is known before: a commit, a conflict, or a staged result.
 */
struct strategy {
    const char *name;           /* --strategy, and in JSON */
    const char *git_command;    /* git's own that goes on from a stop, with --continue and --abort;
                                   NULL: there is none */
    const char *const *refuses; /* options that make no sense with it, NULL behind the last */
    bool at_root; /* its commits have the template at their top: so must the child be */
    /* Replays the child's commits; NULL: it makes one commit. */
    TG_CHECKED int (*replay)(struct replay_result *out, const struct strategy_input *in,
                             struct err *err);
    /* Fills in the branch's new commit, or what git is told of the stop. */
    TG_CHECKED int (*fill_journal)(struct journal *journal, const struct strategy_input *in,
                                   const struct replay_result *replayed, const char *message,
                                   struct err *err);
    /*
     * The commit of a stop that the user has resolved; `tree` is the index's. `message` is NULL
     * where a replayed commit keeps its own.
     */
    TG_CHECKED int (*commit_stop)(struct oid *commit, const struct journal *stopped,
                                  const struct repo *repo, const struct oid *tree,
                                  const struct identity *who, const char *message, struct err *err);
    /*
     * Replays the commits behind a stop, and fills in the journal of that. `made` is the commit of
     * the stop; NULL: the user has given its content up, and it is tried again. After child_read.
     * NULL: a stop's commit is the last one.
     */
    TG_CHECKED int (*resume)(struct journal *next, struct replay_result *out,
                             const struct journal *stopped, struct child *child,
                             const struct oid *made, struct err *err);
};

extern const struct strategy strategy_default; /* pick */
extern const struct strategy strategy_merge;
extern const struct strategy strategy_rebase;

/* NULL: there is none of that name. */
const struct strategy *strategy_find(const char *name);
/* All names, separated by ", ". */
const char *strategy_names(struct arena *arena);
/* The one of a stopped run. */
const struct strategy *strategy_of(const struct journal *stopped);
