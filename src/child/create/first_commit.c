/* The commits of `new`: the root commit of a fresh repository, or one on top of an existing one. */
#include "child/create/first_commit.h"

#include "base/arena.h"
#include "catalog/render.h"
#include "child/base_ref.h"
#include "git/commit.h"
#include "git/disk_entry.h"
#include "git/git_index.h"
#include "git/libgit2.h"
#include "git/new_repo.h"
#include "git/path_change.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define INDEX_DRAFT "index.tmplgen-new"
#define INDEX_KEPT "index.tmplgen" /* beside git's index, while that is written */

/* The data that one commit needs; committer_release releases it. */
struct committer {
    struct arena *arena;
    git_repository *repository;
    struct store *store;
    const char *objects; /* the folder of the repository's objects */
    struct identity who;
    struct oid base_tree, tree, base, commit;
    struct render_entry *files; /* of the record tree, the record last */
    size_t count;
    mode_t index_mode; /* 0: unchanged */
    struct err *err;
};

static void committer_release(struct committer *c)
{
    git_repository_free(c->repository);
    store_free(c->store);
}

static int list_files(struct committer *c, const struct render *render, struct span record)
{
    c->count = render->count + 1;
    c->files = arena_array(c->arena, c->count, sizeof(*c->files));
    memcpy(c->files, render->entries, render->count * sizeof(*c->files));
    struct render_entry *last = &c->files[render->count];
    *last = (struct render_entry){.path = RECORD_PATH, .bytes = record};
    return git_hash_blob(last->id, record, c->err);
}

/* The file as an edit of a tree; `prefix` is the child's folder, or "". */
static struct tree_edit edit_of(const struct committer *c, const char *prefix,
                                const struct render_entry *file)
{
    return (struct tree_edit){arena_printf(c->arena, "%s%s", prefix, file->path),
                              {file->executable ? LEAF_EXECUTABLE : LEAF_FILE, oid_from(file->id)}};
}

/* Makes the trees with and without the record. */
static int put_trees(struct committer *c)
{
    struct tree_edit *edits = arena_array(c->arena, c->count, sizeof(*edits));
    for (size_t i = 0; i < c->count; i++) {
        const struct render_entry *file = &c->files[i];
        edits[i] = edit_of(c, "", file);
        store_lend(c->store, &edits[i].leaf.id, STORE_BLOB, file->bytes, file->deflated);
    }
    if (tree_edit(&c->base_tree, c->store, c->store, NULL, edits, c->count - 1, c->err) < 0)
        return -1;
    return tree_edit(&c->tree, c->store, c->store, &c->base_tree, &edits[c->count - 1], 1, c->err);
}

/* Makes the commit and the base commit. */
static int put_commits(struct committer *c, const struct oid *tree, const struct oid *parent,
                       const char *message)
{
    return commit_put(&c->commit, c->store, tree, parent, parent ? 1 : 0, &c->who, message,
                      c->err) < 0
               ? -1
               : base_commit_put(&c->base, c->store, &c->base_tree, "", c->err);
}

/* The text for the reflog. */
static const char *subject_of(struct committer *c, bool initial, const char *message)
{
    return arena_printf(c->arena, "commit%s: %.*s", initial ? " (initial)" : "",
                        (int)strcspn(message, "\n"), message);
}

/* The branch that HEAD names, even before its first commit; "HEAD" where it names none. */
static int branch_name(const char **out, struct committer *c)
{
    git_reference *head = NULL;
    if (git_reference_lookup(&head, c->repository, "HEAD") < 0)
        return git_fail(c->err, "cannot read HEAD");
    const char *target = git_reference_symbolic_target(head);
    *out = target ? arena_strdup(c->arena, target) : "HEAD";
    git_reference_free(head);
    return 0;
}

/* libgit2 reports a failure, too, where only the sync after the move failed. */
static bool has_moved(struct committer *c, const char *name)
{
    git_oid now;
    return git_reference_name_to_id(&now, c->repository, name) == 0 &&
           memcmp(now.id, c->commit.id, sizeof(c->commit.id)) == 0;
}

