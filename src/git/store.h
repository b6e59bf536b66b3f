/* The objects of a child: those of its repository and those created by this run. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "git/tree_entry.h"
#include "git/write/pack.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct git_repository;

/*
 * New objects stay in memory until store_write_pack(): a run that is refused, or only reads, leaves
 * no object behind and touches no time stamp.
 */
struct store;

enum store_kind { STORE_BLOB, STORE_TREE, STORE_COMMIT };

/* `objects` is a repository's object folder; NULL: the store has only new objects. */
TG_CHECKED int store_open(struct store **out, const char *objects, struct err *err);
void store_free(struct store *store);

/* Makes libgit2 read both through `repository`. The store must live as long. */
TG_CHECKED int store_attach(struct store *store, struct git_repository *repository,
                            struct err *err);

TG_CHECKED int store_hash(struct oid *out, enum store_kind kind, struct span bytes,
                          struct err *err);
/* Adds an object; copies the bytes. */
TG_CHECKED int store_put(struct oid *out, struct store *store, enum store_kind kind,
                         struct span bytes, struct err *err);
/*
 * Adds an object whose id is known, without copying: the bytes must live as long as the store.
 * `deflated` is the same as a zlib stream; empty if unknown.
 */
void store_lend(struct store *store, const struct oid *id, enum store_kind kind, struct span bytes,
                struct span deflated);
bool store_has(const struct store *store, const struct oid *id);

/* The bytes of an object; free with store_bytes_release. */
struct store_bytes {
    struct span bytes;
    void *handle;
};

#define STORE_BYTES_SCRATCH(name)                                                                  \
    __attribute__((cleanup(store_bytes_release))) struct store_bytes name = {{NULL, 0}, NULL}

/* Fails if the object is missing or of another kind; `what` names it for the message. */
TG_CHECKED int store_get(struct store_bytes *out, const struct store *store, enum store_kind kind,
                         const struct oid *id, const char *what, struct err *err);
/* The same, copied into the arena and NUL-terminated. */
TG_CHECKED int store_copy(struct span *out, struct arena *arena, const struct store *store,
                          enum store_kind kind, const struct oid *id, const char *what,
                          struct err *err);
TG_CHECKED int store_size(size_t *out, const struct store *store, const struct oid *id,
                          const char *what, struct err *err);
void store_bytes_release(struct store_bytes *bytes);

/* Prefetches objects of the repository: see odb_look_ahead. */
void store_look_ahead(const struct store *store, const struct oid *ids, size_t count);

/*
 * Writes the new objects that the repository lacks as one pack with its index into `folder`
 * (".git/objects/pack"); see pack_write. `name` is "pack-...", the name of both files without
 * extension, or "" if there is nothing to write.
 */
TG_CHECKED int store_write_pack(char name[PACK_NAME_SIZE], struct store *store, const char *folder,
                                bool durable, struct err *err);
