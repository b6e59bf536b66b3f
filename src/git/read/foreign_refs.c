/* The refs of a foreign repository, loose and packed, with their commits. */
#include "base/arena.h"
#include "base/limits.h"
#include "base/str.h"
#include "git/foreign_repo.h"
#include "git/libgit2.h"
#include "git/odb.h"
#include "git/repo.h"
#include "io/io.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <git2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* git's limits on chains of symbolic refs, and of tags. */
enum { LINKS_MAX = 5, TAGS_MAX = 64 };

static const char *const wanted[] = {"refs/tags/", "refs/heads/", "refs/remotes/origin/"};

struct ref_reading {
    struct foreign_refs *out;
    struct arena *arena;
    git_odb *odb;
    struct err *err;
};

static int damaged(struct ref_reading *g, const char *name)
{
    (void)err_set(g->err, TG_RUNTIME, "git", "cannot read the catalog's '%s': it is damaged", name);
    return err_hint(g->err, "look at the catalog's repository with 'git fsck'");
}

bool foreign_ref_is_name(const char *name)
{
    int valid = 0;
    return git_reference_name_is_valid(&valid, name) == 0 && valid;
}

static int add(struct ref_reading *g, const struct foreign_ref *ref)
{
    struct foreign_refs *out = g->out;
    if (!foreign_ref_is_name(ref->name))
        return 0; /* git ignores it, too */
    if (out->count == LIMIT_REFS) {
        (void)err_set(g->err, TG_USAGE, "limit", "the catalog has more than %zu tags and branches",
                      LIMIT_REFS);
        return err_hint(g->err, "give a clone to --catalog that has fewer of them");
    }
    arena_push(g->arena, out->items, out->count) = *ref;
    return 0;
}

/* 64 digits are SHA-256's. */
static int take_value(struct foreign_ref *ref, struct ref_reading *g, const char *text)
{
    static const char link[] = "ref: ";
    enum { LONG_HEX = 64 };
    if (str_starts(text, link)) {
        ref->target = text + strlen(link);
        return 0;
    }
    if (strlen(text) == LONG_HEX)
        return foreign_refuse(g->err, ref->name, "names an object by SHA-256",
                              "tmplgen reads repositories of SHA-1 objects only");
    return oid_parse(&ref->commit, text) < 0 ? damaged(g, ref->name) : 0;
}

/* ---------------------------------------------------------------- loose refs */

/* Whether wanted refs may be below `folder`, which ends in '/'. */
static bool leads_to_wanted(const char *folder)
{
    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
        if (str_starts(wanted[i], folder) || str_starts(folder, wanted[i]))
            return true;
    return false;
}

static bool is_wanted(const char *name)
{
    for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
        if (str_starts(name, wanted[i]))
            return true;
    return false;
}

static int read_loose(struct ref_reading *g, int folder, const char *name, const char *path)
{
    struct foreign_ref ref = {.name = path};
    const char *text;
    if (!is_wanted(path) && leads_to_wanted(arena_printf(g->arena, "%s/", path)))
        return foreign_refuse(g->err, path, "is no folder: a catalog is read without links",
                              "clone it with 'git clone --no-local', and give the clone to "
                              "--catalog");
    if (!is_wanted(path) || str_ends(path, ".lock"))
        return 0;
    if (foreign_line(&text, g->arena, folder, name, path, g->err) < 0)
        return -1;
    if (!text)
        return 0; /* packed since its folder was read */
    return take_value(&ref, g, text) < 0 ? -1 : add(g, &ref);
}

/* Reads a folder of refs. `path` is "refs/" or a folder below it. */
static int walk(struct ref_reading *g, int parent, const char *name, const char *path, size_t depth)
{
    IO_DIR_SCRATCH(dir) = io_open_dir(parent, name);
    struct dirent *entry;
    int rc = 0;
    if (!dir && (errno == ENOTDIR || errno == ELOOP))
        rc = read_loose(g, parent, name, arena_memdup(g->arena, path, strlen(path) - 1));
    else if (!dir && errno != ENOENT)
        rc = err_errno(g->err, errno, "io", "cannot open the catalog's '%s'", path);
    if (dir && depth > LIMIT_TREE_DEPTH)
        rc = err_set(g->err, TG_USAGE, "limit", "'%s' of the catalog is more than %zu folders deep",
                     path, LIMIT_TREE_DEPTH);
    while (dir && rc == 0 && (entry = io_next(dir))) {
        char *below = arena_printf(g->arena, "%s%s/", path, entry->d_name);
        bool folder = entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN;
        if (folder && leads_to_wanted(below)) {
            rc = walk(g, dirfd(dir), entry->d_name, below, depth + 1);
        } else if (!folder) {
            below[strlen(below) - 1] = '\0';
            rc = read_loose(g, dirfd(dir), entry->d_name, below);
        }
    }
    return rc;
}

