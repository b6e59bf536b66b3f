/* Compares a repository with a journal: as before the run, as after it, or changed by the user. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct journal;
struct journal_before;
struct journal_files;
struct journal_stop;
struct oid;
struct repo;
struct tree_entry;

/*
 * The user's changes since the run, in words that continue "an update was interrupted, and"; NULL:
 * none. Where either text is set, the run cannot be finished.
 */
struct recheck {
    const char *moved;  /* HEAD or the branch is neither as before nor as after */
    const char *staged; /* so is the index; or the run's objects are gone */
    bool done;          /* the branch has the commit, the index has nothing from before */
    bool left_moved;    /* only the branch that a rebase left has moved: going back can heed that */
};

/* The caller must hold the locks. */
TG_CHECKED int recheck_find(struct recheck *out, const struct repo *repo, const struct journal *j,
                            struct err *err);

/* Where HEAD goes back to: the branch that the run left, if it is still as it was left. */
struct recheck_way_back {
    const char *head;  /* text of the file HEAD; another branch's commit where that has moved */
    const char *left;  /* full name of the branch that the run left; NULL: it left none */
    const char *moved; /* what became of it, in words after its name; NULL: it is as it was */
};

TG_CHECKED int recheck_way_back(struct recheck_way_back *out, const struct repo *repo,
                                const struct journal *j, struct err *err);

/* For a first run, under locks: exit 3 where the repository is not what the plan was made from. */
TG_CHECKED int recheck_check(const struct repo *repo, const struct journal *j, struct err *err);

/* True where HEAD is detached at a stopped rebase's commits, or at the user's commits on them. */
TG_CHECKED int recheck_went_on(bool *out, const struct repo *repo, const struct journal *j,
                               struct err *err);

/*
 * Sets a flag for each change, in the arena: true where HEAD already has the run's result at the
 * path. The user has then committed it, and undoing the run leaves it.
 */
TG_CHECKED int recheck_settled(const bool **out, const struct repo *repo,
                               const struct journal_files *files, struct err *err);

/* True where something that the run staged is staged, and not committed. */
TG_CHECKED int recheck_is_staged(bool *out, const struct repo *repo,
                                 const struct journal_files *files, struct err *err);

/* True where git's state is still the one that a stopped run left. */
TG_CHECKED int recheck_waits(bool *out, const struct repo *repo, const struct journal *j,
                             struct err *err);

/* True where the index file has the checksum `index_old`. */
TG_CHECKED int recheck_index_is_old(bool *out, const struct repo *repo, const char *index_old,
                                    struct err *err);
/* Finds the entries that HEAD and the index had before the run, one for each path, in the arena. */
TG_CHECKED int recheck_old_entries(struct tree_entry **out, const struct repo *repo,
                                   const struct journal *j, struct err *err);

/* Reads the state of a stop in git's folder, as the user has it now; `tree` is the index's. */
TG_CHECKED int recheck_before(struct journal_before *out, const struct repo *repo,
                              const struct journal_stop *stop, const struct oid *tree,
                              struct err *err);
