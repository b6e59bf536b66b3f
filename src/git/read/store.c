/* The objects of a child: those of its repository and those created by this run. */
#include "git/store.h"

#include "base/arena.h"
#include "git/libgit2.h"
#include "git/odb.h"
#include "git/odb_failure.h"
#include "git/oid_map.h"
#include "git/write/pack.h"

#include <git2.h>
#include <git2/sys/odb_backend.h>
#include <git2/sys/repository.h>
#include <stdio.h>
#include <stdlib.h>

struct fresh {
    git_oid id;
    git_object_t type;
    struct span bytes, deflated;
};

struct store {
    git_odb *odb;
    struct arena arena;
    struct fresh *items; /* in order of creation */
    size_t count;
    struct oid_map places; /* from ids to indexes of `items` */
};

struct memory_backend {
    git_odb_backend backend; /* must come first: libgit2 passes it back */
    struct store *store;
};

static const git_object_t types[] = {[STORE_BLOB] = GIT_OBJECT_BLOB,
                                     [STORE_TREE] = GIT_OBJECT_TREE,
                                     [STORE_COMMIT] = GIT_OBJECT_COMMIT};

static git_oid to_git(const struct oid *id)
{
    git_oid out;
    memcpy(out.id, id->id, sizeof(out.id));
    return out;
}

static const struct fresh *find(const struct store *store, const git_oid *id)
{
    struct oid wanted = oid_from(id);
    size_t at;
    return oid_map_find(&at, &store->places, &wanted) ? &store->items[at] : NULL;
}

static const struct store *store_of(const git_odb_backend *backend)
{
    return ((const struct memory_backend *)backend)->store;
}

static int memory_read(void **data, size_t *size, git_object_t *type, git_odb_backend *backend,
                       const git_oid *id)
{
    const struct fresh *item = find(store_of(backend), id);
    if (!item)
        return GIT_ENOTFOUND;
    *data = git_odb_backend_data_alloc(backend, item->bytes.len + 1);
    if (!*data)
        return GIT_ERROR;
    if (item->bytes.len)
        memcpy(*data, item->bytes.ptr, item->bytes.len);
    *size = item->bytes.len;
    *type = item->type;
    return 0;
}

static int memory_read_header(size_t *size, git_object_t *type, git_odb_backend *backend,
                              const git_oid *id)
{
    const struct fresh *item = find(store_of(backend), id);
    if (!item)
        return GIT_ENOTFOUND;
    *size = item->bytes.len;
    *type = item->type;
    return 0;
}

static int memory_exists(git_odb_backend *backend, const git_oid *id)
{
    return find(store_of(backend), id) != NULL;
}

/* No effect if the object is there already. */
static void add_fresh(struct store *store, const struct oid *id, git_object_t type,
                      struct span bytes, struct span deflated)
{
    if (!oid_map_add(&store->places, id, store->count))
        return;
    arena_push(&store->arena, store->items, store->count) =
        (struct fresh){to_git(id), type, bytes, deflated};
}

static struct span copied(struct store *store, struct span bytes)
{
    return span_of(arena_memdup(&store->arena, bytes.ptr ? bytes.ptr : "", bytes.len), bytes.len);
}

/* Receives what libgit2 writes through a repository that has this store attached. */
static int memory_write(git_odb_backend *backend, const git_oid *id, const void *data, size_t size,
                        git_object_t type)
{
    struct store *store = ((struct memory_backend *)backend)->store;
    struct oid wanted = oid_from(id);
    if (!find(store, id))
        add_fresh(store, &wanted, type, copied(store, span_of(data, size)), span_of(NULL, 0));
    return 0;
}

static void memory_free(git_odb_backend *backend)
{
    free(backend);
}

static int add_memory(struct store *store)
{
    struct memory_backend *memory = calloc(1, sizeof(*memory));
    if (!memory || git_odb_init_backend(&memory->backend, GIT_ODB_BACKEND_VERSION) < 0) {
        free(memory);
        return -1;
    }
    memory->store = store;
    memory->backend.read = memory_read;
    memory->backend.read_header = memory_read_header;
    memory->backend.write = memory_write;
    memory->backend.exists = memory_exists;
    memory->backend.free = memory_free;
    int rc = git_odb_add_backend(store->odb, &memory->backend, 999);
    if (rc < 0)
        free(memory);
    return rc;
}

int store_open(struct store **out, const char *objects, struct err *err)
{
    struct store *store = xmalloc(sizeof(*store));
    *store = (struct store){0};
    *out = NULL;
    int rc = git_start(err);
    if (rc == 0 && objects)
        rc = odb_open(&store->odb, objects, err);
    else if (rc == 0 && git_odb_new(&store->odb) < 0)
        rc = git_fail(err, "cannot make an object database");
    if (rc == 0 && add_memory(store) < 0)
        rc = git_fail(err, "cannot make an object database");
    if (rc < 0)
        store_free(store);
    else
        *out = store;
    return rc;
}

