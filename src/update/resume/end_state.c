/* How an update ends: committed, or stopped for a person. One row for each kind of journal. */
#include "update/resume/end_state.h"

static const struct end_state endings[] = {
    [JOURNAL_UPDATE] = {RESULT_UPDATED, TG_OK, true, NULL, NULL},
    [JOURNAL_COMMIT] = {RESULT_UPDATED, TG_OK, true, NULL, NULL},
    [JOURNAL_CONFLICT] = {RESULT_CONFLICTS, TG_CONFLICTS, false,
                          "an update with conflicts waits for you",
                          "resolve them, 'git add' them, then 'tmplgen update --continue'; or "
                          "'tmplgen update --abort'"},
    [JOURNAL_STAGED] = {RESULT_STAGED, TG_OK, false, "an update is staged and waits for you",
                        "'git commit' or 'tmplgen update --continue' takes it, 'tmplgen update "
                        "--abort' goes back"},
};

const struct end_state *end_state_of(enum journal_kind kind)
{
    return &endings[kind];
}
