/* Waits until the files of a catalog's folder change. */
#ifndef TMPLGEN_WATCH_H
#define TMPLGEN_WATCH_H

#include "base/err.h"

struct watch {
    int fd;      /* -1: not open */
    int top, at; /* the folder's number, and that of the folder `name` lies in; -1: none */
    const char *name;
};

/*
 * Of the folders that there are now: whoever waits again opens another one first. `beside` is a
 * file somewhere else that counts too, or NULL; it must live as long.
 */
TG_CHECKED int watch_open(struct watch *out, const char *folder, const char *beside,
                          struct err *err);
void watch_close(struct watch *watch);
/* Until something has changed and then nothing for a moment; 130, 143, 129 where a signal came. */
TG_CHECKED int watch_wait(const struct watch *watch, struct err *err);

#endif
