/* The proven base of an update: what the child was made from, and how we know. */
#ifndef TMPLGEN_UPDATE_BASE_H
#define TMPLGEN_UPDATE_BASE_H

#include "base/err.h"
#include "plan/sides.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;
struct catalog;
struct record;
struct render;
struct repo;

enum proof {
    PROOF_RENDER,  /* the recorded revision renders to the recorded tree */
    PROOF_REF,     /* refs/tmplgen/base/TREE-ID */
    PROOF_HISTORY, /* the root commit, or a merge's second parent */
    PROOF_GIVEN,   /* --base */
    PROOFS
};
extern const char *const proof_names[PROOFS]; /* as in JSON.md */

struct base {
    enum proof proof;
    struct oid tree; /* without the record */
    struct plan_list files;
    bool has_rules;     /* sources and policies are known */
    const char *drift;  /* with accepted drift: the recorded id; else NULL */
    const char *commit; /* with PROOF_HISTORY and PROOF_GIVEN: which, hexadecimal; else NULL */
};

struct base_options {
    const char *commit; /* --base: anything that names a commit; or NULL */
    bool accept_drift;
    const char
        *moved_to; /* where the catalog is now, if the recorded source has it no more; or NULL */
};

/*
 * Climbs the ladder of UPDATE.md 3. `record` is genuine. Where nothing proves the base: exit 3,
 * "no-base" or "drift". Never a guess.
 */
TG_CHECKED int base_prove(struct base *out, const struct repo *repo, const struct record *record,
                          const struct base_options *options, struct err *err);

/* What a record renders to, by the catalog of `source`. That is closed on return: bytes are kept.
 */
TG_CHECKED int base_render(struct render *out, struct arena *arena, const struct record *record,
                           const char *source, struct err *err);
/* A render as a list for the planner. */
void base_list_render(struct plan_list *out, struct arena *arena, const struct render *render);

#endif
