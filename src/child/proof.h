/* A base that was rendered here before, remembered: `status` need not render it again. */
#ifndef TMPLGEN_PROOF_H
#define TMPLGEN_PROOF_H

#include "base/str.h"

#include <stdbool.h>

struct arena;
struct plan_list;
struct record;
struct render;
struct repo;

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

#endif
