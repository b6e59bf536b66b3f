/* Catalogs on servers: their addresses, and what was fetched of one: objects, and what the server
 * said it has. */
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
    const char *url;      /* of the repository: scheme and host in small letters, no last '/' */
    const char *folder;   /* of the catalog in it, or "" */
    const char *source;   /* both, as the record has them */
    const char *protocol; /* "https", "ssh", "http", "git" */
};

/* Whether it is no path and no file:// on this machine. Looks at the disk. */
bool address_is_remote(const char *source);
/*
 * What a user lists: such an address, or its beginning and a '*', as addresses are compared with.
 * Exit 2, "invalid-source", for one that none can match.
 */
TG_CHECKED int address_pattern(const char **out, struct arena *arena, const char *pattern,
                               struct err *err);

/*
 * Exit 2 "invalid-source": no address that is taken, a password in it (which is never repeated), an
 * option or another program in disguise; "limit": a folder with too long a name. 3
 * "insecure-source": http or git to another machine; "unsafe-path": a folder that leads elsewhere.
 */
TG_CHECKED int address_parse(struct address *out, struct arena *arena, const char *source,
                             struct err *err);

/*
 * Whether `pattern` is the address, with or without the folder, or all before a last '*' of it.
 * What comes before the '*' must name the host to its end.
 */
bool address_matches(const struct address *address, const char *pattern);

/*
 * A bare repository of ours, at FOLDER/catalogs/SHA256-OF-URL, without refs: `listing` has them.
 * Nothing in it is ever changed: packs are fetched into a repository beside it, and come in by
 * rename when they are whole and checked, the listing likewise. So it may be read while others
 * fetch, and is sound whenever a process ends. A lock lets one process at a time fetch, so that
 * the next finds what it wanted.
 */
struct remote_cache {
    struct arena *arena;
    const struct address *address;
    const char *path;
    int lock; /* -1: not held */
};

/* How this run reaches servers: said once, holds for the process. */
struct remote_settings {
    const char *folder; /* of the caches; NULL: there is no place for them */
    bool offline;       /* what is in the cache, and no more */
    bool may_ask;       /* a person is at the terminal, for passwords */
    void (*say)(void *context, const char *what, const char *url); /* before it takes time; or NULL
                                                                    */
    void *context;
};
void remote_configure(const struct remote_settings *settings);
const struct remote_settings *remote_settings(void);

/* Makes it where it is not there. Release with remote_cache_unlock. */
TG_CHECKED int remote_cache_open(struct remote_cache *out, struct arena *arena,
                                 const struct address *address, struct err *err);
/* Waits for the lock as long as a fetch may take; held once, more calls do nothing. */
TG_CHECKED int remote_cache_lock(struct remote_cache *cache, struct err *err);
void remote_cache_unlock(struct remote_cache *cache);

struct ref_listing {
    struct catalog_revision *items; /* tags and branches */
    size_t count;
    const char *head_branch; /* that HEAD names, or NULL */
    const char *head_commit; /* NULL: the repository is empty */
};

/*
 * The lines of `git ls-remote --symref`; refs that are neither tags nor branches, or no names for
 * git, are passed over. Exit 1 "answer" for what is no such text, 2 "limit", 3 "repository-form"
 * where objects go by SHA-256.
 */
TG_CHECKED int listing_parse(struct ref_listing *out, struct arena *arena, struct span text,
                             struct err *err);

/* What the server said last; `*found` false: nothing yet. */
TG_CHECKED int remote_cache_listing(struct span *out, bool *found, const struct remote_cache *cache,
                                    struct err *err);
/* Asks the server anew. Exit 1 "unreachable-catalog" with what git said. */
TG_CHECKED int remote_cache_ask(struct remote_cache *cache, struct err *err);

enum fetch_outcome {
    FETCH_DONE,
    FETCH_UNKNOWN, /* the server has no such object */
    FETCH_REFUSED, /* it gives only what its refs name */
};
struct fetch {
    const char *ref;       /* "refs/tags/v1.0.0", a commit's id; NULL: all tags and branches */
    const char *wanted;    /* the id that `ref` must have there; NULL: any */
    const struct oid *ids; /* or these objects, and nothing else */
    size_t count;
    bool partial; /* without files, where the server can; only the newest commit */
    bool whole;   /* with all commits before it */
};
/* Errors as above; 1 "changed-meanwhile" where `ref` is not `wanted` any more; "limit"; signals. */
TG_CHECKED int remote_cache_fetch(enum fetch_outcome *outcome, struct remote_cache *cache,
                                  const struct fetch *fetch, struct err *err);
