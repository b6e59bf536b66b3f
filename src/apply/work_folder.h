/* tmplgen's folder inside git's: the lock of updates, the journals, the files of a run. */
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
/* Stopped for the user: a conflict, or staged. From level 2 on the name ends in the level. */
#define APPLY_PENDING "pending"
#define APPLY_ABORT "abort" /* going back */
#define APPLY_ENDED "ended" /* done: only the stops that it went on from remain to be forgotten */

/*
 * The repository's token, a random text in the common folder. A run holds its flock. Every lock on
 * git's files has the text: it tells our locks from others', our journals from other repositories'.
 */
#define TOKEN "lock"
/* The files that a run prepares before its journal; then it only renames them. One a level. */
#define WORK "work"
#define WORK_COMMIT "commit" /* of JOURNAL_COMMIT, which runs while another run is stopped */
#define TIP_NEW "tip.new"
#define TIP_OLD "tip.old"
#define HEAD_NEW "head.new"
#define HEAD_OLD "head.old"
#define HEAD_LEFT "head.left" /* HEAD's old commit, for when its branch has moved */
#define ORIG_HEAD_NEW "orig-head.new"
#define ORIG_HEAD_OLD "orig-head.old"
#define PSEUDOREF "pick"         /* the name that 0.2.0 gave it: its runs are finished, too */
#define PSEUDOREF_OLD "pick.old" /* the same of the stop that the run went on from */
#define MESSAGE "message"
#define MODE "mode"
#define MESSAGE_OLD "message.old"
#define INDEX_NEW "index.new"
#define INDEX_OLD "index.old"
#define STAGE "stage"
#define TRASH "trash"

#define MESSAGE_FILE "MERGE_MSG"
/* Beside MERGE_HEAD, no newline. Git then keeps every parent, even an ancestor of HEAD. */
#define MODE_FILE "MERGE_MODE"
#define MODE_TEXT "no-ff"
#define ORIG_HEAD "ORIG_HEAD"
#define FALLBACK_STAGE ".tmplgen-stage" /* in the work tree, where git's folder lies elsewhere */

/* The lock of updates and tmplgen's folders, from apply_open to apply_close. */
struct apply {
    struct repo *repo;
    int lock; /* the file TOKEN; its flock is held */
    const char *token;
    mode_t mask; /* the process's umask meanwhile, for git's folder; the user's is repo->mask */
    int common;  /* APPLY_FOLDER of all work trees; has TOKEN */
    int folder;  /* APPLY_FOLDER of this work tree; has the journals and TRASH */
    const char *path;  /* of `folder`, absolute, ends in '/' */
    struct words kept; /* the user's files that runs left as they were or put aside */
};

/*
 * Takes the lock (flock) that holds off other runs: exit 3, "busy", where one is under way. Makes
 * the folders. Every function below needs it, except apply_look.
 */
TG_CHECKED int apply_open(struct apply **out, struct repo *repo, struct err *err);
void apply_close(struct apply *apply);

/* Reads the text of TOKEN into the arena; `*out` is NULL where there is none. Takes no lock. */
TG_CHECKED int work_read_token(const char **out, const struct repo *repo, struct err *err);

/* The name of the journal of that level's stop, in APPLY_FOLDER. */
const char *work_pending(struct arena *arena, unsigned level);
/* Counts the stops that wait; each went on from the one before. 0: none. Takes no lock. */
TG_CHECKED int work_levels(unsigned *out, const struct repo *repo, struct err *err);

/* Sets exit 3, "changed-meanwhile", and returns -1. */
int apply_moved(struct err *err, const char *what);

/* The folder with a run's prepared files, from work_open to work_close. */
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
/* Removes the folders that killed runs have left, on all levels. */
void work_tidy(const struct apply *a);
/* True where the stage must lie in the work tree: rename needs both on one file system. */
TG_CHECKED int work_choose_stage(bool *in_tree, const struct apply *a, struct err *err);
/* Removes the drafts that a killed process did not rename. */
void work_remove_drafts(const struct apply *a);
/* Removes the files in a folder. */
void work_empty(int folder);
/*
 * Opens a folder, and makes it where it is missing. Never follows a link at its place. `path` must
 * not end in '/': the kernel would follow links.
 */
TG_CHECKED int work_open_folder(int *fd, const char *path, struct err *err);
/* Name of the prepared file of ref `number` of the journal. */
const char *work_ref_name(struct arena *arena, size_t number);
