/* What an update is about to do, written down before it does it. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "git/path_change.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct arena;
struct repo;

enum journal_kind {
    JOURNAL_UPDATE,   /* a commit on the branch */
    JOURNAL_CONFLICT, /* stops with the conflict in git's own state */
    JOURNAL_STAGED,   /* stops with the result staged */
    JOURNAL_COMMIT,   /* ends a conflict or a staged result: nothing changes on disk */
};

/* A level is one run of a rebase, from one stop to the next. No branch has so many commits. */
enum { JOURNAL_LEVELS = 100000 };

/* Which run it is. apply_run fills this in. */
struct journal_run {
    unsigned level;    /* 1 for a first run; a run that goes on from a stop is one level above it */
    const char *token; /* the repository's token, which stays when the repository is moved or copied
                          (work_folder.h); "" in a journal of 0.2 and before */
    const char *pack;  /* name of the pack with the run's new objects; "": there are none */
};

/* HEAD and the branch, before and after. */
struct journal_tip {
    const char *head_old, *head_new;      /* texts of the file HEAD; equal: it stays */
    const char *branch;                   /* full name */
    struct oid branch_old, branch_new;    /* zero: not there; equal: it stays */
    const char *orig_head;                /* the new text of the file ORIG_HEAD; NULL: it stays */
    const char *orig_head_old;            /* its text before; NULL: it was not there */
    const char *reflog_who, *reflog_what; /* "NAME <EMAIL> TIME ZONE", and the reason */
};

/* Git's own files while the run waits for the user. */
struct journal_stop {
    const char *pseudoref; /* git's file that names a commit to bring in, CHERRY_PICK_HEAD and the
                              like; NULL: none */
    struct oid brought;    /* that commit */
    const char *message;   /* MERGE_MSG, or NULL */
};

/* The state of the stop that the run goes on from, as the user left it. */
struct journal_before {
    struct oid tree;     /* the index's tree; zero: the tree of the branch's commit */
    struct oid brought;  /* zero: the pseudoref was not there */
    const char *message; /* NULL: MERGE_MSG was not there */
};

struct journal_ref {
    const char *name;
    struct oid target;
    bool is_new; /* it was not there before */
};

/* Refs to make. */
struct journal_refs {
    struct journal_ref *items;
    size_t count;
};

/* Changes to the work tree and the index. apply_run fills in everything but `changes`. */
struct journal_files {
    struct path_change *changes; /* sorted by path */
    size_t count;
    struct words made;  /* folders that were missing before, outermost first */
    bool stage_in_tree; /* the stage of new files lies in the work tree; else in git's folder */
};

struct journal_step {
    struct oid picked, made; /* `made` is zero until the commit is replayed */
    bool by_hand;            /* the user resolved its conflict */
};

/* The commits that a rebase replays, in their order. */
struct journal_steps {
    struct journal_step *items;
    size_t count;
};

/*
 * A journal does not say where the repository lies: it has no absolute path, no device and no
 * inode. So it stays valid after a move, in a copy, through another mount, and after a reboot.
 */
struct journal {
    enum journal_kind kind;
    const char *strategy; /* name of a stopped run's strategy; NULL: the default one */
    struct journal_run run;
    struct journal_tip tip;
    struct journal_stop stop;
    struct journal_before before;
    struct journal_refs refs;
    struct journal_files files;
    struct journal_steps steps;
    const char *index_old; /* hexadecimal checksum of the index before */
    struct span context;   /* everything that a rebase needs to go on from the stop */
    struct span report;    /* the run's report, as JSON */
};

bool journal_moves_branch(const struct journal_tip *tip);
bool journal_moves_head(const struct journal_tip *tip);
/* True where git takes the stop for a merge, and keeps MERGE_MODE beside the pseudoref. */
bool journal_merges(const struct journal_stop *stop);
/* Finds the change of `path`; NULL: there is none. */
const struct path_change *journal_change(const struct journal_files *files, const char *path);
/* True for a run that replays commits while HEAD is detached. */
bool journal_is_sequence(const struct journal *j);
/* True for a run that ends by waiting for the user: in conflict, or staged. */
bool journal_stops(const struct journal *j);

/* Begins a journal in which HEAD and the branch stay as the repository has them. */
TG_CHECKED int journal_begin(struct journal *out, enum journal_kind kind, const struct repo *repo,
                             struct err *err);
/*
 * Writes the journal as `name` into `folder`: whole and durable, or not at all. A killed process
 * may leave the draft.
 */
#define JOURNAL_DRAFT "journal.new"
TG_CHECKED int journal_write(int folder, const char *name, mode_t mode,
                             const struct journal *journal, struct err *err);
/*
 * Reads a journal; `*found` is false where there is none. Refused (3, "foreign-journal"): damaged,
 * of a later version, or of another repository: its token is not `token` (NULL: not known).
 */
TG_CHECKED int journal_read(struct journal *out, bool *found, struct arena *arena, int folder,
                            const char *name, const char *token, struct err *err);
/* The same from memory, for tests. */
TG_CHECKED int journal_parse(struct journal *out, struct arena *arena, struct span text,
                             struct err *err);
