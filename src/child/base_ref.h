/* The base of a child, kept: its commit under a ref of its own, and the proof of a render. */
#pragma once

#include "base/err.h"
#include "base/str.h"
#include "git/tree_entry.h"

#include <stdbool.h>

struct apply;
struct git_repository;
struct plan_list;
struct record;
struct render;
struct repo;
struct store;

#define BASE_REF_PREFIX "refs/tmplgen/base/"

/* The ref of a render tree, in full. */
const char *base_ref_name(struct arena *arena, const struct oid *tree);
/* Points it at the base commit. */
TG_CHECKED int base_ref_write(struct git_repository *repository, const struct oid *tree,
                              const struct oid *commit, struct err *err);

/*
 * The base commit of a render tree: the same on every machine. `folder` ("" or "services/a/"): the
 * tree lies there.
 */
TG_CHECKED int base_commit_put(struct oid *out, struct store *store, const struct oid *tree,
                               const char *folder, struct err *err);

/*
 * Removes every refs/tmplgen/base/TREE-ID that no record of a local branch, of any child in the
 * repository, names; `keep` stays. What cannot be read keeps everything. Never fails: an old ref
 * harms nobody.
 */
void base_ref_prune(const struct repo *repo, const struct apply *apply, struct oid keep);

/*
 * The file in git's folder that says for which record (its `inputs`: commit of the catalog,
 * answers, engine, tree) this tmplgen rendered the tree of the base ref, and which policies its
 * files have. Neither a fetch nor a clone nor a checkout writes there. It is for commands that only
 * look. Only the newest one is kept.
 */
#define PROOF_PATH "tmplgen/proof"

/* What it says of a render; empty where a catalog has no commit: it may be another one tomorrow. */
struct span proof_text(struct arena *arena, const struct record *record,
                       const struct render *render);
/* Writes it. Never fails: what is not remembered is rendered. */
void proof_keep(const struct repo *repo, const struct record *record, const struct render *render);
/* True where the file is of that record. `files`, those of its base ref, get their policies. */
bool proof_recall(struct plan_list *files, const struct repo *repo, const struct record *record);
