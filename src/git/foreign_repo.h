/* Reads a foreign repository: its objects and refs, but none of its configuration. */
#pragma once

#include "base/err.h"
#include "git/tree_entry.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct git_repository;

/*
 * Reads no configuration, neither the repository's nor the user's, and nothing outside the given
 * folder: links, alternates and a `.git` file are refused (exit 3, "repository-form"). The only
 * exception is a linked work tree, if its repository confirms it.
 */
struct foreign_repo {
    struct git_repository *git; /* its objects only; no refs */
    const char *git_dir;        /* has HEAD */
    const char *common_dir;     /* has objects and refs */
    bool has_work_tree;
};

struct foreign_ref {
    const char *name; /* whole, such as "refs/tags/v1.0.0" */
    struct oid commit;
    struct oid object;  /* the object it names, which may be an annotated tag */
    const char *target; /* of a symbolic ref; used only while reading */
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
 * Reads tags, branches and the branches of `origin` that lead to a commit; peels tags. More than
 * LIMIT_REFS refs are exit 2.
 */
TG_CHECKED int foreign_refs_read(struct foreign_refs *out, struct arena *arena,
                                 const struct foreign_repo *repository, struct err *err);
/* Whether git accepts `name` as the full name of a ref. */
bool foreign_ref_is_name(const char *name);
const struct foreign_ref *foreign_refs_find(const struct foreign_refs *refs, const char *name);
/*
 * The commit of HEAD. `*branch` is the ref in HEAD, or NULL if HEAD holds a commit id. `*found` is
 * false if there is no commit yet.
 */
TG_CHECKED int foreign_head(struct oid *commit, const char **branch, bool *found,
                            struct arena *arena, const struct foreign_repo *repository,
                            const struct foreign_refs *refs, struct err *err);

/* Sets exit 3 for the files of this module; returns -1. */
int foreign_refuse(struct err *err, const char *path, const char *what, const char *way_out);
/* Reads a one-line file that is not a link, without trailing blanks. `*out` is NULL if missing. */
TG_CHECKED int foreign_line(const char **out, struct arena *arena, int folder, const char *name,
                            const char *shown, struct err *err);
