/* The scratch folder: a type is rendered into it again and again, as its catalog changes. */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct arena;
struct differences;
struct render;

/* The file that marks a scratch folder, and lists tmplgen's own files in it. */
#define SCRATCH_MARK ".tmplgen-render"

/* The default scratch folder of `type`, below the current folder. */
TG_CHECKED int scratch_default(const char **out, struct arena *arena, const char *type,
                               struct err *err);

/*
 * Refused with 3, "output-in-catalog": `output` lies where the catalog in `folder` has files of its
 * own, so that the next render would include this one.
 */
TG_CHECKED int scratch_check(struct arena *arena, const char *folder, const char *output,
                             struct err *err);

/*
 * Makes the files in `folder` those of `render`: replaces the earlier render, and reports the
 * changes in `out`; `*first` is true where there was no earlier render. Other files stay. Refused
 * with 3, "target-not-empty", before anything is touched: a folder with files that is no scratch
 * folder, and a file in the way that was changed since. After a crash the folder may have half of
 * each render, and the next render goes on.
 */
TG_CHECKED int scratch_put(struct differences *out, bool *first, struct arena *arena,
                           const char *folder, const struct render *render, struct err *err);

struct watch {
    int fd;      /* -1: not open */
    int top, at; /* the numbers of the folder, and of the folder with `name`; -1: none */
    const char *name;
};

/*
 * Watches the folders that exist now: the next wait needs a new watch. `beside` is a file elsewhere
 * to watch, too, or NULL; it must live as long.
 */
TG_CHECKED int watch_open(struct watch *out, const char *folder, const char *beside,
                          struct err *err);
void watch_close(struct watch *watch);
/* Waits for a change, and then for a moment without one; 130, 143, 129 where a signal came. */
TG_CHECKED int watch_wait(const struct watch *watch, struct err *err);
