/* A package index on the command line: the user's own, or a record of one. */
#ifndef TMPLGEN_LIVE_INDEX_H
#define TMPLGEN_LIVE_INDEX_H

#include "cmd/common/opt.h"

#include <stddef.h>

struct arena;
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
/* The folder of what may be thrown away, $XDG_CACHE_HOME/tmplgen, in the arena; or NULL. */
const char *live_cache_folder(struct arena *arena);
/* Opens run->http as the options and `pip` (or NULL) have it; `parallel` as in http_settings. */
TG_CHECKED int live_http(struct run *run, const struct pip_settings *pip, size_t parallel,
                         struct err *err);

#endif
