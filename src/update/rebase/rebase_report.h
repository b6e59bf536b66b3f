/* What a rebase says of commits: which were replayed, and who has the old ones. */
#ifndef TMPLGEN_REBASE_REPORT_H
#define TMPLGEN_REBASE_REPORT_H

#include "update/strategy.h"

struct data;
struct commit_range;
struct replay_step;
struct repo;

/* The member `commits` of documents (docs/json.md, update). */
struct data *rebase_commits(struct arena *arena, const struct replay_step *steps, size_t count);

/*
 * The member `rewritten`: branches of remotes that have commits of the range, and are to be pushed
 * anew; and warnings of signatures, notes, tags and branches that the new commits do not have.
 * `lands` is the branch that is moved, in full.
 */
void rebase_tell_holders(struct unrolled *out, const struct repo *repo,
                         const struct commit_range *range, const char *lands);

void rebase_warn(struct unrolled *out, struct arena *arena, const char *text);

#endif