void store_free(struct store *store)
{
    if (!store)
        return;
    git_odb_free(store->odb);
    oid_map_release(&store->places);
    arena_release(&store->arena);
    free(store);
}

int store_attach(struct store *store, git_repository *repository, struct err *err)
{
    if (git_repository_set_odb(repository, store->odb) < 0)
        return git_fail(err, "cannot open the repository's objects");
    return 0;
}

int store_hash(struct oid *out, enum store_kind kind, struct span bytes, struct err *err)
{
    git_oid id;
    if (git_odb_hash(&id, bytes.ptr ? bytes.ptr : "", bytes.len, types[kind]) < 0)
        return git_fail(err, "cannot hash");
    *out = oid_from(&id);
    return 0;
}

bool store_has(const struct store *store, const struct oid *id)
{
    git_oid wanted = to_git(id);
    return find(store, &wanted) ||
           git_odb_exists_ext(store->odb, &wanted, GIT_ODB_LOOKUP_NO_REFRESH) == 1;
}

int store_put(struct oid *out, struct store *store, enum store_kind kind, struct span bytes,
              struct err *err)
{
    if (store_hash(out, kind, bytes, err) < 0)
        return -1;
    git_oid id = to_git(out);
    if (!find(store, &id))
        add_fresh(store, out, types[kind], copied(store, bytes), span_of(NULL, 0));
    return 0;
}

void store_lend(struct store *store, const struct oid *id, enum store_kind kind, struct span bytes,
                struct span deflated)
{
    add_fresh(store, id, types[kind], bytes, deflated);
}

int store_get(struct store_bytes *out, const struct store *store, enum store_kind kind,
              const struct oid *id, const char *what, struct err *err)
{
    git_odb_object *object = NULL;
    git_oid wanted = to_git(id);
    if (git_odb_read(&object, store->odb, &wanted) < 0)
        return git_fail(err, "cannot read '%s'", what);
    if (git_odb_object_type(object) != types[kind]) {
        git_odb_object_free(object);
        return err_set(err, TG_RUNTIME, "git", "cannot read '%s': object %s is of another kind",
                       what, git_oid_tostr_s(&wanted));
    }
    out->handle = object;
    out->bytes = span_of(git_odb_object_data(object), git_odb_object_size(object));
    return 0;
}

int store_copy(struct span *out, struct arena *arena, const struct store *store,
               enum store_kind kind, const struct oid *id, const char *what, struct err *err)
{
    STORE_BYTES_SCRATCH(loaded);
    if (store_get(&loaded, store, kind, id, what, err) < 0)
        return -1;
    *out = span_of(arena_memdup(arena, loaded.bytes.ptr, loaded.bytes.len), loaded.bytes.len);
    return 0;
}

int store_size(size_t *out, const struct store *store, const struct oid *id, const char *what,
               struct err *err)
{
    git_object_t type;
    git_oid wanted = to_git(id);
    if (git_odb_read_header(out, &type, store->odb, &wanted) < 0)
        return git_fail(err, "cannot read '%s'", what);
    return 0;
}

void store_look_ahead(const struct store *store, const struct oid *ids, size_t count)
{
    odb_look_ahead(store->odb, (const git_oid *)ids, count); /* same layout, see tree_entry.h */
}

void store_bytes_release(struct store_bytes *bytes)
{
    git_odb_object_free(bytes->handle);
    *bytes = (struct store_bytes){{NULL, 0}, NULL};
}

/* Lists new objects that the repository lacks, all at once: questions cost more than objects. */
static size_t list_missing(struct pack_object *out, struct store *store)
{
    git_oid *ids = arena_array(&store->arena, store->count, sizeof(*ids));
    bool *there = arena_array(&store->arena, store->count, sizeof(*there));
    size_t count = 0;
    for (size_t i = 0; i < store->count; i++)
        ids[i] = store->items[i].id;
    odb_find(there, store->odb, ids, store->count);
    for (size_t i = 0; i < store->count; i++) {
        const struct fresh *item = &store->items[i];
        if (there[i])
            continue;
        out[count] = (struct pack_object){.kind = (enum pack_kind)item->type, /* the same numbers */
                                          .bytes = item->bytes,
                                          .deflated = item->deflated};
        memcpy(out[count++].id, ids[i].id, sizeof(ids[i].id));
    }
    return count;
}

int store_write_pack(char name[PACK_NAME_SIZE], struct store *store, const char *folder,
                     bool durable, struct err *err)
{
    struct pack_object *objects = arena_array(&store->arena, store->count + 1, sizeof(*objects));
    size_t count = store->count ? list_missing(objects, store) : 0;
    name[0] = '\0';
    if (odb_failure_check(err) < 0) /* objects that seem to be missing may exist */
        return -1;
    return count ? pack_write(name, folder, objects, count, durable, err) : 0;
}
