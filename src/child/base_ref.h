/* Keeps the base of a child: its commit under a ref of its own, and the proof of its render. */
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

/* The full name of the ref of a render tree. */
const char *base_ref_name(struct arena *arena, const struct oid *tree);
/* Points the ref of `tree` at the base commit. */
TG_CHECKED int base_ref_write(struct git_repository *repository, const struct oid *tree,
                              const struct oid *commit, struct err *err);

/*
 * Makes the base commit of a render tree: the same on every machine. `folder` ("" or "services/a/")
 * is where the commit has the tree.
 */
TG_CHECKED int base_commit_put(struct oid *out, struct store *store, const struct oid *tree,
                               const char *folder, struct err *err);

/*
 * Removes every refs/tmplgen/base/TREE-ID that no record of a local branch names, of any child in
 * the repository; `keep` stays. Where something cannot be read, it removes nothing. Never fails: an
 * old ref harms nobody.
 */
void base_ref_prune(const struct repo *repo, const struct apply *apply, struct oid keep);

/*
 * The proof, a file in git's folder, says for which record (its `inputs`: commit of the catalog,
 * answers, engine, tree) this tmplgen rendered the tree of the base ref, and which policies its
 * files have. No fetch, clone or checkout writes it. Only commands that change nothing use it. Only
 * the newest proof is kept.
 */
#define PROOF_PATH "tmplgen/proof"

/* The text of a render's proof; empty where the catalog has no commit: its content may change. */
struct span proof_text(struct arena *arena, const struct record *record,
                       const struct render *render);
/* Writes the proof. Never fails: without it, the base is rendered again. */
void proof_keep(const struct repo *repo, const struct record *record, const struct render *render);
/* True where the proof is of `record`. Sets the policies of `files`, those of its base ref. */
bool proof_recall(struct plan_list *files, const struct repo *repo, const struct record *record);
