/* The built-in catalog's history: a commit for each release, and one for what is newer. */
#ifndef TMPLGEN_BUILTIN_H
#define TMPLGEN_BUILTIN_H

#include <stddef.h>

struct arena;
struct fileset;

struct builtin_commit {
    const char *version;
    const char *commit; /* 40 hex digits: what records of children name */
    const char *tag;    /* "v0.1.0"; NULL: not released */
    const char *who;    /* author and committer, in git's form */
    const char *message;
    const struct fileset *files;
};

/* Oldest first, each the only parent of the next; the last is what the program was built with. */
size_t builtin_history(struct builtin_commit **out, struct arena *arena);

#endif
