/* What a rebase that stopped needs to go on, as its journal keeps it. */
#ifndef TMPLGEN_REBASE_CONTEXT_H
#define TMPLGEN_REBASE_CONTEXT_H

#include "base/err.h"
#include "base/str.h"

struct arena;
struct commit_range;
struct data;
struct plan_input;
struct replay;

struct data *rebase_context(struct arena *arena, const struct replay *replay);
TG_CHECKED int rebase_context_store(struct span *out, struct arena *arena,
                                    const struct data *context, struct err *err);
/* The document of the whole update as it ends: the report of its paths. */
void rebase_context_put_document(struct arena *arena, struct data *context, struct data *document);
/* The same as an earlier context had it. */
void rebase_context_keep(struct data *context, struct arena *arena, struct span earlier);
/* NULL where there is none. */
struct data *rebase_context_document(const struct data *context);

/*
 * Fills in `onto`, `tip`, `record`, the traces, the declared renames of the range's commits, and of
 * the input what every step is planned with.
 */
TG_CHECKED int rebase_context_read(struct replay *replay, struct plan_input *input,
                                   struct commit_range *range, const struct data *context);

#endif
