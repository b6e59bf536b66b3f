/* tmplgen's folder in git's: the lock of updates, the journals, and what is prepared. */
#ifndef TMPLGEN_WORK_FOLDER_H
#define TMPLGEN_WORK_FOLDER_H

#include "apply/steps/file_swap.h"
#include "base/err.h"
#include "git/tree_entry.h"

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
#define APPLY_ENDED "ended" /* done: only the stops that it went on from are to be forgotten */

/*
 * In the common folder: whoever works holds its flock, and every lock of git's files has its text,
 * which is random: that tells ours from others', and this repository's journals from another's.
 */
#define TOKEN "lock"
/* Prepared before the journal, so that afterwards renames are enough. A level has its own. */
#define WORK "work"
#define WORK_COMMIT "commit" /* of JOURNAL_COMMIT, which comes while another run is stopped */
#define TIP_NEW "tip.new"
#define TIP_OLD "tip.old"
#define HEAD_NEW "head.new"
#define HEAD_OLD "head.old"
#define ORIG_HEAD_NEW "orig-head.new"
#define ORIG_HEAD_OLD "orig-head.old"
#define PSEUDOREF "pick"         /* as 0.2.0 calls it, whose runs are finished, too */
#define PSEUDOREF_OLD "pick.old" /* of the stop that the run went on from */
#define MESSAGE "message"
#define MODE "mode"
#define MESSAGE_OLD "message.old"
#define INDEX_NEW "index.new"
#define INDEX_OLD "index.old"
#define STAGE "stage"
#define TRASH "trash"

#define MESSAGE_FILE "MERGE_MSG"
/* Beside MERGE_HEAD, without a newline: no parent is dropped, also where history has it already. */
#define MODE_FILE "MERGE_MODE"
#define MODE_TEXT "no-ff"
#define ORIG_HEAD "ORIG_HEAD"
#define FALLBACK_STAGE ".tmplgen-stage" /* in the work tree, where git's folder lies elsewhere */

struct apply {
    struct arena *arena;
    struct repo *repo;
    int lock; /* its flock is held */
    const char *token;
    mode_t mask;      /* the umask for git's folder, while it is open; that of the work tree is the
                         user's */
    int common;       /* APPLY_FOLDER of all work trees; has TOKEN */
    int folder;       /* APPLY_FOLDER of this one: journals, TRASH */
    const char *path; /* of the same, absolute, ends in '/' */
    int work;         /* what is prepared; -1: not open */
    const char *work_path;
    int stage;
    struct swap swap;
    struct oid known; /* a tree that is committed: what a file of it holds is not lost; or zero */
    const char **kept;
    size_t kept_count;
};

/*
 * Holds off other runs (flock): exit 3, "busy", where one is under way. Makes the folder.
 * Everything below needs it, but apply_look.
 */
TG_CHECKED int apply_open(struct apply **out, struct arena *arena, struct repo *repo,
                          struct err *err);
void apply_close(struct apply *apply);

/* The text of TOKEN, in the arena; `*out` is NULL where there is none yet. Takes no lock. */
TG_CHECKED int work_read_token(const char **out, struct arena *arena, const struct repo *repo,
                               struct err *err);

/* The journal of the stop of that level, in APPLY_FOLDER. */
const char *work_pending(struct arena *arena, unsigned level);
/* How many stops there are, each of which went on from the one before; 0: none. Takes no lock. */
TG_CHECKED int work_levels(unsigned *out, const struct repo *repo, struct err *err);

/* Paths whose content was the user's and was left as it is, or put aside. */
size_t apply_kept(const char *const **paths, const struct apply *apply);
void apply_keep(struct apply *a, const char *path);
/* Exit 3, "changed-meanwhile". */
int apply_moved(struct err *err, const char *what);

/* The folder of what is prepared for `j`, and the stage that it names. */
TG_CHECKED int work_open(struct apply *a, const struct journal *j, struct err *err);
void work_close(struct apply *a);
/* Empties and removes it. */
void work_remove(struct apply *a, const struct journal *j);
/* The same, where nobody has opened it. */
void work_tidy(struct apply *a, const struct journal *j);
/* And those of all levels above the first. */
void work_tidy_levels(struct apply *a);
/* Fills in where files are staged: on the file system of the work tree, for rename. */
TG_CHECKED int work_choose_stage(const struct apply *a, struct journal *j, struct err *err);
/* Removes what a kill left of files that were about to get their names. */
void work_remove_drafts(const struct apply *a);
/* Removes the files in a folder. */
void work_empty(int folder);
/*
 * Opens a folder, made where it is missing, never through a link at its place. `path` has no '/' at
 * its end: with one, links are followed.
 */
TG_CHECKED int work_open_folder(int *fd, const char *path, struct err *err);
/* Name of the prepared file of ref `number` of the journal. */
const char *work_ref_name(struct arena *arena, size_t number);

#endif
