/* What `matrix` commands share: the matrix of a catalog, and a package index: the user's own, or a
 * record of one. */
#pragma once

#include "base/str.h"
#include "cmd/common/opt.h"

#include <stddef.h>

struct buf;
struct data;
struct package_index;
struct run;

struct live_index {
    struct package_index *index;
    const char *name; /* of the index or the record, for people; without secrets */
};

/* What pip is set up for; NULL: it has no such setting. */
struct pip_settings {
    const char *index_url, *cert, *proxy;
};

/* --index-url, --offline, --timeout, --no-cache. */
extern const struct option live_options[];

TG_CHECKED int live_open(struct live_index *out, struct run *run, struct err *err);
/* Writes what was asked and answered where --record names a file. */
TG_CHECKED int live_record(const struct live_index *live, struct run *run, struct err *err);
/* Opens run->http as the options and `pip` (or NULL) have it; `parallel` as in http_settings. */
TG_CHECKED int live_http(struct run *run, const struct pip_settings *pip, size_t parallel,
                         struct err *err);

/* The matrix of run->catalog, and what lies over it. */
struct session {
    struct run *run;
    struct span overlay;
    struct live_index live; /* of the commands that ask an index */
    struct err *err;
};

/* --catalog, --overlay, --trust. */
extern const struct option matrix_source_options[];
/* Opens the catalog without telling its warnings: they are about records of children. */
TG_CHECKED int matrix_session_open(struct session *s, struct run *run, struct err *err);
/* What --overlay names, which must be there, else the overlay of this folder, which may be. */
TG_CHECKED int matrix_overlay(struct span *out, struct run *run, struct err *err);
/* Prints what `write` has for people of a part of the document. */
void matrix_print(struct run *run, int (*write)(struct buf *, const struct data *),
                  const struct data *data);
