/* The base commit of a child: what its record renders to, kept under a ref of its own. */
#include "child/base_ref.h"

#include "base/arena.h"
#include "git/commit.h"
#include "git/libgit2.h"
#include "git/repo.h"
#include "git/tree.h"

#include <git2.h>
#include <string.h>

#define BASE_WHO "tmplgen <tmplgen@localhost> 0 +0000"
#define BASE_MESSAGE "what the templates render to\n"

const char *base_ref_name(struct arena *arena, const struct oid *tree)
{
    char hex[41];
    oid_hex(hex, tree);
    return arena_printf(arena, BASE_REF_PREFIX "%s", hex);
}

int base_ref_write(git_repository *repository, const struct oid *tree, const struct oid *commit,
                   struct err *err)
{
    ARENA_SCRATCH(scratch);
    const char *name = base_ref_name(&scratch, tree);
    git_reference *ref = NULL;
    git_oid id;
    memcpy(id.id, commit->id, sizeof(id.id));
    int rc = git_reference_create(&ref, repository, name, &id, 1, NULL);
    if (rc < 0)
        (void)git_fail(err, "cannot write '%s'", name);
    git_reference_free(ref);
    return rc < 0 ? -1 : 0;
}

int base_commit_put(struct oid *out, struct store *store, const struct oid *tree,
                    const char *folder, struct err *err)
{
    ARENA_SCRATCH(scratch);
    static const struct identity who = {.author = BASE_WHO, .committer = BASE_WHO};
    struct oid root = *tree;
    if (*folder) {
        struct tree_edit edit = {arena_memdup(&scratch, folder, strlen(folder) - 1),
                                 {LEAF_TREE, *tree}};
        if (tree_edit(&root, store, store, NULL, &edit, 1, err) < 0)
            return -1;
    }
    return commit_put(out, store, &root, NULL, 0, &who, BASE_MESSAGE, err);
}
