/* A repository of somebody else, to read: objects and refs, and nothing that it says of itself. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct git_repository;

/*
 * No configuration is read, neither the repository's nor the user's, and nothing outside of the
 * folder that was given: links, alternates and a `.git` file are refused (exit 3,
 * "repository-form"). A linked work tree alone leads elsewhere, where its repository says so, too.
 */
struct foreign_repo {
    struct git_repository *git; /* its objects only; no refs */
    const char *git_dir;        /* HEAD is here */
    const char *common_dir;     /* objects and refs are here */
    bool has_work_tree;
};

struct foreign_ref {
    const char *name; /* whole, such as "refs/tags/v1.0.0" */
    struct oid commit;
    struct oid object;  /* what it names itself: of a tag with a message, that */
    const char *target; /* of a symbolic one, while they are gathered */
    bool is_packed;
};

struct foreign_refs {
    struct foreign_ref *items; /* by name */
    size_t count;
};

/* `path` has a `.git`, or is a bare repository. Close with foreign_close. */
TG_CHECKED int foreign_open(struct foreign_repo *out, struct arena *arena, const char *path,
                            struct err *err);
void foreign_close(struct foreign_repo *repository);

/*
 * Tags, branches, and the branches of `origin` that name a commit, tags peeled; more than
 * LIMIT_REFS of them are exit 2.
 */
TG_CHECKED int foreign_refs_read(struct foreign_refs *out, struct arena *arena,
                                 const struct foreign_repo *repository, struct err *err);
/* Whether git takes it for the whole name of a ref. */
bool foreign_ref_is_name(const char *name);
const struct foreign_ref *foreign_refs_find(const struct foreign_refs *refs, const char *name);
/*
 * HEAD's commit; `*branch` is the ref that it names, NULL where it is a commit itself. `*found`
 * false: there is none yet.
 */
TG_CHECKED int foreign_head(struct oid *commit, const char **branch, bool *found,
                            struct arena *arena, const struct foreign_repo *repository,
                            const struct foreign_refs *refs, struct err *err);

/* For the files of this module: exit 3. Returns -1. */
int foreign_refuse(struct err *err, const char *path, const char *what, const char *way_out);
/* One line of a file that is no link, without its end. `*out` is NULL where there is none. */
TG_CHECKED int foreign_line(const char **out, struct arena *arena, int folder, const char *name,
                            const char *shown, struct err *err);
