/* tmplgen's folder in git's: the lock of updates, the journals, and what a run has prepared. */
#pragma once

#include "apply/steps/file_swap.h"
#include "base/err.h"
#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct arena;
struct journal;
struct repo;

/* Files of the folder "tmplgen" in the git folder of the work tree. */
#define APPLY_FOLDER "tmplgen"
#define APPLY_JOURNAL "journal" /* going forward */
/* Stopped for the user: a conflict, or staged. From level 2 on with its number behind. */
#define APPLY_PENDING "pending"
#define APPLY_ABORT "abort" /* going back */
#define APPLY_ENDED "ended" /* done: only the stops that it went on from are left to forget */

/*
 * In the common folder. A run holds its flock, and every lock of git's files has its random text:
 * that tells our locks from others', and this repository's journals from another's.
 */
#define TOKEN "lock"
/* Prepared before the journal, so that renames are enough afterwards. Each level has its own. */
#define WORK "work"
#define WORK_COMMIT "commit" /* of JOURNAL_COMMIT, which runs while another run is stopped */
#define TIP_NEW "tip.new"
#define TIP_OLD "tip.old"
#define HEAD_NEW "head.new"
#define HEAD_OLD "head.old"
#define ORIG_HEAD_NEW "orig-head.new"
#define ORIG_HEAD_OLD "orig-head.old"
#define PSEUDOREF "pick"         /* its name in 0.2.0, whose runs are finished, too */
#define PSEUDOREF_OLD "pick.old" /* of the stop that the run went on from */
#define MESSAGE "message"
#define MODE "mode"
#define MESSAGE_OLD "message.old"
#define INDEX_NEW "index.new"
#define INDEX_OLD "index.old"
#define STAGE "stage"
#define TRASH "trash"

#define MESSAGE_FILE "MERGE_MSG"
/* Beside MERGE_HEAD, without a newline: git drops no parent, also where HEAD descends from it. */
#define MODE_FILE "MERGE_MODE"
#define MODE_TEXT "no-ff"
#define ORIG_HEAD "ORIG_HEAD"
#define FALLBACK_STAGE ".tmplgen-stage" /* in the work tree, where git's folder lies elsewhere */

/* The lock of updates and tmplgen's folders, from apply_open to apply_close. */
struct apply {
    struct repo *repo;
    int lock; /* its flock is held */
    const char *token;
    mode_t mask;       /* the umask meanwhile, for git's folder; the user's is repo->mask */
    int common;        /* APPLY_FOLDER of all work trees; has TOKEN */
    int folder;        /* APPLY_FOLDER of this work tree; has the journals and TRASH */
    const char *path;  /* of `folder`, absolute, ends in '/' */
    struct words kept; /* the user's files that runs left as they were, or put aside */
};

/*
 * Holds off other runs (flock): exit 3, "busy", where one is under way. Makes the folders.
 * Everything below needs it, but apply_look.
 */
TG_CHECKED int apply_open(struct apply **out, struct repo *repo, struct err *err);
void apply_close(struct apply *apply);

/* The text of TOKEN, in the arena; `*out` is NULL where there is none yet. Takes no lock. */
TG_CHECKED int work_read_token(const char **out, const struct repo *repo, struct err *err);

/* The journal of the stop of that level, in APPLY_FOLDER. */
const char *work_pending(struct arena *arena, unsigned level);
/* How many stops wait, each of which went on from the one before; 0: none. Takes no lock. */
TG_CHECKED int work_levels(unsigned *out, const struct repo *repo, struct err *err);

/* Exit 3, "changed-meanwhile". */
int apply_moved(struct err *err, const char *what);

/* What a run has prepared, from work_open to work_close. */
struct work {
    int fd, stage; /* the folder, and the files to exchange with the work tree; -1: not open */
    const char *path, *stage_path; /* `path` ends in '/' */
    mode_t mode;                   /* of new files in git's folder */
    struct swap swap;
};
#define WORK_SCRATCH(name)                                                                         \
    __attribute__((cleanup(work_close))) struct work name = {.fd = -1, .stage = -1}

TG_CHECKED int work_open(struct work *out, const struct apply *a, const struct journal *j,
                         struct err *err);
void work_close(struct work *work);
/* Empties and removes the folder, and closes it. */
void work_remove(struct work *work);
/* Removes what killed runs have left, on all levels. */
void work_tidy(const struct apply *a);
/* True where files are staged in the work tree: on its file system, for rename. */
TG_CHECKED int work_choose_stage(bool *in_tree, const struct apply *a, struct err *err);
/* Removes the drafts of files that a killed process did not rename. */
void work_remove_drafts(const struct apply *a);
/* Removes the files in a folder. */
void work_empty(int folder);
/*
 * Opens a folder, and makes it where it is missing; never through a link at its place. `path` does
 * not end in '/': with one, links are followed.
 */
TG_CHECKED int work_open_folder(int *fd, const char *path, struct err *err);
/* Name of the prepared file of ref `number` of the journal. */
const char *work_ref_name(struct arena *arena, size_t number);
