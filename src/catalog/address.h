/* The address of a catalog on a server: what of it git is given, and what is refused before. */
#ifndef TMPLGEN_ADDRESS_H
#define TMPLGEN_ADDRESS_H

#include "base/err.h"

#include <stdbool.h>

struct arena;

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

#endif
