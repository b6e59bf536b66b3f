/* Commands of a catalog's authors, run in a child that was made for them. */
#ifndef TMPLGEN_CHILD_CHECKS_H
#define TMPLGEN_CHILD_CHECKS_H

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct arena;
struct making;

struct child_check {
    struct words command;
    const char *where;  /* the case */
    int status;         /* exit code, or 128 and the number of a signal */
    const char *output; /* of both streams, its last part */
};

/*
 * Makes the child in a folder of its own that is removed again, with a repository, as `new` does,
 * and runs the commands there one after the other; the first that fails is the last. They run code
 * of the catalog's.
 */
TG_CHECKED int child_checks_run(struct child_check **out, size_t *count, struct arena *arena,
                                const struct making *making, const struct words *commands,
                                size_t command_count, const char *where, struct err *err);

#endif
