/* Shared by the `matrix` commands: the matrix of a catalog, and a package index, live or
 * recorded. */
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

/* Settings of pip; NULL: it has none. */
struct pip_settings {
    const char *index_url, *cert, *proxy;
};

/* --index-url, --offline, --timeout, --no-cache. */
extern const struct option live_options[];

TG_CHECKED int live_open(struct live_index *out, struct run *run, struct err *err);
/* Writes the index's questions and answers to the file of --record, if it is given. */
TG_CHECKED int live_record(const struct live_index *live, struct run *run, struct err *err);
/* Opens run->http by the options and `pip` (or NULL); `parallel` as in http_settings. */
TG_CHECKED int live_http(struct run *run, const struct pip_settings *pip, size_t parallel,
                         struct err *err);

/* The matrix of run->catalog, and its overlay. */
struct session {
    struct run *run;
    struct span overlay;
    struct live_index live; /* for commands that ask an index */
    struct err *err;
};

/* --catalog, --overlay, --trust. */
extern const struct option matrix_source_options[];
/* Opens the catalog without printing its warnings: they are about records of children. */
TG_CHECKED int matrix_session_open(struct session *s, struct run *run, struct err *err);
/* Reads the overlay of --overlay, which must exist, else the overlay of this folder, if any. */
TG_CHECKED int matrix_overlay(struct span *out, struct run *run, struct err *err);
/* Prints a part of the document, in the words of `write`. */
void matrix_print(struct run *run, int (*write)(struct buf *, const struct data *),
                  const struct data *data);
