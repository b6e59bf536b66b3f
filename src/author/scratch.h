/* A folder that a type is rendered into again and again, to be looked at, as its catalog changes.
 */
#pragma once

#include "base/err.h"

#include <stdbool.h>

struct arena;
struct differences;
struct render;

/* What says that a folder is one, and which files of it are tmplgen's own. */
#define SCRATCH_MARK ".tmplgen-render"

/* Where renders of `type` go unless somebody says otherwise, below the current folder. */
TG_CHECKED int scratch_default(const char **out, struct arena *arena, const char *type,
                               struct err *err);

/*
 * Refused with 3, "output-in-catalog": `output` lies where the catalog in `folder` has files of its
 * own, so that a render would be rendered by the next one.
 */
TG_CHECKED int scratch_check(struct arena *arena, const char *folder, const char *output,
                             struct err *err);

/*
 * Makes the files in `folder` those of `render`: what was rendered there before is replaced, and
 * `out` has what changed; `*first` says that nothing was. Other files stay. Refused with 3,
 * "target-not-empty": a folder with files that is none of these, and a file in the way that is
 * not as it was written; then nothing is touched. After a cut it may be half of each, and the next
 * render goes on.
 */
TG_CHECKED int scratch_put(struct differences *out, bool *first, struct arena *arena,
                           const char *folder, const struct render *render, struct err *err);

struct watch {
    int fd;      /* -1: not open */
    int top, at; /* the folder's number, and that of the folder `name` lies in; -1: none */
    const char *name;
};

/*
 * Watches the folders that there are now: the next wait needs a new watch. `beside` is a file
 * elsewhere that is watched, too, or NULL; it must live as long.
 */
TG_CHECKED int watch_open(struct watch *out, const char *folder, const char *beside,
                          struct err *err);
void watch_close(struct watch *watch);
/* Until something has changed and then nothing for a moment; 130, 143, 129 where a signal came. */
TG_CHECKED int watch_wait(const struct watch *watch, struct err *err);
