/* The next steps after an update, for words and documents: commands that exist and work. */
#include "update/next_steps.h"

#include "base/arena.h"
#include "base/shell.h"
#include "base/str.h"
#include "child/base_ref.h"
#include "data/document.h"
#include "git/repo.h"
#include "plan/plan.h"
#include "update/resume/end_state.h"
#include "update/strategy.h"

#include <string.h>

/* ---------------------------------------------------------------- one conflict */

static const struct plan_edit *find_edit(const struct plan *plan, const char *path)
{
    for (size_t i = 0; i < plan->edit_count; i++)
        if (plan->edits[i].conflict && strcmp(plan->edits[i].path, path) == 0)
            return &plan->edits[i];
    return NULL;
}

/* Finds the child's file "NAME~HEAD", which was moved aside for a folder. */
static const struct plan_edit *find_aside(struct arena *arena, const struct plan *plan,
                                          const char *path)
{
    const char *aside = arena_printf(arena, "%s~HEAD", path);
    for (size_t i = 0; i < plan->edit_count; i++)
        if (plan->edits[i].conflict && str_starts(plan->edits[i].path, aside))
            return &plan->edits[i];
    return NULL;
}

/* The template's new file, at stage 3 alone: a file or folder of the child is in its way. */
static bool is_blocked(const struct plan_edit *edit)
{
    return edit->disk.mode == LEAF_ABSENT && edit->stages[RENDER].mode != LEAF_ABSENT &&
           edit->stages[BASE].mode == LEAF_ABSENT && edit->stages[CHILD].mode == LEAF_ABSENT;
}

const char *next_resolving(struct arena *arena, const struct plan *plan, const char *path)
{
    const struct plan_edit *edit = find_edit(plan, path);
    if (!edit)
        edit = find_aside(arena, plan, path);
    if (!edit)
        return NULL;
    const char *name = repo_pathspec(arena, edit->path);
    return is_blocked(edit) ? shell_command(arena, "git rm --cached -- %s", name)
                            : shell_command(arena, "git add -- %s", name);
}

/* ---------------------------------------------------------------- the steps */

struct steps {
    struct arena *arena;
    const struct data *document;
    struct data *list;
};

static void add(struct steps *s, const char *run, const char *what)
{
    struct data *step = data_of(s->arena, FIELD("run", run), FIELD("what", what));
    data_push(s->arena, s->list, step);
}

static const char *git_command(const struct steps *s)
{
    const char *name = data_get_text(s->document, "strategy");
    const struct strategy *strategy = name ? strategy_find(name) : NULL;
    return (strategy ? strategy : &strategy_default)->git_command;
}

/* Adds a step of its own for a path that `git add PATH` does not take out of conflict. */
static void add_odd_ones(struct steps *s)
{
    const struct data *paths = data_get(s->document, "paths");
    for (size_t i = 0; i < paths->list.count; i++) {
        const struct data *path = paths->list.items[i];
        const char *command = data_get_text(path, "resolve");
        const char *name = repo_pathspec(s->arena, data_get_text(path, "path"));
        if (command && strcmp(command, shell_command(s->arena, "git add -- %s", name)) != 0)
            add(s, command,
                str_starts(command, "git add") ? "your file, moved aside: once it is well"
                                               : "goes on without the template's file");
    }
}

/* Finds the first path that has the member; or NULL. */
static const struct data *find_path(const struct data *document, const char *member)
{
    const struct data *paths = data_get(document, "paths");
    for (size_t i = 0; i < paths->list.count; i++)
        if (data_get_text(paths->list.items[i], member))
            return paths->list.items[i];
    return NULL;
}

static void add_conflict(struct steps *s)
{
    const char *git = git_command(s);
    if (find_path(s->document, "resolve")) { /* else all were resolved before */
        add(s, "git status", "shows the conflicts");
        add(s, "git add PATH", "once a file is well");
        add_odd_ones(s);
    } else {
        add(s, "git diff --staged", "shows what is resolved as you did before");
    }
    add(s, "tmplgen update --continue",
        git ? arena_printf(s->arena, "commits (or: git %s --continue)", git)
            : "commits, and goes on with the commits behind");
    add(s, "tmplgen update --abort",
        git ? arena_printf(s->arena, "goes back (or: git %s --abort)", git)
            : "goes back to before the first");
}

static void add_staged(struct steps *s)
{
    add(s, "git diff --staged", "shows it");
    add(s, "git commit", "takes it");
    add(s, "tmplgen update --abort", "goes back");
}

bool next_stayed(const struct data *document)
{
    const char *old = data_get_text(data_get(document, "branch"), "renewed_from");
    return old && str_equal(data_get_text(document, "commit"), old);
}

