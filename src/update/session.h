/* One run of update, status or diff: the child, its record, its trees. */
#ifndef TMPLGEN_UPDATE_SESSION_H
#define TMPLGEN_UPDATE_SESSION_H

#include "apply/apply.h"
#include "base/err.h"
#include "child/provenance.h"
#include "git/repo.h"
#include "git/tree.h"
#include "plan/sides.h"
#include "update/base.h"
#include "update/target.h"

#include <stdbool.h>

struct arena;
struct index;

/* Filled step by step. */
struct session {
    struct arena *arena;
    struct repo repo;
    enum apply_state state; /* an operation half done */
    struct journal journal; /* of that; only where there is one */
    struct index *index;
    struct tree_files head; /* HEAD's tree, all of it */
    struct plan_list child; /* the child's part of it, without its folder and its record */
    struct current current;
    struct target target;
    struct base base;
};

/* Opens the repository and looks for an operation half done. */
TG_CHECKED int session_open(struct session *out, struct arena *arena, const char *path,
                            struct err *err);
/* HEAD's files, and the index. */
TG_CHECKED int session_read(struct session *session, struct err *err);
/*
 * What lies below a folder with a record of its own is that child's, not this one's: marks it
 * `nested`. Sorted by path.
 */
void session_mark_nested(struct plan_file *files, size_t count, struct arena *arena);
/*
 * The same for an error that a missing object of a partial clone caused: exit 3, with the command
 * that fetches it. Returns -1.
 */
int session_explain(const struct session *session, struct err *err);
void session_close(struct session *session);

#endif
