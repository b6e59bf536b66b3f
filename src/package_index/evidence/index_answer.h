/* Reads the answers of a package index, of whatever form, into one plain form. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct arena;
struct data;

/*
 * A project as a map: version -> {uploaded: "2025-08-06" or null, yanked: bool, python: SPEC or
 * null, wheels: [file names], requires: null}. Lists only wheels for Linux, in their order. A
 * release all of whose files were withdrawn is yanked. `files` maps file names to {url, sha256} of
 * those wheels, for their metadata; the JSON API makes it NULL. Names, versions and dates of a
 * wrong form are left out. Exit 1, code "answer", where a document has a wrong form.
 */
struct project_parts {
    struct data *releases, *files;
};

/* The JSON API: /pypi/NAME/json. `page` is its URL, for links. */
TG_CHECKED int index_parse_project(struct project_parts *out, struct arena *arena, const char *name,
                                   const char *page, struct span text, struct err *err);
/* The simple API as JSON (PEP 691) and as HTML (PEP 503). */
TG_CHECKED int index_parse_simple(struct project_parts *out, struct arena *arena, const char *name,
                                  const char *page, struct span text, struct err *err);
TG_CHECKED int index_parse_html(struct project_parts *out, struct arena *arena, const char *name,
                                const char *page, struct span text, struct err *err);

/*
 * The requirements of one release on CUDA or on a pinned package: a list of texts. From the JSON
 * API (/pypi/NAME/VERSION/json) and from a metadata file (PEP 658); both must have that name and
 * version.
 */
TG_CHECKED int index_parse_release(struct data **requires, struct arena *arena, const char *name,
                                   const char *version, struct span text, struct err *err);
TG_CHECKED int index_parse_metadata(struct data **requires, struct arena *arena, const char *name,
                                    const char *version, struct span text, struct err *err);
