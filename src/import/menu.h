/* A repository of several cookiecutter templates: each becomes a type. */
#ifndef TMPLGEN_IMPORT_MENU_H
#define TMPLGEN_IMPORT_MENU_H

#include "base/err.h"

#include <stddef.h>

struct arena;
struct fileset;

struct menu_entry {
    const char *type, *folder, *description; /* `folder` with its '/' */
};

struct menu {
    struct menu_entry *entries;
    size_t count;
};

/* None where the source is one template. */
TG_CHECKED int menu_read(struct menu *out, struct arena *arena, const struct fileset *files,
                         struct err *err);

#endif
