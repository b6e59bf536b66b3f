/* The proven base of an update: the render that the child was made from, and its proof. */
#pragma once

#include "base/err.h"
#include "plan/plan.h"

#include <stdbool.h>

struct arena;
struct data;
struct record;
struct render;
struct repo;

enum proof {
    PROOF_RENDER,  /* the recorded revision renders to the recorded tree */
    PROOF_REF,     /* refs/tmplgen/base/TREE-ID */
    PROOF_HISTORY, /* a commit, or a replay of the updates in the history */
    PROOF_GIVEN,   /* --base */
    PROOFS
};

struct base {
    enum proof proof;
    struct oid tree; /* without the record */
    struct plan_list files;
    bool has_rules;      /* sources and policies of its files are known */
    const char *drift;   /* with accepted drift: the recorded tree id; else NULL */
    const char *note;    /* a warning about the base, or NULL */
    struct words undone; /* with PROOF_GIVEN: paths where the child's changes count as the
                            template's */
};

struct base_options {
    const char *commit; /* --base: anything that names a commit; or NULL */
    bool trust;         /* --trust-base: the commit need not be the render of the record */
    const struct plan_list *child, *render; /* with `commit`: the files that it could harm */
    const struct render *alike;             /* see struct render_input */
    bool accept_drift;
    bool looks;           /* changes nothing: a remembered proof counts (child/base_ref.h) */
    const char *moved_to; /* the catalog's new source, where the recorded one lacks it; or NULL */
};

/*
 * Proves the base: renders the record again, else looks for its base ref, else searches the
 * history. `record` is genuine. Exit 3, "no-base" or "drift", where nothing proves the base;
 * "unproven-base" where `commit` is neither the recorded render nor trusted. It never guesses.
 */
TG_CHECKED int base_prove(struct base *out, const struct repo *repo, const struct record *record,
                          const struct base_options *options, struct err *err);

/* {tree, proven_by}, as in docs/json.md. */
struct data *base_data(struct arena *arena, const struct base *base);
