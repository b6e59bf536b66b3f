/* Kinds of catalog sources: a table of functions for each, and the catalog that they open. */
#pragma once

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct catalog_revision;
struct fileset;
struct yaml_node;

#define CATALOG_BUILTIN "builtin"

/*
 * The origin of a catalog, for the record. `source` is CATALOG_BUILTIN, an absolute path or a URL.
 * `ref` and `commit` are NULL for a folder without history: a fresh clone can then verify the base
 * only by the child's history. `version` is that of catalog.yml.
 */
struct catalog_origin {
    const char *source;
    const char *ref;
    const char *commit; /* 40 hex digits */
    const char *version;
    const struct catalog_origin *extends; /* the catalog that this one extends, or NULL */
    /* Not recorded; NULL if not verified in this run. */
    const char *signer;    /* the verified signer */
    const char *signature; /* "good", "unverified", "unsigned" */
};

/* Memory lives in the arena; handles live until the catalog is closed. */
struct catalog {
    struct catalog_origin origin;
    const char *name;
    const struct fileset *files; /* including those of the extended catalog */
    const struct yaml_node *yml; /* catalog.yml */
    const struct fileset *own;   /* only its own files, if it extends a catalog; else NULL */
    struct catalog *extends;     /* or NULL; closed together */
    const char *warning;         /* for the user, about a folder or uncommitted changes; or NULL */
    bool is_tested;              /* with this program: its types are known to be valid */
    void (*close)(struct catalog *catalog);
    void *handle;
};

struct source_kind {
    /* Whether `source` is of this kind. Reads the disk, but contacts no server. */
    bool (*takes)(const char *source);
    /* As catalog_open, which then reads catalog.yml: fills in the rest of `out`. */
    TG_CHECKED int (*open)(struct catalog *out, struct arena *arena, const char *source,
                           const char *ref, struct err *err);
    /* As catalog_revisions; NULL if there is no history. */
    TG_CHECKED int (*revisions)(struct catalog_revision **out, size_t *count, struct arena *arena,
                                const char *source, struct err *err);
};

extern const struct source_kind source_builtin, source_remote, source_git, source_folder;

/* A commit of the built-in catalog's history: one for each release, and one for newer content. */
struct builtin_commit {
    const char *version;
    const char *commit; /* 40 hex digits; recorded in children */
    const char *tag;    /* "v0.1.0"; NULL: not released */
    const char *who;    /* author and committer, in git's form */
    const char *message;
    const struct fileset *files;
};

/* Oldest first; each is the only parent of the next. The last is the program's own catalog. */
size_t builtin_history(struct builtin_commit **out, struct arena *arena);

/* Whether `path` itself is a git repository, with or without a work tree. */
bool source_is_repository(const char *path);
/*
 * Splits REPOSITORY//FOLDER on this machine into the repository's path and the catalog's folder.
 * For any other source, `*path` is its path or NULL (see source_path), `*folder` is "".
 */
void source_split(const char **path, const char **folder, struct arena *arena, const char *source);
/* The path of a local source, which may begin with file://; NULL for any other URL. */
const char *source_path(const char *source);
/* The absolute path of a local source, with links resolved. */
TG_CHECKED int source_resolve(const char **out, struct arena *arena, const char *source,
                              struct err *err);

/* The files of a folder on disk, read without following links. */

/*
 * The files for which `counts` is true, given their path below the folder; a folder's path ends in
 * '/'. Links and special files among them are refused (exit 2). The set reads from the folder until
 * catalog_folder_files_free; `path` must live as long.
 */
TG_CHECKED int catalog_folder_files(const struct fileset **out, struct arena *arena,
                                    const char *path, bool (*counts)(const char *path),
                                    struct err *err);
void catalog_folder_files_free(const struct fileset *files);

/*
 * Whether a path belongs to a catalog: catalog.yml, CHANGELOG.md, or below templates/ and its
 * siblings. A folder's path ends in '/'.
 */
bool catalog_path_counts(const char *path);