/* Moves HEAD's branch to the commit, from `parent` alone; without a parent it makes the branch. */
static int move_branch(struct committer *c, const struct oid *parent, const char *message)
{
    git_reference *moved = NULL;
    git_oid commit, old = {{0}};
    const char *name;
    (void)git_oid_fromraw(&commit, c->commit.id);
    if (parent)
        (void)git_oid_fromraw(&old, parent->id);
    if (branch_name(&name, c) < 0)
        return -1;
    int rc = git_reference_create_matching(&moved, c->repository, name, &commit, 1, &old,
                                           subject_of(c, !parent, message));
    git_reference_free(moved);
    return rc < 0 && !has_moved(c, name) ? git_fail(c->err, "cannot move '%s'", name) : 0;
}

/* For a new repository that nobody sees yet: nobody else can have touched its files. */
static int index_hidden_file(struct committer *c, git_index *index, int folder,
                             const struct render_entry *file)
{
    git_index_entry entry = {.path = file->path,
                             .mode = file->executable ? GIT_FILEMODE_BLOB_EXECUTABLE
                                                      : GIT_FILEMODE_BLOB};
    memcpy(entry.id.id, file->id, sizeof(entry.id.id));
    index_fill_stat(&entry, folder, file->path, NULL);
    if (git_index_add(index, &entry) < 0)
        return git_fail(c->err, "cannot add '%s' to the index", entry.path);
    return 0;
}

static int write_hidden_index(struct committer *c, const char *folder)
{
    git_index *index = NULL;
    if (git_repository_index(&index, c->repository) < 0)
        return git_fail(c->err, "cannot open the index");
    IO_FD_SCRATCH(top) = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int rc = top < 0 ? err_errno(c->err, errno, "io", "cannot open '%s'", folder) : 0;
    for (size_t i = 0; rc == 0 && i < c->count; i++)
        rc = index_hidden_file(c, index, top, &c->files[i]);
    if (rc == 0 && git_index_write(index) < 0)
        rc = git_fail(c->err, "cannot write the index");
    git_index_free(index);
    return rc;
}

static const char *git_path(struct committer *c, const char *name)
{
    return arena_printf(c->arena, "%s%s", git_repository_path(c->repository), name);
}

/* Keeps a copy of the index, so that going back needs no space. */
static int keep_index(struct committer *c)
{
    (void)unlink(git_path(c, INDEX_KEPT));
    return disk_keep(AT_FDCWD, git_path(c, "index"), AT_FDCWD, git_path(c, INDEX_KEPT), c->err) < 0
               ? -1
               : 0;
}

/* Git's lock file becomes the index, as always. Fails where another command holds the lock. */
static int put_index(struct committer *c, const char *from)
{
    const char *lock = git_path(c, "index.lock");
    if (io_claim(AT_FDCWD, from, AT_FDCWD, lock) < 0)
        return -1;
    return rename(lock, git_path(c, "index"));
}

static void restore_index(struct committer *c)
{
    if (put_index(c, git_path(c, INDEX_KEPT)) < 0 && errno == ENOENT)
        (void)unlink(git_path(c, "index"));
}

