/* What strategies have in common. */
#include "update/strategy/strategy_common.h"

#include "git/commit.h"
#include "git/repo.h"
#include "update/report/commit_message.h"
#include "update/strategy.h"

#include <string.h>

int strategy_commit(struct oid *out, const struct strategy_step *l, const struct oid *parents,
                    size_t parent_count, struct err *err)
{
    const char *message = l->message;
    if (l->sealed)
        message = message_seal(l->arena, message, parents, parent_count, &l->result);
    return commit_put(out, l->repo->store, &l->result, parents, parent_count, l->who, message, err);
}

int strategy_check_root(const struct repo *repo, const char *strategy, struct err *err)
{
    if (!*repo->prefix)
        return 0;
    (void)err_set(err, TG_REFUSED, "not-at-root",
                  "the strategy '%s' is for a project at its repository's root: this one lies in "
                  "'%.*s'",
                  strategy, (int)strlen(repo->prefix) - 1, repo->prefix);
    return err_hint(err, "'--strategy pick' updates it where it lies");
}
