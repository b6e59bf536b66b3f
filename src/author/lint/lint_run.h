/* One run of `template lint`, and the data that its steps share. */
#pragma once

#include "author/lint/lint_finding.h"
#include "author/show/type_files.h"
#include "base/err.h"
#include "base/intern.h"
#include "base/span.h"
#include "base/str.h"

#include <stdbool.h>

struct base_image;

/* A type or a base image. */
struct lint_type {
    const char *name;
    const struct manifest *manifest; /* NULL: it cannot be read at all */
    const struct base_image *image;  /* of a base image */
    bool damaged;                    /* parts of the manifest were left out */
    bool layers_damaged;             /* the same for a layer that it may take */
    struct type_files parts;
    struct data *known; /* the names that its templates may use; see jinja/mentions.h */
    struct data *read;  /* the names that they use */
};

/* The templates that a mentioned name may mean. */
struct lint_templates {
    const char **names;
    size_t count;
};

struct lint {
    struct arena *arena;
    const struct catalog *catalog;
    struct words chosen; /* types; none: all */
    const struct fileset *files;
    struct finding_list *findings;
    struct lint_type *types;
    size_t type_count;
    bool whole;                 /* all types are checked */
    const char **include_names; /* the names by which files can be included, and their paths */
    const char **include_paths;
    size_t include_count;
    struct intern mentioned; /* names and patterns of templates; `templates` has their meanings */
    struct lint_templates *templates;
    struct data *reached; /* paths of files that are included somewhere */
    struct err *err;      /* for an error that ends the run: limits */
};

/*
 * The steps, in their order. Each adds to the findings. It fails only at limits, and where the
 * catalog's files cannot be read.
 */
TG_CHECKED int lint_manifests(struct lint *lint); /* fills types */
TG_CHECKED int lint_mentions(struct lint *lint);  /* fills read, reached */
TG_CHECKED int lint_unused(struct lint *lint);
TG_CHECKED int lint_history(struct lint *lint);
TG_CHECKED int lint_renders(struct lint *lint);
TG_CHECKED int lint_suppressions(struct lint *lint); /* removes findings */

/* True where an error ends the run, and is no finding. */
bool lint_ends(const struct err *err);
/* Keeps a finding. -1 where the error ends the run: it is then in lint->err. */
TG_CHECKED int lint_keep(struct lint *lint, enum lint_rule rule, const struct err *err);
/* The same at the head of a file of the catalog. */
TG_CHECKED int lint_keep_at(struct lint *lint, enum lint_rule rule, struct err *err,
                            const char *path);

struct rereading {
    const char *path; /* of the manifest */
    /* Reads the manifest in `files`, which have it in place of the catalog's. */
    int (*load)(void *context, struct arena *arena, const struct fileset *files, struct err *err);
    void *context;
    struct finding_list *findings; /* gets each mistake, as RULE_MANIFEST */
    struct span *text;             /* gets the text that was read at the end; or NULL */
};

/*
 * Loads `rereading->path` until it has no mistake left: each time it removes the entry of a list,
 * or the member of the document, that is to blame. `*loaded`: the last attempt, in the arena,
 * worked. `*damaged`: something was removed. Fails where `files` cannot be read, and at limits.
 */
TG_CHECKED int reread(bool *loaded, bool *damaged, struct arena *arena, const struct fileset *files,
                      const struct rereading *rereading, struct err *err);

/*
 * True where "resolution.cuda.variant" may exist, by docs/json.md on resolutions and requests.
 * Methods of existing values count. Names below a text, a list or a map of any names are not
 * checked. `*nearest` is a name that may be meant, or NULL.
 */
bool attribute_is_known(const char **nearest, struct span path);
