/* The base that --base names, and its effect on the child's own files. */
#include "update/base/base_given.h"

#include "base/arena.h"
#include "git/repo.h"

#include <git2.h>
#include <string.h>

enum { SHOWN = 10 };

int base_given_resolve(struct oid *out, const struct repo *repo, const char *name, struct err *err)
{
    git_object *object = NULL, *commit = NULL;
    int rc = git_revparse_single(&object, repo->git, name);
    if (rc == 0)
        rc = git_object_peel(&commit, object, GIT_OBJECT_COMMIT);
    if (rc == 0)
        *out = oid_from(git_object_id(commit));
    git_object_free(object);
    git_object_free(commit);
    return rc < 0 ? err_set(err, TG_USAGE, "unknown-commit", "--base: there is no commit '%s' here",
                            name)
                  : 0;
}

/* Finds the file in a render: one with the same content, else one with the path; or NULL. */
static const struct plan_file *find_known(const struct base_claim *claim,
                                          const struct plan_file *file)
{
    const struct plan_file *found = NULL;
    for (size_t i = 0; i < claim->known_count; i++) {
        const struct plan_file *other = plan_list_find(&claim->known[i], file->path);
        if (other && tree_entry_equal(&other->entry, &file->entry))
            return other;
        found = other ? other : found;
    }
    return found;
}

/* Takes the file from the record's render. False where that lacks it: it is the child's own. */
static bool take_proven(struct plan_file *file, const struct base_claim *claim)
{
    if (!claim->proven)
        return true;
    const struct plan_file *proven = plan_list_find(claim->proven, file->path);
    if (!proven)
        return false;
    file->entry = proven->entry;
    file->bytes = proven->bytes;
    return true;
}

/* A file that the template dropped is deleted only where a render had that content. */
static bool judge(struct plan_file *file, struct base_judgement *out, struct arena *arena,
                  const struct base_claim *claim)
{
    const struct plan_file *known = find_known(claim, file);
    const struct plan_file *child = plan_list_find(claim->child, file->path);
    const struct plan_file *render = plan_list_find(claim->render, file->path);
    bool unchanged = child && tree_entry_equal(&child->entry, &file->entry);
    bool rendered = known && tree_entry_equal(&known->entry, &file->entry);
    if (rendered)
        return true;
    if (render) {
        bool undone = child && !tree_entry_equal(&render->entry, &file->entry);
        if (undone)
            words_add(&out->undone, arena, file->path);
        return !undone || take_proven(file, claim);
    }
    if (unchanged)
        words_add(&out->deleted, arena, file->path);
    if (!known) {
        if (child)
            words_add(&out->own, arena, file->path);
        return false;
    }
    file->entry = known->entry;
    file->bytes = known->bytes;
    return true;
}

void base_given_judge(struct base_judgement *out, struct arena *arena,
                      const struct base_claim *claim)
{
    struct plan_file *files = arena_array(arena, claim->given->count + 1, sizeof(*files));
    *out = (struct base_judgement){.files = {files, 0}};
    for (size_t i = 0; i < claim->given->count; i++) {
        struct plan_file file = claim->given->files[i];
        if (judge(&file, out, arena, claim))
            files[out->files.count++] = file;
    }
}

const char *base_given_list(struct arena *arena, const struct words *list, const char *whose)
{
    const char *names = str_quoted(arena, list->items, list->count, SHOWN);
    return arena_printf(arena, "%zu %s%s (%s)", list->count, list->count == 1 ? "file" : "files",
                        whose, str_and_more(arena, names, list->count, SHOWN));
}
