/* Patches for people: masked, in colour on a terminal, and not without end. */
#ifndef TMPLGEN_PATCH_VIEW_H
#define TMPLGEN_PATCH_VIEW_H

#include "author/differences.h"

#include <stddef.h>

struct buf;

/* So many lines of patches are shown in all, and what is left out is counted. */
struct patch_view {
    struct buf *out;
    size_t room;   /* lines left */
    size_t hidden; /* lines that there was no room for */
};

/* One file's change; the cases that it is seen in come before it, where `where` names one. */
void patch_view_put(struct patch_view *view, const struct difference *difference);

#endif
