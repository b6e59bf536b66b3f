/* A kind of place that a catalog can come from: a row of functions each, and what they open. */
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
 * What the record says of the catalog. `source` is CATALOG_BUILTIN, an absolute path, or a URL.
 * `ref` and `commit` are NULL for a folder without history: a fresh clone can prove such a base
 * by the child's history alone. `version` is catalog.yml's.
 */
struct catalog_origin {
    const char *source;
    const char *ref;
    const char *commit; /* 40 hex digits */
    const char *version;
    const struct catalog_origin *extends; /* of the catalog that this one builds on, or NULL */
    /* Of this run, not of the record: NULL where nobody looked. */
    const char *signer;    /* who signed it, as verified */
    const char *signature; /* "good", "unverified", "unsigned" */
};

/* Everything lives in the arena that was given, handles until it is closed. */
struct catalog {
    struct catalog_origin origin;
    const char *name;
    const struct fileset *files; /* with those of what it extends */
    const struct yaml_node *yml; /* catalog.yml */
    const struct fileset *own;   /* its files alone, where it extends a catalog; else NULL */
    struct catalog *extends;     /* or NULL; closed with this one */
    const char *warning;         /* for people: a folder catalog, a dirty one; or NULL */
    bool is_tested; /* with this program: what is wrong with its types was found before */
    void (*close)(struct catalog *catalog);
    void *handle;
};

struct source_kind {
    /* Whether `source` is of this kind. Looks at the disk, asks nobody. */
    bool (*takes)(const char *source);
    /* As catalog_open, which adds what catalog.yml says: fills the rest of `out`. */
    TG_CHECKED int (*open)(struct catalog *out, struct arena *arena, const char *source,
                           const char *ref, struct err *err);
    /* As catalog_revisions; NULL where there is no history. */
    TG_CHECKED int (*revisions)(struct catalog_revision **out, size_t *count, struct arena *arena,
                                const char *source, struct err *err);
};

extern const struct source_kind source_builtin, source_remote, source_git, source_folder;

/* The built-in catalog's history: a commit for each release, and one for what is newer. */
struct builtin_commit {
    const char *version;
    const char *commit; /* 40 hex digits: what records of children name */
    const char *tag;    /* "v0.1.0"; NULL: not released */
    const char *who;    /* author and committer, in git's form */
    const char *message;
    const struct fileset *files;
};

/* Oldest first, each the only parent of the next; the last is what the program was built with. */
size_t builtin_history(struct builtin_commit **out, struct arena *arena);

/* A git repository itself, with or without a work tree. */
bool source_is_repository(const char *path);
/*
 * REPOSITORY//FOLDER on this machine: `*path` is the repository's, `*folder` the catalog's in it.
 * "" where the source is no such thing.
 */
void source_split(const char **path, const char **folder, struct arena *arena, const char *source);
/* The path of a source on this machine, which may begin with file://; NULL of any other URL. */
const char *source_path(const char *source);
/* The path of such a source, absolute and through no link. */
TG_CHECKED int source_resolve(const char **out, struct arena *arena, const char *source,
                              struct err *err);

/* The files of a folder on disk, read without following links. */

/*
 * Those that `counts` takes, by their path below the folder; of a folder it is asked with a '/'
 * behind it. Links and special files among them are refused (exit 2). The set reads from the folder
 * until catalog_folder_files_free; `path` must live as long.
 */
TG_CHECKED int catalog_folder_files(const struct fileset **out, struct arena *arena,
                                    const char *path, bool (*counts)(const char *path),
                                    struct err *err);
void catalog_folder_files_free(const struct fileset *files);

/*
 * True for paths that belong to a catalog: catalog.yml, CHANGELOG.md, or below templates/ and its
 * siblings. A folder's path has a '/' behind it.
 */
bool catalog_path_counts(const char *path);
