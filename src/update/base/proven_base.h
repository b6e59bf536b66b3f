/* The proven base of an update: what the child was made from, and how we know. */
#ifndef TMPLGEN_PROVEN_BASE_H
#define TMPLGEN_PROVEN_BASE_H

#include "base/err.h"
#include "plan/plan_input.h"

#include <stdbool.h>
#include <stddef.h>

struct record;
struct render;
struct repo;

enum proof {
    PROOF_RENDER,  /* the recorded revision renders to the recorded tree */
    PROOF_REF,     /* refs/tmplgen/base/TREE-ID */
    PROOF_HISTORY, /* a commit, or the updates of the history replayed */
    PROOF_GIVEN,   /* --base */
    PROOFS
};
extern const char *const proof_names[PROOFS]; /* as in docs/json.md */

struct base {
    enum proof proof;
    struct oid tree; /* without the record */
    struct plan_list files;
    bool has_rules;     /* sources and policies are known */
    const char *drift;  /* with accepted drift: the recorded id; else NULL */
    const char *commit; /* with PROOF_HISTORY and PROOF_GIVEN: which, hexadecimal; else NULL */
    const char *note;   /* a warning about it, or NULL */
    /* With PROOF_GIVEN: paths where what the child had changed counts as the template's. */
    const char **undone;
    size_t undone_count;
};

struct base_options {
    const char *commit; /* --base: anything that names a commit; or NULL */
    bool trust;         /* --trust-base: it is taken even where it is not what the record says */
    const struct plan_list *child, *render; /* with `commit`: what it could do harm to */
    const struct render *alike;             /* see struct render_input */
    bool accept_drift;
    bool looks; /* nothing is to be changed: what was rendered here before counts (child/proof.h) */
    const char
        *moved_to; /* where the catalog is now, if the recorded source has it no more; or NULL */
};

/*
 * Climbs the ladder: rendered again, the base ref, history. `record` is genuine. Where nothing
 * proves the base: exit 3, "no-base" or "drift"; where `commit` is not the recorded rendering and
 * is not trusted, "unproven-base". Never a guess.
 */
TG_CHECKED int base_prove(struct base *out, const struct repo *repo, const struct record *record,
                          const struct base_options *options, struct err *err);

#endif
