/* How far an update has come that replays the child's commits, and stopped on the way. */
#include "update/rebase/rebase_progress.h"

#include "apply/apply.h"
#include "data/data.h"
#include "git/raw_commit.h"
#include "git/repo.h"
#include "git/store.h"

static const struct oid none;

/* The first commit that is not made yet: it is where it stopped. */
static size_t find_step(const struct journal *j)
{
    size_t step = 0;
    while (step < j->step_count && !oid_equal(&j->steps[step].made, &none))
        step++;
    return step;
}

int rebase_progress_data(struct data **out, const struct unfinished *unfinished,
                         const struct repo *repo, struct err *err)
{
    const struct journal *j = &unfinished->journal;
    struct arena *arena = repo->arena;
    struct raw_commit raw = {.subject = NULL};
    *out = data_null(arena);
    if (unfinished->state == APPLY_NONE || !journal_is_sequence(j))
        return 0;
    size_t step = find_step(j);
    const struct oid *commit = step < j->step_count ? &j->steps[step].picked : NULL;
    if (commit && store_has(repo->store, commit) &&
        raw_commit_read(&raw, arena, repo->store, commit, err) < 0)
        return -1;
    *out = data_map(arena);
    data_put_text(arena, *out, "branch", repo_branch_name(j->branch));
    data_put_text(arena, *out, "commit", commit ? oid_text(arena, commit) : NULL);
    data_put_text(arena, *out, "subject", raw.subject);
    data_put(arena, *out, "step", data_int(arena, (int64_t)step + (commit != NULL)));
    data_put(arena, *out, "steps", data_int(arena, (int64_t)j->step_count));
    return 0;
}
