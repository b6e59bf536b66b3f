/* A base that somebody names: what it would do to the child's own files. */
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
        memcpy(out->id, git_object_id(commit)->id, sizeof(out->id));
    git_object_free(object);
    git_object_free(commit);
    return rc < 0 ? err_set(err, TG_USAGE, "unknown-commit", "--base: there is no commit '%s' here",
                            name)
                  : 0;
}

static void add(struct path_list *list, struct arena *arena, const char *path)
{
    list->paths = arena_grow(arena, list->paths, list->count, sizeof(*list->paths));
    list->paths[list->count++] = path;
}

/* The file as a render has it: the same content, if any has that; NULL where none has the path. */
static const struct plan_file *find_known(const struct base_claim *claim,
                                          const struct plan_file *file)
{
    const struct plan_file *found = NULL;
    for (size_t i = 0; i < claim->known_count; i++) {
        const struct plan_file *other = plan_list_find(claim->known[i], file->path);
        if (other && tree_entry_equal(&other->leaf, &file->leaf))
            return other;
        found = other ? other : found;
    }
    return found;
}

/* What the record says is no guess. False where it has no such file: that is the child's own. */
static bool take_proven(struct plan_file *file, const struct base_claim *claim)
{
    if (!claim->proven)
        return true;
    const struct plan_file *proven = plan_list_find(claim->proven, file->path);
    if (!proven)
        return false;
    file->leaf = proven->leaf;
    file->bytes = proven->bytes;
    return true;
}

/* What the template no longer has is deleted only as a render had it. */
static bool judge(struct plan_file *file, struct base_judgement *out, struct arena *arena,
                  const struct base_claim *claim)
{
    const struct plan_file *known = find_known(claim, file);
    const struct plan_file *child = plan_list_find(claim->child, file->path);
    const struct plan_file *render = plan_list_find(claim->render, file->path);
    bool unchanged = child && tree_entry_equal(&child->leaf, &file->leaf);
    bool rendered = known && tree_entry_equal(&known->leaf, &file->leaf);
    if (rendered)
        return true;
    if (render) {
        bool undone = child && !tree_entry_equal(&render->leaf, &file->leaf);
        if (undone)
            add(&out->undone, arena, file->path);
        return !undone || take_proven(file, claim);
    }
    if (unchanged)
        add(&out->deleted, arena, file->path);
    if (!known) {
        if (child)
            add(&out->own, arena, file->path);
        return false;
    }
    file->leaf = known->leaf;
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

const char *base_given_list(struct arena *arena, const struct path_list *list, const char *whose)
{
    const char *text =
        arena_printf(arena, "%zu %s%s", list->count, list->count == 1 ? "file" : "files", whose);
    for (size_t i = 0; i < list->count && i < SHOWN; i++)
        text = arena_printf(arena, "%s%s'%s'", text, i ? ", " : " (", list->paths[i]);
    if (list->count > SHOWN)
        text = arena_printf(arena, "%s and %zu more", text, list->count - SHOWN);
    return list->count ? arena_printf(arena, "%s)", text) : text;
}
