/* Keeps the base of a child: its commit under a ref of its own, and the proof of its render. */
#include "child/base_ref.h"

#include "apply/apply.h"
#include "base/arena.h"
#include "base/buf.h"
#include "base/limits.h"
#include "base/str.h"
#include "catalog/manifest.h"
#include "catalog/render.h"
#include "child/record.h"
#include "git/commit.h"
#include "git/libgit2.h"
#include "git/oid_map.h"
#include "git/repo.h"
#include "git/store.h"
#include "git/tree.h"
#include "io/io.h"
#include "plan/plan.h"

#include <fcntl.h>
#include <git2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BASE_WHO "tmplgen <tmplgen@localhost> 0 +0000"
#define BASE_MESSAGE "what the templates render to\n"

const char *base_ref_name(struct arena *arena, const struct oid *tree)
{
    return arena_printf(arena, BASE_REF_PREFIX "%s", oid_text(arena, tree));
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

/* ---------------------------------------------------------------- pruning */

struct pruning {
    const struct repo *repo;
    struct arena arena;
    const char **names; /* base refs to remove */
    size_t count;
    struct oid_map seen; /* trees and records seen so far: branches share most of theirs */
    struct err err;
};

/* True when the id is new. */
static bool see(struct pruning *p, const struct oid *id)
{
    return oid_map_add(&p->seen, id, 0);
}

/* Keeps the ref that a record names. */
static int take_record(struct pruning *p, const struct oid *blob)
{
    STORE_BYTES_SCRATCH(text);
    struct record record;
    if (store_get(&text, p->repo->store, STORE_BLOB, blob, RECORD_PATH, &p->err) < 0 ||
        record_parse(&record, &p->arena, RECORD_PATH, text.bytes, &p->err) < 0)
        return -1;
    for (size_t i = 0; i < p->count; i++)
        if (p->names[i] && strcmp(p->names[i] + strlen(BASE_REF_PREFIX), record.tree) == 0)
            p->names[i] = NULL;
    return 0;
}

static int visit_tree(void *context, const struct tree_visit *visit)
{
    struct pruning *p = context;
    if (visit->leaf.mode == LEAF_TREE)
        return see(p, &visit->leaf.id) ? 0 : 1;
    if (!str_equal(visit->name, RECORD_PATH))
        return 0;
    return see(p, &visit->leaf.id) ? take_record(p, &visit->leaf.id) : 0;
}

static int take_branch(struct pruning *p, git_reference *branch)
{
    git_object *commit = NULL;
    struct commit read;
    if (git_reference_peel(&commit, branch, GIT_OBJECT_COMMIT) < 0)
        return -1;
    struct oid id = oid_from(git_object_id(commit));
    git_object_free(commit);
    if (repo_commit(&read, &p->arena, p->repo->store, &id, &p->err) < 0)
        return -1;
    return see(p, &read.tree) ? tree_visit_all(p->repo->store, &read.tree, visit_tree, p, &p->err)
                              : 0;
}

static int take_branches(struct pruning *p)
{
    git_branch_iterator *iterator = NULL;
    git_reference *branch;
    git_branch_t type;
    int rc = git_branch_iterator_new(&iterator, p->repo->git, GIT_BRANCH_LOCAL), next = 0;
    while (rc == 0 && (next = git_branch_next(&branch, &type, iterator)) == 0) {
        rc = take_branch(p, branch);
        git_reference_free(branch);
    }
    git_branch_iterator_free(iterator);
    return rc < 0 || next != GIT_ITEROVER ? -1 : 0;
}

static int list_refs(struct pruning *p, const char *keep)
{
    git_reference_iterator *iterator = NULL;
    const char *name;
    if (git_reference_iterator_glob_new(&iterator, p->repo->git, BASE_REF_PREFIX "*") < 0)
        return -1;
    while (git_reference_next_name(&name, iterator) == 0) {
        if (strcmp(name + strlen(BASE_REF_PREFIX), keep) == 0)
            continue;
        arena_push(&p->arena, p->names, p->count) = arena_strdup(&p->arena, name);
    }
    git_reference_iterator_free(iterator);
    return 0;
}

void base_ref_prune(const struct repo *repo, const struct apply *apply, struct oid keep)
{
    struct pruning p = {.repo = repo};
    if (list_refs(&p, oid_text(&p.arena, &keep)) == 0 && p.count && take_branches(&p) == 0)
        apply_delete_refs(apply, p.names, p.count);
    err_release(&p.err);
    oid_map_release(&p.seen);
    arena_release(&p.arena);
}

/* ---------------------------------------------------------------- the proof */

#define END "end\n" /* without it the file is half written: none */

static const char *head_of(struct arena *arena, const struct record *record)
{
    return arena_printf(arena, "proof 1 %s\n", record->inputs);
}

/* Has a line for each file whose policy differs from the first policy. */
struct span proof_text(struct arena *arena, const struct record *record,
                       const struct render *render)
{
    BUF_SCRATCH(text, LIMIT_DOCUMENT_BYTES);
    for (const struct catalog_origin *origin = &record->catalog; origin; origin = origin->extends)
        if (!origin->commit)
            return span_of("", 0);
    (void)buf_puts(&text, head_of(arena, record));
    for (size_t i = 0; i < render->count; i++)
        if (render->entries[i].policy)
            (void)buf_printf(&text, "%s %s\n", file_policy_names[render->entries[i].policy],
                             render->entries[i].path);
    if (buf_puts(&text, END) < 0)
        return span_of("", 0);
    return span_of(arena_memdup(arena, buf_text(&text), text.len), text.len);
}

void proof_keep(const struct repo *repo, const struct record *record, const struct render *render)
{
    ARENA_SCRATCH(scratch);
    struct span text = proof_text(&scratch, record, render);
    IO_FD_SCRATCH(fd) = text.len
                            ? openat(repo->git_fd, PROOF_PATH,
                                     O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0666)
                            : -1;
    if (fd >= 0)
        (void)!io_write_all(fd, text);
}

/* The lines between the first and the last one; NULL: the proof is another record's, or damaged. */
static const char *read_lines(struct arena *arena, const struct repo *repo,
                              const struct record *record)
{
    ERR_SCRATCH(ignored);
    struct span text;
    const char *head = head_of(arena, record);
    if (io_read_file(&text, arena, repo->git_fd, PROOF_PATH, LIMIT_DOCUMENT_BYTES, &ignored) < 0)
        return NULL;
    const char *lines = arena_memdup(arena, text.ptr, text.len);
    return str_starts(lines, head) && str_ends(lines, "\n" END) ? lines + strlen(head) : NULL;
}

static bool find_policy(enum file_policy *out, struct span name)
{
    for (*out = 0; *out < POLICY_COUNT; ++*out)
        if (span_equal(name, span_from(file_policy_names[*out])))
            return true;
    return false;
}

bool proof_recall(struct plan_list *files, const struct repo *repo, const struct record *record)
{
    struct plan_file *known = arena_array(repo->arena, files->count + 1, sizeof(*known));
    const char *line = read_lines(repo->arena, repo, record);
    if (!line)
        return false;
    if (files->count)
        memcpy(known, files->files, files->count * sizeof(*known));
    for (size_t len; strcmp(line, END) != 0; line += len + 1) {
        size_t word = strcspn(line, " \n");
        enum file_policy policy;
        len = strcspn(line, "\n");
        if (word == len || !find_policy(&policy, span_of(line, word)))
            return false;
        const char *path = arena_memdup(repo->arena, line + word + 1, len - word - 1);
        const struct plan_file *file = plan_list_find(files, path);
        if (!file)
            return false;
        known[file - files->files].policy = policy;
    }
    files->files = known;
    return true;
}