/* ---------------------------------------------------------------- packed refs */

/* Reads "ID NAME". Skips '^' lines, since the objects have the peeled ids, and comments ('#'). */
static int take_packed(struct ref_reading *g, struct span line)
{
    struct foreign_ref ref = {.is_packed = true};
    if (line.len == 0 || *line.ptr == '#' || *line.ptr == '^')
        return 0;
    const char *space = memchr(line.ptr, ' ', line.len);
    if (!space)
        return damaged(g, "packed-refs");
    ref.name = arena_memdup(g->arena, space + 1, line.len - (size_t)(space + 1 - line.ptr));
    if (!is_wanted(ref.name))
        return 0;
    ARENA_SCRATCH(scratch);
    const char *id = arena_memdup(&scratch, line.ptr, (size_t)(space - line.ptr));
    return take_value(&ref, g, id) < 0 || ref.target ? damaged(g, "packed-refs") : add(g, &ref);
}

static int read_packed(struct ref_reading *g, const char *common_dir)
{
    ARENA_SCRATCH(scratch);
    const char *path = arena_printf(&scratch, "%s/packed-refs", common_dir);
    struct stat info;
    struct span text;
    if (lstat(path, &info) < 0)
        return errno == ENOENT ? 0 : err_errno(g->err, errno, "io", "cannot look at '%s'", path);
    if (!S_ISREG(info.st_mode))
        return foreign_refuse(g->err, path, "is no plain file", "'git pack-refs --all' makes one");
    if (io_read_file(&text, &scratch, AT_FDCWD, path, LIMIT_PACKED_REFS_BYTES, g->err) < 0)
        return -1;
    while (text.len)
        if (take_packed(g, span_cut_line(&text)) < 0)
            return -1;
    return 0;
}

/* ---------------------------------------------------------------- all refs */

/* Sorts by name, a loose ref before a packed one. */
static int by_name(const void *a, const void *b)
{
    const struct foreign_ref *left = a, *right = b;
    int order = strcmp(left->name, right->name);
    return order ? order : (int)left->is_packed - (int)right->is_packed;
}

static void sort(struct foreign_refs *refs)
{
    size_t kept = 0;
    if (refs->count)
        qsort(refs->items, refs->count, sizeof(*refs->items), by_name);
    for (size_t i = 0; i < refs->count; i++)
        if (kept == 0 || strcmp(refs->items[kept - 1].name, refs->items[i].name) != 0)
            refs->items[kept++] = refs->items[i];
    refs->count = kept;
}

const struct foreign_ref *foreign_refs_find(const struct foreign_refs *refs, const char *name)
{
    return refs->count
               ? bsearch(&name, refs->items, refs->count, sizeof(*refs->items), str_compare_first)
               : NULL;
}

/* Follows symbolic refs. NULL if the target does not exist, as in the HEAD of an empty origin. */
static const struct foreign_ref *resolve(const struct foreign_refs *refs,
                                         const struct foreign_ref *ref)
{
    for (size_t i = 0; ref && ref->target && i < LINKS_MAX; i++)
        ref = foreign_refs_find(refs, ref->target);
    return ref && !ref->target ? ref : NULL;
}

static void resolve_all(struct foreign_refs *refs)
{
    size_t kept = 0;
    for (size_t i = 0; i < refs->count; i++) {
        const struct foreign_ref *end = resolve(refs, &refs->items[i]);
        if (end)
            refs->items[i].commit = refs->items[i].object = end->commit;
        refs->items[i].is_packed = end == NULL; /* from here on this means: leave it out */
    }
    for (size_t i = 0; i < refs->count; i++)
        if (!refs->items[i].is_packed)
            refs->items[kept++] = refs->items[i];
    refs->count = kept;
}

