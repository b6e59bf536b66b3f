/* The target of an update: which revision of the catalog, which answers, which stack. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "catalog/answers.h"
#include "catalog/render.h"
#include "child/provenance.h"
#include "child/record.h"
#include "resolver/request.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct catalog;
struct catalog_origin;
struct data;
struct fileset;
struct given_list;
struct manifest;
struct provenance;
struct record;

/* The changes that migrations, and the new version's questions, made to answers and files. */
struct migrated {
    struct {
        struct words added, dropped;
        struct renames renamed;
    } answers;
    struct renames files;
    struct words notes; /* of the applied migrations, for people */
};

/*
 * Applies every migration of the target's manifest that matches the recorded version of its
 * catalog, in order. `given` gets the answers of `sets`, then the recorded answers under their new
 * names, without the dropped ones. Fills in the renames of answers and files.
 */
TG_CHECKED int migrate_apply(struct migrated *out, struct given_list *given, struct arena *arena,
                             const struct manifest *manifest, const struct provenance *provenance,
                             const struct given_list *sets, struct err *err);
/* Lists the files renamed by migrations that match `from` and, unless it is NULL, not `to`. */
TG_CHECKED int migrate_renames(struct migrated *out, struct arena *arena,
                               const struct manifest *manifest, const struct catalog_origin *from,
                               const struct catalog_origin *to, struct err *err);
/* Fills in the added and dropped answers, once `kept` is known. */
void migrate_compare(struct migrated *out, struct arena *arena, const struct provenance *provenance,
                     const struct data *kept);

/* The stack of an update: the request, resolved again in the matrix of the target. */

struct stack_input {
    const struct fileset *files; /* of the target catalog */
    struct span overlay;
    const struct record *recorded;
    struct stack_need need;           /* of the target's type */
    const struct stack_request *said; /* by --set; may be NULL */
    struct words unset;
    bool upgrade;
    bool keep; /* the catalog is the same: without a new request the stack stays */
};

struct carried_stack {
    struct data *request, *resolution;
    struct data *refusal; /* with exit 4 */
    const char *note;     /* a warning, or NULL */
};

/*
 * Makes the stack. Framework minor and CUDA variant stay as recorded where the user asked for
 * neither and the matrix has them, unless `upgrade`. Exit 4 where there is no solution.
 */
TG_CHECKED int stack_make(struct carried_stack *out, struct arena *arena,
                          const struct stack_input *input, struct err *err);
/* For a template without a stack: exit 2 where the user makes stack choices, else 0. */
TG_CHECKED int stack_refuse(const struct stack_input *input, const char *type, struct err *err);

/*
 * Lists the changes, {what, from, to}; `from` or `to` may be null. `image` is the base image: the
 * team's where there is one.
 */
struct data *stack_changes(struct arena *arena, const struct data *before,
                           const struct data *after);

/* The target of an update: which revision of the catalog, which answers, which stack. */

struct target_options {
    const char *to;                    /* --to */
    const char *source, *ref;          /* --catalog SRC[@REF]; NULL: as recorded */
    const struct given_list *sets;     /* answers by --set, then those of lower rank */
    const struct stack_request *stack; /* stack choices by --set */
    struct words unset;                /* stack choices that `--set NAME=` clears */
    bool upgrade, allow_downgrade, prerelease;
    bool looks;                /* nothing changes: a program that is too old is only a warning */
    const struct asker *asker; /* NULL: nobody is asked */
};

struct target {
    struct catalog_origin origin;
    const char *catalog_name;
    bool nothing_new; /* same revision, engine, answers and stack: the render is the same */
    struct manifest *manifest;
    struct render render;
    struct record record;
    struct migrated migrated;
    struct data *stack;   /* list of {what, from, to} */
    struct data *notes;   /* of the new version: list of {version, from, text} */
    struct data *refusal; /* of the matrix, with exit 4 */
    struct words warnings;
    struct target_run *run; /* private, until target_close */
};

/*
 * Chooses the revision: fills in `origin`, `nothing_new` and `warnings`. Keeps the catalog open for
 * target_make, which fills in the rest. Everything lives in the arena; `provenance` and `options`
 * must live as long. The caller calls target_close after a failure, too.
 */
TG_CHECKED int target_choose(struct target *out, struct arena *arena,
                             const struct provenance *provenance,
                             const struct target_options *options, struct err *err);
TG_CHECKED int target_make(struct target *target, struct err *err);
void target_close(struct target *target);

/* The news of a version in its authors' words: the changelog, and notes of migrations. */

/*
 * Makes the list {version, from, text}. The notes of applied migrations come first (`version` is
 * null). Then come the sections of the catalog's changelog that are newer than `made`, the child's
 * origin, newest first; then those of the catalogs that it extends, which also have `catalog`, a
 * name. Texts are masked and have no markup of headings. Where a limit cuts them, a line says so.
 */
TG_CHECKED int notes_collect(struct data **out, struct arena *arena, const struct catalog *catalog,
                             const struct migrated *migrated, const struct catalog_origin *made,
                             struct err *err);