static void add_push(struct steps *s)
{
    const struct data *branch = data_get(s->document, "branch");
    const char *name = data_get_text(branch, "name");
    if (!name)
        return;
    bool renewed = data_get_text(branch, "renewed_from") != NULL;
    add(s,
        renewed ? shell_command(s->arena, "git push --force-with-lease REMOTE %s", name)
                : shell_command(s->arena, "git push REMOTE %s", name),
        next_stayed(s->document) ? "the branch stayed as it was: where it is not there yet"
        : renewed                ? "the branch was made anew"
                                 : "to ask for a review");
}

/* Names the first path in conflict that has the template's file beside it. */
static void add_committed_conflict(struct steps *s)
{
    const struct data *path = find_path(s->document, "theirs");
    const char *theirs = data_get_text(path, "theirs");
    if (theirs) {
        add(s,
            shell_command(s->arena, "git diff --no-index %s %s",
                          shell_path(s->arena, data_get_text(path, "path")),
                          shell_path(s->arena, theirs)),
            "yours against the template's; take over what you want");
        add(s, shell_command(s->arena, "git rm -- %s", repo_pathspec(s->arena, theirs)),
            "once that is done, for each such file; then commit");
    }
    add_push(s);
}

const char *next_seeing(struct arena *arena, const char *tree, const char *path)
{
    return shell_command(arena, "git show " BASE_REF_PREFIX "%s:%s", tree, path);
}

/* Shows the template's content of the first file that the child deleted. */
static void add_deleted(struct steps *s)
{
    const char *see = data_get_text(find_path(s->document, "see"), "see");
    if (see)
        add(s, see, "what the template has for a file that you deleted");
}

/* Replaces the remotes' commits, unless somebody has pushed there since. */
static void add_rewritten(struct steps *s)
{
    const struct data *list = data_get(s->document, "rewritten");
    for (size_t i = 0; list && list->kind == DATA_LIST && i < list->list.count; i++) {
        const struct data *line = list->list.items[i];
        const char *branch = data_get_text(line, "branch");
        add(s,
            shell_command(s->arena, "git push --force-with-lease=%s:%s %s %s", branch,
                          data_get_text(line, "old"), data_get_text(line, "remote"), branch),
            "replaces what was published, unless somebody has pushed since");
    }
}

static const char *abbreviated(const struct steps *s, const char *commit)
{
    return arena_printf(s->arena, "%.7s", commit);
}

/* The newest replayed commit does not show the update: shows all of them. */
static void add_look(struct steps *s)
{
    const char *made = data_get_text(s->document, "commit");
    const struct data *commits = data_get(s->document, "commits");
    size_t count = commits && commits->kind == DATA_LIST ? commits->list.count : 0;
    if (count)
        add(s,
            shell_command(s->arena, "git diff --stat %s %s",
                          abbreviated(s, data_get_text(commits->list.items[count - 1], "commit")),
                          abbreviated(s, made)),
            "shows what the update changed");
    else
        add(s, shell_command(s->arena, "git show --stat %s", abbreviated(s, made)),
            "shows the commit");
}

static void add_updated(struct steps *s)
{
    add_look(s);
    add_deleted(s);
    add_rewritten(s);
    add_push(s);
}

/* Nothing is left to do, unless --refresh left the branch alone. */
static void add_stayed(struct steps *s)
{
    if (next_stayed(s->document))
        add_updated(s);
}

static void add_available(struct steps *s)
{
    add(s, "tmplgen update --dry-run", "shows what would change");
    add(s, "tmplgen update", "takes it");
}

/* The branch that HEAD was on moved while the update waited. */
static void add_left(struct steps *s)
{
    const struct data *left = data_get(s->document, "left");
    const char *branch = left ? data_get_text(left, "branch") : NULL;
    bool gone = branch && str_equal(data_get_text(left, "what"), "is gone");
    if (!branch)
        return;
    if (!gone)
        add(s, shell_command(s->arena, "git switch %s", branch), "goes to where the branch is now");
    add(s, shell_command(s->arena, "git switch -c %s", gone ? branch : "NAME"),
        "begins a branch where you were");
}

struct data *next_foreseen(struct arena *arena)
{
    struct steps s = {arena, NULL, data_list(arena)};
    add(&s, "tmplgen update", "does it");
    return s.list;
}

struct data *next_steps(struct arena *arena, const struct data *document)
{
    static const struct {
        const char *result;
        bool commit; /* the document has a commit */
        void (*add)(struct steps *);
    } rows[] = {
        {RESULT_CONFLICTS, false, add_conflict},  {RESULT_CONFLICTS, true, add_committed_conflict},
        {RESULT_STAGED, false, add_staged},       {RESULT_UPDATED, true, add_updated},
        {RESULT_AVAILABLE, false, add_available}, {RESULT_UP_TO_DATE, true, add_stayed},
        {RESULT_ABORTED, false, add_left},
    };
    struct steps s = {arena, document, data_list(arena)};
    bool commit = data_get_text(document, "commit") != NULL;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
        if (str_equal(rows[i].result, data_get_text(document, "result")) &&
            rows[i].commit == commit)
            rows[i].add(&s);
    return s.list;
}
