/* The parts of apply.c that have files of their own. Nobody else includes this. */
#ifndef TMPLGEN_APPLY_PARTS_H
#define TMPLGEN_APPLY_PARTS_H

#include "apply/apply.h"
#include "apply/swap.h"

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/* Every lock is another name of this file, in the common folder: that tells ours from others'. */
#define TOKEN "lock"
/* Prepared before the journal, so that afterwards renames are enough. */
#define WORK "work"
#define WORK_COMMIT "commit" /* of JOURNAL_COMMIT, which comes while another run is stopped */
#define TIP_NEW "tip.new"
#define TIP_OLD "tip.old"
#define HEAD_NEW "head.new"
#define HEAD_OLD "head.old"
#define PICK "pick"
#define MESSAGE "message"
#define INDEX_NEW "index.new"
#define INDEX_OLD "index.old"
#define STAGE "stage"
#define TRASH "trash"

#define PICK_FILE "CHERRY_PICK_HEAD"
#define MESSAGE_FILE "MERGE_MSG"
#define FALLBACK_STAGE ".tmplgen-stage" /* in the work tree, where git's folder lies elsewhere */

struct apply {
    struct arena *arena;
    struct repo *repo;
    int lock;         /* its flock is held */
    int common;       /* APPLY_FOLDER of all work trees; has TOKEN */
    int folder;       /* APPLY_FOLDER of this one: journals, TRASH */
    const char *path; /* of the same, absolute, ends in '/' */
    int work;         /* what is prepared; -1: not open */
    const char *work_path;
    int stage;
    struct swap swap;
    const char **kept;
    size_t kept_count;
};

void apply_keep(struct apply *a, const char *path);
bool change_on_disk(const struct change *change);
bool journal_moves_branch(const struct journal *j);
bool journal_moves_head(const struct journal *j);
bool journal_has_pick(const struct journal *j);
bool journal_stops(const struct journal *j);
int apply_moved(struct err *err, const char *what); /* exit 3, "changed-meanwhile" */

/* apply_prepare.c: everything that needs space. */
TG_CHECKED int work_open(struct apply *a, const struct journal *j, struct err *err);
void work_close(struct apply *a);
/* Empties and removes the folder of prepared files. */
void work_remove(struct apply *a, const struct journal *j);
/* The same, where nobody has opened it. */
void work_tidy(struct apply *a, const struct journal *j);
TG_CHECKED int prepare_all(struct apply *a, struct journal *j, struct err *err);
const char *prepared_ref(struct arena *arena, size_t number);

/* apply_files.c: the work tree. */
/* `strict`: what is neither old nor new ends it (exit 3); else it is kept and listed. */
TG_CHECKED int files_forward(struct apply *a, const struct journal *j, bool strict,
                             struct err *err);
TG_CHECKED int files_backward(struct apply *a, const struct journal *j, struct err *err);
/* Before an abort: where the user worked on at paths of the run. */
TG_CHECKED int files_put_aside(struct apply *a, const struct journal *j, struct err *err);
TG_CHECKED int files_discard(struct apply *a, const struct journal *j, struct err *err);
void files_remove_emptied(const struct apply *a, const struct journal *j);
void files_list_missing_folders(const struct apply *a, struct journal *j);

/* apply_state.c: refs, HEAD, git's state, index. */
TG_CHECKED int state_lock(const struct apply *a, const struct journal *j, struct err *err);
TG_CHECKED int state_unlock(const struct apply *a, const struct journal *j, struct err *err);
/* With the locks held: all is still what the plan was made from. */
TG_CHECKED int state_check(const struct apply *a, const struct journal *j, struct err *err);
/* True where the index, which comes last, is the new one. */
TG_CHECKED int state_is_done(bool *out, const struct apply *a, const struct journal *j,
                             struct err *err);
TG_CHECKED int state_forward(const struct apply *a, const struct journal *j, struct err *err);
TG_CHECKED int state_backward(const struct apply *a, const struct journal *j, struct err *err);
/* True where git's state is still the one that a stopped run left. */
TG_CHECKED int state_waits(bool *out, const struct repo *repo, const struct journal *j,
                           struct err *err);

#endif
