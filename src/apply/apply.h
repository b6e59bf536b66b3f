/* Makes an update happen: a crash at any point leaves the old state, the new, or a journal. */
#pragma once

#include "apply/journal.h"
#include "apply/work_folder.h"
#include "base/err.h"

#include <stddef.h>

struct repo;

enum apply_state {
    APPLY_NONE,
    APPLY_FORWARD,  /* interrupted on its way forward */
    APPLY_STOPPED,  /* waits for the user */
    APPLY_BACKWARD, /* interrupted on its way back */
    APPLY_ENDING,   /* done, but some stops that it went on from are not forgotten yet */
    APPLY_STALE,    /* waited for the user, who has ended it by other means */
    APPLY_ASTRAY,   /* replays commits, and HEAD is not where it waited for the user */
    APPLY_STATES
};

/* An update that has begun and is not over. */
struct unfinished {
    enum apply_state state;
    struct journal journal; /* only where there is one */
};

/* Finds out which journal there is. Takes no lock and writes nothing. */
TG_CHECKED int apply_look(struct unfinished *out, const struct repo *repo, struct err *err);

/*
 * The files of the stop that waits, or that the unfinished run goes on from; else those of the run.
 * The commit of a stop changes no file itself.
 */
TG_CHECKED int apply_files(const struct journal_files **out, const struct unfinished *unfinished,
                           const struct repo *repo, struct err *err);

/*
 * Runs a new journal: files, index, refs. Objects of the repository's store become durable first.
 * On failure it rolls everything back before it returns: exit 3, "changed-meanwhile", where another
 * process changed a file, the index or the branch; 1 for I/O. Where the rollback fails, too, the
 * journal stays, and the hint says so. Fills in `run` and `files` of the journal.
 */
TG_CHECKED int apply_run(struct apply *apply, struct journal *journal, struct err *err);

/*
 * Finishes an interrupted run. Leaves files that the user changed meanwhile, and lists them in
 * `apply->kept`. `*moved` is NULL, or says how HEAD, the branch or the index changed, in words
 * that continue "interrupted, and". Then it does nothing: no branch moves over a user's commit.
 */
TG_CHECKED int apply_forward(const char **moved, struct apply *apply, const struct journal *journal,
                             struct err *err);
/*
 * Undoes an interrupted or stopped run. Needs no disk space. Content that the tree `known` has
 * (zero: no tree) is not put aside. With `*moved`, as above, new commits, the index and HEAD stay
 * as they are. Returns 1 where the run was complete and the user went on from there: then it only
 * tidies up.
 */
TG_CHECKED int apply_backward(const char **moved, struct apply *apply,
                              const struct journal *journal, const struct oid *known,
                              struct err *err);
/* Forgets the stops that an ended run went on from. After that the run cannot be undone. */
TG_CHECKED int apply_end(struct apply *apply, const struct journal *journal, struct err *err);
/* Forgets a stopped run that the user has ended. */
TG_CHECKED int apply_forget(struct apply *apply, const struct journal *journal, struct err *err);
/*
 * Gives up a rebase that HEAD has left: deletes its stops and the refs that it made. Files, index
 * and HEAD stay as they are.
 */
TG_CHECKED int apply_leave(struct apply *apply, const struct journal *journal, struct err *err);

/* Without a journal: removes a killed run's prepared files and the locks that it left. */
void apply_tidy(const struct apply *apply);
/* Deletes those of the refs that exist. Skips NULL entries. */
void apply_delete_refs(const struct apply *apply, const char *const *names, size_t count);