/* Writes the index with the new files, durable before it gets its name. */
static int write_index(struct committer *c, const char *prefix)
{
    const char *draft = git_path(c, INDEX_DRAFT);
    struct path_change *changes = arena_array(c->arena, c->count + 1, sizeof(*changes));
    for (size_t i = 0; i < c->count; i++) {
        struct tree_edit edit = edit_of(c, prefix, &c->files[i]);
        changes[i] = (struct path_change){.path = edit.path,
                                          .new = {.kind = DISK_FILE, .raw = edit.leaf.id},
                                          .stages[0] = edit.leaf};
    }
    IO_FD_SCRATCH(top) =
        open(git_repository_workdir(c->repository), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int rc = top < 0 ? err_errno(c->err, errno, "io", "cannot open the work tree")
                     : index_write(draft, git_path(c, "index"), c->index_mode, top, changes,
                                   c->count, c->err);
    if (rc == 0 && put_index(c, draft) < 0)
        rc = err_errno(c->err, errno, "io", "cannot write the index");
    (void)unlink(draft);
    return rc;
}

static void describe(struct created *out, const struct committer *c)
{
    git_config *config = NULL;
    git_reference *head = NULL;
    int sign = 0;
    oid_hex(out->commit, &c->commit);
    out->author = c->who.name;
    out->author_is_fallback = c->who.fallback;
    if (git_repository_head(&head, c->repository) == 0)
        out->branch = arena_strdup(c->arena, git_reference_shorthand(head));
    git_reference_free(head);
    if (git_repository_config_snapshot(&config, c->repository) == 0 &&
        git_config_get_bool(&sign, config, "commit.gpgsign") == 0)
        out->signing_skipped = sign;
    git_config_free(config);
}

struct root_commit {
    struct committer committer;
    struct span proof;
    struct io_maker *maker;
    const char *folder, *branch, *ref;
    char pack[PACK_NAME_SIZE];
};

/* Fills the new repository, except the index. */
static int fill_fresh(struct root_commit *root, const char *message)
{
    struct committer *c = &root->committer;
    const char *packs = arena_printf(c->arena, "%s/.git/objects/pack", root->folder);
    root->ref = base_ref_name(c->arena, &c->base_tree);
    if (store_write_pack(root->pack, c->store, packs, false, c->err) < 0 ||
        new_repo_ref(root->maker, root->ref, &c->base, c->err) < 0 ||
        (root->proof.len &&
         io_make(root->maker, ".git/" PROOF_PATH, root->proof, false, c->err) < 0))
        return -1;
    return new_repo_branch(root->maker, root->branch, &c->commit, &c->who,
                           subject_of(c, true, message), c->err);
}

int commit_root_begin(struct root_commit **out, struct arena *arena, struct io_maker *maker,
                      const char *folder, const struct render *render, struct span record,
                      struct span proof, const char *message, struct err *err)
{
    struct root_commit *root = arena_alloc(arena, sizeof(*root));
    struct committer *c = &root->committer;
    *root = (struct root_commit){.committer = {.arena = arena, .err = err},
                                 .proof = proof,
                                 .maker = maker,
                                 .folder = folder};
    *out = root;
    if (list_files(c, render, record) < 0 ||
        new_repo_init(&c->repository, &root->branch, arena, maker, folder, err) < 0 ||
        identity_read(&c->who, arena, c->repository, err) < 0 ||
        store_open(&c->store, NULL, err) < 0 || put_trees(c) < 0 ||
        put_commits(c, &c->tree, NULL, message) < 0)
        return -1;
    return fill_fresh(root, message);
}

int commit_root_end(struct created *out, struct root_commit *root)
{
    struct committer *c = &root->committer;
    /* nobody sees this repository before it is complete: one sync at the end is enough */
    (void)git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 0);
    int rc = write_hidden_index(c, root->folder);
    (void)git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
    if (rc == 0)
        rc = new_repo_sync(root->maker, root->pack, root->branch, root->ref, c->err);
    if (rc == 0)
        describe(out, c);
    return rc;
}

void commit_root_release(struct root_commit *root)
{
    if (root)
        committer_release(&root->committer);
}

/* The target's path below the work tree, with a trailing '/'; "" for the work tree itself. */
static int prefix_of(const char **out, struct committer *c, const char *target)
{
    const char *top = git_repository_workdir(c->repository);
    if (!top)
        return err_set(c->err, TG_REFUSED, "bare-repository",
                       "the repository around '%s' has no work tree", target);
    const char *inside = arena_printf(c->arena, "%s/", target);
    if (strncmp(inside, top, strlen(top)) != 0)
        return err_set(c->err, TG_REFUSED, "unsafe-path", "'%s' lies outside the work tree '%s'",
                       target, top);
    *out = arena_strdup(c->arena, inside + strlen(top));
    return 0;
}

static int check_state(struct committer *c)
{
    int state;
    if (repo_state(&state, c->repository, c->err) < 0)
        return -1;
    if (state == GIT_REPOSITORY_STATE_NONE)
        return 0;
    (void)err_set(c->err, TG_REFUSED, "operation-in-progress",
                  "a merge, rebase or the like is under way in this repository");
    return err_hint(c->err, "finish or abort it ('git status' names it), then run this again");
}

/* Adds the child's files to HEAD's tree; the user's index plays no part. */
static int tree_on_head(struct oid *out, struct committer *c, const struct oid *head,
                        const char *prefix)
{
    struct commit parent;
    struct tree_edit *edits = arena_array(c->arena, c->count, sizeof(*edits));
    for (size_t i = 0; i < c->count; i++)
        edits[i] = edit_of(c, prefix, &c->files[i]);
    if (head && repo_commit(&parent, c->arena, c->store, head, c->err) < 0)
        return -1;
    return tree_edit(out, c->store, c->store, head ? &parent.tree : NULL, edits, c->count, c->err);
}

