/* What a rebase says of commits: which were replayed, and who has the old ones. */
#include "update/rebase/rebase_report.h"

#include "base/arena.h"
#include "base/shell.h"
#include "base/str.h"
#include "data/data.h"
#include "git/repo.h"
#include "update/rebase/commit_range.h"
#include "update/rebase/replay.h"

#include <git2.h>
#include <string.h>

struct data *rebase_commits(struct arena *arena, const struct replay_step *steps, size_t count)
{
    struct data *list = data_list(arena);
    for (size_t i = 0; i < count; i++) {
        const struct replay_step *step = &steps[i];
        const struct raw_commit *raw = &step->commit->raw;
        struct data *line = data_map(arena);
        bool made = step->state == REPLAY_MADE;
        data_put_text(arena, line, "commit", oid_text(arena, &raw->id));
        data_put_text(arena, line, "subject", raw->subject);
        data_put_text(arena, line, "state", replay_state_names[step->state]);
        data_put_text(arena, line, "to", made ? oid_text(arena, &step->made) : NULL);
        data_put_text(arena, line, "note", step->note);
        data_push(arena, list, line);
    }
    return list;
}

void rebase_warn(struct unrolled *out, struct arena *arena, const char *text)
{
    out->warnings = arena_grow(arena, out->warnings, out->warning_count, sizeof(*out->warnings));
    out->warnings[out->warning_count++] = text;
}

static bool has_note(const struct repo *repo, const struct oid *commit)
{
    git_note *note = NULL;
    git_oid id;
    memcpy(id.id, commit->id, sizeof(id.id));
    bool found = git_note_read(&note, repo->git, NULL, &id) == 0;
    git_note_free(note);
    return found;
}

static void tell_lost(struct unrolled *out, const struct repo *repo,
                      const struct commit_range *range)
{
    size_t signatures = 0, notes = 0;
    for (size_t i = 0; i < range->count; i++) {
        signatures += range->commits[i].raw.is_signed;
        notes += has_note(repo, &range->commits[i].raw.id);
    }
    if (signatures)
        rebase_warn(out, repo->arena,
                    arena_printf(repo->arena, "%zu %s signed: the new commits are not", signatures,
                                 signatures == 1 ? "commit is" : "commits are"));
    if (notes)
        rebase_warn(
            out, repo->arena,
            arena_printf(repo->arena,
                         "%zu %s a note, which stays with the old one: 'git notes copy OLD NEW' "
                         "takes it over",
                         notes, notes == 1 ? "commit has" : "commits have"));
}

/* "origin" of "refs/remotes/origin/main", and where the branch's name begins; NULL: no remote's. */
static const char *remote_of(const char **branch, const struct repo *repo, const char *ref)
{
    static const char start[] = "refs/remotes/";
    if (!str_starts(ref, start))
        return NULL;
    const char *rest = ref + strlen(start);
    for (const char *slash = strchr(rest, '/'); slash; slash = strchr(slash + 1, '/')) {
        const char *remote = arena_memdup(repo->arena, rest, (size_t)(slash - rest));
        *branch = slash + 1;
        if (repo_text(repo, arena_printf(repo->arena, "remote.%s.url", remote)))
            return remote;
    }
    return NULL;
}

/* The remote's copy of this very branch: what is pushed once everybody agrees. */
static bool add_rewritten(struct data *list, const struct repo *repo,
                          const struct range_holder *holder, const char *lands)
{
    const char *branch, *remote = remote_of(&branch, repo, holder->ref);
    if (!remote || !lands || strcmp(branch, repo_branch_name(lands)) != 0)
        return false;
    struct data *line = data_map(repo->arena);
    data_put_text(repo->arena, line, "remote", remote);
    data_put_text(repo->arena, line, "branch", branch);
    data_put_text(repo->arena, line, "old", oid_text(repo->arena, &holder->tip));
    data_push(repo->arena, list, line);
    return true;
}

/* So many refs that keep old commits are named; of more the report says how to list them. */
enum { HOLDERS_TOLD = 20 };

void rebase_tell_holders(struct unrolled *out, const struct repo *repo,
                         const struct commit_range *range, const char *lands)
{
    size_t told = 0;
    out->rewritten = data_list(repo->arena);
    tell_lost(out, repo, range);
    for (size_t i = 0; i < range->holder_count; i++) {
        const struct range_holder *holder = &range->holders[i];
        if (!add_rewritten(out->rewritten, repo, holder, lands) && told++ < HOLDERS_TOLD)
            rebase_warn(out, repo->arena,
                        arena_printf(repo->arena, "'%s' keeps %zu of the commits as they were",
                                     holder->ref, holder->commits));
    }
    if (told > HOLDERS_TOLD)
        rebase_warn(out, repo->arena,
                    arena_printf(repo->arena, "%zu more refs keep some of them: `%s` lists all",
                                 told - HOLDERS_TOLD,
                                 shell_command(repo->arena, "git for-each-ref --contains %s",
                                               oid_text(repo->arena, &range->commits[0].raw.id))));
}
