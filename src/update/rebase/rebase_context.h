/* What a rebase that stopped needs to go on, as its journal keeps it. */
#ifndef TMPLGEN_REBASE_CONTEXT_H
#define TMPLGEN_REBASE_CONTEXT_H

#include "base/err.h"
#include "base/str.h"
#include "git/tree_entry.h"

struct arena;
struct commit_range;
struct data;
struct plan_input;
struct replay;
struct replay_input;

/* The end of the strategy `pick`, which a rebase without conflicts reaches, too. */
struct pick_end {
    struct oid tree;
    struct words conflicts; /* paths where pick, or a stop, conflicted, and the two may differ */
};

struct data *rebase_context(const struct replay *replay, const struct pick_end *pick);
TG_CHECKED int rebase_context_store(struct span *out, struct arena *arena,
                                    const struct data *context, struct err *err);
/* The document of the whole update; NULL where there is none. */
void rebase_context_put_document(struct arena *arena, struct data *context, struct data *document);
struct data *rebase_context_document(const struct data *context);

/*
 * Fills in the record and the base commit of the input, labels and `yours` of the plan input, the
 * declared renames of the range's commits, and pick's end. -1 where the context is damaged.
 */
TG_CHECKED int rebase_context_read(struct replay_input *in, struct plan_input *plan,
                                   struct commit_range *range, struct pick_end *pick,
                                   const struct data *context);
/* Fills in the lineages of a replay that has begun. */
void rebase_context_read_lineages(struct replay *replay, const struct data *context);

#endif
