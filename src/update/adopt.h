/* `adopt`: a repository that was not made from a template gets one, and keeps its files. */
#pragma once

#include "base/err.h"
#include "resolver/request.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct asker;
struct catalog;
struct given_list;
struct update_outcome;

struct adopt_options {
    const char *path; /* the folder that becomes a child */
    const struct catalog *catalog;
    const char *type;                    /* --type, or NULL */
    const struct given_list *answers;    /* to questions, by rank */
    const struct given_list *stack;      /* stack choices, by rank, */
    const struct stack_request *request; /* and the same as a request */
    const struct asker *asker;           /* NULL: nobody is asked */
    struct words merge;                  /* globs of files to merge where they differ */
    bool dry_run, no_commit, signoff;
    const char *branch;  /* --branch, or NULL */
    const char *message; /* --message, or NULL */
};

/* Returns the exit code of its result, or -1 with `err` set. */
TG_CHECKED int adopt_run(struct update_outcome *out, struct arena *arena,
                         const struct adopt_options *options, struct err *err);
