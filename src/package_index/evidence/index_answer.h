/* What a package index answers, read into one plain form, whatever the form it came in. */
#pragma once

#include "base/err.h"
#include "base/str.h"

#include <stddef.h>

struct arena;
struct data;

/*
 * A project as a map: version -> {uploaded: "2025-08-06" or null, yanked: bool, python: SPEC or
 * null, wheels: [file names], requires: null}. Only wheels for Linux are listed, in their order; a
 * release all of whose files were withdrawn is yanked. `files` gets file name -> {url, sha256} of
 * those wheels, for their metadata; the JSON API makes it NULL. Names, versions and dates that are
 * not of their form are left out. Exit 1, code "answer", where a document is not what it must be.
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
 * The requirements of one release that say something of CUDA or of a pinned package: a list of
 * texts. Of the JSON API (/pypi/NAME/VERSION/json) and of a metadata file (PEP 658); both must be
 * of that name and version.
 */
TG_CHECKED int index_parse_release(struct data **requires, struct arena *arena, const char *name,
                                   const char *version, struct span text, struct err *err);
TG_CHECKED int index_parse_metadata(struct data **requires, struct arena *arena, const char *name,
                                    const char *version, struct span text, struct err *err);
