/* The objects of a child: those of its repository, and those that this run makes. */
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
 * What is put stays in memory until store_write_pack(): a run that is refused, or only looks,
 * leaves no object behind, and not a time stamp is touched.
 */
struct store;

enum store_kind { STORE_BLOB, STORE_TREE, STORE_COMMIT };

/* `objects` is a repository's object folder; NULL: nothing but what is put. */
TG_CHECKED int store_open(struct store **out, const char *objects, struct err *err);
void store_free(struct store *store);

/* Makes libgit2 read both through `repository`. The store must live as long. */
TG_CHECKED int store_attach(struct store *store, struct git_repository *repository,
                            struct err *err);

TG_CHECKED int store_hash(struct oid *out, enum store_kind kind, struct span bytes,
                          struct err *err);
/* Copies the bytes. */
TG_CHECKED int store_put(struct oid *out, struct store *store, enum store_kind kind,
                         struct span bytes, struct err *err);
/*
 * Likewise, of bytes whose id is known, and which live as long as the store: nothing is copied.
 * `deflated`: the same as a zlib stream, where that is known; else empty.
 */
void store_lend(struct store *store, const struct oid *id, enum store_kind kind, struct span bytes,
                struct span deflated);
bool store_has(const struct store *store, const struct oid *id);

/* Bytes of an object, until store_bytes_release. */
struct store_bytes {
    struct span bytes;
    void *handle;
};

#define STORE_BYTES_SCRATCH(name)                                                                  \
    __attribute__((cleanup(store_bytes_release))) struct store_bytes name = {{NULL, 0}, NULL}

/* An object that is missing or of another kind is an error; `what` names it for the message. */
TG_CHECKED int store_get(struct store_bytes *out, const struct store *store, enum store_kind kind,
                         const struct oid *id, const char *what, struct err *err);
/* The same, copied into the arena, with a NUL behind them. */
TG_CHECKED int store_copy(struct span *out, struct arena *arena, const struct store *store,
                          enum store_kind kind, const struct oid *id, const char *what,
                          struct err *err);
TG_CHECKED int store_size(size_t *out, const struct store *store, const struct oid *id,
                          const char *what, struct err *err);
void store_bytes_release(struct store_bytes *bytes);

/*
 * Objects that will be got: what the repository has of them is fetched in a few turns, see
 * odb_look_ahead.
 */
void store_look_ahead(const struct store *store, const struct oid *ids, size_t count);

/*
 * Writes what was put and is not in the repository as one pack with its index into `folder`
 * (".git/objects/pack"), see pack_write; `name` is "pack-...", both files' name without ending, or
 * "" where there is nothing to write.
 */
TG_CHECKED int store_write_pack(char name[PACK_NAME_SIZE], struct store *store, const char *folder,
                                bool durable, struct err *err);
