/* What `new` tells of a project that it made, beside the result. */
#include "cmd/project/new_words.h"

#include "base/buf.h"
#include "base/limits.h"
#include "base/shell.h"
#include "catalog/catalog.h"
#include "catalog/trust.h"
#include "child/making.h"
#include "child/team_image.h"
#include "child/write_child.h"
#include "cmd/cmd.h"
#include "data/data.h"
#include "io/process.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say_git(struct run *run, const struct created *created, const char *repository)
{
    if (created->author_is_fallback)
        cmd_say(run, "git knows no user here: committed as %s (set user.name and user.email)",
                created->author);
    if (created->signing_skipped)
        cmd_say(run, "commit.gpgSign is set, but tmplgen signs nothing: "
                     "'git commit --amend --no-edit -S' signs this commit");
    if (!*created->commit && repository)
        cmd_say(run, "inside the repository '%s': nothing is committed (--commit does)",
                repository);
}

/* The child's team image must be built first. */
static void say_team_image(struct run *run, const struct making *making)
{
    const struct data *image = data_get(making->resolution, TEAM_IMAGE);
    if (image)
        cmd_say(run,
                "'%s:%s' must be in the registry before this is built: 'tmplgen image build' makes "
                "it, in the repository of the team's base images",
                cmd_masked(run, data_get_text(image, "repository")),
                cmd_masked(run, data_get_text(image, "tag")));
}

static void say_catalog(struct run *run)
{
    const struct catalog_origin *origin = &run->catalog->origin;
    const char *words = signature_words(&run->arena, signature_data(&run->arena, origin));
    if (words)
        cmd_say(run, "the catalog '%s' is %s", origin->source, words);
    if (str_equal(origin->source, CATALOG_BUILTIN) && strchr(origin->version, '-'))
        cmd_say(run,
                "catalog %s is not released: a later tmplgen may not be able to prove what this "
                "project was made from; '--catalog builtin@VERSION' takes a release",
                origin->version);
}

/* The file that PATH has for a program; NULL: none. */
static const char *on_path(struct arena *arena, const char *program)
{
    const char *path = getenv("PATH");
    for (struct span rest = span_from(path ? path : ""); rest.len;) {
        size_t len = 0;
        while (len < rest.len && rest.ptr[len] != ':')
            len++;
        const char *file = arena_printf(arena, "%.*s/%s", (int)len, rest.ptr, program);
        if (len && access(file, X_OK) == 0)
            return file;
        len += len < rest.len;
        rest = span_of(rest.ptr + len, rest.len - len);
    }
    return NULL;
}

/*
 * A version manager has a file for each version that is somewhere; whether it runs here, it says,
 * in a tenth of a second: a person has that.
 */
static bool runs(struct arena *arena, const char *program)
{
    const char *file = on_path(arena, program);
    const char *const argv[] = {file, "-V", NULL};
    ERR_SCRATCH(err);
    BUF_SCRATCH(out, LIMIT_KIB);
    int status = 1;
    return file && (!strstr(file, "/shims/") || !isatty(STDERR_FILENO) ||
                    (process_capture(&out, &status, argv, 5, &err) == 0 && status == 0));
}

/* Of those that PATH may have, by whose names it is looked up. */
enum { OLDEST_PYTHON = 9, NEWEST_PYTHON = 19 };

/* `make setup` will want it: whoever hears of it now can choose another. */
static void say_python(struct run *run, const struct making *making)
{
    const char *python = data_get_text(making->resolution, "python"), *here = NULL;
    if (!python || runs(&run->arena, "uv") ||
        runs(&run->arena, arena_printf(&run->arena, "python%s", python)))
        return;
    for (int minor = NEWEST_PYTHON; minor >= OLDEST_PYTHON && !here; minor--) {
        const char *version = arena_printf(&run->arena, "3.%d", minor);
        if (runs(&run->arena, arena_printf(&run->arena, "python%s", version)))
            here = shell_command(&run->arena, "tmplgen update --set python=%s", version);
    }
    cmd_say(run, "Python %s is not here: 'make setup' will want it, or uv, which fetches it%s%s%s",
            python, here ? "; '" : "", here ? here : "",
            here ? "' moves the project to the one that is" : "");
}

void new_say(struct run *run, const struct making *making, const struct created *created,
             const char *repository)
{
    say_git(run, created, repository);
    say_catalog(run);
    say_team_image(run, making);
    say_python(run, making);
}