/* HEAD's commit; NULL: there is none yet. */
static int head_commit(const struct oid **out, struct committer *c)
{
    git_oid head = {{0}};
    struct oid *found = arena_alloc(c->arena, sizeof(*found));
    int rc = git_reference_name_to_id(&head, c->repository, "HEAD");
    *found = oid_from(&head);
    *out = rc == 0 ? found : NULL;
    return rc < 0 && rc != GIT_ENOTFOUND ? git_fail(c->err, "cannot read HEAD") : 0;
}

/* Gathers this run's objects in memory, to write them as one pack. */
static int open_store(struct committer *c)
{
    c->objects = arena_printf(c->arena, "%sobjects", git_repository_commondir(c->repository));
    if (store_open(&c->store, c->objects, c->err) < 0)
        return -1;
    return store_attach(c->store, c->repository, c->err);
}

static int write_pack(struct committer *c)
{
    char name[PACK_NAME_SIZE];
    return store_write_pack(name, c->store, arena_printf(c->arena, "%s/pack", c->objects), true,
                            c->err);
}

/* Makes the removals durable. The commit exists by now: a failure here does not undo it. */
static void sync_end(struct committer *c)
{
    ERR_SCRATCH(ignored);
    const struct io_place git = {AT_FDCWD, git_path(c, ".")};
    if (io_sync(&git, 1, &ignored) < 0)
        err_release(&ignored);
}

static int commit_on_head(struct committer *c, const struct create_target *target,
                          const char *message)
{
    const struct oid *parent;
    struct oid tree;
    const char *prefix;
    if (open_store(c) < 0 || check_state(c) < 0 || prefix_of(&prefix, c, target->path) < 0 ||
        put_trees(c) < 0 || head_commit(&parent, c) < 0 ||
        tree_on_head(&tree, c, parent, prefix) < 0 || put_commits(c, &tree, parent, message) < 0 ||
        write_pack(c) < 0 || base_ref_write(c->repository, &c->base_tree, &c->base, c->err) < 0 ||
        keep_index(c) < 0)
        return -1;
    int rc = write_index(c, prefix);
    if (rc == 0)
        rc = move_branch(c, parent, message);
    if (rc < 0)
        restore_index(c);
    (void)unlink(git_path(c, INDEX_KEPT));
    if (rc == 0)
        sync_end(c);
    return rc;
}

/* libgit2 reports a failure where a file system cannot sync a folder. */
static bool can_sync(const struct committer *c)
{
    IO_FD_SCRATCH(fd) =
        open(git_repository_path(c->repository), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return fd < 0 || fsync(fd) == 0 || !io_is_unsupported(errno);
}

/* Commits in an existing repository, with the permissions that its users agreed on. */
static int commit_shared(struct committer *c, const struct create_target *target,
                         const char *message)
{
    git_config *config = NULL;
    const char *shared = NULL;
    mode_t mask = umask(0);
    if (git_repository_config_snapshot(&config, c->repository) == 0)
        (void)git_config_get_string(&shared, config, "core.sharedrepository");
    c->index_mode = repo_shared_mode(shared, mask);
    (void)umask(repo_shared_mask(shared, mask));
    (void)git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, (int)can_sync(c));
    int rc = commit_on_head(c, target, message);
    (void)git_libgit2_opts(GIT_OPT_ENABLE_FSYNC_GITDIR, 1);
    (void)umask(mask);
    git_config_free(config);
    return rc;
}

int commit_inside(struct created *out, struct arena *arena, const struct create_target *target,
                  const struct render *render, struct span record, const char *message,
                  struct err *err)
{
    struct committer c = {.arena = arena, .err = err};
    int rc = list_files(&c, render, record);
    if (rc == 0 && git_repository_open(&c.repository, target->repository) < 0)
        rc = git_fail(err, "cannot open the repository '%s'", target->repository);
    if (rc == 0)
        rc = identity_read(&c.who, arena, c.repository, err);
    if (rc == 0)
        rc = commit_shared(&c, target, message);
    if (rc == 0)
        describe(out, &c);
    committer_release(&c);
    return rc;
}