/* Peels one tag; sets `*more` if it was one. `*keep` is false if this is no commit or tag. */
static int peel_once(struct ref_reading *g, struct foreign_ref *ref, bool *keep, bool *more)
{
    static const char head[] = "object ";
    git_odb_object *object = NULL;
    git_object_t type;
    git_oid id;
    size_t size;
    (void)git_oid_fromraw(&id, ref->commit.id);
    if (git_odb_read_header(&size, &type, g->odb, &id) < 0 || type < GIT_OBJECT_COMMIT ||
        type > GIT_OBJECT_TAG)
        return damaged(g, ref->name);
    *keep = type == GIT_OBJECT_COMMIT || type == GIT_OBJECT_TAG;
    if (type != GIT_OBJECT_TAG)
        return 0;
    if (git_odb_read(&object, g->odb, &id) < 0)
        return damaged(g, ref->name);
    const char *text = git_odb_object_data(object);
    bool good = git_odb_object_size(object) > strlen(head) + GIT_OID_HEXSZ &&
                strncmp(text, head, strlen(head)) == 0 &&
                git_oid_fromstrn(&id, text + strlen(head), GIT_OID_HEXSZ) == 0;
    git_odb_object_free(object);
    ref->commit = oid_from(&id);
    *more = true;
    return good ? 0 : damaged(g, ref->name);
}

/* Peels all refs one step at a time, so that objects are read in a few round trips. */
static int peel_all(struct ref_reading *g)
{
    ARENA_SCRATCH(scratch);
    struct foreign_refs *refs = g->out;
    git_oid *ids = arena_array(&scratch, refs->count + 1, sizeof(*ids));
    bool more = refs->count > 0;
    for (size_t turn = 0; more && turn < TAGS_MAX; turn++) {
        size_t kept = 0;
        more = false;
        for (size_t i = 0; i < refs->count; i++)
            (void)git_oid_fromraw(&ids[i], refs->items[i].commit.id);
        odb_look_ahead(g->odb, ids, refs->count);
        for (size_t i = 0; i < refs->count; i++) {
            bool keep;
            if (peel_once(g, &refs->items[i], &keep, &more) < 0)
                return -1;
            if (keep)
                refs->items[kept++] = refs->items[i];
        }
        refs->count = kept;
    }
    return more ? err_set(g->err, TG_USAGE, "limit",
                          "the catalog has a tag of a tag, more than %d deep", (int)TAGS_MAX)
                : 0;
}

int foreign_refs_read(struct foreign_refs *out, struct arena *arena,
                      const struct foreign_repo *repository, struct err *err)
{
    struct ref_reading g = {.out = out, .arena = arena, .err = err};
    *out = (struct foreign_refs){NULL, 0};
    const char *top = arena_printf(arena, "%s/refs", repository->common_dir);
    if (walk(&g, AT_FDCWD, top, "refs/", 0) < 0 || read_packed(&g, repository->common_dir) < 0)
        return -1;
    if (git_repository_odb(&g.odb, repository->git) < 0)
        return git_fail(err, "cannot open the catalog's objects");
    sort(out);
    resolve_all(out);
    int rc = peel_all(&g);
    git_odb_free(g.odb);
    return rc;
}

int foreign_head(struct oid *commit, const char **branch, bool *found, struct arena *arena,
                 const struct foreign_repo *repository, const struct foreign_refs *refs,
                 struct err *err)
{
    struct foreign_refs none = {NULL, 0};
    struct ref_reading g = {.out = &none, .arena = arena, .err = err};
    struct foreign_ref head = {.name = arena_printf(arena, "%s/HEAD", repository->git_dir)};
    const char *text;
    if (foreign_line(&text, arena, AT_FDCWD, head.name, head.name, err) < 0 ||
        (text && take_value(&head, &g, text) < 0))
        return -1;
    const struct foreign_ref *named = head.target ? foreign_refs_find(refs, head.target) : NULL;
    *branch = named ? named->name : NULL;
    *commit = named ? named->commit : head.commit;
    *found = text && (named || !head.target);
    return 0;
}
