/* What an update is about to do, written down before it does it. */
#ifndef TMPLGEN_JOURNAL_H
#define TMPLGEN_JOURNAL_H

#include "base/err.h"
#include "base/str.h"
#include "git/path_change.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct arena;

enum journal_kind {
    JOURNAL_UPDATE,   /* a commit on the branch */
    JOURNAL_CONFLICT, /* stops with the conflict in git's own state */
    JOURNAL_STAGED,   /* stops with the result staged */
    JOURNAL_COMMIT,   /* ends a conflict or a staged result: nothing changes on disk */
};

/* More commits than a branch has that anybody replays by hand. */
enum { JOURNAL_LEVELS = 100000 };

/* A ref to make. */
struct journal_ref {
    const char *name;
    struct oid target;
    bool is_new; /* it was not there before */
};

/* Of a sequence of commits that are replayed one by one. */
struct journal_step {
    struct oid picked, made; /* `made` is zero until it is done */
    bool by_hand;            /* a person resolved its conflict */
};

/* Of a run that goes on from a stop: what that had left in git's folder, and its user made of it.
 */
struct journal_before {
    struct oid tree;     /* of the index; zero: of the commit that the branch was at */
    struct oid brought;  /* what the pseudoref named; zero: it was not there */
    const char *message; /* MERGE_MSG; NULL: it was not there */
};

/*
 * Nothing in it says where the repository lies: no absolute path, no number of a device or a file.
 * So it holds after a move, in a copy, through another mount, after a reboot.
 */
struct journal {
    enum journal_kind kind;
    unsigned level;    /* 1; each run that goes on from the stop of another is one higher */
    const char *token; /* of the repository, which it keeps when it is moved or copied (work.h); ""
                          in one of 0.2 and before */
    const char *head_old, *head_new;   /* texts of the file HEAD; equal: it stays */
    const char *branch;                /* full name */
    struct oid branch_old, branch_new; /* zero: not there; equal: it stays */
    const char *strategy;              /* its name, of a stop; NULL: the default one */
    const char *pseudoref; /* git's file of a commit that is being brought in, CHERRY_PICK_HEAD and
                              the like; NULL: none */
    struct oid brought;    /* what it names */
    const char *message;   /* MERGE_MSG, or NULL */
    struct journal_before before;
    const char *orig_head;                /* what the file ORIG_HEAD is to say, and, */
    const char *orig_head_old;            /* what it said; NULL: it is left alone, was not there */
    const char *reflog_who, *reflog_what; /* "NAME <EMAIL> TIME ZONE", and why */
    const char *index_old;                /* hexadecimal checksum of the index before */
    const char *pack;   /* name of the pack with the run's new objects; "": there are none */
    bool stage_in_tree; /* where files are exchanged: in the work tree, or in git's folder */
    struct journal_ref *refs;
    size_t ref_count;
    const char **made; /* folders that were missing before, outermost first */
    size_t made_count;
    struct path_change *changes; /* sorted by path */
    size_t change_count;
    struct journal_step *steps; /* of a strategy that replays commits, in their order */
    size_t step_count;
    struct span context; /* of a strategy that goes on from a stop: all that it needs for that */
    struct span report;  /* of the run, as JSON */
};

bool journal_moves_branch(const struct journal *j);
bool journal_moves_head(const struct journal *j);
/* It replays commits, while HEAD is detached. */
bool journal_is_sequence(const struct journal *j);
/* Of that path; NULL: there is none. */
const struct path_change *journal_change(const struct journal *j, const char *path);
/* Its stop is a merge to git, which keeps MERGE_MODE beside the pseudoref. */
bool journal_merges(const struct journal *j);
/* It ends waiting for the user: a conflict, or staged. */
bool journal_stops(const struct journal *j);

/* Writes it as `name` into `folder`, whole and durable or not at all; a kill may leave the draft.
 */
#define JOURNAL_DRAFT "journal.new"
TG_CHECKED int journal_write(int folder, const char *name, mode_t mode,
                             const struct journal *journal, struct err *err);
/*
 * Reads it. A damaged one, or one of a later version or of another repository (its token is not
 * `token`; NULL: not known), is refused (3, "foreign-journal"): nobody acts on it. `*found` is
 * false where there is none.
 */
TG_CHECKED int journal_read(struct journal *out, bool *found, struct arena *arena, int folder,
                            const char *name, const char *token, struct err *err);
/* The same from memory, for tests. */
TG_CHECKED int journal_parse(struct journal *out, struct arena *arena, struct span text,
                             struct err *err);

#endif
