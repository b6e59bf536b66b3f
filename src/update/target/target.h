/* Where an update goes: which revision of the catalog, which answers, which stack. */
#ifndef TMPLGEN_TARGET_H
#define TMPLGEN_TARGET_H

#include "base/err.h"
#include "base/str.h"
#include "catalog/answers.h"
#include "catalog/render.h"
#include "child/provenance.h"
#include "child/record.h"
#include "update/target/migrate.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct data;

struct target_options {
    const char *to;                    /* --to */
    const char *source, *ref;          /* --catalog SRC[@REF]; NULL: as recorded */
    const struct given_list *sets;     /* answers by --set and below it in rank */
    const struct stack_request *stack; /* stack choices by --set */
    const char *const *unset;          /* stack choices that `--set NAME=` takes back */
    size_t unset_count;
    bool upgrade, allow_downgrade, prerelease;
    bool looks;                /* nothing changes: a program that is too old is a warning */
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
 * Chooses the revision: fills in `origin`, `nothing_new` and `warnings`, and keeps the catalog open
 * for target_make, which fills in the rest. Everything lives in the arena; `provenance` and
 * `options` must live as long. target_close is due after a failure, too.
 */
TG_CHECKED int target_choose(struct target *out, struct arena *arena,
                             const struct provenance *provenance,
                             const struct target_options *options, struct err *err);
TG_CHECKED int target_make(struct target *target, struct err *err);
void target_close(struct target *target);

#endif
