/* Catalogs on servers: addresses, and the local cache of objects and refs. */
#pragma once

#include "base/err.h"
#include "base/span.h"

#include <stdbool.h>
#include <stddef.h>

struct address;
struct arena;
struct catalog_revision;
struct oid;

/* https://HOST/PATH[//FOLDER], ssh://[USER@]HOST/PATH, [USER@]HOST:PATH; http, git on loopback. */
struct address {
    const char *url;      /* of the repository; scheme and host in lower case, no trailing '/' */
    const char *folder;   /* of the catalog in the repository, or "" */
    const char *source;   /* both, as recorded */
    const char *protocol; /* "https", "ssh", "http", "git" */
};

/* Whether it is neither a path nor a file:// URL on this machine. Reads the disk. */
bool address_is_remote(const char *source);
/*
 * Normalizes an entry of the user's lists: an address, or its beginning and a '*'. Exit 2,
 * "invalid-source", if no address can match it.
 */
TG_CHECKED int address_pattern(const char **out, struct arena *arena, const char *pattern,
                               struct err *err);

/*
 * Exit 2: "invalid-source" for an unsupported address, one with a password (never shown), or one
 * that git would take for an option or a command; "limit" for a long folder name. Exit 3:
 * "insecure-source" for http or git to another machine; "unsafe-path" for a folder that leads
 * elsewhere.
 */
TG_CHECKED int address_parse(struct address *out, struct arena *arena, const char *source,
                             struct err *err);

/*
 * Whether `pattern` is the address, with or without its folder, or a prefix that ends in '*'. The
 * part before '*' must contain the complete host name.
 */
bool address_matches(const struct address *address, const char *pattern);

/*
 * A bare repository of our own, at FOLDER/catalogs/SHA256-OF-URL. It has no refs: `listing` has
 * them. Nothing in it is ever modified. Packs are fetched into a second repository, and renamed
 * into this one when they are complete and checked; so is the listing. It can therefore be read
 * during a fetch, and stays intact if a process dies. A lock admits one fetch at a time, so that
 * the next one finds the result.
 */
struct remote_cache {
    struct arena *arena;
    const struct address *address;
    const char *path;
    int lock; /* -1: not held */
};

/* How to reach servers; set once for the process. */
struct remote_settings {
    const char *folder; /* for the caches; NULL: no caches */
    bool offline;       /* use only the cache */
    bool may_ask;       /* the user can enter passwords at the terminal */
    void (*say)(void *context, const char *what, const char *url); /* before it takes time; or NULL
                                                                    */
    void *context;
};
void remote_configure(const struct remote_settings *settings);
const struct remote_settings *remote_settings(void);

/* Creates the cache if it is missing. Release with remote_cache_unlock. */
TG_CHECKED int remote_cache_open(struct remote_cache *out, struct arena *arena,
                                 const struct address *address, struct err *err);
/* Takes the lock; waits as long as a fetch may take. No effect if it is already held. */
TG_CHECKED int remote_cache_lock(struct remote_cache *cache, struct err *err);
void remote_cache_unlock(struct remote_cache *cache);

struct ref_listing {
    struct catalog_revision *items; /* tags and branches */
    size_t count;
    const char *head_branch; /* the branch in HEAD, or NULL */
    const char *head_commit; /* NULL: empty repository */
};

/*
 * Parses the output of `git ls-remote --symref`. Skips refs that are neither tags nor branches, and
 * names that git refuses. Exit 1 "answer" for other text, 2 "limit", 3 "repository-form" for
 * SHA-256 object ids.
 */
TG_CHECKED int listing_parse(struct ref_listing *out, struct arena *arena, struct span text,
                             struct err *err);

/* The server's last listing; `*found` is false if there is none yet. */
TG_CHECKED int remote_cache_listing(struct span *out, bool *found, const struct remote_cache *cache,
                                    struct err *err);
/* Fetches a new listing. Exit 1 "unreachable-catalog" with git's message. */
TG_CHECKED int remote_cache_ask(struct remote_cache *cache, struct err *err);

enum fetch_outcome {
    FETCH_DONE,
    FETCH_UNKNOWN, /* the server lacks the object */
    FETCH_REFUSED, /* the server serves only objects named by its refs */
};
struct fetch {
    const char *ref;       /* "refs/tags/v1.0.0", a commit's id; NULL: all tags and branches */
    const char *wanted;    /* expected id of `ref`; NULL: any */
    const struct oid *ids; /* fetches only these objects */
    size_t count;
    bool partial; /* only the newest commit, and no files if the server supports that */
    bool whole;   /* with its whole history */
};
/* Errors as above; 1 "changed-meanwhile" if `ref` no longer is `wanted`; "limit"; signals. */
TG_CHECKED int remote_cache_fetch(enum fetch_outcome *outcome, struct remote_cache *cache,
                                  const struct fetch *fetch, struct err *err);
