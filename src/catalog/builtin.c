/* The built-in catalog: every released version of it, as git objects inside the binary. */
#include "base/arena.h"
#include "base/fileset.h"
#include "base/str.h"
#include "catalog/builtin_data.h"
#include "catalog/git_files.h"
#include "catalog/revision.h"
#include "catalog/source.h"
#include "git/libgit2.h"

#include <git2.h>
#include <git2/sys/odb_backend.h>
#include <git2/sys/repository.h>
#include <stdlib.h>
#include <string.h>

static const struct builtin_object *find_object(const git_oid *id)
{
    size_t low = 0, high = builtin_object_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = memcmp(builtin_objects[middle].oid, id->id, sizeof(id->id));
        if (order == 0)
            return &builtin_objects[middle];
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static int backend_read(void **data, size_t *size, git_object_t *type, git_odb_backend *backend,
                        const git_oid *id)
{
    const struct builtin_object *object = find_object(id);
    if (!object)
        return GIT_ENOTFOUND;
    *data = git_odb_backend_data_alloc(backend, object->size ? object->size : 1);
    if (!*data)
        return GIT_ERROR;
    memcpy(*data, object->data, object->size);
    *size = object->size;
    *type = (git_object_t)object->type;
    return 0;
}

static int backend_read_header(size_t *size, git_object_t *type, git_odb_backend *backend,
                               const git_oid *id)
{
    const struct builtin_object *object = find_object(id);
    (void)backend;
    if (!object)
        return GIT_ENOTFOUND;
    *size = object->size;
    *type = (git_object_t)object->type;
    return 0;
}

static int backend_exists(git_odb_backend *backend, const git_oid *id)
{
    (void)backend;
    return find_object(id) != NULL;
}

static void backend_free(git_odb_backend *backend)
{
    free(backend);
}

static int add_backend(git_odb *odb)
{
    git_odb_backend *backend = calloc(1, sizeof(*backend));
    if (!backend || git_odb_init_backend(backend, GIT_ODB_BACKEND_VERSION) < 0) {
        free(backend);
        return -1;
    }
    backend->read = backend_read;
    backend->read_header = backend_read_header;
    backend->exists = backend_exists;
    backend->free = backend_free;
    int rc = git_odb_add_backend(odb, backend, 1);
    if (rc < 0)
        free(backend);
    return rc;
}

static int open_repository(git_repository **out, struct err *err)
{
    git_odb *odb = NULL;
    if (git_start(err) < 0)
        return -1;
    int rc = git_odb_new(&odb);
    if (rc == 0)
        rc = add_backend(odb);
    if (rc == 0)
        rc = git_repository_wrap_odb(out, odb);
    if (rc < 0)
        (void)git_fail(err, "cannot open the built-in catalog");
    git_odb_free(odb);
    return rc < 0 ? -1 : 0;
}

/* "0.1.0" of "v0.1.0", "0.1.0" or the release's commit id. */
static const struct builtin_release *find_release(const char *ref)
{
    for (size_t i = 0; i < builtin_release_count; i++)
        if (strcmp(builtin_releases[i].commit, ref) == 0 ||
            strcmp(builtin_releases[i].version, *ref == 'v' ? ref + 1 : ref) == 0)
            return &builtin_releases[i];
    return NULL;
}

static int unknown_ref(const char *ref, struct err *err)
{
    (void)err_set(err, TG_USAGE, "unknown-ref", "the built-in catalog has no version '%s'", ref);
    if (builtin_release_count == 0)
        return -1;
    return err_hint(err, "this tmplgen has versions %s to %s; a newer tmplgen has newer ones",
                    builtin_releases[0].version,
                    builtin_releases[builtin_release_count - 1].version);
}

/* The files of a commit, read straight from the table. */
struct builtin_files {
    struct fileset set; /* first: a set is cast back */
    const struct fileset *walked;
    const struct builtin_object **objects;
};

static int read_object(struct span *out, const struct fileset *set, size_t index, struct err *err)
{
    const struct builtin_object *object = ((const struct builtin_files *)set)->objects[index];
    (void)err;
    *out = span_of(object->data, object->size);
    return 0;
}

/* What libgit2 found in the trees, with what the table knows of each file. */
static const struct fileset *use_table(struct arena *arena, const struct fileset *walked)
{
    struct builtin_files *files = arena_alloc(arena, sizeof(*files));
    struct fileset_entry *entries = arena_array(arena, walked->count, sizeof(*entries));
    files->objects = arena_array(arena, walked->count, sizeof(*files->objects));
    for (size_t i = 0; i < walked->count; i++) {
        git_oid id;
        memcpy(id.id, walked->entries[i].id, sizeof(id.id));
        const struct builtin_object *object = find_object(&id);
        entries[i] = walked->entries[i];
        entries[i].deflated = span_of(object->deflated, object->deflated_size);
        entries[i].nodes = span_of(object->nodes, object->nodes_size);
        files->objects[i] = object;
    }
    files->walked = walked;
    files->set = (struct fileset){entries, walked->count, read_object};
    return &files->set;
}

static void builtin_close(struct catalog *catalog)
{
    catalog_git_files_free(((const struct builtin_files *)catalog->files)->walked);
    git_repository_free(catalog->handle);
}

static bool builtin_takes(const char *source)
{
    return strcmp(source, CATALOG_BUILTIN) == 0;
}

static int builtin_open(struct catalog *out, struct arena *arena, const char *source,
                        const char *ref, struct err *err)
{
    const struct builtin_release *release = find_release(ref ? ref : builtin_head);
    const char *commit = release ? release->commit : builtin_head;
    git_repository *repository = NULL;
    git_oid id;
    if (ref && !release && strcmp(ref, builtin_head) != 0)
        return unknown_ref(ref, err);
    if (git_oid_fromstr(&id, commit) < 0)
        return git_fail(err, "cannot read the built-in catalog");
    if (open_repository(&repository, err) < 0)
        return -1;
    const struct fileset *walked;
    if (catalog_git_files(&walked, arena, repository, &id, err) < 0) {
        git_repository_free(repository);
        return -1;
    }
    out->files = use_table(arena, walked);
    out->origin = (struct catalog_origin){
        .source = source,
        .ref = release ? arena_printf(arena, "v%s", release->version) : commit,
        .commit = commit};
    out->handle = repository;
    out->close = builtin_close;
    return 0;
}

static int builtin_list(struct catalog_revision **out, size_t *count, struct arena *arena,
                        const char *source, struct err *err)
{
    (void)source;
    (void)err;
    *out = arena_array(arena, builtin_release_count + 1, sizeof(**out));
    *count = builtin_release_count;
    for (size_t i = 0; i < *count; i++)
        (*out)[i] = (struct catalog_revision){
            REVISION_TAG, arena_printf(arena, "v%s", builtin_releases[i].version),
            builtin_releases[i].commit};
    return 0;
}

const struct source_kind source_builtin = {
    .takes = builtin_takes, .open = builtin_open, .revisions = builtin_list};
